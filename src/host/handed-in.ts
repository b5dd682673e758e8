// Files that an agent handed in, or could have put there: the one way in which heddle opens them. No step below the
// folder that holds them may be a link, only a regular file is read, a pipe or a device never makes anybody wait, and
// at most so many bytes or names come back. Everybody who reads below `.heddle/attempts` comes here (`test/tidy.test.ts`).
//
// Hard links are not told apart: across the mounts of a box none can be made, and an agent without a box can read what
// it could link to.
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  opendirSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
} from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { type Problem, problem } from "../core/problem.ts";

export type Refusal = "missing" | "outside" | "irregular" | "too large" | "unreadable" | "binary";

export interface Way {
  /** The folder that is ours, links and all; below it there must be none. Unless said otherwise, `.heddle`. */
  readonly within?: string;
  /** A link that leads to another file below `within` is followed: for the files of a project, not for an agent's output. */
  readonly links?: "inside";
}

export interface Head {
  readonly bytes: Buffer;
  /** Of the whole file. */
  readonly size: number;
}

/** Large enough for every document that a role makes. */
export const mostHandedIn = 16 * 1024 * 1024;

/** A whole text file, or why not, in a sentence for whoever wrote it. Never throws, never waits. */
export function readHandedIn(
  path: string,
  { most = mostHandedIn, ...way }: Way & { readonly most?: number } = {},
): { readonly text: string } | { readonly problem: Problem } {
  const head = readBytes(path, { bytes: most }, way);
  if (typeof head === "string") return { problem: refusalOf(path, head) };
  if (head.size > most) return { problem: refusalOf(path, "too large", most) };
  if (head.bytes.includes(0)) return { problem: refusalOf(path, "binary") };
  return { text: head.bytes.toString("utf8") };
}

/** The same for what heddle itself wrote beside: nothing when it is not there, empty when it cannot be read. */
export function readRecord(path: string, most = 256 * 1024 * 1024): string | undefined {
  const head = readBytes(path, { bytes: most }, {});
  if (typeof head === "string") return head === "missing" ? undefined : "";
  return head.size > most ? "" : head.bytes.toString("utf8");
}

/** The last bytes of what a program printed; nothing when it printed nothing. */
export function readEnd(path: string, bytes: number): string {
  const head = readBytes(path, { bytes, from: "end" }, {});
  return typeof head === "string" ? "" : head.bytes.toString("utf8");
}

/** Its first and its last bytes: a compiler's first error is what matters, and a test runner's last lines. */
export function readEnds(
  path: string,
  { head, tail }: { readonly head: number; readonly tail: number },
): string {
  const first = readBytes(path, { bytes: head + tail }, {});
  if (typeof first === "string") return "";
  if (first.size <= head + tail) return first.bytes.toString("utf8");
  const left = first.size - head - tail;
  return `${first.bytes.toString("utf8", 0, head)}\n… ${left} bytes left out …\n${readEnd(path, tail)}`;
}

interface Piece {
  readonly bytes: number;
  /** Where to begin; at the end: so many bytes before it. */
  readonly from?: number | "end";
}

export function readBytes(path: string, { bytes, from = 0 }: Piece, way: Way): Head | Refusal {
  const fd = openPlain(path, way);
  if (typeof fd === "string") return fd;
  try {
    const { size } = fstatSync(fd);
    const start = from === "end" ? Math.max(0, size - bytes) : from;
    const buffer = Buffer.alloc(Math.max(0, Math.min(bytes, size - start)));
    let length = 0;
    for (let read = 1; read > 0 && length < buffer.length; length += read)
      read = readSync(fd, buffer, length, buffer.length - length, start + length);
    return { bytes: buffer.subarray(0, length), size };
  } catch {
    return "unreadable";
  } finally {
    closeSync(fd);
  }
}

/** Opened for reading. Whatever happens to the names meanwhile, what is open is what lies at that path. */
function openPlain(path: string, { within = rootOf(path), links }: Way): number | Refusal {
  let fd: number | undefined;
  try {
    const root = realpathSync(within);
    const place = links === "inside" ? realpathSync(path) : join(root, relative(within, path));
    if (!isWithin(root, place)) return "outside";
    fd = openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const wrong = fstatSync(fd).isFile() ? (isAt(fd, root, place) ? undefined : "outside") : "irregular";
    if (wrong === undefined) return fd;
    closeSync(fd);
    return wrong;
  } catch (error) {
    if (fd !== undefined) closeSync(fd);
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ELOOP" || code === "ENXIO") return "irregular";
    return code === "ENOENT" || code === "ENOTDIR" ? "missing" : "unreadable";
  }
}

/** Linux says where an open file really is; elsewhere every step is looked at. */
function isAt(fd: number, root: string, place: string): boolean {
  if (process.platform === "linux") return readlinkSync(`/proc/self/fd/${fd}`) === place;
  for (let at = dirname(place); at.length > root.length; at = dirname(at))
    if (!lstatSync(at).isDirectory()) return false;
  const [opened, named] = [fstatSync(fd), lstatSync(place)];
  return opened.dev === named.dev && opened.ino === named.ino;
}

/** Up to and with the project's `.heddle`, in which heddle alone makes the folders of attempts; else the file's own folder. */
function rootOf(path: string): string {
  const at = path.indexOf(`${sep}.heddle${sep}`);
  return at < 0 ? dirname(path) : path.slice(0, at + `${sep}.heddle`.length);
}

export function isWithin(root: string, path: string): boolean {
  const from = relative(root, path);
  return from === "" || (from !== ".." && !from.startsWith(`..${sep}`));
}

const words: Readonly<Record<Refusal, string>> = {
  missing: "does not exist",
  outside: "is reached through a link",
  irregular: "is not a plain file",
  "too large": "is too large",
  unreadable: "cannot be read",
  binary: "is not text: it has a NUL byte",
};

function refusalOf(path: string, refusal: Refusal, most?: number): Problem {
  const bound = most === undefined ? "" : `: at most ${Math.ceil(most / 1024 / 1024)} MiB are read`;
  const code = refusal === "missing" ? "no-file" : "bad-file";
  return problem(code, `\`${path}\` ${words[refusal]}${bound}`, { place: { file: path } });
}

export interface Listed {
  readonly name: string;
  readonly kind: "file" | "folder" | "other";
}

/** What lies in a folder itself, in order; "too many" before a list without end takes its time. */
export function listHandedIn(folder: string, most: number): readonly Listed[] | "too many" {
  const found: Listed[] = [];
  let open: ReturnType<typeof opendirSync>;
  try {
    if (!lstatSync(folder).isDirectory()) return [];
    open = opendirSync(folder);
  } catch {
    return [];
  }
  try {
    for (let entry = open.readSync(); entry !== null; entry = open.readSync()) {
      if (found.length === most) return "too many";
      const kind = entry.isFile() ? "file" : entry.isDirectory() ? "folder" : "other";
      found.push({ name: entry.name, kind });
    }
  } catch {
    // It went meanwhile: what was seen counts.
  } finally {
    open.closeSync();
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Plain files in an agent's home, some folders deep, at most so many names looked at; relative paths, in order. */
export function walkHandedIn(folder: string, bounds: { depth: number; most: number }): string[] {
  const found: string[] = [];
  let left = bounds.most;
  const look = (path: string, depth: number) => {
    const listed = listHandedIn(join(folder, path), left);
    if (listed === "too many") {
      left = 0;
      return;
    }
    left -= listed.length;
    for (const { name, kind } of listed) {
      const below = path === "" ? name : `${path}/${name}`;
      if (kind === "file") found.push(below);
      else if (kind === "folder" && depth > 1 && left > 0) look(below, depth - 1);
    }
  };
  look("", bounds.depth);
  return found;
}

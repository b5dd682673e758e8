// The room of the machine: files, clock, git, programs, boxes, landing. Other rooms reach the disk, git and
// programs of others through it; it knows no run, no journal and no protocol.
//
// Files, as heddle reads and writes them: bounded, atomic, never following a link that an agent may have put
// where one of heddle's own files belongs.
import {
  accessSync,
  appendFileSync,
  chmodSync,
  closeSync,
  constants,
  cpSync,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { type Problem, problem } from "../core/problem.ts";

const maxTextBytes = 64 * 1024 * 1024;

/** A pipe without a writer would otherwise be waited for. */
const withoutWaiting = constants.O_RDONLY | constants.O_NONBLOCK;

export type TextFile = { readonly text: string } | { readonly problem: Problem };

/** A text file within bounds, or why not. Nothing a person can put there makes it throw. */
export function readText(path: string, limitBytes = maxTextBytes): TextFile {
  let fd: number;
  try {
    fd = openSync(path, withoutWaiting);
  } catch (error) {
    return { problem: unreadable(path, error as NodeJS.ErrnoException) };
  }
  try {
    const stat = fstatSync(fd);
    if (stat.isDirectory()) return refused(path, "is a directory, a file is needed");
    if (!stat.isFile()) return refused(path, "is not a regular file");
    if (stat.size > limitBytes)
      return refused(path, `has ${mebibytes(stat.size)} MiB, at most ${mebibytes(limitBytes)} are read`);
    const bytes = readFileSync(fd);
    if (bytes.includes(0)) return refused(path, "is not text: it has a NUL byte");
    return { text: bytes.toString("utf8") };
  } catch (error) {
    return { problem: unreadable(path, error as NodeJS.ErrnoException) };
  } finally {
    closeSync(fd);
  }
}

const mebibytes = (bytes: number) => Math.round(bytes / 1024 / 1024);

function refused(path: string, what: string): TextFile {
  return { problem: problem("bad-file", `\`${path}\` ${what}`, { place: { file: path } }) };
}

function unreadable(path: string, error: NodeJS.ErrnoException): Problem {
  if (error.code === "ENOENT")
    return problem("no-file", `\`${path}\` does not exist`, { place: { file: path } });
  return problem("bad-file", `\`${path}\` cannot be read (${error.code})`, { place: { file: path } });
}

/** A file of our own, if it is there. One that cannot be read counts as empty: it is written anew. */
export function readIfThere(path: string): string | undefined {
  let fd: number;
  try {
    fd = openSync(path, withoutWaiting);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? undefined : "";
  }
  try {
    return fstatSync(fd).isFile() ? readFileSync(fd, "utf8") : "";
  } catch {
    return "";
  } finally {
    closeSync(fd);
  }
}

/** The first bytes of a file of our own; nothing when it is not there or cannot be read. */
export function readHead(path: string, bytes: number): string {
  try {
    const fd = openSync(path, withoutWaiting);
    try {
      if (!fstatSync(fd).isFile()) return "";
      const buffer = Buffer.alloc(bytes);
      return buffer.toString("utf8", 0, readSync(fd, buffer, 0, bytes, 0));
    } finally {
      closeSync(fd);
    }
  } catch {
    return "";
  }
}

/**
 * Readers see the old text or the new one, never a part. Not fsynced: what is written so can be rebuilt. Neither name is
 * written through: a link that an agent planted there is replaced, and what it leads to stays as it is.
 */
export function replaceFile(path: string, text: string | Uint8Array): void {
  const aside = `${path}.${process.pid}.new`;
  try {
    writeNew(aside, text);
    renameSync(aside, path);
  } catch (error) {
    rmSync(aside, { force: true });
    throw error;
  }
}

/** "wx" makes the file or fails: whatever lies there under that name goes first, itself. */
function writeNew(path: string, text: string | Uint8Array): void {
  try {
    writeFileSync(path, text, { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    rmSync(path, { force: true, recursive: true });
    writeFileSync(path, text, { flag: "wx" });
  }
}

/** As `replaceFile`, in a folder that an agent had for its own: no step on the way is a link afterwards. */
export function placeFile(folder: string, path: string, text: string): void {
  let at = folder;
  for (const step of path.split("/").slice(0, -1)) {
    at = join(at, step);
    if (!isPlainFolder(at)) rmSync(at, { force: true });
    mkdirSync(at, { recursive: true });
  }
  const file = join(folder, path);
  if (isPlainFolder(file)) rmSync(file, { force: true, recursive: true });
  replaceFile(file, text);
}

/** Removes what processes that were killed in the middle of writing left in a folder: `<name>.<pid>.new`. */
export function sweep(folder: string): void {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    if (!name.includes(".new")) continue;
    const [, pid] = /\.(\d+)\.new(?:-wal|-shm|-journal)?$/.exec(name) ?? [];
    if (pid !== undefined && isGone(Number(pid))) rmSync(`${folder}/${name}`, { force: true });
  }
}

/** Whether no process has that number; one of somebody else's is there. */
export function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
const appending = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;

/** To a regular file: one that an agent replaced by a link or a pipe is made anew. */
export function append(path: string, text: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isSymbolicLink() || stat?.isFIFO()) rmSync(path, { force: true });
  const fd = openSync(path, appending);
  try {
    appendFileSync(fd, text);
  } finally {
    closeSync(fd);
  }
}

/**
 * With what is missing above it, but for a project's own folder and its folder of attempts: one that was moved away is
 * expected back, and one made in its place by the way would be in its way.
 */
export function makeFolder(path: string): void {
  const [, above] = /^(.*?\/\.heddle(?:\/attempts(?=\/.))?)\/./s.exec(path) ?? [];
  if (above === undefined) mkdirSync(path, { recursive: true });
  else makeWithin(above, path);
}

/** Below a folder that must be there: step by step, as what is there when one looks may be gone when one makes the next. */
export function makeWithin(above: string, path: string): string | undefined {
  let made: string | undefined;
  for (let end = above.length; end < path.length; ) {
    const next = path.indexOf("/", end + 1);
    end = next === -1 ? path.length : next;
    if (makeOne(path.slice(0, end))) made ??= path.slice(0, end);
  }
  return made;
}

/** In a folder that is there. Whether it had to be made. */
export function makeOne(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST" || !statSync(path).isDirectory()) throw error;
    return false;
  }
}

/** For what programs of others write: no other user of the machine comes in, whatever the files in it allow. */
export function makePrivateFolder(path: string): void {
  makeFolder(path);
  const { mode, uid } = lstatSync(path);
  if ((mode & 0o077) !== 0 && uid === process.getuid?.()) chmodSync(path, 0o700);
}

export function isThere(path: string): boolean {
  return existsSync(path);
}

/** A regular file; links are followed. */
export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** A regular file with no link on its last step. */
export function isPlainFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

export function isPlainFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

export function listAll(folder: string): string[] {
  return readdirSync(folder).sort();
}

/** A STOP file counts whatever it is, a dangling link included; one in a folder that may not be looked into does not. */
export function isThereItself(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** A folder that can be worked in: it is there, and it is one's own to read and write. */
export function isUsable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Nothing can lie at a path that no name can have, or below a file. */
export function remove(path: string): void {
  try {
    lstatSync(path);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (["ENOENT", "ENOTDIR", "ENAMETOOLONG"].includes(code)) return;
  }
  rmSync(path, { force: true, recursive: true });
}

/** Copies a file or a folder of plain files. */
export function copyTree(from: string, to: string): void {
  cpSync(from, to, { recursive: true, force: true, verbatimSymlinks: true });
}

/** A folder that may not be written cannot be moved either. */
export function openFolder(path: string): void {
  if (isPlainFolder(path)) chmodSync(path, lstatSync(path).mode | 0o700);
}

export function rename(from: string, to: string): void {
  renameSync(from, to);
}

/** Names of the files in a folder that end so, in order; nothing when there is no such folder. */
export function listFiles(folder: string, ending: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.name.endsWith(ending) && !entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

/** Whether `path` below `folder` really lies there: links on the way are followed as far as there is anything. */
export function staysInside(folder: string, path: string): boolean {
  const root = realOf(folder);
  for (let at = join(folder, path); root !== undefined && at.length > folder.length; at = dirname(at)) {
    // A link that leads nowhere yet may lead anywhere later.
    if (isThereItself(at)) return realOf(at)?.startsWith(root === "/" ? root : `${root}/`) ?? false;
  }
  return true;
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

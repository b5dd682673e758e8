// Files, as heddle reads and writes them: bounded, atomic, never following a link that an agent may have put
// where one of heddle's own files belongs.
import {
  appendFileSync,
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

export const maxTextBytes = 64 * 1024 * 1024;

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
      const buffer = Buffer.alloc(bytes);
      return buffer.toString("utf8", 0, readSync(fd, buffer, 0, bytes, 0));
    } finally {
      closeSync(fd);
    }
  } catch {
    return "";
  }
}

/** The last bytes of a file. */
export function readTail(path: string, bytes: number): string {
  const fd = openSync(path, "r");
  try {
    const { size } = fstatSync(fd);
    const buffer = Buffer.alloc(Math.min(bytes, size));
    readSync(fd, buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString("utf8");
  } finally {
    closeSync(fd);
  }
}

/** Readers see the old text or the new one, never a part. Not fsynced: what is written so can be rebuilt. */
export function replaceFile(path: string, text: string | Uint8Array): void {
  const aside = `${path}.${process.pid}.new`;
  try {
    writeFileSync(aside, text);
    renameSync(aside, path);
  } catch (error) {
    rmSync(aside, { force: true });
    throw error;
  }
}

/** Removes what processes that were killed in the middle of writing left in a folder: `<name>.<pid>.new`. */
export function sweep(folder: string): void {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    if (!name.includes(".new")) continue;
    const [, pid] = /\.(\d+)\.new(?:-wal|-shm|-journal)?$/.exec(name) ?? [];
    if (pid !== undefined && isGone(Number(pid))) rmSync(`${folder}/${name}`, { force: true });
  }
}

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

export function append(path: string, text: string): void {
  appendFileSync(path, text);
}

export function makeFolder(path: string): void {
  mkdirSync(path, { recursive: true });
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

/** A STOP file counts whatever it is, a dangling link included. */
export function isThereItself(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

export function remove(path: string): void {
  rmSync(path, { force: true, recursive: true });
}

/** Copies a file or a folder of plain files. */
export function copyTree(from: string, to: string): void {
  cpSync(from, to, { recursive: true, force: true, verbatimSymlinks: true });
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

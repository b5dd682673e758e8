// Moving a person's files out of the way without losing any. A file is first renamed and then looked at, and a new one
// is put only where there is none: whatever a person saves in between is found in one place or the other.
import {
  chmodSync,
  constants,
  copyFileSync,
  cpSync,
  linkSync,
  lstatSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { makeFolder } from "./files.ts";
import { sync } from "./sync.ts";
import { leaveMark } from "./underway.ts";

/** The name itself, or the first of `name-2`, `name-3`, … that is not taken. */
export function freeName(path: string): string {
  for (let n = 1; ; n++) {
    const each = n === 1 ? path : join(dirname(path), `${basename(path)}-${n}`);
    if (!lstatSync(each, { throwIfNoEntry: false })) return each;
  }
}

/** Moves a file, folder or link away, to another disk as well. It is never in neither place. */
export function takeAside(from: string, to: string): void {
  makeFolder(dirname(to));
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    // Out of the way first: what a person saves under the old name from now on is a file of its own.
    const beside = freeName(join(dirname(from), `.heddle-aside-${process.pid}`));
    renameSync(from, beside);
    cpSync(beside, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    rmSync(beside, { recursive: true, force: true });
  }
}

/**
 * Puts a copy of a file at `to`, durably and whole; false, and nothing changed, where there is something already. On its way
 * it is in `ours`, a folder where nobody else's files are.
 */
export function writeNew(from: string, to: string, ours: string): boolean {
  // Never a name that was used before: if it could not be removed then, it is the very file that was put.
  const beside = join(ours, `put-${crypto.randomUUID()}.${process.pid}.new`);
  try {
    copyFileSync(from, beside, constants.COPYFILE_EXCL);
    chmodSync(beside, lstatSync(from).mode & 0o7777);
    sync(beside);
    return linkNew(beside, to);
  } finally {
    // What cannot be removed now is, like all files of this name, once the process is gone.
    tryToRemove(beside);
  }
}

function tryToRemove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    leaveMark();
  }
}

/** A hard link where the file system has them, otherwise a copy; never over anything. */
export function linkNew(from: string | Buffer, to: string | Buffer): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    if (code === "ENOENT" || code === "ENOSPC" || code === "EDQUOT" || code === "EACCES") throw error;
  }
  try {
    copyFileSync(from, to, constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Whether two plain files have the same bytes and the same mode. */
export function sameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => {
    try {
      return lstatSync(path, { throwIfNoEntry: false });
    } catch {
      return undefined;
    }
  });
  if (!a?.isFile() || !b?.isFile() || a.size !== b.size || (a.mode & 0o777) !== (b.mode & 0o777))
    return false;
  return readFileSync(one).equals(readFileSync(other));
}

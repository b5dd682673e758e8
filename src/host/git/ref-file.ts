// A ref of heddle's own, written as git writes it: one line in a file, under git's own lock and as durable as `core.fsync=all`
// makes it, without a process. Where anything is unusual nothing is written, and git is asked.
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeWithin } from "../files.ts";
import { sync } from "../sync.ts";

/** Whether it was written; `commit` must be there. Only for refs that have no log, outside of `refs/heads`. */
export function writeRef(gitDir: string, ref: string, commit: string): boolean {
  if (existsSync(join(gitDir, "reftable"))) return false;
  const file = join(gitDir, ref);
  const lock = `${file}.lock`;
  let fd: number | undefined;
  try {
    const made = makeWithin(gitDir, dirname(file));
    fd = openSync(lock, "wx", 0o666);
    writeSync(fd, `${commit}\n`);
    fsyncSync(fd);
    renameSync(lock, file);
    for (let folder = dirname(file); ; folder = dirname(folder)) {
      sync(folder);
      // As far up as folders were made.
      if (made === undefined || folder.length < made.length) return true;
    }
  } catch {
    // A lock that was there is somebody else's.
    if (fd !== undefined) rmSync(lock, { force: true });
    return false;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

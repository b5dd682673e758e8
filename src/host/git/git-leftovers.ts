// What heddle's gits leave in a repository when they or heddle are killed: locks, half-written objects, the hold against
// `git gc`. Only what was made since the dead heddle began is taken away, and only while no git works in the repository:
// then whatever is left belongs to nobody.
import { lstatSync, readdirSync, readFileSync, readlinkSync, rmSync, type Stats } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isWithin } from "../program/mounts.ts";

export interface GitFolders {
  readonly gitDir: string;
  /** Of the person's work tree; the same unless that is a linked one. */
  readonly checkoutGitDir: string;
  /** Whether heddle had git write the person's own index, which it does for `commit-task` alone. */
  readonly writesIndex?: boolean;
}

export interface DeadHeddle {
  readonly pid: number;
  /** When it began, in milliseconds. */
  readonly since: number;
}

const patienceMs = 3_000;

/** Whether everything is cleared away; otherwise a git is still at work there, and the next command looks again. */
export async function clearGit(
  { gitDir, checkoutGitDir, writesIndex = false }: GitFolders,
  dead: DeadHeddle,
): Promise<boolean> {
  clearGcHold(gitDir, dead.pid);
  // A git of the dead heddle may have a moment to go on.
  for (const until = Date.now() + patienceMs; ; await sleep(50)) {
    const living = gitProcesses(gitDir);
    if (living === undefined) return true;
    if (living.length === 0) break;
    if (Date.now() > until) return false;
  }
  const isRecent = (stat: Stats) => stat.mtimeMs >= dead.since - 1_000;
  const isLock = (name: string) =>
    name === "HEAD.lock" ||
    name === "packed-refs.lock" ||
    (writesIndex && /^(?:index|next-index-\d+)\.lock$/.test(name));
  for (const folder of new Set([gitDir, checkoutGitDir]))
    for (const name of list(folder).filter(isLock)) removeIf(join(folder, name), isRecent);
  walk(join(gitDir, "refs"), (file) => file.endsWith(".lock") && removeIf(file, isRecent));
  clearObjects(join(gitDir, "objects"), isRecent);
  for (const folder of new Set([gitDir, checkoutGitDir]))
    for (const name of [
      `heddle-land-${dead.pid}`,
      `heddle-landing.${dead.pid}.new`,
      `heddle-landing.${dead.pid}.gone`,
    ])
      removeIf(join(folder, name), () => true);
  return true;
}

/** As `gc.ts` writes it. */
function clearGcHold(gitDir: string, pid: number): void {
  removeIf(join(gitDir, `gc.pid.heddle-${pid}`), () => true);
  try {
    const file = join(gitDir, "gc.pid");
    const [owner, host] = readFileSync(file, "utf8").trim().split(" ");
    if (owner === String(pid) && host === hostname()) rmSync(file, { force: true });
  } catch {
    // There is none.
  }
}

const halfWritten = /^(?:tmp_obj_|tmp_pack_|tmp_idx_|tmp_rev_|\.tmp-)/;

function clearObjects(objects: string, isRecent: (stat: Stats) => boolean): void {
  for (const name of ["", ...list(objects).filter((each) => /^(?:[0-9a-f]{2}|pack)$/.test(each))])
    for (const file of list(join(objects, name)))
      if (halfWritten.test(file)) removeIf(join(objects, name, file), isRecent);
}

function walk(folder: string, each: (file: string) => void): void {
  for (const name of list(folder)) {
    const path = join(folder, name);
    if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) walk(path, each);
    else each(path);
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function removeIf(file: string, holds: (stat: Stats) => boolean): void {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat && holds(stat)) rmSync(file, { force: true, recursive: true });
}

/** Living git processes whose folder or arguments lie in this repository; undefined where that cannot be seen. */
export function gitProcesses(gitDir: string): string[] | undefined {
  try {
    return readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && isGitIn(pid, gitDir));
  } catch {
    return undefined;
  }
}

function isGitIn(pid: string, gitDir: string): boolean {
  try {
    if (!readFileSync(`/proc/${pid}/comm`, "utf8").startsWith("git")) return false;
    // A zombie has ended, and has no folder any more.
    const root = gitDir.replace(/\/\.git$/, "");
    return (
      isWithin(root, readlinkSync(`/proc/${pid}/cwd`)) ||
      readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(root)
    );
  } catch {
    return false;
  }
}

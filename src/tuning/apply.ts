// Changes a skill on the disk. A backup comes first, then new files, and last the one file that is changed, by a rename:
// whenever the process is killed, the skill is the old one or the new one. What was applied can be taken back.
import {
  chmodSync,
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Problem, problem } from "../core/problem.ts";
import { makeFolder, readIfThere, staysInside } from "../host/files.ts";
import type { Change, Fix } from "./fix.ts";

export interface Applied {
  readonly fix_id: string;
  readonly strategy: string;
  readonly success: boolean;
  readonly backup_path: string;
  readonly verification_result: "pending" | "pass" | "fail" | "rolled_back";
  readonly rollback_available: boolean;
  readonly changes_made: readonly string[];
  /** Where the change was put when the skill itself could not be written (S10). */
  readonly alternative?: string;
}

export interface Place {
  /** The skill's folder. */
  readonly folder: string;
  /** Where backups go, and changes that the skill's folder does not take. */
  readonly workDir: string;
}

interface Backup {
  readonly fix: string;
  readonly strategy: string;
  readonly folder: string;
  readonly changes: readonly Change[];
}

const unwritable = new Set(["EACCES", "EPERM", "EROFS"]);

export function applyFix({ folder, workDir }: Place, { id, strategy, changes }: Fix): Applied | Problem {
  const moved = changes.find((change) => !isAsExpected(folder, change));
  if (moved)
    return problem("skill-changed", `\`${join(folder, moved.file)}\` is not what the fix was made for`, {
      hint: "heddle tune looks at it again",
    });
  const kept: Backup = { fix: id, strategy, folder, changes };
  const backup = backupOf(workDir, id);
  makeFolder(backup);
  put(join(backup, "backup.json"), `${JSON.stringify(kept, null, 2)}\n`);
  const applied = asApplied(backup, kept);
  try {
    for (const change of inOrder(changes)) write(folder, change);
    return applied;
  } catch (error) {
    if (!unwritable.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
    const alternative = join(workDir, "alternative", id);
    for (const change of changes) write(alternative, change);
    return {
      ...applied,
      success: false,
      rollback_available: false,
      verification_result: "fail",
      alternative,
    };
  }
}

function backupOf(workDir: string, id: string): string {
  return join(workDir, "backups", `before-${id}`);
}

function asApplied(backup: string, { fix, strategy, changes }: Backup): Applied {
  return {
    fix_id: fix,
    strategy,
    success: true,
    backup_path: backup,
    changes_made: changes.map(({ file }) => file),
    verification_result: "pending",
    rollback_available: true,
  };
}

/** The fix, when its backup says that all of it is in the skill already. */
export function appliedBefore({ folder, workDir }: Place, id: string): Applied | undefined {
  const backup = backupOf(workDir, id);
  const text = readIfThere(join(backup, "backup.json"));
  const kept = text === undefined ? undefined : (JSON.parse(text) as Backup);
  const isThere = kept?.changes.every(({ file, after }) => readIfThere(join(folder, file)) === after);
  return kept && isThere ? asApplied(backup, kept) : undefined;
}

/** New files first: nothing refers to them yet. */
function inOrder(changes: readonly Change[]): Change[] {
  return [...changes].sort((a, b) => Number(a.before !== null) - Number(b.before !== null));
}

/** As it was, or, for a new file, as one that was killed after writing it has left it. */
function isAsExpected(folder: string, { file, before, after }: Change): boolean {
  if (!staysInside(folder, file)) return false;
  const text = readIfThere(join(folder, file)) ?? null;
  return text === before || (before === null && text === after);
}

function write(folder: string, { file, after }: Pick<Change, "file" | "after">): void {
  const path = join(folder, file);
  makeFolder(dirname(path));
  put(path, after);
}

/** As the old file's owner left it, but for the text; on the disk before it counts. */
function put(path: string, text: string): void {
  const [folder, mark] = [dirname(path), `.${basename(path)}.heddle-`];
  for (const name of readdirSync(folder))
    if (name.startsWith(mark) && !isRunning(Number(name.slice(mark.length)))) rmSync(join(folder, name));
  const aside = join(folder, `${mark}${process.pid}`);
  try {
    writeFileSync(aside, text);
    const mode = statSync(path, { throwIfNoEntry: false })?.mode;
    if (mode !== undefined) chmodSync(aside, mode & 0o7777);
    const fd = openSync(aside, "r");
    fsyncSync(fd);
    closeSync(fd);
    renameSync(aside, path);
  } catch (error) {
    rmSync(aside, { force: true });
    throw error;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Puts back what was there before the fix; what somebody has changed since is left alone. */
export function rollBack(applied: Applied): Applied | Problem {
  const text = readIfThere(join(applied.backup_path, "backup.json"));
  if (text === undefined || !applied.rollback_available)
    return problem("no-backup", `\`${applied.fix_id}\` cannot be taken back: there is no backup`, {
      hint: "git diff shows what changed, if the skill is under version control",
    });
  const { folder, changes } = JSON.parse(text) as Backup;
  const moved = changes.find(({ file, after }) => readIfThere(join(folder, file)) !== after);
  if (moved)
    return problem(
      "skill-changed",
      `\`${join(folder, moved.file)}\` has changed since \`${applied.fix_id}\``,
      {
        hint: "what came later is taken back first",
      },
    );
  for (const { file, before } of changes) if (before !== null) write(folder, { file, after: before });
  for (const { file, before } of changes) if (before === null) rmSync(join(folder, file));
  return { ...applied, verification_result: "rolled_back", rollback_available: false };
}

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
import { toCall } from "../../../core/hint.ts";
import { ownRecord } from "../../../core/json.ts";
import { type Problem, problem } from "../../../core/problem.ts";
import { makeFolder, readIfThere, staysInside } from "../../../host/files.ts";
import type { Change, Fix } from "./fix.ts";

export interface Applied {
  readonly fix_id: string;
  readonly strategy: string;
  readonly success: boolean;
  readonly backup_path: string;
  /** `unmeasured`: the finding is gone, and no eval has shown what the agent does now. */
  readonly verification_result: "pending" | "pass" | "unmeasured" | "fail" | "rolled_back";
  /** How the skill's evals went before and after it, in a line. */
  readonly evals?: string;
  readonly rollback_available: boolean;
  readonly changes_made: readonly string[];
  /** Where the change was put when the skill itself could not be written (S10). */
  readonly alternative?: string;
}

export interface SkillFolders {
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

function backupIn(folder: string): Backup | undefined {
  const file = join(folder, "backup.json");
  return ownRecord<Backup>(file, readIfThere(file));
}

const unwritable = new Set(["EACCES", "EPERM", "EROFS"]);

export function applyFix(
  { folder, workDir }: SkillFolders,
  { id, strategy, changes }: Fix,
): Applied | Problem {
  const moved = changes.find((change) => !isAsExpected(folder, change));
  if (moved)
    return problem("skill-changed", `\`${join(folder, moved.file)}\` is not what the fix was made for`, {
      hint: [toCall("tune"), " looks at it again"],
    });
  const kept: Backup = { fix: id, strategy, folder, changes };
  const backup = backupOf(workDir, id);
  makeFolder(backup);
  put(join(backup, "backup.json"), `${JSON.stringify(kept, null, 2)}\n`, backup);
  const applied = asApplied(backup, kept);
  try {
    for (const change of inOrder(changes)) write(folder, change, backup);
    return applied;
  } catch (error) {
    if (!unwritable.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
    const alternative = join(workDir, "alternative", id);
    for (const change of changes) write(alternative, change, backup);
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
export function appliedBefore({ folder, workDir }: SkillFolders, id: string): Applied | undefined {
  const backup = backupOf(workDir, id);
  const kept = backupIn(backup);
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

function write(folder: string, { file, after }: Pick<Change, "file" | "after">, ours: string): void {
  const path = join(folder, file);
  makeFolder(dirname(path));
  put(path, after, ours);
}

/**
 * As the old file's owner left it, but for the text; on the disk before it counts. On its way it is in `ours`, where
 * whoever comes after a kill clears it away, or, when that is on another disk, beside its place.
 */
function put(path: string, text: string, ours: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  const aside = join(ours, `put.${process.pid}.new`);
  try {
    writeDurably(aside, text, mode);
    renameSync(aside, path);
  } catch (error) {
    rmSync(aside, { force: true });
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    putBeside(path, text, mode);
  }
}

function writeDurably(file: string, text: string, mode: number | undefined): void {
  writeFileSync(file, text);
  if (mode !== undefined) chmodSync(file, mode & 0o7777);
  const fd = openSync(file, "r");
  fsyncSync(fd);
  closeSync(fd);
}

function putBeside(path: string, text: string, mode: number | undefined): void {
  const [folder, mark] = [dirname(path), `.${basename(path)}.heddle-`];
  for (const name of readdirSync(folder))
    if (name.startsWith(mark) && !isRunning(Number(name.slice(mark.length)))) rmSync(join(folder, name));
  const aside = join(folder, `${mark}${process.pid}`);
  try {
    writeDurably(aside, text, mode);
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
  const kept = backupIn(applied.backup_path);
  if (kept === undefined || !applied.rollback_available)
    return problem("no-backup", `\`${applied.fix_id}\` cannot be taken back: there is no backup`, {
      hint: "git diff shows what changed, if the skill is under version control",
    });
  const { folder, changes } = kept;
  // What is as before was put back by somebody who was killed before the rest, or before it was recorded.
  const isBack = ({ file, before }: Change) => (readIfThere(join(folder, file)) ?? null) === before;
  const moved = changes.find(
    (change) => readIfThere(join(folder, change.file)) !== change.after && !isBack(change),
  );
  if (moved)
    return problem(
      "skill-changed",
      `\`${join(folder, moved.file)}\` has changed since \`${applied.fix_id}\``,
      {
        hint: "what came later is taken back first",
      },
    );
  const open = changes.filter((change) => !isBack(change));
  for (const { file, before } of open)
    if (before !== null) write(folder, { file, after: before }, applied.backup_path);
  for (const { file, before } of open) if (before === null) rmSync(join(folder, file), { force: true });
  return { ...applied, verification_result: "rolled_back", rollback_available: false };
}

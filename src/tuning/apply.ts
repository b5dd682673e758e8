// Changes a skill on the disk. A backup comes first, then new files, and last the one file that is changed, by a rename:
// whenever the process is killed, the skill is the old one or the new one. What was applied can be taken back.
import {
  chmodSync,
  closeSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { type Problem, problem } from "../core/problem.ts";
import { isThere, makeFolder, readIfThere, staysInside } from "../host/files.ts";
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
  readonly folder: string;
  readonly changes: readonly { readonly file: string; readonly before: string | null }[];
}

const unwritable = new Set(["EACCES", "EPERM", "EROFS"]);

export function applyFix({ folder, workDir }: Place, { id, strategy, changes }: Fix): Applied | Problem {
  const moved = changes.find((change) => !isAsExpected(folder, change));
  if (moved)
    return problem("skill-changed", `\`${join(folder, moved.file)}\` is not what the fix was made for`, {
      hint: "heddle tune looks at it again",
    });
  const backup = join(workDir, "backups", `before-${id}`);
  makeFolder(backup);
  const kept: Backup = { fix: id, folder, changes: changes.map(({ file, before }) => ({ file, before })) };
  put(join(backup, "backup.json"), `${JSON.stringify(kept, null, 2)}\n`);
  const applied = {
    fix_id: id,
    strategy,
    backup_path: backup,
    changes_made: changes.map(({ file }) => file),
    verification_result: "pending",
    rollback_available: true,
  } as const;
  try {
    for (const change of inOrder(changes)) write(folder, change);
    return { ...applied, success: true };
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

/** New files first: nothing refers to them yet. */
function inOrder(changes: readonly Change[]): Change[] {
  return [...changes].sort((a, b) => Number(a.before !== null) - Number(b.before !== null));
}

function isAsExpected(folder: string, { file, before }: Change): boolean {
  return staysInside(folder, file) && (readIfThere(join(folder, file)) ?? null) === before;
}

function write(folder: string, { file, after }: Pick<Change, "file" | "after">): void {
  const path = join(folder, file);
  makeFolder(dirname(path));
  put(path, after);
}

/** As the old file's owner left it, but for the text; on the disk before it counts. */
function put(path: string, text: string): void {
  const aside = `${path}.${process.pid}.new`;
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

/** Puts back what was there before the fix. */
export function rollBack(applied: Applied): Applied {
  const text = readIfThere(join(applied.backup_path, "backup.json"));
  if (text === undefined) return applied;
  const { folder, changes } = JSON.parse(text) as Backup;
  for (const { file, before } of changes.filter((change) => change.before !== null))
    write(folder, { file, after: before ?? "" });
  for (const { file } of changes.filter((change) => change.before === null))
    if (isThere(join(folder, file))) rmSync(join(folder, file));
  return { ...applied, verification_result: "rolled_back", rollback_available: false };
}

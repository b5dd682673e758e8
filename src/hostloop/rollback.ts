// `prepare-rollback` and `verify-rollback`: checksums of files before a host's attempt, compared after its undoing.
import { join } from "node:path";
import { find, isProblem } from "../core/answer.ts";
import { toCall } from "../core/hint.ts";
import { type Problem, problem } from "../core/problem.ts";
import type { Json, Task } from "../core/run.ts";
import { type App, Refused } from "../engine/app.ts";
import { wallClock } from "../host/clock.ts";
import { fileDigest } from "../host/digest.ts";
import { attemptOf, keepMore } from "./attempt-files.ts";

interface Rollback {
  readonly task_id: string;
  readonly prepared_at: string;
  readonly target_dir: string;
  readonly file_checksums: Readonly<Record<string, string>>;
  readonly file_existed: Readonly<Record<string, boolean>>;
}

export async function prepare(app: App, id: string, files: readonly string[]): Promise<number> {
  const { targetDir } = await known(app, id);
  const digests = files.map((file) => [file, fileDigest(join(targetDir, file))] as const);
  const rollback: Rollback = {
    task_id: id,
    prepared_at: wallClock(),
    target_dir: targetDir,
    file_checksums: Object.fromEntries(digests.map(([file, digest]) => [file, digest ?? ""])),
    file_existed: Object.fromEntries(digests.map(([file, digest]) => [file, digest !== null])),
  };
  const input = { kind: "prepare-rollback", task: id, rollback: rollback as unknown as Json } as const;
  await app.submitWith(input, {
    look: (run) => {
      const task = run.tasks.get(id);
      return task && attemptOf(run, task);
    },
    work: (attempt) => (attempt ? keepMore(app, attempt, files) : []),
  });
  return files.length;
}

export async function verify(
  app: App,
  id: string,
  { created, modified }: { created: readonly string[]; modified: readonly string[] },
): Promise<void> {
  const { task, targetDir } = await known(app, id);
  const rollback = task.rollback as unknown as Rollback | null;
  if (!rollback?.file_checksums)
    throw new Refused([
      problem("no-rollback", `no rollback was prepared for task \`${id}\``, {
        hint: toCall(`state prepare-rollback ${id} <files>`),
      }),
    ]);
  const problems = [
    ...created
      .filter((file) => fileDigest(join(targetDir, file)) !== null && !rollback.file_existed[file])
      .map((file) => stillThere(targetDir, file)),
    ...[...new Set([...modified, ...Object.keys(rollback.file_checksums)])].flatMap((file) =>
      changed(rollback, file),
    ),
  ];
  const unique = [...new Map(problems.map((each) => [each.message, each])).values()];
  const issues = unique.map((each) => each.message);
  await app.submit({ kind: "verify-rollback", task: id, success: issues.length === 0, issues });
  if (unique.length > 0) throw new Refused(unique);
}

const stillThere = (target: string, file: string) =>
  problem("still-there", `\`${file}\` was created by the task and is still there`, {
    hint: `rm ${join(target, file)}`,
  });

function changed(rollback: Rollback, file: string): Problem[] {
  const before = rollback.file_checksums[file];
  if (before === undefined)
    return [
      problem("unprepared", `\`${file}\` was not part of the prepared rollback`, {
        hint: toCall(`state prepare-rollback ${rollback.task_id} ${file}`),
      }),
    ];
  const now = fileDigest(join(rollback.target_dir, file));
  if ((now ?? "") === before) return [];
  if (now === null) return [problem("missing", `\`${file}\` was there before the task and is missing`)];
  if (!rollback.file_existed[file])
    return [problem("extra", `\`${file}\` was not there before the task and should not exist`)];
  return [problem("differs", `\`${file}\` differs from what it was before the task`)];
}

function known(app: App, id: string): Promise<{ task: Task; targetDir: string }> {
  return app.look((run) => {
    const task = find(run, id);
    if (isProblem(task)) throw new Refused([task]);
    return { task: structuredClone(task), targetDir: run.targetDir };
  });
}

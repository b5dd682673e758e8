// The files around a host's attempt: its declared files are copied when it starts and put back when it fails, and
// a result file of an earlier attempt is moved out of the way, so that one that is there belongs to this attempt.
import { join } from "node:path";
import type { Input } from "../core/input.ts";
import type { Problem } from "../core/problem.ts";
import { type Run, type Task, type TaskId, taskOf } from "../core/run.ts";
import { statusOf } from "../core/task.ts";
import { keepCopies, putBack } from "../host/copies.ts";
import { isThere, makeFolder, rename } from "../host/files.ts";
import type { Committed } from "../journal/journal.ts";
import type { App } from "./app.ts";

export async function startTask(app: App, input: Extract<Input, { kind: "start" }>): Promise<Committed> {
  return app.submitWith(input, (run) => {
    const task = taskOf(run, input.task);
    const paths = task.def.files.map((file) => file.path);
    const problems =
      paths.length > 0
        ? keepCopies(
            run.targetDir,
            folderOf(app, run, { id: task.def.id, attempt: task.attempts + 1 }),
            paths,
          )
        : [];
    if (problems.length === 0) putResultAside(app, run, task);
    return problems;
  });
}

/** What was done to undo an attempt. */
export interface Undone {
  readonly restored: readonly string[];
  readonly deleted: readonly string[];
}

export interface Failed extends Undone {
  readonly blocked: number;
}

export async function failTask(
  app: App,
  input: Extract<Input, { kind: "fail" }>,
  { keep }: { keep: boolean },
): Promise<Failed> {
  let undone: Undone = { restored: [], deleted: [] };
  await app.submitWith(input, (run) => {
    if (keep) return [];
    const { problems, ...done } = undo(app, run, input.task);
    undone = done;
    return problems;
  });
  const blocked = await app.look((run) => blockedBy(run, input.task));
  return { ...undone, blocked };
}

/** A task that a lost host left running is undone as if it had failed; one that failed was undone then. */
export async function retryTask(
  app: App,
  input: Extract<Input, { kind: "retry" }>,
  { keep }: { keep: boolean },
): Promise<Undone & { readonly retried: readonly TaskId[] }> {
  let undone: Undone = { restored: [], deleted: [] };
  const { entries } = await app.submitWith(input, (run) => {
    if (keep || taskOf(run, input.task).state !== "running") return [];
    const { problems, ...done } = undo(app, run, input.task);
    undone = done;
    return problems;
  });
  const retried = entries.flatMap(({ fact }) => (fact.kind === "task-retried" ? [fact.task] : []));
  return { ...undone, retried };
}

/** Puts back what the present attempt of a task found when it started. */
export function undo(app: App, run: Run, id: TaskId): ReturnType<typeof putBack> {
  return putBack(run.targetDir, folderOf(app, run, { id, attempt: taskOf(run, id).attempts }));
}

/** How many tasks wait for this one, at any distance, and are blocked. */
function blockedBy(run: Run, id: TaskId): number {
  const seen = new Set<TaskId>();
  const open = [...taskOf(run, id).dependents];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const task = taskOf(run, next);
    if (seen.has(next) || statusOf(task) !== "blocked") continue;
    seen.add(next);
    open.push(...task.dependents);
  }
  return seen.size;
}

/** Adds files to what is put back when the present attempt fails. */
export function keepMore(
  app: App,
  run: Run,
  { task, paths }: { task: Task; paths: readonly string[] },
): Problem[] {
  return keepCopies(run.targetDir, folderOf(app, run, { id: task.def.id, attempt: task.attempts }), paths);
}

function folderOf(app: App, run: Run, { id, attempt }: { id: TaskId; attempt: number }): string {
  return join(app.paths.heddle, "rollback", run.id, `${id}-${attempt}`);
}

export function resultFile(run: Pick<Run, "planningDir">, id: TaskId): string {
  return join(run.planningDir, "bundles", `${id}-result.json`);
}

function putResultAside(app: App, run: Run, task: Task): void {
  const file = resultFile(run, task.def.id);
  if (!isThere(file)) return;
  const folder = join(app.paths.heddle, "results", run.id);
  makeFolder(folder);
  rename(file, join(folder, `${task.def.id}-${task.attempts}.json`));
}

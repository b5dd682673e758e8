// The files around a host's attempt: its declared files are copied when it starts and put back when it fails, and
// a result file of an earlier attempt is moved out of the way, so that one that is there belongs to this attempt.
import { join } from "node:path";
import type { Input } from "../core/input.ts";
import type { Problem } from "../core/problem.ts";
import { type Run, type Task, type TaskId, taskOf } from "../core/run.ts";
import { statusOf } from "../core/task.ts";
import type { App } from "../engine/app.ts";
import { holderOf } from "../engine/hold.ts";
import { ownFolders } from "../engine/paths.ts";
import { type Copies, keepCopies, type PutBack, putBack } from "../host/copies.ts";
import { isThere, makeFolder, rename } from "../host/files.ts";
import { note } from "../host/notes.ts";
import type { Committed } from "../journal/journal.ts";
import { resultFile } from "../work/task-files.ts";

export async function startTask(app: App, input: Extract<Input, { kind: "start" }>): Promise<Committed> {
  return app.submitWith(input, {
    look: (run) => {
      const task = taskOf(run, input.task);
      const paths = task.def.files.map((file) => file.path);
      return { before: attemptOf(run, task), paths, result: resultFile(run, task.def.id) };
    },
    work: ({ before, paths, result }) => {
      const copies = copiesOf(app, { ...before, attempt: before.attempt + 1 });
      const problems = paths.length > 0 ? keepCopies(copies, paths) : [];
      if (problems.length === 0) putResultAside(app, before, result);
      return problems;
    },
  });
}

/** What was done to undo an attempt. */
export interface Undone {
  readonly restored: readonly string[];
  readonly deleted: readonly string[];
  /** Declared folders that were too large to be copied at the start. */
  readonly left: readonly string[];
  /** Where everything is that was taken away or replaced; it may be a person's. */
  readonly aside: string | null;
}

const nothingUndone: Undone = { restored: [], deleted: [], left: [], aside: null };

export interface Failed extends Undone {
  readonly blocked: number;
}

export async function failTask(
  app: App,
  input: Extract<Input, { kind: "fail" }>,
  { keep }: { keep: boolean },
): Promise<Failed> {
  let undone = nothingUndone;
  await app.submitWith(input, {
    look: (run) => (keep ? undefined : attemptOf(run, taskOf(run, input.task))),
    work: (attempt) => {
      if (!attempt) return [];
      const { problems, ...done } = undo(app, attempt);
      undone = done;
      return problems;
    },
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
  let undone = nothingUndone;
  const epoch = await app.look((run) => run.epoch);
  const gone = (await holderOf(app)) ? null : epoch;
  const { entries } = await app.submitWith(
    { ...input, gone },
    {
      look: (run) => {
        const task = taskOf(run, input.task);
        const isUndone = !keep && task.state === "running" && task.attempt?.driver === "host";
        return isUndone ? attemptOf(run, task) : undefined;
      },
      work: (attempt) => {
        if (!attempt) return [];
        const { problems, ...done } = undo(app, attempt);
        undone = done;
        return problems;
      },
    },
  );
  const retried = entries.flatMap(({ fact }) => (fact.kind === "task-retried" ? [fact.task] : []));
  return { ...undone, retried };
}

/** Puts back what the present attempt of a task found when it started. */
export function undo(app: App, attempt: HostAttempt): PutBack {
  const [copies, aside] = [copiesOf(app, attempt), asideOf(app, attempt)];
  const release = note(app.paths.heddle, "rollback", { copies, aside });
  try {
    return putBack(copies, aside);
  } finally {
    release();
  }
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
export function keepMore(app: App, attempt: HostAttempt, paths: readonly string[]): Problem[] {
  return keepCopies(copiesOf(app, attempt), paths);
}

/** What the files of an attempt are found by. */
export interface HostAttempt {
  readonly run: string;
  readonly target: string;
  readonly id: TaskId;
  readonly attempt: number;
}

/** The present attempt of a task. */
export const attemptOf = ({ id: run, targetDir: target }: Run, { def, attempts }: Task): HostAttempt => ({
  ...{ run, target, id: def.id, attempt: attempts },
});

function copiesOf({ paths }: App, { run, target, id, attempt }: HostAttempt): Copies {
  const folder = join(paths.heddle, "rollback", run, `${id}-${attempt}`);
  return { target, folder, skip: ownFolders(paths) };
}

function asideOf({ paths }: App, { run, id, attempt }: HostAttempt): string {
  return join(paths.heddle, "taken-away", run, `${id}-${attempt}`);
}

function putResultAside(app: App, { run, id, attempt }: HostAttempt, file: string): void {
  if (!isThere(file)) return;
  const folder = join(app.paths.heddle, "results", run);
  makeFolder(folder);
  rename(file, join(folder, `${id}-${attempt}.json`));
}

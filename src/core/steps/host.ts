// What a host that drives the loop itself records: usage, verification, calibration, rollback, commits, batches.

import { accept, find, isProblem, refuse, type Step, type Steps, unknownTask } from "../answer.ts";
import { spentOf } from "../bounds.ts";
import type { Fact } from "../fact.ts";
import type { InputOf, Result } from "../input.ts";
import { problem } from "../problem.ts";
import type { Run, Task, TaskId } from "../run.ts";
import type { Checkpoint } from "../run-parts.ts";

export const hostSteps: Steps<
  | "record-verification"
  | "record-calibration"
  | "prepare-rollback"
  | "verify-rollback"
  | "record-commit"
  | "record-usage"
  | "checkpoint-create"
  | "checkpoint-update"
  | "checkpoint-complete"
  | "checkpoint-recover"
  | "checkpoint-clear"
> = {
  "record-verification": (run, { kind: _, runMs: _ms, ...rest }) =>
    about(run, rest.task, () => accept({ kind: "verification-recorded", ...rest })),
  "record-calibration": (run, { task, outcome, notes }) =>
    about(run, task, ({ verification }) =>
      verification
        ? accept({ kind: "calibration-recorded", task, outcome, notes })
        : refuse(
            problem("not-verified", `task \`${task}\` has no verification to compare with`, {
              hint: { do: "confirm-verification", task },
            }),
          ),
    ),
  "prepare-rollback": (run, { task, rollback }) =>
    about(run, task, () => accept({ kind: "rollback-prepared", task, rollback })),
  "verify-rollback": (run, { task, success, issues }) =>
    about(run, task, () => accept({ kind: "rollback-verified", task, success, issues })),
  "record-commit": (run, { task, files, commit }) =>
    about(run, task, () => accept({ kind: "task-committed", task, files, commit })),
  "record-usage": (run, { task, ...used }) => {
    const record = () => accept({ kind: "usage-recorded", task, phase: run.phase, ...spentOf(used) });
    return task === null ? record() : about(run, task, record);
  },
  "checkpoint-create": createCheckpoint,
  "checkpoint-update": updateCheckpoint,
  "checkpoint-complete": (run, { now }) =>
    withCheckpoint(run, (checkpoint) =>
      accept(set({ ...checkpoint, status: "completed", completedAt: now })),
    ),
  "checkpoint-recover": recover,
  "checkpoint-clear": (run) => (run.checkpoint ? accept(set(null)) : accept()),
};

const set = (checkpoint: Checkpoint | null): Fact => ({ kind: "checkpoint-set", checkpoint });

function about(run: Run, id: TaskId, answer: (task: Task) => Step): Step {
  const task = find(run, id);
  return isProblem(task) ? refuse(task) : answer(task);
}

function withCheckpoint(run: Run, answer: (checkpoint: Checkpoint) => Step): Step {
  if (run.checkpoint) return answer(run.checkpoint);
  return refuse(
    problem("no-checkpoint", "there is no checkpoint", { hint: { do: "checkpoint", action: "create" } }),
  );
}

function createCheckpoint(run: Run, { tasks, batch, now }: InputOf<"checkpoint-create">): Step {
  const unknown = tasks.filter((id) => !run.tasks.get(id));
  if (unknown.length > 0) return refuse(...unknown.map((id) => unknownTask(run, id)));
  const { checkpoint } = run;
  const underway = (checkpoint?.status === "active" ? checkpoint.pending : []).filter(
    (id) => !tasks.includes(id) && run.tasks.get(id)?.state === "running",
  );
  if (checkpoint && underway.length > 0)
    return refuse(
      problem("checkpoint-active", `batch \`${checkpoint.batch}\` still waits for ${underway.join(", ")}`, {
        hint: [{ do: "checkpoint", action: "recover" }, ", or: ", { do: "checkpoint", action: "clear" }],
      }),
    );
  const spawned = [...new Set(tasks)];
  return accept(
    set({
      batch,
      spawnedAt: now,
      status: "active",
      spawned,
      pending: spawned,
      completed: [],
      failed: [],
      heartbeatAt: now,
      completedAt: null,
      recovery: null,
    }),
  );
}

function updateCheckpoint(run: Run, { task, status, now }: InputOf<"checkpoint-update">): Step {
  return withCheckpoint(run, (checkpoint) =>
    checkpoint.spawned.includes(task)
      ? accept(set(moved(checkpoint, { task, status, now })))
      : refuse(
          problem("not-in-batch", `task \`${task}\` is not in batch \`${checkpoint.batch}\``, {
            hint: `its tasks are ${checkpoint.spawned.join(", ")}`,
          }),
        ),
  );
}

/** A task stands in one list only. */
function moved(
  from: Checkpoint,
  { task, status, now }: { task: TaskId; status: string; now: string },
): Checkpoint {
  const without = (ids: readonly TaskId[]) => ids.filter((id) => id !== task);
  return {
    ...from,
    pending: without(from.pending),
    completed: status === "success" ? [...without(from.completed), task] : without(from.completed),
    failed: status === "failed" ? [...without(from.failed), task] : without(from.failed),
    heartbeatAt: now,
  };
}

/** Result files are taken over as claims (X20); what is still running without one is an orphan. Repeatable. */
function recover(run: Run, { results, now }: InputOf<"checkpoint-recover">): Step {
  if (!run.checkpoint) return accept();
  return withCheckpoint(run, (checkpoint) => {
    const facts: Fact[] = [];
    let after = checkpoint;
    const recovered: TaskId[] = [];
    for (const id of checkpoint.pending) {
      const task = run.tasks.get(id);
      const result = results[id];
      if (!task || !result || isLate(task, result)) continue;
      recovered.push(id);
      after = moved(after, { task: id, status: result.status, now });
      if (isClaim(task, result)) facts.push(claim(task, result));
    }
    const orphans = after.pending.filter((id) => run.tasks.get(id)?.state === "running");
    if (recovered.length === 0 && checkpoint.recovery !== null) return accept();
    const recovery = {
      recovered_at: now,
      recovered_tasks: recovered,
      orphaned_tasks: orphans,
      previous_batch_id: checkpoint.batch,
    };
    return accept(...facts, set({ ...after, recovery }));
  });
}

/** Another attempt was started after the file was found: what it says is not about this one (X17). */
const isLate = (task: Task, { attempt }: Result) => attempt !== undefined && attempt !== task.attempts;

/** Whether a result ends the attempt that runs now, rather than being acknowledged after the fact. */
export function isClaim(task: Task, result: Result): boolean {
  return task.state === "running" && task.attempt?.driver === "host" && !isLate(task, result);
}

function claim(task: Task, result: Result): Fact {
  const { id } = task.def;
  if (result.status === "success") {
    const { created, modified } = result;
    return { kind: "task-completed", task: id, attempt: task.attempts, created, modified, done: "claimed" };
  }
  const { error, category, subcategory, retryable } = result;
  return { kind: "task-failed", task: id, attempt: task.attempts, error, category, subcategory, retryable };
}

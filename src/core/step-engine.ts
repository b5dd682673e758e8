// What an orchestrator submits: its claim to a run, the passing of time, and how its effects ended.
import { accept, refuse, type Step, type Steps } from "./answer.ts";
import { attemptKey, effectOfJob, taskOfKey } from "./effect.ts";
import type { Fact } from "./fact.ts";
import type { InputOf, Outcome } from "./input.ts";
import { backoffMs, mayRetry, stageLimitMs } from "./policy.ts";
import { problem } from "./problem.ts";
import type { Failure, Run, Task } from "./run.ts";
import { jobEnded } from "./step-job.ts";

export const engineSteps: Steps<"claim" | "release" | "drive" | "tick" | "effect-ended"> = {
  claim: (run, { holder, alive, force }) => {
    if (run.holder && alive && !force)
      return refuse(
        problem(
          "held",
          `run \`${run.id}\` is orchestrated by process ${run.holder.pid} on ${run.holder.host}`,
          {
            hint: "heddle status --watch follows it",
          },
        ),
      );
    return accept({ kind: "epoch-claimed", epoch: run.epoch + 1, holder });
  },
  release: (run, { epoch, runMs = run.runMs }) =>
    epoch === run.epoch && run.holder ? accept({ kind: "epoch-released", epoch, runMs }) : accept(),
  drive: (run, { slots, until = null }) =>
    run.slots === slots && run.until === until ? accept() : accept({ kind: "slots-set", slots, until }),
  tick: () => accept(),
  "effect-ended": effectEnded,
};

function effectEnded(run: Run, input: InputOf<"effect-ended">): Step {
  const { key, outcome, runMs = run.runMs } = input;
  if (run.job && effectOfJob(run, run.job).key === key) return jobEnded(run, run.job, { outcome, runMs });
  const id = taskOfKey(key);
  const task = id === undefined ? undefined : run.tasks.get(id);
  if (!task || attemptKey(run, task) !== key)
    return refuse(problem("late", `\`${key}\` is no longer wanted: its answer changes nothing`));
  const cost = spent(run, task, outcome);
  if (!outcome.ok) return accept(...cost, failed(run, task, { ...outcome, runMs }));
  const { created = [], modified = [] } = outcome;
  const attempt = task.attempts;
  if (task.attempt?.stage === "working") {
    const dueMs = runMs + stageLimitMs(run.policy, "checking");
    return accept(...cost, {
      kind: "stage-entered",
      task: task.def.id,
      attempt,
      stage: "checking",
      runMs,
      dueMs,
    });
  }
  return accept(...cost, {
    kind: "task-completed",
    task: task.def.id,
    attempt,
    created,
    modified,
    done: "verified",
  });
}

function spent(run: Run, task: Task, { usage }: Outcome): Fact[] {
  return usage ? [{ kind: "usage-recorded", task: task.def.id, phase: run.phase, ...usage }] : [];
}

/** A failed attempt costs a try, not the task, until the tries are used up (X11). */
export function failed(run: Run, task: Task, failure: Failure & { readonly runMs: number }): Fact {
  const { error, category, subcategory, retryable, runMs } = failure;
  const what = { task: task.def.id, attempt: task.attempts, error, category, subcategory, retryable };
  if (!mayRetry(run, task, retryable)) return { kind: "task-failed", ...what };
  return { kind: "attempt-failed", ...what, runMs, notBeforeMs: runMs + backoffMs(run.policy, task.tries) };
}

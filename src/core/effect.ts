// Effects: what the world should be doing now. They follow from the state (`next.ts`), never from an event.
import type { Job, JobStage } from "./parts.ts";
import type { Run, Stage, Task, TaskId } from "./run.ts";

export type Effect =
  | { readonly kind: "run-role"; readonly key: string; readonly job: Job }
  | { readonly kind: "repair-output"; readonly key: string; readonly job: Job }
  | { readonly kind: "check-output"; readonly key: string; readonly job: Job }
  | { readonly kind: "run-agent"; readonly key: string; readonly task: TaskId; readonly attempt: number }
  | { readonly kind: "run-checks"; readonly key: string; readonly task: TaskId; readonly attempt: number }
  | { readonly kind: "ask-question"; readonly key: string; readonly question: string }
  | { readonly kind: "write-view"; readonly key: string; readonly position: number }
  | { readonly kind: "write-log"; readonly key: string; readonly position: number };

export const stageEffect: { readonly [S in Stage]: "run-agent" | "run-checks" } = {
  working: "run-agent",
  checking: "run-checks",
};

const jobEffect: { readonly [S in JobStage]: "run-role" | "repair-output" | "check-output" } = {
  working: "run-role",
  repairing: "repair-output",
  checking: "check-output",
};

export function effectOfJob(run: Run, job: Job): Extract<Effect, { job: Job }> {
  const kind = jobEffect[job.stage];
  return { kind, key: `${kind}:${job.role}#${job.attempt}${job.repaired ? "+" : ""}@${run.epoch}`, job };
}

/**
 * The fence. A key names the task, its attempt and the orchestrator's epoch; an answer whose key is not among
 * the run's present effects comes too late and changes nothing (X17).
 */
export function attemptKey(run: Run, task: Task): string | undefined {
  if (task.attempt?.driver !== "engine") return undefined;
  return `${stageEffect[task.attempt.stage]}:${task.def.id}#${task.attempt.number}@${run.epoch}`;
}

export function taskOfKey(key: string): TaskId | undefined {
  return /^run-(?:agent|checks):(.+)#\d+@\d+$/.exec(key)?.[1];
}

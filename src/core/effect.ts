// Effects: what the world should be doing now. They follow from the state (`next.ts`), never from an event.
import type { Candidate, Job, JobStage } from "./parts.ts";
import { placeInQueue } from "./queue.ts";
import type { Run, Stage, Task, TaskId } from "./run.ts";

type OfAttempt<Kind extends string> = {
  readonly kind: Kind;
  readonly key: string;
  readonly task: TaskId;
  readonly attempt: number;
};

export type Effect =
  | { readonly kind: "run-role"; readonly key: string; readonly job: Job }
  | { readonly kind: "repair-output"; readonly key: string; readonly job: Job }
  | { readonly kind: "check-output"; readonly key: string; readonly job: Job }
  | AttemptEffect
  | { readonly kind: "ask-question"; readonly key: string; readonly question: string }
  | { readonly kind: "write-view"; readonly key: string; readonly position: number }
  | { readonly kind: "write-log"; readonly key: string; readonly position: number };

export type AttemptEffect =
  | OfAttempt<"prepare-workspace">
  | OfAttempt<"run-agent">
  | OfAttempt<"repair-result">
  | OfAttempt<"run-checks">
  | OfAttempt<"review-work">
  /** Puts the work onto `onto`. `earlier` was prepared before, and may have been merged by one who died since. */
  | (OfAttempt<"prepare-merge"> & { readonly onto: string; readonly earlier: string | null })
  | (OfAttempt<"check-merge"> & { readonly candidate: Candidate })
  | (OfAttempt<"move-branch"> & { readonly candidate: Candidate });

const stageEffect = {
  preparing: "prepare-workspace",
  working: "run-agent",
  repairing: "repair-result",
  checking: "run-checks",
  reviewing: "review-work",
} as const satisfies Partial<Record<Stage, AttemptEffect["kind"]>>;

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
 * What an attempt of heddle's own needs now; nothing while it waits in the queue for those before it. The key is the
 * fence: it names the task, its attempt and the orchestrator's epoch, and an answer whose key is not among the run's
 * present effects comes too late and changes nothing (X17).
 */
export function effectOfAttempt(run: Run, task: Task): AttemptEffect | undefined {
  const { attempt, def } = task;
  if (attempt?.driver !== "engine") return undefined;
  const about = { task: def.id, attempt: attempt.number };
  const key = (kind: string, of = "") => `${kind}:${def.id}#${attempt.number}@${run.epoch}${of}`;
  if (attempt.stage !== "integrating") {
    const kind = stageEffect[attempt.stage];
    return { kind, key: key(kind), ...about };
  }
  const place = placeInQueue(run, task);
  switch (place.needs) {
    case "merge": {
      const { onto } = place;
      const earlier = attempt.candidate?.commit ?? null;
      return { kind: "prepare-merge", key: key("prepare-merge", `+${onto}`), ...about, onto, earlier };
    }
    case "check":
    case "branch": {
      const kind = place.needs === "check" ? "check-merge" : "move-branch";
      const { candidate } = place;
      return { kind, key: key(kind, `+${candidate.commit}`), ...about, candidate };
    }
    case "nothing":
      return undefined;
  }
}

export function taskOfKey(key: string): TaskId | undefined {
  return /^[a-z-]+:(.+)#\d+@\d+(?:\+\S+)?$/.exec(key)?.[1];
}

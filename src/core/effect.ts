// Effects: what the world should be doing now. They follow from the state (`next.ts`), never from an event.
import type { MachineState } from "./machines/fleet.ts";
import { placeInQueue } from "./queue.ts";
import type { Run, Stage, Task, TaskId } from "./run.ts";
import type { Candidate, Job, JobStage } from "./run-parts.ts";

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
  /** Sets up `commit`, and runs the project's own tests and every acceptance command there. */
  | {
      readonly kind: "check-baseline";
      readonly key: string;
      readonly commit: string;
      readonly number: number;
    }
  /** Asks a machine whether it is there and fit for work. */
  | { readonly kind: "ask-machine"; readonly key: string; readonly machine: string }
  | { readonly kind: "write-view"; readonly key: string; readonly position: number };

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
  const of = `${job.repaired ? "+" : ""}${timesHeld(job)}`;
  return { kind, key: `${kind}:${job.role}#${job.attempt}${of}@${run.epoch}`, job };
}

const timesHeld = ({ holds = 0 }: { readonly holds?: number }) => (holds === 0 ? "" : `~${holds}`);

/**
 * What an attempt of heddle's own needs now; nothing while it waits in the queue for those before it. The key is the
 * fence: it names the task, its attempt and the orchestrator's epoch, and an answer whose key is not among the run's
 * present effects comes too late and changes nothing (X17).
 */
export function effectOfAttempt(run: Run, task: Task): AttemptEffect | undefined {
  const { attempt, def } = task;
  if (attempt?.driver !== "engine" || attempt.held) return undefined;
  const about = { task: def.id, attempt: attempt.number };
  const number = `${attempt.number}${timesHeld(attempt)}`;
  const key = (kind: string, of = "") => `${kind}:${def.id}#${number}@${run.epoch}${of}`;
  if (attempt.stage !== "integrating") {
    const kind = stageEffect[attempt.stage];
    return { kind, key: key(kind), ...about };
  }
  const place = placeInQueue(run, task);
  switch (place.needs) {
    case "merge": {
      const { onto } = place;
      const earlier = attempt.candidate?.commit ?? null;
      // The branch may come back to a tip: what was prepared meanwhile tells the second time from the first.
      const of = earlier === null ? `+${onto}` : `+${onto}-${earlier}`;
      return { kind: "prepare-merge", key: key("prepare-merge", of), ...about, onto, earlier };
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

export function effectOfMachine(run: Run, { name, asked, standing }: MachineState): Effect | undefined {
  if (standing !== "asking") return undefined;
  return { kind: "ask-machine", key: `ask-machine:${name}#${asked}@${run.epoch}`, machine: name };
}

export function taskOfKey(key: string): TaskId | undefined {
  return /^[a-z-]+:(.+)#\d+(?:~\d+)?@\d+(?:\+\S+)?$/.exec(key)?.[1];
}

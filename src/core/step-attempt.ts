// How an attempt of heddle's own goes on: prepare → work → (repair) → check → (review) → integrate. Written once, for
// every protocol; each answer of an effect moves it one stage further, or costs a try.
import { accept, type Step } from "./answer.ts";
import { type AttemptEffect, effectOfAttempt } from "./effect.ts";
import type { Fact } from "./fact.ts";
import type { Outcome } from "./input.ts";
import type { Candidate } from "./parts.ts";
import { backoffMs, mayRetry, stageLimitMs } from "./policy.ts";
import { isProven, placeInQueue } from "./queue.ts";
import type { Failure, Run, Stage, Task } from "./run.ts";
import { haltSteps } from "./step-halt.ts";
import { hostSteps } from "./step-host.ts";

interface Ended<O extends Outcome = Outcome> {
  readonly outcome: O;
  readonly runMs: number;
}

type Good = Extract<Outcome, { ok: true }>;
type Bad = Extract<Outcome, { ok: false }>;

export function attemptEnded(run: Run, task: Task, { outcome, runMs }: Ended): Step {
  const effect = effectOfAttempt(run, task);
  if (!effect) throw new Error(`bug: nothing of ${task.def.id} is under way`);
  const known = [...spent(run, task, outcome), ...seen(task, outcome)];
  if (!outcome.ok) return accept(...known, ...unsuccessful(run, task, { outcome, runMs }));
  const asked = (outcome.inputs ?? []).flatMap((input) => led(run, input));
  const facts = [...known, ...asked];
  if (asked.some((fact) => fact.kind === "question-asked")) return accept(...facts, waits(task, runMs));
  return accept(...facts, ...further[effect.kind](run, task, { outcome, runMs }));
}

const further: Record<AttemptEffect["kind"], (run: Run, task: Task, ended: Ended<Good>) => Fact[]> = {
  "prepare-workspace": (run, task, { runMs }) => [entered(run, task, { stage: "working", runMs })],
  "run-agent": worked,
  "repair-result": worked,
  "run-checks": (run, task, { outcome, runMs }) => {
    const tree = task.attempt?.work?.tree;
    if (outcome.evidence?.tree !== tree) throw new Error(`bug: ${task.def.id} was checked on another tree`);
    return [entered(run, task, { stage: run.policy.review ? "reviewing" : "integrating", runMs })];
  },
  "review-work": (run, task, { runMs }) => [entered(run, task, { stage: "integrating", runMs })],
  "prepare-merge": (run, task, { outcome, runMs }) => {
    const { candidate, merged } = outcome;
    if (merged) return completed(task, merged);
    if (!candidate) throw new Error(`bug: nothing was prepared for ${task.def.id}`);
    return [preparedMerge(run, task, { candidate, runMs })];
  },
  "check-merge": () => [],
  "move-branch": (_run, task, { outcome }) => {
    if (!outcome.merged) throw new Error(`bug: ${task.def.id} was merged as nothing`);
    return completed(task, outcome.merged);
  },
};

function worked(run: Run, task: Task, { outcome, runMs }: Ended<Good>): Fact[] {
  const { work } = outcome;
  if (!work) throw new Error(`bug: ${task.def.id} was worked on, and nobody looked at it`);
  const recorded: Fact = { kind: "work-recorded", ...tryOf(task), ...work };
  return [recorded, entered(run, task, { stage: "checking", runMs })];
}

/** Its change is on the branch: only now is it done, and with evidence for that very tree (G3, G4). */
function completed(task: Task, merged: { readonly commit: string; readonly tip: string }): Fact[] {
  const { created = [], modified = [] } = task.attempt?.work ?? {};
  return [
    { kind: "task-merged", ...tryOf(task), ...merged },
    { kind: "task-completed", ...tryOf(task), created, modified, done: "verified" },
  ];
}

/** An agent's question ends its attempt, and costs no try: the answer starts another. */
function waits(task: Task, runMs: number): Fact {
  return { kind: "attempt-paused", ...tryOf(task), reason: "it asked a question", runMs };
}

const tryOf = (task: Task) => ({ task: task.def.id, attempt: task.attempts });

function entered(run: Run, task: Task, { stage, runMs }: { stage: Stage; runMs: number }): Fact {
  // Waiting in the queue has no limit of its own.
  const dueMs = stage === "integrating" ? null : dueAt(run, stage, runMs);
  return { kind: "stage-entered", ...tryOf(task), stage, runMs, dueMs };
}

function preparedMerge(
  run: Run,
  task: Task,
  { candidate, runMs }: { candidate: Candidate; runMs: number },
): Fact {
  const dueMs = dueAt(run, "checking", runMs);
  return { kind: "merge-prepared", ...tryOf(task), ...candidate, runMs, dueMs };
}

function dueAt(run: Run, stage: Stage, runMs: number): number | null {
  return run.halt?.now ? null : runMs + stageLimitMs(run.policy, stage);
}

/** What a halt had ended is taken up again, and its limit begins anew. */
export function renewed(run: Run, task: Task, runMs: number): Fact[] {
  const { attempt } = task;
  if (attempt?.driver !== "engine" || attempt.dueMs !== null) return [];
  const { stage } = attempt;
  if (stage !== "integrating") return [entered(run, task, { stage, runMs })];
  const place = placeInQueue(run, task);
  return place.needs === "check" ? [preparedMerge(run, task, { candidate: place.candidate, runMs })] : [];
}

function spent(run: Run, task: Task, { usage }: Outcome): Fact[] {
  return usage ? [{ kind: "usage-recorded", task: task.def.id, phase: run.phase, ...usage }] : [];
}

/** Red evidence is kept as well. */
function seen(task: Task, { evidence }: Outcome): Fact[] {
  return evidence ? [{ kind: "checks-recorded", ...tryOf(task), ...evidence }] : [];
}

function unsuccessful(run: Run, task: Task, { outcome, runMs }: Ended<Bad>): Fact[] {
  if (outcome.tip !== undefined) return [{ kind: "branch-moved", tip: outcome.tip, reason: outcome.error }];
  if (outcome.subcategory === "full") return full(run, task, { reason: outcome.error, runMs });
  if (outcome.parkMs !== undefined)
    return parked(run, task, { outcome: { ...outcome, parkMs: outcome.parkMs }, runMs });
  if (outcome.lost) return lost(run, task, { reason: outcome.error, runMs });
  if (outcome.category === "unparseable" && task.attempt?.stage === "working")
    return [entered(run, task, { stage: "repairing", runMs })];
  const category = outcome.category === "unparseable" ? "validation" : outcome.category;
  return [failed(run, task, { ...outcome, category, runMs })];
}

/** A full disk halts the run, and costs no try: it goes on when there is room (G7). */
function full(run: Run, task: Task, { reason, runMs }: { reason: string; runMs: number }): Fact[] {
  const paused: Fact = { kind: "attempt-paused", ...tryOf(task), reason, runMs };
  return run.halt ? [paused] : [paused, { kind: "halt-requested", code: "disk", reason, now: false }];
}

/**
 * A usage limit is nobody's fault: it costs no try, and the task is left alone until the limit is over (C7). One who cannot
 * work at all would fail every task in turn: a person is needed.
 */
function parked(
  run: Run,
  task: Task,
  { outcome: { error: reason, parkMs, unable }, runMs }: Ended<Bad & { readonly parkMs: number }>,
): Fact[] {
  const left: Fact = { kind: "attempt-parked", ...tryOf(task), reason, runMs, notBeforeMs: runMs + parkMs };
  return unable && !run.halt ? [left, { kind: "halt-requested", code: "agent", reason, now: false }] : [left];
}

/** Nobody's fault, and yet an attempt that takes the orchestrator with it each time must not go on for ever. */
function lost(run: Run, task: Task, { reason, runMs }: { reason: string; runMs: number }): Fact[] {
  const failure = { error: reason, category: "environment", subcategory: "lost" };
  if (run.onOrphan === "skip" || task.losses + 1 >= run.policy.losses)
    return [{ kind: "task-failed", ...tryOf(task), ...failure, retryable: true }];
  const facts: Fact[] = [{ kind: "attempt-lost", ...tryOf(task), reason, runMs }];
  if (run.onOrphan === "abort" && !run.halt)
    facts.push({ kind: "halt-requested", code: "orphans", reason: `${task.def.id}: ${reason}`, now: false });
  return facts;
}

/** A failed attempt costs a try, not the task, until the tries are used up (X11). */
export function failed(run: Run, task: Task, failure: Failure & { readonly runMs: number }): Fact {
  const { error, category, subcategory, retryable, runMs } = failure;
  const what = { ...tryOf(task), error, category, subcategory, retryable };
  if (!mayRetry(run, task, retryable)) return { kind: "task-failed", ...what };
  return { kind: "attempt-failed", ...what, runMs, notBeforeMs: runMs + backoffMs(run.policy, task.tries) };
}

/** The limit of a stage; merges that only wait for others have none. */
export function isOverdue(run: Run, task: Task, runMs: number): boolean {
  const { attempt } = task;
  if (attempt?.driver !== "engine" || attempt.dueMs === null || attempt.dueMs > runMs) return false;
  return attempt.stage !== "integrating" || placeInQueue(run, task).needs === "check";
}

/** A task that was found on the branch although nobody had written it down: its mover died in between. */
export function foundOn(run: Run, tip: string): Fact[] {
  const head = run.queue[0] === undefined ? undefined : run.tasks.get(run.queue[0]);
  const candidate = head?.attempt?.candidate;
  if (!head || candidate?.commit !== tip || !isProven(head, candidate.tree)) return [];
  return completed(head, { commit: tip, tip });
}

/** The inputs that an effect of an attempt may lead to, stepped in the same transaction. */
function led(run: Run, input: NonNullable<Good["inputs"]>[number]): readonly Fact[] {
  switch (input.kind) {
    case "ask":
      return haltSteps.ask(run, input).facts;
    case "record-verification":
      return hostSteps["record-verification"](run, input).facts;
    default:
      throw new Error(`bug: an attempt may not lead to \`${input.kind}\``);
  }
}

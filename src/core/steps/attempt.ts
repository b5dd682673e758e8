// How an attempt of heddle's own goes on: prepare → work → (repair) → check → (review) → integrate. Written once, for
// every protocol; each answer of an effect moves it one stage further, or costs a try.
import { accept, type Step } from "../answer.ts";
import { amount, spentOf, sum } from "../bounds.ts";
import { type AttemptEffect, effectOfAttempt } from "../effect.ts";
import type { Fact } from "../fact.ts";
import type { Outcome, Unsuccessful } from "../input.ts";
import { left, machineIn } from "../machines/fleet.ts";
import { fitsHere } from "../machines/placement.ts";
import { backoffMs, mayRetry, stageLimitMs } from "../policy.ts";
import { isGreen, isProven, placeInQueue } from "../queue.ts";
import type { Failure, Run, Stage, Task, TaskDef } from "../run.ts";
import type { Candidate } from "../run-parts.ts";
import { haltSteps } from "./halt.ts";
import { hostSteps } from "./host.ts";

interface Ended<O extends Outcome = Outcome> {
  readonly outcome: O;
  readonly runMs: number;
}

type Good = Extract<Outcome, { ok: true }>;

export function attemptEnded(run: Run, task: Task, { outcome, runMs }: Ended): Step {
  const effect = effectOfAttempt(run, task);
  if (!effect) throw new Error(`bug: nothing of ${task.def.id} is under way`);
  const known = [...spent(run, task, outcome), ...seen(task, outcome)];
  if (!outcome.ok) return accept(...known, ...unsuccessful(run, task, { outcome, runMs }));
  if (outcome.evidence?.checks.length === 0 && !task.def.unchecked)
    return accept(...known, failed(run, task, { ...unchecked(task.def), runMs }));
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
  const done = isGreen(task.evidence) ? "verified" : "claimed";
  return [
    { kind: "task-merged", ...tryOf(task), ...merged },
    { kind: "task-completed", ...tryOf(task), created, modified, done },
  ];
}

/** A task that nothing checks can never be done: trying again changes nothing, a readable task file does. */
export function unchecked({ id, file }: TaskDef): Failure {
  const where = file === "" ? `the task file of ${id}` : file;
  return {
    error: `nothing checks ${id}: ${where} is missing, or names no acceptance command; fix it, then run heddle state load-tasks`,
    category: "validation",
    subcategory: "no-checks",
    retryable: false,
  };
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
  if (attempt?.driver !== "engine" || attempt.dueMs !== null || attempt.held) return [];
  const { stage } = attempt;
  if (stage !== "integrating") return [entered(run, task, { stage, runMs })];
  const place = placeInQueue(run, task);
  return place.needs === "check" ? [preparedMerge(run, task, { candidate: place.candidate, runMs })] : [];
}

function spent(run: Run, task: Task, { usage }: Outcome): Fact[] {
  return usage ? [{ kind: "usage-recorded", task: task.def.id, phase: run.phase, ...spentOf(usage) }] : [];
}

/** Red evidence is kept as well. */
function seen(task: Task, { evidence }: Outcome): Fact[] {
  return evidence ? [{ kind: "checks-recorded", ...tryOf(task), ...evidence }] : [];
}

function unsuccessful(run: Run, task: Task, { outcome, runMs }: Ended<Unsuccessful>): Fact[] {
  const { error: reason } = outcome;
  switch (outcome.kind) {
    case "branch-moved":
      return [{ kind: "branch-moved", tip: outcome.tip, reason }];
    case "place":
    case "disk":
      return held(run, task, { code: outcome.kind, reason, runMs });
    case "parked":
      return [parked(task, { reason, parkMs: outcome.parkMs, runMs })];
    case "unable":
      return unable(run, task, { reason, runMs });
    case "lost":
      return lost(run, task, { reason, runMs });
    case "machine":
      return withoutMachine(run, task, { reason, runMs, begun: outcome.begun });
    case "unparseable":
      if (task.attempt?.stage === "working") return [entered(run, task, { stage: "repairing", runMs })];
      return [failed(run, task, { ...outcome, category: "validation", runMs })];
    case "failed":
      return [failed(run, task, { ...outcome, runMs })];
  }
}

/**
 * A place that is not there and a full disk halt the run, and cost neither a try nor the work so far: the attempt goes on
 * where it stands when the run does (G7).
 */
function held(
  run: Run,
  task: Task,
  { code, reason, runMs }: { code: "place" | "disk"; reason: string; runMs: number },
): Fact[] {
  const kept: Fact = { kind: "attempt-held", ...tryOf(task), reason, runMs };
  return run.halt ? [kept] : [kept, { kind: "halt-requested", code, reason, now: false }];
}

/** A usage limit is no fault of the work: it costs no try, and the task is left alone until the limit is over (C7). */
function parked(
  task: Task,
  { reason, parkMs, runMs }: { reason: string; parkMs: number; runMs: number },
): Fact {
  const notBeforeMs = sum(runMs, amount(parkMs));
  return { kind: "attempt-parked", ...tryOf(task), reason, runMs, notBeforeMs };
}

/** One who cannot work at all would fail every task in turn: a person is needed. */
function unable(run: Run, task: Task, { reason, runMs }: { reason: string; runMs: number }): Fact[] {
  const left = parked(task, { reason, parkMs: 0, runMs });
  return run.halt ? [left] : [left, { kind: "halt-requested", code: "agent", reason, now: false }];
}

/** No fault of the task, but an attempt that takes the orchestrator with it each time must not go on for ever. */
function lost(run: Run, task: Task, { reason, runMs }: { reason: string; runMs: number }): Fact[] {
  const failure = { error: reason, category: "environment", subcategory: "lost" };
  if (run.onOrphan === "skip" || task.losses + 1 >= run.policy.losses)
    return [{ kind: "task-failed", ...tryOf(task), ...failure, retryable: true }];
  const facts: Fact[] = [{ kind: "attempt-lost", ...tryOf(task), reason, runMs }];
  if (run.onOrphan === "abort" && !run.halt)
    facts.push({ kind: "halt-requested", code: "orphans", reason: `${task.def.id}: ${reason}`, now: false });
  return facts;
}

/**
 * Its machine is gone, or cannot do it: the work is not to blame. What was made is at home, so that checks and reviews go on
 * there; an agent's work that was lost with the machine follows the rules for orphans, and what had not begun costs nothing.
 */
function withoutMachine(
  run: Run,
  task: Task,
  { begun, ...ended }: { readonly begun: boolean; readonly reason: string; readonly runMs: number },
): Fact[] {
  const { attempt } = task;
  const machine = attempt?.machine === undefined ? undefined : machineIn(run, attempt.machine);
  const gone: Fact[] = machine?.standing === "there" ? [left(run, machine, ended)] : [];
  const { reason, runMs } = ended;
  if (attempt?.work && attempt.machine !== undefined && fitsHere(run, task)) {
    const dueMs = dueAt(run, "checking", runMs);
    return [{ kind: "attempt-moved", ...tryOf(task), reason, runMs, dueMs }, ...gone];
  }
  return begun ? [...lost(run, task, ended), ...gone] : [parked(task, { reason, parkMs: 0, runMs }), ...gone];
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

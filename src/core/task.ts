// One task in the graph: its status, and how a change of it travels to the tasks that wait for it.
// `unmet` counts unsettled dependencies, `dead` those that cannot be settled as things stand. Both are kept by
// counting, so blocking and unblocking come out right whatever the order of events (X12).

import {
  type Attempt,
  type Run,
  type Task,
  type TaskDef,
  type TaskId,
  type TaskStatus,
  taskOf,
} from "./run.ts";
import type { Question } from "./run-parts.ts";

export function statusOf(task: Task): TaskStatus {
  return task.state === "pending" && task.dead > 0 ? "blocked" : task.state;
}

export function isReady(task: Task): boolean {
  return task.state === "pending" && task.unmet === 0;
}

/** Complete because a host or an edited file said so (X20). */
export function isUnverified(task: Task): boolean {
  return task.state === "complete" && task.done !== "verified";
}

/** Complete, and nothing that was checked tells it from what was there before (M6, X23). */
export function isUnproven({ state, evidence }: Task): boolean {
  const checks = evidence?.checks ?? [];
  return (
    state === "complete" && checks.length > 0 && checks.every(({ ok, before }) => ok && before === "green")
  );
}

export function isNotable(task: Task): boolean {
  const status = statusOf(task);
  return status !== "pending" && status !== "complete";
}

/** A verifier's BLOCK on finished work holds its dependents back like a failure. */
function isHeld(task: Task): boolean {
  return task.state === "complete" && task.verification?.recommendation === "BLOCK";
}

export function isSettled(task: Task): boolean {
  return task.state === "skipped" || (task.state === "complete" && !isHeld(task));
}

/** What somebody still waits for an answer to: a task that is over waits for nothing. */
export function openQuestions(run: Run): Question[] {
  return run.questions.filter(({ about, answer }) => {
    const task = run.tasks.get(about);
    return answer === null && !(task && isSettled(task));
  });
}

export function isDead(task: Task): boolean {
  return task.state === "failed" || statusOf(task) === "blocked" || isHeld(task);
}

export interface Rank {
  readonly id: TaskId;
  readonly steel: boolean;
  readonly remaining: number;
}

/** Scheduling order (X3): steel thread, then longest remaining path, then id. */
export function comesBefore(a: Rank, b: Rank): boolean {
  if (a.steel !== b.steel) return a.steel;
  if (a.remaining !== b.remaining) return a.remaining > b.remaining;
  return a.id < b.id;
}

export function newTask(def: TaskDef): Task {
  return {
    def,
    ...fresh,
    attempts: 0,
    lastFailure: null,
    verification: null,
    evidence: null,
    seen: null,
    commit: null,
    calibration: null,
    rollback: null,
    costUsd: 0,
    dependents: [],
    unmet: 0,
    dead: 0,
    remaining: def.estimateHours,
  };
}

/** The part of a task that a new beginning resets. */
const fresh = {
  state: "pending",
  tries: 0,
  attempt: null,
  notBeforeMs: 0,
  startedAt: null,
  completedAt: null,
  created: [],
  modified: [],
  done: null,
  failure: null,
  skipReason: null,
  losses: 0,
} as const satisfies Partial<Task>;

export function reset(task: Task): void {
  Object.assign(task, fresh);
  task.verification = null;
  task.evidence = null;
}

export function hostAttempt({ attempts }: Task): Attempt {
  const nothing = { dueMs: null, base: null, work: null, candidate: null };
  return { number: attempts, driver: "host", stage: "working", ...nothing };
}

/** Changes one task and everything that follows from it: counts, the running list, dependents. */
export function change(run: Run, id: TaskId, mutate: (task: Task) => void): void {
  const task = taskOf(run, id);
  const before = { status: statusOf(task), settled: isSettled(task), dead: isDead(task) };
  const claimed = isUnverified(task);
  mutate(task);
  run.unverified += Number(isUnverified(task)) - Number(claimed);
  recount(run, task, before.status);
  run.tasks.set(task);
  spread(run, task, before);
}

function recount(run: Run, task: Task, before: TaskStatus): void {
  const after = statusOf(task);
  if (before === after) return;
  run.counts[before]--;
  run.counts[after]++;
  if (before === "running") {
    run.running = run.running.filter((id) => id !== task.def.id);
    run.queue = run.queue.filter((id) => id !== task.def.id);
  }
  if (after === "running") run.running.push(task.def.id);
}

/**
 * Without recursion: a chain of 100,000 tasks is a legal plan. Whether a dependent is settled is its own affair, and
 * only a pending one is blocked or set free by others: so beyond the first step nothing but `dead` travels.
 */
function spread(run: Run, origin: Task, before: { settled: boolean; dead: boolean }): void {
  const settled = Number(isSettled(origin)) - Number(before.settled);
  const dead = Number(isDead(origin)) - Number(before.dead);
  if (settled === 0 && dead === 0) return;
  const turned: Task[] = [];
  tell(run, origin, { settled, dead, turned });
  for (let task = turned.pop(); task; task = turned.pop())
    tell(run, task, { settled: 0, dead: task.dead > 0 ? 1 : -1, turned });
}

interface Word {
  readonly settled: number;
  readonly dead: number;
  /** Gets those that are blocked by it, or no longer. */
  readonly turned: Task[];
}

function tell(run: Run, task: Task, { settled, dead, turned }: Word): void {
  const { counts, tasks } = run;
  for (const id of task.dependents) {
    const dependent = taskOf(run, id);
    const wasBlocked = dependent.dead > 0;
    dependent.unmet -= settled;
    dependent.dead += dead;
    const isBlocked = dependent.dead > 0;
    if (dependent.state === "pending" && wasBlocked !== isBlocked) {
      counts[wasBlocked ? "blocked" : "pending"]--;
      counts[isBlocked ? "blocked" : "pending"]++;
      turned.push(dependent);
    }
    tasks.set(dependent);
  }
}

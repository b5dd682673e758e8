// What follows by itself while an orchestrator holds the run: limits that were crossed, ready tasks that find a
// free slot, phases that are finished. Each call gives the facts of one kind; `carryOut` calls until none is left.
import { needsBaseline } from "./baseline.ts";
import type { Fact } from "./fact.ts";
import { askMachines } from "./machines/fleet.ts";
import { freeSlots, placeFor } from "./machines/placement.ts";
import { runBudgetCrossed, stageLimitMs, taskBudgetCrossed } from "./policy.ts";
import { decide, hasArrived } from "./protocol.ts";
import { type Run, type Task, type TaskId, taskOf } from "./run.ts";
import { failed, isOverdue, renewed } from "./steps/attempt.ts";
import { asksSomething, expireJob, renewJob, startJob } from "./steps/job.ts";
import { isReady } from "./task.ts";

export function follow(run: Run, runMs: number): readonly Fact[] {
  if (!run.holder || run.archived) return [];
  const { epoch, holder } = run;
  if (holder.asked !== undefined) return [{ kind: "holder-answered", epoch, question: holder.asked }];
  const timed = run.halt?.now ? [] : timeLimits(run, runMs);
  if (timed.length > 0) return timed;
  if (run.halt || run.slots === 0 || hasArrived(run)) return [];
  const { rule } = decide(run.protocol, { run, request: "drive", digests: {} });
  if (rule?.then.kind === "go") return [move(run, rule.name, rule.then)];
  if (rule?.then.kind === "job") return startJob(run, rule.then, runMs);
  return startReady(run, runMs);
}

/** Limits that were crossed, once those that a halt had stopped have begun anew. */
function timeLimits(run: Run, runMs: number): Fact[] {
  const running = run.running.map((id) => taskOf(run, id));
  const anew = [...running.flatMap((task) => renewed(run, task, runMs)), ...renewJob(run, runMs)];
  if (anew.length > 0) return anew;
  const late = running.filter((task) => isOverdue(run, task, runMs));
  // Those behind the first in the queue rest on it: they are prepared again without it, not late.
  const first = run.queue.find((id) => late.some(({ def }) => def.id === id));
  const expired = late
    .filter(({ def, attempt }) => attempt?.stage !== "integrating" || def.id === first)
    .map((task) => {
      const stage = task.attempt?.stage ?? null;
      const error = `the limit for ${stage} was crossed`;
      return failed(run, task, { error, category: "timeout", subcategory: stage, retryable: true, runMs });
    });
  return [...expired, ...expireJob(run, runMs)];
}

function move(
  run: Run,
  rule: string,
  { to, counts }: { readonly to: string; readonly counts?: string },
): Fact {
  return { kind: "phase-entered", from: run.phase, to, rule, counts: counts ?? null };
}

/** A task starts the moment it is ready and a slot is free: no batches (X3). */
function startReady(run: Run, runMs: number): Fact[] {
  const { branch } = run;
  if (!branch || run.phase !== run.protocol.graph?.runs) return [];
  if (needsBaseline(run)) return [];
  const asks = askMachines(run, runMs);
  if (asks.length > 0) return asks;
  const own = run.running.map((id) => taskOf(run, id)).filter((task) => task.attempt?.driver === "engine");
  const free = freeSlots(run);
  if ([...free.values()].every((slots) => slots === 0)) return [];
  const calls = own.filter((task) => task.attempt?.stage !== "integrating").length;
  const { chosen, crossed } = startable(run, { free, calls, runMs });
  if (chosen.length === 0 && calls === 0 && crossed !== undefined)
    return [{ kind: "halt-requested", code: "budget", reason: `${crossed} would be crossed`, now: false }];
  return chosen.map(({ task, machine }) => ({
    kind: "task-started",
    task: task.def.id,
    attempt: task.attempts + 1,
    driver: "engine",
    runMs,
    dueMs: runMs + stageLimitMs(run.policy, "preparing"),
    base: branch.tip,
    ...(machine !== "" && { machine }),
  }));
}

interface Room {
  /** Free slots by machine. */
  readonly free: Map<string, number>;
  /** Calls that are under way and may still cost something. */
  readonly calls: number;
  readonly runMs: number;
}

interface Placed {
  readonly task: Task;
  readonly machine: string;
}

/**
 * What can start now, best first, and the budget that kept one from it. Tasks that wait for their back-off, for an
 * answer, for what another has to itself, for a machine or for a larger budget hold up nobody behind them.
 */
function startable(
  run: Run,
  { free, calls, runMs }: Room,
): { chosen: Placed[]; crossed: string | undefined } {
  const slots = [...free.values()].reduce((sum, each) => sum + each, 0);
  for (let limit = slots; ; limit *= 2) {
    const left = new Map(free);
    const ready = run.only ? named(run, run.only) : run.tasks.ready(limit);
    const chosen: Placed[] = [];
    const taken = new Set(run.running.flatMap((id) => claims(taskOf(run, id))));
    let crossed: string | undefined;
    for (const id of ready) {
      const task = taskOf(run, id);
      const own = claims(task);
      if (task.notBeforeMs > runMs || asksSomething(run, id) || own.some((each) => taken.has(each))) continue;
      const all = runBudgetCrossed(run, calls + chosen.length);
      if (all !== undefined) return { chosen, crossed: all };
      const one = taskBudgetCrossed(run, task);
      crossed ??= one;
      if (one !== undefined) continue;
      const machine = placeFor(run, task, left);
      if (machine === undefined) continue;
      left.set(machine, (left.get(machine) ?? 0) - 1);
      for (const each of own) taken.add(each);
      chosen.push({ task, machine });
      if (chosen.length === slots) return { chosen, crossed };
    }
    if (run.only || ready.length < limit) return { chosen, crossed };
  }
}

function named(run: Run, only: readonly TaskId[]): TaskId[] {
  return [...new Set(only)].filter((id) => isReadyNow(run, id));
}

function isReadyNow(run: Run, id: TaskId): boolean {
  const task = run.tasks.get(id);
  return task !== undefined && isReady(task);
}

/** What nobody else may have while a task is worked on: the files that it writes, and what it must have alone. */
function claims({ def }: Task): string[] {
  const files = def.files.map(({ path }) => `file ${path}`);
  return [...files, ...(def.exclusive ?? []).map((name) => `resource ${name}`)];
}

// What follows by itself while an orchestrator holds the run: limits that were crossed, ready tasks that find a
// free slot, phases that are finished. Each call gives the facts of one kind; `carryOut` calls until none is left.
import type { Fact } from "./fact.ts";
import { budgetCrossed, stageLimitMs } from "./policy.ts";
import { decide } from "./protocol.ts";
import { isWaiting } from "./queue.ts";
import { type Run, type Task, taskOf } from "./run.ts";
import { failed, isOverdue } from "./step-attempt.ts";
import { asksSomething, expireJob, startJob } from "./step-job.ts";
import { isReady } from "./task.ts";

export function follow(run: Run, runMs: number): readonly Fact[] {
  if (!run.holder) return [];
  const expired = [...expire(run, runMs), ...expireJob(run, runMs)];
  if (expired.length > 0) return expired;
  if (run.halt || run.slots === 0 || run.phase === run.until) return [];
  const { rule } = decide(run.protocol, { run, request: "drive", digests: {} });
  if (rule?.then.kind === "go") return [move(run, rule.name, rule.then)];
  if (rule?.then.kind === "job") return startJob(run, rule.then, runMs);
  return startReady(run, runMs);
}

/** What a halt ended at once is not late: it is taken up again when the run goes on. */
function expire(run: Run, runMs: number): Fact[] {
  if (run.halt?.now) return [];
  return run.running
    .map((id) => taskOf(run, id))
    .filter((task) => isOverdue(run, task, runMs))
    .map((task) => {
      const stage = task.attempt?.stage ?? null;
      const error = `the limit for ${stage} was crossed`;
      return failed(run, task, { error, category: "timeout", subcategory: stage, retryable: true, runMs });
    });
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
  const own = run.running.map((id) => taskOf(run, id)).filter((task) => task.attempt?.driver === "engine");
  const free = run.slots - own.filter((task) => !isWaiting(run, task)).length;
  if (free <= 0) return [];
  const due = startable(run, { free, runMs });
  const calls = own.filter((task) => task.attempt?.stage !== "integrating").length;
  const crossed = due.flatMap((task, at) => budgetCrossed(run, task, calls + at) ?? []);
  if (crossed.length === due.length && crossed[0] !== undefined && calls === 0)
    return [{ kind: "halt-requested", code: "budget", reason: `${crossed[0]} would be crossed`, now: false }];
  return due
    .filter((task, at) => budgetCrossed(run, task, calls + at) === undefined)
    .map((task) => ({
      kind: "task-started",
      task: task.def.id,
      attempt: task.attempts + 1,
      driver: "engine",
      runMs,
      dueMs: runMs + stageLimitMs(run.policy, "preparing"),
      base: branch.tip,
    }));
}

/** Tasks that wait for their back-off, or for what another has to itself, hold up nobody behind them. */
function startable(run: Run, { free, runMs }: { free: number; runMs: number }): Task[] {
  for (let limit = free; ; limit *= 2) {
    const ready = run.only ? run.only.filter((id) => isReadyNow(run, id)) : run.tasks.ready(limit);
    const chosen: Task[] = [];
    const taken = new Set(run.running.flatMap((id) => claims(taskOf(run, id))));
    for (const id of ready) {
      const task = taskOf(run, id);
      const own = claims(task);
      if (task.notBeforeMs > runMs || asksSomething(run, id) || own.some((each) => taken.has(each))) continue;
      for (const each of own) taken.add(each);
      chosen.push(task);
    }
    if (run.only || chosen.length >= free || ready.length < limit) return chosen.slice(0, free);
  }
}

function isReadyNow(run: Run, id: string): boolean {
  const task = run.tasks.get(id);
  return task !== undefined && isReady(task);
}

/** What nobody else may have while a task is worked on: the files that it writes, and what it must have alone. */
function claims({ def }: Task): string[] {
  const files = def.files.map(({ path }) => `file ${path}`);
  return [...files, ...(def.exclusive ?? []).map((name) => `resource ${name}`)];
}

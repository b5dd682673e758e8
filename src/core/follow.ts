// What follows by itself while an orchestrator holds the run: limits that were crossed, ready tasks that find a
// free slot, phases that are finished. Each call gives the facts of one kind; `carryOut` calls until none is left.
import type { Fact } from "./fact.ts";
import { budgetCrossed, stageLimitMs } from "./policy.ts";
import { decide } from "./protocol.ts";
import { type Run, type Task, taskOf } from "./run.ts";
import { failed } from "./step-engine.ts";
import { expireJob, startJob } from "./step-job.ts";

export function follow(run: Run, runMs: number): readonly Fact[] {
  if (!run.holder || run.archived) return [];
  const expired = [...expire(run, runMs), ...expireJob(run, runMs)];
  if (expired.length > 0) return expired;
  if (run.halt || run.slots === 0 || run.phase === run.until) return [];
  const { rule } = decide(run.protocol, { run, request: "drive", digests: {} });
  if (rule?.then.kind === "go") return [move(run, rule.name, rule.then)];
  if (rule?.then.kind === "job") return startJob(run, rule.then, runMs);
  return startReady(run, runMs);
}

function expire(run: Run, runMs: number): Fact[] {
  const facts: Fact[] = [];
  for (const id of run.running) {
    const task = taskOf(run, id);
    const { attempt } = task;
    if (attempt?.driver !== "engine" || attempt.dueMs === null || attempt.dueMs > runMs) continue;
    const error = `the limit for ${attempt.stage} was crossed`;
    facts.push(
      failed(run, task, { error, category: "timeout", subcategory: attempt.stage, retryable: true, runMs }),
    );
  }
  return facts;
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
  if (run.phase !== run.protocol.graph?.runs) return [];
  const own = run.running.filter((id) => taskOf(run, id).attempt?.driver === "engine");
  const free = run.slots - own.length;
  if (free <= 0) return [];
  const due = startable(run, { free, runMs });
  const crossed = due.map((task) => budgetCrossed(run, task)).find((reason) => reason !== undefined);
  if (crossed !== undefined)
    return [{ kind: "halt-requested", code: "budget", reason: `${crossed} would be crossed`, now: false }];
  return due.map((task) => ({
    kind: "task-started",
    task: task.def.id,
    attempt: task.attempts + 1,
    driver: "engine",
    runMs,
    dueMs: runMs + stageLimitMs(run.policy, "working"),
  }));
}

/** Tasks that wait for their back-off hold up nobody behind them. */
function startable(run: Run, { free, runMs }: { free: number; runMs: number }): Task[] {
  for (let limit = free; ; limit *= 2) {
    const ready = run.tasks.ready(limit);
    const due = ready.map((id) => taskOf(run, id)).filter((task) => task.notBeforeMs <= runMs);
    if (due.length >= free || ready.length < limit) return due.slice(0, free);
  }
}

// Policy: how often, how long, how many, how much. Pure arithmetic over a Run; the facts say what was decided.

import type { Run, Stage, Task } from "./run.ts";
import type { JobStage } from "./run-parts.ts";

export interface Policy {
  /** Attempts per task before it is failed. */
  readonly attempts: number;
  readonly slots: number;
  /** Turns a protocol's loops may take before it asks a person. */
  readonly rounds: number;
  readonly backoffMs: number;
  readonly backoffCapMs: number;
  readonly prepareLimitMs: number;
  readonly workLimitMs: number;
  readonly checkLimitMs: number;
  readonly taskBudgetUsd: number;
  readonly runBudgetUsd: number;
  /** Whether a second agent judges every finished task before it is merged (X9). */
  readonly review: boolean;
  /** How often a task may lose its agent to a dying orchestrator before it is failed. */
  readonly losses: number;
  /** Whether the base is looked at before the first attempt (X23). */
  readonly baseline: boolean;
}

export const defaultPolicy: Policy = {
  attempts: 3,
  slots: 3,
  rounds: 5,
  backoffMs: 2_000,
  backoffCapMs: 120_000,
  prepareLimitMs: 20 * 60_000,
  workLimitMs: 45 * 60_000,
  checkLimitMs: 10 * 60_000,
  taskBudgetUsd: 10,
  runBudgetUsd: 100,
  review: false,
  losses: 5,
  // A project's configuration turns it on: hosts that drive the loop themselves have no clean room.
  baseline: false,
};

/** Doubles from attempt to attempt up to the cap. No jitter: one orchestrator starts all attempts of a run. */
export function backoffMs(policy: Policy, tries: number): number {
  return Math.min(policy.backoffCapMs, policy.backoffMs * 2 ** Math.min(Math.max(0, tries - 1), 30));
}

export function mayRetry(run: Run, task: Task, retryable: boolean): boolean {
  const { retries } = run.protocol;
  return retryable && task.tries < (retries === undefined ? run.policy.attempts : retries + 1);
}

/**
 * Whether one more call could cross the run's ceiling. What the next call costs is unknown, so the most expensive one so far
 * stands for it, and for each of the `calls` that are under way: work stops before the ceiling is crossed, not after.
 */
export function runBudgetCrossed({ policy, usage }: Run, calls: number): string | undefined {
  const { runBudgetUsd } = policy;
  const isCrossed = usage.costUsd + usage.largestCallUsd * (calls + 1) > runBudgetUsd;
  return isCrossed ? `the run's budget of $${runBudgetUsd}` : undefined;
}

export function taskBudgetCrossed({ policy, usage }: Run, { def, costUsd }: Task): string | undefined {
  const { taskBudgetUsd } = policy;
  const isCrossed = costUsd > 0 && costUsd + usage.largestCallUsd > taskBudgetUsd;
  return isCrossed ? `${def.id}'s budget of $${taskBudgetUsd}` : undefined;
}

/** A fixer's turn is a small one. */
export function jobLimitMs(policy: Policy, stage: JobStage): number {
  return stage === "working" ? policy.workLimitMs : policy.checkLimitMs;
}

export function stageLimitMs(policy: Policy, stage: Stage): number {
  if (stage === "preparing") return policy.prepareLimitMs;
  return stage === "working" ? policy.workLimitMs : policy.checkLimitMs;
}

/** Faults that a person allowed, by their codes, with the reason of each. */
export function allowedIn({ allowed }: Run["metadata"]): Readonly<Record<string, string>> {
  return typeof allowed === "object" && allowed !== null && !Array.isArray(allowed)
    ? (allowed as Readonly<Record<string, string>>)
    : {};
}

// A role at work, from its start to a checked output: tried again with what was wrong, handed to the fixer once when
// it is no document at all, halted when the tries are used up (C6, D17, D18).
import { accept, type Step } from "../answer.ts";
import { isByHand } from "../artifact.ts";
import { amount, spentOf, sum } from "../bounds.ts";
import type { Fact, FactOf } from "../fact.ts";
import type { Input, Outcome, Unsuccessful } from "../input.ts";
import { recordOf } from "../meanings/job.ts";
import { backoffMs, jobLimitMs } from "../policy.ts";
import type { Run } from "../run.ts";
import type { Job, JobStage } from "../run-parts.ts";
import { haltSteps } from "./halt.ts";
import { planSteps } from "./plan.ts";

/** Starts the role that the rule asks for, unless it waits: for its back-off, or for a person's answer. */
export function startJob(
  run: Run,
  { role, makes }: { readonly role: string; readonly makes: string },
  runMs: number,
): Fact[] {
  if (run.job || asksSomething(run, role)) return [];
  const { attempts, tries, notBeforeMs, problems } = recordOf(run, role);
  if (tries >= run.policy.attempts)
    return [
      {
        kind: "halt-requested",
        code: "job",
        reason: gaveUp(role, { tries, why: problems[0] }),
        now: false,
        role,
      },
    ];
  if (notBeforeMs > runMs) return [];
  const { costUsd, largestCallUsd } = run.usage;
  if (costUsd + largestCallUsd > run.policy.runBudgetUsd) {
    const reason = `the run's budget of $${run.policy.runBudgetUsd} would be crossed`;
    return [{ kind: "halt-requested", code: "budget", reason, now: false }];
  }
  const dueMs = runMs + jobLimitMs(run.policy, "working");
  const byHand = isByHand(run.artifacts[makes]) ? ({ byHand: true } as const) : {};
  return [{ kind: "job-started", role, makes, attempt: attempts + 1, runMs, dueMs, ...byHand }];
}

export function asksSomething(run: Run, role: string): boolean {
  return run.questions.some((question) => question.about === role && question.answer === null);
}

export function expireJob(run: Run, runMs: number): Fact[] {
  if (!run.job || run.job.dueMs === null || run.job.dueMs > runMs) return [];
  const reason = `the time limit was crossed while ${run.job.stage}`;
  return failedJob(run, run.job, { category: "timeout", problems: [reason], runMs, again: true });
}

interface Ended {
  readonly outcome: Outcome;
  readonly runMs: number;
}

export function jobEnded(run: Run, job: Job, { outcome, runMs }: Ended): Step {
  const usage: Fact[] = outcome.usage
    ? [{ kind: "usage-recorded", task: null, phase: run.phase, ...spentOf(outcome.usage) }]
    : [];
  if (!outcome.ok) return accept(...usage, ...unsuccessful(run, job, { outcome, runMs }));
  const led = (outcome.inputs ?? []).map((input) => follows(run, input));
  const refused = led.flatMap(({ problems }) => problems.map((each) => each.message));
  if (refused.length > 0)
    return accept(
      ...usage,
      ...failedJob(run, job, { category: "validation", problems: refused, runMs, again: true }),
    );
  const facts = [...usage, ...led.flatMap((step) => step.facts)];
  const asked = facts.some((fact) => fact.kind === "question-asked");
  // A role that asks is done for now; the answer starts it again, and does not count as a failure.
  if (asked) return accept(...facts, { kind: "job-completed", role: job.role, attempt: job.attempt, asked });
  const byHand = job.byHand ? { byHand: job.makes } : {};
  if (job.stage === "checking")
    return accept(...facts, { kind: "job-completed", role: job.role, attempt: job.attempt, ...byHand });
  return accept(...facts, entered(run, job, { stage: "checking", runMs }));
}

/** What a halt had ended begins its limit anew. */
export function renewJob({ policy, job }: Run, runMs: number): Fact[] {
  if (job?.dueMs !== null || job.held) return [];
  const { role, attempt, stage } = job;
  const dueMs = runMs + jobLimitMs(policy, stage);
  return [{ kind: "job-stage-entered", role, attempt, stage, runMs, dueMs }];
}

function entered(
  run: Run,
  { role, attempt }: Job,
  { stage, runMs }: { stage: JobStage; runMs: number },
): Fact {
  return {
    kind: "job-stage-entered",
    role,
    attempt,
    stage,
    runMs,
    dueMs: run.halt?.now ? null : runMs + jobLimitMs(run.policy, stage),
  };
}

/** `unparseable` goes to the fixer, once per output; a second time the role is told, like one whose document is invalid (C6). */
function unsuccessful(
  run: Run,
  job: Job,
  { outcome, runMs }: { outcome: Unsuccessful; runMs: number },
): Fact[] {
  const { category, error: reason, problems = [reason], retryable, kind } = outcome;
  const { role, attempt } = job;
  switch (outcome.kind) {
    case "place":
    case "disk": {
      const kept: Fact = { kind: "job-held", role, attempt, reason, runMs };
      return run.halt ? [kept] : [kept, { kind: "halt-requested", code: outcome.kind, reason, now: false }];
    }
    case "parked":
      return [parked(job, { reason, parkMs: outcome.parkMs, runMs })];
    // One who cannot work at all will not the next time either: it costs no try, and a person is needed.
    case "unable": {
      const left = parked(job, { reason, parkMs: 0, runMs });
      return run.halt ? [left] : [left, { kind: "halt-requested", code: "agent", reason, now: false }];
    }
    case "lost":
      return lost(run, job, { outcome, runMs });
    case "unparseable":
      if (!job.repaired) return [entered(run, job, { stage: "repairing", runMs })];
      return failedJob(run, job, {
        category,
        problems,
        runMs,
        again: run.protocol.own?.haltsOnProse !== true,
      });
    case "failed":
      return failedJob(run, job, { category, problems, runMs, again: retryable });
    case "branch-moved":
    case "machine":
      throw new Error(`bug: the role ${role} cannot end as ${kind}`);
  }
}

/** A usage limit is no fault of the work: it costs no try, and the role is left alone until the limit is over (C7). */
function parked(
  { role, attempt }: Job,
  { reason, parkMs, runMs }: { reason: string; parkMs: number; runMs: number },
): FactOf<"job-parked"> {
  const notBeforeMs = sum(runMs, amount(parkMs));
  return { kind: "job-parked", role, attempt, reason, runMs, notBeforeMs };
}

/** Costs no try, as often as the policy lets a task's attempt be lost. */
function lost(
  run: Run,
  job: Job,
  { outcome: { error: reason, category }, runMs }: { outcome: Unsuccessful; runMs: number },
): Fact[] {
  const { losses = 0 } = recordOf(run, job.role);
  if (losses + 1 >= run.policy.losses)
    return failedJob(run, job, { category, problems: [reason], runMs, again: false });
  const left: Fact = { ...parked(job, { reason, parkMs: 0, runMs }), lost: true };
  const orphans = {
    kind: "halt-requested",
    code: "orphans",
    reason: `${job.role}: ${reason}`,
    now: false,
  } as const;
  return run.onOrphan === "abort" && !run.halt ? [left, orphans] : [left];
}

/** What the role can put right at once, because it is told what is wrong. */
const told: ReadonlySet<string> = new Set(["validation", "unparseable"]);

interface JobFailure {
  readonly category: string;
  readonly problems: readonly string[];
  readonly runMs: number;
  readonly again: boolean;
}

function failedJob(
  run: Run,
  { role, attempt, byHand }: Job,
  { category, problems, runMs, again }: JobFailure,
): Fact[] {
  const { tries } = recordOf(run, role);
  const notBeforeMs = runMs + (told.has(category) ? 0 : backoffMs(run.policy, tries));
  const failed: Fact = { kind: "job-failed", role, attempt, category, problems, runMs, notBeforeMs };
  if (run.halt || (again && tries < run.policy.attempts)) return [failed];
  const [why = "it gave no reason"] = problems;
  const reason = byHand ? why : gaveUp(role, { tries, category, why });
  return [failed, { kind: "halt-requested", code: "job", reason, now: false, role }];
}

function gaveUp(
  role: string,
  {
    tries,
    category,
    why = "it gave no reason",
  }: { tries: number; category?: string; why: string | undefined },
): string {
  const times = tries === 1 ? "failed" : `failed ${tries} times`;
  return `${role} ${times}${category === undefined ? "" : ` (${category})`}: ${why}`;
}

/** The inputs that an effect may lead to, stepped in the same transaction. */
function follows(run: Run, input: Input): Step {
  switch (input.kind) {
    case "register":
    case "set":
    case "load-plan":
      return (planSteps[input.kind] as (run: Run, input: Input) => Step)(run, input);
    case "ask":
      return haltSteps.ask(run, input);
    default:
      throw new Error(`bug: an effect may not lead to \`${input.kind}\``);
  }
}

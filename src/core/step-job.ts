// A role at work, from its start to a checked output: tried again with what was wrong, handed to the fixer once when
// it is no document at all, halted when the tries are used up (C6, D17, D18).
import { accept, type Step } from "./answer.ts";
import type { Fact } from "./fact.ts";
import type { Input, Outcome } from "./input.ts";
import { recordOf } from "./meaning-job.ts";
import type { Job, JobStage } from "./parts.ts";
import { backoffMs, jobLimitMs } from "./policy.ts";
import type { Run } from "./run.ts";
import { haltSteps } from "./step-halt.ts";
import { planSteps } from "./step-plan.ts";

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
        reason: `${role} could not do it: ${problems[0] ?? "no reason was given"}`,
        now: false,
      },
    ];
  if (notBeforeMs > runMs) return [];
  const { costUsd, largestCallUsd } = run.usage;
  if (costUsd + largestCallUsd > run.policy.runBudgetUsd) {
    const reason = `the run's budget of $${run.policy.runBudgetUsd} would be crossed`;
    return [{ kind: "halt-requested", code: "budget", reason, now: false }];
  }
  const dueMs = runMs + jobLimitMs(run.policy, "working");
  return [{ kind: "job-started", role, makes, attempt: attempts + 1, runMs, dueMs }];
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
    ? [{ kind: "usage-recorded", task: null, phase: run.phase, ...outcome.usage }]
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
  if (job.stage === "checking")
    return accept(...facts, { kind: "job-completed", role: job.role, attempt: job.attempt });
  return accept(...facts, entered(run, job, { stage: "checking", runMs }));
}

/** What a halt had ended begins its limit anew. */
export function renewJob({ policy, job }: Run, runMs: number): Fact[] {
  if (job?.dueMs !== null) return [];
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

/** `unparseable` goes to the fixer, once per output; a second time it is final. */
function unsuccessful(
  run: Run,
  job: Job,
  { outcome, runMs }: { outcome: Extract<Outcome, { ok: false }>; runMs: number },
): Fact[] {
  const { category, error, problems = [error], retryable, parkMs } = outcome;
  if (parkMs !== undefined) {
    const { role, attempt } = job;
    return [{ kind: "job-parked", role, attempt, reason: error, runMs, notBeforeMs: runMs + parkMs }];
  }
  if (category === "unparseable" && !job.repaired) return [entered(run, job, { stage: "repairing", runMs })];
  const again = retryable && category !== "unparseable";
  return failedJob(run, job, { category, problems, runMs, again });
}

interface JobFailure {
  readonly category: string;
  readonly problems: readonly string[];
  readonly runMs: number;
  readonly again: boolean;
}

function failedJob(
  run: Run,
  { role, attempt }: Job,
  { category, problems, runMs, again }: JobFailure,
): Fact[] {
  const { tries } = recordOf(run, role);
  const notBeforeMs = runMs + (category === "validation" ? 0 : backoffMs(run.policy, tries));
  const failed: Fact = { kind: "job-failed", role, attempt, category, problems, runMs, notBeforeMs };
  if (run.halt || (again && tries < run.policy.attempts)) return [failed];
  const reason = `${role} could not do it (${category}): ${problems[0] ?? "no reason was given"}`;
  return [failed, { kind: "halt-requested", code: "job", reason, now: false }];
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

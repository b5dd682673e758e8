// What the facts about roles at work mean.
import { later } from "../bounds.ts";
import type { Meanings } from "../fact.ts";
import type { Run } from "../run.ts";
import type { JobRecord } from "../run-parts.ts";
import { useAnswers } from "./answers.ts";

export const jobMeanings: Meanings<
  "job-started" | "job-stage-entered" | "job-failed" | "job-parked" | "job-held" | "job-completed"
> = {
  "job-started": (run, { role, makes, attempt, dueMs, runMs, byHand }) => {
    run.job = { role, makes, attempt, stage: "working", dueMs, repaired: false, ...(byHand && { byHand }) };
    useAnswers(run, (about) => about === role || about.startsWith(`${makes}@`));
    const record = recordOf(run, role);
    run.jobs[role] = { ...record, attempts: attempt, tries: record.tries + 1, notBeforeMs: 0 };
    pass(run, runMs);
  },
  "job-stage-entered": (run, { stage, dueMs, runMs }) => {
    if (run.job) run.job = { ...run.job, stage, dueMs, repaired: run.job.repaired || stage === "repairing" };
    pass(run, runMs);
  },
  "job-failed": (run, { role, problems, category, notBeforeMs, runMs }) => {
    run.job = null;
    run.jobs[role] = { ...recordOf(run, role), problems, category, notBeforeMs };
    pass(run, runMs);
  },
  "job-parked": (run, { role, notBeforeMs, runMs, lost }) => {
    run.job = null;
    const record = recordOf(run, role);
    const losses = lost && { losses: (record.losses ?? 0) + 1 };
    run.jobs[role] = { ...record, ...losses, tries: record.tries - 1, notBeforeMs };
    pass(run, runMs);
  },
  "job-held": (run, { runMs }) => {
    if (run.job) run.job = { ...run.job, held: true, holds: (run.job.holds ?? 0) + 1, dueMs: null };
    pass(run, runMs);
  },
  "job-completed": (run, { role }) => {
    run.job = null;
    const { category: _failed, losses: _lost, ...record } = recordOf(run, role);
    run.jobs[role] = { ...record, tries: 0, problems: [], notBeforeMs: 0 };
  },
};

export function recordOf(run: Run, role: string): JobRecord {
  return run.jobs[role] ?? { role, attempts: 0, tries: 0, problems: [], notBeforeMs: 0 };
}

/** Whether its last output was not where it belongs. */
export function wroteNothing(run: Run, role: string): boolean {
  return run.jobs[role]?.category === "no-output";
}

function pass(run: Run, runMs: number): void {
  run.runMs = later(run.runMs, runMs);
}

// What the facts about roles at work mean.
import type { Meanings } from "./fact.ts";
import type { JobRecord } from "./parts.ts";
import type { Run } from "./run.ts";

export const jobMeanings: Meanings<
  "job-started" | "job-stage-entered" | "job-failed" | "job-parked" | "job-completed"
> = {
  "job-started": (run, { role, makes, attempt, dueMs, runMs }) => {
    run.job = { role, makes, attempt, stage: "working", dueMs, repaired: false };
    const { tries, problems } = recordOf(run, role);
    run.jobs[role] = { role, attempts: attempt, tries: tries + 1, problems, notBeforeMs: 0 };
    pass(run, runMs);
  },
  "job-stage-entered": (run, { stage, dueMs, runMs }) => {
    if (run.job) run.job = { ...run.job, stage, dueMs, repaired: run.job.repaired || stage === "repairing" };
    pass(run, runMs);
  },
  "job-failed": (run, { role, problems, notBeforeMs, runMs }) => {
    run.job = null;
    run.jobs[role] = { ...recordOf(run, role), problems, notBeforeMs };
    pass(run, runMs);
  },
  "job-parked": (run, { role, notBeforeMs, runMs }) => {
    run.job = null;
    const record = recordOf(run, role);
    run.jobs[role] = { ...record, tries: record.tries - 1, notBeforeMs };
    pass(run, runMs);
  },
  "job-completed": (run, { role }) => {
    run.job = null;
    run.jobs[role] = { ...recordOf(run, role), tries: 0, problems: [], notBeforeMs: 0 };
  },
};

export function recordOf(run: Run, role: string): JobRecord {
  return run.jobs[role] ?? { role, attempts: 0, tries: 0, problems: [], notBeforeMs: 0 };
}

function pass(run: Run, runMs: number): void {
  run.runMs = Math.max(run.runMs, runMs);
}

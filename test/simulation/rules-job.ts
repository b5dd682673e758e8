// What must be true of every fact about a role at work: one at a time, within its tries, its limit and the budget,
// never while halted, and no step further than what was really said (C6, D17, X17).
import type { FactKind, FactOf } from "../../src/core/fact.ts";
import type { JobStage } from "../../src/core/run-parts.ts";
import type { JobNow } from "./ledger.ts";
import type { Rules, Said, Scene } from "./rules.ts";
import { checkHeld, isParkedFor, timesHeld, wasLost, wasMissing } from "./rules-attempt.ts";

const effects: Readonly<Record<JobStage, string>> = {
  working: "run-role",
  repairing: "repair-output",
  checking: "check-output",
};

/** The identity of the work on the present stage of the present job. */
export const jobIdentity = (job: JobNow, epoch: number) => {
  const { stage, role, attempt, isRepaired } = job;
  return `${effects[stage]}:${role}#${attempt}${isRepaired ? " repaired" : ""}${timesHeld(job)}@${epoch}`;
};

export const jobRules: Rules<FactKind> = {
  "job-started": started,
  "job-stage-entered": (scene, { role, attempt, stage, runMs, dueMs }) => {
    const { sim, ledger } = scene;
    const job = current(scene, role, attempt);
    if (!job) return;
    if (job.stage === stage && job.dueMs === null && dueMs !== null) {
      ledger.job = { ...job, dueMs, sinceMs: sim.nowMs };
      return;
    }
    const said = saidOf(scene, job);
    const isRepair = stage === "repairing";
    const isSaid = said.some(({ ok }) => ok === !isRepair);
    sim.check(isSaid, wordOf(job), () => `${role}#${attempt} entered ${stage} and nobody said so`);
    sim.check(!isRepair || !job.isRepaired, "C6 fixer", () => `${role}#${attempt} went to the fixer twice`);
    const wantedMs = ledger.halt?.now ? null : runMs + (ledger.policy?.checkLimitMs ?? 0);
    sim.check(dueMs === wantedMs, "C7 limit", () => `${role} is due at ${dueMs}, not ${wantedMs}`);
    if (isRepair) sim.saw("output went to the fixer");
    ledger.job = { ...job, stage, dueMs, sinceMs: sim.nowMs, isRepaired: job.isRepaired || isRepair };
  },
  "job-failed": failed,
  "job-parked": (scene, { role, attempt, runMs, notBeforeMs, lost }) => {
    const { sim, ledger, kinds } = scene;
    const job = current(scene, role, attempt);
    if (!job) return;
    const wait = notBeforeMs - runMs;
    const said = saidOf(scene, job);
    const isSaid = said.some((each) => (lost ? wasLost(each) : isParkedFor(each.outcome, wait)));
    sim.check(isSaid, "X11 parked", () => `${role}#${attempt} is parked for ${wait}, and nobody said so`);
    const isUnable = said.some(({ outcome }) => outcome?.ok === false && outcome.kind === "unable");
    const isLimited = said.some(({ outcome }) => outcome?.ok === false && outcome.kind === "parked");
    const isHalted = ledger.halt !== null || kinds.includes("halt-requested");
    sim.check(
      !isUnable || isLimited || isHalted,
      "X11 unable",
      () => `${role}#${attempt} cannot work, no halt`,
    );
    const { tries, losses = 0 } = ledger.jobs.get(role) ?? { tries: 1 };
    const most = ledger.policy?.losses ?? 0;
    sim.check(
      !lost || losses + 1 < most,
      "X11 losses",
      () => `${role} was lost ${losses + 1} times, and goes on`,
    );
    ledger.job = null;
    ledger.jobs.set(role, { tries: tries - 1, notBeforeMs, losses: losses + (lost ? 1 : 0) });
    sim.saw(lost ? "role was lost" : "role was limited");
  },
  "job-held": (scene, { role, attempt }) => {
    const job = current(scene, role, attempt);
    if (!job) return;
    checkHeld(scene, saidOf(scene, job), `${role}#${attempt}`);
    scene.ledger.job = { ...job, isHeld: true, holds: (job.holds ?? 0) + 1, dueMs: null };
  },
  "job-completed": (scene, { role, attempt }) => {
    const { sim, ledger, kinds } = scene;
    const job = current(scene, role, attempt);
    if (!job) return;
    const isAsking = kinds.includes("question-asked");
    const isSaid = saidOf(scene, job).some(({ ok }) => ok);
    sim.check(isSaid, wordOf(job), () => `${role}#${attempt} completed and nobody said so`);
    sim.check(job.stage === "checking" || isAsking, "C6 checks", () => `${role}#${attempt} was not checked`);
    ledger.job = null;
    ledger.jobs.set(role, { tries: 0, notBeforeMs: 0 });
    sim.saw("role did its work");
  },
};

function started({ sim, ledger }: Scene, { role, attempt, runMs, dueMs }: FactOf<"job-started">): void {
  const name = `${role}#${attempt}`;
  ledger.use((about) => about === role);
  const { tries, notBeforeMs, losses = 0 } = ledger.jobs.get(role) ?? { tries: 0, notBeforeMs: 0 };
  const { policy } = ledger;
  if (!policy) return;
  sim.check(ledger.job === null, "C6 one job", () => `${name} started beside ${ledger.job?.role}`);
  sim.check(ledger.halt === null, "C10 start", () => `${name} started while halted`);
  sim.check(ledger.holder !== null, "X17 start", () => `${name} started and nobody holds the run`);
  sim.check(ledger.phase !== ledger.until, "X1 until", () => `${name} started past ${ledger.until}`);
  sim.check(attempt > (ledger.started.get(role) ?? 0), "G2 start", () => `${name} started twice`);
  sim.check(notBeforeMs <= runMs, "X11 wait", () => `${name} started at ${runMs}, not before ${notBeforeMs}`);
  sim.check(tries < policy.attempts, "X11 tries", () => `${name} started after ${tries} tries`);
  sim.check(
    dueMs === runMs + policy.workLimitMs,
    "C7 limit",
    () => `${name} is due at ${dueMs}, from ${runMs}`,
  );
  const isOver = ledger.costUsd + ledger.largestCallUsd > policy.runBudgetUsd;
  sim.check(!isOver, "C12 start", () => `${name} started across the budget`);
  ledger.started.set(role, attempt);
  ledger.jobs.set(role, { tries: tries + 1, notBeforeMs: 0, losses });
  ledger.job = { role, attempt, stage: "working", sinceMs: sim.nowMs, dueMs, isRepaired: false };
}

function failed(scene: Scene, fact: FactOf<"job-failed">): void {
  const { sim, ledger, kinds } = scene;
  const { role, attempt, category, runMs, notBeforeMs } = fact;
  const job = current(scene, role, attempt);
  const { policy } = ledger;
  if (!job || !policy) return;
  const name = `${role}#${attempt}`;
  if (category === "timeout") {
    const limitMs = job.stage === "working" ? policy.workLimitMs : policy.checkLimitMs;
    const passedMs = sim.nowMs - job.sinceMs;
    const leastMs = limitMs - 2 - sim.writtenWithinMs;
    sim.check(passedMs >= leastMs, "C7 cut short", () => `${name} had ${passedMs} of ${limitMs} ms`);
    const isDue = job.dueMs !== null && runMs >= job.dueMs;
    sim.check(isDue, "C7 early", () => `${name} ended at ${runMs}, due at ${job.dueMs}`);
    sim.saw("limit for a role crossed");
  } else {
    // An output that was fine may still be refused by the run: then the role failed although it said ok.
    const isSaid = saidOf(scene, job).some(
      (each) => (!each.ok && !wasMissing(each)) || category === "validation",
    );
    sim.check(isSaid, wordOf(job), () => `${name} failed (${category}) and nobody said so`);
  }
  const { tries, losses = 0 } = ledger.jobs.get(role) ?? { tries: 0 };
  const isHalted = kinds.includes("halt-requested") || ledger.halt !== null;
  sim.check(
    tries < policy.attempts || isHalted,
    "D17 give up",
    () => `${name} failed for the last time, no halt`,
  );
  if (isHalted) sim.saw("halted by a role");
  ledger.job = null;
  ledger.jobs.set(role, { tries, notBeforeMs, losses });
}

function current({ sim, ledger }: Scene, role: string, attempt: number): JobNow | null {
  const { job } = ledger;
  const isCurrent = job?.role === role && job.attempt === attempt;
  sim.check(isCurrent, "X17 job", () => `${role}#${attempt} is not at work: ${job?.role}#${job?.attempt} is`);
  return isCurrent ? job : null;
}

/** A second check of one output has a name of its own: whoever mixes it up with the first is told so. */
const wordOf = ({ stage, isRepaired }: JobNow) =>
  stage === "checking" && isRepaired ? "X17 second check" : "X17 role's word";

function saidOf({ ledger, said }: Scene, job: JobNow): readonly Said[] {
  return said(jobIdentity(job, ledger.epoch));
}

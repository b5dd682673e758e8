// What must be true of every fact about the run as a whole: one holder at a time (X17), time that only goes on,
// phases in their order (X15), halts with a reason (C10), questions answered once (C8).
import type { FactKind, FactOf } from "../../src/core/fact.ts";
import { begin, type Ledger } from "./ledger.ts";
import { enterFleet, forget } from "./machines.ts";
import type { SimProcess } from "./process.ts";
import type { Rules, Scene } from "./rules.ts";
import { hostAttempt, isOverBudget } from "./rules-task.ts";
import type { Simulation } from "./simulation.ts";

const order = [
  "ingestion",
  "logical",
  "physical",
  "definition",
  "validation",
  "sequencing",
  "ready",
  "executing",
];

const reopening: ReadonlySet<FactKind> = new Set<FactKind>(["task-undone", "task-defined"]);

export const runRules: Rules<FactKind> = {
  "run-created": ({ ledger }, { policy }) => {
    ledger.policy = policy;
  },
  "phase-entered": (scene, { from, to }) => {
    const { sim, ledger, kinds } = scene;
    ledger.use((about) => !ledger.tasks.has(about));
    sim.check(from === ledger.phase, "X15 phase", () => `from ${from}, but the run is in ${ledger.phase}`);
    const isNext = order.indexOf(to) === order.indexOf(from) + 1;
    const isEnd = to === "complete" && (from === "executing" || from === "verifying");
    // A task that is open again, because it was undone, added or changed, opens the run again.
    const isBack = from === "complete" && to === "executing" && kinds.some((kind) => reopening.has(kind));
    const isVerified = verifying(scene, `${from} ${to}`);
    sim.check(isNext || isEnd || isBack || isVerified, "X15 order", () => `from ${from} to ${to}`);
    sim.check(!isEnd || ledger.isDone(), "X15 complete", () => "complete, with open tasks");
    if (isEnd) sim.saw("went through every phase");
    if (isBack) sim.saw("complete run opened again");
    ledger.phase = to;
  },
  "artifact-registered": ({ ledger }, { artifact, content }) => {
    ledger.artifacts.add(artifact);
    if (artifact === "verification")
      ledger.verification = { passed: content.passed === true, tip: content.tip as string | null };
  },
  "variable-set": ({ ledger }, { name, value }) => {
    if (name === "verify") ledger.verify = value === true;
    // Whoever has a complete run verified again has all gap plans before him.
    if (name === "gaps_before") ledger.gapPlans = 0;
  },
  "usage-recorded": ({ ledger }, { task: id, costUsd }) => {
    if (costUsd === null) return;
    ledger.costUsd += costUsd;
    ledger.largestCallUsd = Math.max(ledger.largestCallUsd, costUsd);
    const task = id === null ? undefined : ledger.tasks.get(id);
    if (task) task.costUsd += costUsd;
  },
  "halt-requested": halted,
  "halt-confirmed": ({ sim, ledger }) => {
    sim.check(ledger.halt !== null, "C10 confirm", () => "a halt was confirmed that nobody requested");
  },
  resumed: ({ sim, ledger }, { stopFile }) => {
    const { halt, policy } = ledger;
    sim.check(halt !== null || stopFile, "C10 resume", () => "resumed without a halt");
    const isRaised = halt?.code !== "budget" || (policy?.runBudgetUsd ?? 0) > ledger.costUsd;
    sim.check(isRaised, "C12 resume", () => "resumed within the crossed budget");
    // Whoever resumes after a role gave up wants another try.
    if (halt?.code === "job")
      for (const role of ledger.jobs.keys()) ledger.jobs.set(role, { tries: 0, notBeforeMs: 0 });
    // What was ended at once begins its limit anew.
    if (halt?.now) {
      for (const { attempt } of ledger.tasks.values()) if (attempt) attempt.sinceMs = sim.nowMs;
      if (ledger.job) ledger.job = { ...ledger.job, sinceMs: sim.nowMs };
    }
    // What was held for a missing place goes on.
    for (const { attempt } of ledger.tasks.values())
      if (attempt?.isHeld) Object.assign(attempt, { isHeld: false, sinceMs: sim.nowMs });
    if (ledger.job?.isHeld) ledger.job = { ...ledger.job, isHeld: false, sinceMs: sim.nowMs };
    ledger.halt = null;
    sim.saw("resumed");
  },
  "question-asked": ({ sim, ledger }, { id, about }) => {
    sim.check(!ledger.questions.has(id), "C8 asked", () => `question ${id} was asked twice`);
    ledger.asking.set(id, about);
    ledger.about.set(id, about);
    ledger.questions.set(id, ledger.questions.get(id) ?? null);
  },
  "question-answered": ({ sim, ledger }, { id, answer }) => {
    sim.check(!ledger.used.has(id), "L18 answered", () => `question ${id} was answered again after its use`);
    if (ledger.questions.get(id) !== null) sim.saw("answer corrected");
    ledger.questions.set(id, answer);
    ledger.asking.delete(id);
    sim.saw("question answered");
  },
  overridden,
  "epoch-claimed": claimed,
  "holder-asked": ({ sim, ledger }, { epoch, question }) => {
    sim.check(epoch === ledger.epoch && !ledger.asked, "X17 asked", () => `epoch ${epoch} was asked again`);
    const holder = sim.processes.find(({ name }) => name === ledger.holder);
    ledger.asked = { question, sinceMs: sim.nowMs, wakes: holder?.wakes ?? 0 };
  },
  "holder-answered": ({ sim, ledger, process }, { question }) => {
    const isOwn = ledger.holder === process.name && ledger.asked?.question === question;
    sim.check(isOwn, "X17 answered", () => `${process.name} answered for ${ledger.holder}`);
    ledger.asked = null;
    sim.saw("holder answered");
  },
  "epoch-released": ({ sim, ledger, process }, { epoch, runMs }) => {
    const isOwn = ledger.holder === process.name && epoch === ledger.epoch;
    sim.check(isOwn, "X17 release", () => `${process.name} released epoch ${epoch} of ${ledger.holder}`);
    ledger.holder = null;
    ledger.asked = null;
    sim.holder = null;
    ledger.runMs = Math.max(ledger.runMs, runMs);
  },
  "slots-set": ({ sim, ledger }, { slots, until, only = null, onOrphan = "retry", fleet }) => {
    Object.assign(ledger, { slots, until, only, onOrphan });
    enterFleet(ledger, fleet);
    if (ledger.busy().length > slots) sim.saw("slots lowered below what runs");
  },
  "checkpoint-set": ({ sim, ledger, kinds }, { checkpoint }) => {
    if (!checkpoint) return;
    const { pending, completed, failed, spawned } = checkpoint;
    const listed = [...pending, ...completed, ...failed].sort();
    const isWhole = listed.join() === [...spawned].sort().join();
    sim.check(isWhole, "X20 batch", () => `batch of ${spawned.join(" ")} lists ${listed.join(" ")}`);
    if (
      checkpoint.recovery !== null &&
      kinds.some((kind) => kind === "task-completed" || kind === "task-failed")
    )
      sim.saw("checkpoint recovered a claim");
    for (const id of spawned)
      sim.check(id !== "", "X20 names", () => `a task of ${ledger.phase} has no name`);
  },
};

/** M7: what a plan that is verified as a whole may do, and what must be true then. */
function verifying({ sim, ledger }: Scene, way: string): boolean {
  const { verification: said, tip } = ledger;
  const isJudged = said !== null && said.tip === tip;
  switch (way) {
    case "executing verifying":
      sim.check(
        ledger.verify && ledger.isDone(),
        "M7 begin",
        () => "verified, and nobody asked, or too early",
      );
      return true;
    case "complete verifying":
      return true;
    case "verifying complete":
      sim.check(isJudged && said.passed, "M7 passed", () => `complete, and nobody passed ${tip}`);
      sim.saw("verified as a whole");
      return true;
    case "verifying gap_planning":
      sim.check(isJudged && !said.passed, "M7 gaps", () => `gaps are planned that nobody found in ${tip}`);
      sim.check(++ledger.gapPlans <= 2, "M7 bound", () => `gaps were planned ${ledger.gapPlans} times`);
      return true;
    case "gap_planning executing":
      sim.saw("gaps became tasks");
      return !ledger.isDone();
    case "verifying executing":
      return !ledger.isDone() || ledger.tasks.size === 0;
    default:
      return false;
  }
}

/** Facts that say at which run time they were decided: it only goes on. */
export function checkTime({ sim, ledger }: Scene, runMs: number): void {
  sim.check(runMs >= ledger.runMs, "G8 time", () => `run time went from ${ledger.runMs} back to ${runMs}`);
  ledger.runMs = Math.max(ledger.runMs, runMs);
}

function halted({ sim, ledger, kinds }: Scene, { code, now, reason }: FactOf<"halt-requested">): void {
  const isNew = ledger.halt === null || (now && !ledger.halt.now);
  sim.check(isNew, "C10 replaced", () => `the halt of ${ledger.halt?.code} was replaced by one of ${code}`);
  sim.check(reason !== "", "C10 reason", () => "a halt has no reason");
  if (code === "budget") {
    const isFree = ledger.due(ledger.runMs, (task) => !isOverBudget(ledger, task)).length > 0;
    const isRunCrossed = ledger.costUsd + ledger.largestCallUsd > (ledger.policy?.runBudgetUsd ?? 0);
    const isCrossed = isRunCrossed || ledger.ready().some((task) => isOverBudget(ledger, task));
    sim.check(isCrossed && !isFree, "C12 halt", () => "halted by a budget that some start would not cross");
    sim.saw("halted by a budget");
  }
  if (code === "orphans") {
    const isLost = kinds.includes("attempt-lost") || kinds.includes("job-parked");
    const isAsked = ledger.onOrphan === "abort" && isLost;
    sim.check(isAsked, "X14 abort", () => "halted by orphans, and nobody wanted that");
    sim.saw("halted by an orphan");
  }
  if (code === "place") {
    const isHeld = ["attempt-held", "job-held", "baseline-checked"].some((kind) =>
      kinds.includes(kind as FactKind),
    );
    sim.check(isHeld, "G7 halt", () => "halted by a place, and nothing is held for it");
    sim.saw("halted by a missing place");
  }
  if (code === "baseline")
    sim.check(kinds.includes("baseline-checked"), "X23 halt", () => "halted by a base that nobody looked at");
  if (code === "agent") {
    const isParked = kinds.includes("attempt-parked") || kinds.includes("job-parked");
    sim.check(isParked, "C10 unable", () => "halted by an agent that nobody parked");
    sim.saw("halted by an agent that cannot work");
  }
  if (ledger.engineAttempts() > 0)
    sim.saw(now ? "halted now with attempts running" : "halted with attempts running");
  ledger.halt = { code, now };
  if (!now) return;
  for (const { attempt } of ledger.tasks.values()) if (attempt) attempt.dueMs = null;
  if (ledger.job) ledger.job = { ...ledger.job, dueMs: null };
}

function overridden({ sim, ledger }: Scene, { phase, tasks, policy, reason }: FactOf<"overridden">): void {
  sim.check(reason.trim() !== "", "C9 reason", () => "an override has no reason");
  if (ledger.policy) ledger.policy = { ...ledger.policy, ...policy };
  if (phase !== null) ledger.phase = phase;
  if (policy.baseline === false) sim.saw("base was skipped");
  if (phase !== null && Object.keys(tasks).length === 0) sim.saw("phase overridden");
  for (const [id, state] of Object.entries(tasks)) {
    const task = ledger.at(id);
    begin(ledger, task, state);
    if (state === "running") {
      task.attempt = { ...hostAttempt, number: null, sinceMs: sim.nowMs };
    }
    sim.saw("state adopted");
  }
}

function claimed({ sim, ledger, process }: Scene, { epoch, holder }: FactOf<"epoch-claimed">): void {
  sim.check(epoch === ledger.epoch + 1, "X17 epoch", () => `epoch ${epoch} follows ${ledger.epoch}`);
  sim.check(holder.startTime === process.holder.startTime, "X17 holder", () => "claimed for another process");
  const before = sim.processes.find(({ name }) => name === ledger.holder);
  if (before) {
    // It may have woken up since it was looked at.
    const isFree =
      before.holder.host === process.holder.host
        ? process.thoughtDead === before.holder.startTime
        : isSilent(sim, ledger, before);
    sim.check(isFree, "X17 held", () => `${process.name} took the run from ${before.name}, which lives`);
    sim.saw(before.alive ? "took over from a stopped one" : "took over from a dead one");
  }
  if (ledger.engineAttempts() > 0) sim.saw("took over with attempts running");
  ledger.epoch = epoch;
  forget(ledger);
  ledger.holder = process.name;
  ledger.asked = null;
  sim.holder = process.name;
}

/** It was asked in time, and did not answer; one that lives and never stood still meanwhile would have. */
function isSilent(sim: Simulation, { asked }: Ledger, holder: SimProcess): boolean {
  if (!asked || sim.nowMs - asked.sinceMs < 1000) return false;
  const stood = !holder.alive || holder.frozen || holder.wakes > asked.wakes;
  sim.check(stood, "X17 answer", () => `${holder.name} lives, was asked whether it does, and said nothing`);
  sim.saw(holder.alive ? "took over from a silent one" : "took over from a dead one elsewhere");
  return true;
}

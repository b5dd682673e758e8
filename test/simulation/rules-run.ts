// What must be true of every fact about the run as a whole: one holder at a time (X17), time that only goes on,
// phases in their order (X15), halts with a reason (C10), questions answered once (C8).
import type { FactKind, FactOf } from "../../src/core/fact.ts";
import { begin } from "./ledger.ts";
import type { Rules, Scene } from "./rules.ts";
import { hostAttempt, isOverBudget } from "./rules-task.ts";

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
    ledger.halt = null;
    sim.saw("resumed");
  },
  "question-asked": ({ sim, ledger }, { id, about }) => {
    sim.check(!ledger.questions.has(id), "C8 asked", () => `question ${id} was asked twice`);
    ledger.asking.set(id, about);
    ledger.questions.set(id, ledger.questions.get(id) ?? null);
  },
  "question-answered": ({ sim, ledger }, { id, answer }) => {
    sim.check(ledger.questions.get(id) === null, "C8 answered", () => `question ${id} was answered twice`);
    ledger.questions.set(id, answer);
    ledger.asking.delete(id);
    sim.saw("question answered");
  },
  overridden,
  "epoch-claimed": claimed,
  "epoch-released": ({ sim, ledger, process }, { epoch, runMs }) => {
    const isOwn = ledger.holder === process.name && epoch === ledger.epoch;
    sim.check(isOwn, "X17 release", () => `${process.name} released epoch ${epoch} of ${ledger.holder}`);
    ledger.holder = null;
    sim.holder = null;
    ledger.runMs = Math.max(ledger.runMs, runMs);
  },
  "slots-set": ({ sim, ledger }, { slots, until, only = null, onOrphan = "retry" }) => {
    Object.assign(ledger, { slots, until, only, onOrphan });
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
    const isAsked = ledger.onOrphan === "abort" && kinds.includes("attempt-lost");
    sim.check(isAsked, "X14 abort", () => "halted by orphans, and nobody wanted that");
    sim.saw("halted by an orphan");
  }
  if (code === "agent") {
    sim.check(kinds.includes("attempt-parked"), "C10 unable", () => "halted by an agent that nobody parked");
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
    const isFree = !sim.looksAlive(before.holder);
    sim.check(isFree, "X17 held", () => `${process.name} took the run from ${before.name}, which lives`);
    sim.saw(before.alive ? "took over from a stopped one" : "took over from a dead one");
  }
  if (ledger.engineAttempts() > 0) sim.saw("took over with attempts running");
  ledger.epoch = epoch;
  ledger.holder = process.name;
  sim.holder = process.name;
}

// What must be true of every fact about a task: legal transitions only (X12), one start and one end per attempt
// (G2), nothing before its time (X3), nothing on the word of a stale executor (X17), nothing without evidence.
import type { FactKind, FactOf } from "../../src/core/fact.ts";
import { begin, claims, type Ledger, type TaskRecord } from "./ledger.ts";
import { checkPlace, hasRoom, wasGone, wasGoneWithWork } from "./machines.ts";
import type { Rules, Scene } from "./rules.ts";
import { current, limitOf, saidOf, wasLost, wasMissing } from "./rules-attempt.ts";

type Failing = FactOf<"attempt-failed"> | FactOf<"task-failed">;
type Ending = Failing | FactOf<"task-completed">;

export const taskRules: Rules<FactKind> = {
  "task-defined": define,
  "task-dropped": ({ sim, ledger }, { task: id }) => {
    sim.check(ledger.at(id).state !== "running", "X12 drop", () => `${id} was dropped while it ran`);
    ledger.tasks.delete(id);
    ledger.dropped.add(id);
    sim.saw("task dropped");
  },
  "plan-loaded": planLoaded,
  "task-started": started,
  "attempt-failed": (scene, fact) => {
    const { sim, ledger } = scene;
    const task = ended(scene, fact);
    const policy = ledger.policy;
    if (!task || !policy) return;
    const mayRetry = fact.retryable && task.tries < policy.attempts;
    sim.check(mayRetry, "X11 retry", () => `${fact.task} is tried again after ${task.tries} tries`);
    const waitMs = Math.min(policy.backoffCapMs, policy.backoffMs * 2 ** (task.tries - 1));
    sim.check(
      fact.notBeforeMs === fact.runMs + waitMs,
      "X11 back-off",
      () => `${fact.task} waits ${waitMs} ms`,
    );
    task.notBeforeMs = fact.notBeforeMs;
    task.state = "pending";
  },
  "task-failed": (scene, fact) => {
    const { sim, ledger } = scene;
    const isEngine = ledger.tasks.get(fact.task)?.attempt?.driver === "engine";
    // A limit may be crossed while the word that it was lost is still on its way.
    const isLost =
      fact.subcategory === "lost" &&
      saidOf(scene, fact.task).some((each) => wasLost(each) || wasGoneWithWork(each));
    const task = ended(scene, fact);
    if (!task) return;
    const isOver = !fact.retryable || task.tries >= (ledger.policy?.attempts ?? 0);
    const isLostForGood = ledger.onOrphan === "skip" || task.losses + 1 >= (ledger.policy?.losses ?? 0);
    sim.check(
      !isEngine || (isLost ? isLostForGood : isOver),
      "X11 give up",
      () => `${fact.task} failed after ${task.tries} tries and ${task.losses} losses`,
    );
    sim.check(fact.error !== "", "X11 reason", () => `${fact.task} failed, and nobody says why`);
    if (isEngine && isLost) sim.saw(ledger.onOrphan === "skip" ? "orphan skipped" : "lost too often");
    else if (isEngine && fact.retryable) sim.saw("retries used up");
    if (!isEngine) sim.saw("host failed a task");
    task.state = "failed";
    seeBlocked(scene);
  },
  "task-completed": completed,
  "task-retried": ({ sim, ledger }, { task: id }) => {
    const task = ledger.at(id);
    const isLegal = task.state === "failed" || task.attempt?.driver === "host";
    sim.check(isLegal, "X12 retry", () => `${id} was retried while ${task.state}`);
    begin(ledger, task, "pending");
    sim.saw("retried");
  },
  "task-skipped": ({ sim, ledger }, { task: id }) => {
    const task = ledger.at(id);
    const isLegal = task.state === "pending" || task.state === "failed";
    sim.check(isLegal, "X12 skip", () => `${id} was skipped while ${task.state}`);
    begin(ledger, task, "skipped");
    sim.saw("skipped");
  },
  "verification-recorded": (scene, { task: id, recommendation }) => {
    const { sim, ledger } = scene;
    const task = ledger.at(id);
    const was = task.verdict;
    task.verdict = recommendation;
    if (task.state !== "complete" || was === recommendation) return;
    if (recommendation === "BLOCK") sim.saw("held by a verification");
    else if (was === "BLOCK") sim.saw("released by a verification");
  },
};

function define({ sim, ledger }: Scene, { task: def, reset }: FactOf<"task-defined">): void {
  const old = ledger.tasks.get(def.id);
  for (const id of def.dependsOn)
    sim.check(ledger.tasks.has(id), "D10 order", () => `${def.id} was defined before ${id}`);
  if (!old) {
    if (ledger.dropped.has(def.id)) sim.saw("dropped task came back");
    const fresh = { attempts: 0, tries: 0, attempt: null, notBeforeMs: 0, verdict: null, losses: 0 };
    const nothing = { isVerified: false, costUsd: 0, evidence: null, commit: null };
    ledger.tasks.set(def.id, { def, state: "pending", ...fresh, ...nothing });
    return;
  }
  const isChanged = old.def.digest !== def.digest;
  sim.check(reset === isChanged, "D10 progress", () => `${def.id}: reset ${reset}, changed ${isChanged}`);
  sim.check(
    !isChanged || old.state !== "running",
    "X12 redefine",
    () => `${def.id} was changed while it ran`,
  );
  if (isChanged && old.state !== "pending") sim.saw("plan reloaded with progress reset");
  if (reset) begin(ledger, old, "pending");
  old.def = def;
}

function planLoaded({ sim, ledger, kinds }: Scene, fact: FactOf<"plan-loaded">): void {
  sim.check(
    fact.tasks === ledger.tasks.size,
    "D10 count",
    () => `${ledger.tasks.size} tasks, ${fact.tasks} told`,
  );
  const isWhole = [...ledger.tasks.values()].every(({ def }) =>
    def.dependsOn.every((id) => ledger.tasks.has(id)),
  );
  sim.check(isWhole, "D10 dependencies", () => "a task depends on one that was dropped");
  if (isWhole) ledger.remaining = ledger.measure();
  const isReload = kinds[0] !== "run-created";
  if (isReload && [...ledger.tasks.values()].some(({ state }) => state !== "pending"))
    sim.saw("plan reloaded with progress kept");
}

function started(scene: Scene, fact: FactOf<"task-started">): void {
  const { sim, ledger } = scene;
  const { task: id, attempt, driver } = fact;
  const task = ledger.at(id);
  const key = `${id}#${attempt}`;
  ledger.use((about) => about === id);
  sim.check(ledger.halt === null, "C10 start", () => `${key} started while halted`);
  sim.check(ledger.phase === "executing", "X1 start", () => `${key} started in ${ledger.phase}`);
  sim.check(task.state === "pending", "X12 start", () => `${key} started while ${task.state}`);
  sim.check(ledger.unmet(task) === 0, "X3 start", () => `${key} started before its dependencies`);
  // A task that was dropped and comes back is the same task to a late answer, so its numbers go on.
  const last = ledger.started.get(id) ?? 0;
  sim.check(attempt > last, "G2 start", () => `${key} started after ${id}#${last}`);
  if (driver === "engine") startedByEngine(scene, fact, task);
  else sim.saw("host started a task");
  ledger.started.set(id, attempt);
  task.state = "running";
  task.attempts = attempt;
  task.tries++;
  task.evidence = null;
  const base = fact.base ?? null;
  const stage = driver === "engine" ? "preparing" : "working";
  task.attempt = {
    ...hostAttempt,
    number: attempt,
    driver,
    stage,
    sinceMs: sim.nowMs,
    dueMs: fact.dueMs,
    base,
    ...(fact.machine !== undefined && { machine: fact.machine }),
  };
}

/** A host's attempt has no stages, no limit and no base. */
export const hostAttempt = {
  driver: "host",
  stage: "working",
  dueMs: null,
  base: null,
  workTree: null,
  candidate: null,
} as const;

function startedByEngine(scene: Scene, fact: FactOf<"task-started">, task: TaskRecord): void {
  const { sim, ledger } = scene;
  const { task: id, runMs, dueMs } = fact;
  const { policy } = ledger;
  if (!policy) return;
  sim.check(ledger.holder !== null, "X17 start", () => `${id} started and nobody holds the run`);
  sim.check(ledger.phase !== ledger.until, "X1 until", () => `${id} started past ${ledger.until}`);
  const isSeen = !policy.baseline || ledger.baseline?.stops === null;
  sim.check(isSeen, "X23 unseen", () => `${id} started before anybody had looked at the base`);
  checkPlace(scene, task, fact.machine);
  const { notBeforeMs } = task;
  sim.check(notBeforeMs <= runMs, "X11 wait", () => `${id} started at ${runMs}, not before ${notBeforeMs}`);
  sim.check(task.tries < policy.attempts, "X11 tries", () => `${id} started after ${task.tries} tries`);
  const wantedMs = runMs + policy.prepareLimitMs;
  sim.check(dueMs === wantedMs, "C7 limit", () => `${id} is due at ${dueMs}, not ${wantedMs}`);
  sim.check(!isOverBudget(ledger, task), "C12 start", () => `${id} started across its budget`);
  const isNamed = ledger.only === null || ledger.only.includes(id);
  sim.check(isNamed, "X1 only", () => `${id} started, and only ${ledger.only?.join(" ")} were named`);
  sim.check(![...ledger.asking.values()].includes(id), "C8 start", () => `${id} started without its answer`);
  startedBeside(scene, task);
  startedFrom(scene, fact, task);
  const [best] = ledger.due(runMs, (each) => !isOverBudget(ledger, each) && hasRoom(ledger, each));
  sim.check(best === task, "X3 order", () => `${id} started before ${best?.def.id}`);
  const [first] = ledger.ready();
  if (first !== task && (first?.notBeforeMs ?? 0) > runMs)
    sim.saw("passed by one that waits for its back-off");
  if (first !== task && first && isOverBudget(ledger, first)) sim.saw("passed by one over its budget");
  if (notBeforeMs > 0) sim.saw("waited for its back-off");
  if (ledger.only !== null) sim.saw("started because it was named");
  if (ledger.engineAttempts() >= ledger.slots) sim.saw("started beside one that waits in the queue");
}

/** No two that write the same files, or need the same thing for themselves, are worked on side by side (X3). */
function startedBeside({ sim, ledger }: Scene, task: TaskRecord): void {
  const own = claims(task);
  for (const other of ledger.tasks.values()) {
    const shared = other.state === "running" ? claims(other).filter((each) => own.includes(each)) : [];
    sim.check(shared.length === 0, "X3 claims", () => `${task.def.id} and ${other.def.id} want ${shared}`);
  }
  const isKept = ledger
    .ready()
    .some((each) => claims(each).some((name) => own.includes(name)) && each !== task);
  if (isKept) sim.saw("kept others from what it claims");
}

/** It begins from the tip of the branch, and what it depends on is in there (X10). */
function startedFrom({ sim, ledger }: Scene, fact: FactOf<"task-started">, task: TaskRecord): void {
  const { git } = sim;
  const { base = "", task: id, attempt } = fact;
  sim.check(
    base === ledger.tip,
    "X10 base",
    () => `${id} begins from ${base}, the branch is at ${ledger.tip}`,
  );
  if (git.commit(base) === undefined) return;
  for (const each of task.def.dependsOn) {
    const { commit } = ledger.at(each);
    const isIn = commit === null || git.isAncestor(commit, base);
    sim.check(isIn, "X10 dependency", () => `${id} begins from ${base}, without ${each}`);
  }
  git.bases.set(`${id}#${attempt}`, base);
}

/** One more call like the most expensive would cross a ceiling, those under way counted as well (C12). */
export function isOverBudget(ledger: Ledger, task: TaskRecord): boolean {
  const { policy, costUsd, largestCallUsd } = ledger;
  if (!policy) return false;
  const isOverRun = costUsd + largestCallUsd * (ledger.calls() + 1) > policy.runBudgetUsd;
  return isOverRun || (task.costUsd > 0 && task.costUsd + largestCallUsd > policy.taskBudgetUsd);
}

function completed(scene: Scene, fact: FactOf<"task-completed">): void {
  const { sim, ledger } = scene;
  const running = ledger.tasks.get(fact.task)?.attempt;
  const task = ended(scene, fact);
  if (!task || !running) return;
  task.state = "complete";
  task.isVerified = running.driver === "engine";
  sim.check(
    (fact.done === "verified") === (running.driver === "engine"),
    "G4 claim",
    () => `${fact.task}: ${fact.done}`,
  );
  if (running.driver === "host") {
    sim.saw("host completed a task");
    return;
  }
  const name = `${fact.task}#${fact.attempt}`;
  sim.check(ledger.merged.has(name), "G3 merged", () => `${name} completed and was never merged`);
}

/** An attempt ends once, by the word of the one that works on it, or at its limit and not before. */
function ended(scene: Scene, fact: Ending): TaskRecord | undefined {
  const { sim, ledger } = scene;
  const { task: id, attempt } = fact;
  const running = current(scene, id, attempt);
  if (!running) return undefined;
  const key = `${id}#${attempt}`;
  // A person's word may open an attempt again, and only then it ends again.
  sim.check(running.number === null || !ledger.finished.has(key), "G2 end", () => `${key} ended twice`);
  ledger.finished.add(key);
  if (running.driver === "engine" && fact.kind !== "task-completed") failedByEngine(scene, fact);
  const task = ledger.at(id);
  ledger.leave(task);
  return task;
}

function failedByEngine(scene: Scene, fact: Failing): void {
  const { sim, ledger } = scene;
  const task = ledger.at(fact.task);
  const { attempt } = task;
  if (!attempt || !ledger.policy) return;
  const name = `${fact.task}#${fact.attempt}`;
  if (fact.category !== "timeout") {
    const said = saidOf(scene, fact.task).filter(
      (each) => (!each.ok && !wasMissing(each)) || each.outcome?.evidence?.checks.length === 0,
    );
    sim.check(said.length > 0, "X17 word", () => `${name} failed and nobody said so`);
    // Somebody else's move is no failure, and neither is a lost agent up to a limit.
    const isMoved = said.some(({ outcome }) => outcome?.ok === false && outcome.kind === "branch-moved");
    sim.check(!isMoved, "G3 moved", () => `${name} failed because somebody moved the branch`);
    const isLost = said.some(wasLost) && fact.kind === "attempt-failed";
    sim.check(!isLost, "X14 lost", () => `${name} was lost, and that cost a try`);
    const isGone = said.some(wasGone) && fact.subcategory !== "lost";
    sim.check(!isGone, "U5 try", () => `the machine of ${name} was gone, and that cost a try`);
    if (attempt.stage === "checking" && saidOf(scene, fact.task).some((said) => !said.good))
      sim.saw("lie caught by the checks");
    return;
  }
  const { stage, dueMs } = attempt;
  const isWaiting = stage === "integrating" && ledger.want(task)?.kind !== "check-merge";
  sim.check(!isWaiting, "C7 queue", () => `${name} ended at a limit while it waited in the queue`);
  sim.check(ledger.halt?.now !== true, "C10 expired", () => `${name} ended at a limit while halted`);
  const limitMs = limitOf(ledger.policy, stage);
  if (fact.kind === "attempt-failed")
    sim.check(
      dueMs !== null && fact.runMs >= dueMs,
      "C7 early",
      () => `${name} ended at ${fact.runMs}, due at ${dueMs}`,
    );
  const passedMs = sim.nowMs - attempt.sinceMs;
  const leastMs = limitMs - 2 - sim.writtenWithinMs;
  sim.check(passedMs >= leastMs, "C7 cut short", () => `${name} had ${passedMs} of ${limitMs} ms`);
  sim.saw(`limit for ${stage} crossed`);
}

function seeBlocked({ sim, ledger }: Scene): void {
  const blocked = [...ledger.tasks.values()].filter((task) => ledger.isBlocked(task));
  if (blocked.length > 0) sim.saw("blocked by a failure");
  if (blocked.some(({ def }) => def.dependsOn.some((id) => ledger.isBlocked(ledger.at(id)))))
    sim.saw("blocked through another");
}

// What must be true of every fact about a task: legal transitions only (X12), one start and one end per attempt
// (G2), nothing before its time (X3), nothing on the word of a stale executor (X17), nothing without evidence.
import type { FactKind, FactOf } from "../../src/core/fact.ts";
import type { TaskId } from "../../src/core/run.ts";
import { begin, type Ledger, type TaskRecord } from "./ledger.ts";
import type { Rules, Said, Scene } from "./rules.ts";

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
  "stage-entered": (scene, { task: id, attempt, stage, runMs, dueMs }) => {
    const { sim, ledger } = scene;
    const running = current(scene, id, attempt);
    if (!running) return;
    const isOk = saidOf(scene, id).some((said) => said.ok);
    sim.check(isOk, "X17 word", () => `${id}#${attempt} went on to ${stage} and its agent never said so`);
    sim.check(
      running.stage === "working",
      "X12 stage",
      () => `${id}#${attempt} was ${running.stage} already`,
    );
    const limitMs = ledger.policy?.checkLimitMs ?? 0;
    sim.check(
      dueMs === runMs + limitMs,
      "C7 limit",
      () => `${id}#${attempt} is due at ${dueMs}, from ${runMs}`,
    );
    Object.assign(running, { stage, sinceMs: sim.nowMs, dueMs });
  },
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
    const task = ended(scene, fact);
    if (!task) return;
    const isOver = !fact.retryable || task.tries >= (ledger.policy?.attempts ?? 0);
    sim.check(!isEngine || isOver, "X11 give up", () => `${fact.task} failed after ${task.tries} tries`);
    if (isEngine && fact.retryable) sim.saw("retries used up");
    if (!isEngine) sim.saw("host failed a task");
    task.state = "failed";
    seeBlocked(scene);
  },
  "task-completed": completed,
  "task-retried": ({ sim, ledger }, { task: id }) => {
    const task = ledger.at(id);
    const isLegal = task.state === "failed" || task.attempt?.driver === "host";
    sim.check(isLegal, "X12 retry", () => `${id} was retried while ${task.state}`);
    begin(task, "pending");
    sim.saw("retried");
  },
  "task-skipped": ({ sim, ledger }, { task: id }) => {
    const task = ledger.at(id);
    const isLegal = task.state === "pending" || task.state === "failed";
    sim.check(isLegal, "X12 skip", () => `${id} was skipped while ${task.state}`);
    begin(task, "skipped");
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
    const fresh = { attempts: 0, tries: 0, attempt: null, notBeforeMs: 0, verdict: null };
    ledger.tasks.set(def.id, { def, state: "pending", ...fresh, isVerified: false, costUsd: 0 });
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
  if (reset) begin(old, "pending");
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
  task.attempt = { number: attempt, driver, stage: "working", sinceMs: sim.nowMs, dueMs: fact.dueMs ?? 0 };
}

function startedByEngine(scene: Scene, fact: FactOf<"task-started">, task: TaskRecord): void {
  const { sim, ledger } = scene;
  const { task: id, runMs, dueMs } = fact;
  const running = ledger.engineAttempts();
  const { policy } = ledger;
  if (!policy) return;
  sim.check(ledger.holder !== null, "X17 start", () => `${id} started and nobody holds the run`);
  sim.check(ledger.phase !== ledger.until, "X1 until", () => `${id} started past ${ledger.until}`);
  sim.check(running < ledger.slots, "X3 slots", () => `${id} started beside ${running} of ${ledger.slots}`);
  sim.check(
    task.notBeforeMs <= runMs,
    "X11 wait",
    () => `${id} started at ${runMs}, not before ${task.notBeforeMs}`,
  );
  sim.check(task.tries < policy.attempts, "X11 tries", () => `${id} started after ${task.tries} tries`);
  sim.check(
    dueMs === runMs + policy.workLimitMs,
    "C7 limit",
    () => `${id} is due at ${dueMs}, from ${runMs}`,
  );
  sim.check(!isOverBudget(ledger, task), "C12 start", () => `${id} started across its budget`);
  const ready = ledger.ready();
  const best = ready.find((each) => each.notBeforeMs <= runMs);
  sim.check(best === task, "X3 order", () => `${id} started before ${best?.def.id}`);
  if (ready[0] !== task) sim.saw("passed by one that waits for its back-off");
  if (task.notBeforeMs > 0) sim.saw("waited for its back-off");
  if (running + 1 === ledger.slots) sim.saw("every slot taken");
}

/** One more call as dear as the dearest would cross a ceiling (C12). */
export function isOverBudget(ledger: Ledger, task: TaskRecord): boolean {
  const { policy, costUsd, largestCallUsd } = ledger;
  if (!policy) return false;
  const isOverRun = costUsd + largestCallUsd > policy.runBudgetUsd;
  return isOverRun || (task.costUsd > 0 && task.costUsd + largestCallUsd > policy.taskBudgetUsd);
}

function completed(scene: Scene, fact: FactOf<"task-completed">): void {
  const { sim, ledger } = scene;
  const running = ledger.tasks.get(fact.task)?.attempt;
  const evidence = saidOf(scene, fact.task).filter((said) => said.ok);
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
  sim.check(running.stage === "checking", "G4 checks", () => `${name} completed while ${running.stage}`);
  sim.check(evidence.length > 0, "G4 evidence", () => `${name} completed without passed checks`);
  const isBound = evidence.some((said: Said) => said.digest === task.def.digest);
  sim.check(isBound, "G4 definition", () => `${name} completed by the evidence of another definition`);
  sim.check(
    evidence.every((said) => said.good),
    "G4 lie",
    () => `${name} completed by a lie`,
  );
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
  task.attempt = null;
  return task;
}

function failedByEngine(scene: Scene, fact: Failing): void {
  const { sim, ledger } = scene;
  const task = ledger.at(fact.task);
  const { attempt } = task;
  if (!attempt || !ledger.policy) return;
  const name = `${fact.task}#${fact.attempt}`;
  if (fact.category !== "timeout") {
    const isSaid = saidOf(scene, fact.task).some((said) => !said.ok);
    sim.check(isSaid, "X17 word", () => `${name} failed and nobody said so`);
    if (attempt.stage === "checking" && saidOf(scene, fact.task).some((said) => !said.good))
      sim.saw("lie caught by the checks");
    return;
  }
  const isWork = attempt.stage === "working";
  const limitMs = isWork ? ledger.policy.workLimitMs : ledger.policy.checkLimitMs;
  if (fact.kind === "attempt-failed")
    sim.check(
      fact.runMs >= attempt.dueMs,
      "C7 early",
      () => `${name} ended at ${fact.runMs}, due at ${attempt.dueMs}`,
    );
  const passedMs = sim.nowMs - attempt.sinceMs;
  sim.check(passedMs >= limitMs - 2, "C7 cut short", () => `${name} had ${passedMs} of ${limitMs} ms`);
  sim.saw(isWork ? "limit for working crossed" : "limit for checking crossed");
}

/** The attempt that the fact is about, if it is the one that runs. */
function current({ sim, ledger }: Scene, id: TaskId, attempt: number): TaskRecord["attempt"] {
  const task = ledger.tasks.get(id);
  const number = task?.attempt?.number ?? attempt;
  const isCurrent = task?.state === "running" && number === attempt;
  sim.check(isCurrent, "X17 attempt", () => `${id}#${attempt} is not running: it is ${task?.state}`);
  return isCurrent ? (task?.attempt ?? null) : null;
}

/** What was said about the present stage of the present attempt under the present epoch. */
function saidOf({ ledger, said }: Scene, id: TaskId): readonly Said[] {
  const attempt = ledger.tasks.get(id)?.attempt;
  if (!attempt) return [];
  const effect = attempt.stage === "working" ? "run-agent" : "run-checks";
  return said(`${effect}:${id}#${attempt.number}@${ledger.epoch}`);
}

function seeBlocked({ sim, ledger }: Scene): void {
  const blocked = [...ledger.tasks.values()].filter((task) => ledger.isBlocked(task));
  if (blocked.length > 0) sim.saw("blocked by a failure");
  if (blocked.some(({ def }) => def.dependsOn.some((id) => ledger.isBlocked(ledger.at(id)))))
    sim.saw("blocked through another");
}

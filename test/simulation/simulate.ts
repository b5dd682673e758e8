// One seed, one history: faults first, with everything checked at every commit; then no more faults, and the run
// must come to its end.
import type { Input, InputOf } from "../../src/core/input.ts";
import { carryOut, type Draft } from "../../src/core/step.ts";
import { StoreFailure } from "../../src/journal/journal.ts";
import { Agents } from "./agents.ts";
import { noFaults } from "./fault.ts";
import { drawInput, driveInput, madeByRoles, registerInput } from "./inputs.ts";
import { Oracle, runId } from "./oracle.ts";
import { type Manner, startOrchestrator, type Troupe } from "./orchestrator.ts";
import { drawPlan, morePlan } from "./plan.ts";
import type { SimProcess } from "./process.ts";
import { type Settling, settle } from "./settle.ts";
import { Simulation, type SimulationOptions, type Violation } from "./simulation.ts";
import { journalOf, SimJournal } from "./store.ts";
import { Watch } from "./watch.ts";

export interface History {
  readonly seed: number;
  readonly hash: string;
  readonly steps: number;
  readonly virtualMs: number;
  readonly entries: number;
  readonly crashes: number;
  readonly sometimes: ReadonlyMap<string, number>;
  readonly known: ReadonlyMap<string, number>;
  readonly violation: Violation | null;
  readonly last: readonly string[];
}

/** Far more than any history takes: reached only by something that goes round and round. */
const mostSteps = 60_000;

export async function simulate(options: SimulationOptions): Promise<History> {
  const sim = new Simulation(options);
  const troupe = assemble(sim);
  try {
    await create(troupe);
    await live(troupe);
    if (!sim.violation) troupe.oracle.checkAll();
  } catch (error) {
    sim.fail("bug", error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  options.ended?.(sim.disk.log);
  const { seed, trace, schedule, crashes, sometimes, knownSeen, violation } = sim;
  return {
    seed,
    hash: trace.hash,
    steps: schedule.steps,
    virtualMs: schedule.nowMs,
    entries: sim.disk.log.length,
    crashes,
    sometimes,
    known: knownSeen,
    violation,
    last: trace.last(),
  };
}

function assemble(sim: Simulation): Troupe {
  const orchestrators: Troupe["orchestrators"] = new Map();
  let questions = 0;
  const agents: Agents = new Agents(sim, {
    knowledge: {
      digestOf: (task) => oracle.ledger.tasks.get(task)?.def.digest ?? "",
      newPlan: () => drawPlan(sim.random),
      morePlan: () => morePlan(sim.random, oracle.ledger),
      tip: () => oracle.ledger.tip,
      nextQuestion: () => `R${++questions}`,
    },
    mail: (key, outcome) => {
      for (const { process, inbox } of orchestrators.values())
        process.after(sim.random.between(0, 5), () => inbox.put({ kind: "effect-ended", key, outcome }));
    },
  });
  const oracle: Oracle = new Oracle(sim, {
    said: (key) => agents.said(key),
    classify: (problem) => {
      if (problem.code === "late") agents.classify(problem, oracle.ledger);
      if (problem.code === "answered-already") sim.saw("second answer refused");
      if (problem.code === "budget") sim.saw("resume refused by a budget");
      if (problem.code === "task-running") sim.saw("plan reload refused: task running");
      if (["cycle", "unknown-dependency", "duplicate-task"].includes(problem.code))
        sim.saw("plan refused: unsound");
    },
  });
  return { sim, oracle, agents, orchestrators };
}

/** A run with its artifacts and its plan. Nothing strikes before it is there. */
async function create(troupe: Troupe): Promise<void> {
  const { sim, agents } = troupe;
  const { random, faults } = sim;
  sim.faults = noFaults;
  const isPoor = random.chance(0.25);
  const policy = {
    attempts: random.between(1, 3),
    backoffMs: random.between(10, 80),
    backoffCapMs: random.between(60, 300),
    prepareLimitMs: random.between(300, 600),
    workLimitMs: random.between(300, 900),
    checkLimitMs: random.between(300, 600),
    runBudgetUsd: isPoor ? random.between(5, 40) : 1e6,
    taskBudgetUsd: isPoor ? random.between(3, 10) : 1e6,
    review: random.chance(0.3),
    losses: random.between(1, 4),
    baseline: random.chance(0.4),
  };
  const { prepareLimitMs: prepare, workLimitMs: work, checkLimitMs: check } = policy;
  agents.limitsMs = { prepare, work, check };
  const inputs: Input[] = [{ kind: "create", targetDir: "/target", planningDir: "/planning", policy }];
  const isPlanned = random.chance(0.55);
  for (const artifact of ["spec", ...madeByRoles.filter(() => isPlanned || random.chance(0.4))])
    inputs.push(registerInput(artifact));
  if (isPlanned || random.chance(0.4)) inputs.push({ kind: "load-plan", tasks: drawPlan(random) });
  const process = sim.spawn("operator");
  const journal = journalOf(sim, troupe.oracle, process);
  const created = journal.transact({ protocol: "decomposition" }, process.name, (draft) =>
    inputs.flatMap((input) => carryOut(draft, input)),
  );
  while (await sim.schedule.step());
  await created;
  process.end(false);
  sim.faults = faults;
}

async function live(troupe: Troupe): Promise<void> {
  const { sim } = troupe;
  const { random, schedule } = sim;
  const untilMs = schedule.nowMs + random.between(800, 6000);
  const watch = new Watch(troupe);
  let settling: Settling | undefined;
  let lookMs = 0;
  sim.moving = (by) => strikeMoving(troupe, by);
  sim.moved = (by) => sim.schedule.after(random.between(0, 5), () => strikeMoved(troupe, by));
  startOrchestrator(troupe, drawManner(troupe));
  strikeLater(troupe);
  while (!sim.violation) {
    if (!settling && schedule.nowMs >= untilMs) settling = settle(troupe, operate);
    if (schedule.nowMs >= lookMs) {
      watch.look();
      lookMs = schedule.nowMs + 25;
      if (settling?.isOver()) return;
    }
    if (!(await schedule.step())) throw new Error("nothing is left to happen");
    if (schedule.steps > mostSteps) sim.fail("C7 busy loop", `${mostSteps} steps in ${schedule.nowMs} ms`);
  }
}

function drawManner({ sim: { random, nowMs }, oracle: { ledger } }: Troupe): Manner {
  const slots = random.pick([1, 2, 3, 3, 5]);
  return { drive: driveInput({ random, ledger, nowMs }, slots), stays: random.chance(0.6) };
}

/** What comes from outside, one thing after the other, for as long as there are faults. */
function strikeLater(troupe: Troupe): void {
  const { sim } = troupe;
  sim.schedule.after(sim.random.between(2, sim.faults.quietMs), () => {
    if (sim.settling) return;
    strike(troupe);
    strikeLater(troupe);
  });
}

function strike(troupe: Troupe): void {
  const { sim, oracle, agents } = troupe;
  const { random, faults, nowMs } = sim;
  const { kill, freeze, powerCut, rival, change, meddle } = faults;
  const living = sim.living("orchestrator");
  if (living.length === 0 && random.chance(0.3)) startOrchestrator(troupe, drawManner(troupe));
  switch (random.weighted({ input: 10, kill, freeze, powerCut, rival, change, meddle })) {
    case "input":
      operate(troupe, drawInput({ random, ledger: oracle.ledger, nowMs }));
      return;
    case "kill":
      if (living.length === 0) return;
      sim.saw("was killed");
      sim.crash(random.pick(living), "by kill -9");
      return;
    case "freeze":
      if (living.length > 0) standStill(troupe, random.pick(living));
      return;
    case "powerCut":
      for (const process of sim.processes) {
        if (process.alive) sim.saw("died by a power cut");
        sim.crash(process, "by a power cut");
      }
      agents.cutPower();
      sim.disk.cutPower();
      oracle.checkAcknowledged();
      return;
    case "rival":
      startOrchestrator(troupe, drawManner(troupe));
      return;
    case "change":
      changeMind(troupe);
      return;
    case "meddle":
      sim.git.meddle();
      sim.note(`somebody moves the branch to ${sim.git.tip}`);
  }
}

/** The mover stands still, and another takes the run before it wakes. */
function strikeMoving(troupe: Troupe, by: SimProcess): void {
  const { sim } = troupe;
  const { freeze, frozenLooksDead } = sim.faults;
  if (sim.settling || !frozenLooksDead || !sim.random.chance(freeze / 8)) return;
  standStill(troupe, by, 90);
  startOrchestrator(troupe, drawManner(troupe));
}

/** The worst moment: the branch has moved, and it is not written down. */
function strikeMoved(troupe: Troupe, by: SimProcess): void {
  const { sim } = troupe;
  const { kill, change, meddle } = sim.faults;
  if (sim.settling || !sim.random.chance(0.15)) return;
  if (sim.random.chance(meddle / 4)) sim.git.meddle();
  if (sim.random.chance(change / 8)) changeMind(troupe);
  else if (sim.random.chance(kill / 4)) sim.crash(by, "after a move");
}

function changeMind(troupe: Troupe): void {
  const { sim } = troupe;
  operate(troupe, { kind: "halt", reason: "oh no", now: true });
  const again: Input = { kind: "resume", stopFile: false };
  sim.schedule.after(sim.random.between(40, 160), () => operate(troupe, again));
}

function standStill({ sim }: Troupe, process: SimProcess, mostMs = 2500): void {
  if (process.frozen) return;
  process.frozen = true;
  sim.note(`${process.name} STANDS STILL`);
  sim.schedule.after(sim.random.between(20, mostMs), () => {
    if (!process.frozen || !process.alive) return;
    sim.saw("stood still and woke up");
    sim.note(`${process.name} WAKES UP`);
    process.thaw();
  });
}

/** A one-shot command. Who dies over it does not know what became of it, and may well try again. */
function operate(troupe: Troupe, input: Input): void {
  const { sim } = troupe;
  const process = sim.spawn("operator");
  sim.note(`${process.name} asks for ${JSON.stringify(input).slice(0, 100)}`);
  process.ended = (crashed) => {
    if (!crashed || sim.settling || !sim.random.chance(0.5)) return;
    sim.saw("command repeated after an unknown result");
    operate(troupe, input);
  };
  submit(troupe, process, input)
    .catch((error: unknown) => sim.fail("bug", error instanceof Error ? (error.stack ?? "") : String(error)))
    .finally(() => process.end(false));
}

/**
 * git goes first, under the lock of the journal: who dies in between has reverted what the run still counts on. Nobody
 * takes anything back while somebody else has the run and is about to look at its branch.
 */
function reverted(sim: Simulation, { run }: Draft, input: InputOf<"undo">): Input {
  const { git } = sim;
  const task = run.tasks.get(input.task);
  const isMerged = task?.state === "complete" && task.commit !== null;
  if (run.branch && sim.git.tip !== run.branch.tip && run.holder && sim.looksAlive(run.holder))
    return { kind: "tick" };
  return isMerged ? { ...input, commit: git.revert(`${input.task}#${task.attempts}`) } : input;
}

/** Goes on with the same journal after a failure of the store: what failed must have left nothing behind. */
async function submit({ sim, oracle }: Troupe, process: SimProcess, input: Input): Promise<void> {
  // An undo is modelled as one step with git's revert inside of the decision, which so cannot be asked twice.
  const journal =
    input.kind === "undo" ? new SimJournal(sim, oracle, process) : journalOf(sim, oracle, process);
  for (let tries = 0; tries < 3; tries++) {
    try {
      const { problems } = await journal.transact({ run: runId }, process.name, (draft) =>
        carryOut(draft, input.kind === "undo" ? reverted(sim, draft, input) : input),
      );
      if (problems[0]) sim.note(`${process.name} is refused: ${problems[0].message}`);
      const task = input.kind === "retry" ? oracle.ledger.tasks.get(input.task) : undefined;
      if (task?.state === "pending" && problems.length === 0) sim.saw("causes of a blockage retried");
      return;
    } catch (error) {
      if (!(error instanceof StoreFailure)) throw error;
    }
  }
}

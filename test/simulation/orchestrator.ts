// One orchestrator, from its claim to its end: the real Hold, Inbox, LocalWorld and loop, wired as a command would
// wire them, on a simulated process.

import { isAtRest } from "../../src/core/idle.ts";
import type { InputOf, Outcome } from "../../src/core/input.ts";
import { isWaiting } from "../../src/core/queue.ts";
import { type Run, type Task, taskOf } from "../../src/core/run.ts";
import { Hold, Replaced } from "../../src/engine/hold.ts";
import { Inbox } from "../../src/engine/inbox.ts";
import { orchestrate } from "../../src/engine/loop.ts";
import { LocalWorld } from "../../src/engine/world.ts";
import { StoreFailure } from "../../src/journal/journal.ts";
import type { Agents } from "./agents.ts";
import { Carrying } from "./carriers.ts";
import { startOfBranch } from "./git.ts";
import { type Oracle, runId } from "./oracle.ts";
import type { SimProcess } from "./process.ts";
import type { Simulation } from "./simulation.ts";
import { journalOf } from "./store.ts";

export interface Orchestrator {
  readonly process: SimProcess;
  readonly inbox: Inbox;
  readonly carrying: Carrying;
}

export interface Troupe {
  readonly sim: Simulation;
  readonly oracle: Oracle;
  readonly agents: Agents;
  /** Those that hold, or think that they hold, the run. */
  readonly orchestrators: Map<SimProcess, Orchestrator>;
}

export interface Manner {
  /** How to drive the run; nothing goes on as the one before did. */
  readonly drive: InputOf<"drive"> | null;
  /** Whether it stays while the run is halted or stuck, waiting for somebody. */
  readonly stays: boolean;
}

export function startOrchestrator(troupe: Troupe, manner: Manner): void {
  const { sim, agents, orchestrators } = troupe;
  const process = sim.spawn("orchestrator");
  process.ended = () => {
    orchestrators.delete(process);
    agents.ownerEnded(process);
  };
  work(troupe, process, manner).catch((error: unknown) => end(sim, process, error));
}

async function work(troupe: Troupe, process: SimProcess, manner: Manner): Promise<void> {
  const { sim, oracle, agents } = troupe;
  const journal = journalOf(sim, oracle, process);
  const hold = await Hold.take({
    journal,
    run: runId,
    by: process.name,
    clock: process.clock,
    holder: process.holder,
    isElsewhere: (holder) => holder.host !== process.holder.host,
    // One second: processes stand still for up to two and a half.
    looks: 2,
    isAlive: (holder) => {
      if (holder.host !== process.holder.host) return true;
      const isAlive = sim.looksAlive(holder);
      if (!isAlive) process.thoughtDead = holder.startTime;
      return isAlive;
    },
  });
  if (!(hold instanceof Hold)) {
    sim.note(`${process.name} is refused: ${hold[0]?.message}`);
    sim.saw("claim refused");
    process.end(false);
    return;
  }
  const inbox = new Inbox(process.clock);
  hold.whenOthersWrite(() => inbox.poke());
  const carrying = new Carrying({ sim, agents, process, journal });
  const world = new LocalWorld(carrying.carriers, (key, outcome) =>
    deliver(troupe, { process, inbox, key, outcome }),
  );
  troupe.orchestrators.set(process, { process, inbox, carrying });
  try {
    // The branch is looked at once the run is held: nobody else moves it for this run from here on.
    const { tip } = sim.git;
    await hold.submit({ kind: "open-branch", name: `heddle/${runId}`, start: startOfBranch, tip });
    if (manner.drive) await hold.submit(manner.drive);
    const finished = (run: Run) => {
      const isOver = isAtRest(run) && (!manner.stays || run.phase === "complete");
      const left = run.halt?.now ? undefined : run.running.find((id) => isLeft(run, taskOf(run, id)));
      sim.check(!isOver || left === undefined, "X14 leaves", () => `${process.name} leaves ${left} behind`);
      return isOver;
    };
    await orchestrate({ hold, world, inbox, finished });
  } catch (error) {
    await world.stop();
    throw error;
  }
  await world.stop();
  sim.check(!agents.hasLiving(process), "G5 left over", () => `an agent of ${process.name} outlives its end`);
  await hold.release();
  sim.note(`${process.name} has finished`);
  process.end(false);
}

/** Something could still be done for it: neither is it held, nor does it wait in a halted run behind what is. */
function isLeft(run: Run, task: Task): boolean {
  const { attempt } = task;
  if (attempt?.driver !== "engine" || attempt.held) return false;
  return !run.halt || !isWaiting(run, task);
}

function end(sim: Simulation, process: SimProcess, error: unknown): void {
  const isExpected = error instanceof Replaced || error instanceof StoreFailure;
  if (!isExpected) sim.fail("bug", error instanceof Error ? (error.stack ?? error.message) : String(error));
  if (error instanceof Replaced) sim.saw("woke up replaced");
  sim.note(`${process.name} stops: ${error instanceof Error ? error.message : error}`);
  process.end(false);
}

interface Answer {
  readonly process: SimProcess;
  readonly inbox: Inbox;
  readonly key: string;
  readonly outcome: Outcome;
}

/** An answer on its way into the loop; at times it comes twice. */
function deliver({ sim, agents }: Troupe, { process, inbox, key, outcome }: Answer): void {
  sim.note(`${process.name} hears of ${key}: ${outcome.ok ? "ok" : outcome.error}`);
  agents.answered(key);
  inbox.put({ kind: "effect-ended", key, outcome });
  if (!sim.random.chance(sim.faults.answerTwice)) return;
  sim.saw("answer doubled");
  process.after(sim.random.between(0, 200), () => {
    agents.answered(key);
    inbox.put({ kind: "effect-ended", key, outcome });
  });
}

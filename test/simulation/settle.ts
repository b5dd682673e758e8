// The end of a history: no more faults, and somebody who looks after the run. Every task must then come to rest
// within a bound of virtual time, or the run must be halted and say why.
import type { Input } from "../../src/core/input.ts";
import { noFaults } from "./fault.ts";
import { madeByRoles, registerInput } from "./inputs.ts";
import type { Ledger } from "./ledger.ts";
import { startOrchestrator, type Troupe } from "./orchestrator.ts";

export interface Settling {
  isOver(): boolean;
}

/** At rest means at rest for this long: what still comes must change nothing. */
const restMs = 400;

export function settle(troupe: Troupe, operate: (troupe: Troupe, input: Input) => void): Settling {
  const { sim, oracle } = troupe;
  const staysHalted = sim.random.chance(0.1);
  sim.note("NO MORE FAULTS");
  sim.settling = true;
  sim.faults = noFaults;
  sim.git.clashes = { text: 0, meaning: 0 };
  sim.viewBrokenUntilMs = 0;
  for (const process of sim.processes) if (process.alive && process.frozen) process.thaw();
  if (sim.random.chance(0.3))
    for (const process of sim.living("orchestrator")) sim.crash(process, "as the last of all faults");
  const boundMs = sim.nowMs + 20_000 + oracle.ledger.tasks.size * 1500;
  let restSinceMs: number | undefined;
  look(troupe, { staysHalted, operate });
  return {
    isOver: () => {
      if (!isAtRest(troupe, staysHalted)) restSinceMs = undefined;
      else restSinceMs ??= sim.nowMs;
      if (restSinceMs !== undefined && sim.nowMs - restSinceMs > restMs) {
        see(troupe);
        return true;
      }
      sim.check(sim.nowMs < boundMs, "X15 never ends", () => open(troupe));
      return false;
    },
  };
}

interface Care {
  readonly staysHalted: boolean;
  readonly operate: (troupe: Troupe, input: Input) => void;
}

/** Looks after the run every now and then, one thing at a time. */
function look(troupe: Troupe, care: Care): void {
  const { sim, oracle } = troupe;
  sim.schedule.after(sim.random.between(50, 150), () => {
    const input = needed(troupe, care.staysHalted);
    if (input) care.operate(troupe, input);
    const { ledger } = oracle;
    if (sim.living("orchestrator").length === 0 && !isAtRest(troupe, care.staysHalted))
      startOrchestrator(troupe, {
        drive: isLimited(ledger) ? { kind: "drive", slots: 2 } : null,
        stays: sim.random.chance(0.5),
      });
    look(troupe, care);
  });
}

/** Somebody wanted only a part of it done, or the run halted again at every loss. */
function isLimited({ slots, until, only, onOrphan }: Ledger): boolean {
  return slots === 0 || until !== null || only !== null || onOrphan === "abort";
}

function needed({ oracle: { ledger } }: Troupe, staysHalted: boolean): Input | undefined {
  for (const [id, { attempt }] of ledger.tasks)
    if (attempt?.driver === "host") return { kind: "complete", task: id, created: [], modified: [] };
  for (const [id, answer] of ledger.questions)
    if (answer === null) return { kind: "answer", id, answer: "a" };
  if (staysHalted) return ledger.halt ? undefined : { kind: "halt", reason: "for the night" };
  if (ledger.halt)
    return { kind: "resume", stopFile: false, budgetUsd: Math.ceil(ledger.costUsd) * 2 + 1000 };
  if (isLimited(ledger)) return { kind: "drive", slots: 2 };
  if (ledger.phase !== "complete" || ledger.isDone()) return undefined;
  // The plan grew after its end. Going back to work wants every gate on the way passed.
  const missing = madeByRoles.find((name) => !ledger.artifacts.has(name));
  return missing
    ? registerInput(missing)
    : { kind: "adopt", reason: "the plan grew", phase: "executing", tasks: {}, digests: {} };
}

function isAtRest({ oracle: { ledger } }: Troupe, staysHalted: boolean): boolean {
  if (staysHalted) return ledger.halt !== null && (ledger.halt.now || ledger.isIdle());
  const isEnded =
    ledger.phase === "complete" || hasGaps(ledger) || !ledger.isDone() || ledger.tasks.size === 0;
  return ledger.isAtRest() && isEnded && ledger.halt === null && ledger.job === null;
}

/** Verified, found wanting, and planned again as often as may be: a person's turn. */
function hasGaps({ phase, verification, tip, gapPlans }: Ledger): boolean {
  return phase === "verifying" && verification?.passed === false && verification.tip === tip && gapPlans >= 2;
}

function see({ sim, oracle: { ledger } }: Troupe): void {
  if (ledger.halt) sim.saw("ended halted");
  else if (ledger.isDone()) sim.saw("every task done");
  else sim.saw("ended stuck behind a failure");
}

function open({ oracle: { ledger } }: Troupe): string {
  const left = [...ledger.tasks.values()].filter((task) =>
    ["pending", "running"].includes(ledger.status(task)),
  );
  const names = left.map((task) => `${task.def.id} is ${ledger.status(task)}`);
  return `in ${ledger.phase}, ${ledger.halt ? `halted by ${ledger.halt.code}` : "not halted"}: ${names.join(", ")}`;
}

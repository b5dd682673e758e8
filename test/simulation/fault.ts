// Which faults a seed knows, and how often they strike. Each seed draws its own mix: a fault that is never alone
// hides what it does, and a fault that is always there hides what the others do.
import type { Random } from "./random.ts";

/** Probabilities per occasion, unless they say otherwise. */
export interface Faults {
  /** An orchestrator dies before its transaction, or after it and before it hears of it. */
  crashBeforeCommit: number;
  crashAfterCommit: number;
  /** The same for an operator's one-shot command. */
  operatorCrash: number;
  /** An orchestrator dies just before, or just after, an effect is carried out. */
  crashAtEffect: number;
  /** The store answers with a failure, and nothing was written. */
  storeFailure: number;
  /** The store takes the transaction back and asks `decide` once more. */
  repeatDecide: number;
  answerTwice: number;
  /** An agent outlives its orchestrator or its cancellation, and answers later. */
  answerLate: number;
  /** The result is on disk, but nobody is told. */
  answerLost: number;
  agentFails: number;
  agentFailsForGood: number;
  agentSlow: number;
  agentHangs: number;
  agentCrashes: number;
  agentLies: number;
  checksFlaky: number;
  /** No command was there to run, and none was red. */
  checksEmpty: number;
  viewFails: number;
  roleAsks: number;
  /** An agent asks a question instead of working, or leaves a result that nobody can read. */
  agentAsks: number;
  agentMumbles: number;
  agentLimited: number;
  reviewRefuses: number;
  /** A place that the run needs is missing, before something is carried out or afterwards. */
  placeGone: number;
  /** A machine does not answer, or is gone while it works on something. */
  machineGone: number;
  /** A command of the plan cannot run on the base. */
  baselineStops: number;
  /** git cannot do it just now: a lock that was left, a full disk. */
  gitFails: number;
  /** Two changes conflict in a merge; they merge, and the checks are red. */
  conflicts: number;
  redOnMerge: number;
  /** At most so many milliseconds between two things that come from outside. */
  quietMs: number;
  /** Weights of what strikes from outside, against the weight 10 of an operator's input. */
  kill: number;
  freeze: number;
  powerCut: number;
  rival: number;
  /** Somebody halts at once and thinks better of it, while what was halted is still ending. */
  change: number;
  /** Somebody commits to the integration branch. */
  meddle: number;
  /** Whether a stopped process looks dead to the one that wants to take over. */
  frozenLooksDead: boolean;
}

export const noFaults: Faults = {
  crashBeforeCommit: 0,
  crashAfterCommit: 0,
  operatorCrash: 0,
  crashAtEffect: 0,
  storeFailure: 0,
  repeatDecide: 0,
  answerTwice: 0,
  answerLate: 0,
  answerLost: 0,
  agentFails: 0,
  agentFailsForGood: 0,
  agentSlow: 0,
  agentHangs: 0,
  agentCrashes: 0,
  agentLies: 0,
  checksFlaky: 0,
  checksEmpty: 0,
  viewFails: 0,
  roleAsks: 0,
  agentAsks: 0,
  agentMumbles: 0,
  agentLimited: 0,
  machineGone: 0,
  reviewRefuses: 0,
  placeGone: 0,
  baselineStops: 0,
  gitFails: 0,
  conflicts: 0,
  redOnMerge: 0,
  quietMs: 120,
  kill: 0,
  freeze: 0,
  powerCut: 0,
  rival: 0,
  change: 0,
  meddle: 0,
  frozenLooksDead: false,
};

export function drawFaults(random: Random): Faults {
  if (random.chance(0.08)) return noFaults;
  const share = random.pick([0.3, 0.6, 0.9]);
  const upTo = (most: number) => (random.chance(share) ? most * (0.2 + 0.8 * random.next()) : 0);
  return {
    crashBeforeCommit: upTo(0.03),
    crashAfterCommit: upTo(0.03),
    operatorCrash: upTo(0.2),
    crashAtEffect: upTo(0.03),
    storeFailure: upTo(0.02),
    repeatDecide: upTo(0.2),
    answerTwice: upTo(0.3),
    answerLate: upTo(0.5),
    answerLost: upTo(0.1),
    agentFails: upTo(0.4),
    agentFailsForGood: upTo(0.18),
    agentSlow: upTo(0.25),
    agentHangs: upTo(0.2),
    agentCrashes: upTo(0.15),
    agentLies: upTo(0.35),
    checksFlaky: upTo(0.15),
    checksEmpty: upTo(0.04),
    viewFails: upTo(0.2),
    roleAsks: upTo(0.2),
    agentAsks: upTo(0.12),
    agentMumbles: upTo(0.3),
    agentLimited: upTo(0.15),
    machineGone: upTo(0.3),
    reviewRefuses: upTo(0.6),
    placeGone: upTo(0.05),
    baselineStops: upTo(0.5),
    gitFails: upTo(0.06),
    conflicts: upTo(0.35),
    redOnMerge: upTo(0.4),
    quietMs: random.pick([40, 120, 120, 1500]),
    kill: upTo(2.5),
    freeze: upTo(2.5),
    powerCut: upTo(1.2),
    rival: upTo(2.5),
    change: upTo(4),
    meddle: upTo(3),
    frozenLooksDead: random.chance(0.5),
  };
}

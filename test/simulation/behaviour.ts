// How an agent, a role or a check comes out, by chance: what it does, what it says, and what is true of it.
import type { FailureKind, Input, Outcome } from "../../src/core/input.ts";
import type { TaskDef, TaskId } from "../../src/core/run.ts";
import type { Evidence } from "../../src/core/run-parts.ts";
import { registerInput, verificationInput } from "./inputs.ts";
import type { Said } from "./rules.ts";
import type { Simulation } from "./simulation.ts";
import { isTaskWork, type JobWork, nameOf, type TaskWork, type Work } from "./work.ts";

/** What was said, and how it is put to heddle. */
export interface Report {
  readonly outcome: Outcome;
  readonly said: Said;
}

export type Behaviour =
  | "ok"
  | "asks"
  | "fails"
  | "fails for good"
  | "talks nonsense"
  | "slow"
  | "hangs"
  | "crashes"
  | "lies"
  | "lost"
  | "is limited"
  | "checks nothing";

/** What the one who works can know: the definition he was given, and the work that he checks. */
export interface Knowledge {
  readonly digestOf: (task: TaskId) => string;
  readonly isGood: (work: TaskWork) => boolean;
  readonly newPlan: () => readonly TaskDef[];
  /** The plan as it is, and one more task. */
  readonly morePlan: () => readonly TaskDef[];
  /** Where the branch is, as far as it was written down. */
  readonly tip: () => string | null;
  readonly nextQuestion: () => string;
}

const workers: readonly Work["kind"][] = ["run-agent", "run-role", "repair-result"];

export function draw({ random, faults }: Simulation, work: Work): Behaviour {
  const isWorker = workers.includes(work.kind);
  const happens = (probability: number) => random.chance(isWorker ? probability : probability / 3);
  if (happens(faults.agentHangs)) return "hangs";
  if (happens(faults.agentSlow)) return "slow";
  if (happens(faults.agentCrashes)) return "crashes";
  if (happens(faults.answerLost)) return "lost";
  switch (work.kind) {
    case "run-checks":
    case "check-merge":
      if (random.chance(faults.checksEmpty)) return "checks nothing";
      return random.chance(faults.checksFlaky) ? "fails" : "ok";
    case "review-work":
      return random.chance(faults.reviewRefuses) ? "fails" : "ok";
    case "prepare-workspace":
      return random.chance(faults.agentFails / 3) ? "fails" : "ok";
    case "repair-result":
    case "repair-output":
    case "check-output":
      if (random.chance(faults.agentLies)) return "talks nonsense";
      return random.chance(faults.agentFails) ? "fails" : "ok";
    case "run-agent":
    case "run-role":
      return drawWorker({ random, faults }, work.kind === "run-agent");
    default:
      return "ok";
  }
}

function drawWorker({ random, faults }: Pick<Simulation, "random" | "faults">, isAgent: boolean): Behaviour {
  if (random.chance(faults.agentFails)) return "fails";
  if (random.chance(faults.agentFailsForGood)) return "fails for good";
  if (random.chance(faults.agentLimited)) return "is limited";
  if (random.chance(isAgent ? faults.agentAsks : faults.roleAsks)) return "asks";
  if (isAgent && random.chance(faults.agentMumbles)) return "talks nonsense";
  return random.chance(faults.agentLies) ? "lies" : "ok";
}

interface Deed {
  readonly work: Work;
  readonly behaviour: Behaviour;
}

export function reportOf(sim: Simulation, knowledge: Knowledge, { work, behaviour }: Deed): Report {
  count(sim, work, behaviour);
  const costUsd = sim.random.pick([undefined, null, sim.random.between(1, 40) / 10]);
  const usage = { agent: "agent", inputTokens: 10, outputTokens: 5 };
  const spent = costUsd === undefined ? {} : { usage: { ...usage, costUsd } };
  const isBad = ["talks nonsense", "is limited"].includes(behaviour) || behaviour.startsWith("fails");
  const evidence = evidenceOf(sim, knowledge, { work, behaviour });
  const isRed = evidence?.checks.some(({ ok }) => !ok) === true;
  const good = evidence ? !isRed && evidence.checks.length > 0 : behaviour !== "lies" && !isBad;
  const ok = !isBad && !isRed;
  const digest = isTaskWork(work) ? knowledge.digestOf(work.task) : "";
  const seen = evidence ? { evidence } : spent;
  if (ok) return saying({ ok, ...resultOf(sim, knowledge, { work, behaviour }), ...seen }, { good, digest });
  const category = behaviour === "talks nonsense" ? "unparseable" : evidence ? "test" : "runtime";
  const retryable = behaviour !== "fails for good";
  const kind = failureKind(sim, { behaviour });
  const outcome: Outcome = { ok, error: behaviour, category, subcategory: null, retryable, ...seen, ...kind };
  return saying(outcome, { good, digest });
}

function failureKind(sim: Simulation, { behaviour }: Pick<Deed, "behaviour">): FailureKind {
  if (behaviour === "talks nonsense") return { kind: "unparseable" };
  if (behaviour !== "is limited") return { kind: "failed" };
  const parkMs = sim.random.between(0, 400);
  return sim.random.chance(0.5) ? { kind: "unable" } : { kind: "parked", parkMs };
}

export function saying(outcome: Outcome, { good = false, digest = "" } = {}): Report {
  return { outcome, said: { ok: outcome.ok, good, digest, outcome } };
}

/** What the acceptance commands really show. Flaky ones are red without a reason, never green without one. */
function evidenceOf(
  { git, random }: Simulation,
  knowledge: Knowledge,
  { work, behaviour }: Deed,
): Evidence | undefined {
  if (work.kind !== "run-checks" && work.kind !== "check-merge") return undefined;
  const name = nameOf(work);
  const tree = work.kind === "run-checks" ? git.works.get(name)?.tree : work.candidate.tree;
  if (tree === undefined) throw new Error(`the checks of ${name} find nothing to check`);
  if (behaviour === "checks nothing") return { tree, checks: [] };
  const ok = behaviour !== "fails" && knowledge.isGood(work) && git.isSound(name, tree);
  const check = { criterion: "it works", command: "true", digest: "d", log: "l", note: null };
  const checks = [{ ...check, ok, exit: ok ? 0 : 1, ms: random.between(1, 9) }];
  return { tree, checks };
}

type Result = Omit<Extract<Outcome, { ok: true }>, "ok" | "usage" | "evidence">;

/** What becomes of good work. */
function resultOf({ git, random }: Simulation, knowledge: Knowledge, { work, behaviour }: Deed): Result {
  if (behaviour === "asks") {
    const about = isTaskWork(work) ? work.task : work.job.role;
    const id = knowledge.nextQuestion();
    return { inputs: [{ kind: "ask", id, text: "Which?", options: ["a", "b"], about }] };
  }
  if (!isTaskWork(work)) return { inputs: inputsOf(knowledge, work, random.chance(0.5)) };
  if (work.kind === "run-agent" || work.kind === "repair-result") return { work: git.work(nameOf(work)) };
  if (work.kind !== "review-work" || random.chance(0.5)) return {};
  const verdict = {
    verdict: "PASS",
    recommendation: "PROCEED",
    criteria: [],
    quality: null,
    tests: null,
  } as const;
  return { inputs: [{ kind: "record-verification", task: work.task, ...verdict }] };
}

/** What a role's output leads to once it has been checked. */
function inputsOf(knowledge: Knowledge, { kind, job: { makes } }: JobWork, passed: boolean): Input[] {
  if (kind !== "check-output") return [];
  if (makes === "verification") return [verificationInput({ passed, tip: knowledge.tip() })];
  const register = registerInput(makes);
  if (makes === "gap_tasks") return [{ kind: "load-plan", tasks: knowledge.morePlan() }, register];
  return makes === "tasks" ? [{ kind: "load-plan", tasks: knowledge.newPlan() }, register] : [register];
}

function count(sim: Simulation, { kind }: Work, behaviour: Behaviour): void {
  if (kind === "review-work" && behaviour === "fails") sim.saw("review refused");
  if (kind !== "run-agent") {
    if (behaviour === "asks") sim.saw("role asked");
    if (behaviour === "talks nonsense") sim.saw("output was no document");
    return;
  }
  if (behaviour === "fails") sim.saw("agent failed");
  if (behaviour === "fails for good") sim.saw("agent failed for good");
  if (behaviour === "crashes") sim.saw("agent crashed");
  if (behaviour === "lies") sim.saw("agent lied");
}

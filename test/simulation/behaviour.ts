// How an agent, a role or a check comes out, by chance: what it does, what it says, and what is true of it.
import type { Input, Outcome } from "../../src/core/input.ts";
import type { TaskDef, TaskId } from "../../src/core/run.ts";
import { registerInput } from "./inputs.ts";
import type { Said } from "./rules.ts";
import type { Simulation } from "./simulation.ts";
import { isTaskWork, type JobWork, type TaskWork, type Work } from "./work.ts";

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
  | "lost";

/** What the one who works can know: the definition he was given, and the work that he checks. */
export interface Knowledge {
  readonly digestOf: (task: TaskId) => string;
  readonly isGood: (work: TaskWork) => boolean;
  readonly newPlan: () => readonly TaskDef[];
  readonly nextQuestion: () => string;
}

export function draw({ random, faults }: Simulation, work: Work): Behaviour {
  const isCheck = work.kind === "run-checks" || work.kind === "check-output" || work.kind === "repair-output";
  const happens = (probability: number) => random.chance(isCheck ? probability / 3 : probability);
  if (happens(faults.agentHangs)) return "hangs";
  if (happens(faults.agentSlow)) return "slow";
  if (happens(faults.agentCrashes)) return "crashes";
  if (happens(faults.answerLost)) return "lost";
  if (work.kind === "run-checks") return random.chance(faults.checksFlaky) ? "fails" : "ok";
  if (isCheck && random.chance(faults.agentLies)) return "talks nonsense";
  if (random.chance(faults.agentFails)) return "fails";
  if (isCheck) return "ok";
  if (random.chance(faults.agentFailsForGood)) return "fails for good";
  if (work.kind === "run-role" && random.chance(faults.roleAsks)) return "asks";
  return random.chance(faults.agentLies) ? "lies" : "ok";
}

export function reportOf(
  sim: Simulation,
  knowledge: Knowledge,
  { work, behaviour }: { work: Work; behaviour: Behaviour },
): Report {
  count(sim, work, behaviour);
  const costUsd = sim.random.pick([undefined, null, sim.random.between(1, 40) / 10]);
  const usage = { agent: "agent", inputTokens: 10, outputTokens: 5 };
  const spent = costUsd === undefined ? {} : { usage: { ...usage, costUsd } };
  const isBad = behaviour.startsWith("fails") || behaviour === "talks nonsense";
  const isChecks = work.kind === "run-checks";
  const good = isChecks ? knowledge.isGood(work) : behaviour !== "lies" && !isBad;
  const ok = !isBad && (!isChecks || good);
  const said = { ok, good, digest: isTaskWork(work) ? knowledge.digestOf(work.task) : "" };
  if (ok && isTaskWork(work))
    return { outcome: { ok, created: [`${work.task}.ts`], modified: [], ...spent }, said };
  if (ok) return { outcome: { ok, inputs: inputsOf(knowledge, work as JobWork, behaviour), ...spent }, said };
  const category = behaviour === "talks nonsense" ? "unparseable" : isChecks ? "test" : "runtime";
  const retryable = behaviour !== "fails for good";
  return { outcome: { ok, error: behaviour, category, subcategory: null, retryable, ...spent }, said };
}

/** What a role's output leads to once it has been checked, or its question. */
function inputsOf(
  knowledge: Knowledge,
  { kind, job: { role, makes } }: JobWork,
  behaviour: Behaviour,
): Input[] {
  if (behaviour === "asks") {
    const id = knowledge.nextQuestion();
    return [{ kind: "ask", id, text: "Which?", options: ["a", "b"], about: role }];
  }
  if (kind !== "check-output") return [];
  const register = registerInput(makes);
  return makes === "tasks" ? [{ kind: "load-plan", tasks: knowledge.newPlan() }, register] : [register];
}

function count(sim: Simulation, { kind }: Work, behaviour: Behaviour): void {
  if (behaviour === "asks") sim.saw("role asked");
  if (behaviour === "talks nonsense") sim.saw("output was no document");
  if (kind !== "run-agent") return;
  if (behaviour === "fails") sim.saw("agent failed");
  if (behaviour === "fails for good") sim.saw("agent failed for good");
  if (behaviour === "crashes") sim.saw("agent crashed");
  if (behaviour === "lies") sim.saw("agent lied");
}

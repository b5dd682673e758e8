// What follows from an input. `step` is pure: it reads the run and answers with facts, or with problems when the
// input may not be. `carryOut` writes the facts down through a Draft and goes on with what follows by itself.
import { refuse, type Step, type Steps } from "./answer.ts";
import { bounded } from "./bounds.ts";
import type { Fact } from "./fact.ts";
import { follow } from "./follow.ts";
import type { Input, InputKind } from "./input.ts";
import { type Problem, problem } from "./problem.ts";
import type { Run } from "./run.ts";
import { branchSteps } from "./steps/branch.ts";
import { engineSteps } from "./steps/engine.ts";
import { haltSteps } from "./steps/halt.ts";
import { hostSteps } from "./steps/host.ts";
import { phaseSteps } from "./steps/phase.ts";
import { planSteps } from "./steps/plan.ts";
import { taskSteps } from "./steps/task.ts";

const steps: Steps<InputKind> = {
  ...planSteps,
  ...taskSteps,
  ...phaseSteps,
  ...haltSteps,
  ...hostSteps,
  ...engineSteps,
  ...branchSteps,
};

/** What may still be asked of an archived run: nothing that works on it. */
const afterwards: ReadonlySet<InputKind> = new Set(["archive", "release", "repair-view", "tick"]);

export function step(run: Run, input: Input): Step {
  if (run.archived && !afterwards.has(input.kind))
    return refuse(
      problem("archived", `run \`${run.id}\` is archived: nothing works on it any more`, {
        hint: [{ do: "show-status" }, " shows the run that is active"],
      }),
    );
  const answer = steps[input.kind] as (run: Run, input: Input) => Step;
  return answer(run, input);
}

/** A transaction in the making: what is recorded is applied to `run` at once, and durable once it is committed. */
export interface Draft {
  readonly run: Run;
  record(fact: Fact): void;
}

/**
 * The whole consequence of an input: its own facts, then what follows, until nothing does. What follows by itself
 * needs the time, and only an orchestrator has it: others' inputs have no `runMs`, and it follows at the next tick.
 */
export function carryOut(draft: Draft, raw: Input): readonly Problem[] {
  const input = bounded(raw);
  const { facts, problems } = step(draft.run, input);
  for (const fact of facts) draft.record(fact);
  if (input.runMs === undefined) return problems;
  const runMs = Math.max(draft.run.runMs, input.runMs);
  for (let more = follow(draft.run, runMs); more.length > 0; more = follow(draft.run, runMs)) {
    for (const fact of more) draft.record(fact);
  }
  return problems;
}

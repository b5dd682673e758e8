// artifacts/plan.json: the steps of one phase, in order, and what must hold when they are done (M3).
import * as z from "zod";
import { name, path, text } from "../../../protocols/fields.ts";

/** Safe as a file's name and as a role's neighbour: `01-01`, `T001`, `3`. */
export const stepId = z
  .string()
  .max(40)
  .regex(/^[A-Z]{0,4}\d+(?:[.-]\d+)*$/, "must look like `01-01`, or `T001`");

export const phaseId = z.union([z.string().regex(/\S/, "must not be blank"), z.int().min(1)]);

const step = z.looseObject({
  id: stepId,
  title: name,
  description: text.describe("all that somebody who sees nothing but this step has to know"),
  files: z.array(path).describe("the files that it concerns; the executor is given summaries of these"),
  verification_cmd: text.describe(
    "a shell command that exits 0 exactly when the step is done; heddle runs it",
  ),
  dependencies: z.array(stepId).optional().describe("steps that stand before it in the list"),
});

const mustHave = z.looseObject({
  truth: text.describe("what must be true when the phase is over"),
  evidence_required: text.describe("what would show it: a command, a file, an observation"),
});

export const missionPlan = z
  .looseObject({
    phase_id: phaseId.optional(),
    objective: text,
    tasks: z.array(step).min(1).max(200),
    must_haves: z.array(mustHave).min(1),
  })
  .meta({ title: "Mission plan", description: "artifacts/plan.json, written by the mission-planner." });

export type MissionPlan = z.infer<typeof missionPlan>;
export type Step = z.infer<typeof step>;

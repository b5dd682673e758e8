// planning/plan.json: what is to be done for one task, and by which commands it is accepted. Written by the planner.
import * as z from "zod";
import { name, path, text, version } from "../../../protocols/fields.ts";

const words = z.array(z.string());

const command = text.describe("a shell command that exits 0 exactly when it holds");

export const taskPlan = z
  .looseObject({
    version: version(1).optional(),
    title: name.describe("in a few words; it becomes the subject of the commit"),
    brief: z.string().optional().describe("what the person asked for"),
    approach: text.describe("how it is done, and why so"),
    goals: z.array(z.union([z.string(), z.looseObject({ description: text })])).optional(),
    scope: z.looseObject({ in_scope: words.optional(), out_of_scope: words.optional() }).optional(),
    file_plan: z
      .array(
        z.looseObject({
          path,
          intent: z.enum(["create", "update", "delete", "create_or_update"]),
          summary: z.string().optional(),
        }),
      )
      .min(1)
      .describe("the files that the coder may change"),
    acceptance_criteria: z
      .array(z.looseObject({ id: z.string().optional(), description: text, verification: command }))
      .min(1),
    test_plan: z
      .looseObject({
        strategy: z.string().optional(),
        commands: z.array(z.looseObject({ name, command })).optional(),
      })
      .optional(),
    risks: z.array(z.unknown()).optional(),
    assumptions: z.array(z.unknown()).optional(),
    blocking_questions: z
      .array(
        z.looseObject({ id: z.string().optional(), text, options: z.array(z.string().min(1)).optional() }),
      )
      .optional()
      .describe("what only a person can answer, and without which the plan is a guess"),
  })
  .meta({ title: "Task plan", description: "planning/plan.json, written by the planner." });

export type TaskPlan = z.infer<typeof taskPlan>;

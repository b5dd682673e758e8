// review/plan-review.json and review/code-review.json: a verdict that a machine can read, and reasons for people.
import * as z from "zod";
import { text } from "../../../protocols/fields.ts";

const issue = z.union([
  text,
  z.looseObject({ message: text, file: z.string().optional(), line: z.int().min(1).optional() }),
]);

const review = {
  ok: z.boolean().describe("whether it may go on"),
  blocking_issues: z.array(issue).optional().describe("whatever must change first; any of them blocks"),
  reasons: z.array(z.string()).optional(),
  suggestions: z.array(z.unknown()).optional().describe("what would be better, and blocks nothing"),
  confidence: z.number().min(0).max(1).optional(),
};

export const planReview = z
  .looseObject(review)
  .meta({ title: "Plan review", description: "review/plan-review.json, written by the plan-reviewer." });

export const codeReview = z
  .looseObject({
    ...review,
    back_to: z
      .enum(["codegen", "planning"])
      .optional()
      .describe("who must fix it: the coder, or the planner where the plan itself is wrong"),
  })
  .meta({ title: "Code review", description: "review/code-review.json, written by the code-reviewer." });

// artifacts/spec-review.json: what the spec-reviewer found open in the specification, each point with its quotation (D27).
import * as z from "zod";
import { text } from "../../../protocols/fields.ts";

const point = z.looseObject({
  kind: z
    .enum(["contradiction", "vague", "unverifiable", "missing"])
    .describe(
      "two places that cannot both hold; words that promise nothing; no way to check it; a case left out",
    ),
  quotes: z
    .array(text)
    .min(1)
    .max(4)
    .describe("copied from the specification; two or more for a contradiction"),
  question: text.describe("what a person must decide, in one sentence"),
  suggestion: z.string().optional().describe("what you would decide, and why"),
});

export const specReview = z
  .looseObject({
    version: z.literal("1.0"),
    summary: text,
    points: z.array(point).max(20).describe("the gravest first; empty when nothing is open"),
  })
  .meta({
    title: "Specification review",
    description: "artifacts/spec-review.json, written by the spec-reviewer.",
  });

export type SpecReview = z.infer<typeof specReview>;

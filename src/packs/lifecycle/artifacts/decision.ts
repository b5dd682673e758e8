// accept/decision.json and revert/record.json: how a task ended, who said so, and why.
import * as z from "zod";
import { text, time } from "../../../protocols/fields.ts";

export const decision = z
  .looseObject({
    verdict: z.enum(["accepted", "rejected", "deferred"]),
    reasons: z.array(z.string()).optional(),
    back_to: z
      .enum(["codegen", "review", "planning", "revert"])
      .optional()
      .describe("for a rejection: where it goes back to; `codegen` unless said otherwise"),
    regression: z
      .boolean()
      .optional()
      .describe("for a rejection: something that worked before does not any more"),
    decider: z.string().optional(),
    timestamp: time.optional(),
  })
  .meta({ title: "Decision", description: "accept/decision.json, by the acceptor or by a person." });

export const revertRecord = z
  .looseObject({
    reason: text,
    who: z.string().optional(),
    timestamp: time.optional(),
    commits: z
      .array(z.looseObject({ reverted: z.string(), by: z.string() }))
      .optional()
      .describe("which commit was taken back, and by which; none where nothing had been integrated"),
    files: z.array(z.string()).optional(),
    impact: z.string().optional(),
  })
  .meta({ title: "Revert record", description: "revert/record.json, written by heddle itself." });

export type Decision = z.infer<typeof decision>;

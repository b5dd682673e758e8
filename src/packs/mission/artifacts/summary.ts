// artifacts/summary_<id>.json: what the executor of one step says about it (M5). It is a proposal: only the command that
// heddle runs itself completes a step (M6).
import * as z from "zod";
import { path, text } from "../../../protocols/fields.ts";
import { stepId } from "./plan.ts";

/** What only a person can do: decide, act outside, or look. */
const checkpointReasons = ["decision_required", "human_action", "human_verify"] as const;

export const missionCheckpoint = z
  .looseObject({
    type: z.literal("checkpoint").optional(),
    reason: z.enum(checkpointReasons),
    message: text.describe("what a person has to know, and what is asked"),
    options: z.array(text).optional().describe("answers to choose from; any other text may be answered too"),
  })
  .meta({
    title: "Mission checkpoint",
    description: "`checkpoint` in a summary: what the executor of a step asks of a person.",
  });

export const missionSummary = z
  .looseObject({
    task_id: stepId,
    status: z.enum(["complete", "checkpoint", "failed", "blocked"]),
    changes: z
      .array(z.looseObject({ file: path, action: z.enum(["created", "modified", "deleted"]) }))
      .optional(),
    verification_result: z
      .looseObject({
        command: z.string().optional(),
        output: z.string().optional(),
        success: z.boolean().optional(),
      })
      .nullish(),
    message: z.string().optional().describe("why it is not complete"),
    checkpoint: missionCheckpoint.optional().describe("for status `checkpoint`"),
    notes: z.unknown().optional(),
  })
  .meta({ title: "Summary", description: "artifacts/summary_<id>.json, written by the executor." });

export type MissionSummary = z.infer<typeof missionSummary>;

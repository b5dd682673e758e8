// artifacts/task-validation.json: the task-plan-verifier's judgement of every task on six dimensions (D11).
// The verdict follows from the dimensions; `check-task-validation.ts` computes it.
import * as z from "zod";
import { taskId, text } from "../../../protocols/fields.ts";

const score = z.enum(["PASS", "PARTIAL", "FAIL", "N-A"]);

const judgement = z.looseObject({
  score,
  evidence: text.describe("what was seen, and where"),
  suggestion: z.string().optional().describe("what to change; needed for PARTIAL and FAIL"),
});

export const dimensionNames = ["spec", "phase", "strategy", "preferences", "viability", "criteria"] as const;

const judgedTask = z.looseObject({
  task_id: taskId,
  dimensions: z.looseObject({
    spec: judgement.describe("does it follow from the specification?"),
    phase: judgement.describe("does it belong to the active phase?"),
    strategy: judgement.describe("does it fit the maps?"),
    preferences: judgement.describe("does it respect the user's preferences?"),
    viability: judgement.describe("can it be done in two to six hours, in at most three files?"),
    criteria: judgement.describe("does each command test its criterion?"),
  }),
});

export const verdict = z.enum(["READY", "READY_WITH_NOTES", "BLOCKED"]);

export const taskValidation = z
  .looseObject({
    verdict: verdict.describe("any FAIL: BLOCKED; else any PARTIAL: READY_WITH_NOTES; else READY"),
    summary: text,
    issues: z.array(
      z.union([z.string(), z.looseObject({ message: z.string() })], {
        error: "must be a text, or an object with a `message`",
      }),
    ),
    tasks: z.array(judgedTask),
  })
  .meta({
    title: "Task validation",
    description: "artifacts/task-validation.json, written by the task-plan-verifier.",
  });

export type TaskValidation = z.infer<typeof taskValidation>;
export type JudgedTask = z.infer<typeof judgedTask>;
export type Verdict = z.infer<typeof verdict>;

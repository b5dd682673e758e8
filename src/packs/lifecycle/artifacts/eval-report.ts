// eval/eval-report.json: what heddle saw when it ran the plan's commands on the coder's tree, suite by suite.
import * as z from "zod";
import { count, text, time } from "../../../protocols/fields.ts";

const summary = z.looseObject({ passed: count, failed: count, skipped: count, error: count });

const evalCase = z.looseObject({
  id: text,
  name: text,
  status: z.enum(["passed", "failed", "skipped", "error"]),
  duration_ms: z.number().min(0).optional(),
  details: z.string().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
});

export const evalReport = z
  .looseObject({
    task_id: z.string().optional(),
    status: z.enum(["pending", "running", "completed", "failed"]).optional(),
    overall_pass: z.boolean(),
    summary: summary.optional(),
    suites: z
      .array(
        z.looseObject({
          id: text,
          name: text,
          kind: z.string().optional(),
          status: z.string().optional(),
          overall_pass: z.boolean(),
          summary: summary.optional(),
          cases: z.array(evalCase),
        }),
      )
      .optional(),
    meta: z.looseObject({ tree: z.string(), started_at: time, finished_at: time }).partial().optional(),
  })
  .meta({ title: "Evaluation report", description: "eval/eval-report.json, written by heddle itself." });

export type EvalReport = z.infer<typeof evalReport>;

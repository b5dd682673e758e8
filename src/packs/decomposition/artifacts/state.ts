// project-planning/state.json: the readable view of a decomposition run (C2), with the documents' field names and our
// own `run`, `position` and `digest`. The journal is the truth; this is what it is compared with and imported from.
import * as z from "zod";
import { count, name, taskId, time, version } from "../../../protocols/fields.ts";
import { verdict } from "./task-validation.ts";

const phase = z.enum([
  "ingestion",
  "logical",
  "physical",
  "definition",
  "validation",
  "sequencing",
  "ready",
  "executing",
  "verifying",
  "gap_planning",
  "complete",
]);

const map = z.looseObject({
  path: z.string().optional(),
  checksum: z.string().optional(),
  valid: z.boolean(),
  validated_at: time.nullish(),
  error: z.string().nullish(),
});

const validation = z.looseObject({
  verdict: verdict.nullish(),
  valid: z.boolean(),
  summary: z.string().optional(),
  issues: z.array(z.unknown()).optional(),
  dimensions: z.boolean().optional(),
  validated_at: time.nullish(),
  error: z.string().nullish(),
});

const taskStatus = z.enum(["pending", "ready", "running", "complete", "failed", "blocked", "skipped"]);
const paths = z.array(z.string());

const taskState = z.looseObject({
  id: taskId,
  name,
  status: taskStatus,
  phase: z.int().min(0).nullish(),
  depends_on: z.array(taskId).optional(),
  blocks: z.array(taskId).optional(),
  file: z.string().optional(),
  attempts: count.optional(),
  started_at: time.nullish(),
  completed_at: time.nullish(),
  duration_seconds: z.number().nullish(),
  files_created: paths.optional(),
  files_modified: paths.optional(),
  error: z.string().nullish(),
  failure: z.looseObject({}).nullish(),
  skip_reason: z.string().nullish(),
  verification: z.looseObject({}).nullish(),
  rollback_data: z.looseObject({}).nullish(),
});

const calibration = z.looseObject({
  total_verified: count.optional(),
  correct: count.optional(),
  false_positives: z.array(z.string()).optional(),
  false_negatives: z.array(z.string()).optional(),
  history: z
    .array(
      z.looseObject({
        task_id: z.string(),
        actual_outcome: z.string(),
        notes: z.string().nullish(),
        recorded_at: time.nullish(),
      }),
    )
    .optional(),
});

export const state = z
  .looseObject({
    version: version(2),
    run: z.string().optional().describe("the run that this view shows"),
    position: count.optional().describe("how many facts of the journal it shows"),
    digest: z.string().optional().describe("of the rest of this file; another one means that it was edited"),
    phase: z.looseObject({ current: phase, completed: z.array(phase) }),
    target_dir: name,
    created_at: time.optional(),
    updated_at: time.optional(),
    metadata: z.looseObject({ tech_stack: z.unknown().optional() }).optional(),
    artifacts: z
      .looseObject({
        capability_map: map.nullish(),
        physical_map: map.nullish(),
        task_validation: validation.nullish(),
        spec_coverage: z.looseObject({}).nullish(),
      })
      .optional(),
    tasks: z
      .object({ counts: z.partialRecord(taskStatus, count).optional() })
      .catchall(taskState)
      .describe("by id; above 1,000 tasks `counts` and only those that are neither pending nor complete"),
    execution: z
      .looseObject({
        current_phase: z.number().optional(),
        active_tasks: z.array(taskId).optional(),
        completed_count: count.optional(),
        failed_count: count.optional(),
        total_tokens: z.number().optional(),
        total_cost_usd: z.number().optional(),
      })
      .optional(),
    halt: z.looseObject({ requested: z.boolean(), reason: z.string().nullish() }).nullish(),
    calibration: calibration.nullish(),
    events: z.array(z.looseObject({ timestamp: time, type: z.string() })).optional(),
  })
  .meta({ title: "State", description: "project-planning/state.json, the view of a decomposition run." });

export type State = z.infer<typeof state>;

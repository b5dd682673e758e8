// reports/execution-report.json: what an execution did, with the evidence (X19). heddle writes it; this is its published
// shape. An amount that nobody told is null, never zero.
import * as z from "zod";
import { count, time } from "../../protocols/fields.ts";

const status = z.enum(["pending", "running", "complete", "failed", "blocked", "skipped"]);
const names = z.array(z.string());
/** `T001` of a plan, `01-01` of a mission. */
const taskId = z.string().min(1);

const usage = z.object({
  input_tokens: count,
  output_tokens: count,
  cost_usd: z.number().min(0).nullable().describe("what is known of it; null when nothing is"),
  unknown_costs: count.describe("calls that reported no cost: with any, `cost_usd` is a lower bound"),
});

const check = z.object({
  criterion: z.string(),
  command: z.string(),
  ok: z.boolean(),
  exit: z.int().nullable().describe("null when it was ended, or was not run"),
  ms: count.nullable(),
  tree: z.string().nullable().describe("the tree of files that it ran on"),
  log: z.string().nullable().describe("the file that has all that it printed; null when there is none"),
  log_beside: z
    .string()
    .optional()
    .describe("the file of its other output stream, where both have something"),
  output: z.string().optional().describe("the end of what a red one printed"),
  note: z.string().nullable(),
  before: z.enum(["green", "red"]).optional().describe("how it ended on the base, before anybody worked"),
  excused: z.string().optional().describe("why a red one is not charged to the work"),
});

const baselineCheck = z.object({
  command: z.string(),
  own: z.boolean().describe("a command of the project's own"),
  result: z.enum(["green", "red", "cannot-run", "untried"]),
  exit: z.int().nullable(),
  note: z.string().nullable(),
  log: z.string(),
});

const attempt = z.object({
  number: count,
  driver: z.enum(["host", "engine"]),
  agent: z.string().nullable(),
  machine: z.string().optional().describe("where it was worked on, when that was another machine"),
  started_at: time,
  ended_at: time.nullable(),
  outcome: z.enum(["running", "complete", "failed", "lost", "paused"]),
  category: z.string().nullable(),
  error: z.string().nullable(),
  stages: z.array(z.object({ stage: z.string(), ms: count })),
  claim: z.object({ status: z.string(), created: names, modified: names, passed: names }).nullable(),
  differences: names.describe("where what was claimed and what heddle saw differ"),
  logged: z
    .array(z.object({ at: time, level: z.string(), event: z.string(), message: z.string() }))
    .optional()
    .describe("the last lines that it logged"),
  refused: names.describe("what it asked for over its socket and did not get"),
  checks: z.array(check).describe("the last ones that were run for it"),
});

const task = z.object({
  id: taskId,
  plan: z.string().optional().describe("of a plan of this phase that another one replaced: which"),
  name: z.string(),
  phase: count,
  status,
  done: z.enum(["verified", "claimed", "adopted"]).nullable(),
  depends_on: z.array(taskId),
  estimate_hours: z.number(),
  started_at: time.nullable(),
  ended_at: time.nullable(),
  ms: count.nullable().describe("from the first attempt's beginning to the end, waiting included"),
  commit: z.string().nullable(),
  created: names,
  modified: names,
  criteria: z.array(check),
  judging: names.optional().describe("files it changed that decide how it is judged"),
  verification: z.object({ verdict: z.string(), recommendation: z.string(), verified_at: time }).nullable(),
  attempts: z.array(attempt),
  usage: usage.nullable().describe("null when nothing was told"),
  diff: z
    .object({
      files: z.array(z.object({ path: z.string(), added: count, removed: count })),
      text: z.string(),
      cut: z.boolean(),
    })
    .nullable(),
  skip_reason: z.string().nullable(),
});

export const executionReport = z
  .object({
    version: z.literal("1.0"),
    run: z.string(),
    phase: z.string(),
    target_dir: z.string(),
    written_at: time,
    unconfined: z.boolean().describe("agents ran without a sandbox"),
    open_network: z
      .boolean()
      .describe("the configuration gave agents the whole network, and with it their keys"),
    halt: z.object({ code: z.string(), reason: z.string(), requested_at: time }).nullable(),
    planning_ms: count.nullable().optional().describe("from the run's beginning to a plan that was ready"),
    started_at: time.nullable(),
    ended_at: time.nullable(),
    ms: count.nullable(),
    tasks_by_status: z.record(status, count),
    attempts: count,
    failed_attempts: count,
    unverified: z.array(taskId).describe("complete and not verified: no check of heddle's ran on them"),
    usage: usage.extend({ budget_usd: z.number() }),
    baseline: z
      .object({ commit: z.string(), stops: z.string().nullable(), checks: z.array(baselineCheck) })
      .nullable()
      .optional()
      .describe("what was seen of the commit that the run began from, before anybody worked"),
    branch: z.object({ name: z.string(), start: z.string(), tip: z.string() }).nullable(),
    landed: z.object({ commit: z.string(), files: count, at: time }).nullable(),
    verification: z
      .object({ passed: z.boolean(), gaps: names, commit: z.string().nullable() })
      .nullable()
      .describe("what the verifier last said of the whole, and of which commit; null if it was not asked"),
    tasks: z.array(task),
    overrides: z.array(
      z.object({
        at: time,
        by: z.string(),
        task: z.string().nullable(),
        what: z.string(),
        reason: z.string(),
      }),
    ),
    left: z.array(z.object({ task: taskId, status, reasons: names, hint: z.string().nullable() })),
  })
  .meta({ title: "Execution report", description: "reports/execution-report.json, written by heddle." });

export type ExecutionReport = z.infer<typeof executionReport>;
export type ReportTask = z.infer<typeof task>;
export type ReportAttempt = z.infer<typeof attempt>;
export type ReportCheck = z.infer<typeof check>;
export type ReportUsage = z.infer<typeof usage>;

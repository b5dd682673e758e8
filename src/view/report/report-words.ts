// The sentences of a report, the same in Markdown and on the page.
import { baselineSentences, beforeMark } from "../../core/baseline.ts";
import { costSentence, elapsed, isUntold, tokens } from "../amount.ts";
import type {
  ExecutionReport,
  ReportAttempt,
  ReportCheck,
  ReportTask,
  ReportUsage,
} from "./execution-report.ts";

const unconfinedSentence = "UNCONFINED: agents ran without a sandbox.";
const openSentence =
  "OPEN NETWORK: agents reached everything that this machine reaches, and held their keys.";

/** What a reader must know of how agents were held. */
export function boxSentence(report: {
  readonly unconfined: boolean;
  readonly open_network: boolean;
}): string | undefined {
  if (report.unconfined) return unconfinedSentence;
  return report.open_network ? openSentence : undefined;
}

export function headline({ phase, tasks, tasks_by_status: by, halt }: ExecutionReport): string {
  const skipped = by.skipped > 0 ? `, ${by.skipped} skipped` : "";
  const what = `${by.complete} of ${tasks.length} tasks done${skipped}`;
  if (phase === "complete" || phase === "done") return `Complete: ${what}`;
  if (halt) return `Halted: ${what}`;
  return by.failed > 0
    ? `Not finished: ${what}, ${by.failed} failed, ${by.blocked} blocked`
    : `Not finished: ${what}`;
}

/** What failed stands first; of a long list the rest is counted. */
export function leftShown({ left }: ExecutionReport): { shown: ExecutionReport["left"]; more: number } {
  const order = ["failed", "running", "pending", "blocked"];
  const sorted = [...left].sort((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
  return { shown: sorted.slice(0, 60), more: Math.max(0, sorted.length - 60) };
}

const nothing: ReportUsage = { input_tokens: 0, output_tokens: 0, cost_usd: null, unknown_costs: 0 };

/** Never a number that nobody told. */
export function usageSentence(usage: ReportUsage | null, budgetUsd?: number): string {
  const { input_tokens, output_tokens, cost_usd, unknown_costs } = usage ?? nothing;
  const money = { costUsd: cost_usd ?? 0, unknownCosts: unknown_costs };
  if (isUntold({ ...money, inputTokens: input_tokens, outputTokens: output_tokens }))
    return "unknown: no agent reported it";
  return `${tokens(input_tokens)} tokens in, ${tokens(output_tokens)} out, ${costSentence(money, budgetUsd)}`;
}

export const duration = (ms: number | null) => (ms === null ? "unknown" : elapsed(ms));

/** `2026-11-16 10:40:12 UTC`: a moment as people read it. */
export const moment = (at: string) =>
  at.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, "$1 $2 UTC");

/** Short times in milliseconds, as commands have them. */
export const shortly = (ms: number | null) =>
  ms === null ? "" : ms < 10_000 ? `${ms.toLocaleString("en-US")} ms` : elapsed(ms);

export function facts(report: ExecutionReport): [string, string][] {
  const { branch, landed, usage } = report;
  return [
    ["Run", `${report.run}, phase ${report.phase}`],
    ["Target", report.target_dir],
    [
      "Time",
      `${duration(report.ms)}${report.started_at ? `, from ${moment(report.started_at)} to ${report.ended_at ? moment(report.ended_at) : "now"}` : ""}`,
    ],
    ...(report.planning_ms ? [["Planning", duration(report.planning_ms)] as [string, string]] : []),
    ["Attempts", `${report.attempts}, ${report.failed_attempts} failed`],
    ["Used", usageSentence(usage, usage.budget_usd)],
    ...baselineFacts(report),
    ["Branch", branch ? `${branch.name} at ${branch.tip.slice(0, 12)}` : "none yet"],
    [
      "Landed",
      landed
        ? `${landed.commit.slice(0, 12)}, ${landed.files} ${landed.files === 1 ? "file" : "files"}, ${moment(landed.at)}`
        : "not yet: heddle land",
    ],
    ...(report.verification ? [["Verified", verifiedSentence(report.verification)] as [string, string]] : []),
    ...(report.halt ? [["Halted", `${report.halt.code}: ${report.halt.reason}`] as [string, string]] : []),
  ];
}

/** What was red, and what was green, before anybody had worked. */
function baselineFacts({ baseline }: ExecutionReport): [string, string][] {
  if (!baseline) return [];
  const said =
    baseline.stops ?? baselineSentences({ baseline: { tries: 1, tree: null, ...baseline } }).join("; ");
  return said === "" ? [] : [["Before", said]];
}

/** What is to be said about a check beside its result. */
export function checkNote({ ok, note, before, excused }: ReportCheck): string {
  const mark = beforeMark({ ok, ...(before && { before }), ...(excused !== undefined && { excused }) });
  return [note, mark].filter((each) => each !== null).join("; ");
}

function verifiedSentence({ passed, gaps, commit }: NonNullable<ExecutionReport["verification"]>): string {
  const of = commit === null ? "" : ` at ${commit.slice(0, 12)}`;
  return passed ? `passed as a whole${of}` : `gaps${of}: ${gaps.join("; ")}`;
}

export function doneSentence({ status, done, commit, skip_reason }: ReportTask): string {
  if (status === "skipped") return `skipped: ${skip_reason}`;
  if (status !== "complete") return status;
  if (done !== "verified") return `complete, UNVERIFIED (${done})`;
  return `complete, verified by heddle${commit ? `, ${commit.slice(0, 12)}` : ""}`;
}

export function attemptSentence(attempt: ReportAttempt): string {
  const { number, agent, machine, outcome, category, stages, driver } = attempt;
  const on = machine === undefined ? "" : ` on ${machine}`;
  const who = `${agent ?? (driver === "host" ? "a host" : "unknown agent")}${on}`;
  const how = outcome === "failed" ? `failed (${category})` : outcome;
  const where = stages.map(({ stage, ms }) => `${stage} ${shortly(ms)}`).join(", ");
  return `attempt ${number} by ${who}: ${how}${where === "" ? "" : `; ${where}`}`;
}

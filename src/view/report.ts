// The report of an execution as a document (X19): the fold of the facts per task and attempt, and beside it what only the
// disk knows, which is handed in. `report-md.ts` and `report-html.ts` are made from it alone.
import type { Entry, Fact } from "../core/fact.ts";
import type { Check } from "../core/parts.ts";
import { type Run, statuses, type Task, type TaskId } from "../core/run.ts";
import { isUnverified, statusOf } from "../core/task.ts";
import { whyTask } from "../core/why.ts";
import type {
  ExecutionReport,
  ReportAttempt,
  ReportCheck,
  ReportTask,
  ReportUsage,
} from "../protocols/decomposition/artifacts/execution-report.ts";
import { isUntold } from "./amount.ts";
import { attemptsOf } from "./report-attempts.ts";

/** What is read from disk, by `T001-2` or by commit. */
export interface ReportFiles {
  readonly agents: ReadonlyMap<string, string>;
  readonly claims: ReadonlyMap<string, NonNullable<ReportAttempt["claim"]>>;
  readonly diffs: ReadonlyMap<string, NonNullable<ReportTask["diff"]>>;
}

export interface ReportInputs extends ReportFiles {
  readonly entries: readonly Entry[];
  readonly writtenAt: string;
}

export function reportDocument(run: Run, inputs: ReportInputs): ExecutionReport {
  const tasks = [...run.tasks.all()].sort((a, b) => (a.def.id < b.def.id ? -1 : 1));
  const attempts = attemptsOf(inputs);
  const spent = usageByTask(inputs.entries);
  const documents = tasks.map((task) =>
    taskDocument(task, {
      attempts: attempts.get(task.def.id) ?? [],
      usage: spent.get(task.def.id) ?? null,
      diff: task.commit === null ? null : (inputs.diffs.get(task.commit) ?? null),
    }),
  );
  const all = documents.flatMap((each) => each.attempts);
  const [startedAt, endedAt] = [earliest(all.map((each) => each.started_at)), latest(all)];
  return {
    version: "1.0",
    run: run.id,
    phase: run.phase,
    target_dir: run.targetDir,
    written_at: inputs.writtenAt,
    unconfined: run.metadata.unconfined === true,
    halt: run.halt
      ? { code: run.halt.code, reason: run.halt.reason, requested_at: run.halt.requestedAt }
      : null,
    started_at: startedAt,
    ended_at: endedAt,
    ms: span(startedAt, endedAt),
    tasks_by_status: Object.fromEntries(
      statuses.map((status) => [status, run.counts[status]]),
    ) as ExecutionReport["tasks_by_status"],
    attempts: all.length,
    failed_attempts: all.filter(({ outcome }) => outcome === "failed").length,
    unverified: tasks.filter(isUnverified).map(({ def }) => def.id),
    usage: usageOf(run),
    branch: run.branch ? { ...run.branch } : null,
    landed: landedOf(inputs.entries),
    verification: verificationOf(run),
    tasks: documents,
    overrides: overridesOf(inputs.entries),
    left: tasks.filter(isOpen).map((task) => leftOf(run, task)),
  };
}

/** What nobody told is null, never zero. */
export function usageOf({ usage, policy }: Run): ExecutionReport["usage"] {
  const { costUsd, unknownCosts, inputTokens, outputTokens } = usage;
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cost_usd: costUsd === 0 && (unknownCosts > 0 || isUntold(usage)) ? null : costUsd,
    unknown_costs: unknownCosts,
    budget_usd: policy.runBudgetUsd,
  };
}

function verificationOf({ artifacts: { verification } }: Run): ExecutionReport["verification"] {
  if (!verification?.valid) return null;
  const { passed, gaps, tip } = verification.content;
  const named = Array.isArray(gaps) ? gaps.map(String) : [];
  return { passed: passed === true, gaps: named, commit: typeof tip === "string" ? tip : null };
}

const isOpen = (task: Task) => task.state !== "complete" && task.state !== "skipped";

function leftOf(run: Run, task: Task): ExecutionReport["left"][number] {
  const { status, reasons, hint } = whyTask(run, task);
  return {
    task: task.def.id,
    status: status as ExecutionReport["left"][number]["status"],
    reasons: [...reasons],
    hint,
  };
}

const earliest = (times: readonly string[]) =>
  times.reduce<string | null>((best, at) => (best === null || at < best ? at : best), null);

function latest(attempts: readonly ReportAttempt[]): string | null {
  return attempts.reduce<string | null>(
    (best, { ended_at: at }) => (at && (!best || at > best) ? at : best),
    null,
  );
}

export function span(from: string | null, to: string | null): number | null {
  return from === null || to === null ? null : Math.max(0, Date.parse(to) - Date.parse(from));
}

interface Parts {
  readonly attempts: readonly ReportAttempt[];
  readonly usage: ReportUsage | null;
  readonly diff: ReportTask["diff"];
}

function taskDocument(task: Task, { attempts, usage, diff }: Parts): ReportTask {
  const { def, verification } = task;
  const startedAt = attempts[0]?.started_at ?? null;
  const endedAt = attempts.at(-1)?.ended_at ?? null;
  return {
    id: def.id,
    name: def.name,
    phase: def.phase,
    status: statusOf(task),
    done: task.done,
    depends_on: [...def.dependsOn],
    estimate_hours: def.estimateHours,
    started_at: startedAt,
    ended_at: endedAt,
    ms: span(startedAt, endedAt),
    commit: task.commit,
    created: [...task.created],
    modified: [...task.modified],
    criteria: criteriaOf(task),
    verification: verification && {
      verdict: verification.verdict,
      recommendation: verification.recommendation,
      verified_at: verification.verifiedAt,
    },
    attempts: [...attempts],
    usage,
    diff,
    skip_reason: task.skipReason,
  };
}

/** Every criterion is there, also one that heddle never saw. */
function criteriaOf({ def, evidence }: Task): ReportCheck[] {
  return def.criteria.map(({ criterion, command }, at) => {
    const seen = evidence?.checks[at];
    if (evidence && seen?.command === command) return checkDocument(seen, evidence.tree);
    const nothing = { ok: false, exit: null, ms: null, tree: null, log: null };
    return { criterion, command, ...nothing, note: "heddle has not run it" };
  });
}

export function checkDocument(
  { criterion, command, ok, exit, ms, log, note }: Check,
  tree: string,
): ReportCheck {
  return { criterion, command, ok, exit, ms, tree, log, note };
}

function usageByTask(entries: readonly Entry[]): Map<TaskId, ReportUsage> {
  const found = new Map<TaskId, ReportUsage>();
  for (const { fact } of entries) {
    if (fact.kind !== "usage-recorded" || fact.task === null) continue;
    const before = found.get(fact.task) ?? {
      input_tokens: 0,
      output_tokens: 0,
      cost_usd: null,
      unknown_costs: 0,
    };
    found.set(fact.task, {
      input_tokens: before.input_tokens + fact.inputTokens,
      output_tokens: before.output_tokens + fact.outputTokens,
      cost_usd: fact.costUsd === null ? before.cost_usd : (before.cost_usd ?? 0) + fact.costUsd,
      unknown_costs: before.unknown_costs + (fact.costUsd === null ? 1 : 0),
    });
  }
  return found;
}

function landedOf(entries: readonly Entry[]): ExecutionReport["landed"] {
  const last = entries.findLast(({ fact }) => fact.kind === "landed");
  if (last?.fact.kind !== "landed") return null;
  return { commit: last.fact.commit, files: last.fact.files, at: last.at };
}

/** Where a person, or an agent that was refused, went past what the rules would have done. */
export function overridesOf(entries: readonly Entry[]): ExecutionReport["overrides"] {
  return entries.flatMap(({ fact, at, by }) => {
    const found = overrideOf(fact);
    return found ? [{ at, by, ...found }] : [];
  });
}

function overrideOf(fact: Fact): { task: string | null; what: string; reason: string } | undefined {
  switch (fact.kind) {
    case "overridden": {
      const tasks = Object.entries(fact.tasks).map(([id, state]) => `${id} set to ${state}`);
      const policy = Object.entries(fact.policy).map(([key, value]) => `${key} set to ${value}`);
      const phase = fact.phase === null ? [] : [`phase set to ${fact.phase}`];
      return {
        task: null,
        what: [...phase, ...tasks, ...policy].join(", ") || "override",
        reason: fact.reason,
      };
    }
    case "task-skipped":
      return { task: fact.task, what: "skipped", reason: fact.reason };
    case "task-undone":
      return { task: fact.task, what: `undone by ${fact.commit.slice(0, 12)}`, reason: fact.reason };
    case "task-retried":
      return { task: fact.task, what: "retried", reason: "a person said so" };
    case "proposal-refused":
      return { task: fact.task, what: `refused: ${fact.what}`, reason: fact.reason };
    case "branch-moved":
      return { task: null, what: `the branch was moved to ${fact.tip.slice(0, 12)}`, reason: fact.reason };
    default:
      return undefined;
  }
}

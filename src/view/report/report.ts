// The report of an execution as a document (X19): the fold of the facts per task and attempt, and beside it what only the
// disk knows, which is handed in. `report-md.ts` and the page are made from it alone.
import type { Entry, Fact } from "../../core/fact.ts";
import type { EarlierTask } from "../../core/protocol.ts";
import { type Run, statuses, type Task, type TaskId } from "../../core/run.ts";
import type { Check } from "../../core/run-parts.ts";
import { isUnverified, statusOf } from "../../core/task.ts";
import { whyTask } from "../../core/why.ts";
import { isUntold } from "../amount.ts";
import { hintText } from "../hint.ts";
import type {
  ExecutionReport,
  ReportAttempt,
  ReportCheck,
  ReportTask,
  ReportUsage,
} from "./execution-report.ts";
import { attemptsOf } from "./report-attempts.ts";

/** What is read from disk, by `T001-2` or by commit. */
export interface ReportFiles {
  readonly agents: ReadonlyMap<string, string>;
  readonly claims: ReadonlyMap<string, NonNullable<ReportAttempt["claim"]>>;
  readonly diffs: ReadonlyMap<string, NonNullable<ReportTask["diff"]>>;
  readonly logs?: ReadonlyMap<string, NonNullable<ReportAttempt["logged"]>>;
}

export interface ReportInputs extends ReportFiles {
  readonly entries: readonly Entry[];
  readonly writtenAt: string;
}

export function reportDocument(run: Run, inputs: ReportInputs): ExecutionReport {
  const tasks = [...run.tasks.all()].sort((a, b) => (a.def.id < b.def.id ? -1 : 1));
  const earlier = earlierIn(run);
  const documents = taskReports(run, tasks, inputs);
  const all = documents.flatMap((each) => each.attempts);
  const [startedAt, endedAt] = [earliest(all.map((each) => each.started_at)), latest(all)];
  return {
    version: "1.0",
    run: run.id,
    phase: run.phase,
    target_dir: run.targetDir,
    written_at: inputs.writtenAt,
    unconfined: run.metadata.unconfined === true,
    open_network: run.metadata.openNetwork === true,
    halt: run.halt
      ? { code: run.halt.code, reason: run.halt.reason, requested_at: run.halt.requestedAt }
      : null,
    planning_ms: span(run.createdAt, plannedAt(inputs.entries)),
    started_at: startedAt,
    ended_at: endedAt,
    ms: span(startedAt, endedAt),
    tasks_by_status: Object.fromEntries(
      statuses.map((status) => [
        status,
        run.counts[status] + earlier.filter(({ state }) => state === status).length,
      ]),
    ) as ExecutionReport["tasks_by_status"],
    attempts: all.length,
    failed_attempts: all.filter(({ outcome }) => outcome === "failed").length,
    unverified: tasks.filter(isUnverified).map(({ def }) => def.id),
    usage: usageOf(run),
    baseline: run.baseline
      ? {
          commit: run.baseline.commit,
          stops: run.baseline.stops,
          checks: run.baseline.checks.map((each) => ({ ...each })),
        }
      : null,
    branch: run.branch ? { ...run.branch } : null,
    landed: landedOf(inputs.entries),
    verification: verificationOf(run),
    tasks: documents,
    overrides: overridesOf(inputs.entries),
    left: tasks.filter(isOpen).map((task) => leftOf(run, task)),
  };
}

const earlierIn = (run: Run): readonly EarlierTask[] => run.protocol.own?.earlier?.(run) ?? [];

/** Some tasks by what is given of them, after all those of plans that others replaced. */
export function taskReports(
  run: Run,
  tasks: readonly Task[],
  inputs: Omit<ReportInputs, "writtenAt">,
): ReportTask[] {
  const attempts = attemptsOf(inputs);
  const spent = usageByTask(inputs.entries);
  const earlier = earlierIn(run);
  const partsOf = ({ id, commit }: { id: TaskId; commit: string | null }, from: number): Parts => ({
    attempts: (attempts.get(id) ?? []).filter(({ number }) => number > from),
    usage: spent.get(id) ?? null,
    diff: commit === null ? null : (inputs.diffs.get(commit) ?? null),
  });
  return [
    ...earlierDocuments(earlier, partsOf),
    ...tasks.map((task) => {
      const { id } = task.def;
      return taskDocument(task, partsOf({ id, commit: task.commit }, lastBefore(earlier, id)));
    }),
  ];
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

/** When there was a plan to execute; nothing for what was not planned here. */
function plannedAt(entries: readonly Entry[]): string | null {
  return entries.find(({ fact }) => fact.kind === "phase-entered" && fact.to === "ready")?.at ?? null;
}

const isOpen = (task: Task) => task.state !== "complete" && task.state !== "skipped";

function leftOf(run: Run, task: Task): ExecutionReport["left"][number] {
  const { status, reasons, hint } = whyTask(run, task);
  return {
    task: task.def.id,
    status: status as ExecutionReport["left"][number]["status"],
    reasons: [...reasons],
    hint: hint === null ? null : hintText(hint),
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
    ...(task.evidence?.judging && { judging: [...task.evidence.judging] }),
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

type Judged = Pick<Task, "evidence"> & { readonly def: Pick<Task["def"], "criteria"> };
type PartsOf = (task: { readonly id: TaskId; readonly commit: string | null }, from: number) => Parts;

/** The number of the last attempt under an earlier plan: attempts at an id are counted on. */
const lastBefore = (earlier: readonly EarlierTask[], id: TaskId) =>
  Math.max(0, ...earlier.filter((each) => each.id === id).map(({ attempts }) => attempts));

/** Of plans that others replaced (M11): what an id's calls cost is told once, with the last task of that name. */
function earlierDocuments(earlier: readonly EarlierTask[], partsOf: PartsOf): ReportTask[] {
  return earlier.map((task, at) => {
    const { id, name, state, commit, created, modified, command, evidence } = task;
    const { attempts, diff } = partsOf(task, lastBefore(earlier.slice(0, at), id));
    const own = attempts.filter(({ number }) => number <= task.attempts);
    const [startedAt, endedAt] = [own[0]?.started_at ?? null, own.at(-1)?.ended_at ?? null];
    const criteria = criteriaOf({ def: { criteria: [{ criterion: name, command }] }, evidence });
    return {
      ...{ id, plan: task.plan, name, phase: 1, status: state, depends_on: [], estimate_hours: 0.5 },
      done: state === "complete" ? "verified" : null,
      ...{ started_at: startedAt, ended_at: endedAt, ms: span(startedAt, endedAt) },
      ...{ commit, created: [...created], modified: [...modified], criteria, verification: null },
      ...{ attempts: own, usage: null, diff, skip_reason: task.reason },
    };
  });
}

/** Every criterion is there, also one that heddle never saw. */
function criteriaOf({ def, evidence }: Judged): ReportCheck[] {
  return def.criteria.map(({ criterion, command }, at) => {
    const seen = evidence?.checks[at];
    if (evidence && seen?.command === command) return checkDocument(seen, evidence.tree);
    const nothing = { ok: false, exit: null, ms: null, tree: null, log: null };
    return { criterion, command, ...nothing, note: "heddle has not run it" };
  });
}

function checkDocument(
  { criterion, command, ok, exit, ms, log, note, before, excused }: Check,
  tree: string,
): ReportCheck {
  const told = { criterion, command, ok, exit, ms, tree, log, note };
  return { ...told, ...(before && { before }), ...(excused !== undefined && { excused }) };
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
      // The configuration is taken over at the first start: nobody went past anything.
      if ([...phase, ...tasks].length === 0 && policy.join() === "baseline set to true") return undefined;
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

// One task as the page shows it, from the same document of it that reports are made of: what it is, why it stands where it stands, its
// attempts, evidence and history. Pure: what lies on the disk is handed in (`task-files.ts`).
import type { Entry } from "../core/fact.ts";
import type { Idle } from "../core/idle.ts";
import { judgingSentence } from "../core/queue.ts";
import type { Run, Task } from "../core/run.ts";
import { whyTask } from "../core/why.ts";
import { commandText } from "../view/hint.ts";
import type { ReportAttempt, ReportCheck, ReportTask } from "../view/report/execution-report.ts";
import { checkNote, doneSentence } from "../view/report/report-words.ts";
import { taskActions } from "./actions.ts";
import { commentOf } from "./comment.ts";
import { definitionActions } from "./definition.ts";
import type { Amount, AttemptRow, CriterionRow, DiffPage, TaskPage, TaskRow } from "./model.ts";
import { historyRow } from "./moments.ts";
import { taskRow } from "./rows.ts";
import { knownCost, type Told } from "./told.ts";

/** What is read from disk, by the number of the attempt. */
export interface TaskFiles {
  readonly description: string | null;
  /** The task's own file, where a person may edit it. */
  readonly source?: string | null;
  readonly transcripts: ReadonlySet<number>;
  readonly diffs: ReadonlyMap<number, DiffPage>;
}

export interface TaskInputs {
  readonly document: ReportTask;
  /** Of this task, oldest first. */
  readonly entries: readonly Entry[];
  readonly told: Told;
  readonly files: TaskFiles;
  readonly idle: Idle | undefined;
  /** Nothing can be done about it there: a replay, a report. */
  readonly isPast: boolean;
}

export function taskPage(run: Run, task: Task, inputs: TaskInputs): TaskPage {
  const { entries, told, files, idle, isPast, document } = inputs;
  const { def } = task;
  const { reasons, hint } = whyTask(run, task, idle);
  return {
    ...documentPage(document, files),
    row: taskRow(task, told),
    description: files.description,
    files: def.files.map(({ path, action }) => ({ path, action })),
    neededBy: [...task.dependents],
    why: reasons,
    command: hint === null ? null : commandText(hint),
    usage: usageIn(run, task, told),
    history: entries.map(historyRow),
    comments: run.questions.flatMap((each) => (each.about === def.id ? (commentOf(each) ?? []) : [])),
    actions: isPast ? [] : [...taskActions(run, task), ...definitionActions(run, task, files.source ?? "")],
  };
}

const noAmount: Amount = {
  ...{ inputTokens: 0, outputTokens: 0, costUsd: null, unknownCosts: 0, budgetUsd: null },
};

/** One of a plan that another one replaced: what a report knows of it is all that there is. */
export function earlierPage(document: ReportTask, files: TaskFiles): TaskPage {
  const { id, name, phase, status, done, attempts, created, modified } = document;
  const row: TaskRow = {
    ...{ id, name, phase, status, done, stage: null, dependsOn: [], steel: false, tags: [] },
    ...{ agent: attempts.at(-1)?.agent ?? null, attempts: attempts.length, costUsd: null },
    ...{ startedAt: document.started_at, completedAt: document.ended_at },
  };
  return {
    ...documentPage(document, files),
    ...{ row, description: null, neededBy: [], why: [], command: null, usage: noAmount },
    files: [
      ...created.map((path) => ({ path, action: "create" })),
      ...modified.map((path) => ({ path, action: "modify" })),
    ],
    ...{ history: [], comments: [], actions: [] },
  };
}

type OfDocument = "plan" | "outcome" | "ms" | "notes" | "criteria" | "attempts" | "diff";

function documentPage(document: ReportTask, files: TaskFiles): Pick<TaskPage, OfDocument> {
  const { judging, verification } = document;
  const attempts = document.attempts.map((each) => attemptRow(each, files));
  return {
    plan: document.plan ?? null,
    outcome: doneSentence(document),
    ms: document.ms,
    notes: [
      ...(judging ? [judgingSentence(judging)] : []),
      ...(verification ? [`A verifier said ${verification.verdict}, ${verification.recommendation}.`] : []),
    ],
    criteria: document.criteria.map(criterionRow),
    attempts,
    diff: document.diff ?? attempts.findLast(({ diff }) => diff !== null)?.diff ?? null,
  };
}

function usageIn({ policy }: Run, { def }: Task, { byTask }: Told): Amount {
  const {
    inputTokens = 0,
    outputTokens = 0,
    costUsd = 0,
    unknownCosts = 0,
    calls = 0,
  } = byTask.get(def.id) ?? {};
  return {
    ...{ inputTokens, outputTokens, unknownCosts, budgetUsd: policy.taskBudgetUsd },
    costUsd: knownCost({ costUsd, unknownCosts, calls }),
  };
}

function attemptRow(attempt: ReportAttempt, { transcripts, diffs }: TaskFiles): AttemptRow {
  const { number, driver, outcome, category, error, stages, differences, refused, claim, machine } = attempt;
  return {
    ...{ number, outcome, category, error, stages, differences, refused },
    ...(machine !== undefined && { machine }),
    agent: attempt.agent ?? (driver === "host" ? "a host" : null),
    claim: claim && `${claim.status}: ${claim.created.length} created, ${claim.modified.length} modified`,
    logged: (attempt.logged ?? []).map(({ level, event, message }) => ({
      level,
      text: `${event}: ${message}`,
    })),
    startedAt: attempt.started_at,
    endedAt: attempt.ended_at,
    checks: attempt.checks.map(criterionRow),
    transcript: transcripts.has(number),
    diff: diffs.get(number) ?? null,
  };
}

/** Every criterion is there, also one that heddle never ran. */
function criterionRow(check: ReportCheck): CriterionRow {
  const {
    criterion,
    command,
    ok,
    exit,
    ms,
    tree,
    log,
    log_beside: beside = null,
    output = null,
    excused,
  } = check;
  const note = checkNote(check);
  const isExcused = excused !== undefined;
  return {
    ...{
      criterion,
      command,
      exit,
      ms,
      tree,
      output,
      logs: [log, beside].filter((each) => each !== null),
      note: note === "" ? null : note,
    },
    result: ok ? "passed" : tree === null ? "not-run" : isExcused ? "excused" : "failed",
  };
}

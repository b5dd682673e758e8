// What a report has inside: the pages of one run as they are when it is written, made of the same document as its other formats, and
// no larger than what a browser opens at once.
import { basename } from "node:path";
import type { Entry } from "../core/fact.ts";
import type { TaskId } from "../core/run.ts";
import { nextTurn } from "../host/turns.ts";
import type { ExecutionReport, ReportTask } from "../view/report/execution-report.ts";
import type { RunReport } from "../view/report/run-report.ts";
import { documentSummary } from "../view/report/run-report-text.ts";
import { executionSummary } from "../view/report/summary.ts";
import { descriptionOf } from "../watch/task-text.ts";
import type { AttemptRow, CriterionRow, ReportData, RunPage, TaskPage } from "./model.ts";
import { tasksOf } from "./moments.ts";
import { moneyPage } from "./money.ts";
import { Project, type Shown } from "./project.ts";
import { earlierId } from "./rows.ts";
import { runEntry, runPage } from "./run-page.ts";
import type { Reading } from "./surface.ts";
import { earlierPage, type TaskFiles, taskPage } from "./task-page.ts";
import { timelinePage } from "./timeline.ts";

/** Of all tasks together, in characters: those that failed come first, and the last ones have their outlines alone. */
const mostDetails = 12 * 1024 * 1024;

export async function reportData(
  reading: Reading,
  document: ExecutionReport | RunReport,
): Promise<ReportData> {
  const { app, version } = reading;
  const project = new Project({ ...reading, perform: noOrders });
  const shown = await project.now(document.run);
  const { run, told, around } = shown;
  const entries = await app.history();
  const page = readOnly(runPage(run, around));
  const pages = "protocol" in document ? [] : await taskPages(shown, document.tasks, entries);
  const { tasks, leftOut } = bounded(pages);
  const { root } = app.paths;
  return {
    writtenAt: document.written_at,
    project: {
      ...{ name: basename(root), root, version, inbox: page.inbox },
      runs: [runEntry(run, around)],
    },
    run: page,
    report: "protocol" in document ? documentSummary(document) : executionSummary(document),
    ...{ tasks, leftOut },
    timeline: timelinePage(run, entries, told),
    money: moneyPage(run, entries),
    coverage: await reading.coverage(run),
  };
}

const noOrders = () => {
  throw new Error("bug: a report takes no orders");
};

/** Nothing can be done there. */
const readOnly = (page: RunPage): RunPage => ({
  ...page,
  actions: [],
  inbox: page.inbox.map((item) => ({ ...item, actions: [] })),
});

type Named = readonly [id: string, page: TaskPage];

async function taskPages(
  { run, told, around: { idle } }: Shown,
  documents: readonly ReportTask[],
  entries: readonly Entry[],
): Promise<Named[]> {
  const byTask = entriesByTask(entries);
  const pages: Named[] = [];
  for (const document of documents) {
    await nextTurn();
    const { id, plan } = document;
    const files: TaskFiles = { description: null, transcripts: new Set(), diffs: new Map() };
    const task = run.tasks.get(id);
    if (plan !== undefined) pages.push([earlierId({ plan, id }), earlierPage(document, files)]);
    else if (task) {
      const inputs = { document, told, idle, isPast: true, entries: byTask.get(id) ?? [] };
      const description = descriptionOf(run, task);
      pages.push([id, taskPage(run, task, { ...inputs, files: { ...files, description } })]);
    }
  }
  return pages;
}

function entriesByTask(entries: readonly Entry[]): Map<TaskId, Entry[]> {
  const found = new Map<TaskId, Entry[]>();
  for (const entry of entries) {
    if (entry.fact.kind === "task-defined") continue;
    for (const id of tasksOf(entry.fact)) {
      const own = found.get(id);
      if (own) own.push(entry);
      else found.set(id, [entry]);
    }
  }
  return found;
}

const order = ["failed", "running", "blocked", "complete", "skipped", "pending"];

/** As many with all that is known of them as there is room for. */
export function bounded(pages: readonly Named[], most = mostDetails): Pick<ReportData, "tasks" | "leftOut"> {
  const rank = ([, { row }]: Named) => order.indexOf(row.status);
  const urgent = [...pages].sort((a, b) => rank(a) - rank(b));
  let [room, leftOut] = [most, 0];
  const kept = new Map<string, TaskPage>();
  for (const [id, page] of urgent) {
    room -= JSON.stringify(page).length;
    if (room < 0) leftOut++;
    kept.set(id, room < 0 ? outline(page) : page);
  }
  return { tasks: Object.fromEntries(pages.map(([id]) => [id, kept.get(id) as TaskPage])), leftOut };
}

function outline(page: TaskPage): TaskPage {
  const ofCheck = (row: CriterionRow) => ({ ...row, output: null });
  const ofAttempt = (attempt: AttemptRow): AttemptRow => ({
    ...attempt,
    ...{ logged: [], checks: [], diff: null, error: attempt.error?.slice(0, 300) ?? null },
  });
  return {
    ...page,
    ...{ description: page.description?.slice(0, 300) ?? null, diff: null, history: [] },
    criteria: page.criteria.slice(0, 20).map(ofCheck),
    attempts: page.attempts.slice(-3).map(ofAttempt),
  };
}

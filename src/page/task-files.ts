// What the disk knows of one task's attempts: who worked, what is kept of what they said, and their diffs. Nothing here is written.
import type { Entry } from "../core/fact.ts";
import { isProblem } from "../core/problem.ts";
import type { EarlierTask } from "../core/protocol.ts";
import type { Run } from "../core/run.ts";
import type { App } from "../engine/app.ts";
import { isThere } from "../host/files.ts";
import { branchLog } from "../host/git/branch-log.ts";
import { orProblem } from "../host/git/git.ts";
import type { Repository } from "../host/git/repository.ts";
import { repositoryOf } from "../orders/target-repository.ts";
import type { ReportTask } from "../view/report/execution-report.ts";
import { taskReports } from "../view/report/report.ts";
import { filesOf, withOutput } from "../watch/report.ts";
import { descriptionOf, sourceOf } from "../watch/task-text.ts";
import { attemptFolder, startedOf } from "../work/attempt-folder.ts";
import type { LiveRun } from "./live-run.ts";
import type { DiffPage } from "./model.ts";
import type { TaskFiles } from "./task-page.ts";
import { noneSpent } from "./told.ts";

const limits = { textBytes: 512 * 1024, maxBytes: 2 * 1024 * 1024 };

/** Of so many attempts, the last ones, the diffs are read. */
const mostDiffs = 8;

/** What is shown of one task, and the document of it that a report would have. */
export interface TaskRead {
  readonly document: ReportTask;
  readonly files: TaskFiles;
}

interface Wanted {
  /** Of the task, oldest first. */
  readonly entries: readonly Entry[];
  /** Of a plan that another one replaced: which. */
  readonly plan?: string;
}

/** `app` is about the task's run. */
export async function readTask(
  app: App,
  { run, task }: { readonly run: Run; readonly task: TaskOrEarlier },
  { entries, plan }: Wanted,
): Promise<TaskRead> {
  const { id, attempts, commit } = task;
  const numbered = Array.from({ length: attempts }, (_, at) => ({ task: id, attempt: at + 1 }));
  const place = { heddle: app.paths.heddle, run: run.id };
  const works = entries.flatMap(({ fact }) =>
    fact.kind === "work-recorded" ? [[fact.attempt, fact.commit] as const] : [],
  );
  const { diffs, merged } = await diffsOf(app, commit, works.slice(-mostDiffs));
  const known = run.tasks.get(id);
  const reports = taskReports(run, known ? [known] : [], {
    ...filesOf(numbered, place),
    ...{ entries, diffs: commit !== null && merged ? new Map([[commit, merged]]) : new Map() },
  });
  const document = reports.find((each) => each.id === id && each.plan === plan);
  if (!document) throw new Error(`bug: no report of ${id}`);
  const transcripts = numbered.filter((each) => isThere(attemptFolder(place.heddle, run.id, each).events));
  return {
    document: withOutput(document, { ofAll: true }),
    files: {
      diffs,
      transcripts: new Set(transcripts.map(({ attempt }) => attempt)),
      description: known && plan === undefined ? descriptionOf(run, known) : null,
      source: known && plan === undefined ? sourceOf(run, known) : null,
    },
  };
}

export type TaskOrEarlier = Pick<EarlierTask, "id" | "attempts" | "commit">;

async function diffsOf(
  app: App,
  commit: string | null,
  works: readonly (readonly [number, string])[],
): Promise<{ readonly diffs: Map<number, DiffPage>; readonly merged: ReportDiff | null }> {
  const diffs = new Map<number, DiffPage>();
  if (commit === null && works.length === 0) return { diffs, merged: null };
  const repository = await orProblem(() => repositoryOf(app));
  if (isProblem(repository)) return { diffs, merged: null };
  for (const [attempt, work] of works) {
    const diff = await diffOf(repository, work);
    if (diff) diffs.set(attempt, diff);
  }
  return { diffs, merged: commit === null ? null : await diffOf(repository, commit) };
}

type ReportDiff = NonNullable<ReportTask["diff"]>;

/** Of so many tasks, each is asked for; of more, those that run. */
const fewTasks = 300;

/** Who works, where no call has told what it used yet: as it was written down before the agent started. */
export function nameAgents({ run, told }: Pick<LiveRun, "run" | "told">, heddle: string): void {
  const all =
    run.tasks.size <= fewTasks ? run.tasks.all() : run.running.flatMap((id) => run.tasks.get(id) ?? []);
  for (const { def, attempts } of all) {
    if (attempts === 0 || told.byTask.has(def.id)) continue;
    const started = startedOf(attemptFolder(heddle, run.id, { task: def.id, attempt: attempts }));
    if (started) told.byTask.set(def.id, noneSpent(started.agent));
  }
}

/** Nothing where its commit is gone. */
async function diffOf(repository: Repository, commit: string): Promise<ReportDiff | null> {
  const found = await orProblem(() => branchLog(repository, { from: `${commit}^`, to: commit, ...limits }));
  return isProblem(found) ? null : ((found.get(commit) as ReportDiff | undefined) ?? null);
}

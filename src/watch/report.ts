// The room of looking on: attach, transcripts, reports, who is at work. It reads the journal, attempts' folders and git, and
// writes nothing but what it is asked to make.
//
// The report of an execution: what the journal and the disk know of it, put together.
import { isProblem } from "../core/problem.ts";
import type { Run } from "../core/run.ts";
import type { App } from "../engine/app.ts";
import { wallClock } from "../host/clock.ts";
import { branchLog, type CommitChange } from "../host/git/branch-log.ts";
import { orProblem } from "../host/git/git.ts";
import { nextTurn } from "../host/turns.ts";
import { repositoryOf } from "../orders/target-repository.ts";
import type { ReportTask } from "../view/report/execution-report.ts";
import { type ReportFiles, reportDocument } from "../view/report/report.ts";
import { attemptFolder, type Logged, loggedIn, startedOf } from "../work/attempt-folder.ts";
import { tailOf } from "../work/evidence/last-words.ts";
import { readProposal } from "../work/read-result.ts";
import type { Result } from "../work/result.ts";

export type Report = ReturnType<typeof reportDocument>;

const limits = { textBytes: 24 * 1024, maxBytes: 8 * 1024 * 1024 };

export async function report(app: App): Promise<Report> {
  const run = await app.run();
  const entries = await app.history();
  const { branch, attempts } = await app.look((state) => ({
    branch: state.branch,
    attempts: attemptsOf(state),
  }));
  const diffs = branch ? await differences(app, branch) : new Map<string, CommitChange>();
  const files = {
    ...filesOf(attempts, { heddle: app.paths.heddle, run }),
    diffs: diffs as unknown as ReportFiles["diffs"],
  };
  await nextTurn();
  const document = await app.look((state) =>
    reportDocument(state, { ...files, entries, writtenAt: wallClock() }),
  );
  return { ...document, tasks: document.tasks.map((task) => withOutput(task)) };
}

interface Attempted {
  readonly task: string;
  readonly attempt: number;
}

/** What the disk knows of attempts: who worked, what they said, and what they logged. */
export function filesOf(
  attempts: readonly Attempted[],
  { heddle, run }: { readonly heddle: string; readonly run: string },
): Required<Pick<ReportFiles, "agents" | "claims" | "logs">> {
  const agents = new Map<string, string>();
  const claims = new Map<string, Claim>();
  const logs = new Map<string, Logged[]>();
  for (const { task, attempt } of attempts) {
    const folder = attemptFolder(heddle, run, { task, attempt });
    const key = `${task}-${attempt}`;
    const logged = loggedIn(folder, mostLines);
    if (logged.length > 0) logs.set(key, logged);
    const started = startedOf(folder);
    if (started) agents.set(key, started.agent);
    const proposal = started ? readProposal(folder, task) : undefined;
    if (proposal?.kind === "success") claims.set(key, claimOf(proposal.result));
    if (proposal?.kind === "failed")
      claims.set(key, { status: "failed", created: [], modified: [], passed: [] });
  }
  return { agents, claims, logs };
}

const mostLines = 40;

/** What checks printed, of red ones alone unless said, and logs by names that can be opened. */
export function withOutput(task: ReportTask, { ofAll = false } = {}): ReportTask {
  const told = (check: ReportTask["criteria"][number]) => {
    if (check.log === null) return check;
    const { lines, log, beside } = tailOf(check.log, mostLines);
    const isTold = (ofAll || !check.ok) && lines.length > 0;
    const logs = { log, ...(beside !== null && { log_beside: beside }) };
    return { ...check, ...logs, ...(isTold && { output: lines.join("\n") }) };
  };
  const attempts = task.attempts.map((each) => ({ ...each, checks: each.checks.map(told) }));
  return { ...task, criteria: task.criteria.map(told), attempts };
}

function attemptsOf(run: Run): Attempted[] {
  const last = new Map((run.protocol.own?.earlier?.(run) ?? []).map(({ id, attempts }) => [id, attempts]));
  for (const { def, attempts } of run.tasks.all()) last.set(def.id, attempts);
  return [...last].flatMap(([task, attempts]) =>
    Array.from({ length: attempts }, (_, at) => ({ task, attempt: at + 1 })),
  );
}

type Claim = NonNullable<Report["tasks"][number]["attempts"][number]["claim"]>;

function claimOf({ status, files, verification }: Result): Claim {
  const passed = (verification?.criteria ?? []).filter((each) => each.status === "PASS");
  return {
    status,
    created: [...(files?.created ?? [])],
    modified: [...(files?.modified ?? [])],
    passed: passed.flatMap(({ name, command }) => (command === undefined ? [name] : [name, command])),
  };
}

/** A report without differences is better than none. */
async function differences(
  app: App,
  { start, tip }: { readonly start: string; readonly tip: string },
): Promise<Map<string, CommitChange>> {
  const found = await orProblem(async () =>
    branchLog(await repositoryOf(app), { from: start, to: tip, ...limits }),
  );
  return isProblem(found) ? new Map() : found;
}

// The report of an execution: what the journal and the disk know of it, put together and written where people find it.
import { join } from "node:path";
import { isProblem } from "../core/problem.ts";
import type { Run } from "../core/run.ts";
import { attemptFolder, startedOf } from "../effects/attempt-folder.ts";
import { readProposal } from "../effects/read-result.ts";
import { branchLog, type CommitChange } from "../host/branch-log.ts";
import { wallClock } from "../host/clock.ts";
import { makeFolder, replaceFile } from "../host/files.ts";
import { orProblem } from "../host/git.ts";
import type { Result } from "../protocols/decomposition/artifacts/result.ts";
import { type ReportFiles, reportDocument } from "../view/report.ts";
import { reportHtml } from "../view/report-html.ts";
import { reportMarkdown } from "../view/report-md.ts";
import type { RunReport } from "../view/run-report.ts";
import { runReportHtml, runReportMarkdown } from "../view/run-report-text.ts";
import type { App } from "./app.ts";
import { documentReport } from "./run-report.ts";
import { repositoryOf } from "./target-repository.ts";

export type Report = ReturnType<typeof reportDocument>;
/** What has its own report: everything else is told by its documents. */
const withTasks = ["decomposition", "mission", "tuning"];

export const reportFormats = ["md", "json", "html"] as const;
export type ReportFormat = (typeof reportFormats)[number];

const limits = { textBytes: 24 * 1024, maxBytes: 8 * 1024 * 1024 };

export async function report(app: App): Promise<Report> {
  const run = await app.run();
  const entries = await app.history();
  const { branch, attempts } = await app.look((state) => ({
    branch: state.branch,
    attempts: attemptsOf(state),
  }));
  const diffs = branch ? await differences(app, branch) : new Map<string, CommitChange>();
  const agents = new Map<string, string>();
  const claims = new Map<string, Claim>();
  for (const { task, attempt } of attempts) {
    const folder = attemptFolder(app.paths.heddle, run, { task, attempt });
    const key = `${task}-${attempt}`;
    const started = startedOf(folder);
    if (started) agents.set(key, started.agent);
    const proposal = started ? readProposal(folder, task) : undefined;
    if (proposal?.kind === "success") claims.set(key, claimOf(proposal.result));
    if (proposal?.kind === "failed")
      claims.set(key, { status: "failed", created: [], modified: [], passed: [] });
  }
  const files = { agents, claims, diffs: diffs as unknown as ReportFiles["diffs"] };
  return app.look((state) => reportDocument(state, { ...files, entries, writtenAt: wallClock() }));
}

function attemptsOf(run: Run): { task: string; attempt: number }[] {
  return [...run.tasks.all()].flatMap(({ def, attempts }) =>
    Array.from({ length: attempts }, (_, at) => ({ task: def.id, attempt: at + 1 })),
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

/** Of any run: of its tasks, or of its documents where it has none. */
export async function anyReport(app: App): Promise<Report | RunReport> {
  const protocol = await app.look((run) => run.protocolName);
  return withTasks.includes(protocol) ? report(app) : documentReport(app);
}

export function reportText(document: Report | RunReport, format: ReportFormat): string {
  if ("protocol" in document && format !== "json")
    return format === "md" ? runReportMarkdown(document) : runReportHtml(document);
  return planReportText(document as Report, format);
}

function planReportText(document: Report, format: ReportFormat): string {
  switch (format) {
    case "md":
      return reportMarkdown(document);
    case "json":
      return `${JSON.stringify(document, null, 2)}\n`;
    case "html":
      return reportHtml(document);
  }
}

/** Into `reports/` of the run's folder; answers with the page for people. */
export async function writeReports(app: App): Promise<string> {
  const document = await report(app);
  const folder = join(await app.look((run) => run.planningDir), "reports");
  makeFolder(folder);
  for (const format of reportFormats)
    replaceFile(join(folder, `execution-report.${format}`), reportText(document, format));
  return join(folder, "execution-report.html");
}

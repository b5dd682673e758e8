// A run's report in each format, and where an execution leaves all three: one document of it, as text, as data and as the page.
import { join } from "node:path";
import { isProblem } from "../core/problem.ts";
import { type App, Refused } from "../engine/app.ts";
import { isThere, makeFolder, replaceFile } from "../host/files.ts";
import { nextTurn } from "../host/turns.ts";
import type { ExecutionReport } from "../view/report/execution-report.ts";
import { reportMarkdown } from "../view/report/report-md.ts";
import type { RunReport } from "../view/report/run-report.ts";
import { runReportMarkdown } from "../view/report/run-report-text.ts";
import { report } from "../watch/report.ts";
import type { Coverage } from "./reading.ts";

const reportFormats = ["md", "json", "html"] as const;
export type ReportFormat = (typeof reportFormats)[number];

type Document = ExecutionReport | RunReport;

/** `app` is about the run. */
export async function reportOf(app: App): Promise<Document> {
  const isOfAttempts = await app.look(({ protocol }) => protocol.own?.reportOfAttempts === true);
  if (isOfAttempts) return report(app);
  return (await import("./documents/run-report.ts")).documentReport(app);
}

interface Written {
  readonly app: App;
  readonly document: Document;
  readonly coverage: Coverage;
}

export async function reportText(written: Written, format: ReportFormat): Promise<string> {
  const { document } = written;
  switch (format) {
    case "md":
      return markdownOf(document);
    case "json":
      return `${JSON.stringify(document, null, 2)}\n`;
    case "html":
      return pageOf(written);
  }
}

const markdownOf = (document: Document) =>
  "protocol" in document ? runReportMarkdown(document) : reportMarkdown(document);

/** The page itself, with the data inside. */
async function pageOf({ app, document, coverage }: Written): Promise<string> {
  const [{ readPage }, { reportData }, { reportFile }, { readingFor }] = await Promise.all([
    import("../page/http/static-files.ts"),
    import("../page/report.ts"),
    import("../page/report-file.ts"),
    import("./reading.ts"),
  ]);
  const files = readPage();
  if (isProblem(files)) throw new Refused([files]);
  const data = await reportData(readingFor(app, coverage), document);
  return reportFile(files, { data, text: markdownOf(document) });
}

/** Into `reports/` of the run's folder; answers with the page for people. */
export async function writeReports(app: App, coverage: Coverage): Promise<string> {
  const document = await reportOf(app);
  const planningDir = await app.look((run) => run.planningDir);
  // One that was moved away is expected back: nothing may be made in its place.
  if (!isThere(planningDir)) throw new Error(`${planningDir} is missing`);
  const folder = join(planningDir, "reports");
  makeFolder(folder);
  for (const format of reportFormats) {
    await nextTurn();
    replaceFile(
      join(folder, `execution-report.${format}`),
      await reportText({ app, document, coverage }, format),
    );
  }
  return join(folder, "execution-report.html");
}

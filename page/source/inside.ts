// The data inside of a report: read only, no line, no other moments. Made for a file that is opened offline.
import type { MomentsPage, ReportData, TranscriptPage } from "../../src/page/model.ts";
import { type At, Missing, type Source } from "./source.ts";

export function insideSource(report: ReportData): Source {
  const { run, tasks, timeline, money, coverage } = report;
  const of = async <T>({ run: asked }: At, page: T | null | undefined, what: string): Promise<T> => {
    if (asked !== run.id) throw new Missing(`This report is about ${run.id} and knows no ${asked}.`);
    if (page === null || page === undefined) throw new Missing(`This report has no ${what}.`);
    return page;
  };
  return {
    live: false,
    writtenAt: report.writtenAt,
    leftOut: report.leftOut,
    project: async () => ({ ...report.project, runs: report.project.runs.filter(({ id }) => id === run.id) }),
    run: (at) => of(at, run, "run"),
    task: (at) => of(at, Object.hasOwn(tasks, at.task) ? tasks[at.task] : null, `task ${at.task}`),
    timeline: (at) => of(at, timeline, "timeline"),
    money: (at) => of(at, money, "amounts"),
    coverage: (at) => of(at, coverage, "specification"),
    report: (at) => of(at, report.report, "summary"),
    moments: (at) => of<MomentsPage>(at, null, "other moments"),
    transcript: (at) => of<TranscriptPage>(at, null, "transcript"),
    order: async () => ({ ok: false, problem: "A report is read only.", hint: null }),
    watch: (listener) => listener.line("inside"),
  };
}

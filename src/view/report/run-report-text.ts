// The report of a run that is about documents, in words: its facts and tables, which Markdown and the page show.
import { fieldsOf } from "../../core/json.ts";
import { findingSections, proposedDifference } from "./findings.ts";
import { listOf, textOf } from "./loose.ts";
import { together, wholeLines, writtenLine } from "./report-md.ts";
import { duration, moment, shortly, usageSentence } from "./report-words.ts";
import type { RunReport } from "./run-report.ts";
import { type ReportSummary, type Section, shortened, warningsOf } from "./summary.ts";

export function documentSummary(report: RunReport): ReportSummary {
  return {
    headline: headline(report),
    warnings: warningsOf(report),
    facts: factsOf(report),
    sections: shortened(sectionsOf(report)),
    difference: report.difference ?? proposedDifference(report.documents),
    writtenAt: report.written_at,
  };
}

export const runReportMarkdown = (report: RunReport) =>
  together([...wholeLines(documentSummary(report)), writtenLine(report.written_at)]);

function headline({ outcome, brief, run }: RunReport): string {
  const what = brief === "" ? run : `${run}: ${brief.split("\n", 1)[0]}`;
  return `${outcome.charAt(0).toUpperCase()}${outcome.slice(1)}: ${what.slice(0, 200)}`;
}

function factsOf(report: RunReport): [string, string][] {
  const { usage, ended_at: ended, halt } = report;
  return [
    ["Run", `${report.run}, ${report.protocol}, phase ${report.phase}, round ${report.round}`],
    ["Target", report.target_dir],
    [
      "Time",
      `${duration(report.ms)}, from ${moment(report.started_at)} to ${ended === null ? "now" : moment(ended)}`,
    ],
    ["Used", usageSentence(usage, usage.budget_usd)],
    ...(report.commits.length > 0 ? [["Commits", report.commits.join(", ")] as [string, string]] : []),
    ...(halt ? [["Halted", `${halt.code}: ${halt.reason}`] as [string, string]] : []),
    ...(ended === null ? [["Next", report.next.reason] as [string, string]] : []),
  ];
}

function sectionsOf(report: RunReport): Section[] {
  const { documents } = report;
  const sections: Section[] = [
    {
      title: "Evidence",
      head: ["", "what", "command", "exit", "took"],
      rows: evidenceOf(documents.eval_report),
    },
    ...findingSections(documents),
    { title: "Verdicts", head: ["document", "says", "because"], rows: verdictsOf(documents) },
    {
      title: "Overrides",
      head: ["when", "who", "what", "why"],
      rows: report.overrides.map(({ at, by, what, reason }) => [moment(at), by, what, reason]),
    },
    {
      title: "Questions",
      head: ["question", "answer"],
      rows: report.questions.map(({ question, answer }) => [question, answer ?? "open"]),
    },
    {
      title: "The way",
      head: ["when", "from", "to", "why", "who"],
      rows: report.way.map(({ at, from, to, why, by }) => [moment(at), from, to, why, by]),
    },
    {
      title: "Work",
      head: ["role", "attempt", "began", "is", "what was wrong"],
      rows: report.work.map(({ role, attempt, started_at: began, outcome, problems }) => [
        ...[role, String(attempt), moment(began), outcome, problems.join("; ")],
      ]),
    },
    {
      title: "Artifacts",
      head: ["artifact", "is", "file"],
      rows: report.artifacts.map(({ name, state, path }) => [name, state, path].map(String)),
    },
  ];
  return sections.filter(({ rows }) => rows.length > 0);
}

function evidenceOf(report: unknown): string[][] {
  const cases = listOf(fieldsOf(report).suites).flatMap((suite) => listOf(fieldsOf(suite).cases));
  return cases.map(fieldsOf).map(({ name, status, duration_ms: ms, metadata }) => {
    const { command, exit } = fieldsOf(metadata);
    return [
      status === "passed" ? "✓" : "✗",
      String(name),
      textOf(command),
      textOf(exit) || "—",
      shortly(typeof ms === "number" ? Math.round(ms) : null),
    ];
  });
}

function verdictsOf({
  plan_review: plan,
  code_review: code,
  decision,
  revert,
}: RunReport["documents"]): string[][] {
  const { verdict, reasons } = fieldsOf(decision);
  const { impact, reason } = fieldsOf(revert);
  return [
    ...(plan ? [reviewed("plan review", plan)] : []),
    ...(code ? [reviewed("code review", code)] : []),
    ...(decision ? [["decision", String(verdict), listOf(reasons).join("; ")]] : []),
    ...(revert ? [["revert", String(impact ?? "reverted"), String(reason)]] : []),
  ];
}

function reviewed(name: string, review: unknown): string[] {
  const { ok, blocking_issues: issues, reasons } = fieldsOf(review);
  const said = [...listOf(issues), ...listOf(reasons)].map((each) => String(fieldsOf(each).message ?? each));
  return [name, ok === true && listOf(issues).length === 0 ? "ok" : "not ok", said.join("; ")];
}

// The report as Markdown. Everything that agents and people wrote stands in code or is escaped: a name is never markup.
import type {
  ExecutionReport,
  ReportAttempt,
  ReportCheck,
  ReportTask,
} from "../protocols/decomposition/artifacts/execution-report.ts";
import {
  attemptSentence,
  doneSentence,
  duration,
  facts,
  headline,
  leftShown,
  shortly,
  unconfinedSentence,
  usageSentence,
} from "./report-words.ts";
import { oneLine, safe } from "./safe.ts";

export function reportMarkdown(report: ExecutionReport): string {
  const sections = [
    [`# ${plain(headline(report))}`],
    report.unconfined ? [`> **${unconfinedSentence}**`] : [],
    [
      table(
        ["", ""],
        facts(report).map(([name, value]) => [name, plain(value)]),
      ),
    ],
    leftLines(report),
    unverifiedLines(report),
    overrideLines(report),
    ["## Tasks", overview(report), ...report.tasks.filter(isWorth).map(taskLines)],
    [`Written ${report.written_at} by heddle. \`heddle report\` writes it again.`],
  ];
  return `${sections
    .filter((section) => section.length > 0)
    .map((section) => section.join("\n\n"))
    .join("\n\n")}\n`;
}

/** Nothing happened to the others yet. */
const isWorth = (task: ReportTask) => task.attempts.length > 0 || task.status !== "pending";

export const plain = (text: string) => oneLine(text).replace(/[\\`*_{}[\]<>#|~]/g, "\\$&");

/** Code in a line: fenced by more backticks than it holds. */
function code(text: string): string {
  const shown = oneLine(text).replaceAll("|", "\\|");
  const fence = "`".repeat(longestRun(shown) + 1);
  return shown.startsWith("`") || shown.endsWith("`")
    ? `${fence} ${shown} ${fence}`
    : `${fence}${shown}${fence}`;
}

export function block(text: string, language = ""): string {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${language}\n${safe(text).trimEnd()}\n${fence}`;
}

const longestRun = (text: string) => Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function leftLines(report: ExecutionReport): string[] {
  const { shown, more } = leftShown(report);
  if (shown.length === 0) return [];
  const rows = shown.map(({ task, status, reasons, hint }) => [
    task,
    status,
    plain(short(reasons.join("; "))),
    hint === null ? "" : code(hint),
  ]);
  return [
    "## What is left",
    table(["task", "is", "why", "what would help"], rows),
    ...(more > 0 ? [`… and ${more} more: \`heddle report --json\``] : []),
  ];
}

const short = (text: string) => (text.length > 300 ? `${text.slice(0, 300)}…` : text);

function unverifiedLines({ unverified }: ExecutionReport): string[] {
  if (unverified.length === 0) return [];
  return [
    "## Not verified",
    `Complete on somebody's word alone, not seen by heddle: ${unverified.join(", ")}.`,
  ];
}

function overrideLines({ overrides }: ExecutionReport): string[] {
  if (overrides.length === 0) return [];
  const rows = overrides.map(({ at, by, task, what, reason }) => [
    ...[at, plain(by), task ?? "", plain(what)],
    plain(short(reason)),
  ]);
  return ["## Overrides", table(["when", "who", "task", "what", "why"], rows)];
}

function overview({ tasks }: ExecutionReport): string {
  const rows = tasks.map((task) => {
    const passed = task.criteria.filter(({ ok }) => ok).length;
    return [
      ...[task.id, plain(task.name), doneSentence(task), `${passed}/${task.criteria.length}`],
      ...[
        String(task.attempts.length),
        duration(task.ms),
        task.usage ? usageSentence(task.usage) : "unknown",
      ],
    ];
  });
  return table(["task", "name", "is", "criteria", "attempts", "time", "used"], rows);
}

function taskLines(task: ReportTask): string {
  const { verification, diff } = task;
  const parts = [
    `### ${task.id} ${plain(task.name)}`,
    `${doneSentence(task)}. Time ${duration(task.ms)}; used ${usageSentence(task.usage)}.`,
    task.criteria.length > 0 ? evidence(task.criteria) : "",
    verification ? `A verifier said ${verification.verdict}, ${verification.recommendation}.` : "",
    ...task.attempts.map(attemptLines),
    diff ? diffLines(diff) : "",
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

function evidence(checks: readonly ReportCheck[]): string {
  const rows = checks.map(({ criterion, command, ok, exit, ms, tree, log, note }) => [
    ...[ok ? "✓" : "✗", plain(criterion), code(command), exit === null ? "—" : String(exit), shortly(ms)],
    ...[tree === null ? "—" : code(tree.slice(0, 12)), log === null ? "—" : code(log), plain(note ?? "")],
  ]);
  return table(["", "criterion", "command", "exit", "took", "tree", "log", "note"], rows);
}

function attemptLines(attempt: ReportAttempt): string {
  const { error, differences, refused, claim } = attempt;
  const claimed = claim
    ? [`  - it claimed ${claim.status}: ${claim.created.length} created, ${claim.modified.length} modified`]
    : [];
  return [
    `- ${plain(attemptSentence(attempt))}`,
    ...claimed,
    ...differences.map((each) => `  - **differs:** ${plain(each)}`),
    ...refused.map((each) => `  - **refused:** ${plain(each)}`),
    ...(error === null ? [] : ["", indented(block(error))]),
  ].join("\n");
}

const indented = (text: string) =>
  text
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");

function diffLines({ files, text, cut }: NonNullable<ReportTask["diff"]>): string {
  const names = files.map(({ path, added, removed }) => `- ${code(path)} +${added} −${removed}`);
  const note = cut ? "\n\nCut here: the commit has the rest." : "";
  return `${names.join("\n")}\n\n<details><summary>Difference</summary>\n\n${block(text, "diff")}${note}\n\n</details>`;
}

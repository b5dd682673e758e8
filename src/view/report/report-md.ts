// The report as Markdown. Everything that agents and people wrote stands in code or is escaped: a name is never markup.
import { judgingSentence } from "../../core/queue.ts";
import { oneLine, safe } from "../safe.ts";
import type { ExecutionReport, ReportAttempt, ReportCheck, ReportTask } from "./execution-report.ts";
import {
  attemptSentence,
  checkNote,
  doneSentence,
  duration,
  moment,
  shortly,
  usageSentence,
} from "./report-words.ts";
import { type Cell, executionSummary, type ReportSummary, type Section } from "./summary.ts";

export function reportMarkdown(report: ExecutionReport): string {
  return together([
    ...wholeLines(executionSummary(report)),
    "## Tasks",
    overview(report),
    ...report.tasks.filter(isWorth).map(taskLines),
    writtenLine(report.written_at),
  ]);
}

export const together = (parts: readonly string[]) => `${parts.filter((part) => part !== "").join("\n\n")}\n`;

export const writtenLine = (at: string) =>
  `Written ${moment(at)} by heddle. \`heddle report\` writes it again.`;

/** The run as a whole: what every report begins with. */
export function wholeLines({ headline, warnings, facts, sections, difference }: ReportSummary): string[] {
  return [
    `# ${plain(headline)}`,
    ...warnings.map((each) => `> **${each}**`),
    table(
      ["", ""],
      facts.map(([name, value]) => [name, plain(value)]),
    ),
    ...sections.flatMap(sectionLines),
    difference === null ? "" : `## Difference\n\n${block(difference, "diff")}`,
  ];
}

function sectionLines({ title, text = "", head, rows, more = "" }: Section): string[] {
  const cells = rows.map((row) => row.map(cellText));
  return [`## ${title}`, text, rows.length > 0 ? table(head, cells) : "", more];
}

const cellText = (cell: Cell) => (typeof cell === "string" ? plain(cell) : code(cell.code));

/** Nothing happened to the others yet. */
const isWorth = (task: ReportTask) => task.attempts.length > 0 || task.status !== "pending";

const plain = (text: string) => oneLine(text).replace(/[\\`*_{}[\]<>#|~]/g, "\\$&");

/** Code in a line: fenced by more backticks than it holds. */
function code(text: string): string {
  const shown = oneLine(text).replaceAll("|", "\\|");
  const fence = "`".repeat(longestRun(shown) + 1);
  return shown.startsWith("`") || shown.endsWith("`")
    ? `${fence} ${shown} ${fence}`
    : `${fence}${shown}${fence}`;
}

function block(text: string, language = ""): string {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${language}\n${safe(text).trimEnd()}\n${fence}`;
}

const longestRun = (text: string) => Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
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
    ...outputs(task),
    task.judging ? `**Note:** ${plain(judgingSentence(task.judging))}.` : "",
    verification ? `A verifier said ${verification.verdict}, ${verification.recommendation}.` : "",
    ...task.attempts.map(attemptLines),
    diff ? diffLines(diff) : "",
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

function evidence(checks: readonly ReportCheck[]): string {
  const rows = checks.map((check) => {
    const { criterion, command, ok, exit, ms, tree, log } = check;
    return [
      ...[ok ? "✓" : "✗", plain(criterion), code(command), exit === null ? "—" : String(exit), shortly(ms)],
      ...[tree === null ? "—" : code(tree.slice(0, 12)), log === null ? "—" : code(log)],
      plain(checkNote(check)),
    ];
  });
  return table(["", "criterion", "command", "exit", "took", "tree", "log", "note"], rows);
}

/** What red checks printed last; of attempts before the last one, too. */
function outputs({ criteria, attempts, status }: ReportTask): string[] {
  const earlier = status === "complete" ? attempts.slice(0, -1) : [];
  const shown = status === "complete" ? earlier.flatMap(({ checks }) => checks) : criteria;
  return shown.flatMap(({ command, output, log, log_beside: beside }) =>
    output === undefined
      ? []
      : [
          `${code(command)} printed last${log === null ? "" : ` (all of it: ${code(log)}${beside === undefined ? "" : ` and ${code(beside)}`})`}:`,
          block(output),
        ],
  );
}

function attemptLines(attempt: ReportAttempt): string {
  const { error, differences, refused, claim, logged = [] } = attempt;
  const claimed = claim
    ? [`  - it claimed ${claim.status}: ${claim.created.length} created, ${claim.modified.length} modified`]
    : [];
  return [
    `- ${plain(attemptSentence(attempt))}`,
    ...claimed,
    ...differences.map((each) => `  - **differs:** ${plain(each)}`),
    ...refused.map((each) => `  - **refused:** ${plain(each)}`),
    ...logged.map(({ level, event, message }) => `  - logged ${plain(`${level} ${event}: ${message}`)}`),
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

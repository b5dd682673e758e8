// The report as one HTML file: nothing is loaded, nothing runs, every text is escaped. Reads on a phone, in light and dark.
import type {
  ExecutionReport,
  ReportAttempt,
  ReportCheck,
  ReportTask,
} from "../protocols/decomposition/artifacts/execution-report.ts";
import { reportStyle } from "./report-style.ts";
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
import { safe } from "./safe.ts";

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export const escaped = (text: string) =>
  safe(text).replace(/[&<>"']/g, (character) => entities[character] ?? "");

/** Text in a tag; `inner` is markup already. */
const tag = (name: string, inner: string, kind = "") =>
  `<${name}${kind === "" ? "" : ` class="${kind}"`}>${inner}</${name}>`;
export const words = (name: string, text: string, kind = "") => tag(name, escaped(text), kind);
const code = (text: string) => words("code", text);

export function reportHtml(report: ExecutionReport): string {
  const title = headline(report);
  const body = [
    report.unconfined ? words("p", unconfinedSentence, "warning") : "",
    words("h1", title),
    bar(report),
    tag(
      "dl",
      facts(report)
        .map(([name, value]) => words("dt", name) + words("dd", value))
        .join(""),
    ),
    leftSection(report),
    unverifiedSection(report),
    overrideSection(report),
    words("h2", "Tasks"),
    ...report.tasks.map(taskSection),
    tag(
      "footer",
      `Written ${escaped(report.written_at)} by heddle. ${code("heddle report")} writes it again.`,
    ),
  ];
  return htmlPage(`${report.run}: ${title}`, body);
}

/** A page of parts that are markup already. */
export function htmlPage(title: string, parts: readonly string[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(title)}</title>
<style>${reportStyle}</style>
</head>
<body>
<main>
${parts.filter((part) => part !== "").join("\n")}
</main>
</body>
</html>
`;
}

const shown = ["complete", "skipped", "running", "pending", "blocked", "failed"] as const;

function bar({ tasks, tasks_by_status: by }: ExecutionReport): string {
  if (tasks.length === 0) return "";
  const parts = shown.filter((status) => by[status] > 0);
  const spans = parts.map((status) => `<span class="${status}" style="flex:${by[status]}"></span>`);
  return (
    tag("div", spans.join(""), "bar") +
    words("p", parts.map((status) => `${by[status]} ${status}`).join(" · "), "quiet")
  );
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const top = tag("thead", tag("tr", head.map((name) => words("th", name)).join("")));
  const lines = rows.map((cells) => tag("tr", cells.map((cell) => tag("td", cell)).join("")));
  return tag("div", tag("table", top + tag("tbody", lines.join(""))), "wide");
}

function leftSection(report: ExecutionReport): string {
  const { shown: open, more } = leftShown(report);
  if (open.length === 0) return "";
  const items = open.map(({ task, status, reasons, hint }) => {
    const why = reasons.map((reason) => words("p", reason.slice(0, 600))).join("");
    return tag(
      "li",
      `${words("b", task)} ${words("span", status, `mark ${status}`)}${why}${hint === null ? "" : tag("p", code(hint))}`,
    );
  });
  return `${words("h2", "What is left")}${tag("ul", items.join(""), "left")}${more > 0 ? words("p", `… and ${more} more`, "quiet") : ""}`;
}

function unverifiedSection({ unverified }: ExecutionReport): string {
  if (unverified.length === 0) return "";
  const sentence = `Complete on somebody's word alone, not seen by heddle: ${unverified.join(", ")}.`;
  return words("h2", "Not verified") + words("p", sentence, "warning");
}

function overrideSection({ overrides }: ExecutionReport): string {
  if (overrides.length === 0) return "";
  const rows = overrides.map(({ at, by, task, what, reason }) =>
    [at, by, task ?? "", what, reason.slice(0, 600)].map(escaped),
  );
  return words("h2", "Overrides") + table(["when", "who", "task", "what", "why"], rows);
}

function taskSection(task: ReportTask): string {
  const passed = task.criteria.filter(({ ok }) => ok).length;
  const tries = task.attempts.length;
  const notes = [
    ...(task.criteria.length > 0 ? [`${passed}/${task.criteria.length} criteria`] : []),
    ...(tries > 1 ? [`${tries} attempts`] : []),
    ...(task.ms === null ? [] : [duration(task.ms)]),
  ];
  const state = task.status === "complete" && task.done !== "verified" ? "unverified" : task.status;
  const summary = tag(
    "summary",
    `${words("span", state, `mark ${state}`)} ${words("b", task.id)} ${escaped(task.name)} ${words("span", notes.join(" · "), "quiet")}`,
  );
  return `<details${task.status === "failed" ? " open" : ""}>${summary}${taskBody(task)}</details>`;
}

function taskBody(task: ReportTask): string {
  const { verification, diff, criteria } = task;
  const parts = [
    words("p", `${doneSentence(task)}. Used: ${usageSentence(task.usage)}.`),
    criteria.length > 0 ? evidence(criteria) : "",
    verification
      ? words("p", `A verifier said ${verification.verdict}, ${verification.recommendation}.`)
      : "",
    task.attempts.length > 0 ? tag("ul", task.attempts.map(attemptItem).join("")) : "",
    diff ? diffSection(diff) : "",
  ];
  return tag("div", parts.join(""), "body");
}

function evidence(checks: readonly ReportCheck[]): string {
  const rows = checks.map(({ criterion, command, ok, exit, ms, tree, log, note }) => [
    words("span", ok ? "✓" : "✗", ok ? "yes" : "no"),
    `${escaped(criterion)}<br>${code(command)}${note === null ? "" : `<br>${words("b", note)}`}`,
    exit === null ? "—" : String(exit),
    shortly(ms),
    tree === null ? "—" : code(tree.slice(0, 12)),
    log === null ? "—" : code(log),
  ]);
  return table(["", "criterion", "exit", "took", "tree", "log"], rows);
}

function attemptItem(attempt: ReportAttempt): string {
  const { error, differences, refused, claim } = attempt;
  const claimed = claim
    ? words(
        "p",
        `It claimed ${claim.status}: ${claim.created.length} created, ${claim.modified.length} modified.`,
        "quiet",
      )
    : "";
  return tag(
    "li",
    [
      escaped(attemptSentence(attempt)),
      claimed,
      ...differences.map((each) => words("p", `Differs: ${each}`, "warning")),
      ...refused.map((each) => words("p", `Refused: ${each}`, "warning")),
      error === null ? "" : words("pre", error),
    ].join(""),
  );
}

function diffSection({ files, text, cut }: NonNullable<ReportTask["diff"]>): string {
  const names = files.map(({ path, added, removed }) =>
    tag("li", `${code(path)} ${words("span", `+${added}`, "yes")} ${words("span", `−${removed}`, "no")}`),
  );
  const lines = text.split("\n").map((line) => words("span", line, lineKind(line)));
  const note = cut ? words("p", "Cut here: the commit has the rest.", "quiet") : "";
  const inner = `${tag("summary", `Difference, ${files.length} file${files.length === 1 ? "" : "s"}`)}${tag("pre", lines.join("\n"), "diff")}${note}`;
  return `${tag("ul", names.join(""), "files")}<details>${inner}</details>`;
}

function lineKind(line: string): string {
  if (line.startsWith("diff ") || line.startsWith("@@")) return "place";
  if (line.startsWith("+") && !line.startsWith("+++")) return "yes";
  return line.startsWith("-") && !line.startsWith("---") ? "no" : "";
}

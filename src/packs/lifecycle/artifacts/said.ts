// What a document of a task says, in a few lines for people: the verdict first, then every reason for it. They are kept with the
// artifact in the journal, so that each view can say why a task was sent back without opening a file (L15).
import type { TaskArtifact } from "./check.ts";
import type { CodeResult } from "./code-result.ts";
import type { Decision } from "./decision.ts";
import type { EvalReport } from "./eval-report.ts";
import type { TaskPlan } from "./plan.ts";

const [mostLines, mostCharacters, lastLines] = [40, 400, 6];

type Document = Readonly<Record<string, unknown>>;

export function saidBy(name: TaskArtifact, document: Document): string[] {
  const lines = speakers[name](document).map((line) => cut(line.replaceAll(/\s+/g, " ").trimEnd()));
  const more = lines.length - mostLines;
  return more > 0 ? [...lines.slice(0, mostLines), `… and ${more} more`] : lines;
}

const cut = (line: string) => (line.length > mostCharacters ? `${line.slice(0, mostCharacters)}…` : line);
const many = (count: number, word: string) => `${count} ${word}${count === 1 ? "" : "s"}`;

const speakers: { readonly [A in TaskArtifact]: (document: Document) => string[] } = {
  plan: (document) => planSays(document as TaskPlan),
  plan_review: reviewSays,
  code_review: reviewSays,
  code_result: (document) => codeSays(document as CodeResult),
  eval_report: (document) => testsSay(document as EvalReport),
  decision: (document) => decisionSays(document as Decision),
  revert: ({ reason, who, commits }) => {
    const word = Array.isArray(commits) && commits.length > 0 ? "taken back" : "given up";
    return [`${word} by ${who ?? "heddle"}: ${reason}`];
  },
};

function planSays({ title, file_plan: files, acceptance_criteria: criteria, ...plan }: TaskPlan): string[] {
  const asked = plan.blocking_questions ?? [];
  return [
    `${title} (${many(files.length, "file")}, ${many(criteria.length, "acceptance command")})`,
    ...asked.map(({ text }) => `it asks: ${text}`),
  ];
}

type Issue = string | { readonly message: string; readonly file?: string; readonly line?: number };

function reviewSays(document: Document): string[] {
  const { ok, blocking_issues, reasons } = document;
  const issues = ((blocking_issues ?? []) as readonly Issue[]).map(issueText);
  const words = (reasons ?? []) as readonly string[];
  if (ok === true && issues.length === 0) return ["ok", ...words];
  const head = issues.length > 0 ? many(issues.length, "blocking issue") : "not ok";
  const unsaid = issues.length + words.length === 0 ? ["it names no issue"] : [];
  return [head, ...issues, ...words, ...unsaid];
}

function issueText(issue: Issue): string {
  if (typeof issue === "string") return issue;
  const { message, file, line } = issue;
  return file === undefined ? message : `${file}${line === undefined ? "" : `:${line}`}: ${message}`;
}

function codeSays({ status, summary, reasons = [] }: CodeResult): string[] {
  if (status === "done") return [summary];
  const what = status === "plan_unclear" ? "the plan is unclear" : "the plan's scope does not fit";
  return [`${what}: ${summary}`, ...reasons];
}

type Case = NonNullable<EvalReport["suites"]>[number]["cases"][number];

function testsSay({ overall_pass: pass, suites = [] }: EvalReport): string[] {
  const cases = suites.flatMap((suite) => suite.cases);
  const red = cases.filter(({ status }) => status === "failed" || status === "error");
  if (pass) return [`${many(cases.length, "command")} passed`];
  return [`${red.length} of ${many(cases.length, "command")} failed`, ...red.flatMap(caseLines)];
}

/** The command, its last lines, and where the whole log is. */
function caseLines({ name, details = "", metadata = {} }: Case): string[] {
  const printed = details.split("\n").filter((line) => line.trim() !== "");
  const [head = "failed", ...output] = printed;
  const log =
    typeof metadata.log === "string" ? [`| the whole log: ${metadata.log}.out and ${metadata.log}.err`] : [];
  const shown = output.slice(-lastLines).map((line) => `| ${line}`);
  return [`${name}: \`${String(metadata.command ?? name)}\`: ${head}`, ...shown, ...log];
}

function decisionSays(decision: Decision): string[] {
  const { verdict, decider, back_to: back, regression, reasons = [], proposed } = decision;
  const by = ` by ${decider ?? "the acceptor"}`;
  if (verdict !== "rejected") return [`${verdict}${by}`, ...reasons];
  const where = regression === true ? "to be reverted" : `to ${back ?? "codegen"}`;
  return [`sent back ${where}${by}`, ...reasons, ...overruled(proposed)];
}

/** Who had accepted it, where heddle found that it cannot be. */
function overruled(proposed: unknown): string[] {
  if (typeof proposed !== "object" || proposed === null) return [];
  const { decider = "the acceptor" } = proposed as Decision;
  return [`${decider} had accepted it`];
}

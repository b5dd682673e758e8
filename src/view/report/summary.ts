// What a report says of a run as a whole: a headline, facts, and tables. Markdown and the page are both made from it, so neither
// can say what the other does not.
import type { ExecutionReport } from "./execution-report.ts";
import { boxSentence, facts, headline, leftShown, moment } from "./report-words.ts";

/** Text, or something that is typed. */
export type Cell = string | { readonly code: string };

export interface Section {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** A sentence before the table, or in its place. */
  readonly text?: string;
  /** What of it is elsewhere. */
  readonly more?: string;
}

export interface ReportSummary {
  readonly headline: string;
  /** What must not be overlooked. */
  readonly warnings: readonly string[];
  readonly facts: readonly (readonly [string, string])[];
  readonly sections: readonly Section[];
  /** Of a run about documents: its change, as git writes it. */
  readonly difference: string | null;
  readonly writtenAt: string;
}

export const warningsOf = (report: Parameters<typeof boxSentence>[0]) =>
  [boxSentence(report)].filter((each) => each !== undefined);

export function executionSummary(report: ExecutionReport): ReportSummary {
  return {
    headline: headline(report),
    warnings: warningsOf(report),
    facts: facts(report),
    sections: shortened([...leftSection(report), ...unverifiedSection(report), ...overrideSection(report)]),
    difference: null,
    writtenAt: report.written_at,
  };
}

const longest = 600;
const cut = (text: string) => (text.length > longest ? `${text.slice(0, longest)}…` : text);

export const shortened = (sections: readonly Section[]): Section[] =>
  sections.map((each) => ({
    ...each,
    rows: each.rows.map((row) => row.map((cell) => (typeof cell === "string" ? cut(cell) : cell))),
  }));

function leftSection(report: ExecutionReport): Section[] {
  const { shown, more } = leftShown(report);
  if (shown.length === 0) return [];
  const rows = shown.map(({ task, status, reasons, hint }): Cell[] => [
    ...[task, status, reasons.join("; ")],
    hint === null ? "" : { code: hint },
  ]);
  const head = ["task", "is", "why", "what would help"];
  const rest = more > 0 ? { more: `… and ${more} more: \`heddle report --json\`` } : {};
  return [{ title: "What is left", head, rows, ...rest }];
}

function unverifiedSection({ unverified }: ExecutionReport): Section[] {
  if (unverified.length === 0) return [];
  const text = `Complete and not verified, because no check of heddle's ran on them: ${unverified.join(", ")}.`;
  return [{ title: "Not verified", text, head: [], rows: [] }];
}

function overrideSection({ overrides }: ExecutionReport): Section[] {
  if (overrides.length === 0) return [];
  const rows = overrides.map(({ at, by, task, what, reason }) => [moment(at), by, task ?? "", what, reason]);
  return [{ title: "Overrides", head: ["when", "who", "task", "what", "why"], rows }];
}

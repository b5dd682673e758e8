// What was found in a skill, what was proposed against it, and how it measured before and after: of a tuning, from its documents.
import { type Fields, fieldsOf } from "../../core/json.ts";
import { listOf, textOf } from "./loose.ts";
import type { RunReport } from "./run-report.ts";
import type { Section } from "./summary.ts";

type Documents = RunReport["documents"];

const fixesIn = ({ proposals }: Documents) => listOf(fieldsOf(proposals).fixes).map(fieldsOf);

export function findingSections(documents: Documents): Section[] {
  const diagnoses = Object.keys(documents).filter((name) => name.startsWith("diagnosis_"));
  const issues = diagnoses.flatMap((name) => listOf(fieldsOf(documents[name]).issues));
  const fixes = fixesIn(documents);
  return [
    {
      title: "Before and after",
      head: ["measured", "before", "after"],
      rows: measured(documents.verification),
    },
    {
      title: "Findings",
      head: ["severity", "where", "what", "fix or advice"],
      rows: issues.map((issue) => found(fieldsOf(issue), fixes)),
    },
    {
      title: "Proposed fixes",
      head: ["fix", "risk", "file", "what it does"],
      rows: fixes.map(({ id, risk, file, description }) => [id, risk, file, description].map(textOf)),
    },
  ];
}

const mostDifference = 200_000;

/** What the proposed fixes change, those that fit. */
export function proposedDifference(documents: Documents): string | null {
  let text = "";
  for (const { diff } of fixesIn(documents))
    if (text.length + textOf(diff).length <= mostDifference) text += textOf(diff);
  return text === "" ? null : text;
}

function measured(verification: unknown): string[][] {
  const { before, after } = fieldsOf(verification);
  if (before === undefined || after === undefined) return [];
  const names = ["score", "critical", "high", "medium", "low"];
  return names.map((name) => [name, textOf(fieldsOf(before)[name]), textOf(fieldsOf(after)[name])]);
}

function found(
  { id, severity, file, line, pattern, description, advice }: Fields,
  fixes: readonly Fields[],
): string[] {
  const fix = fixes.find(({ issues }) => listOf(issues).includes(id));
  const where = `${textOf(file)}${line === undefined ? "" : `:${line}`}`;
  const what = `${textOf(pattern)} ${textOf(description)}`.trim();
  return [textOf(severity), where, what, textOf(fix?.id ?? advice)];
}

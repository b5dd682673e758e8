// What was found in a skill, what was proposed against it, and how it measured before and after: of a tuning, from its documents.
import type { RunReport } from "./run-report.ts";
import type { Section } from "./summary.ts";

// biome-ignore lint/suspicious/noExplicitAny: documents as they lie there, each read as far as it goes
type Any = any;

const listOf = (value: Any): Any[] => (Array.isArray(value) ? value : []);
const textOf = (value: Any) => (value === undefined || value === null ? "" : String(value));

export function findingSections({ verification, proposals, ...others }: RunReport["documents"]): Section[] {
  const diagnoses = Object.keys(others).filter((name) => name.startsWith("diagnosis_"));
  const issues = diagnoses.flatMap((name) => listOf((others[name] as Any)?.issues));
  const fixes = listOf((proposals as Any)?.fixes);
  return [
    { title: "Before and after", head: ["measured", "before", "after"], rows: measured(verification) },
    {
      title: "Findings",
      head: ["severity", "where", "what", "fix or advice"],
      rows: issues.map(found(fixes)),
    },
    {
      title: "Proposed fixes",
      head: ["fix", "risk", "file", "what it does"],
      rows: fixes.map(({ id, risk, file, description }) => [id, risk, file, description].map(textOf)),
    },
  ];
}

function measured(verification: Any): string[][] {
  const { before, after } = verification ?? {};
  if (before === undefined || after === undefined) return [];
  const names = ["score", "critical", "high", "medium", "low"];
  return names.map((name) => [name, textOf(before?.[name]), textOf(after?.[name])]);
}

const found =
  (fixes: readonly Any[]) =>
  ({ id, severity, file, line, pattern, description, advice }: Any): string[] => {
    const fix = fixes.find(({ issues }) => listOf(issues).includes(id));
    const where = `${textOf(file)}${line === undefined ? "" : `:${line}`}`;
    return [
      textOf(severity),
      where,
      `${textOf(pattern)} ${textOf(description)}`.trim(),
      textOf(fix?.id ?? advice),
    ];
  };

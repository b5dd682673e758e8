// A check as people read it: some lines for a terminal, and `tuning-report.md`.
import { join } from "node:path";
import type { Analysis } from "./advice.ts";
import type { Check, CheckedSkill } from "./check.ts";
import { type Finding, type Pattern, patterns, severities } from "./finding.ts";
import type { Counts } from "./measure.ts";

export function checkText({ gate, skills, problems }: Check): string {
  const lines = skills.flatMap((skill) => [
    skillLine(skill),
    ...skill.findings.flatMap((each) => findingLines(skill, each)),
  ]);
  const failed = problems.map(
    ({ message, hint }) => `fail   ${message}${hint ? `\n       hint: ${hint}` : ""}`,
  );
  const count = `${skills.length} skill${skills.length === 1 ? "" : "s"}`;
  return [...lines, ...failed, `${count}: ${gate}`].join("\n");
}

/** One skill in one line. */
export function skillLine({ gate, score, path, kind, cost, counts }: CheckedSkill): string {
  const issues = countText(counts);
  return `${gate.padEnd(6)} ${String(score).padStart(3)}  ${path}  (${kind}, ${cost.loaded} tokens${issues === "" ? "" : `; ${issues}`})`;
}

export function countText(counts: Counts): string {
  return severities
    .filter((severity) => counts[severity] > 0)
    .map((severity) => `${counts[severity]} ${severity}`)
    .join(", ");
}

function findingLines({ folder }: CheckedSkill, finding: Finding): string[] {
  const { severity, pattern, file, line, description, strategy } = finding;
  const { title }: Pattern = patterns[pattern];
  return [
    `  ${severity.padEnd(8)} ${join(folder, file)}:${line}  ${pattern} ${title}`,
    `           ${description}; mend it by ${strategy.replaceAll("_", " ")}`,
  ];
}

/** `tuning-report.md`. */
export function checkMarkdown(check: Check): string {
  const parts = check.skills.map(skillMarkdown);
  const failed = check.problems.map(({ message }) => `- ${message}`);
  const unread = failed.length > 0 ? [`## Not read\n\n${failed.join("\n")}`] : [];
  const head = `# Tuning report\n\nGate: **${check.gate}**. Tokens are counted with \`${check.encoding}\`; other vendors' counts differ.`;
  return `${[head, summaryTable(check.skills), ...parts, ...unread].join("\n\n")}\n`;
}

function summaryTable(skills: readonly CheckedSkill[]): string {
  const rows = skills.map(
    ({ path, gate, score, counts, cost }) =>
      `| ${cell(path)} | ${gate} | ${score} | ${severities.map((severity) => counts[severity]).join(" | ")} | ${cost.description} | ${cost.loaded} |`,
  );
  const head =
    "| skill | gate | score | critical | high | medium | low | tokens always | tokens when loaded |";
  return [head, "|---|---|---|---|---|---|---|---|---|", ...rows].join("\n");
}

function skillMarkdown(skill: CheckedSkill): string {
  const paths = Object.entries(skill.cost.paths).map(([path, tokens]) => `| ${cell(path)} | ${tokens} |`);
  const costs = paths.length > 0 ? [["| with | tokens |", "|---|---|", ...paths].join("\n")] : [];
  const issues = skill.findings.map((finding) => findingMarkdown(skill, finding));
  const nothing = issues.length === 0 ? ["Nothing was found."] : [];
  return [
    `## ${line(skill.name)}`,
    `\`${skill.path}\`, ${skill.kind}, score ${skill.score}`,
    ...costs,
    ...nothing,
    ...issues,
  ].join("\n\n");
}

function findingMarkdown({ folder }: CheckedSkill, finding: Finding): string {
  const {
    id,
    pattern,
    severity,
    file,
    line: from,
    endLine,
    description,
    evidence,
    rootCause,
    impact,
    strategy,
    related,
  } = finding;
  const { title }: Pattern = patterns[pattern];
  const lines = endLine > from ? `${from}–${endLine}` : `${from}`;
  const fence = "`".repeat(Math.max(3, ...[...evidence.matchAll(/`+/g)].map(([marks]) => marks.length + 1)));
  const also = related.length > 0 ? `\n- also: ${related.join(", ")}` : "";
  return `### ${id} ${severity}: ${title} (${pattern})

\`${join(folder, file)}\`, line ${lines}: ${line(description)}

${fence}text
${evidence}
${fence}

- cause: ${rootCause}
- impact: ${impact}
- strategy: \`${strategy}\`${also}`;
}

/** What an agent says; nobody has measured it, so it stands apart. */
export function deepMarkdown({ root_causes: causes, recommendations }: Analysis): string {
  const found = causes.map(({ severity, description, file, line: at, evidence }) => {
    const where = file === undefined ? "" : ` (\`${line(file)}\`${at === undefined ? "" : `, line ${at}`})`;
    const said = evidence === "" ? "" : `: "${line(evidence)}"`;
    return `- ${severity}: ${line(description)}${where}${said}`;
  });
  const advised = recommendations.map(
    ({ action, rationale }) => `- ${line(action)}${rationale === "" ? "" : `: ${line(rationale)}`}`,
  );
  const list = (items: readonly string[]) => (items.length > 0 ? items.join("\n") : "None.");
  return `\n## Deep analysis\n\nAn agent read the skill. What it says is not measured and changes no score.\n\n### Root causes\n\n${list(found)}\n\n### Recommendations\n\n${list(advised)}\n`;
}

function line(text: string): string {
  return text.replace(/\s+/g, " ");
}

function cell(text: string): string {
  return line(text).replaceAll("|", "\\|");
}

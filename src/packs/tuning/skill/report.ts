// A check as people read it: some lines for a terminal, and `tuning-report.md`.
import { join } from "node:path";
import { hintText } from "../../../view/hint.ts";
import type { Analysis } from "./advice.ts";
import type { CheckedSkill, SkillCheck } from "./check.ts";
import { type Finding, isCounted, isSuggestion, type Pattern, patterns, severities } from "./finding.ts";
import type { Counts } from "./measure.ts";

export function checkText({ gate, skills, problems }: SkillCheck): string {
  const lines = skills.flatMap((skill) => [
    skillLine(skill),
    ...skill.findings.filter(isCounted).flatMap((each) => findingLines(skill, each)),
    ...skill.findings.filter(isSuggestion).flatMap((each) => findingLines(skill, each)),
    ...skill.notes.map((note) => `  note     ${join(skill.folder, note)}`),
    ...outsideLine(skill),
  ]);
  const failed = problems.map(
    ({ message, hint }) => `fail   ${message}${hint ? `\n       hint: ${hintText(hint)}` : ""}`,
  );
  const count = `${skills.length} skill${skills.length === 1 ? "" : "s"}`;
  return [...lines, ...failed, `${count}: ${gate}`].join("\n");
}

/** What counts and is not shown, because another part is in focus. */
function outsideLine({ outside }: CheckedSkill): string[] {
  return outside === 0
    ? []
    : [
        `  note     ${outside} finding${outside === 1 ? "" : "s"} outside the focus count${outside === 1 ? "s" : ""} too`,
      ];
}

/** One skill in one line. */
export function skillLine({ gate, score, path, kind, cost, ...skill }: CheckedSkill): string {
  const said = [
    countText(skill.counts),
    skill.suggestions === 0 ? "" : `${skill.suggestions} suggestion${skill.suggestions === 1 ? "" : "s"}`,
    skill.suppressed === 0 ? "" : `${skill.suppressed} suppressed`,
  ].filter((part) => part !== "");
  const issues = said.length === 0 ? "" : `; ${said.join(", ")}`;
  return `${gate.padEnd(6)} ${String(score).padStart(3)}  ${path}  (${kind}, ${cost.loaded} tokens${issues})`;
}

export function countText(counts: Counts): string {
  return severities
    .filter((severity) => counts[severity] > 0)
    .map((severity) => `${counts[severity]} ${severity}`)
    .join(", ");
}

function findingLines({ folder }: CheckedSkill, finding: Finding): string[] {
  const { severity, pattern, file, line, description, advice, confirmed } = finding;
  const { title }: Pattern = patterns[pattern];
  const word = isCounted(finding) ? severity : "suggest";
  const how =
    confirmed === undefined
      ? ""
      : ` (confirmed by an agent: "${confirmed.replace(/\s+/g, " ").slice(0, 80)}")`;
  return [
    `  ${word.padEnd(8)} ${join(folder, file)}:${line}  ${pattern} ${title}`,
    `           ${description}${how}`,
    `           ${advice}`,
  ];
}

/** `tuning-report.md`. */
export function checkMarkdown(check: SkillCheck): string {
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
  const of = (wanted: (finding: Finding) => boolean) =>
    skill.findings.filter(wanted).map((finding) => findingMarkdown(skill, finding));
  const [issues, suggestions] = [of(isCounted), of(isSuggestion)];
  const suppressed = skill.findings.flatMap(({ suppressed: by, pattern, file, line: at }) =>
    by ? [`- ${pattern} \`${join(skill.folder, file)}\`, line ${at}: ${line(by.why)} (${by.by})`] : [],
  );
  const nothing = issues.length === 0 ? ["Nothing was found that counts."] : [];
  return [
    `## ${line(skill.name)}`,
    `\`${skill.path}\`, ${skill.kind}, score ${skill.score}`,
    ...costs,
    ...nothing,
    ...issues,
    ...(suggestions.length > 0
      ? [
          "### Suggestions\n\nSuspected by a pattern. They change no score; `--agent` lets an agent look at each.",
          ...suggestions,
        ]
      : []),
    ...(suppressed.length > 0 ? [`### Suppressed\n\n${suppressed.join("\n")}`] : []),
    ...(skill.notes.length > 0 ? [skill.notes.map((note) => `- ${line(note)}`).join("\n")] : []),
    ...outsideLine(skill),
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
    advice,
    certainty,
    confirmed,
    related,
  } = finding;
  const { title }: Pattern = patterns[pattern];
  const lines = endLine > from ? `${from}–${endLine}` : `${from}`;
  const fence = "`".repeat(Math.max(3, ...[...evidence.matchAll(/`+/g)].map(([marks]) => marks.length + 1)));
  const sure =
    confirmed === undefined ? certainty : `suspected, and confirmed by an agent: "${line(confirmed)}"`;
  const also = related.length > 0 ? `\n- also: ${related.join(", ")}` : "";
  return `### ${id} ${isCounted(finding) ? severity : "suggestion"}: ${title} (${pattern})

\`${join(folder, file)}\`, line ${lines}: ${line(description)}

${fence}text
${evidence}
${fence}

- cause: ${rootCause}
- impact: ${impact}
- ${sure}
- what to do: ${advice}${also}`;
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

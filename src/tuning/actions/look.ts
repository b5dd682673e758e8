// `action-init`, the diagnoses and `action-generate-report`, and how the loop ends: what is looked at, what was found.
import { dirname, join } from "node:path";
import type { Json } from "../../core/run.ts";
import { readIfThere, replaceFile } from "../../host/files.ts";
import type { Analysis } from "../advice.ts";
import type { Applied } from "../apply.ts";
import { diagnose } from "../diagnose.ts";
import { diagnoses, type Finding, severities } from "../finding.ts";
import { countOf, type Measured, measure } from "../measure.ts";
import { checkMarkdown, countText, deepMarkdown } from "../report.ts";
import { documentsOf } from "../skill.ts";
import { encoding } from "../tokens.ts";
import { type Act, type ActionCase, focusOf, listOf, skillOf } from "./action.ts";

export const init: Act = (given) => {
  const skill = skillOf(given);
  const documents = documentsOf(skill).map(({ path }) => path);
  const target = { name: skill.name, path: given.place.entry, kind: skill.kind, documents };
  replaceFile(join(given.workDir, "target-skill.json"), `${JSON.stringify(target, null, 2)}\n`);
  return {
    stateUpdates: {
      status: "running",
      target_skill: target,
      work_dir: given.workDir,
      quality_gate: "fail",
      quality_score: 0,
      started: numbersOf(measure(skill)),
    },
    outputFiles: ["target-skill.json"],
    summary: `${skill.name}: ${skill.kind}, ${documents.length} document${documents.length === 1 ? "" : "s"}`,
  };
};

/** What the table of before and after compares. */
function numbersOf({ score, gate, counts, cost }: Measured): Json {
  return { score, gate, ...counts, tokens: cost.loaded, paths: cost.paths };
}

/** What the run keeps of a finding: enough to decide by, the rest is in the diagnosis files. */
export function issuesOf(findings: readonly Finding[]): Record<string, Json> {
  const issues = findings.map(({ id, pattern, severity, file, line, strategy, description }) => ({
    ...{ id, pattern, severity, file, line, strategy, description: description.slice(0, 200) },
  }));
  return { issues, issues_by_severity: { ...countOf(findings) } };
}

export function diagnoseOne(type: (typeof diagnoses)[number]): Act {
  return (given) => {
    const skill = skillOf(given);
    const found = diagnose(skill, [type]);
    const file = `diagnosis/${type}-diagnosis.json`;
    const severity = severities.find((each) => found.some((finding) => finding.severity === each)) ?? "none";
    const result = { status: "completed", issues_found: found.length, severity };
    replaceFile(join(given.workDir, file), `${JSON.stringify({ ...result, issues: found }, null, 2)}\n`);
    // Numbered over all diagnoses that were made in this round.
    const done = diagnoses.slice(0, diagnoses.indexOf(type) + 1).filter((each) => isInFocus(given, each));
    return {
      stateUpdates: { [`diagnosis.${type}`]: result, ...issuesOf(diagnose(skill, done)) },
      outputFiles: [file],
      summary: found.length === 0 ? "nothing found" : countText(countOf(found)),
    };
  };
}

function isInFocus(given: ActionCase, type: string): boolean {
  const focus = focusOf(given);
  return focus.length === 0 || focus.includes("all") || focus.includes(type);
}

export const report: Act = (given) => {
  const skill = skillOf(given);
  const measured = measure(skill, focusOf(given));
  const one = {
    ...measured,
    path: given.place.entry,
    folder: dirname(given.place.entry),
    problems: skill.problems,
  };
  const found = checkMarkdown({ gate: measured.gate, encoding, skills: [one], problems: [] });
  replaceFile(join(given.workDir, "tuning-report.md"), found + deepPart(given));
  return {
    stateUpdates: {
      ...issuesOf(measured.findings),
      quality_score: measured.score,
      quality_gate: measured.gate,
      final_report: join(given.workDir, "tuning-report.md"),
    },
    outputFiles: ["tuning-report.md"],
    summary: `score ${measured.score}, ${measured.gate}`,
  };
};

/** What an agent found, apart; when one was wanted and did not come, that is said. */
function deepPart({ state, workDir }: ActionCase): string {
  const status = state("gemini_analysis.status");
  if (status === undefined) return "";
  const text = readIfThere(join(workDir, "diagnosis/deep-analysis.json"));
  if (text !== undefined) return deepMarkdown(JSON.parse(text) as Analysis);
  return `\n## Deep analysis\n\nNobody looked deeper: ${String(state("gemini_analysis.error") ?? status)}.\n`;
}

interface Started {
  readonly score: number;
  readonly tokens: number;
  readonly paths: Readonly<Record<string, number>>;
  readonly [severity: string]: unknown;
}

/** Before and after, side by side. */
export const complete: Act = (given) => {
  const started = given.state("started") as unknown as Started | undefined;
  const now = measure(skillOf(given));
  const rows: (readonly [string, unknown, unknown])[] = [
    ["score", started?.score, now.score],
    ["gate", started?.gate, now.gate],
    ...severities.map((each) => [each, started?.[each], now.counts[each]] as const),
    ["tokens when loaded", started?.tokens, now.cost.loaded],
    ...Object.entries(now.cost.paths).map(
      ([path, tokens]) => [`tokens with ${path}`, started?.paths[path] ?? "new", tokens] as const,
    ),
  ];
  const table = rows.map(([name, before, after]) => `| ${name} | ${before ?? ""} | ${after} |`).join("\n");
  const list = listOf<Applied>(given.state("applied_fixes")).map(appliedLine).join("\n");
  const text = `# Tuning summary\n\n| | before | after |\n|---|---|---|\n${table}\n\n## Fixes\n\n${list || "None was applied."}\n${leftPart(now.findings)}${deepPart(given)}`;
  replaceFile(join(given.workDir, "tuning-summary.md"), text);
  return {
    stateUpdates: { measured: numbersOf(now) },
    outputFiles: ["tuning-summary.md"],
    summary: `score ${started?.score} -> ${now.score}, ${now.gate}`,
  };
};

const mostLeft = 20;

/** What is still wrong, the first of it. */
function leftPart(findings: readonly Finding[]): string {
  if (findings.length === 0) return "";
  const lines = findings
    .slice(0, mostLeft)
    .map(
      ({ severity, file, line, pattern, description }) =>
        `- ${severity} ${file}:${line} ${pattern} ${description}`,
    );
  const more = findings.length > mostLeft ? [`- and ${findings.length - mostLeft} more`] : [];
  return `\n## Left\n\n${[...lines, ...more].join("\n")}\n`;
}

export function appliedLine({
  fix_id: id,
  strategy,
  verification_result: result,
  alternative,
}: Applied): string {
  const elsewhere = alternative ? `, the skill may not be written; the change is in ${alternative}` : "";
  const how = result === "pending" ? "applied" : result.replace("_", " ");
  return `- ${id} ${strategy}: ${how}${elsewhere}`;
}

export const abort: Act = ({ state, workDir }) => {
  const errors = listOf<{ action: string; message: string }>(state("errors"));
  const lines = errors.map(({ action, message }) => `- ${action}: ${message}`).join("\n");
  replaceFile(
    join(workDir, "abort-report.md"),
    `# Tuning aborted\n\n${lines}\n\nBackups are in \`${workDir}\`.\n`,
  );
  return {
    stateUpdates: { status: "failed" },
    outputFiles: ["abort-report.md"],
    summary: `${errors.length} errors`,
  };
};

// `action-init`, the diagnoses and `action-generate-report`, and how the loop ends: what is looked at, what was found.
import { dirname, join } from "node:path";
import { ownRecord } from "../../../../core/json.ts";
import type { Json } from "../../../../core/run.ts";
import { readIfThere, replaceFile } from "../../../../host/files.ts";
import { readEvals } from "../../evals/evals.ts";
import type { Analysis } from "../advice.ts";
import type { Applied } from "../apply.ts";
import { isInFocus } from "../diagnose.ts";
import { diagnoses, type Finding, isCounted, isSuggestion, severities } from "../finding.ts";
import { countOf, type Measured, measure } from "../measure.ts";
import { checkMarkdown, countText, deepMarkdown } from "../report.ts";
import { documentsOf, type Skill } from "../skill.ts";
import { encoding } from "../tokens.ts";
import { type Act, type ActionCase, focusOf, listOf, lookOf, skillOf, verdictsIn } from "./action.ts";

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

/** What the run keeps of findings: what counts, and how many are only suggested. The rest is in the diagnosis files. */
export function issuesOf(findings: readonly Finding[]): Record<string, Json> {
  const issues = findings
    .filter(isCounted)
    .map(({ id, pattern, severity, certainty, file, line, strategy, description, advice }) => ({
      ...{ id, pattern, severity, certainty, file, line, strategy },
      description: description.slice(0, 200),
      advice,
    }));
  return {
    issues,
    issues_by_severity: { ...countOf(findings) },
    suggestions: findings.filter(isSuggestion).length,
  };
}

/** Everything that is so, whatever is in focus. */
export function measuredIn(given: ActionCase, skill: Skill): Measured {
  return measure(skill, { ...lookOf(given), focus: [] });
}

export function diagnoseOne(type: (typeof diagnoses)[number]): Act {
  return (given) => {
    const skill = skillOf(given);
    const all = measuredIn(given, skill).findings;
    const found = all.filter(({ diagnosis }) => diagnosis === type);
    const counted = found.filter(isCounted);
    const file = `diagnosis/${type}-diagnosis.json`;
    const severity =
      severities.find((each) => counted.some((finding) => finding.severity === each)) ?? "none";
    const suggestions = found.filter(isSuggestion).length;
    const result = { status: "completed", issues_found: counted.length, severity, suggestions };
    replaceFile(join(given.workDir, file), `${JSON.stringify({ ...result, issues: found }, null, 2)}\n`);
    // Of the diagnoses that were made in this round so far.
    const done = diagnoses
      .slice(0, diagnoses.indexOf(type) + 1)
      .filter((each) => isInFocus(each, focusOf(given)));
    const known = all.filter(({ diagnosis }) => done.includes(diagnosis));
    const words = [
      countText(countOf(found)),
      suggestions === 0 ? "" : `${suggestions} suggestion${suggestions === 1 ? "" : "s"}`,
    ].filter((part) => part !== "");
    return {
      stateUpdates: { [`diagnosis.${type}`]: result, ...issuesOf(known) },
      outputFiles: [file],
      summary: words.length === 0 ? "nothing found" : words.join(", "),
    };
  };
}

export const report: Act = (given) => {
  const skill = skillOf(given);
  const verdicts = { ...verdictsIn(given), ...verdictsFrom(given, skill) };
  const now: ActionCase = {
    ...given,
    state: (path) => (path === "verdicts" ? (verdicts as Json) : given.state(path)),
  };
  const measured = measure(skill, lookOf(now));
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
      verdicts: verdicts as Json,
      ...issuesOf(measuredIn(now, skill).findings),
      quality_score: measured.score,
      quality_gate: measured.gate,
      final_report: join(given.workDir, "tuning-report.md"),
    },
    outputFiles: ["tuning-report.md"],
    summary: `score ${measured.score}, ${measured.gate}${confirmedText(measured)}`,
  };
};

function confirmedText({ findings, suggestions }: Measured): string {
  const confirmed = findings.filter((each) => each.confirmed !== undefined).length;
  const said = [
    confirmed === 0 ? "" : `${confirmed} confirmed by an agent`,
    suggestions === 0 ? "" : `${suggestions} suggestion${suggestions === 1 ? "" : "s"}, not counted`,
  ].filter((part) => part !== "");
  return said.length === 0 ? "" : `; ${said.join("; ")}`;
}

const shortest = 12;

/** An agent's word for a suspicion counts when the words that it quotes stand in the finding's file. */
function verdictsFrom({ advice }: ActionCase, skill: Skill): Record<string, string | null> {
  const plain = (text: string) => text.replace(/\s+/g, " ").trim();
  const found: Record<string, string | null> = {};
  for (const { key, verdict, quotation } of advice?.verdicts ?? []) {
    const finding = measure(skill).findings.find(
      (each) => each.key === key && each.certainty === "suspected",
    );
    if (!finding) continue;
    const file = skill.files.find(({ path }) => path === finding.file);
    const words = plain(quotation);
    const isThere = words.length >= shortest && plain(file?.text ?? "").includes(words);
    if (verdict === "rejected") found[key] = null;
    else if (isThere) found[key] = words.slice(0, 300);
  }
  return found;
}

/** What an agent found, apart; when one was wanted and did not come, that is said. */
function deepPart({ state, workDir }: ActionCase): string {
  const status = state("gemini_analysis.status");
  if (status === undefined) return "";
  const file = join(workDir, "diagnosis/deep-analysis.json");
  const analysis = ownRecord<Analysis>(file, readIfThere(file));
  if (analysis) return deepMarkdown(analysis);
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
  const now = measuredIn(given, skillOf(given));
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
  const text = `# Tuning summary\n\n| | before | after |\n|---|---|---|\n${table}\n\n## Fixes\n\n${list || "None was applied."}\n${leftPart(now.findings.filter(isCounted), "Left")}${leftPart(now.findings.filter(isSuggestion), "Suggestions")}${evalPart(skillOf(given).folder)}${deepPart(given)}`;
  replaceFile(join(given.workDir, "tuning-summary.md"), text);
  return {
    stateUpdates: {
      measured: numbersOf(now),
      ...issuesOf(now.findings),
      quality_score: now.score,
      quality_gate: now.gate,
    },
    outputFiles: ["tuning-summary.md"],
    summary: `score ${started?.score} -> ${now.score}, ${now.gate}`,
  };
};

const mostLeft = 20;

/** What is still wrong, the first of it. */
function leftPart(findings: readonly Finding[], title: string): string {
  if (findings.length === 0) return "";
  const lines = findings
    .slice(0, mostLeft)
    .map(
      ({ severity, file, line, pattern, description, advice }) =>
        `- ${severity} ${file}:${line} ${pattern} ${description}. ${advice}`,
    );
  const more = findings.length > mostLeft ? [`- and ${findings.length - mostLeft} more`] : [];
  return `\n## ${title}\n\n${[...lines, ...more].join("\n")}\n`;
}

/** What of the skill's evals was not measured: a person who wrote them should not think that it was. */
function evalPart(folder: string): string {
  const { notes } = readEvals(folder);
  if (notes.length === 0) return "";
  const lines = notes.slice(0, mostLeft).map((note) => `- ${note}`);
  return `\n## Evals that were not measured\n\n${lines.join("\n")}\n`;
}

export function appliedLine({
  fix_id: id,
  strategy,
  verification_result: result,
  alternative,
  evals,
}: Applied): string {
  const elsewhere = alternative ? `, the skill may not be written; the change is in ${alternative}` : "";
  const words: Readonly<Partial<Record<Applied["verification_result"], string>>> = {
    pending: "applied",
    unmeasured: "the finding is gone; what an agent does with the skill was not measured",
    rolled_back: "rolled back",
  };
  const measured = evals === undefined ? "" : `; ${evals}`;
  return `- ${id} ${strategy}: ${words[result] ?? result}${measured}${elsewhere}`;
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

// `action-analyze-requirements`: the complaint, taken apart into what can be diagnosed (S4): by an agent when one is
// named, else by its words. A part that fits two categories or none is asked about; the run then waits for the answer.
import { join } from "node:path";
import type { Json } from "../../../../core/run.ts";
import { replaceFile } from "../../../../host/files.ts";
import type { Dimension } from "../advice.ts";
import { type Category, categories } from "../categories.ts";
import { type Act, type ActionCase, type Asked, listOf } from "./action.ts";

/** What is tuned without a complaint is looked at from all sides. */
export const general = "a general check of the skill";

const unsure = 0.5;
const mostQuestions = 4;

/** A part of the complaint; `possible` is one category when it is settled. */
interface Part extends Dimension {
  readonly id: string;
}

export const analyzeRequirements: Act = (given) => {
  const parts = partsOf(given).map((part) => settled(part, given.answers));
  const questions: Asked[] = parts
    .filter(({ possible }) => possible.length !== 1)
    .slice(0, mostQuestions)
    .map(({ id, description, possible }) => ({
      id: questionOf(id),
      text: `What does "${description}" mean?`,
      options: possible.length > 0 ? possible : [...Object.keys(categories), "something else"],
    }));
  const coverage = coverageOf(parts);
  const analysis = {
    status: questions.length > 0 ? "needs_clarification" : "completed",
    by: given.advice?.dimensions ? "agent" : String(given.state("requirement_analysis.by") ?? "words"),
    dimensions: parts as unknown as Json,
    coverage,
  };
  const file = "requirement-analysis.json";
  replaceFile(join(given.workDir, file), `${JSON.stringify(analysis, null, 2)}\n`);
  const isGiven = given.state("focus_given") === true;
  return {
    stateUpdates: { requirement_analysis: analysis, ...(!isGiven && { focus_areas: focusOf(parts) }) },
    outputFiles: [file],
    summary: summaryOf(parts, coverage.rate),
    questions,
  };
};

function summaryOf(parts: readonly Part[], rate: number): string {
  if (parts.length === 0) return "no complaint: the skill is looked at from all sides";
  const named = parts.map(({ inferred_category: category, possible }) =>
    possible.length === 1 ? category.replaceAll("_", " ") : "unclear",
  );
  return `${parts.length} part${parts.length === 1 ? "" : "s"} (${named.join(", ")}), ${rate} % covered`;
}

/** What was found before a question stands; then an agent's parts; then what the words say. */
function partsOf({ state, advice }: ActionCase): readonly Part[] {
  const complaint = String(state("user_issue_description") ?? general);
  if (complaint === general) return [];
  const known = listOf<Part>(state("requirement_analysis.dimensions"));
  if (known.length > 0) return known;
  const found = advice?.dimensions ?? dimensionsByWords(complaint);
  return found.map((part, at) => ({ id: `DIM-${String(at + 1).padStart(3, "0")}`, ...part, ...sure(part) }));
}

/** A guess is a question with all that it may be among the answers. */
function sure({ inferred_category: category, confidence, possible }: Dimension): Pick<Part, "possible"> {
  const all = [...new Set([category, ...possible])].filter((each) => each in categories);
  if (confidence >= unsure || all.length > 1) return { possible: all };
  return { possible: [] };
}

/** A category that no diagnosis looks at is known, but not covered. */
function coverageOf(parts: readonly Part[]) {
  const known = parts.filter(isKnown);
  const covered = known.filter(({ inferred_category: category }) => categories[category as Category].covered);
  const rate = parts.length === 0 ? 100 : Math.round((100 * covered.length) / parts.length);
  const status = rate >= 80 ? "satisfied" : rate >= 50 ? "partial" : "unsatisfied";
  return { total: parts.length, covered: covered.length, rate, status };
}

function isKnown({ inferred_category: category, possible }: Part): boolean {
  return possible.length === 1 && category in categories;
}

/** Without a diagnosis in focus nothing would be looked at; `all` says it on purpose. */
function focusOf(parts: readonly Part[]): string[] {
  const known = parts.filter(isKnown).map(({ inferred_category: name }) => categories[name as Category]);
  const focus = [...new Set(known.map((category) => category.focus))];
  return known.some(({ covered }) => covered) ? focus : [...focus, "all"];
}

function questionOf(part: string): string {
  return `requirements-${part}`;
}

function dimensionsByWords(complaint: string): Dimension[] {
  const parts = complaint
    .split(/[.;,\n]+|\band\b/)
    .map((part) => part.trim())
    .filter((part) => part.length > 2);
  return parts.slice(0, 12).map((description) => {
    const scores = Object.entries(categories)
      .map(([category, { words }]) => ({ category, keywords: description.match(words) ?? [] }))
      .filter(({ keywords }) => keywords.length > 0)
      .sort((a, b) => b.keywords.length - a.keywords.length);
    const [best] = scores;
    const hits = best?.keywords.length ?? 0;
    const same = scores.filter(({ keywords }) => keywords.length === hits).map(({ category }) => category);
    const confidence = best === undefined ? 0.2 : same.length > 1 ? 0.45 : Math.min(0.95, 0.6 + 0.15 * hits);
    return {
      description,
      keywords: best?.keywords ?? [],
      inferred_category: best?.category ?? "unknown",
      confidence,
      possible: same,
      reasoning: best === undefined ? "no word of it is known" : `it says ${best.keywords.join(", ")}`,
    };
  });
}

/** A person's word settles it; one that names no category leaves it unknown, and uncovered. */
function settled(part: Part, answers: Readonly<Record<string, string>>): Part {
  const answer = answers[questionOf(part.id)];
  if (answer === undefined) return part;
  const reasoning = "a person said so";
  return { ...part, inferred_category: answer, confidence: 1, possible: [answer], reasoning };
}

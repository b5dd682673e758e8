// `action-analyze-requirements`: the complaint, taken apart into what can be diagnosed (S4). A part that fits two
// categories or none is asked about; the run then waits for the answer.
import { join } from "node:path";
import { replaceFile } from "../../host/files.ts";
import type { Act, Asked } from "./action.ts";

const categories: Readonly<Record<string, { readonly focus: string | null; readonly words: RegExp }>> = {
  context_explosion: { focus: "context", words: /context|too long|overflow|window|histor|blow/gi },
  memory_loss: {
    focus: "memory",
    words: /forget|forgot|lose|lost|remember|memory|constraint|drift|ignores?/gi,
  },
  dataflow_break: {
    focus: "dataflow",
    words: /\bstate\b|\bdata\b|json|parse|field|inconsisten|missing file|broken link|reference/gi,
  },
  agent_failure: { focus: "agent", words: /agent|fail|crash|error|hang|stuck|timeout|silent/gi },
  doc_conflict: {
    focus: "docs",
    words: /duplicat|redundan|contradict|conflict|documentation|front ?matter/gi,
  },
  token_consumption: { focus: "token_consumption", words: /token|cost|expensive|large|big\b|bloat/gi },
  prompt_quality: { focus: null, words: /vague|unclear|tone|wording|prompt/gi },
  architecture: { focus: null, words: /architecture|structure|design/gi },
};

/** What is tuned without a complaint is looked at from all sides. */
export const general = "a general check of the skill";

interface Dimension {
  readonly id: string;
  readonly description: string;
  readonly category: string;
  readonly confidence: number;
  readonly possible: readonly string[];
}

export const analyzeRequirements: Act = ({ state, workDir, answers }) => {
  const complaint = String(state("user_issue_description") ?? general);
  const dimensions =
    complaint === general ? [] : dimensionsOf(complaint).map((each) => settled(each, answers));
  const open = dimensions.filter(({ possible }) => possible.length !== 1);
  const questions: Asked[] = open.slice(0, 4).map(({ id, description, possible }) => ({
    id: questionOf(id),
    text: `What does "${description}" mean?`,
    options: possible.length > 0 ? possible : Object.keys(categories),
  }));
  const known = dimensions.filter(
    ({ category, possible }) => possible.length === 1 && categories[category]?.focus,
  );
  const rate = dimensions.length === 0 ? 100 : Math.round((100 * known.length) / dimensions.length);
  const coverage = {
    total: dimensions.length,
    covered: known.length,
    rate,
    status: rate >= 80 ? "satisfied" : rate >= 50 ? "partial" : "unsatisfied",
  };
  const focus = [...new Set(known.flatMap(({ category }) => categories[category]?.focus ?? []))];
  const analysis = {
    status: questions.length > 0 ? "needs_clarification" : "completed",
    dimensions: dimensions.map(({ id, description, category, confidence }) => ({
      id,
      description,
      inferred_category: category,
      confidence,
    })),
    coverage,
  };
  const file = "requirement-analysis.json";
  replaceFile(join(workDir, file), `${JSON.stringify(analysis, null, 2)}\n`);
  // Nothing in focus would mean everything by accident; `all` says it on purpose.
  const given = state("focus_given") === true ? {} : { focus_areas: focus.length > 0 ? focus : ["all"] };
  return {
    stateUpdates: { requirement_analysis: analysis, ...given },
    outputFiles: [file],
    summary: `${dimensions.length} parts, ${rate} % covered`,
    questions,
  };
};

function questionOf(dimension: string): string {
  return `requirements-${dimension}`;
}

function dimensionsOf(complaint: string): Dimension[] {
  const parts = complaint
    .split(/[.;,\n]+|\band\b/)
    .map((part) => part.trim())
    .filter((part) => part.length > 2);
  return parts.slice(0, 12).map((description, at) => {
    const scores = Object.entries(categories)
      .map(([category, { words }]) => ({ category, hits: description.match(words)?.length ?? 0 }))
      .filter(({ hits }) => hits > 0)
      .sort((a, b) => b.hits - a.hits);
    const [best, second] = scores;
    const isTie = best !== undefined && second?.hits === best.hits;
    const possible = isTie
      ? scores.filter(({ hits }) => hits === best.hits).map(({ category }) => category)
      : best
        ? [best.category]
        : [];
    const confidence = best === undefined ? 0.2 : isTie ? 0.45 : Math.min(0.95, 0.6 + 0.15 * best.hits);
    return {
      id: `DIM-${String(at + 1).padStart(3, "0")}`,
      description,
      category: best?.category ?? "unknown",
      confidence,
      possible,
    };
  });
}

/** A person's word settles it; one that names no category leaves it unknown, and uncovered. */
function settled(dimension: Dimension, answers: Readonly<Record<string, string>>): Dimension {
  const answer = answers[questionOf(dimension.id)];
  if (answer === undefined) return dimension;
  return { ...dimension, category: answer, confidence: 1, possible: [answer] };
}

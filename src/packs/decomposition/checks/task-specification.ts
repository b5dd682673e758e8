// Tasks held against the specification (D9): what they quote, and the requirements that they name. A text of the
// specification that belongs to a later phase is no ground for a task (D6).
import type { Problem } from "../../../core/problem.ts";
import { shown } from "../../../protocols/spot.ts";
import { plain, type Quotation, quotations } from "./quotation.ts";
import { excludedSections, requirementIds, specRequirements } from "./specification.ts";
import { suggester } from "./suggestion.ts";
import { type Sketch, type SketchedQuote, spotIn } from "./task-sketch.ts";

export interface Findings {
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

export function checkAgainstSpec(sketches: readonly Sketch[], spec: string): Findings {
  const [problems, warnings]: [Problem[], Problem[]] = [[], []];
  const lookUp = remembering(quotations(spec, excludedSections(spec)));
  for (const sketch of sketches) {
    const { quote } = sketch;
    const quotation = quote && lookUp(quote.text);
    if (!quote || !quotation || quotation.found === "included" || plain(quote.text) === "") continue;
    const found = quoteProblem(sketch, quote, quotation);
    if (quote.isQuote) problems.push(found);
    else if (!isReference(quote.text)) warnings.push(found);
  }
  const named = requirementProblems(sketches, spec);
  return { problems: problems.concat(named.problems), warnings: warnings.concat(named.warnings) };
}

/** Many tasks quote the same passage. */
function remembering(lookUp: (quote: string) => Quotation): (quote: string) => Quotation {
  const known = new Map<string, Quotation>();
  return (quote) => {
    const found = known.get(quote) ?? lookUp(quote);
    known.set(quote, found);
    return found;
  };
}

/** `REQ-3`, `Section 2.1`, `lines 10-12`: it says where, and quotes nothing. */
function isReference(text: string): boolean {
  return requirementIds(text).length > 0 || /\d/.test(text) || plain(text).split(" ").length < 4;
}

function quoteProblem(
  sketch: Sketch,
  { text, pointer }: SketchedQuote,
  quotation: Exclude<Quotation, { found: "included" }>,
): Problem {
  const spot = spotIn(sketch, pointer);
  if (quotation.found === "nowhere") {
    const message = `task \`${sketch.id}\` quotes what the specification does not say: ${shown(text)}`;
    return spot.problem("unknown-quote", message, quotation.hint());
  }
  if (quotation.found === "too short") {
    const message = `task \`${sketch.id}\` quotes only ${shown(text)}, which says nothing about it`;
    return spot.problem("quote-too-short", message, "quote the whole sentence that asks for it");
  }
  const message = `task \`${sketch.id}\` quotes text under ${shown(quotation.section.heading)}, which is left for later`;
  return spot.problem("excluded-quote", message, "drop the task, or quote what this phase asks for");
}

function requirementProblems(sketches: readonly Sketch[], spec: string): Findings {
  const all = new Map(specRequirements(spec).map((one) => [one.id, one]));
  const suggest = suggester(all);
  const mentions = mentionsIn(spec);
  const problems: Problem[] = [];
  const covered = new Set<string>();
  for (const sketch of sketches) {
    for (const id of sketch.quote ? requirementIds(sketch.quote.text) : []) covered.add(id);
    for (const [index, written] of sketch.requirements.entries()) {
      const id = requirementIds(written)[0] ?? written.trim().toUpperCase();
      covered.add(id);
      const known = all.get(id);
      if (known ? !known.excluded : !looksLikeId(written) || mentions(written.trim().toLowerCase())) continue;
      const spot = spotIn(sketch, `/context/spec_requirements/${index}`);
      problems.push(
        known
          ? spot.problem(
              "excluded-requirement",
              `task \`${sketch.id}\` names ${shown(id)}, which is left for later (line ${known.sourceLine} of the specification)`,
              "drop the task, or name a requirement of this phase",
            )
          : spot.problem(
              "unknown-requirement",
              `task \`${sketch.id}\` names ${shown(written)}, which the specification does not have`,
              suggest(id, "name a requirement of the specification, as it is written there"),
            ),
      );
    }
  }
  return { problems, warnings: covered.size === 0 ? [] : uncovered(sketches, all, covered) };
}

function uncovered(
  sketches: readonly Sketch[],
  all: ReadonlyMap<string, { readonly excluded: boolean; readonly sourceLine: number }>,
  covered: ReadonlySet<string>,
): Problem[] {
  const [first] = sketches;
  if (!first) return [];
  return [...all]
    .filter(([id, { excluded }]) => !excluded && !covered.has(id))
    .map(([id, { sourceLine }]) => {
      const message = `no task names requirement \`${id}\` (line ${sourceLine} of the specification)`;
      const hint = `add \`${id}\` to \`context.spec_requirements\` of the task that fulfils it, or write that task`;
      return spotIn(first, "").problem("uncovered-requirement", message, hint);
    });
}

/** A letter or a few, a number: `REQ-12`, `US 3`, `AC-1.2`. A sentence is something else, and may stay. */
function looksLikeId(written: string): boolean {
  return /^[A-Za-z]{1,12}[-_ ]?\d{1,9}(?:\.\d{1,9}){0,9}$/.test(written.trim());
}

/** Other ways to number than those that heddle knows. */
function mentionsIn(spec: string): (id: string) => boolean {
  const text = spec.toLowerCase();
  const known = new Map<string, boolean>();
  const look = (id: string) => {
    for (let at = text.indexOf(id); at >= 0; at = text.indexOf(id, at + id.length)) {
      const [before, after] = [text[at - 1] ?? " ", text.slice(at + id.length, at + id.length + 2)];
      if (!/[\p{L}\p{N}]/u.test(before) && !/^(?:[\p{L}\p{N}]|\.\d)/u.test(after)) return true;
    }
    return false;
  };
  return (id) => {
    const found = known.get(id) ?? look(id);
    known.set(id, found);
    return found;
  };
}

// The spec-reviewer's findings (D27): every quotation stands in the specification, a contradiction has two of them, and
// nothing is held against a part that a first phase leaves out.
import type { Problem } from "../../../core/problem.ts";
import { type Checked, checkArtifact } from "../../../protocols/check-artifact.ts";
import type { Source } from "../../../protocols/document.ts";
import { type Spot, shown } from "../../../protocols/spot.ts";
import { type SpecReview, specReview } from "../artifacts/spec-review.ts";
import { type Quotation, quotations } from "./quotation.ts";
import { excludedSections } from "./specification.ts";

export interface SpecReviewInput extends Source {
  readonly spec: string;
}

export function checkSpecReview({ spec, ...source }: SpecReviewInput): Checked<SpecReview> {
  const find = quotations(spec, excludedSections(spec));
  return checkArtifact(specReview, source, (root) =>
    root
      .at("points")
      .items.flatMap((point) => [
        ...oneSided(point),
        ...point.at("quotes").items.flatMap((quote) => misquoted(quote, find)),
      ]),
  );
}

function oneSided(point: Spot): Problem[] {
  const quotes = point.at("quotes");
  const texts = new Set(quotes.items.map(({ text }) => text));
  if (point.at("kind").text !== "contradiction" || texts.size >= 2) return [];
  return [
    quotes.problem(
      "one-sided",
      "a contradiction needs the two places that contradict each other",
      "quote both",
    ),
  ];
}

function misquoted(quote: Spot, find: (quote: string) => Quotation): Problem[] {
  if (quote.text === undefined || quote.text.trim() === "") return [];
  const found = find(quote.text);
  switch (found.found) {
    case "included":
      return [];
    case "excluded":
      return [
        quote.problem(
          "excluded-quote",
          `the quote stands under ${shown(found.section.heading)}, which is for later`,
          "leave the point out",
        ),
      ];
    case "too short":
      return [
        quote.problem(
          "short-quote",
          `the quote ${shown(quote.text)} says nothing by itself`,
          "quote the whole sentence",
        ),
      ];
    case "nowhere":
      return [quote.problem("unknown-quote", "the quote does not occur in the specification", found.hint())];
  }
}

// The review as the one question that a person is asked (D27), and as the page that is kept of it. The question is the
// logic-architect's: that role waits for its answer, and every planner is told it.

import { join } from "node:path";
import type { InputOf } from "../../../core/input.ts";
import type { Question } from "../../../core/run-parts.ts";
import { textDigest } from "../../../host/digest.ts";
import { replaceFile } from "../../../host/files.ts";
import type { SpecReview } from "../artifacts/spec-review.ts";
import type { Point } from "./points.ts";

export const asItIs = "plan with it as it is";
const about = "logic-architect";

type FoundPoint = Pick<Point, "quotes" | "question"> & {
  readonly kind: Point["kind"] | SpecReview["points"][number]["kind"];
  readonly suggestion?: string | undefined;
};

/** Of two with one quotation the reviewer's counts: it understood more. But what is proven is not made less of. */
export function together(own: readonly Point[], reviewed: readonly FoundPoint[] = []): FoundPoint[] {
  const isSaid = (point: Point) =>
    reviewed.some(
      (each) =>
        (isGrave(each) || !isGrave(point)) && each.quotes.some((quote) => point.quotes.includes(quote)),
    );
  const all = [...reviewed, ...own.filter((point) => !isSaid(point))];
  return [...all.filter(isGrave), ...all.filter((each) => !isGrave(each))];
}

/** Two ways to build it, and only one of them is meant. */
const isGrave = ({ kind }: Pick<FoundPoint, "kind">) => kind === "contradiction" || kind === "duplicate-id";

/** Its name says whether it can be passed over where nobody can be asked. */
export function questionFor(spec: string, points: readonly FoundPoint[]): InputOf<"ask"> | undefined {
  if (points.length === 0) return undefined;
  const weight = points.some(isGrave) ? "contradictions" : "points";
  const lines = points.flatMap(({ kind, quotes, question, suggestion }, at) => [
    `${at + 1}. ${kind}: ${question}`,
    ...quotes.map((quote) => `   "${quote}"`),
    ...(suggestion ? [`   suggestion: ${suggestion}`] : []),
  ]);
  const text = [
    `The specification leaves ${points.length === 1 ? "a point" : `${points.length} points`} open.`,
    ...lines,
    'Answer in your own words, such as "1: at most 100; 2: under 200 ms".',
  ].join("\n");
  return {
    kind: "ask",
    id: `spec-${weight}-${textDigest(spec).slice(0, 8)}`,
    text,
    options: [asItIs],
    about,
  };
}

export const isReview = ({ id }: Pick<Question, "id">) =>
  /^spec-(?:points|contradictions)-[0-9a-f]{8}$/.test(id);
export const mayPass = ({ id }: Pick<Question, "id">) => id.startsWith("spec-points-");

/** For people, beside the other reports: what was asked, and what was said to it. */
export function keepReview(planningDir: string, questions: readonly Question[]): void {
  const parts = questions
    .filter(isReview)
    .map(({ text, answer, answeredBy, askedAt }) =>
      [
        text,
        "",
        answer === null
          ? "Not answered yet."
          : `Answer${answeredBy === null ? "" : ` (${answeredBy})`}: ${answer}`,
        "",
        `Asked ${askedAt}.`,
      ].join("\n"),
    );
  if (parts.length > 0)
    replaceFile(
      join(planningDir, "reports/spec-review.md"),
      `# Review of the specification\n\n${parts.join("\n\n---\n\n")}\n`,
    );
}

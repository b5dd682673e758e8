// What a specification leaves open, as far as its text alone proves it (D27): words that promise nothing, requirements that
// nothing could show to hold, one id for two requirements, one sentence with two numbers. Pure, and careful: a point costs a
// person's attention, so a doubtful one is not made. What takes understanding is the spec-reviewer's.
import { excludedSections, proseOf, writtenRequirements } from "../checks/specification.ts";

const pointKinds = ["contradiction", "vague", "unverifiable", "duplicate-id"] as const;

export interface Point {
  readonly kind: (typeof pointKinds)[number];
  /** Words of the specification, as they stand there; two for a contradiction. */
  readonly quotes: readonly string[];
  readonly question: string;
  readonly line?: number;
}

const mostPoints = 20;
/** What is longer is no specification that a person reads through, and every pattern here is linear. */
const longest = 1024 * 1024;

export function pointsOf(spec: string): Point[] {
  const text = spec.slice(0, longest);
  const later = excludedSections(text);
  const isLater = (line: number) =>
    later.some(({ firstLine, lastLine }) => firstLine <= line && line <= lastLine);
  const sentences = sentencesOf(proseOf(text)).filter(({ line }) => !isLater(line));
  const points = [
    ...contradictions(sentences),
    ...twice(text, isLater),
    ...sentences.flatMap(vagueIn),
    ...sentences.flatMap(unverifiableIn),
  ];
  return points.slice(0, mostPoints);
}

interface Sentence {
  readonly text: string;
  readonly line: number;
}

/** A wrapped sentence is one; a list item, a row of a table and a heading are sentences of their own. */
function sentencesOf(lines: readonly string[]): Sentence[] {
  const blocks: Sentence[] = [];
  let open: { text: string; line: number } | undefined;
  for (const [index, whole] of lines.entries()) {
    const line = whole.trim();
    const begins = /^(?:[-*+>|]|#{1,6}\s|\d{1,3}[.)]\s|[*_`[]{0,3}(?:(?:REQ|N?FR|US|AC)-\d|R\d))/.test(line);
    if (line === "" || begins) open = undefined;
    if (line === "" || /^#{1,6}\s|^\|/.test(line)) continue;
    if (open) {
      open.text += ` ${line}`;
      continue;
    }
    open = { text: line.replace(/^(?:[-*+>]|\d{1,3}[.)])\s+/, ""), line: index + 1 };
    blocks.push(open);
  }
  return blocks.flatMap(({ text, line }) =>
    text
      .split(/(?<=[.!?])\s+(?=[\p{Lu}\d`"*])/u)
      .map((each) => ({ text: each.trim(), line }))
      .filter((each) => each.text !== ""),
  );
}

/** Only what demands something: a story about the product may be as vague as it likes. */
const demands =
  /\b(?:must|shall|should|needs? to|has to|have to|will|required?|REQ-\d|N?FR-\d|US-\d|AC-\d|R\d)/i;
const measured = /\d|`[^`]+`|"[^"]+"|“[^“”]+”/;

const vagueWords = [
  ...[
    "user[- ]friendly",
    "easy to use",
    "intuitive(?:ly)?",
    "seamless(?:ly)?",
    "modern",
    "state[- ]of[- ]the[- ]art",
  ],
  ...[
    "fast",
    "quick(?:ly)?",
    "responsive",
    "performant",
    "efficient(?:ly)?",
    "scalable",
    "robust",
    "flexible",
  ],
  ...[
    "appropriate(?:ly)?",
    "adequate(?:ly)?",
    "reasonabl[ey]",
    "sufficient(?:ly)?",
    "as needed",
    "if necessary",
  ],
  ...[
    "where possible",
    "as soon as possible",
    "in a timely manner",
    "and so on",
    "etc\\.",
    "TBD",
    "TBC",
    "to be determined",
  ],
];
const vague = new RegExp(`(?<![\\w-])(?:${vagueWords.join("|")})(?![\\w-])`, "i");

function vagueIn({ text, line }: Sentence): Point[] {
  const word = demands.test(text) && vague.exec(text)?.[0];
  if (!word || measuredBeside(text)) return [];
  return [
    {
      kind: "vague",
      quotes: [clipped(text)],
      question: `What does "${word}" mean here, so that a test could tell?`,
      line,
    },
  ];
}

/** An id is no measure. */
const measuredBeside = (text: string) =>
  measured.test(text.replaceAll(/\b(?:REQ|N?FR|US|AC)-[\d.]+|\bR\d[\d.]*/g, ""));

const unverifiable =
  /\bhandled\s(?:gracefully|properly|correctly|well)\b|\b(?:works?|behaves?|functions?|performs?|operates?)\s(?:correctly|properly|well|as expected|reliably)\b|\bhandles?\s(?:all\s)?(?:errors?|failures?|edge cases?)(?:\s(?:gracefully|properly|well))?\s*[.!]?$|\b(?:is|are|be|stays?|remains?)\s(?:secure|safe|reliable|stable|maintainable|accessible|usable|well[- ]tested|high[- ]quality|good)\s*[.!]?$/i;

function unverifiableIn({ text, line }: Sentence): Point[] {
  if (!demands.test(text) || !unverifiable.test(text) || measuredBeside(text) || vague.test(text)) return [];
  return [
    { kind: "unverifiable", quotes: [clipped(text)], question: "How would one see that this holds?", line },
  ];
}

function twice(spec: string, isLater: (line: number) => boolean): Point[] {
  const first = new Map<string, { text: string; line: number }>();
  return writtenRequirements(proseOf(spec)).flatMap(({ id, words, line, isHeading }): Point[] => {
    const text = words.join(" ").trim();
    if (isLater(line) || isHeading || text.split(/\s+/).length < 4) return [];
    const before = first.get(id);
    if (!before) first.set(id, { text, line });
    if (!before || alike(before.text) === alike(text)) return [];
    const question = `${id} stands for two requirements (lines ${before.line} and ${line}). Which one holds, or are both meant?`;
    return [{ kind: "duplicate-id", quotes: [clipped(before.text), clipped(text)], question, line }];
  });
}

const alike = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** The same words with another number. */
function contradictions(sentences: readonly Sentence[]): Point[] {
  const seen = new Map<string, Sentence>();
  return sentences.flatMap((sentence): Point[] => {
    const bare = withoutId(sentence.text);
    const numbers = bare.match(/\d+(?:[.,]\d+)*/g) ?? [];
    const frame = alike(bare.replaceAll(/\d+(?:[.,]\d+)*/g, " # ").replaceAll("#", "nnn"));
    if (numbers.length !== 1 || frame.split(" ").length < 5 || !demandsOrLimits.test(bare)) return [];
    const before = seen.get(frame);
    if (!before) seen.set(frame, sentence);
    if (!before || alike(withoutId(before.text)) === alike(bare)) return [];
    const question = `Lines ${before.line} and ${sentence.line} say the same with other numbers. Which one holds?`;
    return [
      {
        kind: "contradiction",
        quotes: [clipped(before.text), clipped(sentence.text)],
        question,
        line: sentence.line,
      },
    ];
  });
}

const demandsOrLimits =
  /\b(?:must|shall|should|will|at most|at least|no more than|up to|within|maximum|minimum|exactly|limit|expires?|times? out)\b/i;
const withoutId = (text: string) =>
  text.replace(/^[*_`[]*(?:(?:REQ|N?FR|US|AC)-[\d.]+|R\d[\d.]*)[*_`\]]*:?\s*/i, "");

/** A quotation must stand in the specification as it is: cut, never changed. */
const clipped = (text: string) => (text.length > 240 ? text.slice(0, 240).replace(/\s\S*$/, "") : text);

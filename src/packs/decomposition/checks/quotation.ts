// Finds a quote in the specification. White space is collapsed and typographic quotes, dashes and dots are made plain
// on both sides, because agents retype them; everything else must agree, capitals included.
import { lineOf } from "../../../protocols/document.ts";
import type { Section } from "./specification.ts";

export type Quotation =
  | { readonly found: "included" }
  | { readonly found: "excluded"; readonly section: Section }
  /** It stands there, and says nothing: a letter, a word among others. */
  | { readonly found: "too short" }
  /** What the specification says instead: looked for when it is asked, because that takes longer. */
  | { readonly found: "nowhere"; readonly hint: () => string };

/** Fewer matching words than this say nothing about what was meant. */
const TELLING_WORDS = 3;
/** A quote below this must be a line of its own, such as a heading. */
const TELLING_LETTERS = 8;
const SHOWN = 60;

export function plain(text: string): string {
  return text
    .replace(/[“”„‟«»]/g, '"')
    .replace(/[‘’‚‛′]/g, "'")
    .replace(/[‐‑‒–—―−]/g, "-")
    .replaceAll("…", "...")
    .replace(/\s+/g, " ")
    .trim();
}

/** Prepares a specification once; the answer looks up one quote. */
export function quotations(spec: string, excluded: readonly Section[]): (quote: string) => Quotation {
  const { text, starts, lineNumbers } = joined(spec);
  const lineAt = (offset: number) => lineNumbers[lineOf(starts, offset)] ?? 1;
  const sectionOf = (offset: number, length: number) => {
    const [first, last] = [lineAt(offset), lineAt(offset + length - 1)];
    return excluded.find((section) => section.firstLine <= last && first <= section.lastLine);
  };
  const lines = new Set(spec.split(/\r\n|\n|\r/).map(bareLine));
  return (quote) => {
    const wanted = plain(quote);
    if (isTooShort(wanted) && text.includes(wanted) && !lines.has(bareLine(wanted)))
      return { found: "too short" };
    let section: Section | undefined;
    for (
      let at = text.indexOf(wanted);
      wanted !== "" && at >= 0;
      at = text.indexOf(wanted, at + wanted.length)
    ) {
      section = sectionOf(at, wanted.length);
      if (!section) return { found: "included" };
    }
    if (section) return { found: "excluded", section };
    return { found: "nowhere", hint: () => nearest(text, wanted, lineAt) };
  };
}

function isTooShort(quote: string): boolean {
  const letters = quote.replace(/[^\p{L}\p{N}]/gu, "").length;
  // In some writings a few signs are a sentence.
  const isDense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(quote);
  return letters < (isDense ? 4 : TELLING_LETTERS);
}

/** Without the marks of a heading, a list, a table or emphasis. */
const bareLine = (line: string) => plain(line.replaceAll(/^[\s#>*+|-]{1,20}|[\s*_`|:.]{1,20}$/g, ""));

/** The plain specification in one line, and where each of its lines begins in it. */
function joined(spec: string): { text: string; starts: number[]; lineNumbers: number[] } {
  const [parts, starts, lineNumbers]: [string[], number[], number[]] = [[], [], []];
  let length = 0;
  for (const [index, line] of spec.split(/\r\n|\n|\r/).entries()) {
    const part = plain(line);
    if (part === "") continue;
    parts.push(part);
    starts.push(length);
    lineNumbers.push(index + 1);
    length += part.length + 1;
  }
  return { text: parts.join(" "), starts, lineNumbers };
}

function nearest(text: string, wanted: string, lineAt: (offset: number) => number): string {
  const lower = text.toLowerCase();
  const sameLetters =
    wanted === "" || lower.length !== text.length ? -1 : lower.indexOf(wanted.toLowerCase());
  if (sameLetters >= 0) {
    const written = text.slice(sameLetters, sameLetters + wanted.length);
    return `line ${lineAt(sameLetters)} of the specification has other capitals: \`${clipped(written)}\``;
  }
  const words = wanted.split(" ");
  let [matching, failing] = [0, words.length + 1];
  while (failing - matching > 1) {
    const middle = (matching + failing) >> 1;
    if (text.includes(words.slice(0, middle).join(" "))) matching = middle;
    else failing = middle;
  }
  if (matching < TELLING_WORDS) return "quote one passage of the specification word for word";
  const at = text.indexOf(words.slice(0, matching).join(" "));
  const written = text.slice(at, at + wanted.length + SHOWN);
  return `line ${lineAt(at)} of the specification has the first ${matching} words, then differs: \`${clipped(written)}\``;
}

function clipped(text: string): string {
  return text.length > 2 * SHOWN ? `${text.slice(0, 2 * SHOWN)}…` : text;
}

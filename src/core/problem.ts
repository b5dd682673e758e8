// A Problem is a person's mistake as a value: what is wrong, where, and one thing that can be typed.
// All problems of one input are found at once. Nothing here prints; `view/problem.ts` does.
import type { Hint } from "./hint.ts";

export interface Location {
  readonly file: string;
  /** RFC 6901, "" for the whole document. */
  readonly pointer?: string;
  /** Counted from 1. */
  readonly line?: number;
  readonly column?: number;
  /** The source line, cut when it is long; where in it the place is, and how many characters are meant. */
  readonly source?: string;
  readonly sourceColumn?: number;
  readonly length?: number;
}

export interface Problem {
  /** Stable, for scripts: `unknown-task`, `wrong-status`, `cycle` … */
  readonly code: string;
  /** One sentence: lower case, subject first, the person's own words in backticks. */
  readonly message: string;
  readonly place?: Location;
  /** Something that can be typed or changed. */
  readonly hint?: Hint;
  /** Further lines: the path of a cycle, the difference of an edit. */
  readonly notes?: readonly string[];
}

export function problem(
  code: string,
  message: string,
  more: Omit<Problem, "code" | "message"> = {},
): Problem {
  return { code, message, ...more };
}

/** How a surface learns that an input was refused: thrown with every problem at once, and nothing but the refusal happened. */
export class Refused extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems[0]?.message);
    // Several askers may have met with the same thing: a person reads it once.
    this.problems = [...new Map(problems.map((each) => [JSON.stringify(each), each])).values()];
  }
}

/** Where an answer is a value or a Problem. */
export function isProblem(answer: unknown): answer is Problem {
  return typeof answer === "object" && answer !== null && "code" in answer && "message" in answer;
}

/** The candidate that a person most likely meant, if one is close enough. */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const change = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(change, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}

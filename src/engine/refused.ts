// How a surface learns that something may not be: thrown with every problem at once.
import type { Problem } from "../core/problem.ts";

/** An input was refused: nothing but the refusal happened. */
export class Refused extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems[0]?.message);
    // Several askers may have met with the same thing: a person reads it once.
    this.problems = [...new Map(problems.map((each) => [JSON.stringify(each), each])).values()];
  }
}

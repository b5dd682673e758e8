// How many tokens a text costs. Counted with OpenAI's `o200k_base` vocabulary, offline; other vendors cut text
// differently (within about a fifth for English prose), so the numbers compare versions of a skill, not bills.
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

export const encoding = "o200k_base";

/** Special marks in a skill are text like any other. */
const plain = { disallowedSpecial: new Set<string>() };

/** The time for one unbroken run of characters grows with its square, so a long one is counted in parts. */
const longRun = /\S{400}|\s{400}/g;

export function tokensOf(text: string): number {
  let [sum, from] = [0, 0];
  for (const { index, 0: run } of text.matchAll(longRun)) {
    sum += countTokens(text.slice(from, index + run.length), plain);
    from = index + run.length;
  }
  return sum + countTokens(text.slice(from), plain);
}

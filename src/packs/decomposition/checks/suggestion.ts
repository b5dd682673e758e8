// "Did you mean" among many ids. Comparing one word with 100,000 ids takes a tenth of a second, so the number of
// comparisons is bounded; the same number with other zeros (`T3`, `T0003`) is found without comparing.
import { closest } from "../../../core/problem.ts";
import type { Known } from "../../../protocols/check-artifact.ts";
import { visible } from "../../../protocols/document.ts";

const COMPARISONS = 300_000;

/** For one set of ids; the answer gives a hint for a word that is not among them, or `otherwise`. */
export function suggester(known: Known): (word: string, otherwise: string) => string {
  let left = COMPARISONS;
  let byNumber: Map<string, string> | undefined;
  const near = (word: string) => {
    byNumber ??= new Map(Array.from(known.keys(), (id) => [withoutZeros(id), id]));
    const same = byNumber.get(withoutZeros(word));
    if (same !== undefined || left < known.size) return same;
    left -= known.size;
    return closest(word, known.keys());
  };
  return (word, otherwise) => {
    const meant = near(word);
    return meant === undefined ? otherwise : `did you mean \`${visible(meant)}\`?`;
  };
}

function withoutZeros(id: string): string {
  return id
    .trim()
    .toUpperCase()
    .replace(/^([A-Z])0+(?=\d)/, "$1");
}

import { Mistake } from "../failure.js";
import { linesOf } from "../lines.js";
import { readNotebook } from "../store.js";

export const usage = "search <word>…";
export const summary = "print the notes that hold every word";

/** Status 1 when nothing is found. */
export async function run({ file, words, print }) {
  const wanted = words.map((word) => word.trim().toLowerCase()).filter((word) => word !== "");
  if (wanted.length === 0) throw new Mistake("a search needs a word to look for");
  const { notes } = await readNotebook(file);
  const found = notes.filter(({ text }) => wanted.every((word) => text.toLowerCase().includes(word)));
  for (const line of linesOf(found)) print(line);
  return found.length > 0 ? 0 : 1;
}

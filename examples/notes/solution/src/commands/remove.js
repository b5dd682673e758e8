import { Mistake } from "../failure.js";
import { readNotebook, writeNotebook } from "../store.js";

export const usage = "remove <id>…";
export const summary = "remove notes; their ids are never used again";

export async function run({ file, words, print }) {
  if (words.length === 0) throw new Mistake("name the ids of the notes to remove");
  const { next, notes } = await readNotebook(file);
  const known = new Set(notes.map(({ id }) => String(id)));
  const unknown = words.find((word) => !known.has(word));
  if (unknown !== undefined) throw new Mistake(`there is no note \`${unknown}\`; nothing is removed`);
  const ids = new Set(words);
  await writeNotebook(file, { next, notes: notes.filter(({ id }) => !ids.has(String(id))) });
  for (const id of ids) print(`removed ${id}`);
}

import { makeNote } from "../note.js";
import { readNotebook, writeNotebook } from "../store.js";

export const usage = "add <text>";
export const summary = "keep a note; words that begin with # are its tags";

export async function run({ file, words, print, now }) {
  const { next, notes } = await readNotebook(file);
  const note = makeNote(next, words.join(" "), now());
  await writeNotebook(file, { next: next + 1, notes: [...notes, note] });
  print(`added ${note.id}`);
}

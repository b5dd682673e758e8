import { linesOf } from "../lines.js";
import { readNotebook } from "../store.js";

export const usage = "list [--tag <tag>]";
export const summary = "print the notes, newest first";
export const options = { tag: { type: "string" } };

export async function run({ file, options, print }) {
  const { notes } = await readNotebook(file);
  const tag = options.tag?.replace(/^#/, "").toLowerCase();
  const wanted = tag === undefined ? notes : notes.filter(({ tags }) => tags.includes(tag));
  for (const line of linesOf(wanted)) print(line);
}

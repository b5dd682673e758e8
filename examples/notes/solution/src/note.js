// A note: what it is made of, and what makes a text fit to be one.
import { Mistake } from "./failure.js";

export function makeNote(id, typed, moment) {
  const text = typed.trim().replace(/\s+/g, " ");
  if (text === "") throw new Mistake("a note needs some text");
  return { id, text, tags: tagsOf(text), created: moment.toISOString() };
}

/** In the order of the text, each one once. */
export function tagsOf(text) {
  const tags = Array.from(text.matchAll(/(?<!\S)#([\p{L}\p{N}_-]+)/gu), ([, tag]) => tag.toLowerCase());
  return [...new Set(tags)];
}

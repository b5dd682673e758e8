// Finding the document in what an agent wrote: prose around it, code fences, trailing commas, single quotes, a cut-off
// end, two documents (C6). Nothing is invented but what closes an open bracket; the validators judge what comes out.
import { jsonrepair } from "jsonrepair";

export interface Repaired {
  readonly text: string;
  /** What had to be done, for the log. */
  readonly how: string;
}

/** Nothing when there is no document in it. */
export function repairDocument(text: string): Repaired | undefined {
  if (isDocument(text)) return { text, how: "nothing" };
  const found = candidates(text);
  for (const { part, how } of found) if (isDocument(part)) return { text: part, how };
  for (const { part, how } of found) {
    const mended = mend(part);
    if (mended !== undefined) return { text: mended, how: `${how}, its JSON mended` };
  }
  return undefined;
}

interface Candidate {
  readonly part: string;
  readonly how: string;
}

/** The largest first: of two documents, the larger one is the one that was asked for. */
function candidates(text: string): Candidate[] {
  const fenced = fences(text).map((part) => ({ part, how: "taken out of a code fence" }));
  const bracketed = spans(text).map((part) => ({ part, how: "taken out of the prose around it" }));
  return [...fenced, ...bracketed]
    .filter(({ part }) => /[{[]/.test(part))
    .sort((a, b) => b.part.length - a.part.length);
}

function fences(text: string): string[] {
  const parts: string[] = [];
  const lines = text.split("\n");
  let open = -1;
  for (const [at, line] of lines.entries()) {
    if (!/^\s*(```|~~~)/.test(line)) continue;
    if (open >= 0) parts.push(lines.slice(open + 1, at).join("\n"));
    open = open >= 0 ? -1 : at;
  }
  if (open >= 0) parts.push(lines.slice(open + 1).join("\n"));
  return parts;
}

/** From each bracket that opens at depth zero to the one that closes it, or to the end. */
function spans(text: string): string[] {
  const parts: string[] = [];
  let [depth, start, quoted] = [0, 0, false];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (quoted) {
      if (character === "\\") at++;
      else if (character === '"') quoted = false;
    } else if (character === '"' && depth > 0) quoted = true;
    else if (character === "{" || character === "[") {
      if (depth++ === 0) start = at;
    } else if ((character === "}" || character === "]") && depth > 0 && --depth === 0)
      parts.push(text.slice(start, at + 1));
  }
  if (depth > 0) parts.push(text.slice(start));
  return parts;
}

function isDocument(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null;
  } catch {
    return false;
  }
}

/** Beyond this a repair would take seconds, and an agent's document is never so large. */
const longest = 4_000_000;

function mend(text: string): string | undefined {
  if (text.length > longest || !/^\s*[{[]/.test(text)) return undefined;
  try {
    const mended = jsonrepair(text);
    return isDocument(mended) ? mended : undefined;
  } catch {
    return undefined;
  }
}

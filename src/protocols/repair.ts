// Finding the document in what an agent wrote: prose around it, code fences, trailing commas, single quotes, a cut-off
// end, two documents (C6). Nothing is invented but what closes an open bracket; the validators judge what comes out.
import { jsonrepair } from "jsonrepair";
import { isTooDeep, jsonIn } from "../core/json.ts";

export interface Repaired {
  readonly text: string;
  /** What had to be done, for the log. */
  readonly how: string;
  /** Its JSON was broken, and is another text now. */
  readonly isFixed: boolean;
}

/** Nothing when there is no document in it. */
export function repairDocument(written: string): Repaired | undefined {
  const text = written.startsWith("\uFEFF") ? written.slice(1) : written;
  if (isDocument(text)) return { text, how: "nothing", isFixed: false };
  const found = candidates(text);
  for (const { part, how } of found) if (isDocument(part)) return { text: part, how, isFixed: false };
  for (const { part, how } of found) {
    const fixed = fix(part);
    if (fixed !== undefined) return { text: fixed, how: `${how}, its JSON fixed`, isFixed: true };
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
  const value = jsonIn(text);
  return typeof value === "object" && value !== null;
}

/** Beyond this a repair would take seconds, and an agent's document is never so large. */
const longest = 4_000_000;
/** For each thing that has no place in JSON, the repair may look through all that is left. */
const mostSteps = 500_000_000;

function fix(text: string): string | undefined {
  if (text.length > longest || !/^\s*[{[]/.test(text)) return undefined;
  if (isTooDeep(text) || text.length * oddities(text) > mostSteps) return undefined;
  try {
    const fixed = jsonrepair(text);
    return isDocument(fixed) ? fixed : undefined;
  } catch {
    return undefined;
  }
}

/** How many words that JSON does not have stand there, and quoted texts that nothing follows as it should. */
function oddities(text: string): number {
  const token = /(["'])|[^\s{}[\],:"']+/g;
  let odd = 0;
  for (let found = token.exec(text); found; found = token.exec(text)) {
    const [word, quote] = found;
    if (quote === undefined) {
      if (!/^(?:true|false|null|-?\d{1,400}(?:\.\d{1,400})?(?:[eE][-+]?\d{1,400})?)$/.test(word)) odd++;
      continue;
    }
    let at = found.index + 1;
    for (; at < text.length && text[at] !== quote; at++) if (text[at] === "\\") at++;
    for (at++; at < text.length && /\s/.test(text[at] ?? ""); ) at++;
    if (at < text.length && !",:]}".includes(text[at] ?? "")) odd++;
    token.lastIndex = at;
  }
  return odd;
}

// A JSON document with positions. `parseDocument` refuses what `JSON.parse` lets pass as well; the tree with
// positions is built only when a Place is asked for, so a file without mistakes costs little more than its parsing.
// What the values mean is not known here: that is the schemas' matter.
import { type Node, parseTree, printParseErrorCode, visit } from "jsonc-parser";
import { type JsonFault, readJson } from "../core/json.ts";
import { type Location, type Problem, problem } from "../core/problem.ts";

export interface Source {
  readonly file: string;
  readonly text: string;
}

/** Its text is without a byte order mark. */
export interface JsonDocument extends Source {
  readonly value: unknown;
}

export interface DocumentPlace extends Location {
  /** Where the meant characters begin in `source`, counted from 1: a long line is cut, and `column` is the file's. */
  readonly sourceColumn?: number;
}

export interface Limits {
  readonly maxLength?: number;
  readonly maxDepth?: number;
}

const SOURCE_WIDTH = 160;
/** Kept of a long line before the meant characters. */
const SOURCE_LEAD = 60;

/** Characters that a terminal obeys or hides instead of showing: C0, C1, bidirectional controls, line separators. */
export const INVISIBLE = "\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069";
const invisible = new RegExp(`[${INVISIBLE}]`, "g");

/** One character for each, so that columns stay where they are. */
export function visible(text: string): string {
  return text.replace(invisible, (character) => (character === "\t" ? " " : "\uFFFD"));
}

/** Never throws. */
export function parseDocument(
  file: string,
  text: string,
  limits: Limits = {},
): JsonDocument | { readonly problems: Problem[] } {
  const body = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const refusal = unreadable(file, body);
  if (refusal) return { problems: [refusal] };
  const read = readJson(body, limits);
  if ("fault" in read) return { problems: [faulty(file, body, read.fault)] };
  const document = { file, text: body, value: read.value };
  if (read.keys === countKeys(read.value)) return document;
  return { problems: duplicateKeys(document) };
}

function unreadable(file: string, text: string): Problem | undefined {
  const place = { file };
  if (text.trim() === "") {
    return problem("empty-file", `\`${visible(file)}\` is empty`, {
      place,
      hint: "write the JSON document into it",
    });
  }
  if (text.includes("\0")) {
    return problem("not-text", `\`${visible(file)}\` is not text`, {
      place,
      hint: "write it as JSON in UTF-8",
    });
  }
  return undefined;
}

function faulty(file: string, text: string, { kind, offset, message }: JsonFault): Problem {
  if (kind === "not-json") return notJson(file, text);
  const said = `\`${visible(file)}\` ${message.replace(/^it /, "")}`;
  if (kind === "too-large")
    return problem("too-large", said, {
      place: { file },
      hint: "write only what is asked for, without logs or copies of other files",
    });
  return problem("too-deep", said, {
    place: placeAt({ file, text, lineStarts: lineStartsOf(text) }, offset, 1),
    hint: "flatten it: no file of a plan needs more than ten levels",
  });
}

function notJson(file: string, text: string): Problem {
  const fault = firstFault(text);
  const place = placeAt({ file, text, lineStarts: lineStartsOf(text) }, fault.offset, fault.length);
  if (/^\s*(```|[A-Za-z]{2,}\s)/.test(text) && fault.offset < 80) {
    return problem("not-json", "the file does not begin with JSON", { place, hint: JSON_ALONE });
  }
  const isLast = text.slice(fault.offset + fault.length).trim() === "";
  if (text.slice(fault.offset).trim() === "" || (isLast && fault.name === "UnexpectedEndOfString")) {
    return problem("not-json", "the JSON ends before it is complete", {
      place,
      hint: "the file looks truncated: write it again in full",
    });
  }
  const name = isJson(text.slice(0, fault.offset)) ? "EndOfFileExpected" : fault.name;
  const [message, hint] = faultTexts[name] ?? ["this is not JSON", "check the file with a JSON parser"];
  return problem("not-json", message, { place, hint });
}

function isJson(text: string): boolean {
  return "value" in readJson(text);
}

const JSON_ALONE = "write JSON alone, without prose or code fences around it";

const faultTexts: Readonly<Record<string, readonly [message: string, hint: string]>> = {
  InvalidSymbol: [
    "this word is not JSON",
    "texts and keys stand in double quotes; other words are true, false, null",
  ],
  InvalidNumberFormat: ["this number is not JSON", "write it like 12, -3.5 or 1e9"],
  UnexpectedEndOfNumber: ["this number is not JSON", "write it like 12, -3.5 or 1e9"],
  PropertyNameExpected: [
    "a key in double quotes is expected here",
    "remove the comma before a closing brace, and put keys in double quotes",
  ],
  ValueExpected: ["a value is expected here", "write the value, or remove the comma before it"],
  ColonExpected: ["a colon is missing after the key", "write `:` between the key and its value"],
  CommaExpected: ["a comma is missing before this", "write `,` after the value before it"],
  EndOfFileExpected: ["the JSON has ended before this", `remove what follows it; ${JSON_ALONE}`],
  InvalidCommentToken: ["comments are not allowed here", "remove the comment"],
  UnexpectedEndOfString: [
    "this text has no closing quote on its line",
    'close it with `"`; a line break inside a text is written `\\n`, a quote `\\"`',
  ],
  InvalidUnicode: ["this text has a broken `\\u` escape", "write four hexadecimal digits after `\\u`"],
  InvalidEscapeCharacter: ["this text has an unknown escape", "write a backslash itself as `\\\\`"],
  InvalidCharacter: [
    "this text holds a raw control character",
    "write a tab as `\\t`, a line break as `\\n`",
  ],
};

/** Stops at the first fault: what comes after it is guesswork, and may nest deeper than the stack. */
function firstFault(text: string): {
  readonly name: string;
  readonly offset: number;
  readonly length: number;
} {
  const faults: { name: string; offset: number; length: number }[] = [];
  const onError = (code: number, offset: number, length: number) => {
    faults.push({ name: printParseErrorCode(code), offset, length });
    throw faults;
  };
  try {
    visit(text, { onError }, { disallowComments: true });
  } catch (thrown) {
    if (thrown !== faults) throw thrown;
  }
  return faults[0] ?? { name: "", offset: 0, length: 1 };
}

function countKeys(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let keys = 0;
  if (Array.isArray(value)) for (const item of value) keys += countKeys(item);
  else for (const key in value) keys += 1 + countKeys(Reflect.get(value, key));
  return keys;
}

function duplicateKeys(document: JsonDocument): Problem[] {
  const problems: Problem[] = [];
  const { tree, lines } = positionsOf(document);
  const open = tree ? [tree] : [];
  for (let node = open.pop(); node; node = open.pop()) {
    const seen = new Set<string>();
    for (const child of node.children ?? []) {
      if (child.type !== "property") open.push(child);
      const [key, value] = child.type === "property" ? (child.children ?? []) : [];
      if (value) open.push(value);
      if (!key) continue;
      if (seen.has(key.value)) {
        problems.push(
          problem("duplicate-key", `the key \`${visible(key.value)}\` occurs twice in one object`, {
            place: placeAt(lines, key.offset, key.length),
            hint: "keep one of the two, or join their values",
          }),
        );
      }
      seen.add(key.value);
    }
  }
  return problems;
}

interface Lines extends Source {
  readonly lineStarts: readonly number[];
}

interface Positions {
  readonly source: Source;
  readonly tree: Node | undefined;
  readonly lines: Lines;
}

/** A tree is forty times as large as its text, so it is made of texts up to this length. */
const MAX_TREE_LENGTH = 8 * 1024 * 1024;

/** Of one document only: its problems are found together. */
let latest: Positions | undefined;

function positionsOf(source: Source): Positions {
  if (latest?.source !== source) {
    const { file, text } = source;
    const tree = text.length > MAX_TREE_LENGTH ? undefined : parseTree(text);
    latest = { source, tree, lines: { file, text, lineStarts: lineStartsOf(text) } };
  }
  return latest;
}

function lineStartsOf(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/**
 * Where `pointer` (RFC 6901) stands in the file, or its key with `key`. A pointer to what is missing gives the place of
 * the nearest thing around it that is there.
 */
export function placeOf(
  source: Source,
  pointer: string,
  options: { readonly key?: boolean } = {},
): DocumentPlace {
  const { tree, lines } = positionsOf(source);
  if (!tree) return { file: source.file, pointer };
  let node = tree;
  let property: Node | undefined;
  for (const segment of segmentsOf(pointer)) {
    const found = childOf(node, segment);
    if (!found) {
      property = undefined;
      break;
    }
    property = found.type === "property" ? found : undefined;
    node = property ? (property.children?.[1] ?? property) : found;
  }
  const meant = (options.key ? property?.children?.[0] : undefined) ?? node;
  const length = meant.type === "object" || meant.type === "array" ? 1 : meant.length;
  return { ...placeAt(lines, meant.offset, length), pointer };
}

function segmentsOf(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** A pointer's segment for a key or an index. */
export function segment(key: PropertyKey): string {
  return `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

function childOf(node: Node, key: string): Node | undefined {
  if (node.type === "array") return /^\d+$/.test(key) ? node.children?.[Number(key)] : undefined;
  return node.children?.find((child) => child.type === "property" && child.children?.[0]?.value === key);
}

function placeAt(lines: Lines, offset: number, length: number): DocumentPlace {
  const { file, text, lineStarts } = lines;
  const line = lineOf(lineStarts, offset);
  const start = lineStarts[line] ?? 0;
  const end = endOfLine(text, start);
  const column = offset - start;
  const from = Math.max(0, Math.min(column - SOURCE_LEAD, end - start - SOURCE_WIDTH));
  const source = visible(text.slice(start + from, Math.min(end, start + from + SOURCE_WIDTH)));
  const place = {
    file,
    line: line + 1,
    column: column + 1,
    source,
    length: Math.max(1, Math.min(length, source.length - (column - from))),
  };
  return from === 0 ? place : { ...place, sourceColumn: column - from + 1 };
}

function endOfLine(text: string, start: number): number {
  const found = text.indexOf("\n", start);
  const end = found < 0 ? text.length : found;
  return text[end - 1] === "\r" && end > start ? end - 1 : end;
}

/** The last line that starts at or before `offset`. */
export function lineOf(lineStarts: readonly number[], offset: number): number {
  let [low, high] = [0, lineStarts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((lineStarts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

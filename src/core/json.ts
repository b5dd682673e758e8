// JSON from outside, within bounds: size and depth are known before anything is parsed, by one linear look, so that
// nothing that walks over a parsed value needs to fear for its stack. No other file of `src` parses JSON (tidy).
import { type Location, type Problem, problem } from "./problem.ts";

export interface JsonLimits {
  /** In characters. */
  readonly maxLength?: number;
  readonly maxDepth?: number;
}

export interface JsonFault {
  readonly kind: "too-large" | "too-deep" | "not-json";
  /** Where the fault was seen; what is no JSON at all is located by `protocols/document.ts`. */
  readonly offset: number;
  readonly message: string;
}

export type JsonRead =
  | {
      readonly value: unknown;
      /** As written: of two equal keys in one object, `JSON.parse` keeps one. */
      readonly keys: number;
    }
  | { readonly fault: JsonFault };

const jsonLimits = { maxLength: 64 * 1024 * 1024, maxDepth: 200 } as const;

/** Never throws. A byte order mark says nothing and is passed over. */
export function readJson(text: string, limits: JsonLimits = {}): JsonRead {
  const { maxLength = jsonLimits.maxLength, maxDepth = jsonLimits.maxDepth } = limits;
  if (text.length > maxLength)
    return refused("too-large", 0, `it has ${text.length} characters, but ${maxLength} are allowed`);
  const { deepAt, keys } = outlineOf(text, maxDepth);
  if (deepAt >= 0) return refused("too-deep", deepAt, `it nests deeper than ${maxDepth} levels`);
  const read = parsed(text);
  return "fault" in read ? read : { ...read, keys };
}

function parsed(text: string): { readonly value: unknown } | { readonly fault: JsonFault } {
  try {
    return { value: JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text) as unknown };
  } catch (error) {
    return refused("not-json", 0, (error as Error).message);
  }
}

function refused(kind: JsonFault["kind"], offset: number, message: string): { readonly fault: JsonFault } {
  return { fault: { kind, offset, message } };
}

/** The value, or nothing: for lines and files where something else may stand as well. */
export function jsonIn(text: string | undefined, limits: JsonLimits = {}): unknown {
  if (text === undefined) return undefined;
  // Every level takes two characters at least, so most lines and facts need no look before they are parsed.
  const isFlat = text.length <= 2 * (limits.maxDepth ?? jsonLimits.maxDepth);
  const read = isFlat ? parsed(text) : readJson(text, limits);
  return "value" in read ? read.value : undefined;
}

/** The object in a text, or nothing. */
export function recordIn<T extends object = Record<string, unknown>>(
  text: string | undefined,
  limits: JsonLimits = {},
): T | undefined {
  const value = jsonIn(text, limits);
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as T) : undefined;
}

/** A file that heddle wrote itself says something else by now: the world's failure, with the file that it is about. */
class Damaged extends Error {
  readonly problem: Problem;

  constructor(found: Problem) {
    super(found.message);
    this.problem = found;
  }
}

export type Fields = Readonly<Record<string, unknown>>;

/** What a value has by name; nothing where it is no record. */
export const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};

/** What a file of heddle's own says, if there is one; an empty one was being written when its writer died. */
export function ownRecord<T extends object>(file: string, text: string | undefined): T | undefined {
  return own(file, text, "an object") as T | undefined;
}

export function ownList<T>(file: string, text: string | undefined): readonly T[] | undefined {
  return own(file, text, "a list") as readonly T[] | undefined;
}

function own(file: string, text: string | undefined, shape: "an object" | "a list"): unknown {
  if (text === undefined || text.trim() === "") return undefined;
  const read = readJson(text);
  if ("fault" in read) throw new Damaged(jsonProblem(file, text, read.fault));
  const { value } = read;
  if (typeof value === "object" && value !== null && Array.isArray(value) === (shape === "a list"))
    return value;
  throw new Damaged(
    problem("damaged", `\`${file}\` is not ${shape}, as heddle wrote it`, {
      place: { file },
      hint: restoring(file),
    }),
  );
}

const restoring = (file: string) => `put it back from a copy, or do without it: rm ${file}`;

/** A fault in a file that nobody is asked to write by hand. */
function jsonProblem(file: string, text: string, { kind, offset, message }: JsonFault): Problem {
  const said = kind === "not-json" ? "is not JSON any more" : message.replace(/^it /, "");
  return problem(kind === "not-json" ? "damaged" : kind, `\`${file}\` ${said}`, {
    place: kind === "too-deep" ? placeIn(file, text, offset) : { file },
    hint: restoring(file),
  });
}

const shownWidth = 80;

/** By line and column; the characters before the place say more than those after it. */
function placeIn(file: string, text: string, offset: number): Location {
  let line = 1;
  let start = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", start)) {
    line++;
    start = at + 1;
  }
  const from = Math.max(start, offset - shownWidth / 2);
  const [source = ""] = text.slice(from, offset + shownWidth / 2).split(/[\r\n]/, 1);
  const place = { file, line, column: offset - start + 1, source, length: 1 };
  return from === start ? place : { ...place, sourceColumn: offset - from + 1 };
}

/** Whether JSON with comments, read by a parser that lets faults pass, nests too deep for that parser's stack. */
export function isTooDeep(text: string, maxDepth: number = jsonLimits.maxDepth): boolean {
  return outlineOf(text, maxDepth, true).deepAt >= 0;
}

/** Where it first nests deeper than `maxDepth` (-1: nowhere), and how many keys are written; stops there. */
function outlineOf(
  text: string,
  maxDepth: number,
  lenient = false,
): { readonly deepAt: number; readonly keys: number } {
  let [depth, keys] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = lenient ? endOfStringOrLine(text, at) : endOfString(text, at);
        break;
      case SLASH:
        if (lenient) at = endOfComment(text, at);
        break;
      case COLON:
        keys++;
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        if (++depth > maxDepth) return { deepAt: at, keys };
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        // What closes nothing must not hide what opens after it.
        depth = Math.max(0, depth - 1);
    }
  }
  return { deepAt: -1, keys };
}

const [QUOTE, COLON, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [
  0x22, 0x3a, 0x7b, 0x7d, 0x5b, 0x5d,
];
const [BACKSLASH, SLASH, LINE_FEED, RETURN] = [0x5c, 0x2f, 0x0a, 0x0d];

function endOfStringOrLine(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE || code === LINE_FEED || code === RETURN) return at;
  }
  return text.length;
}

function endOfComment(text: string, start: number): number {
  const isBlock = text[start + 1] === "*";
  if (!isBlock && text.charCodeAt(start + 1) !== SLASH) return start;
  const end = text.indexOf(isBlock ? "*/" : "\n", start + 2);
  return end < 0 ? text.length : end + (isBlock ? 1 : 0);
}

/** The closing quote is one with an even number of backslashes before it. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before--;
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}

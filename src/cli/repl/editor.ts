// The line a person types, as a value: a key goes in, the new line comes out. It may have several lines (a paste, or
// Alt-Enter). Nothing is drawn here.

export interface Line {
  readonly text: string;
  /** Where the cursor is, in UTF-16 units, never inside a character as people see it. */
  readonly at: number;
}

/** As `node:readline` tells it. */
export interface Key {
  readonly name?: string | undefined;
  readonly ctrl?: boolean;
  readonly meta?: boolean;
  readonly shift?: boolean;
  readonly sequence?: string | undefined;
}

export const empty: Line = { text: "", at: 0 };

export const lineOf = (text: string): Line => ({ text, at: text.length });

/** Undefined: not a key that edits. */
export function edited(line: Line, key: Key): Line | undefined {
  if (key.meta && key.name === "return") return inserted(line, "\n");
  const name = `${key.ctrl ? "ctrl-" : ""}${key.meta ? "alt-" : ""}${key.name ?? ""}`;
  const change = Object.hasOwn(changes, name) ? changes[name] : undefined;
  if (change) return change(line);
  const { sequence = "" } = key;
  const isText = !key.ctrl && !key.meta && sequence !== "" && !/[\u0000-\u001f\u007f]/.test(sequence);
  return isText ? inserted(line, sequence) : undefined;
}

/** What comes from a clipboard may hold anything: of control characters only ends of lines and tabs are kept. */
export function inserted({ text, at }: Line, more: string): Line {
  const clean = more.replace(/\r\n?/g, "\n").replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");
  return { text: text.slice(0, at) + clean + text.slice(at), at: at + clean.length };
}

/** `from`…cursor replaced: what completion does. */
export function replaced({ text, at }: Line, from: number, by: string): Line {
  return { text: text.slice(0, from) + by + text.slice(at), at: from + by.length };
}

type Change = (line: Line) => Line;

const to =
  (where: (line: Line) => number): Change =>
  (line) => ({ text: line.text, at: where(line) });

const deleted =
  (where: (line: Line) => number): Change =>
  (line) => {
    const other = where(line);
    const [from, until] = [Math.min(other, line.at), Math.max(other, line.at)];
    return { text: line.text.slice(0, from) + line.text.slice(until), at: from };
  };

const lineStart = ({ text, at }: Line) => text.lastIndexOf("\n", at - 1) + 1;
const lineEnd = ({ text, at }: Line) => {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
};

const graphemes = new Intl.Segmenter();

function left(line: Line): number {
  const { text, at } = line;
  const from = lineStart(line);
  if (at === from) return Math.max(0, at - 1);
  const last = [...graphemes.segment(text.slice(from, at))].at(-1);
  return from + (last?.index ?? 0);
}

function right(line: Line): number {
  const { text, at } = line;
  const until = lineEnd(line);
  if (at === until) return Math.min(text.length, at + 1);
  const [first] = graphemes.segment(text.slice(at, until));
  return at + (first?.segment.length ?? 0);
}

const wordLeft = ({ text, at }: Line) => Math.max(0, text.slice(0, at).search(/(?<!\S)\S+\s*$/));
const wordRight = ({ text, at }: Line) => at + (/^\s*\S*/.exec(text.slice(at))?.[0].length ?? 0);

const changes: Readonly<Record<string, Change>> = {
  left: to(left),
  right: to(right),
  "ctrl-b": to(left),
  "ctrl-f": to(right),
  home: to(lineStart),
  end: to(lineEnd),
  "ctrl-a": to(lineStart),
  "ctrl-e": to(lineEnd),
  "ctrl-left": to(wordLeft),
  "ctrl-right": to(wordRight),
  "alt-b": to(wordLeft),
  "alt-f": to(wordRight),
  backspace: deleted(left),
  "ctrl-h": deleted(left),
  delete: deleted(right),
  "ctrl-d": deleted(right),
  "ctrl-w": deleted(wordLeft),
  "alt-backspace": deleted(wordLeft),
  "alt-d": deleted(wordRight),
  "ctrl-u": deleted(lineStart),
  "ctrl-k": deleted(lineEnd),
};

/** Undefined: there is no line above, or below. */
export function moved(line: Line, by: -1 | 1): Line | undefined {
  const { text, at } = line;
  const start = lineStart(line);
  const column = at - start;
  const other = by < 0 ? start - 1 : lineEnd(line) + 1;
  if (other < 0 || other > text.length) return undefined;
  const begin = by < 0 ? lineStart({ text, at: other }) : other;
  const end = lineEnd({ text, at: begin });
  return { text, at: Math.min(begin + column, end) };
}

// A shell command as lists of pipelines, far enough to say what its exit code depends on. Nothing is expanded or run.
// What is not understood (control structures, here-documents, functions) is no list: whoever asks gets undefined.

/** Without its quotes; undefined where a shell would put something in. */
export type Word = string | undefined;

export type Simple =
  | { readonly words: readonly Word[] }
  /** `( … )` and `{ …; }`. */
  | { readonly list: readonly Element[] };

export interface Pipeline {
  readonly negated: boolean;
  readonly commands: readonly Simple[];
}

/** Pipelines joined by `&&` and `||`; `joins[n]` stands before `pipelines[n + 1]`. */
export interface Element {
  readonly pipelines: readonly Pipeline[];
  readonly joins: readonly ("&&" | "||")[];
  readonly background: boolean;
}

const maxLength = 20_000;
const maxDepth = 40;
const operators = ["&&", "||", "|&", ";;", ">>", "&>", ">&", "<&", ";", "&", "|", "(", ")", "\n", "<", ">"];
const redirections = new Set([">>", "&>", ">&", "<&", "<", ">"]);
const keywords = new Set(
  "if then else elif fi for while until do done case esac function select coproc".split(" "),
);

/** A form feed or a no-break space is part of a word, as in a shell. */
const blank = /[ \t\r]/;
const endsWord = /[ \t\r\n;&|()<>]/;

type Token = { readonly operator: string } | { readonly word: Word; readonly raw: string };

/** Takes time in proportion to the command's length. */
export function shellList(command: string): readonly Element[] | undefined {
  if (command.length > maxLength) return undefined;
  const tokens = tokensIn(command);
  if (!tokens) return undefined;
  const reader: Reader = { tokens, at: 0 };
  const list = readList(reader, 0);
  return list && reader.at === tokens.length ? list : undefined;
}

function tokensIn(command: string): Token[] | undefined {
  const tokens: Token[] = [];
  for (let at = 0; at < command.length; ) {
    const operator = operators.find((each) => command.startsWith(each, at));
    if (command.startsWith("<<", at)) return undefined;
    if (operator !== undefined) tokens.push({ operator });
    if (operator !== undefined) at += operator.length;
    else if (blank.test(command[at] ?? "")) at++;
    else if (command.startsWith("\\\n", at)) at += 2;
    else if (command[at] === "#") at = endOfLine(command, at);
    else {
      const read = wordAt(command, at);
      if (!read) return undefined;
      tokens.push({ word: read.word, raw: command.slice(at, read.end) });
      at = read.end;
    }
  }
  return tokens;
}

function endOfLine(command: string, from: number): number {
  const end = command.indexOf("\n", from);
  return end < 0 ? command.length : end;
}

/** Undefined where something that is opened is not closed. */
function wordAt(command: string, from: number): { readonly word: Word; readonly end: number } | undefined {
  let [text, known, at] = ["", true, from];
  while (at < command.length && !endsWord.test(command[at] ?? "")) {
    const part = partAt(command, at);
    if (!part) return undefined;
    text += part.text ?? "";
    known &&= part.text !== undefined;
    at = part.end;
  }
  return { word: known ? text : undefined, end: at };
}

function partAt(command: string, at: number): { readonly text: Word; readonly end: number } | undefined {
  const character = command[at] ?? "";
  if (character === "\\") return { text: command[at + 1] ?? "", end: Math.min(at + 2, command.length) };
  if (character === "$" || character === "`") return expansionAt(command, at);
  if (character !== "'" && character !== '"') return { text: character, end: at + 1 };
  const end = character === "'" ? command.indexOf("'", at + 1) : endOfQuote(command, at + 1);
  if (end < 0) return undefined;
  const inside = command.slice(at + 1, end);
  if (character === "'") return { text: inside, end: end + 1 };
  const plain = inside.replaceAll(/\\(["\\$`])/g, "$1");
  return { text: /(?<!\\)[$`]/.test(inside) ? undefined : plain, end: end + 1 };
}

function endOfQuote(command: string, from: number): number {
  for (let at = from; at < command.length; at++) {
    if (command[at] === "\\") at++;
    else if (command[at] === '"') return at;
  }
  return -1;
}

const closers: Readonly<Record<string, string>> = { "$(": ")", "${": "}", "`": "`" };

function expansionAt(
  command: string,
  from: number,
): { readonly text: undefined; readonly end: number } | undefined {
  const opener = ["$(", "${", "`"].find((each) => command.startsWith(each, from));
  if (opener === undefined) return { text: undefined, end: from + 1 };
  const open = opener === "$(" ? "(" : opener === "${" ? "{" : "";
  let depth = 1;
  for (let at = from + opener.length; at < command.length; at++) {
    const character = command[at];
    if (character === "\\") at++;
    else if (character === closers[opener] && --depth === 0) return { text: undefined, end: at + 1 };
    else if (character === open) depth++;
  }
  return undefined;
}

interface Reader {
  readonly tokens: readonly Token[];
  at: number;
}

const operatorAt = ({ tokens, at }: Reader) => {
  const token = tokens[at];
  return token && "operator" in token ? token.operator : undefined;
};
const wordAtReader = ({ tokens, at }: Reader) => {
  const token = tokens[at];
  return token && "word" in token ? token : undefined;
};

/** Up to the end, or to what closes the group that it stands in. */
function readList(reader: Reader, depth: number): Element[] | undefined {
  if (depth > maxDepth) return undefined;
  const elements: Element[] = [];
  for (;;) {
    while ([";", "\n"].includes(operatorAt(reader) ?? "")) reader.at++;
    const isEnd = reader.at >= reader.tokens.length || operatorAt(reader) === ")";
    if (isEnd || wordAtReader(reader)?.raw === "}") return elements;
    const element = readElement(reader, depth);
    if (!element) return undefined;
    elements.push(element);
  }
}

function readElement(reader: Reader, depth: number): Element | undefined {
  const [pipelines, joins]: [Pipeline[], ("&&" | "||")[]] = [[], []];
  for (;;) {
    const pipeline = readPipeline(reader, depth);
    if (!pipeline) return undefined;
    pipelines.push(pipeline);
    const join = operatorAt(reader);
    if (join !== "&&" && join !== "||") break;
    joins.push(join);
    reader.at++;
    while (operatorAt(reader) === "\n") reader.at++;
  }
  const end = operatorAt(reader);
  if (end !== undefined && ![";", "\n", "&", ")"].includes(end)) return undefined;
  if (end === "&") reader.at++;
  return { pipelines, joins, background: end === "&" };
}

function readPipeline(reader: Reader, depth: number): Pipeline | undefined {
  let negated = false;
  for (; wordAtReader(reader)?.raw === "!"; reader.at++) negated = !negated;
  const commands: Simple[] = [];
  for (;;) {
    const command = readSimple(reader, depth);
    if (!command) return undefined;
    commands.push(command);
    if (operatorAt(reader) !== "|" && operatorAt(reader) !== "|&") return { negated, commands };
    reader.at++;
    while (operatorAt(reader) === "\n") reader.at++;
  }
}

function readSimple(reader: Reader, depth: number): Simple | undefined {
  const first = wordAtReader(reader);
  const isGroup = operatorAt(reader) === "(" || first?.raw === "{";
  if (isGroup) return readGroup(reader, depth);
  if (first && keywords.has(first.raw)) return undefined;
  const words: Word[] = [];
  for (;;) {
    const word = wordAtReader(reader);
    const operator = operatorAt(reader);
    if (word) words.push(word.word);
    else if (operator !== undefined && redirections.has(operator)) {
      // `2>&1`: the number belongs to it, and what it names is no argument.
      if (/^\d+$/.test(words.at(-1) ?? "")) words.pop();
      reader.at++;
      if (!wordAtReader(reader)) return undefined;
    } else break;
    reader.at++;
  }
  // A function, `f() { …`, is none of this.
  return words.length === 0 || operatorAt(reader) === "(" ? undefined : { words };
}

function readGroup(reader: Reader, depth: number): Simple | undefined {
  const closer = operatorAt(reader) === "(" ? ")" : "}";
  reader.at++;
  const list = readList(reader, depth + 1);
  const closes = closer === ")" ? operatorAt(reader) === ")" : wordAtReader(reader)?.raw === "}";
  if (!list || !closes) return undefined;
  reader.at++;
  while (redirections.has(operatorAt(reader) ?? "") || /^\d$/.test(wordAtReader(reader)?.raw ?? ""))
    reader.at += operatorAt(reader) ? 2 : 1;
  return { list };
}

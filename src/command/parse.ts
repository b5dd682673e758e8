// From words to a call, after the flags that take several words were spread out.
import { closest, problem } from "../core/problem.ts";
import { type Command, type Flag, type Flags, Usage, usageLine } from "./command.ts";

/** On every command. */
export const commonFlags: Readonly<Record<string, Flag>> = {
  json: { about: "print one JSON document" },
  format: {
    about: "how the reply is printed; `json` is the same as `--json`",
    takes: "json|text",
    choices: ["json", "text"],
  },
  dir: { about: "the project's directory", takes: "DIR" },
  run: { about: "which run, when there are several (`heddle runs`)", takes: "ID" },
  plain: { about: "lines only, nothing drawn over: for screen readers" },
  help: { about: "show this help" },
};

export interface Parsed {
  readonly args: readonly string[];
  readonly flags: Flags;
}

export function parse(command: Command, words: readonly string[]): Parsed {
  const known: Readonly<Record<string, Flag>> = { ...commonFlags, ...command.flags };
  const spread = spreadOut(words, known);
  checkFlags(command, spread, known);
  const { values, positionals } = read(command, spread, known);
  if (values.help !== undefined) return { args: [], flags: flagsOf(values) };
  checkArgs(command, positionals);
  checkValues(command, { positionals, values, known });
  for (const [name, { choices }] of Object.entries(known)) {
    for (const value of choices ? (values[name] ?? []) : [])
      checkChoice(command, `--${name}`, { value, choices: choices ?? [] });
  }
  return { args: positionals, flags: flagsOf(values) };
}

type Values = Readonly<Record<string, readonly string[] | undefined>>;

function flagsOf(values: Values): Flags {
  return {
    has: (name) => values[name] !== undefined,
    one: (name) => values[name]?.at(-1),
    all: (name) => values[name] ?? [],
  };
}

/** `--created a b --modified c` becomes `--created=a --created=b --modified=c` (X20). */
function spreadOut(words: readonly string[], known: Readonly<Record<string, Flag>>): string[] {
  const spread: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    if (word === "--") return [...spread, ...words.slice(at)];
    const flag = word.startsWith("--") ? known[word.slice(2)] : undefined;
    if (!flag?.many) {
      spread.push(word);
      continue;
    }
    while (at + 1 < words.length && !(words[at + 1] as string).startsWith("--"))
      spread.push(`${word}=${words[++at]}`);
  }
  return spread;
}

function checkFlags(command: Command, words: readonly string[], known: Readonly<Record<string, Flag>>): void {
  let takesNext = false;
  for (const word of words) {
    if (word === "--") return;
    if (takesNext) {
      takesNext = false;
      continue;
    }
    if (!looksLikeFlag(word)) continue;
    const name = word.replace(/^--?/, "").split("=", 1)[0] ?? "";
    const flag = word.startsWith("--") ? known[name] : undefined;
    if (!flag) throw unknownFlag(command, word, known);
    takesNext = flag.takes !== undefined && !word.includes("=");
  }
}

function unknownFlag(command: Command, word: string, known: Readonly<Record<string, Flag>>): Usage {
  const meant = closest(
    word,
    Object.keys(known).map((name) => `--${name}`),
  );
  const hint = meant ? `did you mean \`${meant}\`?` : `heddle ${command.name} --help`;
  return new Usage(problem("unknown-flag", `\`heddle ${command.name}\` has no flag \`${word}\``, { hint }));
}

/** After `checkFlags`: every flag is known. `util.parseArgs` would cost a one-shot command half a millisecond. */
function read(command: Command, words: readonly string[], known: Readonly<Record<string, Flag>>) {
  const values: Record<string, string[]> = {};
  const positionals: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    if (word === "--") return { values, positionals: [...positionals, ...words.slice(at + 1)] };
    if (!looksLikeFlag(word)) {
      positionals.push(word);
      continue;
    }
    const [name, given] = splitFlag(word);
    const takes = known[name]?.takes;
    if (takes === undefined && given !== undefined) throw badFlag(command, `\`--${name}\` takes no value`);
    const value = takes === undefined ? "true" : (given ?? words[++at]);
    if (value === undefined || (given === undefined && takes !== undefined && /^-./.test(value)))
      throw badFlag(command, `\`--${name}\` needs a value: \`--${name}=${takes}\``);
    values[name] = [...(values[name] ?? []), value];
  }
  return { values, positionals };
}

function splitFlag(word: string): [name: string, value: string | undefined] {
  const equals = word.indexOf("=");
  return equals < 0 ? [word.slice(2), undefined] : [word.slice(2, equals), word.slice(equals + 1)];
}

function badFlag(command: Command, what: string): Usage {
  return new Usage(problem("bad-flag", what, { hint: usageLine(command) }));
}

/** A negative number is a word like any other. */
function looksLikeFlag(word: string): boolean {
  return /^-[^\d]/.test(word);
}

function checkArgs(command: Command, words: readonly string[]): void {
  const { args = [] } = command;
  const missing = args.filter((arg) => !arg.optional)[words.length];
  if (missing)
    throw new Usage(
      problem("missing-argument", `\`heddle ${command.name}\` needs ${missing.about}`, {
        hint: usageLine(command),
      }),
    );
  if (words.length > args.length && !args.at(-1)?.many)
    throw new Usage(
      problem("extra-argument", `\`heddle ${command.name}\` does not take \`${words[args.length]}\``, {
        hint: usageLine(command),
      }),
    );
  for (const [at, { name, choices }] of args.entries()) {
    const value = words[at];
    if (choices && value !== undefined) checkChoice(command, name, { value, choices });
  }
}

interface Given {
  readonly positionals: readonly string[];
  readonly values: Values;
  readonly known: Readonly<Record<string, Flag>>;
}

/** A name, a path or a number is never empty and has no control characters; a person's own text may. */
function checkValues(command: Command, { positionals, values, known }: Given): void {
  const { args = [] } = command;
  for (const [at, value] of positionals.entries()) {
    const arg = args[at] ?? args.at(-1);
    if (arg && !arg.text) checkValue(command, arg.name, value);
  }
  for (const [name, { text, takes }] of Object.entries(known))
    for (const value of takes === undefined || text ? [] : (values[name] ?? []))
      checkValue(command, `--${name}`, value);
}

function checkValue(command: Command, what: string, value: string): void {
  if (value !== "" && !/[\u0000-\u001f\u007f]/.test(value)) return;
  const fault = value === "" ? "is empty" : "has control characters";
  throw new Usage(
    problem("bad-value", `the ${what.startsWith("--") ? "value of " : ""}\`${what}\` ${fault}`, {
      hint: usageLine(command),
    }),
  );
}

function checkChoice(
  command: Command,
  what: string,
  { value, choices }: { value: string; choices: readonly string[] },
): void {
  if (choices.includes(value)) return;
  const meant = closest(value, choices);
  throw new Usage(
    problem(
      "bad-choice",
      `\`${value}\` is not a ${what.replace(/^--/, "")}: it is one of ${choices.join(", ")}`,
      {
        hint: meant ? `did you mean \`${meant}\`?` : usageLine(command),
      },
    ),
  );
}

/** A number that a person typed. */
export function numberOf(text: string, what: string, { least = 0, whole = false } = {}): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isFinite(value) && value >= least && (!whole || Number.isSafeInteger(value))) return value;
  const kind = whole ? "a whole number" : "a number";
  const example = whole ? Math.max(1, least) : Math.max(0.5, least);
  throw new Usage(
    problem("bad-number", `\`${text}\` is not ${kind} from ${least} on, as ${what} must be`, {
      hint: what.startsWith("--") ? `${what} ${example}` : `${example}, for instance`,
    }),
  );
}

// Whether a command is green whatever the work is (D22), told by its form alone: `true`, `npm test || true`, `… | tee log`,
// `node -e 0`. Only what is certain counts; what a look at the base shows is another matter (X23).
import { type Element, type Pipeline, type Simple, shellList, type Word } from "./shell-list.ts";

type Status = "green" | "red" | "open";

/** Words alone, of which the first is a program that can be green for nothing. Most commands are not. */
const wordsAlone = /^[\w./:=@,+%-][\w ./:=@,+%-]*$/;
const suspects =
  /^(?:true|:|exit|cd|ls|set|echo|printf|pwd|date|sleep|whoami|hostname|uname|clear|wait|export|unset|test|command|builtin|env|exec|nice|nohup|time|sudo|stdbuf|setsid|timeout|eval|(?:ba|da|z|k|a)?sh|(?:\/usr)?\/bin\/\w+|[A-Za-z_]\w*=.*)$|^(?:\S+ (?:--?version|-[vVhepr]|--help|--eval|--print|-[lxe]{0,3}c)\b)/;

export function isAlwaysGreen(command: string): boolean {
  if (wordsAlone.test(command)) {
    const first = command.slice(0, command.indexOf(" ") < 0 ? command.length : command.indexOf(" "));
    if (!suspects.test(first) && !suspects.test(command.slice(0, 100))) return false;
  }
  const list = shellList(command);
  return list !== undefined && listStatus(list, 0) === "green";
}

/** Every simple command of it, those of `sh -c` included; nothing where it is not understood. */
export function simpleCommands(command: string): readonly (readonly Word[])[] {
  return (shellList(command) ?? []).flatMap((element) => simpleIn(element, 0));
}

const maxDepth = 8;

function simpleIn({ pipelines }: Element, depth: number): (readonly Word[])[] {
  return pipelines.flatMap(({ commands }) =>
    commands.flatMap((command): (readonly Word[])[] => {
      if ("list" in command) return command.list.flatMap((each) => simpleIn(each, depth));
      const words = withoutPrefix(command.words);
      const inner = depth < maxDepth ? shellList(scriptOf(words) ?? "") : undefined;
      return [words, ...(inner ?? []).flatMap((each) => simpleIn(each, depth + 1))];
    }),
  );
}

/** Empty, it is a comment. */
function listStatus(list: readonly Element[], depth: number): Status {
  const last = list.at(-1);
  if (!last) return "green";
  for (const element of list.slice(0, -1)) {
    const ends = exitOf(element);
    if (ends) return exitStatus(ends);
    // `set -e`, `trap` and the like: an earlier command may decide.
    if (simpleIn(element, 0).some(decides)) return "open";
  }
  return elementStatus(last, depth);
}

const deciding = new Set(["set", "exit", "return", "exec", "trap", "kill", "eval", "source", ".", "shopt"]);
const decides = ([first, ...args]: readonly Word[]) =>
  first === undefined || (deciding.has(first) && !(first === "set" && args.length === 1 && isMild(args[0])));
/** `set +e`, `set -x`: nothing ends because of it. */
const isMild = (option: Word) => /^(?:\+[a-z]+|-[xv]+)$/.test(option ?? "");

/** The words behind `exit`, where that is all of it: nothing after it is run. */
function exitOf({ pipelines: [first, ...more], background }: Element): readonly Word[] | undefined {
  const [command, ...piped] = first?.commands ?? [];
  const isAlone = command && more.length === 0 && piped.length === 0 && !background;
  if (!isAlone || "list" in command || command.words[0] !== "exit") return undefined;
  return command.words.slice(1);
}

function elementStatus({ pipelines, joins, background }: Element, depth: number): Status {
  if (background) return "green";
  const [first, ...rest] = pipelines.map((each) => pipelineStatus(each, depth));
  return rest.reduce<Status>((left, right, at) => joined(left, joins[at] ?? "&&", right), first ?? "green");
}

function joined(left: Status, join: "&&" | "||", right: Status): Status {
  const [goesOn, ends] = join === "&&" ? (["green", "red"] as const) : (["red", "green"] as const);
  if (left === goesOn) return right;
  if (left === ends) return ends;
  return right === ends ? ends : "open";
}

/** The last command's: what comes before it in a pipe is not asked. */
function pipelineStatus({ negated, commands }: Pipeline, depth: number): Status {
  const last = commands.at(-1);
  const status = last ? simpleStatus(last, { depth, isPiped: commands.length > 1 }) : "open";
  return negated ? opposite(status) : status;
}

function opposite(status: Status): Status {
  if (status === "open") return status;
  return status === "green" ? "red" : "green";
}

function simpleStatus(command: Simple, o: { readonly depth: number; readonly isPiped: boolean }): Status {
  if ("list" in command) return listStatus(command.list, o.depth);
  const words = withoutPrefix(command.words);
  const [program, ...args] = words;
  // Assignments alone.
  if (words.length === 0) return command.words.every((word) => word !== undefined) ? "green" : "open";
  const name = program?.replace(/^(?:\/usr)?\/bin\//, "");
  if (name === undefined) return "open";
  if (green.has(name)) return "green";
  if (name === "false") return "red";
  if (name === "exit") return exitStatus(args);
  if (name === "set") return args.length > 0 && args.every(isOption) ? "green" : "open";
  if (name === "cd") return args.every((arg) => /^(?:\.{1,2}|\/)$/.test(arg ?? "")) ? "green" : "open";
  if (name === "ls") return args.every((arg) => arg === "." || isOption(arg)) ? "green" : "open";
  if (o.isPiped && passing.has(name) && args.every((arg) => arg !== undefined && !arg.includes("/")))
    return "green";
  if (tools.has(name) && args.length === 1 && /^(?:--?version|-v|-V|--help|-h)$/.test(args[0] ?? ""))
    return "green";
  if (name === "test" || name === "[" || name === "[[")
    return testStatus(args.filter((arg) => !/^\]{1,2}$/.test(arg ?? "")));
  const script = scriptOf(words);
  if (script !== undefined) {
    const inner = o.depth < maxDepth ? shellList(script) : undefined;
    return inner ? listStatus(inner, o.depth + 1) : "open";
  }
  return isIdleProgram(name, args) ? "green" : "open";
}

const green = new Set(
  "true : echo printf pwd date sleep whoami hostname uname clear wait export unset".split(" "),
);
/** They take what they are given, and succeed. */
const passing = new Set(
  "cat tee head tail sort uniq wc nl tr cut sed rev fold column less more xargs".split(" "),
);

/** Of the machine, not of the project. */
const tools = new Set(
  "node npm npx pnpm yarn bun deno git make cmake python python3 pip pip3 uv poetry go cargo rustc java javac mvn gradle ruby gem bundle php composer dotnet gcc g++ clang docker curl bash sh".split(
    " ",
  ),
);

const isOption = (word: Word) => /^[-+][A-Za-z]+$/.test(word ?? "");

function exitStatus([code]: readonly Word[]): Status {
  if (code === undefined) return "open";
  return Number(code) === 0 ? "green" : "red";
}

/** Of words that no work changes. */
function testStatus(args: readonly Word[]): Status {
  if (args.some((arg) => arg === undefined)) return "open";
  if (args[0] === "!" && args.length > 1) return opposite(testStatus(args.slice(1)));
  const [one = "", two = "", three = "", ...more] = args as string[];
  if (more.length > 0) return "open";
  const is = (yes: boolean): Status => (yes ? "green" : "red");
  if (args.length === 0) return "red";
  if (args.length === 1) return is(one !== "");
  if (args.length === 2) {
    if (one === "-n") return is(two !== "");
    if (one === "-z") return is(two === "");
    if (/^-[edrx]$/.test(one) && /^(?:\.{1,2}|\/|\/tmp|\/dev\/null)\/?$/.test(two)) return "green";
    return "open";
  }
  const [a, b] = [Number(one), Number(three)];
  if (two === "=" || two === "==") return is(one === three);
  if (two === "!=") return is(one !== three);
  const compared: Readonly<Record<string, boolean>> = {
    "-eq": a === b,
    "-ne": a !== b,
    "-lt": a < b,
    "-le": a <= b,
    "-gt": a > b,
    "-ge": a >= b,
  };
  const result = compared[two];
  return result === undefined ? "open" : is(result);
}

const shells = new Set(["sh", "bash", "dash", "zsh", "ksh", "ash"]);

/** What `sh -c '…'` and `eval …` run. */
function scriptOf([program, ...args]: readonly Word[]): string | undefined {
  if (program === "eval") return args.every((arg) => arg !== undefined) ? args.join(" ") : undefined;
  if (!shells.has(program?.replace(/^.*\//, "") ?? "")) return undefined;
  const at = args.findIndex((arg) => /^-[a-z]*c$/.test(arg ?? ""));
  if (at !== 0) return undefined;
  // Other options may be `-e` and `pipefail`: they change what follows from what.
  const [flag = "", script] = args;
  const isOne = !/[;&|\n]/.test(script ?? ";");
  return /^-[lxi]*c$/.test(flag) || (isOne && /^-[lxie]*c$/.test(flag)) ? script : undefined;
}

/** A program text that does nothing, or says something. */
const idle =
  /^\s{0,99}(?:;|\d{1,99}|true|null|nil|undefined|void 0|pass|""|''|(?:console\.log|print|puts)\s{0,9}\(?\s{0,9}(?:\d{1,99}|(["'])[^"'`$\\]{0,300}\1)?\s{0,9}\)?|(?:process\.exit|import sys;\s{0,9}sys\.exit|exit)\s{0,9}\(?\s{0,9}0?\s{0,9}\)?)?\s{0,9};?\s{0,9}$/;

const textFlags = [
  [/^(?:node|bun)$/, /^-(?:e|p|-eval|-print)$/],
  [/^(?:perl|ruby)$/, /^-e$/],
  [/^php$/, /^-r$/],
  [/^python[\d.]*$/, /^-c$/],
] as const;

function isIdleProgram(name: string, args: readonly Word[]): boolean {
  const [flag, text, ...more] = args;
  if (more.length > 0 || text === undefined) return false;
  const takesText = textFlags.find(([program]) => program.test(name))?.[1];
  return takesText?.test(flag ?? "") === true && idle.test(text);
}

const launchers = new Set("command builtin env exec nice nohup time stdbuf setsid timeout".split(" "));
/** Options of theirs, each with how many words it has. */
const options: Readonly<Record<string, number>> = {
  ...{ "env -i": 1, "env -u": 2, "nice -n": 2, "time -p": 1, "timeout -k": 2, "timeout -s": 2 },
  ...{ "timeout --foreground": 1, "timeout --preserve-status": 1 },
};

/** Without assignments, and without what only starts another program. */
function withoutPrefix(words: readonly Word[]): readonly Word[] {
  let rest = words;
  for (;;) {
    const [first] = rest;
    const after = first === undefined ? undefined : afterPrefix(first, rest.slice(1));
    if (!after) return rest;
    rest = after;
  }
}

function afterPrefix(first: string, rest: readonly Word[]): readonly Word[] | undefined {
  if (/^[A-Za-z_]\w*\+?=/.test(first)) return rest;
  const name = first.replace(/^(?:\/usr)?\/bin\//, "");
  if (!launchers.has(name)) return undefined;
  let after = rest;
  for (let many = options[`${name} ${after[0]}`]; many !== undefined; many = options[`${name} ${after[0]}`])
    after = after.slice(many);
  if (name === "timeout") after = /^[\d.]+[smhd]?$/.test(after[0] ?? "") ? after.slice(1) : [];
  return after.length > 0 && !after[0]?.startsWith("-") ? after : undefined;
}

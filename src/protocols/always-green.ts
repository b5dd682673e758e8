// Whether a command is green whatever the work is (D22), told by its form alone: `true`, `npm test || true`, `… | tee log`,
// `node -e 0`. Only what is certain counts; what a look at the base shows is another matter (X23).
import { type Element, type Pipeline, type Simple, shellList, type Word } from "./shell-list.ts";

type Status = "green" | "red" | "open";

/** Words alone, of which the first is a program that can be green for nothing. Most commands are not. */
const wordsAlone = /^[\w./:=@,+%-][\w ./:=@,+%-]*$/;
const suspects =
  /^(?:true|:|exit|echo|printf|pwd|date|sleep|whoami|hostname|uname|clear|wait|export|unset|test|command|builtin|env|exec|nice|nohup|time|sudo|stdbuf|setsid|timeout|eval|(?:ba|da|z|k|a)?sh|(?:\/usr)?\/bin\/\w+|[A-Za-z_]\w*=.*)$|^(?:\S+ (?:--?version|-[vVhe]|--help|-c)\b)/;

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
  // `set -e`, `exit`, `trap` and the like: an earlier command may decide.
  const earlier = list.slice(0, -1);
  if (earlier.some((element) => simpleIn(element, 0).some(decides))) return "open";
  return elementStatus(last, depth);
}

const deciding = new Set(["set", "exit", "return", "exec", "trap", "kill", "eval", "source", ".", "shopt"]);
const decides = ([first]: readonly Word[]) => first === undefined || deciding.has(first);

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
  if (!negated || status === "open") return status;
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

function exitStatus([code]: readonly Word[]): Status {
  if (code === undefined) return "open";
  return Number(code) === 0 ? "green" : "red";
}

/** Of words that no work changes. */
function testStatus(args: readonly Word[]): Status {
  if (args.some((arg) => arg === undefined)) return "open";
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
  // Other options may be `-e` and `pipefail`: they change what follows from what.
  return at === 0 && args[0] === "-c" ? args[1] : undefined;
}

/** A program text that does nothing, or says something. */
const idle =
  /^\s{0,99}(?:;|\d{1,99}|true|null|undefined|pass|""|''|(?:console\.log|print|puts|process\.exit|sys\.exit|exit)\s{0,9}\(?\s{0,9}(?:0|(["'])[^"'`$\\]{0,300}\1)?\s{0,9}\)?)?\s{0,9};?\s{0,9}$/;

function isIdleProgram(name: string, args: readonly Word[]): boolean {
  const [flag, text, ...more] = args;
  if (more.length > 0 || text === undefined) return false;
  const takesText = /^(?:node|bun|deno|perl|ruby|php)$/.test(name)
    ? /^-(?:e|r|-eval|p)$/
    : /^python[\d.]*$/.test(name)
      ? /^-c$/
      : undefined;
  return takesText?.test(flag ?? "") === true && idle.test(text);
}

const launchers = new Set("command builtin env exec nice nohup time stdbuf setsid".split(" "));

/** Without assignments, and without what only starts another program. */
function withoutPrefix(words: readonly Word[]): readonly Word[] {
  let rest = words;
  for (;;) {
    const [first] = rest;
    if (first === undefined) return rest;
    if (/^[A-Za-z_]\w*\+?=/.test(first)) rest = rest.slice(1);
    else if (launchers.has(first) && rest.length > 1 && !rest[1]?.startsWith("-")) rest = rest.slice(1);
    else if (first === "timeout" && /^\d+[smhd]?$/.test(rest[1] ?? "") && rest.length > 2)
      rest = rest.slice(2);
    else return rest;
  }
}

// Finding a command by its words: the same for the command line and the REPL.

import { type Command, Usage } from "../command/command.ts";
import { commonFlags } from "../command/parse.ts";
import { toCall } from "../core/hint.ts";
import { closest, problem } from "../core/problem.ts";
import { commandNames, loadCommand } from "./registry.ts";

interface FoundCommand {
  readonly command: Command;
  readonly rest: readonly string[];
}

/** Flags that every command has may stand before it: `heddle --dir app status`. */
export async function find(typed: readonly string[]): Promise<FoundCommand> {
  const ahead = flagsAhead(typed);
  const words = typed.slice(ahead.length);
  for (const length of [2, 1]) {
    const command = await loadCommand(words.slice(0, length).join(" "));
    if (command) return { command, rest: [...ahead, ...words.slice(length)] };
  }
  const help = await loadCommand("help");
  const plain = words.filter((word) => !word.startsWith("-"));
  if (help && (plain.length === 0 || commandNames.some((name) => name.startsWith(`${words[0]} `)))) {
    const known = plain.length < 2 || plain[0] === "help";
    if (known) return { command: help, rest: typed.filter((word) => word !== "--help" && word !== "-h") };
  }
  const [first = ""] = words;
  if (first.startsWith("-"))
    throw new Usage(
      problem("unknown-flag", `\`${first}\` cannot stand before the command`, {
        hint: toCall(`${plain[0]} ${first}`),
      }),
    );
  const said = plain.slice(0, 2).join(" ");
  const meant = understood(said) ?? understood(plain[0] ?? "");
  throw new Usage(
    problem("unknown-command", `\`${said}\` is not a heddle command`, {
      hint: meant ? ["did you mean `", toCall(meant), "`?"] : toCall("help"),
    }),
  );
}

function flagsAhead(words: readonly string[]): readonly string[] {
  let count = 0;
  for (;;) {
    const [, name = "", value] = /^--([a-z]+)(=.*)?$/s.exec(words[count] ?? "") ?? [];
    const flag = Object.hasOwn(commonFlags, name) ? commonFlags[name] : undefined;
    if (!flag) return words.slice(0, count);
    count += flag.takes !== undefined && value === undefined ? 2 : 1;
  }
}

/** What people type who come from other tools. */
const synonyms: Readonly<Record<string, string>> = {
  st: "status",
  ls: "tasks",
  list: "tasks",
  ps: "status",
  stop: "halt",
  pause: "halt",
  cancel: "halt",
  continue: "run",
  start: "run",
  go: "run",
  retry: "state retry-task",
  skip: "state skip-task",
  merge: "land",
  logs: "transcript",
  cat: "show",
  edit: "plan --edit",
  switch: "runs use",
  use: "runs use",
  archive: "runs archive",
};

/** A beginning (`exec`, `stat`), a known other word, or a slip of the fingers. */
function understood(word: string): string | undefined {
  if (word === "") return undefined;
  if (Object.hasOwn(synonyms, word)) return synonyms[word];
  const beginning = word.length < 2 ? [] : commandNames.filter((name) => name.startsWith(word));
  const shortest = [...beginning].sort((a, b) => a.length - b.length)[0];
  return shortest ?? closest(word, commandNames);
}

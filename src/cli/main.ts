// The command line: finds the command, runs it, prints its reply. One sentence for every mistake, on stderr,
// and an exit code that scripts can rely on (C14, C15).
import { closest, type Problem, problem } from "../core/problem.ts";
import type { App } from "../engine/app.ts";
import { openApp } from "../engine/open.ts";
import { findRoot } from "../engine/paths.ts";
import { problemText } from "../view/problem.ts";
import { type Call, type Command, exits, type Reply, Usage } from "./command.ts";
import { print } from "./out.ts";
import { type Parsed, parse } from "./parse.ts";
import { allCommands, commandNames, loadCommand } from "./registry.ts";

export async function main(words: readonly string[]): Promise<number> {
  const json =
    words.includes("--json") ||
    (words.includes("--format") && words[words.indexOf("--format") + 1] === "json");
  try {
    const { command, rest } = await find(words);
    const parsed = parse(command, rest);
    if (parsed.flags.has("help")) {
      const { commandHelp } = await import("./help.ts");
      print(commandHelp(command));
      return exits.done;
    }
    return show(await call(command, parsed), json || parsed.flags.has("json"));
  } catch (error) {
    return fail(error, json);
  }
}

async function find(words: readonly string[]): Promise<{ command: Command; rest: readonly string[] }> {
  for (const length of [2, 1]) {
    const command = await loadCommand(words.slice(0, length).join(" "));
    if (command) return { command, rest: words.slice(length) };
  }
  const help = await loadCommand("help");
  const plain = words.filter((word) => !word.startsWith("-"));
  if (help && (plain.length === 0 || commandNames.some((name) => name.startsWith(`${words[0]} `)))) {
    const known = plain.length < 2 || plain[0] === "help";
    if (known) return { command: help, rest: plain };
  }
  const said = plain.slice(0, 2).join(" ");
  const meant = closest(said, commandNames) ?? closest(plain[0] ?? "", commandNames);
  throw new Usage(
    problem("unknown-command", `\`${said}\` is not a heddle command`, {
      hint: meant ? `did you mean \`heddle ${meant}\`?` : "heddle help",
    }),
  );
}

async function call(command: Command, { args, flags }: Parsed): Promise<Reply> {
  const root = findRoot(flags.one("dir"), process.env);
  const interrupt = new AbortController();
  const warn = (found: Problem) => print(problemText(found, "warning"), 2);
  let app: App | undefined;
  const open = async () => {
    if (!app) {
      app = await openApp({ root, by: process.env.HEDDLE_ACTOR ?? "operator", run: flags.one("run"), warn });
    }
    return app;
  };
  const context: Call = {
    args,
    flags,
    root,
    app: open,
    commands: allCommands,
    say: (line) => print(line),
    warn,
    signal: interrupt.signal,
  };
  if (command.interruptible) process.once("SIGINT", () => interrupt.abort());
  try {
    return await command.run(context);
  } finally {
    app?.close();
  }
}

function show({ text = "", json: document, exit = exits.done }: Reply, json: boolean): number {
  print(json ? JSON.stringify(document, null, 2) : text);
  return exit;
}

function fail(error: unknown, json: boolean): number {
  const { problems, exit } = explain(error);
  print(problems.map((each) => problemText(each)).join("\n\n"), 2);
  if (json) print(JSON.stringify({ ok: false, problems }, null, 2));
  return exit;
}

function explain(error: unknown): { problems: readonly Problem[]; exit: number } {
  if (error instanceof Usage) return { problems: [error.problem], exit: exits.usage };
  if (error instanceof Error && "problems" in error)
    return { problems: error.problems as readonly Problem[], exit: exits.refused };
  if (error instanceof Error && "problem" in error)
    return { problems: [error.problem as Problem], exit: exits.store };
  const { message = String(error), stack } = error as Error;
  if (process.env.HEDDLE_DEBUG && stack) print(stack, 2);
  return {
    problems: [
      problem("bug", `heddle has a bug: ${message}`, {
        hint: "the journal is intact; HEDDLE_DEBUG=1 shows where, please report it",
      }),
    ],
    exit: exits.bug,
  };
}

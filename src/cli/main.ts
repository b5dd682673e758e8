// The command line: finds the command, runs it, prints its reply. One sentence for every mistake, on stderr,
// and an exit code that scripts can rely on (C14, C15).
import { closest, type Problem, problem } from "../core/problem.ts";
import type { App } from "../engine/app.ts";
import { openApp } from "../engine/open.ts";
import { findRoot } from "../engine/paths.ts";
import { problemText } from "../view/problem.ts";
import { safe } from "../view/safe.ts";
import { Cancelled } from "./cancelled.ts";
import { type Call, type Command, exits, type Reply, Usage } from "./command.ts";
import { print } from "./out.ts";
import { type Parsed, parse } from "./parse.ts";
import { allCommands, commandNames, isAboutPlans, loadCommand } from "./registry.ts";

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
    const socket = process.env.HEDDLE_SOCKET;
    if (socket !== undefined && !parsed.flags.has("dir")) {
      const { sayInside } = await import("./inside.ts");
      return show(await sayInside(command, parsed, socket), json);
    }
    return show(await call(command, parsed, json), json);
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
    if (known) return { command: help, rest: words.filter((word) => word !== "--help" && word !== "-h") };
  }
  const said = plain.slice(0, 2).join(" ");
  const meant = closest(said, commandNames) ?? closest(plain[0] ?? "", commandNames);
  throw new Usage(
    problem("unknown-command", `\`${said}\` is not a heddle command`, {
      hint: meant ? `did you mean \`heddle ${meant}\`?` : "heddle help",
    }),
  );
}

async function call(command: Command, { args, flags }: Parsed, json: boolean): Promise<Reply> {
  const root = findRoot(flags.one("dir"), process.env);
  const interrupt = new AbortController();
  const warn = (found: Problem) => print(problemText(found, "warning"), 2);
  let app: App | undefined;
  const open = async () => {
    if (!app) {
      app = await openApp({ root, by: process.env.HEDDLE_ACTOR ?? "operator", run: flags.one("run"), warn });
      if (isAboutPlans(command.name)) app.choosing({ protocol: "decomposition" });
    }
    return app;
  };
  const context: Call = {
    args,
    flags,
    root,
    app: open,
    commands: allCommands,
    say: json ? () => {} : print,
    stream: print,
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

function show(
  { text = "", json: document, exit = exits.done, painted = false }: Reply,
  json: boolean,
): number {
  // A command that streamed its documents has none left.
  if (json && document === undefined) return exit;
  print(json ? JSON.stringify(document, null, 2) : painted ? text : safe(text));
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
  if (error instanceof Cancelled)
    return { problems: [problem("cancelled", "nothing was changed")], exit: exits.interrupted };
  if (error instanceof Error && "problems" in error) {
    const exit = "isDamage" in error ? exits.store : exits.refused;
    return { problems: error.problems as readonly Problem[], exit };
  }
  if (error instanceof Error && "problem" in error)
    return { problems: [error.problem as Problem], exit: exits.store };
  const { message = String(error), stack } = error as Error;
  if (process.env.HEDDLE_DEBUG && stack) print(stack, 2);
  const { code = "", path } = error as NodeJS.ErrnoException;
  if (Object.hasOwn(fileErrors, code)) return fileError(code, path);
  return {
    problems: [
      problem("bug", `heddle has a bug: ${message}`, {
        hint: "the journal is intact; HEDDLE_DEBUG=1 shows where, please report it",
      }),
    ],
    exit: exits.bug,
  };
}

/** What the file system may answer, as people say it. */
const fileErrors: Readonly<Record<string, string>> = {
  ENOENT: "is not there",
  ENOTDIR: "goes through a file that is no directory",
  EISDIR: "is a directory",
  EEXIST: "is there already",
  EACCES: "may not be used by you",
  EPERM: "may not be changed by you",
  EROFS: "lies on a read-only disk",
  ENOSPC: "lies on a full disk",
  EDQUOT: "lies on a full disk",
  ENAMETOOLONG: "has too long a name",
  ELOOP: "goes round in links",
  EMFILE: "could not be opened: too many files are open",
  EIO: "could not be read or written: the disk failed",
  ENXIO: "is not a file",
};

function fileError(code: string, path: string | undefined): { problems: readonly Problem[]; exit: number } {
  const disk = ["EROFS", "ENOSPC", "EDQUOT", "EIO"].includes(code);
  const where = path === undefined ? "the current directory" : `\`${path}\``;
  return {
    problems: [problem("files", `${where} ${fileErrors[code]}`)],
    exit: disk ? exits.store : exits.refused,
  };
}

// Finding a command by its words, calling it, and saying what went wrong: the same for the command line and the REPL.
import { closest, type Problem, problem } from "../core/problem.ts";
import type { App } from "../engine/app.ts";
import { openApp } from "../engine/open.ts";
import { findRoot } from "../engine/paths.ts";
import { Cancelled } from "./cancelled.ts";
import { type Call, type Command, exits, type Reply, Usage } from "./command.ts";
import { print } from "./out.ts";
import type { Parsed } from "./parse.ts";
import { allCommands, commandNames, loadCommand } from "./registry.ts";

interface Found {
  readonly command: Command;
  readonly rest: readonly string[];
}

export async function find(words: readonly string[]): Promise<Found> {
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

/** What is around a command: a terminal, or the REPL. */
export type Around = Pick<Call, "say" | "stream" | "warn" | "signal" | "stopNow" | "screen" | "ask"> & {
  readonly root?: string;
  readonly run?: string | undefined;
};

export async function perform(command: Command, { args, flags }: Parsed, around: Around): Promise<Reply> {
  const dir = flags.one("dir");
  const root = dir === undefined && around.root !== undefined ? around.root : findRoot(dir, process.env);
  const run = flags.one("run") ?? around.run;
  let app: App | undefined;
  const open = async () => {
    app ??= await openApp({ root, by: process.env.HEDDLE_ACTOR ?? "operator", run, warn: around.warn });
    return app;
  };
  try {
    return await command.run({ ...around, args, flags, root, app: open, commands: allCommands });
  } finally {
    app?.close();
  }
}

export function explain(error: unknown): { problems: readonly Problem[]; exit: number } {
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

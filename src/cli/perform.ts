// Finding a command by its words, calling it, and saying what went wrong: the same for the command line and the REPL.
import { closest, problem } from "../core/problem.ts";
import type { App } from "../engine/app.ts";
import { openApp } from "../engine/open.ts";
import { findRoot } from "../engine/paths.ts";
import { type Call, type Command, type Reply, Usage } from "./command.ts";
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

/** What is around a command: a terminal, the REPL, or a host over MCP. */
export type Around = Pick<Call, "say" | "stream" | "warn" | "signal" | "stopNow" | "screen" | "ask"> & {
  readonly root?: string;
  /** The author of what is written down. */
  readonly by?: string;
  readonly run?: string | undefined;
};

export async function perform(command: Command, { args, flags }: Parsed, around: Around): Promise<Reply> {
  const dir = flags.one("dir");
  const root = dir === undefined && around.root !== undefined ? around.root : findRoot(dir, process.env);
  const run = flags.one("run") ?? around.run;
  let app: App | undefined;
  const open = async () => {
    app ??= await openApp({
      root,
      by: around.by ?? process.env.HEDDLE_ACTOR ?? "operator",
      run,
      warn: around.warn,
    });
    return app;
  };
  try {
    return await command.run({ ...around, args, flags, root, app: open, commands: allCommands });
  } finally {
    app?.close();
  }
}

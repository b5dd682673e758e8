// `heddle` without a command, on a terminal: a prompt with every command of the command line behind a slash (L13).
import { findRoot, pathsIn } from "../../engine/paths.ts";
import { isThere } from "../../host/files.ts";
import { type Command, exits } from "../command.ts";
import { parse } from "../parse.ts";
import { terminal } from "../terminal.ts";
import { Drawn } from "./drawn.ts";
import type { Paper } from "./jobs.ts";
import { Plain } from "./plain.ts";
import { Session } from "./session.ts";

/** `heddle` itself: its flags are the common ones. */
const itself: Pick<Command, "name" | "args"> = { name: "", args: [] };

export async function repl(words: readonly string[]): Promise<number> {
  const { flags } = parse(itself as Command, words);
  if (flags.has("plain")) process.env.HEDDLE_PLAIN = "1";
  const root = findRoot(flags.one("dir"), process.env);
  const begin = (paper: Paper) => {
    paper.print(welcome(root));
    return new Session({ root, run: flags.one("run"), paper });
  };
  await (terminal().live ? new Drawn(begin) : new Plain(begin)).run();
  return exits.done;
}

function welcome(root: string): string {
  const hint = isThere(pathsIn(root).database)
    ? "/status shows where it stands"
    : '/plan spec.md or /task new "<brief>" begins';
  return `heddle in ${root}\n${hint}, /help shows the rest`;
}

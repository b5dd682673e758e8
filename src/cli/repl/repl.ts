// `heddle` without a command, on a terminal: a prompt with every command of the command line behind a slash (L13).

import { type Command, exits } from "../../command/command.ts";
import { parse } from "../../command/parse.ts";
import { terminal } from "../../command/terminal/terminal.ts";
import { findRoot } from "../../engine/paths.ts";
import { composition } from "../composition.ts";
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
  const isBegun = await composition.journals.has(root);
  const begin = (paper: Paper) => {
    paper.print(welcome(root, isBegun));
    return new Session({ root, run: flags.one("run"), paper });
  };
  await (terminal().live ? new Drawn(begin) : new Plain(begin)).run();
  return exits.done;
}

function welcome(root: string, isBegun: boolean): string {
  const hint = isBegun ? "/status shows where it stands" : '/run "<task>" or /plan spec.md begins';
  return `heddle in ${root}\n${hint}, /help shows the rest`;
}

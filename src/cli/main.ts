// The command line: finds the command, runs it, prints its reply. One sentence for every mistake, on stderr,
// and an exit code that scripts can rely on (C14, C15).

import { type Command, exits, type Reply } from "../command/command.ts";
import { print } from "../command/out.ts";
import { type Parsed, parse } from "../command/parse.ts";
import { Refused } from "../core/problem.ts";
import { fewDescriptors } from "../host/program/descriptors.ts";
import { hintsAsText, inShell } from "../view/hint.ts";
import { problemText } from "../view/problem.ts";
import { safe } from "../view/safe.ts";
import { explain } from "./explain.ts";
import { find } from "./find.ts";
import { perform } from "./perform.ts";
import { allCommands } from "./registry.ts";

/** Beside the orchestrators, which ask for themselves. */
const startsPrograms = new Set(["carry", "doctor", "mcp", "demo"]);

export async function main(words: readonly string[]): Promise<number> {
  const json =
    words.includes("--json") ||
    (words.includes("--format") && words[words.indexOf("--format") + 1] === "json");
  try {
    if (isInvitation(words)) {
      const { repl } = await import("./repl/repl.ts");
      return await repl(words);
    }
    const { command, rest } = await find(words);
    const parsed = parse(command, rest);
    if (parsed.flags.has("plain")) process.env.HEDDLE_PLAIN = "1";
    if (parsed.flags.has("help")) {
      const { commandHelp } = await import("./help.ts");
      print(commandHelp(command));
      return exits.done;
    }
    const few = fewDescriptors(startsPrograms.has(command.name) ? 4 : 0);
    if (few) throw new Refused([few]);
    const { HEDDLE_SOCKET, HEDDLE_LOG_SOCKET } = process.env;
    // A role logs over its socket; everything else it does with the files that it has.
    const socket = HEDDLE_SOCKET ?? (command.name === "log" ? HEDDLE_LOG_SOCKET : undefined);
    if (socket !== undefined && !parsed.flags.has("dir") && command.name !== "mcp") {
      const { sayInside } = await import("./inside.ts");
      return show(await sayInside(command, parsed, socket), json);
    }
    return show(await call(command, parsed, json), json);
  } catch (error) {
    return fail(error, json);
  }
}

/** `heddle` alone, or with nothing but where to work and how to show it, on a terminal (L13). */
function isInvitation(words: readonly string[]): boolean {
  if (words[0]?.startsWith("--") === false) return false;
  const places = ["--dir", "--run"];
  const others = words.filter(
    (word, at) =>
      word !== "--plain" && !/^--(?:dir|run)(?:=|$)/.test(word) && !places.includes(words[at - 1] ?? ""),
  );
  if (others.length > 0 || process.env.HEDDLE_SOCKET !== undefined) return false;
  const { isatty } = process.getBuiltinModule("node:tty");
  return isatty(0) && isatty(1);
}

async function call(command: Command, parsed: Parsed, json: boolean): Promise<Reply> {
  const [interrupt, now] = [new AbortController(), new AbortController()];
  if (command.interruptible) process.once("SIGINT", () => interrupt.abort());
  return perform(command, parsed, {
    commands: allCommands,
    manner: inShell,
    say: json ? () => {} : print,
    stream: print,
    warn: (found) => print(problemText(found, found.code === "excluded" ? "note" : "warning"), 2),
    signal: interrupt.signal,
    stopNow: () => {
      interrupt.signal.addEventListener("abort", () => process.once("SIGINT", () => now.abort()), {
        once: true,
      });
      return now.signal;
    },
  });
}

function show(
  { text = "", json: document, exit = exits.done, painted = false }: Reply,
  json: boolean,
): number {
  // A command that streamed its documents has none left.
  if (json && document === undefined) return exit;
  print(json ? JSON.stringify(document, hintsAsText, 2) : painted ? text : safe(text));
  return exit;
}

function fail(error: unknown, json: boolean): number {
  const { problems, exit } = explain(error);
  print(problems.map((each) => problemText(each)).join("\n\n"), 2);
  if (json) print(JSON.stringify({ ok: false, problems }, hintsAsText, 2));
  return exit;
}

// The command line: finds the command, runs it, prints its reply. One sentence for every mistake, on stderr,
// and an exit code that scripts can rely on (C14, C15).
import { problemText } from "../view/problem.ts";
import { safe } from "../view/safe.ts";
import { type Command, exits, type Reply } from "./command.ts";
import { explain } from "./explain.ts";
import { print } from "./out.ts";
import { type Parsed, parse } from "./parse.ts";
import { find, perform } from "./perform.ts";

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
    const socket = process.env.HEDDLE_SOCKET;
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
    say: json ? () => {} : print,
    stream: print,
    warn: (found) => print(problemText(found, "warning"), 2),
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
  print(json ? JSON.stringify(document, null, 2) : painted ? text : safe(text));
  return exit;
}

function fail(error: unknown, json: boolean): number {
  const { problems, exit } = explain(error);
  print(problems.map((each) => problemText(each)).join("\n\n"), 2);
  if (json) print(JSON.stringify({ ok: false, problems }, null, 2));
  return exit;
}

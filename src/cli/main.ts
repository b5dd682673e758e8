// The command line: finds the command, runs it, prints its reply. One sentence for every mistake, on stderr,
// and an exit code that scripts can rely on (C14, C15).
import { closest, problem } from "../core/problem.ts";
import { findRoot } from "../engine/paths.ts";
import { problemText } from "../view/problem.ts";
import { safe } from "../view/safe.ts";
import { carryOut, type Surface } from "./carry-out.ts";
import { type Command, exits, type Reply, Usage } from "./command.ts";
import { explain } from "./explain.ts";
import { print } from "./out.ts";
import { parse } from "./parse.ts";
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
    const socket = process.env.HEDDLE_SOCKET;
    if (socket !== undefined && !parsed.flags.has("dir") && command.name !== "mcp") {
      const { sayInside } = await import("./inside.ts");
      return show(await sayInside(command, parsed, socket), json);
    }
    return show(await carryOut(command, parsed, onTerminal(json, parsed.flags.one("dir"))), json);
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

function onTerminal(json: boolean, dir: string | undefined): Surface {
  return {
    root: findRoot(dir, process.env),
    by: process.env.HEDDLE_ACTOR ?? "operator",
    commands: allCommands,
    say: json ? () => {} : print,
    stream: print,
    warn: (found) => print(problemText(found, "warning"), 2),
  };
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

// Finding a command by its words: the same for the command line and the REPL.
import { closest, problem } from "../core/problem.ts";
import { type Command, Usage } from "./command.ts";
import { commandNames, loadCommand } from "./registry.ts";

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

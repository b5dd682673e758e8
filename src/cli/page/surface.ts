// What the page needs of the command line: calling a command as a person would, and what the packs know of a run's specification.
import { type Call, type Command, exits } from "../../command/command.ts";
import { parse } from "../../command/parse.ts";
import type { App } from "../../engine/app.ts";
import { covered } from "../../packs/packs.ts";
import { readingFor } from "../../packs/reading.ts";
import type { Performed, Surface } from "../../page/surface.ts";
import { hintText, inShell } from "../../view/hint.ts";
import { explain } from "../explain.ts";
import { perform } from "../perform.ts";

type Around = Pick<Call, "commands" | "signal">;

export function surfaceFor(app: App, around: Around): Surface {
  return {
    perform: (words, run) => performed(words, { root: app.paths.root, run, ...around }),
    ...readingFor(app, covered),
  };
}

interface Surroundings extends Around {
  readonly root: string;
  readonly run: string;
}

/** The longest name that the words begin with. */
function named(
  all: readonly Command[],
  words: readonly string[],
): { command: Command; rest: readonly string[] } {
  for (const length of [2, 1]) {
    const command = all.find(({ name }) => name === words.slice(0, length).join(" "));
    if (command) return { command, rest: words.slice(length) };
  }
  throw new Error(`bug: no command ${words[0]}`);
}

async function performed(
  words: readonly string[],
  { root, run, signal, commands }: Surroundings,
): Promise<Performed> {
  try {
    const { command, rest } = named(await commands(), words);
    // With `--json` nothing is asked and nothing drawn on the terminal of whoever started the server.
    const parsed = parse(command, ["--json", ...rest]);
    const { text = "", exit = exits.done } = await perform(command, parsed, {
      ...{ root, run, signal, commands, manner: inShell, stopNow: () => signal },
      ...{ say: () => {}, stream: () => {}, warn: () => {} },
    });
    const isDone = exit === exits.done || exit === exits.warned;
    return isDone ? { ok: true, said: text } : { ok: false, problem: text, hint: null };
  } catch (error) {
    const [found, ...more] = explain(error).problems;
    const notes = [...(found?.notes ?? []), ...more.map(({ message }) => message)];
    return {
      ok: false,
      problem: [found?.message ?? "it was refused", ...notes].join("\n"),
      hint: found?.hint === undefined ? null : hintText(found.hint),
    };
  }
}

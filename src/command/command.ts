// The room of what a command is and what commands share: parsing, prompts, the live table, landing. It reads a terminal and writes
// to it; protocols' packs and `cli/` build on it.
//
// A command is data: its words, its help, its examples, and what it does. Help, completion, the REPL and the MCP
// tools all come from these objects. A command answers with a Reply; only `main.ts` prints.
import type { Problem } from "../core/problem.ts";
import type { App } from "../engine/app.ts";
import type { Packs } from "../engine/packs.ts";
import type { Journals } from "../journal/journal.ts";
import type { Manner } from "../view/hint.ts";
import type { Prompts } from "./terminal/prompts.ts";
import type { Drawing } from "./terminal/screen.ts";

export interface Arg {
  readonly name: string;
  readonly about: string;
  readonly optional?: boolean;
  /** Takes all words that are left. */
  readonly many?: boolean;
  /** A person's own words: empty or full of control characters, it is kept as it is and shown made safe. */
  readonly text?: boolean;
  readonly choices?: readonly string[];
}

export interface Flag {
  readonly about: string;
  /** What it takes, as shown in help; nothing for a switch. */
  readonly takes?: string;
  /** Takes all words up to the next flag. */
  readonly many?: boolean;
  readonly text?: boolean;
  readonly choices?: readonly string[];
  /** Only a person says it: it is never offered to a model, whatever the configuration allows. */
  readonly byHand?: boolean;
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  /** For the first screen of help, where the summary is too long for it. */
  readonly brief?: string;
  /** An older spelling that goes on working and is not listed. */
  readonly old?: boolean;
  readonly args?: readonly Arg[];
  readonly flags?: Readonly<Record<string, Flag>>;
  readonly examples: readonly string[];
  /** Shown in `heddle help` under this heading. */
  readonly group: "run" | "look" | "steer" | "state" | "keep";
  /** Ends by Ctrl-C in its own time, because it watches `call.signal`. */
  readonly interruptible?: boolean;
  /** What it is as a tool, where some of its flags are always set. */
  readonly tools?: Readonly<Record<string, { readonly name: string; readonly about: string }>>;
  /** Only a person calls it: it is never a tool. */
  readonly byHand?: boolean;
  readonly run: (call: Call) => Promise<Reply> | Reply;
}

/** Commands that live in one file, which is loaded when one of them is called. */
export interface CommandFile {
  readonly load: () => object | Promise<object>;
  /** By their names, each with the name that it is exported by. */
  readonly commands: Readonly<Record<string, string>>;
  /** Where several runs are active, they are about those of their own protocol. */
  readonly aboutOwnRuns?: boolean;
}

/** What a command has to go on. */
export interface Call {
  readonly args: readonly string[];
  readonly flags: Flags;
  readonly root: string;
  /** The protocols that runs may follow. */
  readonly packs: Packs;
  /** Where journals are kept. */
  readonly journals: Journals;
  /** The project, opened at first use. */
  readonly app: () => Promise<App>;
  /** Every command there is: for help and completion. */
  readonly commands: () => Promise<readonly Command[]>;
  /** How a command is called on this surface. */
  readonly manner: Manner;
  /** Prints a line at once: for what goes on while the command runs. Silent with `--json`. */
  readonly say: (line: string) => void;
  /** Prints a line at once, whatever was asked for: for commands whose reply has no end. */
  readonly stream: (line: string) => void;
  readonly warn: (problem: Problem) => void;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Aborted by a second Ctrl-C. Only for commands that can end what they began; others end with the process. */
  readonly stopNow: () => AbortSignal;
  /** Where to draw what goes on, when somebody else has the terminal; otherwise a `Screen` of its own. */
  readonly screen?: () => Drawing;
  /** Who asks the person, when somebody else has the terminal (`prompts.ts`). */
  readonly ask?: Prompts;
}

export interface Flags {
  readonly has: (name: string) => boolean;
  readonly one: (name: string) => string | undefined;
  readonly all: (name: string) => readonly string[];
}

/** Whether one document was asked for, and nothing else may be printed. */
export const isJson = ({ flags }: Pick<Call, "flags">) => flags.has("json") || flags.one("format") === "json";

export interface Reply {
  /** For people; lines. */
  readonly text?: string;
  /** For programs: the one document that `--json` prints. */
  readonly json: unknown;
  readonly exit?: number;
  /** The text holds colours of ours, and everything else in it was made safe where it was put in. */
  readonly painted?: boolean;
}

export const exits = {
  done: 0,
  refused: 1,
  warned: 2,
  usage: 64,
  bug: 70,
  store: 74,
  interrupted: 130,
} as const;

/** Asked wrongly: the command was not tried. */
export class Usage extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

export function usageLine({ name, args = [], flags = {} }: Command): string {
  const words = args.map((arg) => {
    const shown = `${arg.choices?.join("|") ?? arg.name.toUpperCase()}${arg.many ? "…" : ""}`;
    return arg.optional ? `[${shown}]` : shown;
  });
  const options = Object.entries(flags).map(
    ([flag, { takes, many }]) => `[--${flag}${takes ? ` ${takes}${many ? "…" : ""}` : ""}]`,
  );
  return ["heddle", name, ...words, ...options].filter((word) => word !== "").join(" ");
}

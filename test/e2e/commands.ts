// Every command that the CLI itself lists, and words to call it with: a command that is added is tried like the rest.
import { heddle } from "./rig.ts";

export interface Arg {
  readonly name: string;
  readonly text?: boolean;
  readonly optional?: boolean;
  readonly many?: boolean;
  readonly choices?: readonly string[];
}

export interface Flag {
  readonly takes?: string;
  readonly many?: boolean;
  readonly choices?: readonly string[];
}

export interface Command {
  readonly name: string;
  readonly args?: readonly Arg[];
  readonly flags?: Readonly<Record<string, Flag>>;
  readonly examples: readonly string[];
}

export async function allCommands(): Promise<readonly Command[]> {
  return JSON.parse((await heddle(["help", "--json"])).out);
}

export const wordsOf = ({ name }: Pick<Command, "name">) => name.split(" ");

/** What a command needs although it does not say so of its arguments. */
const needed: Readonly<Record<string, readonly string[]>> = {
  "state record-verification": ["--verdict", "PASS", "--recommendation", "PROCEED"],
  "state checkpoint": ["T001"],
};

/** Words of the right shape; whether they make sense is another matter. */
export function callOf(command: Command, task = "T001"): string[] {
  return [...callWithArgs(command, task), ...(needed[command.name] ?? [])];
}

/** The arguments that a command says it needs, and no more. */
export function callWithArgs(command: Command, task = "T001"): string[] {
  const args = (command.args ?? []).filter((arg) => !arg.optional);
  return [...wordsOf(command), ...args.map((arg) => valueFor(arg, task))];
}

function valueFor({ name, choices }: Arg, task: string): string {
  if (choices) return choices[0] ?? "";
  if (isTask({ name })) return task;
  return (
    { input: "1", output: "1", cost: "0.5", protocol: "lifecycle", verdict: "READY" }[name] ?? "some-word"
  );
}

/** A task by its id; `heddle run` takes sentences under that name. */
export const isTask = ({ name, text }: Pick<Arg, "name" | "text">) =>
  !text && (name === "id" || name === "task");

/** Those that need no project: they make one, or speak of heddle itself. */
const free =
  /^(help|protocol .*|completion|demo|doctor|who|mcp|tune|task new|mission.*|init|state init|import tasker|restore)$/;
export const needsProject = ({ name }: Command) => !free.test(name);

/** A few at a time: as many as there are processors is fastest, and all at once proves nothing more. */
export async function eachOf<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let at = 0;
  const worker = async () => {
    while (at < items.length) {
      const mine = at++;
      results[mine] = await work(items[mine] as T);
    }
  };
  await Promise.all(Array.from({ length: 4 }, worker));
  return results;
}

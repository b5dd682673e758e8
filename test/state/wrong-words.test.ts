// Every argument of every state command wrong in turn (C14), generated from the command objects themselves: missing, one
// too many, an unknown flag, a value that is missing, empty, of the wrong kind, or full of control characters. Each is
// answered by an exit code that is not 0, one sentence, and a hint that can be typed; and not one fact is written.
import { mkdirSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { composition } from "../../src/cli/composition.ts";
import { allCommands } from "../../src/cli/registry.ts";
import { type Arg, type Call, type Command, type Flag, Usage } from "../../src/command/command.ts";
import { parse } from "../../src/command/parse.ts";
import type { Problem } from "../../src/core/problem.ts";
import type { App } from "../../src/engine/app.ts";
import { openApp } from "../../src/engine/open.ts";
import { inShell } from "../../src/view/hint.ts";
import { Project, plan } from "./desk.ts";

const others = ["log", "halt", "resume", "backup", "import tasker", "completion"];
const commands = (await allCommands()).filter(
  ({ name }) => name.startsWith("state ") || others.includes(name),
);

const project = new Project();
let app: App;
let before = 0;
const position = async () => app.journal.read(await app.run(), (run) => run.position);

beforeAll(async () => {
  await plan(project, { tasks: [{}, {}, {}] });
  await project.must("state", "start-task", "T001");
  mkdirSync(project.path("app"), { recursive: true });
  writeFileSync(project.path("app/a.ts"), "");
  app = await openApp({ root: project.root, ...composition, by: "test" });
  before = await position();
});
afterAll(() => app.close());

/** Words for which a command would do its work; `null` stands for one that has nothing to do here. */
function soundFor({ name }: Command, arg: Arg): string {
  if (arg.choices) return arg.choices[0] ?? "";
  const words: Readonly<Record<string, string>> = {
    id: name === "state complete-task" || name === "state fail-task" ? "T001" : "T002",
    input: "1",
    output: "2",
    cost: "0.5",
    verdict: "READY",
    level: "INFO",
    file: "app/a.ts",
    target: "app",
    word: "T002",
  };
  return words[arg.name] ?? "word";
}

const soundFlags: Readonly<Record<string, readonly string[]>> = {
  "state record-verification": ["--verdict", "PASS", "--recommendation", "PROCEED"],
};

interface Mistake {
  readonly what: string;
  readonly words: readonly string[];
}

/** A person's own words: any text will do. JSON is text as well, but not any. */
const isFree = (name: string, { text }: Arg | Flag) =>
  text === true && !["criteria", "quality", "tests"].includes(name);
const numbers = new Set(["input", "output", "cost", "attempt", "budget"]);

const ills: Readonly<Record<string, string>> = {
  empty: "",
  "a NUL": "T0\u000001",
  "an escape": "\u001b[31mT001",
  "a line end": "T001\nT002",
};

function mistakesOf(command: Command): Mistake[] {
  const args = command.args ?? [];
  const needed = args.filter((arg) => !arg.optional);
  const sound = needed.map((arg) => soundFor(command, arg));
  const flags = soundFlags[command.name] ?? [];
  const all = args.map((arg) => soundFor(command, arg));
  const mistakes: Mistake[] = [
    { what: "an unknown flag", words: [...sound, ...flags, "--nonsense"] },
    { what: "a letter as a flag", words: [...sound, ...flags, "-x"] },
    { what: "a format that is none", words: [...sound, ...flags, "--format", "xml"] },
  ];
  if (!args.at(-1)?.many) mistakes.push({ what: "a word too many", words: [...all, "T003", ...flags] });
  for (const at of needed.keys())
    mistakes.push({ what: `no ${needed[at]?.name}`, words: [...sound.slice(0, at), ...flags] });
  for (const [at, arg] of args.entries()) {
    if (isFree(arg.name, arg)) continue;
    const put = (word: string) => [...all.slice(0, at), word, ...sound.slice(at + 1), ...flags];
    for (const [ill, word] of Object.entries(ills))
      mistakes.push({ what: `${arg.name} ${ill}`, words: put(word) });
    for (const word of numbers.has(arg.name) ? ["x", "-1", "1e999", "0x", "NaN"] : [])
      mistakes.push({ what: `${arg.name} ${word}`, words: put(word) });
  }
  for (const [name, flag] of Object.entries(command.flags ?? {}))
    mistakes.push(
      ...flagMistakes(name, flag).map(({ what, words }) => ({ what, words: [...sound, ...flags, ...words] })),
    );
  return mistakes;
}

function flagMistakes(name: string, flag: Flag): Mistake[] {
  const { takes, many } = flag;
  if (takes === undefined) return [{ what: `--${name} with a value`, words: [`--${name}=yes`] }];
  const missing = { what: `--${name} without a value`, words: [`--${name}`] };
  if (isFree(name, flag)) return many ? [] : [missing];
  const wrong = numbers.has(name) ? { ...ills, letters: "x", less: "-1" } : ills;
  return [
    ...(many ? [] : [missing]),
    ...Object.entries(wrong).map(([ill, word]) => ({
      what: `--${name} ${ill}`,
      words: [`--${name}=${word}`],
    })),
  ];
}

/** What was refused with which problems; nothing when it was done. */
async function problemsOf(
  command: Command,
  words: readonly string[],
): Promise<readonly Problem[] | undefined> {
  const call: Omit<Call, "args" | "flags"> = {
    root: project.root,
    ...composition,
    manner: inShell,
    app: async () => app,
    commands: allCommands,
    say: () => {},
    stream: () => {},
    warn: () => {},
    signal: new AbortController().signal,
    stopNow: () => new AbortController().signal,
  };
  try {
    const { exit = 0 } = await command.run({ ...parse(command, words), ...call });
    return exit === 0 ? undefined : [];
  } catch (error) {
    if (error instanceof Usage) return [error.problem];
    if (error instanceof Error && "problems" in error) return error.problems as readonly Problem[];
    throw error;
  }
}

it("C14 there are hundreds of ways to be wrong", () => {
  expect(commands.flatMap(mistakesOf).length).toBeGreaterThan(300);
});

describe.each(commands.map((command) => [command.name, command] as const))("heddle %s", (_, command) => {
  it("C14 answers each wrong word with a sentence and a hint, and changes nothing", async () => {
    const faults: string[] = [];
    for (const { what, words } of mistakesOf(command)) {
      const problems = await problemsOf(command, words).catch((error: unknown) => String(error));
      const said = () => `${what}: ${JSON.stringify(words)} ${JSON.stringify(problems)}`;
      if (typeof problems === "string") faults.push(`threw, ${said()}`);
      else if (problems?.length !== 1) faults.push(`no sentence, ${said()}`);
      else if (!problems[0]?.hint) faults.push(`no hint, ${said()}`);
    }
    expect(faults).toEqual([]);
    expect(await position(), "a mistake has changed the state").toBe(before);
  });
});

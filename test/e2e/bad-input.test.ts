// Asked wrongly (C14, C15): every command with every kind of mistake. Exit code, one sentence on stderr, no trace of
// heddle's inside, one JSON document with `--json`, and a state that is as it was.
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { sample } from "../thorough.ts";
import {
  allCommands,
  type Command,
  callOf,
  callWithArgs,
  eachOf,
  isTask,
  needsProject,
  wordsOf,
} from "./commands.ts";
import { cli, ended, folder, heddle, type Options, type Project, type Ran, readyProject } from "./rig.ts";
import { expectWhole } from "./whole.ts";

const [refused, usage, store] = [1, 64, 74];

let commands: readonly Command[];
let project: Project;
let position: number;
beforeAll(async () => {
  commands = await allCommands();
  project = await readyProject({ tasks: 4 });
  position = (await project.status()).position;
});
afterEach(async () => {
  const before = position;
  position = (await expectWhole(project)).position;
  expect(position, "a mistake has changed the state").toBe(before);
});

/**
 * Words are read by one piece of code for all commands: every third command shows it, each mistake on other ones.
 * `HEDDLE_THOROUGH=1` tries them all.
 */
const some = (which: number) => sample(commands, 3, which);

interface Mistake {
  readonly words: readonly string[];
  readonly options?: Options;
  readonly exits: readonly number[];
}

/** What is wrong with how a mistake was answered; nothing when all is well. */
async function faultOf({ words, options, exits }: Mistake): Promise<string | undefined> {
  const ran = await heddle(words, { cwd: project.root, ...options });
  const fault = faultIn(ran, exits);
  return fault && `heddle ${words.map((word) => JSON.stringify(word).slice(0, 60)).join(" ")}: ${fault}`;
}

function faultIn({ code, err, out }: Ran, exits: readonly number[]): string | undefined {
  const said = `exit ${code}: ${err.slice(0, 300)}`;
  if (code === null || !exits.includes(code)) return `${exits.join(" or ")} expected, ${said}`;
  if (/^ {4}at |heddle has a bug|node:internal/m.test(err)) return `a trace, ${said}`;
  if ((err.match(/^error: /gm) ?? []).length !== 1) return `not one error, ${said}`;
  if (/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/.test(err + out))
    return `control characters, ${JSON.stringify(err)}`;
  return undefined;
}

async function faultsOf(mistakes: readonly Mistake[]): Promise<string[]> {
  expect(mistakes.length).toBeGreaterThan(0);
  return (await eachOf(mistakes, faultOf)).filter((fault) => fault !== undefined);
}

/**
 * A script must be able to tell a halt, which is exit 1, from a state that cannot be read (defect 18). A command that
 * could make a project may ask for what it needs first.
 */
const absent = ({ name }: Command) => (name === "state check-halt" ? [store] : [refused, usage]);

describe("every command", () => {
  it("C14 with a flag that it does not have: exit 64 and the flag's name", async () => {
    const mistakes = some(0).map((each) => ({ words: [...callOf(each), "--no-such-flag"], exits: [usage] }));
    expect(await faultsOf(mistakes)).toEqual([]);
  });

  it("C14 with a flag whose value is missing: exit 64", async () => {
    const mistakes = some(0).flatMap((each) =>
      [
        "dir",
        ...Object.entries(each.flags ?? {}).flatMap(([name, { takes, many }]) =>
          takes && !many ? [name] : [],
        ),
      ].map((flag) => ({ words: [...callOf(each), `--${flag}`], exits: [usage] })),
    );
    expect(await faultsOf(mistakes)).toEqual([]);
  });

  it("C14 with a value for a flag that takes none: exit 64", async () => {
    const mistakes = some(1).map((each) => ({ words: [...callOf(each), "--json=yes"], exits: [usage] }));
    expect(await faultsOf(mistakes)).toEqual([]);
  });

  it("C14 without an argument that it needs: exit 64 and what is missing", async () => {
    const mistakes = some(2).flatMap((each) => {
      const needed = (each.args ?? []).filter((arg) => !arg.optional).length;
      const whole = callWithArgs(each);
      return Array.from({ length: needed }, (_, at) => ({
        words: whole.slice(0, whole.length - 1 - at),
        exits: [usage],
      }));
    });
    expect(await faultsOf(mistakes)).toEqual([]);
  });

  it("C14 with an argument too many: exit 64 and the argument", async () => {
    const mistakes = some(2)
      .filter(({ args = [] }) => !args.at(-1)?.many)
      .map((each) => {
        const optional = (each.args ?? []).filter((arg) => arg.optional).map(() => "T001");
        return { words: [...callOf(each), ...optional, "one-more"], exits: [usage] };
      });
    expect(await faultsOf(mistakes)).toEqual([]);
  });

  it("C14 with a word that is not among the choices: exit 64 and the choices", async () => {
    const ofFlags = commands.flatMap((each) =>
      Object.entries(each.flags ?? {})
        .filter(([, { choices }]) => choices)
        .map(([flag]) => ({ words: [...callOf(each), `--${flag}`, "no-such-choice"], exits: [usage] })),
    );
    const ofArgs = commands
      .filter(({ args = [] }) => args[0]?.choices)
      .map((each) => ({
        words: [...wordsOf(each), "no-such-choice", ...callOf(each).slice(wordsOf(each).length + 1)],
        exits: [usage],
      }));
    const format = { words: ["status", "--format", "xml"], exits: [usage] };
    expect(await faultsOf([...ofFlags, ...ofArgs, format])).toEqual([]);
  });

  it("C14 in a directory without a project, and without a home: exit 1, and nothing is made there", async () => {
    const empty = folder();
    const env = { HOME: undefined, PATH: undefined };
    const mistakes = some(1)
      .filter(needsProject)
      .map((each) => ({ words: callOf(each), options: { cwd: empty, env }, exits: absent(each) }));
    expect(await faultsOf(mistakes)).toEqual([]);
    expect(readdirSync(empty)).toEqual([]);
  });

  it("C14 for a directory that does not exist: exit 1, and it is not made", async () => {
    const nowhere = join(folder(), "not/there");
    const mistakes = some(2)
      .filter(needsProject)
      .map((each) => ({ words: [...callOf(each), "--dir", nowhere], exits: absent(each) }));
    expect(await faultsOf(mistakes)).toEqual([]);
  });

  it("C14 for a directory that is a file: one sentence", async () => {
    const file = join(folder(), "file");
    writeFileSync(file, "not a directory");
    const mistakes = some(0)
      .filter((each) => needsProject(each) || each.name === "init")
      .map((each) => ({ words: [...callOf(each), "--dir", file], exits: [refused, usage, store] }));
    expect(await faultsOf(mistakes)).toEqual([]);
  });

  it("C14 for a run that does not exist: exit 1", async () => {
    const mistakes = some(1)
      .filter(needsProject)
      .filter(({ name }) => !/^(verify|backup|log|doctor|runs.*)$/.test(name))
      .map((each) => ({ words: [...callOf(each), "--run", "plan-99"], exits: [refused, usage, store] }));
    expect(await faultsOf(mistakes)).toEqual([]);
  });

  it("C15 gives one JSON document with --json, whatever the outcome", async () => {
    const empty = folder();
    const wrong = await eachOf(
      some(2)
        .filter(needsProject)
        .flatMap((each) => [
          { words: [...callOf(each), "--json"], cwd: empty },
          { words: [...callOf(each), "--json", "--no-such-flag"], cwd: project.root },
        ]),
      async ({ words, cwd }) => {
        const { out, code } = await heddle(words, { cwd });
        try {
          const document = JSON.parse(out);
          return document.ok === false && document.problems.length > 0 && code !== 0
            ? undefined
            : `${words}: ${out}`;
        } catch {
          return `${words.join(" ")}: exit ${code}, ${JSON.stringify(out.slice(0, 100))}`;
        }
      },
    );
    expect(wrong.filter((each) => each !== undefined)).toEqual([]);
  });

  it("C15 explains itself with --help, exit 0", async () => {
    const wrong = await eachOf(some(0), async (each) => {
      const { code, out, err } = await heddle([...wordsOf(each), "--help"], { cwd: project.root });
      const fine = code === 0 && err === "" && out.includes(`usage: heddle ${each.name}`);
      return fine && out.includes(each.examples[0] ?? "no example") ? [] : [each.name];
    });
    expect(wrong.flat()).toEqual([]);
  });
});

const strangeIds = [
  "T999",
  "",
  " ",
  "t001",
  "T001 ",
  "T1",
  "../../x",
  "/etc/passwd",
  "T001\nT002",
  "T\u001b[31m001\u0007",
  "T\u202e100",
  "__proto__",
  "constructor",
  "日本語🧵",
  "'; drop table task; --",
  "T".repeat(20_000),
];

/** One that cannot be a name at all is asked wrongly; one that might be is refused. */
const exitsFor = (id: string) => [id === "" || /[\u0000-\u001f\u007f]/.test(id) ? usage : refused];

describe("a task that does not exist", () => {
  it("C14 is refused by every command that takes one, in one sentence without control characters", {
    timeout: 90_000,
  }, async () => {
    const takers = commands.filter(({ args = [] }) => args.some(isTask));
    const mistakes = takers.flatMap((each) =>
      (each.name === "state start-task" ? strangeIds : strangeIds.filter((_, at) => at % 3 === 0)).map(
        (id) => ({
          words: callWith(each, id),
          exits: exitsFor(id),
        }),
      ),
    );
    expect(await faultsOf(mistakes)).toEqual([]);
  });

  it("C14 is refused by history --task", async () => {
    const mistakes = strangeIds.map((id) => ({ words: ["history", `--task=${id}`], exits: exitsFor(id) }));
    expect(await faultsOf(mistakes)).toEqual([]);
  });

  it("C14 is answered with the one that was meant, when it is close", async () => {
    const { err } = await project.state("start-task", "T01");
    expect(err).toContain("did you mean `T001`?");
  });
});

/** The task is the only thing that is wrong. */
function callWith(command: Command, id: string): string[] {
  const words = callOf(command, id);
  return command.args?.some((arg) => isTask(arg) && arg.optional) ? [...words, id] : words;
}

describe("words that mean nothing", () => {
  const mistakes: readonly (readonly [number[], ...string[]])[] = [
    [[usage], "no-such-command"],
    [[usage], "statsu"],
    [[usage], "status", "-x"],
    [[usage], "-x"],
    [[usage], "state", "no-such-command"],
    [[usage], "protocol", "no-such-command"],
    [[usage], "help", "no-such-command"],
    [[usage], "\u001b[31mred"],
    [[usage], "__proto__"],
    [[usage], "constructor"],
    [[usage], "toString"],
    [[usage], "replay", "--at", "0"],
    [[usage], "replay", "--at", "-1"],
    [[usage], "replay", "--at=-1"],
    [[usage], "replay", "--at", "1.5"],
    [[usage], "replay", "--at", "many"],
    [[usage], "replay", "--at", ""],
    [[usage], "replay", "--at", "9".repeat(400)],
    [[refused], "replay", "--at", "99999"],
    [[refused], "protocol", "show", "no-such-protocol"],
    [[refused], "protocol", "show", "__proto__"],
    [[refused], "protocol", "check", "constructor"],
    [[refused], "next", "--override", ""],
    [[refused], "next", "--override", "why not", "--to", "no-such-phase"],
    [[refused], "next", "--override", "why not", "--to", "complete"],
    [[refused], "next", "--override", "why not", "--to", "__proto__"],
    [[refused, usage], "next", "--to", "executing"],
    [[refused], "answer", "q1", "yes"],
    [[refused], "answer", "__proto__", "yes"],
    [[refused], "resume"],
    [[refused], "state", "confirm-halt"],
    [[refused, usage], "state", "validate-tasks", "PERHAPS"],
    [[usage], "state", "fail-task", "T001", "red", "--retryable", "--no-retry"],
    [[usage, refused], "resume", "--budget", "much"],
    [[usage, refused], "resume", "--budget", "-5"],
    [[usage, refused], "init", ""],
    [[usage, refused], "init", "a\nb"],
    [[refused], "init", "app"],
    [[refused], "state", "init", "app"],
    [[refused], "state", "complete-task", "T001"],
    [[refused], "state", "fail-task", "T001", "red"],
    [[refused], "state", "retry-task", "T001"],
  ];
  it("C14 are refused, each with its exit code and one sentence", async () => {
    expect(await faultsOf(mistakes.map(([exits, ...words]) => ({ words, exits })))).toEqual([]);
  });

  it("C14 numbers that are none are refused where tokens and cost are counted", async () => {
    const bad = ["many", "-1", "NaN", "Infinity", "1e999", "", "1,5"];
    const words = bad.flatMap((each) => [
      ["state", "log-tokens", "s", each, "1", "1"],
      ["state", "log-tokens", "s", "1", each, "1"],
      ["state", "log-tokens", "s", "1", "1", each],
    ]);
    expect(await faultsOf(words.map((each) => ({ words: each, exits: [usage, refused] })))).toEqual([]);
  });

  it("C14 JSON that is none is refused where a verification is recorded", async () => {
    const base = ["state", "record-verification", "T001", "--verdict", "PASS", "--recommendation", "PROCEED"];
    const words = ["{", "nothing", "", "[1,"].map((json) => [...base, "--criteria", json]);
    const verdicts = [
      ["state", "record-verification", "T001", "--verdict", "MAYBE", "--recommendation", "PROCEED"],
      ["state", "record-verification", "T001", "--verdict", "PASS", "--recommendation", "WAIT"],
      ["state", "record-verification", "T001"],
    ];
    const mistakes = [...words, ...verdicts].map((each) => ({ words: each, exits: [usage, refused] }));
    expect(await faultsOf(mistakes)).toEqual([]);
  });
});

describe("a place where no command can work", () => {
  it("C14 a directory that was deleted while one stood in it: one sentence", async () => {
    const gone = join(folder(), "gone");
    mkdirSync(gone);
    const script = `cd ${gone} && rmdir ${gone} && exec ${process.execPath} ${cli} status`;
    const ran = await ended(spawn("sh", ["-c", script], { env: { PATH: process.env.PATH } }));
    expect(faultIn(ran, [refused, usage, store])).toBeUndefined();
  });

  it("C14 a reader that goes away early: no error, no trace", async () => {
    const script = `${process.execPath} ${cli} help | head -1; exec ${process.execPath} ${cli} history --all | head -1`;
    const ran = await ended(
      spawn("sh", ["-c", script], { cwd: project.root, env: { PATH: process.env.PATH } }),
    );
    expect(ran).toMatchObject({ code: 0, err: "" });
  });

  it("C14 the directory above is the project's: commands work from anywhere inside it", async () => {
    const inside = project.path("project-planning/tasks");
    expect((await heddle(["status", "--json"], { cwd: inside })).code).toBe(0);
    const elsewhere = folder();
    for (const options of [
      { cwd: elsewhere, env: { HEDDLE_DIR: project.root } },
      { cwd: inside, env: { HEDDLE_DIR: "" } },
    ])
      expect((await heddle(["status"], options)).code).toBe(0);
    expect((await heddle(["status", "--dir", elsewhere], { env: { HEDDLE_DIR: project.root } })).code).toBe(
      1,
    );
  });
});

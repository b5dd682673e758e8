// Every argument wrong in turn (C14): one sentence on stderr, an exit code that says whose mistake it was, and not one
// fact more than before. The commands are those of the state reference and its surroundings.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectNoTrace, expectOneError, folder, heddle, Project, plan } from "./desk.ts";

const project = new Project();
const shelf = folder("heddle-shelf-");
let before = 0;

beforeAll(async () => {
  await plan(project, { tasks: [{}, {}, {}] });
  await project.must("state", "start-task", "T001");
  await project.must("state", "start-task", "T002");
  await project.must("state", "complete-task", "T002");
  before = (await project.history()).length;
});

afterAll(async () => {
  expect((await project.history()).length).toBe(before);
});

/** Words that every command gets wrong. */
const always = ["--nonsense", "--format xml"];
const unknownTask = 1;
const usage = 64;

/** Command, and its wrong calls with the exit code of each; blanks part words. */
const wrong: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  "state init": { "": usage, "a b": usage, other: 1, "other --stack": usage },
  "state status": { extra: usage, "-x": usage, "--dir": usage, "--jsom": usage },
  "state advance": { extra: usage, "--force": usage },
  "state load-tasks": { extra: usage },
  "state validate": {
    "": usage,
    capability: usage,
    CAPABILITY_MAP: usage,
    "capability_map physical_map": usage,
  },
  "state validate-tasks": { "": usage, PERHAPS: usage, "--issues a b": usage },
  "state ready-tasks": { T001: usage },
  "state start-task": {
    "": usage,
    T999: unknownTask,
    t003: unknownTask,
    "T003 T001": usage,
    T002: 1,
    T001: 1,
  },
  "state complete-task": {
    "": usage,
    T999: unknownTask,
    T003: 1,
    T002: 1,
    "T001 src/a.ts": usage,
    "--created a": usage,
  },
  "state fail-task": {
    "": usage,
    T001: usage,
    "T999 red": unknownTask,
    "T003 red": 1,
    "T001 red --category odd": usage,
    "T001 red --category": usage,
    "T001 red --retryable --no-retry": usage,
  },
  "state retry-task": { "": usage, T999: unknownTask, T003: 1, T002: 1, "T001 T002": usage },
  "state skip-task": { "": usage, T999: unknownTask, T001: 1, T002: 1 },
  "state commit-task": { "": usage, T999: unknownTask, T003: 1, T002: 1, "T002 T001": usage },
  "state log-tokens": {
    "": usage,
    s: usage,
    "s 1 2": usage,
    "s x 2 3": usage,
    "s 1 2 3 4": usage,
    "s 1 2 -3": usage,
  },
  "state record-verification": {
    "": usage,
    T001: usage,
    "T001 --verdict PASS": usage,
    "T001 --recommendation BLOCK": usage,
    "T001 --verdict GOOD --recommendation BLOCK": usage,
    "T001 --verdict PASS --recommendation GO": usage,
    "T001 --verdict PASS --recommendation BLOCK --criteria {": usage,
    "T999 --verdict PASS --recommendation BLOCK": unknownTask,
  },
  "state record-calibration": {
    "": usage,
    T001: usage,
    "T001 wrong": usage,
    "T999 correct": unknownTask,
    "T001 correct": 1,
  },
  "state calibration-score": { extra: usage },
  "state metrics": { extra: usage },
  "state planning-metrics": { extra: usage },
  "state failure-metrics": { extra: usage },
  "state spec-coverage": { extra: usage },
  "state prepare-rollback": {
    "": usage,
    T001: usage,
    "T999 a.ts": unknownTask,
    "T001 ../a.ts": 1,
    "T001 /etc/passwd": 1,
  },
  "state verify-rollback": { "": usage, T999: unknownTask, T001: 1, "T001 a.ts": usage },
  "state halt": { "--now": usage },
  "state check-halt": { extra: usage },
  "state confirm-halt": { extra: usage, "": 1 },
  "state halt-status": { extra: usage },
  "state resume": { extra: usage, "": 1, "--budget 5": usage },
  resume: { extra: usage, "": 1, "--budget much": usage, "--budget": usage },
  "state checkpoint": {
    "": usage,
    begin: usage,
    create: usage,
    "create T999": unknownTask,
    update: usage,
    "update T001": usage,
    "update T001 done": usage,
    "update T001 success": 1,
    complete: 1,
  },
  "state adopt": { "": 1, "--reason": usage, extra: usage },
  "state restore": { extra: usage },
  "state export": { "a b": usage },
  log: { "": usage, INFO: usage, "INFO a": usage, "INFO a b": usage, "LOUD a b c": usage },
  backup: { "": usage, "a b": usage },
  restore: { "": usage, "a b": usage, [`${shelf}/nothing`]: 1 },
  "import tasker": { "": usage, "a b": usage, project_planning: 1 },
  completion: { "": usage, tcsh: usage, "bash zsh": usage },
};

const words = (line: string) => line.split(" ").filter((word) => word !== "");

describe.each(Object.entries(wrong))("heddle %s", (command, calls) => {
  it("C14 says in one sentence what is wrong with each of its wrong calls", async () => {
    const tried = [...Object.entries(calls), ...always.map((flag) => [flag, usage] as const)];
    const ran = await Promise.all(tried.map(([line]) => project.heddle(...words(command), ...words(line))));
    const codes = tried.map(([line], at) => [line, ran[at]?.code]);
    expect(Object.fromEntries(codes)).toEqual(Object.fromEntries(tried));
    for (const each of ran) {
      expectOneError(each);
      expect(each.out).toBe("");
    }
  });
});

describe("without a project", () => {
  const bare = folder("heddle-bare-");
  const sound: Readonly<Record<string, string>> = {
    "state validate": "capability_map",
    "state validate-tasks": "READY",
    "state start-task": "T001",
    "state complete-task": "T001",
    "state fail-task": "T001 red",
    "state retry-task": "T001",
    "state skip-task": "T001",
    "state commit-task": "T001",
    "state log-tokens": "s 1 2 3",
    "state record-verification": "T001 --verdict PASS --recommendation PROCEED",
    "state record-calibration": "T001 correct",
    "state prepare-rollback": "T001 a.ts",
    "state verify-rollback": "T001",
    "state checkpoint": "status",
    log: "INFO a b c",
    backup: `${shelf}/x.db`,
  };
  const others = {
    "state init": null,
    restore: null,
    "import tasker": null,
    completion: null,
    "state check-halt": null,
  };
  const commands = Object.keys(wrong).filter((command) => !(command in others));

  it.each(commands)(
    "C14 heddle %s says that there is none, and how to begin (defect 14)",
    async (command) => {
      const ran = await heddle([...words(command), ...words(sound[command] ?? "")], { cwd: bare });
      expect(ran.code, ran.out).toBe(1);
      expectOneError(ran);
      expect(ran.err).toMatch(
        /there is no heddle project in .*\nhint: heddle run "<task>", .*heddle init <target>/,
      );
    },
  );

  it("C10 state check-halt does not say `halted`: its exit code is the store's (defect 18)", async () => {
    const ran = await heddle(["state", "check-halt"], { cwd: bare });
    expect(ran.code).toBe(74);
    expectOneError(ran);
  });
});

describe("with --json", () => {
  it("C15 a mistake is a document as well, with the same exit code", async () => {
    for (const [line, code] of [
      ["state start-task T999 --json", 1],
      ["state start-task --json", 64],
      ["state log-tokens s x 2 3 --format json", 64],
      ["state validate-tasks --jsom --json", 64],
    ] as const) {
      const ran = await project.heddle(...words(line));
      expect(ran.code, line).toBe(code);
      expect(JSON.parse(ran.out)).toMatchObject({ ok: false, problems: [{ message: expect.any(String) }] });
      expectNoTrace(ran);
    }
  });
});

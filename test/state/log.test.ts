// The activity logs (C11): `heddle log`, a line per fact, and nothing in the text that a terminal would obey.
import { mkdirSync, rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { desk, expectDone, expectNoTrace, expectRefused, expectUsage, Project, plan, read } from "./desk.ts";

const project = desk((each) => plan(each, { tasks: [{}, {}] }));
const log = (...words: readonly string[]) => project.heddle("log", ...words);
const lines = () => read(project, ".heddle/logs/activity.log").trimEnd().split("\n");
const documents = () =>
  read(project, ".heddle/logs/activity.jsonl")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

const format =
  /^\[(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)\] \[(INFO|WARN|ERROR)\] \[([^\]]*)\] ([^:]*): (.*)$/;

describe("heddle log", () => {
  it("C11 appends a line to the text and to the JSON lines, and prints nothing", async () => {
    expectDone(await log("INFO", "task-executor", "decision", "a Map,", "because ids vary"), "");
    expect(format.exec(lines().at(-1) ?? "")?.slice(2)).toEqual([
      "INFO",
      "task-executor",
      "decision",
      "a Map, because ids vary",
    ]);
    expect(documents().at(-1)).toEqual({
      at: expect.stringMatching(/Z$/),
      level: "INFO",
      agent: "task-executor",
      event: "decision",
      message: "a Map, because ids vary",
    });
  });

  it("C15 --json answers with the line", async () => {
    expect(JSON.parse((await log("WARN", "a", "warning", "careful", "--json")).out)).toMatchObject({
      level: "WARN",
      message: "careful",
    });
  });

  it("C11 control characters, new lines and direction marks of an agent are shown, not obeyed", async () => {
    const nasty =
      "one\u001b[2J\u001b]0;title\u0007two\r\n[2026-01-01T00:00:00.000Z] [INFO] [heddle] forged: x\u202e\u009b";
    const before = lines().length;
    await log("ERROR", "ag\nent", "ev\u001bent", nasty);
    expect(lines()).toHaveLength(before + 1);
    const line = lines().at(-1) ?? "";
    expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
    expect(line).toMatch(/\\u001b\[2J/);
    expect(documents().at(-1)).toMatchObject({ agent: "ag\nent", message: nasty });
  });

  it("C4 C11 thirty agents at once lose no line and mix none", async () => {
    const before = lines().length;
    const said = Array.from({ length: 30 }, (_, at) => `line ${at} ${"x".repeat(at * 50)}`);
    const ran = await Promise.all(said.map((message) => log("INFO", "agent", "tool", message)));
    expect(ran.every(({ code }) => code === 0)).toBe(true);
    const messages = (list: readonly (string | undefined)[]) => list.toSorted();
    expect(
      messages(
        lines()
          .slice(before)
          .map((line) => format.exec(line)?.[5]),
      ),
    ).toEqual(messages(said));
    expect(
      messages(
        documents()
          .slice(before)
          .map(({ message }) => message),
      ),
    ).toEqual(messages(said));
  });

  it("C14 a wrong level, a missing message and a directory without a project are said in one sentence", async () => {
    expectUsage(await log("DEBUG", "a", "b", "c"), /`DEBUG` is not a level/);
    expectUsage(await log("INFO", "a", "b"), /needs what to say/);
    expectRefused(await new Project().heddle("log", "INFO", "a", "b", "c"), /no heddle project/);
  });

  it("C14 a log that cannot be written is said in one sentence", async () => {
    rmSync(project.path(".heddle/logs/activity.log"));
    mkdirSync(project.path(".heddle/logs/activity.log"));
    const ran = await log("INFO", "a", "b", "c");
    expect([1, 74], ran.err).toContain(ran.code);
    expectNoTrace(ran);
  });
});

describe("what heddle logs by itself", () => {
  const work = [
    ["state", "start-task", "T001"],
    ["state", "fail-task", "T001", "red\u001b[31m", "--category", "test"],
    ["state", "start-task", "T001"],
    ["state", "complete-task", "T001"],
    ["state", "validate", "capability_map"],
    ["halt", "lunch"],
    ["resume"],
    ["state", "skip-task", "T002", "by hand"],
    ["state", "advance"],
  ];

  it("C11 has one line per fact, in both files, in the order of the history", async () => {
    for (const words of work) await project.must(...words);
    const facts = await project.json("history");
    const logged = documents();
    expect(logged.map(({ position }) => position)).toEqual(
      facts.map(({ position }: { position: number }) => position),
    );
    expect(lines()).toHaveLength(facts.length);
    for (const line of lines()) expect(line).toMatch(format);
    expect(lines().map((line) => format.exec(line)?.[1])).toEqual(facts.map(({ at }: { at: string }) => at));
  });

  it("C11 names phase-transition, spawn, task-result, validation and decision, at their levels", async () => {
    for (const words of work) await project.must(...words);
    const kinds = new Set(documents().map(({ level, event }) => `${level} ${event}`));
    for (const kind of [
      "INFO phase-transition",
      "INFO spawn",
      "ERROR task-result",
      "INFO task-result",
      "INFO validation",
      "WARN halt",
      "INFO resume",
      "WARN decision",
    ])
      expect(kinds).toContain(kind);
  });

  it("C11 is written again where it was lost", async () => {
    rmSync(project.path(".heddle/logs"), { recursive: true });
    mkdirSync(project.path(".heddle/logs"));
    await project.must("state", "start-task", "T001");
    expect(lines()).toHaveLength((await project.json("history")).length);
  });
});

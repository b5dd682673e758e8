import { describe, expect, it } from "vitest";
import { checkTasks } from "../../src/packs/decomposition/checks/check-tasks.ts";
import { codes, fileOf, task, taskFiles } from "./samples.ts";

const behaviours = new Set(["B1", "B2"]);

function check(...tasks: readonly { readonly id: string }[]) {
  return checkTasks({ files: taskFiles(...tasks), behaviours });
}

describe("checkTasks", () => {
  it("D10 accepts tasks that are right and gives them back", () => {
    const { problems, warnings, tasks } = check(task("T001"), task("T002", ["T001"]));
    expect([...problems, ...warnings]).toEqual([]);
    expect(tasks.map((one) => one.task.id)).toEqual(["T001", "T002"]);
  });

  it("D10 accepts a task with nothing but what is required", () => {
    const { context, dependencies, estimate_hours, phase, ...least } = task("T001");
    expect(check(least).problems).toEqual([]);
  });

  it("D10 reports the mistakes of all files at once, each with file, pointer and line", () => {
    const broken = { file: "tasks/T003.json", text: '{\n  "id": "T003",,\n}' };
    const files = [
      ...taskFiles(
        task("T001", ["T9"], { behaviors: [] }),
        task("T002", ["T001", "T003"], {
          acceptance_criteria: [{ criterion: "ok", verification: "echo 'a" }],
        }),
      ),
      broken,
    ];
    expect(checkTasks({ files, behaviours }).problems).toMatchObject([
      { code: "out-of-range", place: { file: "tasks/T001.json", pointer: "/behaviors", line: 12 } },
      { code: "not-json", place: { file: "tasks/T003.json", line: 2, column: 16 } },
      { code: "unknown-task", place: { file: "tasks/T001.json", pointer: "/dependencies/tasks/0" } },
      {
        code: "bad-command",
        place: { file: "tasks/T002.json", pointer: "/acceptance_criteria/0/verification" },
      },
    ]);
  });

  it("D10 suggests the task that was meant", () => {
    const { problems } = check(task("T001"), task("T014", ["T0001"]));
    expect(problems).toMatchObject([
      {
        code: "unknown-task",
        message: "task `T014` depends on unknown task `T0001`",
        place: { source: '      "T0001"', column: 7, length: 7 },
        hint: "did you mean `T001`?",
      },
    ]);
  });

  it("D10 refuses a task that depends on itself", () => {
    expect(codes(check(task("T001", ["T001"])).problems)).toEqual(["self-dependency"]);
  });

  it("D10 refuses two files with one id", () => {
    const files = [fileOf(task("T001"), "tasks/T001.json"), fileOf(task("T001"), "tasks/copy.json")];
    expect(checkTasks({ files, behaviours }).problems).toMatchObject([
      { code: "duplicate-id", place: { file: "tasks/copy.json", pointer: "/id" } },
    ]);
  });

  it.each(["tasks/login.json", "tasks/T009.json", "tasks/t001.json"])(
    "D22 refuses a file whose name is not its id: %s",
    (name) => {
      expect(checkTasks({ files: [fileOf(task("T001"), name)], behaviours }).problems).toMatchObject([
        { code: "misnamed-file", hint: "name the file `T001.json`" },
      ]);
    },
  );

  it("D10 names unknown behaviours when the known ones are given", () => {
    const tasks = taskFiles(task("T001", [], { behaviors: ["B1", "B02", "B9"] }));
    expect(checkTasks({ files: tasks, behaviours }).problems).toMatchObject([
      { code: "unknown-behaviour", place: { pointer: "/behaviors/1" }, hint: "did you mean `B2`?" },
      { code: "unknown-behaviour", place: { pointer: "/behaviors/2" } },
    ]);
    expect(checkTasks({ files: tasks, behaviours: undefined }).problems).toEqual([]);
  });

  it("D10 accepts a map of behaviours as well as a set", () => {
    expect(
      checkTasks({ files: taskFiles(task("T001")), behaviours: new Map([["B1", {}]]) }).problems,
    ).toEqual([]);
  });

  it.each(["echo 'a", "echo $(date", "  # by hand", "echo \u001b[2J", "npm test && \u202etset"])(
    "D10 refuses the command %j",
    (verification) => {
      const { problems } = check(
        task("T001", [], { acceptance_criteria: [{ criterion: "ok", verification }] }),
      );
      expect(codes(problems)).toEqual(["bad-command"]);
    },
  );

  it("D10 accepts a command of several lines", () => {
    const verification = "set -e\n\tnpm test\n";
    expect(
      check(task("T001", [], { acceptance_criteria: [{ criterion: "ok", verification }] })).problems,
    ).toEqual([]);
  });

  it("D10 refuses paths outside the target", () => {
    const files = ["../x", "/x", ".git/x"].map((path) => ({ path, action: "create" }));
    expect(codes(check(task("T001", [], { files })).problems)).toEqual(Array(3).fill("outside-target"));
  });

  it.each([
    { name: "red \u001b[31m" },
    { name: "\u202eevil" },
    { name: "c1 \u009b" },
    { name: "two\nlines" },
    { files: [{ path: "src/a\u0007.ts", action: "create" }] },
  ])("D10 refuses control characters in %j, once", (change) => {
    const { problems } = check(task("T001", [], change));
    expect(codes(problems)).toEqual(["wrong-value"]);
    expect(problems[0]?.message).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
  });

  it("D10 names every mistake in a task whose shape is wrong", () => {
    const wrong = { ...task("T001", ["T7"]), name: 5, files: [{ path: "/x", action: "create" }] };
    expect(codes(check(wrong).problems)).toEqual(["wrong-type", "unknown-task", "outside-target"]);
  });

  it.each(["create", "modify", "delete", "extend"])("D9 accepts the action `%s`", (action) => {
    expect(check(task("T001", [], { files: [{ path: "a.ts", action }] })).problems).toEqual([]);
  });

  it("D9 asks for at least one acceptance criterion", () => {
    expect(check(task("T001", [], { acceptance_criteria: [] })).problems).toMatchObject([
      { code: "out-of-range", place: { pointer: "/acceptance_criteria" } },
    ]);
  });

  it("D9 warns of tasks that are too large, and accepts them", () => {
    const files = ["a.ts", "b.ts", "c.ts", "d.ts"].map((path) => ({ path, action: "create" }));
    const { problems, warnings } = check(task("T001", [], { files, estimate_hours: 9 }));
    expect(problems).toEqual([]);
    expect(codes(warnings)).toEqual(["too-many-files", "odd-size"]);
  });

  it("D9 does not count tests as implementation files", () => {
    const paths = ["a.ts", "b.ts", "c.ts", "test/a.ts", "src/b.test.ts", "tests/test_c.py"];
    const files = paths.map((path) => ({ path, action: "create" }));
    expect(check(task("T001", [], { files })).warnings).toEqual([]);
  });

  it("D9 warns of a task that spans layers", () => {
    const files = [
      { path: "a.ts", action: "create", layer: "api" },
      { path: "b.ts", action: "create", layer: "data" },
      { path: "c.ts", action: "create", layer: "test" },
    ];
    expect(codes(check(task("T001", [], { files })).warnings)).toEqual(["several-layers"]);
  });

  it("D10 is not led astray by a `__proto__` key", () => {
    const text = JSON.stringify(task("T001")).replace("{", '{"__proto__": {"phase": 7}, ');
    const { tasks } = checkTasks({ files: [{ file: "tasks/T001.json", text }], behaviours });
    expect(tasks[0]?.task.phase).toBe(1);
  });
});

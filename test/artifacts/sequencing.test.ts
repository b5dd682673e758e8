import { describe, expect, it } from "vitest";
import {
  checkSequencing,
  sequencingWarnings,
} from "../../src/packs/decomposition/checks/check-sequencing.ts";
import { checkTasks } from "../../src/packs/decomposition/checks/check-tasks.ts";
import { codes, type SampleTask, task, taskFiles } from "./samples.ts";

function problemsOf(...tasks: readonly SampleTask[]) {
  return checkSequencing(checkTasks({ files: taskFiles(...tasks), behaviours: undefined }).tasks);
}

const feature = { context: { steel_thread: false } };

describe("checkSequencing", () => {
  it("D15 accepts dependencies in the same and in earlier phases", () => {
    expect(problemsOf(task("T1"), task("T2", ["T1"]), task("T3", ["T2"], { phase: 2 }))).toEqual([]);
  });

  it("D15 refuses a dependency in a later phase", () => {
    expect(problemsOf(task("T1", [], { phase: 3 }), task("T2", ["T1"], { phase: 2 }))).toMatchObject([
      {
        code: "later-dependency",
        message: "task `T2` of phase 2 depends on `T1` of phase 3, which comes later",
        place: { file: "tasks/T2.json", pointer: "/dependencies/tasks/0" },
      },
    ]);
  });

  it("D15 asks for a phase in every task", () => {
    const { phase, ...rest } = task("T2", ["T1"]);
    expect(problemsOf(task("T1"), rest)).toMatchObject([
      { code: "no-phase", place: { file: "tasks/T2.json" } },
    ]);
  });

  it("D15 asks for a steel thread", () => {
    expect(codes(problemsOf(task("T1", [], feature), task("T2", [], { context: {} })))).toEqual([
      "no-steel-thread",
    ]);
  });

  it("D15 names the piece that does not hang together with the rest", () => {
    const problems = problemsOf(
      task("T1"),
      task("T2", ["T1"]),
      task("T3", ["T2"], feature),
      task("T4", ["T3"]),
    );
    expect(problems).toMatchObject([
      { code: "broken-steel-thread", place: { file: "tasks/T4.json", pointer: "/context/steel_thread" } },
    ]);
  });

  it("D15 accepts a steel thread that joins two foundations", () => {
    expect(problemsOf(task("T1"), task("T2"), task("T3", ["T1", "T2"]))).toEqual([]);
  });

  it("D15 has nothing to say about no tasks", () => {
    expect(problemsOf()).toEqual([]);
  });

  describe("against the map's steel flow", () => {
    const steps = ["B1", "B2", "B3"];
    const checked = (...tasks: readonly SampleTask[]) =>
      checkTasks({ files: taskFiles(...tasks), behaviours: undefined }).tasks;

    it("D15 accepts marks on every step, and a step that no task has yet", () => {
      const tasks = checked(task("T1"), task("T2", ["T1"], { behaviors: ["B2"] }));
      expect(checkSequencing(tasks, steps)).toEqual([]);
      expect(sequencingWarnings(tasks, steps)).toEqual([]);
    });

    it("D15 refuses a step that only unmarked tasks have", () => {
      const tasks = checked(task("T1"), task("T2", ["T1"], { ...feature, behaviors: ["B2"] }));
      expect(checkSequencing(tasks, steps)).toMatchObject([
        {
          code: "broken-steel-thread",
          message: "the steel thread is broken: its step `B2` is in `T2`, which is not marked",
          place: { file: "tasks/T2.json", pointer: "/context/steel_thread" },
          hint: "set `context.steel_thread` of `T2` to true",
        },
      ]);
    });

    it("D15 warns of a mark on a task without a step, and of a steel thread in a late phase", () => {
      const tasks = checked(task("T1"), task("T2", ["T1"], { behaviors: ["B9"], phase: 3 }));
      expect(checkSequencing(tasks, steps)).toEqual([]);
      expect(codes(sequencingWarnings(tasks, steps))).toEqual(["stray-steel-thread", "late-steel-thread"]);
    });
  });
});

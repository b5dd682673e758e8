// A person's own list of tasks: how it is read, and what is said of one that is wrong.
import { describe, expect, it } from "vitest";
import { listOf, readList, type TaskList } from "../../src/packs/decomposition/list/read-list.ts";
import { type Filling, taskFilesOf } from "../../src/packs/decomposition/list/task-files.ts";

const plain: Filling = { checks: ["npm test"], unchecked: false, exists: () => false };

function read(text: string, file = "tasks.yaml"): TaskList {
  const list = readList(file, text);
  if ("problems" in list) throw new Error(JSON.stringify(list.problems));
  return list;
}

function wrong(text: string, file = "tasks.yaml") {
  const list = readList(file, text);
  if (!("problems" in list)) throw new Error("it was read");
  return list.problems.map(({ code, place, hint }) => ({ code, line: place?.line, hint }));
}

function files(list: TaskList, filling: Partial<Filling> = {}) {
  const made = taskFilesOf(list, { ...plain, ...filling });
  if ("problems" in made) throw new Error(JSON.stringify(made.problems));
  return made.tasks;
}

describe("a list of tasks", () => {
  it("X28 takes sentences and maps, in YAML and in JSON, with what is optional left out", () => {
    const yaml = read(`check: make test
tasks:
  - add a --version flag
  - id: parser
    task: fix the parser
    description: It loops.
    check: [make lint, make test]
    files: [src/parser.c]
    depends: 1
`);
    const json = read(
      JSON.stringify(["add a --version flag", { task: "fix the parser", depends: ["add a --version flag"] }]),
      "tasks.json",
    );
    expect(files(yaml, { exists: (path) => path === "src/parser.c" })).toMatchObject([
      { id: "T001", name: "add a --version flag", acceptance_criteria: [{ verification: "make test" }] },
      {
        id: "T002",
        name: "fix the parser",
        description: "fix the parser\n\nIt loops.",
        dependencies: { tasks: ["T001"] },
        files: [{ path: "src/parser.c", action: "modify" }],
        acceptance_criteria: [{ verification: "make lint" }, { verification: "make test" }],
      },
    ]);
    expect(files(json)[1]?.dependencies).toEqual({ tasks: ["T001"] });
  });

  it("X28 names file, line and what to write for everything that is wrong, all at once", () => {
    const found = wrong(`tasks:
  - fix: the parser
  - task: b
    depend: 1
  - task: c
    files: [../x]
  - task: d
    check: "echo 'a"
  - 12
`);
    expect(found).toEqual([
      { code: "bad-task", line: 2, hint: '- "fix: the parser"' },
      { code: "unknown-key", line: 4, hint: "did you mean `depends`?" },
      { code: "bad-path", line: 6, hint: expect.stringContaining("src/login.ts") },
      { code: "bad-command", line: 8, hint: expect.stringContaining("check: npm test") },
      { code: "bad-task", line: 9, hint: expect.stringContaining("quotes") },
    ]);
    expect(wrong("task:\n  - a\n").map(({ code }) => code)).toEqual(["unknown-key", "no-tasks"]);
    expect(wrong("{", "tasks.json")[0]).toMatchObject({ code: "not-json" });
    expect(wrong("- {id: a, task: x}\n- {id: a, task: y}\n")[0]).toMatchObject({
      code: "duplicate-id",
      line: 2,
    });
  });

  it("X28 refuses dependencies that are unknown or go in a circle, with the line", () => {
    const said = (text: string) => {
      const made = taskFilesOf(read(text), plain);
      return "problems" in made ? made.problems.map(({ code, place }) => [code, place?.line]) : [];
    };
    expect(said("- {id: one, task: a}\n- {task: b, depends: oen}\n")).toEqual([["unknown-task", 2]]);
    expect(said("- {id: a, task: a, depends: b}\n- {id: b, task: b, depends: a}\n")).toEqual([["cycle", 1]]);
    expect(said("- {id: a, task: a, depends: a}\n")).toEqual([["unknown-task", 1]]);
  });

  it("X28 refuses a task that nothing checks unless that was said, and then marks it", () => {
    const made = taskFilesOf(listOf(["do it"]), { ...plain, checks: [] });
    expect(made).toMatchObject({ problems: [{ code: "no-check" }] });
    expect(JSON.stringify(made)).toContain("--check");
    expect(files(listOf(["do it"]), { checks: [], unchecked: true })[0]).toMatchObject({
      unchecked: true,
      acceptance_criteria: [],
    });
    expect(files(read("- {task: do it, unchecked: true}\n"))[0]).toMatchObject({ unchecked: true });
    // A check that cannot fail is none.
    const empty = { checks: ["npm test || true"] };
    expect(taskFilesOf(listOf(["do it"]), { ...plain, ...empty })).toMatchObject({
      problems: [{ code: "empty-command" }],
    });
    expect(wrong("- {task: do it, check: 'true'}\n")).toMatchObject([{ code: "empty-command", line: 1 }]);
    // A check that is there counts, whatever was said about those without one.
    expect(files(listOf(["do it"]), { unchecked: true })[0]).not.toHaveProperty("unchecked");
  });

  it("X28 keeps the ids of tasks that were there before, wherever they stand now", () => {
    const known = new Map([
      ["a", "T001"],
      ["b", "T002"],
    ]);
    expect(files(listOf(["new", "b", "a"]), { known }).map(({ id }) => id)).toEqual(["T003", "T002", "T001"]);
    expect(files(read("- {id: T7, task: x}\n- y\n")).map(({ id }) => id)).toEqual(["T7", "T001"]);
  });
});

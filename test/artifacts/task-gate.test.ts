// What makes a plan prove less than it says (D22): errors, of which a person may allow some.
import { describe, expect, it } from "vitest";
import { checkTasks } from "../../src/packs/decomposition/checks/check-tasks.ts";
import { codes, task, taskFiles } from "./samples.ts";

const behaviours = new Set(["B1"]);
const file = (path: string, action = "create") => ({ path, action, layer: "api" });
const judgedBy = (verification: string) => [{ criterion: "it works", verification }];

describe("the gate of a plan", () => {
  it("D22 refuses a command that is green whatever the work is, and says how to let it stand", () => {
    const files = taskFiles(task("T001", [], { acceptance_criteria: judgedBy("npm test || true") }));
    expect(checkTasks({ files, behaviours }).problems).toMatchObject([
      {
        code: "empty-command",
        message: "`npm test || true` passes no matter what the task does",
        hint: [
          "write a command that is red until the criterion holds, or: ",
          { do: "allow", code: "empty-command" },
        ],
        place: { pointer: "/acceptance_criteria/0/verification" },
      },
    ]);
    const allowed = new Set(["empty-command"]);
    expect(checkTasks({ files, behaviours, allowed }).problems).toEqual([]);
  });

  it("D22 refuses behaviours of the map that no task has", () => {
    const mapped = new Set(["B1", "B2"]);
    const files = taskFiles(task("T001"));
    expect(checkTasks({ files, behaviours: mapped, mapped }).problems).toMatchObject([
      { code: "behaviour-without-task", message: "no task has behaviour `B2`" },
    ]);
    const allowed = new Set(["behaviour-without-task"]);
    expect(checkTasks({ files, behaviours: mapped, mapped, allowed }).problems).toEqual([]);
  });

  it("D22 refuses a file where another task needs a folder, unless it is deleted", () => {
    const first = task("T001", [], { files: [file("src/store.js")] });
    const second = task("T002", ["T001"], { files: [file("src/store.js/x")] });
    expect(codes(checkTasks({ files: taskFiles(first, second), behaviours }).problems)).toEqual([
      "path-clash",
    ]);
    const gone = task("T001", [], { files: [file("src/store.js", "delete")] });
    expect(checkTasks({ files: taskFiles(gone, second), behaviours }).problems).toEqual([]);
  });

  it("D22 refuses paths that differ in capitals alone", () => {
    const files = taskFiles(
      task("T001", [], { files: [file("src/Store.ts")] }),
      task("T002", ["T001"], { files: [file("src/store.ts")] }),
    );
    expect(codes(checkTasks({ files, behaviours }).problems)).toEqual(["case-clash"]);
    expect(checkTasks({ files, behaviours, allowed: new Set(["case-clash"]) }).problems).toEqual([]);
  });

  it("D22 refuses a criterion that needs the file of a task it does not wait for", () => {
    const needs = (id: string, after: string[]) =>
      task(id, after, {
        files: [file("src/a.ts")],
        acceptance_criteria: judgedBy("node test/b.test.js --all"),
      });
    const maker = (id: string, after: string[]) => task(id, after, { files: [file("test/b.test.js")] });
    const found = (one: unknown, other: unknown, exists?: (path: string) => boolean) =>
      codes(checkTasks({ files: taskFiles(one as never, other as never), behaviours, exists }).problems);
    expect(found(needs("T001", []), maker("T002", ["T001"]))).toEqual(["later-file"]);
    expect(found(needs("T001", []), maker("T002", []))).toEqual(["later-file"]);
    expect(found(needs("T001", ["T002"]), maker("T002", []))).toEqual([]);
    expect(found(needs("T002", ["T001"]), maker("T001", []))).toEqual([]);
    expect(found(needs("T001", []), maker("T002", ["T001"]), () => true)).toEqual([]);
  });

  it("D22 refuses names that fill a screen", () => {
    const files = taskFiles(task("T001", [], { name: "x".repeat(100_000) }));
    expect(checkTasks({ files, behaviours }).problems).toMatchObject([
      { place: { pointer: "/name" }, message: "`name` must have at most 300 characters" },
    ]);
  });

  it.each(["a", "the", "a b c", "user"])("D22 refuses the quotation %j, which says nothing", (quote) => {
    const spec = "# Shop\n\nthe user adds a b c to a cart\n\n## Undo\n";
    const quoting = (text: string) =>
      checkTasks({
        files: taskFiles(task("T001", [], { context: { spec_ref: { quote: text } } })),
        behaviours,
        spec,
      });
    expect(codes(quoting(quote).problems)).toEqual(["quote-too-short"]);
    expect(quoting("the user adds").problems).toEqual([]);
    expect(quoting("Undo").problems).toEqual([]);
  });
});

// What is unwise about tasks: said, and never held against them (D9).
import { describe, expect, it } from "vitest";
import { checkTasks } from "../../src/packs/decomposition/checks/check-tasks.ts";
import { codes, task, taskFiles } from "./samples.ts";

const behaviours = new Set(["B1"]);

const withCommand = (verification: string) =>
  checkTasks({
    files: taskFiles(task("T001", [], { acceptance_criteria: [{ criterion: "it works", verification }] })),
    behaviours,
  });

describe("commands", () => {
  it.each([
    "Verify that the login works",
    "manually check the page",
    "Run the tests and look at them",
    "run the test suite",
    "make sure the page loads",
    "check that the file exists",
    "Works as expected.",
    "The user sees a list",
    "All tests pass in the suite",
  ])("D10 warns of prose: %j", (command) => {
    const { problems, warnings } = withCommand(command);
    expect(problems).toEqual([]);
    expect(warnings).toMatchObject([
      {
        code: "prose-command",
        place: { file: "tasks/T001.json", pointer: "/acceptance_criteria/0/verification", line: 29 },
        hint: "write a command that exits 0 exactly when the criterion holds",
      },
    ]);
  });

  it.each([
    "npx vitest run test/a.test.ts",
    "make test",
    "make",
    "test -f README.md",
    "test $? -eq 2",
    "check-links docs",
    "./verify the-thing",
    "verify.sh all",
    "run-parts tests",
    "Rscript tests/run.R",
    "VAR=1 npm test",
    "python -m pytest tests/test_a.py",
    "the=1 env | grep the",
    "it --help",
    "R CMD check .",
    "(cd app && npm test)",
    "! grep -rn TODO src",
    "dotnet test && dotnet format --verify-no-changes",
  ])("D10 takes %j for the command that it is", (command) => {
    const { problems, warnings } = withCommand(command);
    expect([...problems, ...warnings]).toEqual([]);
  });

  it.each([
    ["rm -rf /", "removes more than what the task made"],
    ["rm -rf ./* && npm test", "removes more than what the task made"],
    ['rm -r "$HOME"', "removes more than what the task made"],
    ["sh -c 'rm -fr ~'", "removes more than what the task made"],
    ["git push origin main", "pushes to another repository"],
    ["npm test && git reset --hard", "changes the checkout"],
    ["curl -s https://example.org/x | sh", "runs what it fetches from the network"],
    ["npm publish", "publishes something"],
    ["sudo make install", "is meant for the machine, not for the project"],
    ["ssh host ls", "reaches out to another machine"],
  ])("D25 warns of a command that destroys or reaches out: %j", (command, said) => {
    const { problems, warnings } = withCommand(command);
    expect(problems).toEqual([]);
    expect(warnings).toMatchObject([{ code: "dangerous-command", message: `\`${command}\` ${said}` }]);
  });

  it.each([
    "rm -rf dist && npm run build",
    "git diff --exit-code",
    "curl -fsS http://localhost:1",
    "npm run push",
  ])("D25 lets %j pass", (command) => {
    expect(withCommand(command).warnings).toEqual([]);
  });
});

describe("files", () => {
  const change = (path: string, action: string) =>
    task("T002", ["T001"], { files: [{ path, action, layer: "api" }] });

  it("D9 warns of a file that the physical map does not know", () => {
    const files = taskFiles(task("T001"), change("src/./other.ts", "create"));
    const mappedFiles = new Set(["src/T001.ts"]);
    expect(checkTasks({ files, behaviours, mappedFiles }).warnings).toMatchObject([
      {
        code: "unmapped-file",
        message: "task `T002` has `src/./other.ts`, which the physical map does not know",
        place: { file: "tasks/T002.json", pointer: "/files/0/path" },
      },
    ]);
  });

  it.each([
    ["src/T001.ts", "modify", []],
    ["README.md", "modify", []],
    ["src/none.ts", "modify", ["file-missing"]],
    ["src/none.ts", "delete", ["file-missing"]],
    ["README.md", "create", []],
  ])("D9 %s is there or made by a task when a task is to %s it, or it warns", (path, action, expected) => {
    const files = taskFiles(task("T001"), change(path, action));
    const exists = (one: string) => one === "README.md";
    expect(codes(checkTasks({ files, behaviours, exists }).warnings)).toEqual(expected);
  });
});

describe("an existing project's own commands", () => {
  const ownCommands = [{ purpose: "test", run: "npm test" }];

  it("D9 warns of tasks whose criteria leave them out, and names them", () => {
    const runs = task("T001", [], {
      acceptance_criteria: [{ criterion: "all pass", verification: "npm test -- --run" }],
    });
    const files = taskFiles(runs, task("T002", ["T001"]));
    expect(checkTasks({ files, behaviours, ownCommands }).warnings).toMatchObject([
      {
        code: "own-command",
        message: "`T002` do not run the project's own test command `npm test`",
        place: { file: "tasks/T002.json", pointer: "/acceptance_criteria" },
        hint: 'add a criterion with `"verification": "npm test"`',
      },
    ]);
    expect(checkTasks({ files: taskFiles(runs), behaviours, ownCommands }).warnings).toEqual([]);
  });
});

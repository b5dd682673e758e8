// What the look at the base makes of what commands print: what cannot run, what fails newly (X23).
import { describe, expect, it } from "vitest";
import { cannotRun } from "../../src/work/evidence/cannot-run.ts";
import { failingTests, newlyFailing } from "../../src/work/evidence/failing-tests.ts";

const tried = (command: string, output: string, more: { exit?: number; mayInstall?: boolean } = {}) =>
  cannotRun({ command, output, exit: more.exit ?? 127, mayInstall: more.mayInstall ?? false })?.why;

describe("X23 a command cannot run", () => {
  it.each([
    ["cargo test", "/bin/sh: 1: cargo: not found", "there is no program `cargo` on this machine"],
    ["go test ./...", "sh: go: command not found", "there is no program `go` on this machine"],
    ["npm test", "> vitest run\nsh: 1: vitest: not found", "it starts `vitest`, which is not installed"],
  ])("X23 when a program is missing: %s", (command, output, why) => {
    expect(tried(command, output)).toBe(why);
  });

  it.each([
    ["make: shellspec: No such file or directory\nmake: *** [Makefile:27: test] Error 127", "shellspec"],
    [
      "/bin/sh: 1: busted: not found\nmake[1]: *** [Makefile:2: test] Error 127\nmake: *** [all] Error 2",
      "busted",
    ],
  ])("X23 when make starts one that is missing: %j", (output, program) => {
    expect(tried("make test", output, { exit: 2 })).toBe(`it starts \`${program}\`, which is not installed`);
  });

  it("X23 when a module or the network is missing", () => {
    expect(tried("python3 -m pytest -q", "/usr/bin/python3: No module named pytest", { exit: 1 })).toBe(
      "the module `pytest` is not installed",
    );
    expect(tried("npx eslint .", "npm error code EAI_AGAIN", { exit: 1 })).toContain("needs the network");
  });

  it.each([
    ["./scripts/check.sh", "/bin/sh: 1: ./scripts/check.sh: not found", 127],
    ["make test", "make: ./run-tests: No such file or directory\nmake: *** [Makefile:2: test] Error 127", 2],
    ["make test", "grep: not found\nmake: *** [Makefile:2: test] Error 1", 2],
    ["python3 -m pytest", "E  ModuleNotFoundError: No module named 'app'", 1],
    ["node --test test/new.test.js", "Could not find 'test/new.test.js'", 1],
  ])("X23 but not when a task is to write what is missing: %s", (command, output, exit) => {
    expect(tried(command, output, { exit })).toBeUndefined();
  });

  it("X23 nor when a task may install it, unless it is a program of the machine", () => {
    expect(tried("npm test", "sh: 1: vitest: not found", { mayInstall: true })).toBeUndefined();
    expect(tried("cargo test", "sh: 1: cargo: not found", { mayInstall: true })).toContain("no program");
  });
});

describe("X23 failing tests are told apart", () => {
  it.each([
    ["not ok 1 - adds\nok 2 - subtracts", "adds"],
    ["✖ adds (1.2ms)", "adds"],
    ["FAILED tests/test_a.py::test_adds - assert 1 == 2", "tests/test_a.py::test_adds"],
    ["--- FAIL: TestAdds (0.00s)", "TestAdds"],
    ["test tests::adds ... FAILED", "tests::adds"],
    ["rspec ./spec/a_spec.rb:3 # adds", "./spec/a_spec.rb:3"],
  ])("X23 in what a runner prints: %s", (output, name) => {
    expect([...failingTests(output)]).toEqual([name]);
  });

  it("X23 and only new ones count", () => {
    expect(newlyFailing("not ok 1 - a", "not ok 1 - a\nnot ok 2 - b")).toEqual(["b"]);
    expect(newlyFailing("not ok 1 - a", "not ok 1 - a")).toEqual([]);
    expect(newlyFailing("it failed", "it failed")).toBeUndefined();
  });
});

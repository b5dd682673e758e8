// What counts as tests that ran: by what a runner printed at its end, and by whether a script could be red at all.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { emptyScript } from "../../src/work/evidence/empty-script.ts";
import { ranNoTests } from "../../src/work/evidence/no-tests.ts";
import { processorMs } from "../processor-time.ts";

const judged = (output: string, command = "./ci") => ranNoTests({ command, output, script: undefined });

describe("a run without a test", () => {
  it.each<readonly [string, string]>([
    [
      "node",
      "ℹ tests 3\nℹ suites 1\nℹ pass 0\nℹ fail 0\nℹ cancelled 0\nℹ skipped 2\nℹ todo 1\nℹ duration_ms 2.5",
    ],
    [
      "node, as TAP",
      "TAP version 13\nok 1 - s\n1..1\n# tests 2\n# suites 1\n# pass 0\n# skipped 2\n# todo 0\n",
    ],
    [
      "node, as JUnit",
      '<testsuites>\n\t<testcase name="a"/>\n\t<!-- tests 2 -->\n\t<!-- suites 0 -->\n\t<!-- pass 0 -->\n\t<!-- skipped 1 -->\n\t<!-- todo 1 -->\n\t<!-- duration_ms 7.2 -->\n</testsuites>',
    ],
    [
      "jest, as JSON",
      '{"numFailedTestSuites":0,"numFailedTests":0,"numPassedTestSuites":0,"numPassedTests":0,"numPendingTests":2,"numTotalTests":2,"success":true}',
    ],
    ["vitest", " Test Files  1 skipped (1)\n      Tests  2 skipped | 1 todo (3)\n   Start at  10:00"],
    ["vitest without files", "No test files found, exiting with code 0"],
    [
      "jest",
      "Test Suites: 1 skipped, 0 of 1 total\nTests:       2 skipped, 1 todo, 3 total\nSnapshots:   0 total",
    ],
    ["mocha", "\n  0 passing (3ms)\n  2 pending\n"],
    ["pytest", "test_a.py ss   [100%]\n\n======= 2 skipped in 0.02s ======="],
    ["pytest -q", "2 deselected in 0.01s"],
    ["unittest", "ss\n----\nRan 2 tests in 0.000s\n\nOK (skipped=2)"],
    [
      "cargo",
      "test result: ok. 0 passed; 0 failed; 3 ignored; 0 measured; 0 filtered out; finished in 0.00s\n",
    ],
    ["go", "?   \texample.org/a\t[no test files]\nok  \texample.org/b\t0.002s [no tests to run]"],
    [
      "go -v",
      "=== RUN   TestA\n    a_test.go:5: no\n--- SKIP: TestA (0.00s)\nPASS\nok  \texample.org/a\t0.002s",
    ],
    ["rspec", "Finished in 0.1 seconds\n3 examples, 0 failures, 3 pending\n"],
    ["minitest", "2 runs, 0 assertions, 0 failures, 0 errors, 2 skips"],
    ["phpunit", "OK, but some tests were skipped!\nTests: 2, Assertions: 0, Skipped: 2."],
    ["dotnet", "Skipped! - Failed:     0, Passed:     0, Skipped:     3, Total:     3, Duration: 5 ms"],
    ["maven", "[WARNING] Tests run: 3, Failures: 0, Errors: 0, Skipped: 3"],
    [
      "ctest",
      "100% tests passed, 0 tests failed out of 1\n\nThe following tests did not run:\n\t  1 - a (Skipped)".replace(
        "\t",
        " ",
      ),
    ],
    [
      "googletest",
      "[==========] 2 tests from 1 test suite ran. (0 ms total)\n[  PASSED  ] 0 tests.\n[  SKIPPED ] 2 tests, listed below:",
    ],
    ["bun", "\n 0 pass\n 3 skip\n 0 fail\nRan 3 tests across 1 files. [10.00ms]"],
    ["deno", "ok | 0 passed | 0 failed | 2 ignored (3ms)"],
    ["TAP", "TAP version 13\nok 1 - a # SKIP no\n1..1"],
    ["an empty TAP", "1..0 # skipped"],
    ["ExUnit", "2 tests, 0 failures, 2 skipped"],
  ])("X8 %s: is no evidence", (_name, output) => {
    expect(judged(output)).toBe("succeeded, but no tests were run");
    expect(judged(`\u001b[1m${output.replaceAll("\n", "\u001b[0m\n\u001b[2m")}\u001b[0m`)).toBeDefined();
  });

  it.each<readonly [string, string]>([
    ["some were skipped", "ℹ tests 3\nℹ pass 1\nℹ fail 0\nℹ skipped 2\nℹ todo 0"],
    [
      "one package of two has tests",
      "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out",
    ],
    ["another runner ran some", "No test files found, exiting with code 0\n\n  4 passing (3ms)\n"],
    ["JUnit with one that ran", "\t<!-- tests 2 -->\n\t<!-- pass 1 -->\n\t<!-- skipped 1 -->"],
    ["JSON with one that ran", '{ "numPassedTests": 1, "numFailedTests": 0, "numPendingTests": 3 }'],
    ["go without words about skips", "?   \ta\t[no test files]\nok  \tb\t(cached)"],
    ["pytest with one xfail", "1 xfailed, 3 skipped in 0.02s"],
    ["a linter", "✔ 12 files checked, 0 problems (0 errors, 0 warnings)\n0 failed\nPassed: 0"],
    ["a program that prints nothing", ""],
    ["a build", "> Task :compileJava\n> Task :test NO-SOURCE\nBUILD SUCCESSFUL in 1s"],
  ])("X8 %s: judged by its exit code", (_name, output) => {
    expect(judged(output, "./gradlew build")).toBeUndefined();
  });

  it("X8 gradle without tests, where tests were asked for", () => {
    expect(judged("> Task :test NO-SOURCE\nBUILD SUCCESSFUL in 1s", "./gradlew test")).toBeDefined();
  });

  it("X8 make found a folder of that name", () => {
    expect(judged("make: 'test' is up to date.\n", "make test")).toContain("is up to date");
  });

  it("X8 what grep prints is no summary", () => {
    expect(judged("Ran 0 tests in 0.000s\n\nOK", "grep -A2 Ran log.txt && cat log.txt")).toBeUndefined();
  });

  it("G10 a hostile output is read in no time", () => {
    for (const line of [
      "1 passed ",
      "=",
      " ",
      "\n",
      "Executed 1 of 1 ",
      "Tests  1",
      "ok ",
      "?\n",
      "1, ",
      "ok 1 # ",
    ]) {
      const began = processorMs();
      judged(line.repeat(131_072 / line.length));
      expect(processorMs() - began, JSON.stringify(line)).toBeLessThan(1500);
    }
  });
});

describe("a script that cannot fail", () => {
  let folder = "";
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function script(files: Readonly<Record<string, string>>, command: string): string | undefined {
    folder = mkdtempSync(join(tmpdir(), "heddle-script-"));
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return emptyScript(command, folder);
  }
  const scripts = (all: Readonly<Record<string, string>>) => ({
    "package.json": JSON.stringify({ scripts: all }),
  });

  it.each<readonly [string, Readonly<Record<string, string>>, string]>([
    ["npm test", scripts({ test: "true" }), "npm test"],
    ["an echo", scripts({ test: 'echo "no tests (yet)"' }), "npm t --silent"],
    ["a forgiven runner", scripts({ test: "vitest run || true" }), "npm run test"],
    ["a runner whose end is lost", scripts({ test: "vitest run; exit 0" }), "CI=1 npm test"],
    ["a runner behind a pipe", scripts({ test: "jest 2>&1 | tee log" }), "npm test"],
    [
      "a chain of scripts",
      scripts({ test: "npm run unit && yarn e2e", unit: ":", e2e: "exit 0" }),
      "pnpm test",
    ],
    ["yarn", scripts({ check: "node -e 0" }), "yarn check"],
    ["no script at all", scripts({}), "npm test --if-present"],
    [
      "in a folder",
      { "a/package.json": scripts({ test: "true" })["package.json"] ?? "" },
      "cd a && npm test",
    ],
    [
      "by prefix",
      { "a/package.json": scripts({ test: "true" })["package.json"] ?? "" },
      "npm --prefix a test",
    ],
    ["make", { Makefile: ".PHONY: test\ntest: a\n\t@echo fine\na:\n\t-vitest\n" }, "make test"],
    ["make from a script", { ...scripts({ test: "make check" }), Makefile: "check:\n\ttrue\n" }, "npm test"],
    ["a shell script", { "test.sh": "#!/bin/sh\n# tests\necho ok\nexit 0\nvitest\n" }, "sh test.sh"],
    [
      "a summary that is only printed",
      { ...scripts({ test: "node run.js" }), "run.js": 'console.log("5 passed", `(5)`); process.exit(0);\n' },
      "npm test",
    ],
    ["an empty file, which node counts as a test", { "a.test.js": "" }, "node --test a.test.js"],
    [
      "nothing but comments",
      { "a.test.ts": "// later\n/*\n * it(1)\n */\n/* so */\n" },
      "npx vitest run a.test.ts",
    ],
    [
      "a test without a body",
      { "a.spec.js": "import { it } from 'vitest';\nit('adds', async () => {\n  // soon\n});\n" },
      "npx --yes jest ./a.spec.js",
    ],
    [
      "a test of true",
      {
        "a.test.mjs":
          'import { expect, it } from "vitest";\nit("adds", () => { expect(true).toBe(true); });\n',
      },
      "vitest run --silent a.test.mjs",
    ],
    [
      "python",
      { "test_a.py": "#!/usr/bin/env python3\nimport sys\nprint('5 passed')\nsys.exit(0)\n" },
      "python3 test_a.py",
    ],
    ["pytest", { "a.py": "def test_a():\n    assert True\n\n# more\n" }, "python3 -m pytest -q a.py"],
  ])("X8 %s is found", (_name, files, command) => {
    expect(script(files, command)).toBeDefined();
  });

  it.each<readonly [string, Readonly<Record<string, string>>, string]>([
    ["a program that prints nothing", scripts({ test: "node test.js" }), "npm test"],
    ["a test before it", scripts({ pretest: "tsc", test: "true" }), "npm test"],
    ["a command behind it", scripts({ test: "true" }), "npm test && test -f out.txt"],
    ["another word than tests", scripts({ build: "true", lint: "echo" }), "npm run build && npm run lint"],
    ["the command itself", {}, "true"],
    ["something that a shell must read", scripts({ test: "if true; then vitest; fi" }), "npm test"],
    ["a script that calls itself", scripts({ test: "npm test" }), "npm test"],
    ["a strict sequence", { "test.sh": "set -e\nvitest\necho ok\n" }, "bash test.sh"],
    ["a recipe with variables", { Makefile: "test:\n\t$(RUN)\n" }, "make test"],
    ["two rules for one target", { Makefile: "test:\n\techo\ntest: unit\n" }, "make test"],
    ["a workspace", scripts({ test: "true" }), "npm test --workspaces"],
    ["no tree at all", {}, "npm test"],
    ["a test of something", { "a.test.js": "import './a.js';\n" }, "node --test a.test.js"],
    ["code behind a comment", { "a.test.js": "/* one */ check();\n/* two */\n" }, "node a.test.js"],
    ["code between comments", { "a.test.js": "/* one */ check(); /* two */\n" }, "node a.test.js"],
    ["code behind the end of a comment", { "a.test.js": "/*\n*/ check();\n" }, "node a.test.js"],
    ["words that are computed", { "a.test.js": `console.log(\`\${check()}\`)\n` }, "node a.test.js"],
    ["one file of two", { "a.test.js": "", "b.test.js": "check()" }, "node --test a.test.js b.test.js"],
    ["a file loaded before", { "a.test.js": "", "b.js": "check()" }, "node --import ./b.js a.test.js"],
    ["a file loaded before by a flag", { "a.test.js": "" }, "node --import=./b.js a.test.js"],
    ["a folder of tests", { "test/a.test.js": "" }, "node --test test/"],
    ["a test that is not there", {}, "node --test a.test.js"],
    ["a program that is no test", { "build.js": 'console.log("built")\n' }, "node build.js"],
    ["another language", { "test.pl": "" }, "perl test.pl"],
  ])("X8 %s is left to its exit code", (_name, files, command) => {
    expect(script(files, command)).toBeUndefined();
  });

  it("X8 a file that cannot fail is named with what it says", () => {
    expect(script({ "a.test.js": "\n" }, "node --test a.test.js")).toBe("a.test.js (empty)");
    rmSync(folder, { recursive: true, force: true });
    expect(script({ "a.test.js": "// soon\n" }, "node a.test.js")).toBe("a.test.js: // soon");
  });

  it("G10 a hostile program is read in no time", () => {
    for (const piece of ['"', "'", '""', "\\", "(", "print(", "console.log(", '""+', "import ", "})", "/*"]) {
      const line = piece.repeat(990 / piece.length);
      const text = `${`${line}\n`.repeat(200)}x${line}x\n`;
      const began = processorMs();
      for (const name of ["a.test.js", "test_a.py"]) {
        script({ [name]: text }, `node ${name}`);
        rmSync(folder, { recursive: true, force: true });
      }
      expect(processorMs() - began, piece).toBeLessThan(1500);
    }
  });
});

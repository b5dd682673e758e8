// Commands that are green whatever the work is, told by their form alone (D22). What is not certain is let pass.
import { describe, expect, it } from "vitest";
import { isAlwaysGreen } from "../../src/protocols/always-green.ts";
import { shellList } from "../../src/protocols/shell-list.ts";

describe("a command", () => {
  it.each([
    "true",
    ":",
    "exit 0",
    "npm test || true",
    "npm test; true",
    "test 1 = 1",
    "sh -c true",
    "sh -c 'true'",
    "printf x",
    "printf '%s' ok",
    "node -e 0",
    "node -e ''",
    "[ 1 -eq 1 ]",
    "[[ a == a ]]",
    "echo hi && true",
    "/bin/true",
    "bash -c 'exit 0'",
    "npm test | tee log",
    "npm test | cat",
    "npm test &",
    "(true)",
    "{ true; }",
    "! false",
    "# npm test",
    "python3 -c pass",
    "python -c 'print(\"ok\")'",
    "npm test ; echo done",
    "env true",
    "command true",
    "timeout 5 true",
    "X=1",
    "node --version",
    "npm test || :",
    "npm test\ntrue",
    "npm test || echo failed",
    "test -d .",
    "eval true",
    "node -e 'process.exit(0)'",
    "npm test 2>&1 || true",
    "false || true",
    "npm test > log 2>&1; exit 0",
    "sh -c 'npm test; true'",
    "npm test |& tee x",
    ...[
      "cd .",
      "cd . && true",
      "ls -la",
      "set +e; npm test; true",
      "exit 0; npm test",
      "(exit 0)",
      "true #x",
    ],
    ...["test ! 1 = 2", "[ ! 1 = 2 ]", "node --eval 0", "node -p 1", "php -r ''", "python -c 'print(1)'"],
    ...["python -c 'import sys; sys.exit(0)'", "bash -lc true", "bash -ec true", "bash -ec 'exit 0'"],
    ...["env -i true", "nice -n 5 true", "timeout -k 1 5 true", "/usr/bin/env bash -c true"],
  ])("D22 is green whatever the work is: %j", (command) => {
    expect(isAlwaysGreen(command)).toBe(true);
  });

  it.each([
    "npm test",
    "npm test && true",
    "npm test && echo ok",
    "npm test || exit 1; echo ok",
    "set -e; npm test; true",
    "test -f a.txt",
    'test "$(cat x)" = y',
    "grep -q x file",
    "node -e 'require(\"./a\")'",
    "node test.js",
    "cat missing.txt",
    "npm test | grep ok",
    "if true; then true; fi",
    "false",
    "node -e 'process.exit(1)'",
    "sh -c 'npm test'",
    "bash -ec 'npm test; true'",
    "cat <<EOF\nx\nEOF",
    "npm run build && node dist/x.js --version",
    "wc -l src/a.ts",
    "head -1 src/x",
    'test -n "$X"',
    "! grep -q TODO src",
    "make check 2>&1 | tail -1 | grep -q pass",
    "f() { true; }; f",
    '[ "$(ls)" = x ]',
    "git diff --exit-code",
    "python -m unittest",
    "echo $(npm test)&& test -f x",
    "true && test -f x",
    "xargs -a list test -f",
    "curl -fsS localhost | jq -e .ok",
    "cargo test -- --help x",
    ...[
      "cd src",
      "cd $X",
      "cd src && true",
      "ls src/a.js",
      "exit 1; true",
      "exit $X; true",
      "exit 0 | npm test",
    ],
    ...["set -e; true; npm test", "test ! -f a", "bash -uc 'echo $X'", "bash -euc true", "node -r 0"],
    ...["timeout 5 npm test", "env -i npm test", "command -v made", "python -c 'exit(\"no\")'", "perl -p 0"],
    ...["npm test; exit", "exit 0 & npm test", "npm test && exit 0", "python -c 'sys.exit(0)'"],
  ])("D22 may be red: %j", (command) => {
    expect(isAlwaysGreen(command)).toBe(false);
  });

  it("D22 of any length and depth is read in time, or not at all", () => {
    const began = performance.now();
    for (const part of ["(", "$(", "{ ", "true;", "! ", "a|", "'", '"$(', "sh -c '", "x && ", "\\\\"])
      for (const times of [100, 20_000]) {
        const command = part.repeat(times);
        expect([true, false]).toContain(isAlwaysGreen(command));
        shellList(command);
      }
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  it("D22 G8 of any characters is read to its end: spaces that no shell knows are part of a word", () => {
    for (let code = 0; code < 0x3100; code++) {
      const character = String.fromCharCode(code);
      for (const command of [character, `a ${character}`, `a${character}b; true`]) shellList(command);
    }
    expect(shellList("a\fb")).toEqual(shellList("'a\fb'"));
    expect(isAlwaysGreen("true\u00a0|| x")).toBe(false);
  });
});

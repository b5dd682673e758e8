// The names of failing tests in what a runner printed. With them a suite that was red before the work can be compared with
// itself afterwards: only what fails newly is charged to a task.

const patterns: readonly RegExp[] = [
  // TAP: node --test, tape, bats, prove
  /^\s*not ok \d+ -? ?(.+?)(?: # time=.*)?$/gm,
  // node --test in its own words, mocha, jest, vitest, ava
  /^\s*(?:✖|✕|×|✗) (.+?)(?: \(?[\d.]+ ?m?s\)?)?$/gm,
  /^\s*● (.+ › .+)$/gm,
  /^\s*FAIL {1,2}(\S.*? > .+?)(?: \d+ms)?$/gm,
  // pytest, unittest
  /^(?:FAILED|ERROR) (\S+::\S+)/gm,
  /^(?:FAIL|ERROR): (\w+ \([\w.]+\))/gm,
  // go, cargo, rspec, minitest, phpunit, dotnet, gradle, maven
  /^\s*--- FAIL: (\S+)/gm,
  /^test (\S+) \.\.\. FAILED$/gm,
  /^rspec (\.\/\S+:\d+)/gm,
  /^(?:Failure|Error):\n(\S+#\S+)/gm,
  /^\d+\) (\S+::\S+)/gm,
  /^\s*Failed (\S+) \[/gm,
  /^(\S+ > .+) FAILED$/gm,
  /^\[ERROR\] {2,}(\w+[.#]\w+)/gm,
  // googletest, ctest, ExUnit
  /^\[ {2}FAILED {2}\] (\S+\.\S+?)(?: \(.*)?$/gm,
  /^\s*\d+ - (\S+) \(Failed\)$/gm,
  /^\s{0,9}\d{1,9}\) (test [^(\n]{1,300}\([^()\n]{1,300}\))$/gm,
];

const escapes = /\u001b\[[0-9;?]*[A-Za-z]/g;

export function failingTests(output: string): ReadonlySet<string> {
  const plain = output.replaceAll(escapes, "").replaceAll("\r\n", "\n");
  return new Set(
    patterns.flatMap((pattern) => [...plain.matchAll(pattern)].map(([, name]) => (name ?? "").trim())),
  );
}

/** What fails now and did not before; nothing where one of the two names no test. */
export function newlyFailing(before: string, after: string): readonly string[] | undefined {
  const [was, is] = [failingTests(before), failingTests(after)];
  if (was.size === 0 || is.size === 0) return undefined;
  return [...is].filter((name) => !was.has(name));
}

// What test runners print at their end, whoever started them: how many tests were executed. Skipped, pending, ignored and
// to-do ones were not. Each pattern is a whole line, or lines that stand together, so that other programs' words about
// tests are not taken for a summary.

interface Summary {
  readonly of: RegExp;
  /** What the match says, in its groups; those that it does not have are 0. */
  readonly executed: (groups: readonly number[], match: string) => number;
  /** Of a build tool: its line about tests counts only where tests were asked for. */
  readonly whenAsked?: true;
  /** Only where this occurs too. */
  readonly beside?: RegExp;
  /** Only where this does not occur. */
  readonly without?: RegExp;
}

const first = ([a = 0]: readonly number[]) => a;
const sum = (groups: readonly number[]) => groups.reduce((all, each) => all + each, 0);
/** The first number is the total, the others were left out. */
const rest = ([total = 0, ...out]: readonly number[]) => Math.max(0, total - sum(out));
const none = () => 0;
const one = () => 1;

/** The numbers that stand with these words. */
const named = (pattern: RegExp) => (_: readonly number[], match: string) =>
  sum([...match.matchAll(pattern)].map(([, count]) => Number(count)));

const verboseGo = /^=== RUN /m;
const counted = /^(?:# |ℹ )tests \d+$/m;

const javascript: readonly Summary[] = [
  // node --test and tape
  {
    of: /^(?:# |ℹ )tests (\d+)$(?:\n(?:# |ℹ )\w+ +[\d.]+$)*/gm,
    executed: ([total = 0], match) =>
      Math.max(0, total - named(/^(?:# |ℹ )(?:skipped|todo|skip) +(\d+)$/gm)([], match)),
  },
  {
    of: /^\t<!-- tests (\d{1,9}) -->$(?:\n\t<!-- \w{1,20} [\d.]{1,20} -->$){0,9}/gm,
    executed: ([total = 0], match) =>
      Math.max(0, total - named(/^\t<!-- (?:skipped|todo) (\d{1,9}) -->$/gm)([], match)),
  },
  // vitest and jest, as JSON
  { of: /"num(?:Passed|Failed)Tests": ?(\d{1,9})\b/g, executed: first },
  // vitest
  { of: /^ *Tests {2,}.*\(\d+\)$/gm, executed: named(/(\d{1,9}) (?:passed|failed)/g) },
  { of: /^ *Tests {2,}no tests$/gm, executed: none },
  { of: /^ *No test files found(?:, exiting.*)?$/gm, executed: none },
  // jest
  {
    of: /^Tests: +(?:.*, )?(\d+) total$/gm,
    executed: ([total = 0], match) => Math.max(0, total - named(/(\d{1,9}) (?:skipped|todo)/g)([], match)),
  },
  { of: /^No tests found(?:, exiting.*|!)?$/gm, executed: none },
  // mocha
  { of: /^ *(\d+) (?:passing|failing)\b.*$/gm, executed: first, beside: /^ *\d+ passing \(/m },
  // ava, playwright, jasmine, karma, uvu, bun, deno
  { of: /^ *(\d+) tests? (?:passed|failed)$/gm, executed: first },
  { of: /^ *\d+ tests? (?:skipped|todo)$/gm, executed: none },
  {
    of: /^ {2}(\d+) (?:passed|failed|flaky)(?: \(.*\))?$/gm,
    executed: first,
    beside: /^Running \d+ tests? using \d+ workers?/m,
  },
  {
    of: /^ {2}\d+ skipped(?: \(.*\))?$/gm,
    executed: none,
    beside: /^Running \d+ tests? using \d+ workers?/m,
  },
  { of: /^(\d+) specs?, \d+ failures?(?:, (\d+) pending specs?)?$/gm, executed: rest },
  { of: /^(?:Incomplete: )?No specs found.*$/gm, executed: none },
  { of: /\bExecuted (\d+) of \d+ .{0,80}(?:SUCCESS|FAILED|secs)/g, executed: first },
  { of: /^ *Total: +\d+ *\n *Passed: +(\d+)/gm, executed: first },
  { of: /^ *(\d+) pass\n(?: *\d+ (?:skip|todo|filtered out)\n)* *(\d+) fail$/gm, executed: sum },
  { of: /^(?:ok|FAILED) \| (\d+) passed.* \| (\d+) failed\b.*$/gm, executed: sum },
];

const others: readonly Summary[] = [
  // pytest and unittest
  {
    of: /^=* ?(?:\d+ [a-z]+(?: passed)?, )*\d+ (?:passed|failed|skipped|deselected|xfailed|xpassed|errors?|warnings?|rerun)\b.* in [\d.]+s\b.*$/gm,
    executed: named(/(\d{1,9}) (?:passed|failed|xfailed|xpassed|errors?)\b/g),
  },
  { of: /^=* ?no tests ran in [\d.]+s\b.*$/gm, executed: none },
  {
    of: /^Ran (\d+) tests? in [\d.]+s\n+(?:OK|FAILED|NO TESTS RAN)?(?:.*\bskipped=(\d+))?/gm,
    executed: rest,
  },
  // cargo
  { of: /^test result: \w+\. (\d+) passed; (\d+) failed; \d+ ignored; (\d+) measured\b/gm, executed: sum },
  { of: /^ *Summary \[.*\] +(\d+) tests? run\b/gm, executed: first },
  // go
  { of: /^\?[ \t]+\S+[ \t]+\[no test files\]$/gm, executed: none },
  { of: /^ok[ \t]+\S+[ \t].*\[no tests to run\]$/gm, executed: none },
  {
    of: /^(?:ok|FAIL)[ \t]+\S+[ \t]+(?:[\d.]+s|\(cached\))(?!.*\[no tests to run\]).*$/gm,
    executed: one,
    without: verboseGo,
  },
  { of: /^--- (?:PASS|FAIL): /gm, executed: one, beside: verboseGo },
  { of: /^--- SKIP: /gm, executed: none, beside: verboseGo },
  { of: /^Benchmark\S+[ \t]+\d+[ \t]/gm, executed: one },
  // rspec, hspec, minitest, test-unit
  { of: /^(\d+) examples?, \d+ failures?(?:, (\d+) pending)?/gm, executed: rest },
  { of: /^(\d+) runs, \d+ assertions, \d+ failures, \d+ errors, (\d+) skips/gm, executed: rest },
  {
    of: /^(\d+) tests, \d+ assertions, \d+ failures, \d+ errors, (\d+) pendings, (\d+) omissions/gm,
    executed: rest,
  },
  // phpunit, pest
  { of: /^OK \((\d+) tests?, \d+ assertions?\)/gm, executed: first },
  {
    of: /^Tests: (\d+), Assertions: .*$/gm,
    executed: ([total = 0], match) =>
      Math.max(
        0,
        total - sum([...match.matchAll(/(?:Skipped|Incomplete): (\d+)/g)].map((m) => Number(m[1]))),
      ),
  },
  { of: /^No tests executed!$/gm, executed: none },
  { of: /^ +Tests: .*\(\d+ assertions?\)$/gm, executed: named(/(\d{1,9}) (?:passed|failed)/g) },
  // dotnet
  { of: /Failed: +(\d+), Passed: +(\d+), Skipped: +\d+, Total: +\d+/g, executed: sum },
  { of: /^Total tests: 0$/gm, executed: none },
  { of: /^No test is available in .*$/gm, executed: none },
  // maven, gradle
  { of: /Tests run: (\d+), Failures: \d+, Errors: \d+, Skipped: (\d+)/g, executed: rest },
  { of: /^(?:\[INFO\] )?(?:There are no|No) tests to run\.$/gm, executed: none, whenAsked: true },
  { of: /^(?:\[INFO\] )?Tests are skipped\.$/gm, executed: none, whenAsked: true },
  {
    of: /^> Task :(?:\S+:)?(?:test|[a-z]\w*Test)(?: FROM-CACHE| UP-TO-DATE| FAILED)?$/gm,
    executed: one,
    whenAsked: true,
  },
  {
    of: /^> Task :(?:\S+:)?(?:test|[a-z]\w*Test) (?:NO-SOURCE|SKIPPED)$/gm,
    executed: none,
    whenAsked: true,
  },
  // ctest, googletest, catch2, meson
  { of: /^No tests were found!!!$/gm, executed: none },
  { of: /\btests? failed out of (\d+)$/gm, executed: first },
  { of: /^ +\d+ - .*\(Skipped\)$/gm, executed: () => -1, beside: /\btests? failed out of \d+$/m },
  { of: /^\[=+\] (\d+) tests? from .* ran\./gm, executed: first },
  { of: /^\[ {2}SKIPPED \] (\d+) tests?, listed below:$/gm, executed: ([count = 0]) => -count },
  { of: /^All tests passed \(\d+ assertions? in (\d+) test cases?\)$/gm, executed: first },
  { of: /^No tests ran$/gm, executed: none },
  { of: /^test cases: +\d+ .*$/gm, executed: named(/(\d{1,9}) (?:passed|failed)/g) },
  { of: /^Ok: +(\d+) *\n(?:Expected Fail: +\d+ *\n)?Fail: +(\d+)/gm, executed: sum },
  // ExUnit, bats, dart, swift, prove
  {
    of: /^ *(\d+) tests?, \d+ failures?(?: \((\d+) excluded\))?(?:, (\d+) excluded)?(?:, (\d+) (?:skipped|not run))?/gm,
    executed: rest,
  },
  { of: /^There are no tests to run$/gm, executed: none },
  {
    of: /\+(\d+)(?: ~\d+)?(?: -(\d+))?: (?:All tests passed!|All tests skipped\.|Some tests failed\.)/g,
    executed: sum,
  },
  { of: /\bExecuted (\d+) tests?, with (?:(\d+) tests? skipped and )?\d+ failures?/g, executed: rest },
  { of: /^Files=\d+, Tests=(\d+),/gm, executed: first },
  { of: /^Result: NOTESTS$/gm, executed: none },
  // Any other that speaks TAP; not where it counts for itself, because there a suite is a line too.
  {
    of: /^(?:not )?ok \d+(?!.*# (?:skip|todo)\b).*$/gim,
    executed: one,
    beside: /^1\.\.\d+/m,
    without: counted,
  },
  {
    of: /^(?:not )?ok \d{1,9}(?!\d).*# (?:skip|todo)\b.*$/gim,
    executed: none,
    beside: /^1\.\.\d+/m,
    without: counted,
  },
  { of: /^1\.\.0\b.*$/gm, executed: none, without: counted },
];

const escapes = /\u001b\[[0-9;?]*[A-Za-z]/g;

/** How many tests were executed by all that is summed up in this output; nothing where nobody sums up. */
export function testsExecuted(output: string, asked: boolean): number | undefined {
  const plain = output.replaceAll(escapes, "").replaceAll("\r\n", "\n");
  const counts = [...javascript, ...others]
    .filter(({ whenAsked }) => asked || !whenAsked)
    .filter(({ beside, without }) => (beside?.test(plain) ?? true) && !without?.test(plain))
    .flatMap(({ of, executed }) =>
      [...plain.matchAll(of)].map(([match, ...groups]) =>
        executed(
          groups.map((group) => Number(group ?? 0)),
          match,
        ),
      ),
    );
  return counts.length === 0 ? undefined : Math.max(0, sum(counts));
}

// "No tests were run" is a failure where the command is a known test runner (X8): an exit code of 0 from a runner that
// found nothing proves nothing.

interface Runner {
  readonly called: RegExp;
  /** Whether its output says that nothing was run. */
  readonly ranNothing: (output: string) => boolean;
}

const says = (pattern: RegExp) => (output: string) => pattern.test(output);

/** Runners that report per file or per package: nothing was run when all their counts add up to nothing. */
const sumIsZero = (pattern: RegExp) => (output: string) => {
  const counts = [...output.matchAll(pattern)].map((match) => Number(match[1]));
  return counts.length > 0 && counts.every((count) => count === 0);
};

const runners: readonly Runner[] = [
  { called: /\bnode\s+(?:\S+\s+)*--test\b/, ranNothing: sumIsZero(/^(?:# |ℹ )tests (\d+)$/gm) },
  { called: /\bvitest\b/, ranNothing: says(/No test files found|no tests?$/im) },
  { called: /\bjest\b/, ranNothing: says(/No tests found/i) },
  { called: /\bmocha\b/, ranNothing: says(/^\s*0 passing/m) },
  { called: /\b(?:pytest|py\.test)\b/, ranNothing: says(/no tests ran|collected 0 items/i) },
  { called: /\bunittest\b/, ranNothing: says(/^Ran 0 tests/m) },
  { called: /\bcargo\s+(?:\S+\s+)*(?:test|nextest)\b/, ranNothing: sumIsZero(/^running (\d+) tests?$/gm) },
  {
    called: /\bgo\s+test\b/,
    ranNothing: (output) =>
      /\[no test files\]|no tests to run/.test(output) && !/^ok\s+(?!.*no tests to run)/m.test(output),
  },
  { called: /\brspec\b/, ranNothing: sumIsZero(/^(\d+) examples?,/gm) },
  { called: /\bphpunit\b/, ranNothing: says(/No tests executed!/) },
  { called: /\bdotnet\s+test\b/, ranNothing: says(/No test is available|Total tests: 0\b/) },
  { called: /\b(?:mvn|mvnw|gradle|gradlew)\b/, ranNothing: sumIsZero(/Tests run: (\d+)/g) },
  { called: /\bctest\b/, ranNothing: says(/No tests were found/) },
];

export function ranNoTests(command: string, output: string): boolean {
  const plain = output.replaceAll(/\u001b\[[0-9;]*m/g, "");
  return runners.some(({ called, ranNothing }) => called.test(command) && ranNothing(plain));
}

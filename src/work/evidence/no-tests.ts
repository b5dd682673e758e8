// "No tests were run" is a failure (X8): an exit code of 0 from a runner that found nothing, or skipped all of it, proves
// nothing, and neither does a script that cannot fail. What ran is seen by what was printed, whoever started it; a
// command that prints no summary of tests is judged by its exit code alone.
import { testName } from "./empty-script.ts";
import { testsExecuted } from "./test-summaries.ts";

/** Programs that print other files' words: what they say of tests is no summary. */
const readers = /^\s*(?:!\s*)?(?:grep|egrep|rg|cat|head|tail|sed|awk|git|diff|cmp|ls|find|jq|wc|test|\[)\b/;

/** `script`: what `emptyScript` found before the command ran, which may have written over it. */
interface Ran {
  readonly command: string;
  readonly output: string;
  readonly script: string | undefined;
}

/** What is wrong with a command that succeeded, as the end of a sentence; nothing when it may count. */
export function ranNoTests({ command, output, script }: Ran): string | undefined {
  const nothing = "succeeded, but no tests were run";
  if (script !== undefined) return `${nothing}: its script, \`${script}\`, cannot fail`;
  if (
    /^make: (?:Nothing to be done for '.*'|'.*' is up to date)\.$/.test(output.trim()) &&
    testName.test(command)
  )
    return `${nothing}: ${output.trim()}`;
  if (command.split(/&&|\|\||;|\n/).every((part) => readers.test(part))) return undefined;
  return testsExecuted(output, testName.test(command)) === 0 ? nothing : undefined;
}

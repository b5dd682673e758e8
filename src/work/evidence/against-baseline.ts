// Evidence, compared with the base (X23): every check says how its command ended before anybody had worked, and what was
// red then and is red still is not charged to the work, where something else proves the work.
import type { Baseline, BaselineCheck, Check, Evidence } from "../../core/run-parts.ts";
import { outputOf } from "./check-tree.ts";
import { newlyFailing } from "./failing-tests.ts";

export function againstBaseline(evidence: Evidence, baseline: Baseline | undefined): Evidence {
  if (!baseline) return evidence;
  const marked = evidence.checks.map((check): Check => {
    const before = baseline.checks.find(({ command }) => command === check.command);
    if (!before || before.result === "untried") return check;
    return { ...check, before: before.result === "green" ? "green" : "red" };
  });
  // A check that was green before the work says nothing about it: by itself it excuses nothing.
  const isProven = marked.some(({ ok, before }) => ok && before !== "green");
  if (!isProven) return { ...evidence, checks: marked };
  return { ...evidence, checks: marked.map((check) => excused(check, baseline)) };
}

/** Only a command of the project's own: what a task alone is judged by stays the task's to make green. */
function excused(check: Check, baseline: Baseline): Check {
  if (check.ok || check.before !== "red") return check;
  const before = baseline.checks.find(({ command }) => command === check.command);
  if (!before?.own) return check;
  const news = newFailures(before, check);
  if (news && news.length > 0) {
    const more = news.length > 3 ? ` and ${news.length - 3} more` : "";
    return { ...check, note: `was red before, and fails newly: ${news.slice(0, 3).join(", ")}${more}` };
  }
  const why = news
    ? "no test fails that did not fail before"
    : "it is the project's own, and not of this task";
  return { ...check, excused: why };
}

const newFailures = (before: BaselineCheck, check: Check) =>
  newlyFailing(outputOf(before.log), outputOf(check.log));

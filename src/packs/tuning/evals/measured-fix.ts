// A fix is measured by the skill's evals before and after it (S16), and taken back when it makes them worse. How they
// went before is a file before the fix is made, so that a kill in between compares with the right skill.
import { join } from "node:path";
import { ownRecord } from "../../../core/json.ts";
import type { Json } from "../../../core/run.ts";
import { makeFolder, readIfThere, replaceFile } from "../../../host/files.ts";
import type { Left } from "../actions.ts";
import type { Tuning } from "../agents.ts";
import { type ActionCase, listOf } from "../skill/actions/action.ts";
import { appliedLine } from "../skill/actions/look.ts";
import { type Applied, rollBack } from "../skill/apply.ts";
import { type Evaluated, evalLine, isWorse } from "./evals.ts";
import { evaluate } from "./evaluate.ts";

export async function applyMeasured(
  tuning: Tuning,
  { given, act }: { readonly given: ActionCase; readonly act: () => Left },
  signal: AbortSignal,
): Promise<Left> {
  const before = await beforeFix(tuning, given, signal);
  if (signal.aborted) return {};
  const left = act();
  const all = listOf<Applied>(left.result?.stateUpdates.applied_fixes);
  const last = all.at(-1);
  if (!before || !left.result || last?.verification_result !== "pending") return left;
  const after = await evaluate(tuning, given, signal);
  if (signal.aborted || !after) return left;
  const judged = judge(last, before, after);
  const now = [...all.slice(0, -1), judged];
  replaceFile(join(given.workDir, "fixes/applied-fixes.json"), `${JSON.stringify(now, null, 2)}\n`);
  const stateUpdates = { ...left.result.stateUpdates, applied_fixes: now as unknown as Json };
  return { result: { ...left.result, stateUpdates, summary: appliedLine(judged).slice(2) } };
}

async function beforeFix(
  tuning: Tuning,
  given: ActionCase,
  signal: AbortSignal,
): Promise<Evaluated | undefined> {
  const [id = ""] = listOf<string>(given.state("pending_fixes"));
  const folder = join(given.workDir, `round-${given.round}`);
  const file = join(folder, `evals-before-${id}.json`);
  const known = ownRecord<Evaluated>(file, readIfThere(file));
  if (known) return known;
  const before = await evaluate(tuning, given, signal).catch(() => undefined);
  if (!before) return undefined;
  makeFolder(folder);
  replaceFile(file, JSON.stringify(before));
  return before;
}

/** What a person changed meanwhile stays, and the fix counts as failed. */
function judge(applied: Applied, before: Evaluated, after: Evaluated): Applied {
  const evals = evalLine(before, after);
  if (!isWorse(before, after)) return { ...applied, evals };
  const back = rollBack(applied);
  return "code" in back ? { ...applied, evals, verification_result: "fail" } : { ...back, evals };
}

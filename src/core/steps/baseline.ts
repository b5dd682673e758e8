// What follows from a look at the base: it is written down, and what nobody can work on halts the run before anybody is paid.
import { accept, refuse, type Step } from "../answer.ts";
import { triesAt } from "../baseline.ts";
import type { Fact } from "../fact.ts";
import type { InputOf, Outcome } from "../input.ts";
import { problem } from "../problem.ts";
import type { Run } from "../run.ts";
import type { BaselineSeen } from "../run-parts.ts";

/** A person says that it may be as it is, and why (C9). */
export function skipBaseline(run: Run, { reason }: InputOf<"skip-baseline">): Step {
  if (reason.trim() === "")
    return refuse(
      problem("no-reason", "an override needs a reason", {
        hint: { do: "resume", skipBaseline: true },
      }),
    );
  const facts: Fact[] = run.policy.baseline
    ? [{ kind: "overridden", reason, phase: null, tasks: {}, policy: { baseline: false } }]
    : [];
  if (run.halt?.code === "baseline")
    facts.push({ kind: "resumed", reason: run.halt.reason, stopFile: false });
  return accept(...facts);
}

export function baselineEnded(
  run: Run,
  commit: string,
  { outcome, runMs }: { readonly outcome: Outcome; readonly runMs: number },
): Step {
  const tries = triesAt(run.baseline, commit) + 1;
  const seen: BaselineSeen = outcome.ok
    ? (outcome.baseline ?? { tree: null, checks: [], stops: null })
    : { tree: null, checks: [], stops: outcome.error };
  const checked: Fact = { kind: "baseline-checked", commit, tries, ...seen, runMs };
  if (seen.stops === null || run.halt) return accept(checked);
  const isOfTheWorld = !outcome.ok && (outcome.kind === "place" || outcome.kind === "disk");
  const code = isOfTheWorld ? outcome.kind : "baseline";
  return accept(checked, { kind: "halt-requested", code, reason: seen.stops, now: false });
}

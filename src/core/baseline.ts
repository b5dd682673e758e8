// The base: the commit that a run began from, and what heddle saw of it before anybody was paid (X23). A command that was
// red there is known to be; one that was green there proves nothing about the work; one that cannot run stops the run.
import type { Effect } from "./effect.ts";
import { hasArrived } from "./protocol.ts";
import type { Run } from "./run.ts";
import type { Baseline, BaselineCheck, Check } from "./run-parts.ts";
import { isReady } from "./task.ts";

/** Whether tasks wait until the base has been looked at. What stopped the run is looked at again when it goes on. */
export function needsBaseline({ policy, branch, baseline }: Run): boolean {
  if (!policy.baseline || !branch) return false;
  return baseline?.commit !== branch.start || baseline.stops !== null;
}

/** The look that is still to come. An answer to it counts whatever happened meanwhile, as an attempt's does. */
export function effectOfBaseline(run: Run): Extract<Effect, { kind: "check-baseline" }> | undefined {
  const { branch, baseline, epoch } = run;
  if (!branch || !needsBaseline(run)) return undefined;
  const number = triesAt(baseline, branch.start) + 1;
  const key = `check-baseline:${branch.start}#${number}@${epoch}`;
  return { kind: "check-baseline", key, commit: branch.start, number };
}

/** Whether it is time for it. Nobody pays for it, and nothing of it is kept half done: a halt takes it off the list. */
export function isBaselineDue(run: Run): boolean {
  const { halt, holder, phase, slots, protocol } = run;
  if (!holder || halt || run.archived || slots === 0 || hasArrived(run)) return false;
  return phase === protocol.graph?.runs && needsBaseline(run) && isWorkWaiting(run);
}

export const triesAt = (baseline: Baseline | undefined, commit: string) =>
  baseline?.commit === commit ? baseline.tries : 0;

function isWorkWaiting(run: Run): boolean {
  if (!run.only) return run.tasks.ready(1).length > 0;
  return run.only.some((id) => {
    const task = run.tasks.get(id);
    return task !== undefined && isReady(task);
  });
}

/** What was seen of a command on the base. */
export function seenBefore({ baseline }: Pick<Run, "baseline">, command: string): BaselineCheck | undefined {
  return baseline?.checks.find((each) => each.command === command);
}

/** A red check that the work did not cause: it was red before the work began. */
export const isExcused = ({ ok, excused }: Pick<Check, "ok" | "excused">) => !ok && excused !== undefined;

/** How a check is marked wherever it is shown. */
export function beforeMark({ ok, before, excused }: Pick<Check, "ok" | "before" | "excused">): string | null {
  if (!ok && excused !== undefined) return `red before: ${excused}`;
  if (before === "green") return "green before";
  return before === "red" && !ok ? "red before" : null;
}

/** What the base was like, in sentences; nothing where all was as one would wish. */
export function baselineSentences({ baseline }: Pick<Run, "baseline">): string[] {
  if (!baseline || baseline.stops !== null) return [];
  const listed = (checks: readonly BaselineCheck[]) => {
    const named = checks.slice(0, 3).map(({ command }) => `\`${command}\``);
    return named.join(", ") + (checks.length > 3 ? ` and ${checks.length - 3} more` : "");
  };
  const red = baseline.checks.filter(({ own, result }) => own && result !== "green" && result !== "untried");
  const green = baseline.checks.filter(({ own, result }) => !own && result === "green");
  return [
    ...(red.length > 0 ? [`red before the work began: ${listed(red)}`] : []),
    ...(green.length > 0 ? [`green before the work began, so it proves nothing: ${listed(green)}`] : []),
  ];
}

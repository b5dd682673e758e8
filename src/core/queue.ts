// The integration queue. Verified attempts are merged one by one, in the order in which they came; so that this does
// not serialise the run, each is prepared and checked on top of the one before it, as if that one were merged already.
// When one drops out, those behind it rest on a commit that will never be, and are prepared again: no event says so,
// it follows from what each was prepared onto.

import { type Run, type Task, type TaskDef, taskOf } from "./run.ts";
import type { Candidate, Evidence } from "./run-parts.ts";

export type QueuePlace =
  | { readonly needs: "merge"; readonly onto: string }
  | { readonly needs: "check"; readonly candidate: Candidate }
  | { readonly needs: "branch"; readonly candidate: Candidate }
  /** It waits for those before it. */
  | { readonly needs: "nothing" };

export function placeInQueue(run: Run, task: Task): QueuePlace {
  let onto = run.branch?.tip;
  for (const id of run.queue) {
    const here = taskOf(run, id);
    const candidate = here.attempt?.candidate ?? null;
    const fits = onto !== undefined && candidate?.onto === onto ? candidate : undefined;
    if (id === task.def.id) return placeOf(run, here, { onto, fits });
    onto = fits?.commit;
  }
  return { needs: "nothing" };
}

function placeOf(
  run: Run,
  task: Task,
  { onto, fits }: { onto: string | undefined; fits: Candidate | undefined },
): QueuePlace {
  if (onto === undefined) return { needs: "nothing" };
  if (!fits) return { needs: "merge", onto };
  if (!isProven(task, fits.tree)) return { needs: "check", candidate: fits };
  return run.queue[0] === task.def.id ? { needs: "branch", candidate: fits } : { needs: "nothing" };
}

/** Evidence counts for one tree: it carries over to a merge that is the very tree that was checked (G4). */
export function isProven({ evidence, def }: Task, tree: string): boolean {
  return evidence?.tree === tree && (isGreen(evidence) || isWaived(evidence, def));
}

/** Nothing checked it, and a person said before that nothing would. */
export function isWaived({ checks }: Evidence, { unchecked }: Pick<TaskDef, "unchecked">): boolean {
  return checks.length === 0 && unchecked === true;
}

/**
 * Where no check ran nothing was seen: an empty list is no evidence, although none of it is red. What was red before the
 * work, and is no fault of it, does not count against it; and nothing is shown by such checks alone.
 */
export function isGreen(evidence: Evidence | null): boolean {
  if (evidence === null) return false;
  const { checks } = evidence;
  return checks.some((check) => check.ok) && checks.every((check) => check.ok || check.excused !== undefined);
}

/** Said wherever evidence is shown: whoever changes the judge decides what the verdict is worth. */
export function judgingSentence(files: readonly string[]): string {
  return `it changed how it is judged: ${files.join(", ")}`;
}

/** It has been checked and only waits for others: its slot is free. */
export function isWaiting(run: Run, task: Task): boolean {
  return task.attempt?.stage === "integrating" && placeInQueue(run, task).needs === "nothing";
}

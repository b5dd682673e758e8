// Effects that somebody works on and answers: attempts at tasks, and roles at their documents.
import type { AttemptEffect, Effect } from "../../src/core/effect.ts";

export type TaskWork = AttemptEffect;
export type JobWork = Extract<Effect, { kind: "run-role" | "repair-output" | "check-output" }>;
export type Work = TaskWork | JobWork;

export const isTaskWork = (work: Work): work is TaskWork => "task" in work;

/**
 * Tells any two pieces of work apart that could be mistaken for each other: another stage, attempt or epoch, another
 * merge, and an output before and after the fixer had it. The code under test has keys of its own for that; these do
 * not trust them.
 */
export function identityOf(work: Work): string {
  const [, held = "", epoch] = /((?:~\d+)?)@(\d+)(?:\+\S+)?$/.exec(work.key) ?? [];
  return `${work.kind}:${nameOf(work)}${objectOf(work)}${held}@${epoch}`;
}

/** `T001#2`, `task-author#1`: what is worked on, and which try it is. */
export function nameOf(work: Work): string {
  return isTaskWork(work) ? `${work.task}#${work.attempt}` : `${work.job.role}#${work.job.attempt}`;
}

function objectOf(work: Work): string {
  if (!isTaskWork(work)) return work.job.repaired ? " repaired" : "";
  if ("candidate" in work) return ` of ${work.candidate.commit}`;
  return "onto" in work ? ` onto ${work.onto}` : "";
}

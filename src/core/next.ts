// What the world should be doing, given where the run stands. The world compares this list with what is under
// way: it starts what is missing and ends what is no longer listed.
import { effectOfBaseline, isBaselineDue } from "./baseline.ts";
import { type Effect, effectOfAttempt, effectOfJob, effectOfMachine } from "./effect.ts";
import { type Run, taskOf } from "./run.ts";

export function next(run: Run): Effect[] {
  return [...jobs(run), ...attempts(run), ...base(run), ...machines(run), view(run)];
}

/** A plain halt lets attempts finish; `now` takes them off the list, and the world ends them (C10). */
function attempts(run: Run): Effect[] {
  if (run.halt?.now || run.holder === null || run.archived) return [];
  return run.running.flatMap((id) => effectOfAttempt(run, taskOf(run, id)) ?? []);
}

function jobs(run: Run): Effect[] {
  if (!run.job || run.job.held || run.halt?.now) return [];
  return run.holder && !run.archived ? [effectOfJob(run, run.job)] : [];
}

function base(run: Run): Effect[] {
  const effect = isBaselineDue(run) ? effectOfBaseline(run) : undefined;
  return effect ? [effect] : [];
}

function machines(run: Run): Effect[] {
  if (run.halt || run.holder === null || run.archived) return [];
  return (run.fleet?.machines ?? []).flatMap((each) => effectOfMachine(run, each) ?? []);
}

/** Questions and the log need no effect: a surface shows what is open, and lines are written after each commit. */
function view({ position }: Run): Effect {
  return { kind: "write-view", key: `write-view:${position}`, position };
}

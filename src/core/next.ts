// What the world should be doing, given where the run stands. The world compares this list with what is under
// way: it starts what is missing and ends what is no longer listed.
import { type Effect, effectOfAttempt, effectOfJob } from "./effect.ts";
import { type Run, taskOf } from "./run.ts";

export function next(run: Run): Effect[] {
  return [...jobs(run), ...attempts(run), ...questions(run), ...records(run)];
}

/** A plain halt lets attempts finish; `now` takes them off the list, and the world ends them (C10). */
function attempts(run: Run): Effect[] {
  if (run.halt?.now || run.holder === null || run.archived) return [];
  return run.running.flatMap((id) => effectOfAttempt(run, taskOf(run, id)) ?? []);
}

function jobs(run: Run): Effect[] {
  return run.job && run.holder && !run.archived && !run.halt?.now ? [effectOfJob(run, run.job)] : [];
}

function questions(run: Run): Effect[] {
  return run.questions
    .filter((question) => question.answer === null)
    .map(({ id }) => ({ kind: "ask-question", key: `ask-question:${id}`, question: id }));
}

function records(run: Run): Effect[] {
  const { position } = run;
  return [
    { kind: "write-view", key: `write-view:${position}`, position },
    { kind: "write-log", key: `write-log:${position}`, position },
  ];
}

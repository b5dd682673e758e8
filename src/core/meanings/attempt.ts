// What the facts about heddle's own attempts mean: their work, their evidence, and how it reached the branch.
import { later } from "../bounds.ts";
import type { Meanings } from "../fact.ts";
import type { Run, Task } from "../run.ts";
import { change } from "../task.ts";
import { gotOn } from "./machine.ts";

export const attemptMeanings: Meanings<
  | "stage-entered"
  | "work-recorded"
  | "checks-recorded"
  | "merge-prepared"
  | "task-merged"
  | "attempt-lost"
  | "attempt-paused"
  | "attempt-parked"
  | "attempt-held"
  | "attempt-moved"
  | "proposal-recorded"
  | "proposal-refused"
  | "task-undone"
  | "branch-opened"
  | "branch-moved"
  | "landed"
  | "baseline-checked"
> = {
  "stage-entered": (run, { task: id, stage, dueMs, runMs }) => {
    change(run, id, ({ attempt }) => {
      if (attempt) Object.assign(attempt, { stage, dueMs });
    });
    if (stage === "integrating") run.queue.push(id);
    gotOn(run, run.tasks.get(id)?.attempt?.machine);
    pass(run, runMs);
  },
  "work-recorded": (
    run,
    { task: id, attempt: number, commit, tree, created, modified, differences, judging },
  ) =>
    change(run, id, (task) => {
      const work = { commit, tree, created, modified, differences };
      if (task.attempt) task.attempt.work = { ...work, ...(judging && { judging }) };
      task.seen = { attempt: number, commit, red: [] };
    }),
  "checks-recorded": (run, { task: id, attempt, tree, checks, judging }) =>
    change(run, id, (task) => {
      const commit = task.seen?.attempt === attempt ? task.seen.commit : null;
      task.seen = { attempt, commit, red: checks.filter(({ ok }) => !ok) };
      task.evidence = { tree, checks, ...(judging && { judging }) };
    }),
  "merge-prepared": (run, { task: id, commit, tree, onto, dueMs, runMs }) => {
    change(run, id, ({ attempt }) => {
      if (attempt) Object.assign(attempt, { candidate: { commit, tree, onto }, dueMs });
    });
    pass(run, runMs);
  },
  "task-merged": (run, { task: id, commit, tip }) => {
    change(run, id, (task) => {
      task.commit = commit;
    });
    moveTo(run, tip);
  },
  "attempt-lost": (run, { task: id, reason, runMs }) => {
    change(run, id, (task) => {
      giveBack(task);
      task.losses++;
      task.lastFailure = {
        error: reason,
        category: "environment",
        subcategory: "lost",
        retryable: true,
      };
    });
    pass(run, runMs);
  },
  "attempt-paused": (run, { task: id, runMs }) => {
    change(run, id, giveBack);
    pass(run, runMs);
  },
  "attempt-parked": (run, { task: id, notBeforeMs, runMs }) => {
    change(run, id, (task) => {
      giveBack(task);
      task.notBeforeMs = notBeforeMs;
    });
    pass(run, runMs);
  },
  "attempt-held": (run, { task: id, runMs }) => {
    change(run, id, ({ attempt }) => {
      if (attempt) Object.assign(attempt, { held: true, holds: (attempt.holds ?? 0) + 1, dueMs: null });
    });
    pass(run, runMs);
  },
  // As one that was held and goes on: the key is another, so that a word from the machine that was given up fits nothing.
  "attempt-moved": (run, { task: id, runMs, dueMs }) => {
    change(run, id, ({ attempt }) => {
      if (!attempt) return;
      delete attempt.machine;
      Object.assign(attempt, { holds: (attempt.holds ?? 0) + 1, dueMs });
    });
    pass(run, runMs);
  },
  "proposal-recorded": () => {},
  "proposal-refused": () => {},
  "task-undone": (run, { task: id, commit, reason }) => {
    change(run, id, (task) => {
      task.state = "failed";
      task.done = null;
      task.commit = null;
      task.evidence = null;
      task.failure = { error: reason, category: "undone", subcategory: null, retryable: true };
      task.lastFailure = task.failure;
    });
    moveTo(run, commit);
  },
  "branch-opened": (run, { name, start, tip }) => {
    run.branch = { name, start, tip };
  },
  "branch-moved": (run, { tip }) => moveTo(run, tip),
  landed: () => {},
  "baseline-checked": (run, { commit, tries, tree, checks, stops, runMs }) => {
    // What they printed is in the fact and in the logs: the head is written with every fact.
    run.baseline = { commit, tries, tree, stops, checks: checks.map(({ tail: _, ...check }) => check) };
    pass(run, runMs);
  },
};

/** As if it had not been started, but for its number. */
function giveBack(task: Task): void {
  task.state = "pending";
  task.attempt = null;
  task.tries--;
}

function moveTo(run: Run, tip: string): void {
  if (run.branch) run.branch = { ...run.branch, tip };
}

function pass(run: Run, runMs: number): void {
  run.runMs = later(run.runMs, runMs);
}

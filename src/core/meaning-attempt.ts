// What the facts about heddle's own attempts mean: their work, their evidence, and how it reached the branch.
import type { Meanings } from "./fact.ts";
import type { Run, Task } from "./run.ts";
import { change } from "./task.ts";

export const attemptMeanings: Meanings<
  | "stage-entered"
  | "work-recorded"
  | "checks-recorded"
  | "merge-prepared"
  | "task-merged"
  | "attempt-lost"
  | "attempt-paused"
  | "attempt-parked"
  | "proposal-recorded"
  | "proposal-refused"
  | "task-undone"
  | "branch-opened"
  | "branch-moved"
  | "landed"
> = {
  "stage-entered": (run, { task: id, stage, dueMs, runMs }) => {
    change(run, id, ({ attempt }) => {
      if (attempt) Object.assign(attempt, { stage, dueMs });
    });
    if (stage === "integrating") run.queue.push(id);
    pass(run, runMs);
  },
  "work-recorded": (run, { task: id, commit, tree, created, modified, differences }) =>
    change(run, id, ({ attempt }) => {
      if (attempt) attempt.work = { commit, tree, created, modified, differences };
    }),
  "checks-recorded": (run, { task: id, tree, checks }) =>
    change(run, id, (task) => {
      task.evidence = { tree, checks };
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
  run.runMs = Math.max(run.runMs, runMs);
}

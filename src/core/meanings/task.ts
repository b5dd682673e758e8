// What the facts about tasks and their attempts mean.
import { later } from "../bounds.ts";
import type { FactOf, Meanings } from "../fact.ts";
import { inOrder, remainingHours } from "../graph/graph.ts";
import { type Attempt, type Run, type Task, type TaskId, taskOf } from "../run.ts";
import { change, hostAttempt, isDead, isSettled, isUnverified, newTask, reset, statusOf } from "../task.ts";
import { useAnswers } from "./answers.ts";

export const taskMeanings: Meanings<
  | "task-defined"
  | "task-dropped"
  | "plan-loaded"
  | "task-started"
  | "attempt-failed"
  | "task-completed"
  | "task-failed"
  | "task-retried"
  | "task-skipped"
  | "task-imported"
  | "verification-recorded"
  | "rollback-prepared"
  | "rollback-verified"
  | "task-committed"
> = {
  "task-defined": define,
  "task-dropped": (run, fact) => drop(run, fact.task),
  "plan-loaded": rank,
  "task-started": (run, fact, { at }) => {
    useAnswers(run, (about) => about === fact.task);
    change(run, fact.task, (task) => {
      task.state = "running";
      task.attempts = fact.attempt;
      task.tries++;
      task.attempt = begun(fact);
      if (fact.machine === undefined) delete task.machine;
      else task.machine = fact.machine;
      Object.assign(task, { startedAt: at, completedAt: null, failure: null, done: null, evidence: null });
    });
    pass(run, fact.runMs);
  },
  "attempt-failed": (run, fact) => {
    change(run, fact.task, (task) => {
      task.state = "pending";
      task.attempt = null;
      task.failure = failureOf(fact);
      task.lastFailure = task.failure;
      task.notBeforeMs = fact.notBeforeMs;
    });
    pass(run, fact.runMs);
  },
  "task-completed": (run, fact, { at }) => {
    change(run, fact.task, (task) => {
      task.state = "complete";
      task.attempt = null;
      Object.assign(task, {
        completedAt: at,
        created: fact.created,
        modified: fact.modified,
        done: fact.done,
      });
      task.failure = null;
      task.lastFailure = null;
    });
  },
  "task-failed": (run, fact, { at }) => {
    change(run, fact.task, (task) => {
      task.state = "failed";
      task.attempt = null;
      task.completedAt = at;
      task.failure = failureOf(fact);
      task.lastFailure = task.failure;
    });
  },
  "task-retried": (run, fact) => change(run, fact.task, reset),
  "task-skipped": (run, fact, { at }) => {
    change(run, fact.task, (task) => {
      const { startedAt, created, modified, verification } = task;
      reset(task);
      if (fact.keeps) Object.assign(task, { startedAt, created, modified, verification });
      task.state = "skipped";
      task.skipReason = fact.reason;
      task.completedAt = at;
    });
  },
  "task-imported": (run, fact) => {
    change(run, fact.task, (task) => {
      Object.assign(task, fact.record);
      if (task.state === "complete") task.done = "claimed";
      if (task.state === "running") task.attempt = hostAttempt(task);
    });
  },
  "verification-recorded": (run, fact, { at }) => {
    const { kind: _, task: id, ...rest } = fact;
    change(run, id, (task) => {
      task.verification = { ...rest, verifiedAt: at };
    });
  },
  "rollback-prepared": (run, fact) => {
    change(run, fact.task, (task) => {
      task.rollback = fact.rollback;
    });
  },
  "rollback-verified": () => {},
  "task-committed": () => {},
};

/** One by a host, or one of heddle's own from before attempts had a base, begins with the work itself. */
function begun({ attempt: number, driver, dueMs, base, machine }: FactOf<"task-started">): Attempt {
  const stage = base === undefined ? "working" : "preparing";
  const at = machine === undefined ? {} : { machine };
  return { number, driver, stage, dueMs, base: base ?? null, work: null, candidate: null, ...at };
}

function failureOf({ error, category, subcategory, retryable }: FactOf<"task-failed" | "attempt-failed">) {
  return { error, category, subcategory, retryable };
}

function pass(run: Run, runMs: number): void {
  run.runMs = later(run.runMs, runMs);
}

/** Dependencies are defined before the tasks that name them: `step` writes a plan down in that order. */
function define(run: Run, fact: FactOf<"task-defined">): void {
  const { task: def } = fact;
  if (!run.tasks.get(def.id)) {
    run.counts.pending++;
    const task = newTask({ ...def, dependsOn: [] });
    task.attempts = run.retired[def.id] ?? 0;
    run.tasks.set(task);
  }
  change(run, def.id, (task) => {
    unlink(run, task);
    if (fact.reset) reset(task);
    task.def = def;
    link(run, task);
  });
}

function link(run: Run, task: Task): void {
  task.unmet = 0;
  task.dead = 0;
  for (const id of task.def.dependsOn) {
    const dependency = taskOf(run, id);
    dependency.dependents.push(task.def.id);
    run.tasks.set(dependency);
    if (!isSettled(dependency)) task.unmet++;
    if (isDead(dependency)) task.dead++;
  }
}

function unlink(run: Run, task: Task): void {
  for (const id of task.def.dependsOn) {
    const dependency = taskOf(run, id);
    dependency.dependents = dependency.dependents.filter((dependent) => dependent !== task.def.id);
    run.tasks.set(dependency);
  }
}

function drop(run: Run, id: TaskId): void {
  const task = taskOf(run, id);
  unlink(run, task);
  run.counts[statusOf(task)]--;
  run.unverified -= Number(isUnverified(task));
  run.running = run.running.filter((each) => each !== id);
  run.queue = run.queue.filter((each) => each !== id);
  run.retired[id] = task.attempts;
  run.tasks.delete(id);
}

/** The order of scheduling follows from the whole plan, so it is computed once the plan is complete. */
function rank(run: Run): void {
  const nodes = [...run.tasks.all()].map(({ def }) => ({
    id: def.id,
    dependsOn: def.dependsOn,
    hours: def.estimateHours,
  }));
  for (const [id, hours] of remainingHours(inOrder(nodes))) {
    const task = taskOf(run, id);
    if (task.remaining === hours) continue;
    task.remaining = hours;
    run.tasks.set(task);
  }
}

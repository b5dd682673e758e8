// What a person or a host may do with one task: start, complete, fail, retry, skip. Legal transitions only (X12).
import { accept, find, isProblem, refuse, type Step, type Steps } from "../answer.ts";
import type { Fact } from "../fact.ts";
import type { Hint } from "../hint.ts";
import type { InputOf } from "../input.ts";
import { type Problem, problem } from "../problem.ts";
import { isGreen } from "../queue.ts";
import { type Run, type Task, type TaskId, taskOf } from "../run.ts";
import { isDead, isSettled, statusOf } from "../task.ts";

export const taskSteps: Steps<"start" | "complete" | "fail" | "retry" | "skip"> = {
  start,
  complete: (run, { task: id, attempt, created, modified, evidence }) =>
    whenRunning(run, { id, attempt }, ({ attempts }) => {
      const about = { task: id, attempt: attempts };
      const done = isGreen(evidence ?? null) ? "verified" : "claimed";
      const seen: Fact[] = evidence ? [{ kind: "checks-recorded", ...about, ...evidence }] : [];
      return accept(...seen, { kind: "task-completed", ...about, created, modified, done });
    }),
  fail: (run, { task: id, attempt, error, category, subcategory, retryable }) =>
    whenRunning(run, { id, attempt }, ({ attempts }) =>
      accept({ kind: "task-failed", task: id, attempt: attempts, error, category, subcategory, retryable }),
    ),
  retry,
  skip: (run, { task: id, reason }) => {
    const task = find(run, id);
    if (isProblem(task)) return refuse(task);
    const status = statusOf(task);
    if (status === "pending" || status === "blocked" || status === "failed")
      return accept({ kind: "task-skipped", task: id, reason, keeps: true });
    return refuse(wrongStatus(task, "skipped", skipHints[status](id)));
  },
};

const skipHints = {
  running: (task: TaskId): Hint => [{ do: "fail-task", task }, " ends it first"],
  complete: (task: TaskId): Hint => ({ do: "why", task }),
  skipped: (task: TaskId): Hint => ({ do: "why", task }),
};

function start(run: Run, { task: id, force }: InputOf<"start">): Step {
  const task = find(run, id);
  if (isProblem(task)) return refuse(task);
  const refusal = closed(run) ?? unstartable(run, task, force === true);
  if (refusal) return refuse(refusal);
  const facts: Fact[] = [];
  const { graph } = run.protocol;
  if (graph?.opens !== undefined && run.phase === graph.opens)
    facts.push({
      kind: "phase-entered",
      from: graph.opens,
      to: graph.runs,
      rule: "the first task starts",
      counts: null,
    });
  if (task.state === "failed") facts.push({ kind: "task-retried", task: id });
  const attempt = task.attempts + 1;
  facts.push({ kind: "task-started", task: id, attempt, driver: "host", runMs: run.runMs, dueMs: null });
  return accept(...facts);
}

/** Why nothing may start in this run just now. */
function closed(run: Run): Problem | undefined {
  if (run.halt)
    return problem("halted", `nothing starts while the run is halted: ${run.halt.reason}`, {
      hint: { do: "resume" },
    });
  const { graph } = run.protocol;
  if (graph && run.phase !== graph.opens && run.phase !== graph.runs)
    return problem("wrong-phase", `no task starts in phase \`${run.phase}\`: the plan is not ready`, {
      hint: [{ do: "show-next" }, " shows what is missing"],
    });
  return undefined;
}

function unstartable(run: Run, task: Task, force: boolean): Problem | undefined {
  const { id } = task.def;
  if (task.state === "failed" && !task.failure?.retryable && !force) return finalFailure(task);
  if (task.state === "running")
    return wrongStatus(task, "started", [
      { do: "complete-task", task: id },
      ", or: ",
      { do: "retry-task", task: id },
    ]);
  if (task.state === "complete" || task.state === "skipped")
    return wrongStatus(task, "started", { do: "why", task: id });
  const waitingFor = task.def.dependsOn.filter((each) => !isSettled(taskOf(run, each)));
  if (waitingFor.length === 0) return undefined;
  const named = waitingFor.slice(0, 5).map((each) => `${each} is ${standing(taskOf(run, each))}`);
  return problem("not-ready", `task \`${id}\` is not ready: ${named.join(", ")}`, {
    hint: { do: "why", task: id },
  });
}

function standing(task: Task): string {
  return task.state === "complete" ? "held back by its verification" : statusOf(task);
}

interface Speaker {
  readonly id: TaskId;
  readonly attempt?: number | undefined;
}

function whenRunning(run: Run, { id, attempt }: Speaker, answer: (task: Task) => Step): Step {
  const task = find(run, id);
  if (isProblem(task)) return refuse(task);
  if (task.attempt?.driver === "engine")
    return refuse(
      problem("not-yours", `task \`${id}\` is being worked on by heddle itself (attempt ${task.attempts})`, {
        hint: [{ do: "halt", now: true }, " ends it"],
      }),
    );
  if (task.state === "running" && attempt !== undefined && attempt !== task.attempts)
    return refuse(
      problem(
        "other-attempt",
        `attempt ${attempt} of task \`${id}\` is not the one that runs: that is attempt ${task.attempts}`,
        { hint: { do: "why", task: id } },
      ),
    );
  if (task.state === "running") return answer(task);
  const hint: Hint = { do: statusOf(task) === "pending" ? "start-task" : "why", task: id };
  return refuse(wrongStatus(task, "completed or failed: it is not running", hint));
}

/**
 * A failed task goes back to pending, and so does one that a lost host or orchestrator left running, unless its merge is
 * under way: that is looked for first, by whoever goes on. A blocked one has nothing of
 * its own to retry: the failed tasks it waits for are retried in its place.
 */
function retry(run: Run, { task: id, force, gone }: InputOf<"retry">): Step {
  const task = find(run, id);
  if (isProblem(task)) return refuse(task);
  const status = statusOf(task);
  if (status === "blocked") return retryCauses(run, task, force === true);
  const { driver, stage } = task.attempt ?? {};
  const isLeft = driver === "host" || (gone === run.epoch && stage !== "integrating");
  if (status === "running" && isLeft) return accept({ kind: "task-retried", task: id });
  if (status !== "failed") return refuse(wrongStatus(task, "retried", { do: "why", task: id }));
  if (!task.failure?.retryable && !force) return refuse(finalFailure(task));
  return accept({ kind: "task-retried", task: id });
}

function retryCauses(run: Run, task: Task, force: boolean): Step {
  const causes = causesOf(run, task);
  const failed = causes.filter((cause) => cause.state === "failed");
  const final = failed.filter((cause) => !cause.failure?.retryable && !force);
  if (final.length > 0) return refuse(...final.map(finalFailure));
  if (failed.length > 0)
    return accept(...failed.map((each): Fact => ({ kind: "task-retried", task: each.def.id })));
  const held = causes.map((cause) => cause.def.id).join(", ");
  return refuse(
    problem("held", `task \`${task.def.id}\` is blocked by the verification of ${held}`, {
      hint: { do: "confirm-verification", task: causes[0]?.def.id ?? task.def.id },
    }),
  );
}

/** The failed or held tasks at the root of a blockage. */
export function causesOf(run: Run, blocked: Task): Task[] {
  const causes: Task[] = [];
  const seen = new Set<TaskId>();
  const open = [blocked];
  for (let task = open.pop(); task; task = open.pop()) {
    for (const id of task.def.dependsOn) {
      const dependency = taskOf(run, id);
      if (seen.has(id) || !isDead(dependency)) continue;
      seen.add(id);
      if (dependency.state === "pending") open.push(dependency);
      else causes.push(dependency);
    }
  }
  return causes.sort((a, b) => (a.def.id < b.def.id ? -1 : 1));
}

function finalFailure(task: Task): Problem {
  const { id } = task.def;
  return problem("not-retryable", `task \`${id}\` failed for good: ${task.failure?.error}`, {
    hint: { do: "retry-task", task: id, force: true },
  });
}

function wrongStatus(task: Task, what: string, hint: Hint): Problem {
  return problem("wrong-status", `task \`${task.def.id}\` is ${statusOf(task)} and cannot be ${what}`, {
    hint,
  });
}

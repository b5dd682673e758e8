// What the mission's rules look at. Which task is next is not stored but computed: the first one at or after
// `current_task_idx` whose summary is not complete. Summaries, made from the plan, are stale under a new one; so a
// gap plan begins at its first task by itself.
import { artifact, freshness, variable } from "../../core/artifact.ts";
import type { Seen, Subject } from "../../core/protocol.ts";
import type { Run } from "../../core/run.ts";
import { answersTo, type Content, counterSince, countOf, verdict } from "../subject.ts";

export const PLAN_TRIES = 3;
export const TASK_RETRIES = 3;
export const GAP_PLANS = 2;

/** What each artifact is made from, as far as it is there; `summary` stands for every summary of the plan. */
export const missionInputs: Readonly<Record<string, readonly string[]>> = {
  context: [],
  research: ["context"],
  plan: ["context", "research"],
  summary: ["plan"],
  verification: ["plan", "summary"],
};

/** The name under which a task's summary is registered. */
export const summaryOf = (task: string): string => `summary_${task}`;

/** `tasks`: the ids in the plan's order. */
function tasksOf(content: Content): readonly string[] | undefined {
  const { tasks } = content;
  return Array.isArray(tasks) && tasks.every((id) => typeof id === "string") ? tasks : undefined;
}

export interface CurrentTask {
  readonly id: string;
  readonly index: number;
}

/** The task to work on now; `null` when all are complete, or when there is no plan to read them from. */
export function currentTask(seen: Seen): CurrentTask | null {
  const tasks = tasksOf(seen.run.artifacts.plan?.content ?? {}) ?? [];
  const first = countOf(seen.run.vars.current_task_idx) ?? 0;
  const index = tasks.findIndex((id, each) => each >= first && summarySays(seen, id) !== "complete");
  const id = tasks[index];
  return id === undefined ? null : { id, index };
}

/**
 * `status`: complete, failed, blocked or checkpoint; `verified`: what became of the task's own command. A claim without
 * it is invalid, and one that it contradicts a failure (M6).
 */
function summarySays(seen: Seen, task: string): string {
  const name = summaryOf(task);
  const state = freshness(name, seen);
  if (state !== "valid") return state;
  const { status, verified } = seen.run.artifacts[name]?.content ?? {};
  if (status === "failed" || status === "blocked" || status === "checkpoint") return status;
  if (status !== "complete" || typeof verified !== "boolean") return "invalid";
  return verified ? "complete" : "failed";
}

const summary: Subject = {
  about: "the summary of the task that is next",
  artifact: "summary",
  values: ["missing", "invalid", "stale", "failed", "blocked", "checkpoint", "all complete"],
  see: (seen) => {
    const task = currentTask(seen);
    return task ? summarySays(seen, task.id) : "all complete";
  },
};

/** Asked at a checkpoint, and where a task is blocked or has failed for good. */
const answer: Subject = {
  about: "a person's answer to that summary",
  artifact: "summary",
  values: ["none", "open", "given"],
  see: (seen) => {
    const task = currentTask(seen);
    return task ? answersTo(seen.run, summaryOf(task.id)) : "none";
  },
};

/** `retries` of a summary: how often its task was tried again after a failure. */
const retries: Subject = {
  about: "how often the task that is next was retried",
  values: ["below", "reached"],
  see: (seen) => {
    const task = currentTask(seen);
    return task && contentCount(seen.run, summaryOf(task.id), "retries") >= TASK_RETRIES
      ? "reached"
      : "below";
  },
};

/** `tries` of a plan: how often in a row the planner was asked for it. */
const planTries: Subject = {
  about: "how often the planner tried",
  values: ["below", "reached"],
  see: ({ run }) => (contentCount(run, "plan", "tries") >= PLAN_TRIES ? "reached" : "below"),
};

function contentCount(run: Run, name: string, key: string): number {
  return countOf(run.artifacts[name]?.content[key]) ?? 0;
}

/** `passed: boolean`. */
function verificationSays({ passed }: Content): string | undefined {
  if (typeof passed !== "boolean") return undefined;
  return passed ? "passed" : "gaps";
}

export const missionSubjects: Readonly<Record<string, Subject>> = {
  context: artifact("context"),
  "research done": variable("research_done", ["true", "false"], "false"),
  research: artifact("research"),
  plan: verdict("plan", ["valid"], (content) => (tasksOf(content)?.length ? "valid" : undefined)),
  "plan tries": planTries,
  summary,
  answer,
  retries,
  verification: verdict("verification", ["passed", "gaps"], verificationSays),
  gaps: counterSince("gaps", () => GAP_PLANS),
  returns: counterSince("returns", (run) => run.policy.rounds),
};

// What the mission's rules look at. The plan's tasks are the run's task graph, a chain: which one is next, how often it
// was tried and whether it waits for a person follows from the graph and is stored nowhere else.
import { artifact, variable } from "../../core/artifact.ts";
import type { Subject } from "../../core/protocol.ts";
import type { Run, Task } from "../../core/run.ts";
import type { Question } from "../../core/run-parts.ts";
import { isSettled } from "../../core/task.ts";
import { type Content, counterSince, countOf, verdict } from "../../protocols/subject.ts";
import { judged, verifyingSubjects } from "../../protocols/verification.ts";

/** How often a failed task is tried again (M5). */
export const TASK_RETRIES = 3;

/** What each artifact is made from, as far as it is there. */
export const missionInputs: Readonly<Record<string, readonly string[]>> = {
  context: [],
  research: ["context"],
  plan: ["context", "research"],
  verification: ["plan"],
};

/** `tasks`: the ids in the plan's order. */
function tasksOf(content: Content): readonly string[] | undefined {
  const { tasks } = content;
  return Array.isArray(tasks) && tasks.every((id) => typeof id === "string") ? tasks : undefined;
}

/** The ids of the present plan, in its order. */
export const plannedTasks = (run: Run): readonly string[] => tasksOf(run.artifacts.plan?.content ?? {}) ?? [];

export interface CurrentTask {
  readonly task: Task;
  readonly index: number;
}

/** The first task that is not done, and its place in the plan. */
export function currentTask(run: Run): CurrentTask | null {
  for (const [index, id] of plannedTasks(run).entries()) {
    const task = run.tasks.get(id);
    if (task && !isSettled(task)) return { task, index };
  }
  return null;
}

/** The phase of the project, from where its session stood; one that is complete has made way for the next (M7). */
export function currentPhase({ vars, counters, phase }: Run): number {
  return (countOf(vars.current_phase) ?? 1) + (counters.phases ?? 0) + (phase === "done" ? 1 : 0);
}

/** Gap plans of this phase. */
export function gapCount({ vars, counters }: Run): number {
  return (counters.gaps ?? 0) - (countOf(vars.gaps_before) ?? 0);
}

/** A question's id ends with what it is: `01-02-1-blocked`, `01-02-1-human_action`. */
const isBlockage = ({ id }: Pick<Question, "id">) => id.endsWith("-blocked");

/** What a task that is not done asks of a person. */
export function openQuestion(run: Run): Question | undefined {
  return run.questions.find(({ about, answer }) => {
    const task = answer === null ? run.tasks.get(about) : undefined;
    return task !== undefined && !isSettled(task);
  });
}

const work: Subject = {
  about: "the plan's tasks, one after the other",
  values: ["none", "open", "checkpoint", "blocked", "failed", "done"],
  see: ({ run }) => {
    const { counts, tasks } = run;
    if (tasks.size === 0) return "none";
    if (counts.complete + counts.skipped === tasks.size) return "done";
    if (counts.running > 0) return "open";
    const question = openQuestion(run);
    if (question) return isBlockage(question) ? "blocked" : "checkpoint";
    return tasks.ready(1).length === 0 ? "failed" : "open";
  },
};

/** Which plan of which phase is due. */
export const dueGeneration = (run: Run) => `${currentPhase(run)}.${gapCount(run)}`;

/** A phase that was handed over leaves a plan that nobody here has verified. */
const turn: Subject = {
  about: "whether the plan that is there was made for this turn of the mission",
  values: ["present", "past"],
  see: ({ run }) => {
    const { generation = dueGeneration(run) } = run.artifacts.plan?.content ?? {};
    return generation === dueGeneration(run) ? "present" : "past";
  },
};

export const missionSubjects: Readonly<Record<string, Subject>> = {
  context: artifact("context"),
  "research done": variable("research_done", ["true", "false"], "false"),
  research: artifact("research"),
  plan: verdict("plan", ["valid"], (content) => (tasksOf(content)?.length ? "valid" : undefined)),
  work,
  "hand over": variable("hand_over", ["true"], "false"),
  judged,
  "plan's turn": turn,
  ...verifyingSubjects,
  phases: counterSince("phases", () => Number.POSITIVE_INFINITY),
};

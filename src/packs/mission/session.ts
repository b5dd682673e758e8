// Where a mission stands, with the names of its document: the part of `.meta/session.json` that is a mission's own.
import type { Json, Run, Task, TaskState } from "../../core/run.ts";
import { isSettled } from "../../core/task.ts";
import { earlierTasks, mustHavesOf } from "./earlier.ts";
import { currentPhase, currentTask, gapCount, openQuestion, plannedTasks } from "./subjects.ts";

export function sessionFields(run: Run): { readonly [key: string]: Json } {
  const found = currentTask(run);
  return {
    session_id: run.id,
    current_phase: currentPhase(run),
    current_task_idx: indexIn(run),
    status: statusIn(run),
    retry_count: found ? retriesOf(found.task) : 0,
    gap_count: gapCount(run),
    ...phaseFields(run),
    variables: {
      ...run.vars,
      research_done: run.vars.research_done === true || run.artifacts.research?.valid === true,
      last_error: found?.task.lastFailure?.error ?? null,
    },
  };
}

/** What the phase asks for and what was done in it, gap plans included (M11). */
function phaseFields(run: Run): { readonly [key: string]: Json } {
  const earlier = earlierTasks(run).map(({ plan, id, name, state, commit }) => ({
    ...{ plan, id, name, status: state, commit },
  }));
  return {
    must_haves: mustHavesOf(run).map((each) => ({ ...each })),
    earlier_tasks: earlier,
  };
}

/** Every try that failed led to another; one that a checkpoint paused is none. */
function retriesOf({ state, tries }: Task): number {
  return state === "pending" ? tries : Math.max(0, tries - 1);
}

/** The place of the next task; past the last one while the work is verified, and 0 again for the next plan. */
function indexIn(run: Run): number {
  if (run.phase !== "executing" && run.phase !== "verifying") return 0;
  return currentTask(run)?.index ?? run.tasks.size;
}

/**
 * A person may set the index: what stands before it is passed over, what was done from there on is done again. Nothing
 * while no plan is executed, or where there is no such place in it.
 */
export function adoptIndex(run: Run, field: string, value: Json): Record<string, TaskState> | undefined {
  const ids = plannedTasks(run);
  if (field !== "current_task_idx" || (run.phase !== "executing" && run.phase !== "verifying"))
    return undefined;
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0 || value > ids.length)
    return undefined;
  const found = ids.flatMap((id, at): [string, TaskState][] => {
    const task = run.tasks.get(id);
    if (!task || isSettled(task) === at < value) return [];
    return [[id, at < value ? "skipped" : "pending"]];
  });
  return Object.fromEntries(found);
}

function statusIn(run: Run): string {
  if (run.phase === "done") return "complete";
  if (run.halt) return "halted";
  return openQuestion(run) ? "waiting" : run.phase;
}

// Where a mission stands, with the names of its document: the part of `.meta/session.json` that is a mission's own.
import type { Json, Run, Task } from "../core/run.ts";
import { currentPhase, currentTask, gapCount, openQuestion } from "../protocols/mission/subjects.ts";

export function sessionFields(run: Run): { readonly [key: string]: Json } {
  const found = currentTask(run);
  return {
    session_id: run.id,
    current_phase: currentPhase(run),
    current_task_idx: indexIn(run),
    status: statusIn(run),
    retry_count: found ? retriesOf(found.task) : 0,
    gap_count: gapCount(run),
    variables: {
      ...run.vars,
      research_done: run.vars.research_done === true || run.artifacts.research?.valid === true,
      last_error: found?.task.lastFailure?.error ?? null,
    },
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

function statusIn(run: Run): string {
  if (run.phase === "done") return "complete";
  if (run.halt) return "halted";
  return openQuestion(run) ? "waiting" : run.phase;
}

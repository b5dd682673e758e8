// The whole state as one document, in the first implementation's format: every task, and every fact as an event.
import type { Entry, Fact, FactKind } from "../core/fact.ts";
import type { Json, Run } from "../core/run.ts";
import { sealed, stateView } from "./state-json.ts";

export function exportText(run: Run, entries: readonly Entry[]): string {
  return sealed({ ...stateView(run, { all: true }), events: entries.flatMap(eventsOf) });
}

type Details = { readonly [key: string]: Json };

/** The first implementation's names; facts that it had no word for keep their own. */
const names: Partial<Record<FactKind, string>> = {
  "run-created": "initialized",
  "phase-entered": "phase_advanced",
  "artifact-registered": "artifact_registered",
  "plan-loaded": "tasks_loaded",
  "task-started": "task_started",
  "task-completed": "task_completed",
  "task-failed": "task_failed",
  "task-retried": "task_retried",
  "task-skipped": "task_skipped",
  "task-committed": "task_committed",
  "usage-recorded": "tokens_logged",
  "verification-recorded": "verification_recorded",
  "rollback-prepared": "rollback_prepared",
  "rollback-verified": "rollback_verified",
  "calibration-recorded": "calibration_recorded",
  "halt-requested": "halt_requested",
  "halt-confirmed": "halt_confirmed",
  resumed: "execution_resumed",
};

function eventsOf({ at, by, fact }: Entry): Details[] {
  if (fact.kind === "task-defined" || fact.kind === "task-imported") return [];
  if (fact.kind === "event-imported")
    return [event(fact.at, fact.type, { task: fact.task, details: fact.details })];
  const { task, details } = split(fact);
  return [
    event(at, names[fact.kind] ?? fact.kind.replaceAll("-", "_"), { task, details: { ...details, by } }),
  ];
}

function event(
  timestamp: string,
  type: string,
  { task, details }: { task: string | null; details: Json },
): Details {
  return { timestamp, type, ...(task !== null && { task_id: task }), details };
}

function split(fact: Fact): { task: string | null; details: Details } {
  const { kind: _kind, task = null, ...rest } = fact as Fact & { readonly task?: Json };
  const details = Object.fromEntries(Object.entries(rest).map(([key, value]) => [snake(key), value as Json]));
  return { task: typeof task === "string" ? task : null, details };
}

const snake = (key: string) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

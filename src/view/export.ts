// The whole state as one document, in the first implementation's format: every task, and every fact as an event.
import type { Entry, Fact, FactKind } from "../core/fact.ts";
import type { Verification } from "../core/parts.ts";
import type { Json, Run } from "../core/run.ts";
import { sealed, stateView } from "./state-json.ts";

export function exportText(run: Run, entries: readonly Entry[]): string {
  const view = stateView(run, { all: true });
  const calibration = { ...(view.calibration as Details), history: calibrationsOf(entries) };
  return sealed({ ...view, calibration, events: entries.flatMap(eventsOf) });
}

/** Every calibration there was, each with what the verifier had said by then. */
function calibrationsOf(entries: readonly Entry[]): Details[] {
  const said = new Map<string, Pick<Verification, "verdict" | "recommendation">>();
  return entries.flatMap(({ at, fact }): Details[] => {
    if (fact.kind === "verification-recorded") said.set(fact.task, fact);
    if (fact.kind === "task-imported" && fact.record.verification)
      said.set(fact.task, fact.record.verification);
    if (fact.kind !== "calibration-recorded") return [];
    const { task, outcome, notes, recordedAt = at } = fact;
    const { verdict = null, recommendation = null } = said.get(task) ?? {};
    return [
      { task_id: task, verdict, recommendation, actual_outcome: outcome, notes, recorded_at: recordedAt },
    ];
  });
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
  // An imported one was an event of the other program, and that is there already.
  if (fact.kind === "calibration-recorded" && fact.recordedAt !== undefined) return [];
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

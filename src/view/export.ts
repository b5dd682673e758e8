// The whole state as one document, in the first implementation's format: every task, and every fact as an event.
import type { Entry } from "../core/fact.ts";
import type { Run } from "../core/run.ts";
import type { Verification } from "../core/run-parts.ts";
import { type Details, eventsOf } from "./events.ts";
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

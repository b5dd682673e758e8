// Facts as events of the first implementation: its names, and in `details` its fields first, for hosts that read them
// (X20). `state export` has all of them, `state.json` the last hundred. Facts that it had no word for keep their own.
import type { Entry, Fact, FactKind, FactOf } from "../core/fact.ts";
import type { Json } from "../core/run.ts";

export type Details = { readonly [key: string]: Json };

/** So many events are in `state.json`. */
export const lastEvents = 100;

/** Kinds that are no events: a plan of 100,000 tasks writes as many of them. */
export const notEvents: readonly FactKind[] = ["task-defined", "task-imported"];

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

type Fields = { readonly [Kind in FactKind]?: (fact: FactOf<Kind>) => Details };

/** What the first implementation said of it, where its words are other ones than the fact's. */
const fields: Fields = {
  "artifact-registered": ({ artifact, valid, problems, content }) => {
    const error = problems.length > 0 ? problems.join("; ") : null;
    const issues = Array.isArray(content.issues) ? content.issues.length : 0;
    return artifact === "task_validation"
      ? {
          verdict: content.verdict ?? null,
          valid: valid && content.verdict !== "BLOCKED",
          issue_count: issues,
          error,
        }
      : { type: artifact, valid, error };
  },
  "plan-loaded": ({ tasks }) => ({ count: tasks }),
  "task-completed": ({ created, modified }) => ({ files_created: created, files_modified: modified }),
  "usage-recorded": ({ agent }) => ({ session_id: agent }),
  "verification-recorded": ({ criteria }) => ({
    criteria_count: Array.isArray(criteria) ? criteria.length : 0,
  }),
  "rollback-prepared": ({ rollback }) => ({ file_count: filesIn(rollback) }),
  "rollback-verified": ({ issues }) => ({ issue_count: issues.length }),
  "calibration-recorded": ({ outcome }) => ({ actual_outcome: outcome }),
  "halt-confirmed": ({ running }) => ({ running_tasks: running }),
  resumed: ({ reason, stopFile }) => ({ previous_reason: reason, stop_file_removed: stopFile }),
};

function filesIn(rollback: Json): number {
  const existed = (rollback as Details | null)?.file_existed;
  return existed !== null && typeof existed === "object" ? Object.keys(existed).length : 0;
}

/** Every field of the fact beside them: for `state export`. */
export function eventsOf(entry: Entry): Details[] {
  return eventsWith(entry, (own) => own);
}

/** With as much as a line holds: lists, records and long texts are in the journal. For `state.json`. */
export function briefEventsOf(entry: Entry): Details[] {
  return eventsWith(entry, brief);
}

const longest = 400;

function brief(own: Details): Details {
  const plain = Object.entries(own).filter(([, value]) => typeof value !== "object" || value === null);
  return Object.fromEntries(plain.map(([key, value]) => [key, shortened(value)]));
}

const shortened = (value: Json): Json =>
  typeof value === "string" && value.length > longest ? `${value.slice(0, longest)}…` : value;

function eventsWith({ at, by, fact }: Entry, keep: (own: Details) => Details): Details[] {
  if (notEvents.includes(fact.kind)) return [];
  // An imported one was an event of the other program, and that is there already.
  if (fact.kind === "calibration-recorded" && fact.recordedAt !== undefined) return [];
  if (fact.kind === "event-imported")
    return [event(fact.at, fact.type, { task: fact.task, details: fact.details })];
  const { kind, task = null, ...rest } = fact as Fact & { readonly task?: Json };
  const own = keep(
    Object.fromEntries(Object.entries(rest).map(([key, value]) => [snake(key), value as Json])),
  );
  const known = (fields[kind] as ((fact: Fact) => Details) | undefined)?.(fact) ?? {};
  const about = typeof task === "string" ? task : null;
  return [event(at, nameOf(fact), { task: about, details: { ...own, ...known, by } })];
}

function nameOf(fact: Fact): string {
  if (fact.kind === "artifact-registered" && fact.artifact === "task_validation")
    return "task_validation_complete";
  return names[fact.kind] ?? fact.kind.replaceAll("-", "_");
}

function event(
  timestamp: string,
  type: string,
  { task, details }: { task: string | null; details: Json },
): Details {
  return { timestamp, type, ...(task !== null && { task_id: task }), details };
}

const snake = (key: string) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

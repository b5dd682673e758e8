// Without a terminal: one line for each event that a person cares about. Everything is in `heddle history`.
import type { Entry, Fact, FactKind } from "../core/fact.ts";
import type { TaskId } from "../core/run.ts";
import { isDetail, lineOf } from "./activity.ts";
import { oneLine } from "./safe.ts";
import { cut } from "./width.ts";

/** They are steps on the way to something that is told. */
const quiet: ReadonlySet<FactKind> = new Set([
  "usage-recorded",
  "stage-entered",
  "job-stage-entered",
  "checks-recorded",
  "merge-prepared",
  "task-merged",
  "attempt-paused",
  "proposal-recorded",
  "epoch-claimed",
  "epoch-released",
  "slots-set",
  "branch-opened",
  "metadata-set",
  "halt-confirmed",
]);

const lineWidth = 160;

export function eventLine(entry: Entry, nameOf: (task: TaskId) => string): string | undefined {
  if (quiet.has(entry.fact.kind) || isDetail(entry)) return undefined;
  const text = taskLine(entry.fact, nameOf);
  if (text === null) return undefined;
  const { event, message } = lineOf(entry);
  return cut(`  ${text ?? `${event}: ${oneLine(message)}`}`, lineWidth);
}

/** Undefined: as the log says it. Null: nothing to tell. */
function taskLine(fact: Fact, nameOf: (task: TaskId) => string): string | undefined | null {
  switch (fact.kind) {
    case "task-started":
      return `${fact.task} ${fact.attempt === 1 ? "begins" : `begins attempt ${fact.attempt}`}: ${oneLine(nameOf(fact.task))}`;
    case "work-recorded":
      return fact.differences.length === 0 ? null : `${fact.task} ! ${oneLine(fact.differences.join("; "))}`;
    case "attempt-failed":
      return `${fact.task} attempt ${fact.attempt} failed (${fact.category}), is tried again: ${oneLine(fact.error)}`;
    case "attempt-parked":
      return `${fact.task} is parked: ${oneLine(fact.reason)}`;
    case "task-failed":
      return `${fact.task} FAILED (${fact.category}): ${oneLine(fact.error)}`;
    case "task-completed": {
      const how = fact.done === "claimed" ? "claimed, unverified" : "verified and merged";
      return `${fact.task} done: ${how}, ${fact.created.length} created, ${fact.modified.length} modified`;
    }
    default:
      return undefined;
  }
}

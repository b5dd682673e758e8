// Without a terminal: one line for each event that a person cares about. Everything is in `heddle history`.
import { isByHand, saidIn } from "../../core/artifact.ts";
import type { Entry, Fact, FactKind, FactOf } from "../../core/fact.ts";
import { judgingSentence } from "../../core/queue.ts";
import type { TaskId } from "../../core/run.ts";
import { isDetail, lineOf } from "../activity.ts";
import { oneLine } from "../safe.ts";
import { cut } from "../width.ts";

/** They are steps on the way to something that is told. */
const quiet: ReadonlySet<FactKind> = new Set([
  "usage-recorded",
  "stage-entered",
  "job-stage-entered",
  "checks-recorded",
  "merge-prepared",
  "task-merged",
  "attempt-paused",
  "attempt-held",
  "job-held",
  "proposal-recorded",
  "epoch-claimed",
  "holder-asked",
  "holder-answered",
  "epoch-released",
  "slots-set",
  "machine-asked",
  "branch-opened",
  "metadata-set",
  "halt-confirmed",
]);

const lineWidth = 160;

/** For a history, where nothing is left out. */
export function toldIn(entry: Entry): string {
  const own = taskLine(entry.fact, () => "");
  const text = (own === undefined ? runLine(entry) : own) ?? lineOf(entry).message;
  const told = text.trimEnd();
  return told.endsWith(":") ? told.slice(0, -1) : told;
}

export function eventLine(entry: Entry, nameOf: (task: TaskId) => string): string | undefined {
  if (quiet.has(entry.fact.kind) || isDetail(entry)) return undefined;
  const told = documentLines(entry.fact);
  if (told) return told.map((line) => cut(line, lineWidth)).join("\n");
  const own = taskLine(entry.fact, nameOf);
  const text = own === undefined ? runLine(entry) : own;
  if (text === null) return undefined;
  const { event, message } = lineOf(entry);
  return cut(`  ${text ?? `${event}: ${oneLine(message)}`}`, lineWidth);
}

/** What a document says: its verdict, and every reason for it (L15). */
function documentLines(fact: Fact): string[] | undefined {
  if (fact.kind !== "artifact-registered" || !fact.valid) return undefined;
  const [head, ...more] = saidIn(fact.content).map((line) => oneLine(line));
  if (head === undefined) return undefined;
  return [`  ${inWords(fact.artifact)}: ${head}`, ...more.map((line) => `      ${line}`)];
}

function workLine({ task, differences, judging }: FactOf<"work-recorded">): string | null {
  const said = [...differences, ...(judging ? [judgingSentence(judging)] : [])];
  return said.length === 0 ? null : `${task} ! ${oneLine(said.join("; "))}`;
}

/** The configuration at the first start: nobody went past anything. */
function isTakenOver({ phase, tasks, policy }: FactOf<"overridden">): boolean {
  const isPlain = phase === null && Object.keys(tasks).length === 0;
  return isPlain && Object.keys(policy).join() === "baseline" && policy.baseline === true;
}

/** The name of an artifact as people read it. */
export const inWords = (name: string) => name.replaceAll("_", " ");

/** What a role or the run itself does. Undefined: as the log says it. Null: nothing to tell. */
function runLine(entry: Entry): string | undefined | null {
  const { fact } = entry;
  switch (fact.kind) {
    case "phase-entered":
      return `${fact.from} -> ${fact.to}: ${oneLine(fact.rule)}`;
    case "job-started":
      if (fact.byHand) return undefined;
      return `${fact.role} begins${fact.attempt === 1 ? "" : ` attempt ${fact.attempt}`}: ${inWords(fact.makes)}`;
    // What it made, or asked, has been told.
    case "job-completed":
      return null;
    case "artifact-registered":
      return fact.valid
        ? `${inWords(fact.artifact)}: valid`
        : isByHand(fact)
          ? undefined
          : oneLine(lineOf(entry).message);
    case "job-failed":
    case "baseline-checked":
      return oneLine(lineOf(entry).message);
    case "halt-requested":
      return `HALTED (${fact.code}): ${oneLine(fact.reason)}`;
    default:
      return undefined;
  }
}

/** Undefined: as the log says it. Null: nothing to tell. */
function taskLine(fact: Fact, nameOf: (task: TaskId) => string): string | undefined | null {
  switch (fact.kind) {
    case "task-started":
      return `${fact.task} ${fact.attempt === 1 ? "begins" : `begins attempt ${fact.attempt}`}${fact.machine === undefined ? "" : ` on ${fact.machine}`}: ${oneLine(nameOf(fact.task))}`;
    case "work-recorded":
      return workLine(fact);
    case "overridden":
      return isTakenOver(fact) ? null : undefined;
    case "attempt-failed":
      return `${fact.task} attempt ${fact.attempt} failed (${fact.category}); retrying: ${oneLine(fact.error)}`;
    case "attempt-parked":
      return `${fact.task} is parked: ${oneLine(fact.reason)}`;
    case "task-failed":
      return `${fact.task} FAILED (${fact.category}): ${oneLine(fact.error)}`;
    case "task-completed": {
      const how = fact.done === "claimed" ? "unverified" : "verified and merged";
      return `${fact.task} done: ${how}, ${fact.created.length} created, ${fact.modified.length} modified`;
    }
    default:
      return undefined;
  }
}

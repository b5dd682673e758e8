// Whether `state.json` is still what heddle wrote (C3): current, behind, broken, edited by hand, or ahead of the
// journal, which means that the journal was replaced by an older one.
import { basename } from "node:path";
import { toCall } from "../core/hint.ts";
import { recordIn } from "../core/json.ts";
import { type Problem, problem } from "../core/problem.ts";
import type { Json, Run } from "../core/run.ts";
import { unknownPhase } from "../core/steps/phase.ts";
import { isIntact, readSeal, showsPlace, stateView } from "../view/state-json.ts";

export type Drift = "none" | "stale" | "missing" | "broken" | "edited" | "ahead";

/** `events`: what an edited view should have; they are in the journal, not in the run. */
export function driftOf(run: Run, text: string | undefined, events?: Json): Drift {
  if (text === undefined) return "missing";
  const seal = readSeal(text);
  if (seal === undefined || !isIntact(text, seal))
    return seal === undefined && !isObject(text) ? "broken" : editOrDamage(run, text, events);
  if (seal.run !== run.id) return "stale";
  if (seal.position > run.position) return "ahead";
  return seal.position === run.position && showsPlace(run, text) ? "none" : "stale";
}

function isObject(text: string): boolean {
  return typeof parse(text) === "object";
}

/** A text that still parses was edited; one that does not was cut or damaged. Layout alone is no edit. */
function editOrDamage(run: Run, text: string, events: Json | undefined): Drift {
  const document = parse(text);
  if (document === undefined) return "broken";
  return editsOf(run, document, events).length > 0 ? "edited" : "stale";
}

export function editsOf(run: Run, document: Document | undefined, events: Json | undefined): Difference[] {
  const shown = events ?? document?.events;
  return differences({ ...stateView(run), ...(shown !== undefined && { events: shown }) }, document);
}

type Document = { readonly [key: string]: Json };

export function parse(text: string): Document | undefined {
  return recordIn<Document>(text);
}

export interface Difference {
  readonly path: readonly string[];
  readonly was: Json | undefined;
  readonly is: Json | undefined;
}

/** Fields that say nothing about the run itself. */
const incidental = new Set(["position", "digest", "updated_at"]);

export function differences(
  was: Json | undefined,
  is: Json | undefined,
  path: readonly string[] = [],
): Difference[] {
  if (path.length === 1 && incidental.has(path[0] ?? "")) return [];
  if (isRecord(was) && isRecord(is)) {
    const keys = new Set([...Object.keys(was), ...Object.keys(is)]);
    return [...keys].flatMap((key) => differences(own(was, key), own(is, key), [...path, key]));
  }
  return JSON.stringify(was) === JSON.stringify(is) ? [] : [{ path, was, is }];
}

/** A file may have keys such as `__proto__`; only what it says itself counts. */
function own(record: { readonly [key: string]: Json }, key: string): Json | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function isRecord(value: Json | undefined): value is { readonly [key: string]: Json } {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** What can be taken over of a person's edit: the phase, a task's status, and what the protocol knows to read (C3). */
export function isAdoptable(run: Run, { path, is }: Difference): boolean {
  const [top, second, third] = path;
  const at = path.join(".");
  if (at === "phase.current" || at === "phase") return typeof is === "string";
  if (at === "phase.completed" || at === "completed_phases" || top === "actors") return true;
  if (top === "tasks" && second !== undefined && third === "status") return true;
  return adoptedTasks(run, { path, is }) !== undefined;
}

/** Of a field that is the protocol's own. */
export function adoptedTasks(run: Run, { path, is }: Pick<Difference, "path" | "is">) {
  const [field = "", ...rest] = path;
  return rest.length === 0 && is !== undefined ? run.protocol.own?.adopts?.(run, field, is) : undefined;
}

interface Edited {
  readonly text: string;
  readonly path: string;
  readonly events: Json | undefined;
}

export function editedProblem(run: Run, { text, path, events }: Edited): Problem {
  const found = editsOf(run, parse(text), events);
  const shown = found
    .slice(0, 12)
    .map(({ path: at, was, is }) => `${at.join(".")}: ${show(was)} -> ${show(is)}`);
  if (found.length > shown.length) shown.push(`… and ${found.length - shown.length} more`);
  const phase = editedPhase(found);
  const isUnknown = phase !== undefined && !run.protocol.phases.some(({ name }) => name === phase);
  const adoptable = found.every((each) => isAdoptable(run, each));
  return problem("edited", `${basename(path)} was edited by hand`, {
    place: { file: path },
    notes: isUnknown ? [...shown, unknownPhase(run, phase)] : shown,
    hint: isUnknown
      ? [{ do: "restore-view" }, ` goes back to \`${run.phase}\``]
      : adoptable
        ? [{ do: "adopt-edit" }, " takes the edit over; ", { do: "restore-view" }, " undoes it"]
        : [{ do: "restore-view" }, " undoes it"],
  });
}

/** L7: the edit may name a phase that the protocol does not have. */
function editedPhase(found: readonly Difference[]): string | undefined {
  const edit = found.find(({ path }) => ["phase", "phase.current"].includes(path.join(".")));
  return edit ? String(edit.is) : undefined;
}

const show = (value: Json | undefined) =>
  value === undefined ? "(nothing)" : JSON.stringify(value).slice(0, 60);

/** What was fixed without being asked, for the person to know. */
export function repairedProblem(path: string, was: "missing" | "broken"): Problem {
  const what = was === "missing" ? "was gone" : "was cut off or damaged";
  return problem(
    "repaired-view",
    `${basename(path)} ${what}: it was written again from the journal, and nothing is lost`,
    { place: { file: path }, hint: { do: "show-status" } },
  );
}

export function aheadProblem(run: Run, path: string): Problem {
  return problem("ahead", `${basename(path)} is newer than the journal, which ends at fact ${run.position}`, {
    place: { file: path },
    notes: ["the journal was replaced by an older copy, or a part of it was lost"],
    hint: [toCall("restore <backup>"), "; or accept the loss: ", { do: "restore-view" }],
  });
}

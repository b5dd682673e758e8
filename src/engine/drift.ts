// Whether `state.json` is still what heddle wrote (C3): current, behind, broken, edited by hand, or ahead of the
// journal, which means that the journal was replaced by an older one.
import { basename } from "node:path";
import { type Problem, problem } from "../core/problem.ts";
import type { Json, Run } from "../core/run.ts";
import { unknownPhase } from "../core/step-phase.ts";
import { isIntact, readSeal, showsPlace, stateView } from "../view/state-json.ts";

export type Drift = "none" | "stale" | "missing" | "broken" | "edited" | "ahead";

export function driftOf(run: Run, text: string | undefined): Drift {
  if (text === undefined) return "missing";
  const seal = readSeal(text);
  if (seal === undefined || !isIntact(text, seal))
    return seal === undefined && !isObject(text) ? "broken" : editOrDamage(run, text);
  if (seal.run !== run.id) return "stale";
  if (seal.position > run.position) return "ahead";
  return seal.position === run.position && showsPlace(run, text) ? "none" : "stale";
}

function isObject(text: string): boolean {
  return typeof parse(text) === "object";
}

/** A text that still parses was edited; one that does not was cut or damaged. Layout alone is no edit. */
function editOrDamage(run: Run, text: string): Drift {
  const document = parse(text);
  if (document === undefined) return "broken";
  return differences(stateView(run), document).length > 0 ? "edited" : "stale";
}

export function parse(text: string): { readonly [key: string]: Json } | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return value !== null && typeof value === "object" && !Array.isArray(value)
      ? (value as { readonly [key: string]: Json })
      : undefined;
  } catch {
    return undefined;
  }
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

export function editedProblem(run: Run, text: string, path: string): Problem {
  const found = differences(stateView(run), parse(text));
  const shown = found
    .slice(0, 12)
    .map(({ path: at, was, is }) => `${at.join(".")}: ${show(was)} -> ${show(is)}`);
  if (found.length > shown.length) shown.push(`… and ${found.length - shown.length} more`);
  const phase = editedPhase(found);
  const isUnknown = phase !== undefined && !run.protocol.phases.some(({ name }) => name === phase);
  return problem("edited", `${basename(path)} was edited by hand`, {
    place: { file: path },
    notes: isUnknown ? [...shown, unknownPhase(run, phase)] : shown,
    hint: isUnknown
      ? `heddle state restore goes back to \`${run.phase}\``
      : 'heddle state adopt --reason "<why>" takes the edit over; heddle state restore undoes it',
  });
}

/** L7: the edit may name a phase that the protocol does not have. */
function editedPhase(found: readonly Difference[]): string | undefined {
  const edit = found.find(({ path }) => ["phase", "phase.current"].includes(path.join(".")));
  return edit ? String(edit.is) : undefined;
}

const show = (value: Json | undefined) =>
  value === undefined ? "(nothing)" : JSON.stringify(value).slice(0, 60);

/** What was mended without being asked, for the person to know. */
export function repairedProblem(path: string, was: "missing" | "broken"): Problem {
  const what = was === "missing" ? "was gone" : "was cut off or damaged";
  return problem(
    "repaired-view",
    `${basename(path)} ${what}: it was written again from the journal, and nothing is lost`,
    { place: { file: path }, hint: "heddle status" },
  );
}

export function aheadProblem(run: Run, path: string): Problem {
  return problem("ahead", `${basename(path)} is newer than the journal, which ends at fact ${run.position}`, {
    place: { file: path },
    notes: ["the journal was replaced by an older copy, or a part of it was lost"],
    hint: "heddle restore <backup>; or accept the loss: heddle state restore",
  });
}

// The room of what heddle publishes beside the journal: `state.json` (write-view.ts), the logs (write-log.ts), and what people did to
// them since (drift.ts). It reads the journal and writes those files, and changes no state.
//
// This file: what lies beside the journal and decides with it: the view, the STOP file, the run's folder. It is read before a transaction
// or a look begins, so that what happens in there depends on the state and on values alone, and can happen again.
import { join } from "node:path";
import type { Input } from "../core/input.ts";
import type { Problem } from "../core/problem.ts";
import type { Json, Run } from "../core/run.ts";
import { carryOut, type Draft } from "../core/step.ts";
import { isThereItself, isUsable, listFiles, readIfThere } from "../host/files.ts";
import { aheadProblem, type Drift, driftOf, editedProblem } from "./drift.ts";

/** Where a run has its files: that never changes. */
export interface RunPlace {
  readonly planningDir: string;
  readonly view: string;
}

export interface Outside {
  readonly place: RunPlace;
  readonly text: string | undefined;
  /** What a view that is not as it was written should have for events. */
  readonly events?: Json | undefined;
  /** The view is another program's, imported but not yet replaced: a crash or another command came in between. */
  readonly isOriginal: boolean;
  readonly isFolderUsable: boolean;
  readonly isStopped: boolean;
}

export function placeOf({ planningDir, protocol }: Pick<Run, "planningDir" | "protocol">): RunPlace {
  return { planningDir, view: join(planningDir, protocol.own?.view ?? "state.json") };
}

export const stopFileIn = ({ planningDir }: Pick<Run, "planningDir">) => join(planningDir, "STOP");

export function lookOutside(place: RunPlace, heddle: string): Outside {
  const text = readIfThere(place.view);
  const imported = join(heddle, "imported");
  return {
    place,
    text,
    isOriginal: listFiles(imported, ".json").some((name) => readIfThere(join(imported, name)) === text),
    isFolderUsable: isUsable(place.planningDir),
    isStopped: isThereItself(stopFileIn(place)),
  };
}

/**
 * Somebody has moved or locked the folder of a run that is at work or waits for it: it is expected back, and one made in its
 * place would be in its way.
 */
export function isAway({ holder, halt }: Run, { isFolderUsable }: Pick<Outside, "isFolderUsable">): boolean {
  return (holder !== null || halt?.code === "place") && !isFolderUsable;
}

export interface Drifted {
  readonly drift: Drift;
  readonly problem: Problem | undefined;
  /** The view, when it shows exactly the state. */
  readonly text?: string | undefined;
}

export function driftFrom(run: Run, outside: Outside): Drifted {
  // The place belongs to the active run: what lies there says nothing about an archived one.
  if (run.archived || isAway(run, outside)) return { drift: "none", problem: undefined };
  const { text, place, events } = outside;
  const drift = driftOf(run, text, events);
  if (drift === "none") return { drift, problem: undefined, text };
  if (drift === "edited" && outside.isOriginal) return { drift: "stale", problem: undefined };
  if (drift === "edited")
    return { drift, problem: editedProblem(run, { text: text ?? "", path: place.view, events }) };
  return { drift, problem: drift === "ahead" ? aheadProblem(run, place.view) : undefined };
}

export const isGone = (drift: Drift): drift is "missing" | "broken" =>
  drift === "missing" || drift === "broken";

/** A STOP file beside the view is a halt like any other (C10). */
export function noticeStopFile(draft: Draft, input: Input, { isStopped }: Outside): void {
  if (!isStopped || input.kind === "resume" || draft.run.halt !== null) return;
  carryOut(draft, { kind: "halt", code: "stop_file", reason: "stop_file" });
}

/** Work on files that belongs to an input: what of the state it is about, and the work itself. */
export interface FileWork<T> {
  readonly look: (run: Run) => T;
  readonly work: (about: T) => readonly Problem[];
}

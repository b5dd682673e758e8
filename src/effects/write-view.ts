// Effect `write-view`: brings `state.json` up to the newest state. Callers hold the journal's write lock, so
// writers take turns; a view that already shows as much is left alone (C3).

import { type Run, type TaskId, taskOf } from "../core/run.ts";
import { readHead, readIfThere, replaceFile } from "../host/files.ts";
import {
  isIntact,
  readSeal,
  restated,
  type Seal,
  sealWithin,
  showsPlace,
  stateText,
} from "../view/state-json.ts";

/** A view that was level with the run just before `position`, and the tasks that were changed on the way there. */
export interface Before {
  readonly text: string;
  readonly position: number;
  readonly touched: readonly TaskId[];
}

export function writeView(run: Run, path: string, before?: Before): void {
  const seal = readSeal(readHead(path, sealWithin));
  const shown = seal?.run === run.id && seal.position >= run.position;
  if (seal && shown && isLeft(run, readIfThere(path) ?? "", seal)) return;
  replaceFile(path, (before && seal && fromBefore(run, before, seal)) ?? stateText(run));
}

function isLeft(run: Run, text: string, seal: Seal): boolean {
  return isIntact(text, seal) && (seal.position > run.position || showsPlace(run, text));
}

/** Another process may have come between: then nothing is known of what was changed. */
function fromBefore(run: Run, { text, position, touched }: Before, seal: Seal): string | undefined {
  if (position !== run.position || readSeal(text)?.digest !== seal.digest) return undefined;
  return restated(
    run,
    text,
    touched.map((id) => taskOf(run, id)),
  );
}

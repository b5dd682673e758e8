// Effect `write-view`: brings `state.json` up to the newest state. Callers hold the journal's write lock, so
// writers take turns; a view that already shows as much is left alone (C3).

import type { Run } from "../core/run.ts";
import { readHead, readIfThere, replaceFile } from "../host/files.ts";
import { isIntact, readSeal, type Seal, sealWithin, showsPlace, stateText } from "../view/state-json.ts";

export function writeView(run: Run, path: string): void {
  const seal = readSeal(readHead(path, sealWithin));
  const shown = seal?.run === run.id && seal.position >= run.position;
  if (seal && shown && isLeft(run, readIfThere(path) ?? "", seal)) return;
  replaceFile(path, stateText(run));
}

function isLeft(run: Run, text: string, seal: Seal): boolean {
  return isIntact(text, seal) && (seal.position > run.position || showsPlace(run, text));
}

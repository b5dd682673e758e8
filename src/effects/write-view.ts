// Effect `write-view`: brings `state.json` up to the newest state. Callers hold the journal's write lock, so
// writers take turns; a view that already shows as much is left alone (C3).

import type { Run } from "../core/run.ts";
import { readIfThere, replaceFile } from "../host/files.ts";
import { readSeal, stateText } from "../view/state-json.ts";

export function writeView(run: Run, path: string): void {
  const text = readIfThere(path);
  const seal = text === undefined ? undefined : readSeal(text);
  if (seal?.intact && seal.run === run.id && seal.position >= run.position) return;
  replaceFile(path, stateText(run));
}

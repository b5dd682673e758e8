// Making room for a new plan or mission: the run that was there is archived, then its files go to `.heddle/archive/<run>`.
// Its view goes last and says whose files they are, so after a crash in between the next call finishes it.
import { basename, dirname, join } from "node:path";
import type { App } from "../engine/app.ts";
import { isThere, makeFolder, readIfThere, rename } from "../host/files.ts";
import { driftOf } from "../published/drift.ts";
import { readSeal } from "../view/state-json.ts";

/** `folder`: only the run whose files lie there. */
export async function archiveActive(
  app: App,
  of: { readonly protocol: string; readonly folder?: string },
  reason: string,
): Promise<void> {
  for (const { id, protocol, archived } of await app.journal.runs()) {
    if (archived || protocol !== of.protocol) continue;
    const folder = await app.journal.read(id, (run) => run.planningDir);
    if (folder !== (of.folder ?? folder)) continue;
    const text = readIfThere((await app.placeOf(id)).view);
    const was = await app.journal.read(id, (run) => driftOf(run, text));
    if (was === "missing" || was === "broken")
      await app.submitTo(id, { kind: "repair-view", view: "state.json", was });
    await app.submitTo(id, { kind: "archive", reason });
  }
}

interface Belongings {
  readonly view: string;
  /** Each with its place in the archive; the folder of the view is the last. */
  readonly places: (archive: string) => readonly (readonly [from: string, to: string])[];
}

export async function putAsideArchived(app: App, { view, places }: Belongings): Promise<void> {
  const owner = (await app.journal.runs()).find((run) => run.id === ownerOf(view));
  if (!owner?.archived) return;
  // In turn, and looked at again: another init may have been here meanwhile.
  await app.journal.lease(async () => {
    if (ownerOf(view) !== owner.id) return;
    for (const [from, to] of places(join(app.paths.heddle, "archive", owner.id))) {
      if (!isThere(from)) continue;
      makeFolder(dirname(to));
      rename(from, free(to));
    }
  });
}

/** Nothing in the archive is ever written over. */
function free(path: string): string {
  for (let n = 1; ; n++) {
    const each = n === 1 ? path : join(dirname(path), `${basename(path)}-${n}`);
    if (!isThere(each)) return each;
  }
}

function ownerOf(view: string): string | undefined {
  const text = readIfThere(view);
  return text === undefined ? undefined : readSeal(text)?.run;
}

// Opening a directory. Where there is no run yet, what lies there decides: a plan of another program is imported, a
// view of our own without its journal means that the journal was lost, and is never passed over (C3, G6).
import { join } from "node:path";
import { readIfThere } from "../host/files.ts";
import { readSeal } from "../view/state-json.ts";
import { App, type AppOptions, Refused } from "./app.ts";
import { journalLost, noProject } from "./lost.ts";
import { pathsIn } from "./paths.ts";

export async function openApp(options: AppOptions): Promise<App> {
  const paths = pathsIn(options.root);
  const found = await openIfBegun(options);
  if (found) return found;
  const view = join(paths.planning, "state.json");
  const text = readIfThere(view);
  if (text === undefined && (await options.journals.has(options.root))) return App.open(options);
  if (text === undefined) throw new Refused([noProject(options.root)]);
  try {
    if (readSeal(text)) throw (await options.journals.missing?.(options.root)) ?? journalLost(view);
    return await options.packs.takeOver(options, paths.planning);
  } catch (error) {
    // Another command may have imported it meanwhile (C4).
    const imported = await openIfBegun(options);
    if (imported) return imported;
    throw error;
  }
}

/** The project, when it has a run: an import or an init that was killed half-way has made the journal only. */
async function openIfBegun(options: AppOptions): Promise<App | undefined> {
  if (!(await options.journals.has(options.root))) return undefined;
  const app = await App.open(options);
  if ((await app.journal.runs()).length > 0) return app;
  app.close();
  return undefined;
}

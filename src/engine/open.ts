// Opening a directory. Where there is no journal, what lies there decides: a plan of another program is imported,
// a view of our own without its journal means that the journal was lost, and is never passed over (C3, G6).
import { join } from "node:path";
import { problem } from "../core/problem.ts";
import { isThere, readIfThere } from "../host/files.ts";
import { readSeal } from "../view/state-json.ts";
import { App, type AppOptions, Refused } from "./app.ts";
import { journalLost } from "./lost.ts";
import { pathsIn } from "./paths.ts";

export async function openApp(options: AppOptions): Promise<App> {
  const paths = pathsIn(options.root);
  if (isThere(paths.database)) return new App(options);
  const view = join(paths.planning, "state.json");
  const text = readIfThere(view);
  if (text === undefined)
    throw new Refused([
      problem("no-project", `there is no heddle project in ${options.root}`, {
        hint: "heddle init <target>",
      }),
    ]);
  if (readSeal(text)) throw journalLost(view);
  const { importPlan } = await import("./import.ts");
  return importPlan(options, paths.planning);
}

// `heddle init`: directories, journal and run come into being here and nowhere else (C16, D1).
import { join, resolve } from "node:path";
import { problem } from "../core/problem.ts";
import type { Json } from "../core/run.ts";
import { isThere, makeFolder, readIfThere, rename } from "../host/files.ts";
import { unusable } from "../journal/failure.ts";
import { createDatabase } from "../journal/schema.ts";
import { readSeal } from "../view/state-json.ts";
import { App, type AppOptions, Refused } from "./app.ts";
import { journalLost } from "./lost.ts";
import { type Paths, pathsIn, planningFolders } from "./paths.ts";
import { archiveActive, putAsideArchived } from "./put-aside.ts";

export interface Creation extends AppOptions {
  readonly target: string;
  readonly force: boolean;
  readonly stack?: string | undefined;
  readonly metadata?: Readonly<Record<string, Json>>;
}

export async function createProject(creation: Creation): Promise<App> {
  const paths = pathsIn(creation.root);
  const targetDir = resolve(creation.root, checkedPath(creation.target));
  if (!isThere(paths.database)) settleOldPlan(paths, creation.force);
  makeProject(paths);
  const app = new App(creation);
  try {
    if (creation.force) await archiveActive(app, "decomposition", "heddle init --force");
    await putAsideArchived(app, {
      view: join(paths.planning, "state.json"),
      places: (archive) => [[paths.planning, archive]],
    });
    const stack = creation.stack === undefined ? {} : { tech_stack: creation.stack };
    const metadata = { ...creation.metadata, ...stack };
    makePlanning(paths);
    const input = { kind: "create", targetDir, planningDir: paths.planning, metadata } as const;
    await app.create("decomposition", () => [input], { alone: true });
    return app;
  } catch (error) {
    app.close();
    throw error;
  }
}

function checkedPath(path: string): string {
  if (path !== "" && !/[\u0000-\u001f\u007f]/.test(path)) return path;
  throw new Refused([
    problem("bad-path", `\`${path}\` is not a path: it is empty or has control characters`, {
      hint: "heddle init .",
    }),
  ]);
}

/** A plan without a journal: ours, whose journal was lost, or another program's. It is never planned over. */
function settleOldPlan(paths: Paths, force: boolean): void {
  const view = join(paths.planning, "state.json");
  const text = readIfThere(view);
  if (text === undefined) return;
  if (!force && readSeal(text)) throw journalLost(view);
  if (!force)
    throw new Refused([
      problem("plan-exists", "there is a plan of another program", {
        place: { file: view },
        hint: "heddle import tasker project-planning takes it over; --force archives it",
      }),
    ]);
  let n = 1;
  while (isThere(join(paths.heddle, "archive", `lost-${n}`))) n++;
  makeFolder(join(paths.heddle, "archive"));
  rename(paths.planning, join(paths.heddle, "archive", `lost-${n}`));
}

/** The journal and the log folder. Repeatable: a crash half-way leaves nothing that stands in the way. */
export function makeProject(paths: Paths): void {
  try {
    makeFolder(join(paths.heddle, "logs"));
    createDatabase(paths.database);
  } catch (error) {
    throw unusable(error, paths.database);
  }
}

export function makePlanning(paths: Paths): void {
  for (const folder of planningFolders) makeFolder(join(paths.planning, folder));
}

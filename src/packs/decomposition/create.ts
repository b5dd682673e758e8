// `heddle init`: directories, journal and run come into being here and nowhere else (C16, D1).
import { dirname, join, resolve } from "node:path";
import { toCall } from "../../core/hint.ts";
import { problem } from "../../core/problem.ts";
import type { Json } from "../../core/run.ts";
import { App, type AppOptions, Refused } from "../../engine/app.ts";
import { chooseBegun } from "../../engine/chosen.ts";
import { journalLost } from "../../engine/lost.ts";
import { type Paths, pathsIn, runFolder } from "../../engine/paths.ts";
import { isThere, makeFolder, readIfThere, rename } from "../../host/files.ts";
import { archiveActive, putAsideArchived } from "../../keep/put-aside.ts";
import { readSeal } from "../../view/state-json.ts";
import { makeProject } from "../make-project.ts";
import { targetSeen } from "./planned-target.ts";
import { decomposition, planFolders } from "./protocol.ts";

export interface Creation extends AppOptions {
  readonly target: string;
  readonly force: boolean;
  /** Where another plan has its files in the usual place, this one gets a folder of its own. */
  readonly beside?: boolean;
  readonly stack?: string | undefined;
  readonly metadata?: Readonly<Record<string, Json>>;
}

export async function createProject(creation: Creation): Promise<App> {
  const paths = pathsIn(creation.root);
  const targetDir = resolve(creation.root, checkedPath(creation.target));
  if (!(await creation.journals.has(creation.root))) settleOldPlan(paths, creation.force);
  await makeProject(creation);
  const app = await App.open(creation);
  try {
    const place = { protocol: "decomposition", folder: paths.planning };
    if (creation.force) await archiveActive(app, place, "heddle init --force");
    await putAsideArchived(app, {
      view: join(paths.planning, "state.json"),
      places: (archive) => [[paths.planning, archive]],
    });
    const stack = creation.stack === undefined ? {} : { tech_stack: creation.stack };
    const metadata = { ...creation.metadata, ...stack };
    const beside = creation.beside === true && (await isTaken(app, paths.planning));
    const seen = await targetSeen(targetDir);
    const folderOf = (run: string) => (beside ? runFolder(paths, decomposition, run) : paths.planning);
    const prepare = (run: string) => {
      for (const folder of planFolders) makeFolder(join(folderOf(run), folder));
    };
    const inputs = (run: string) => {
      const create = { kind: "create", targetDir, planningDir: folderOf(run), metadata } as const;
      return seen === null ? [create] : [create, { kind: "set", values: { planned_for: seen } } as const];
    };
    const alone = beside ? false : { folder: paths.planning };
    await app.create("decomposition", inputs, { alone, prepare });
    await chooseBegun(app, await app.run());
    return app;
  } catch (error) {
    app.close();
    throw error;
  }
}

/** Whether a run that is not archived has its files there. */
async function isTaken(app: App, folder: string): Promise<boolean> {
  for (const { id, archived, protocol } of await app.journal.runs()) {
    if (archived || protocol !== "decomposition") continue;
    if ((await app.journal.read(id, (run) => run.planningDir)) === folder) return true;
  }
  return false;
}

function checkedPath(path: string): string {
  if (path !== "" && !/[\u0000-\u001f\u007f]/.test(path)) return path;
  throw new Refused([
    problem("bad-path", `\`${path}\` is not a path: it is empty or has control characters`, {
      hint: toCall("init ."),
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
        hint: [toCall("import tasker project-planning"), " takes it over; --force archives it"],
      }),
    ]);
  let n = 1;
  while (isThere(join(paths.heddle, "archive", `lost-${n}`))) n++;
  makeFolder(paths.heddle);
  makeFolder(join(paths.heddle, "archive"));
  rename(paths.planning, join(paths.heddle, "archive", `lost-${n}`));
}

/** The folders of a plan and of the log, without a journal. */
export function makePlanning(paths: Paths): void {
  makeFolder(paths.heddle);
  makeFolder(dirname(paths.logs.text));
  for (const folder of planFolders) makeFolder(join(paths.planning, folder));
}

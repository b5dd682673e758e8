// Importing a plan that another program made: its files stay where they are, its state becomes a journal of ours.
import { cpSync } from "node:fs";
import { join, resolve } from "node:path";
import { findCycle } from "../../core/graph/graph.ts";
import type { Input } from "../../core/input.ts";
import { type Problem, problem } from "../../core/problem.ts";
import { App, type AppOptions, type Opening, Refused } from "../../engine/app.ts";
import type { TakenOver } from "../../engine/packs.ts";
import { type Paths, pathsIn } from "../../engine/paths.ts";
import { fileDigest } from "../../host/digest.ts";
import {
  isPlainFile,
  isPlainFolder,
  isThere,
  listAll,
  listFiles,
  makeFolder,
  readIfThere,
  readText,
  remove,
  rename,
  replaceFile,
} from "../../host/files.ts";
import { note } from "../../host/notes.ts";
import { makeProject } from "../make-project.ts";
import type { State } from "./artifacts/state.ts";
import { checkState } from "./checks/check-execution-files.ts";
import { makePlanning } from "./create.ts";
import { artifactInputs, definitionsIn } from "./planning.ts";
import { recordsOf, taskerFacts } from "./tasker.ts";

/** Reads everything before it makes anything: a plan that cannot be imported leaves no trace. */
export async function importPlan(options: AppOptions, from: string): Promise<App> {
  const paths = pathsIn(options.root);
  const { state, text } = readPlan(from);
  const release = resolve(from) === paths.planning ? () => {} : copyPlan(resolve(from), paths);
  const defs = definitionsIn(paths.planning);
  const facts = taskerFacts({ from: resolve(from), state, defs });
  await makeProject({ root: options.root, journals: options.journals });
  makePlanning(paths);
  keepOriginal(join(paths.heddle, "imported"), text);
  const app = await App.open(options);
  const inputs: Input[] = [
    { kind: "create", targetDir: state.target_dir, planningDir: paths.planning, metadata: {} },
    { kind: "import", facts },
    ...artifactInputs(paths.planning, state),
  ];
  try {
    await app.create("decomposition", () => inputs, { alone: true });
    release();
    // A view of ours that outlived its journal may claim more facts than there are now.
    await app.restoreView();
  } catch (error) {
    app.close();
    throw error;
  }
  options.warn?.(
    problem(
      "imported",
      `a plan of another program was imported: ${recordsOf(state).length} tasks, phase ${state.phase.current}`,
    ),
  );
  return app;
}

function readPlan(from: string): { state: State; text: string } {
  const file = join(from, "state.json");
  const read = readText(file);
  if ("problem" in read)
    throw new Refused([{ ...read.problem, hint: "name the folder that holds state.json" }]);
  const { value, problems } = checkState({ file, text: read.text });
  const found: readonly Problem[] = value ? cycles(value, file) : problems;
  if (!value || found.length > 0) throw new Refused(found);
  return { state: value, text: read.text };
}

function cycles(state: State, file: string): Problem[] {
  const nodes = recordsOf(state).map(({ id, depends_on: dependsOn = [] }) => ({ id, dependsOn, hours: 1 }));
  const cycle = findCycle(nodes);
  if (!cycle) return [];
  return [
    problem("cycle", `the plan has a cycle: ${cycle.join(" -> ")}`, {
      place: { file },
      hint: "break it in the task files and state.json",
    }),
  ];
}

/** Whole before it has its name. Until there is a run, whoever comes after a kill takes it away again. */
function copyPlan(from: string, { heddle, planning }: Paths): () => void {
  if (isThere(planning))
    throw new Refused([
      problem("plan-exists", `there is a plan already at ${planning}`, {
        hint: [{ do: "begin-anew" }, " archives it"],
      }),
    ]);
  const aside = `${planning}.${process.pid}.new`;
  makeFolder(heddle);
  const release = note(heddle, "import", { from, aside } satisfies TakenOver);
  cpSync(from, aside, { recursive: true, errorOnExist: true });
  rename(aside, planning);
  return release;
}

/** A copy that nothing has changed since is no loss; any other is left, and the next command imports it as it is. */
export async function undoImport(opening: Opening, { from, aside }: TakenOver): Promise<void> {
  const { planning } = pathsIn(opening.root);
  remove(aside);
  if (await isBegun(opening)) return;
  if (isThere(planning) && isCopyOf(from, planning)) remove(planning);
}

/** Folders of ours may have been added to it. */
function isCopyOf(from: string, copy: string): boolean {
  return listAll(copy).every((name) => {
    const [one, other] = [join(from, name), join(copy, name)];
    if (isPlainFolder(other)) return isPlainFolder(one) ? isCopyOf(one, other) : listAll(other).length === 0;
    return isPlainFile(one) && isPlainFile(other) && fileDigest(one) === fileDigest(other);
  });
}

/** Whether there is a run already; an import or an init that was killed may have left a journal without one. */
export async function isBegun(opening: Opening): Promise<boolean> {
  if (!(await opening.journals.has(opening.root))) return false;
  const app = await App.open({ ...opening, by: "import" });
  try {
    return (await app.journal.runs()).length > 0;
  } finally {
    app.close();
  }
}

function keepOriginal(folder: string, text: string): void {
  makeFolder(folder);
  const names = listFiles(folder, ".json");
  if (names.some((name) => readIfThere(join(folder, name)) === text)) return;
  replaceFile(join(folder, `state-${names.length + 1}.json`), text);
}

// Importing a plan that another program made: its files stay where they are, its state becomes a journal of ours.
import { cpSync } from "node:fs";
import { join, resolve } from "node:path";
import { findCycle } from "../core/graph.ts";
import type { Input } from "../core/input.ts";
import { type Problem, problem } from "../core/problem.ts";
import { isThere, listFiles, makeFolder, readText, replaceFile } from "../host/files.ts";
import { checkState } from "../protocols/decomposition/artifacts/check-execution-files.ts";
import type { State } from "../protocols/decomposition/artifacts/state.ts";
import { recordsOf, taskerFacts } from "../protocols/decomposition/tasker.ts";
import { App, type AppOptions, Refused } from "./app.ts";
import { makePlanning, makeProject } from "./create.ts";
import { pathsIn } from "./paths.ts";
import { artifactInputs, definitionsIn } from "./planning.ts";

/** Reads everything before it makes anything: a plan that cannot be imported leaves no trace. */
export async function importPlan(options: AppOptions, from: string): Promise<App> {
  const paths = pathsIn(options.root);
  const { state, text } = readPlan(from);
  if (resolve(from) !== paths.planning) copyPlan(from, paths.planning);
  const defs = definitionsIn(paths.planning);
  const facts = taskerFacts({ from: resolve(from), state, defs });
  makeProject(paths);
  makePlanning(paths);
  keepOriginal(join(paths.heddle, "imported"), text);
  const app = new App(options);
  const inputs: Input[] = [
    { kind: "create", targetDir: state.target_dir, planningDir: paths.planning, metadata: {} },
    { kind: "import", facts },
    ...artifactInputs(paths.planning, state),
  ];
  try {
    await app.create("decomposition", () => inputs, { alone: true });
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

function copyPlan(from: string, to: string): void {
  if (isThere(to))
    throw new Refused([
      problem("plan-exists", `there is a plan already at ${to}`, { hint: "heddle init --force archives it" }),
    ]);
  cpSync(from, to, { recursive: true, errorOnExist: true });
}

function keepOriginal(folder: string, text: string): void {
  makeFolder(folder);
  const taken = listFiles(folder, ".json").length;
  replaceFile(join(folder, `state-${taken + 1}.json`), text);
}

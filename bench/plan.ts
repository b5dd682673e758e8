// Plans of any size, and projects that hold one. The tasks stand in layers: the first depends on nothing, every other
// task waits for two of the layer before its own, so that each completion has dependents to tell.
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { composition } from "../src/cli/composition.ts";
import type { Input } from "../src/core/input.ts";
import type { TaskDef } from "../src/core/run.ts";
import type { App } from "../src/engine/app.ts";
import { createProject } from "../src/packs/decomposition/create.ts";

export const idOf = (index: number) => `T${String(index + 1).padStart(6, "0")}`;

export interface Shape {
  readonly size: number;
  /** Tasks in a layer, and so how many depend on nothing. */
  readonly width: number;
}

function dependenciesOf(index: number, width: number): string[] {
  if (index < width) return [];
  const above = index - width;
  return [idOf(above), idOf(above - (above % width) + ((above + 1) % width))];
}

export function planOf(shape: Shape): TaskDef[] {
  return Array.from({ length: shape.size }, (_, index) => {
    const id = idOf(index);
    return {
      id,
      name: `Build part ${index + 1}`,
      phase: 1 + (index % 5),
      dependsOn: dependenciesOf(index, shape.width),
      steel: index % 50 === 0,
      estimateHours: 2 + (index % 5),
      behaviours: [`B${1 + (index % 200)}`],
      files: [{ path: `src/part-${index}.ts`, action: "create" }],
      criteria: [{ criterion: "the part works", command: `npx vitest run test/part-${index}.test.ts` }],
      file: `tasks/${id}.json`,
      digest: String(index).padStart(64, "0"),
    };
  });
}

/** The same task as a file of the plan. */
export function taskText(def: TaskDef): string {
  const document = {
    id: def.id,
    name: def.name,
    phase: def.phase,
    context: {
      domain: "Parts",
      capability: "Build",
      spec_ref: { quote: "Every part is built." },
      steel_thread: def.steel,
    },
    behaviors: def.behaviours,
    files: def.files.map((file) => ({ ...file, layer: "api", purpose: "holds the part" })),
    dependencies: { tasks: def.dependsOn, external: [] },
    acceptance_criteria: def.criteria.map(({ criterion, command }) => ({ criterion, verification: command })),
    estimate_hours: def.estimateHours,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** From a new run with a plan to one whose tasks may start. */
export function openedPlan(tasks: readonly TaskDef[]): Input[] {
  const phases = ["logical", "physical", "definition", "validation", "sequencing", "ready"];
  return [
    { kind: "load-plan", tasks },
    ...phases.map((to): Input => ({ kind: "override", reason: "bench", to, digests: {} })),
  ];
}

/** On the disk that /tmp is on: a commit costs what it costs there. */
export function withFolder<T>(work: (folder: string) => Promise<T> | T): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "heddle-bench-"));
  return Promise.resolve(work(folder)).finally(() => rmSync(folder, { recursive: true, force: true }));
}

/** A copy of the built heddle, as it is installed: a build in the middle of a bench changes nothing. */
export function builtHeddle(folder: string): string {
  for (const name of ["dist", "package.json"])
    cpSync(join(import.meta.dirname, "..", name), join(folder, name), { recursive: true });
  return join(folder, "dist/heddle.js");
}

export async function emptyProject(root: string): Promise<App> {
  mkdirSync(root, { recursive: true });
  return createProject({ root, ...composition, by: "bench", target: ".", force: false });
}

/** A project whose first `running` tasks are under way. */
export async function makeProject(root: string, shape: Shape, running: number): Promise<void> {
  const app = await emptyProject(root);
  for (const input of openedPlan(planOf(shape))) await app.submit(input);
  for (let index = 0; index < running; index++) await app.submit({ kind: "start", task: idOf(index) });
  app.close();
}

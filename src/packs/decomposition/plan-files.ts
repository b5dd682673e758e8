// The files of a plan, as they lie on disk: where they are, what they define, and their digests. Nothing here opens
// the journal, so an agent can check its own output without it.
import { basename, join } from "node:path";
import * as z from "zod";
import { jsonIn } from "../../core/json.ts";
import { allowedIn } from "../../core/policy.ts";
import type { Problem } from "../../core/problem.ts";
import type { Run, TaskDef } from "../../core/run.ts";
import { fileDigest, textDigest } from "../../host/digest.ts";
import { isThere, listFiles, readText } from "../../host/files.ts";
import type { Source } from "../../protocols/document.ts";
import { normalPath } from "../../protocols/target-path.ts";
import { physicalMap } from "./artifacts/physical-map.ts";
import type { TaskFile } from "./artifacts/task-file.ts";
import { checkCapabilityMap } from "./checks/check-capability-map.ts";
import { type CheckedTasks, checkTasks } from "./checks/check-tasks.ts";
import type { OwnCommand, Surroundings } from "./checks/task-warning.ts";
import { decomposition } from "./protocol.ts";

export interface Places {
  readonly planningDir: string;
  readonly targetDir: string;
  /** Faults that a person allowed, by their codes (D22). */
  readonly allowed?: readonly string[];
}

export function placesIn({
  planningDir,
  targetDir,
  metadata,
}: Pick<Run, "planningDir" | "targetDir" | "metadata">): Places {
  return { planningDir, targetDir, allowed: Object.keys(allowedIn(metadata)) };
}

export function fileOf(places: Pick<Places, "planningDir">, artifact: string): string {
  return join(places.planningDir, decomposition.artifacts[artifact] ?? artifact);
}

/** What an artifact is made from: a change there makes it stale. */
const madeFrom: Readonly<Record<string, string>> = {
  spec_review: "spec",
  capability_map: "spec",
  physical_map: "capability_map",
  tasks: "physical_map",
};

export function inputsOf(places: Places, artifact: string): Record<string, string> {
  const source = madeFrom[artifact];
  const digest = source === undefined ? null : fileDigest(fileOf(places, source));
  return source === undefined || digest === null ? {} : { [source]: digest };
}

export interface ReadMap {
  readonly behaviours: ReadonlySet<string>;
  /** The steps of the steel thread. */
  readonly steelFlow: readonly string[];
}

/** The capability map; nothing when there is none that is right in itself. */
export function mapOf(places: Places): ReadMap | undefined {
  const file = fileOf(places, "capability_map");
  const read = readText(file);
  if ("problem" in read) return undefined;
  const { value } = checkCapabilityMap({ file, text: read.text, spec: undefined });
  if (!value) return undefined;
  const capabilities = value.domains.flatMap((domain) => domain.capabilities);
  const steel = value.flows.find((flow) => flow.is_steel_thread);
  return {
    behaviours: new Set(capabilities.flatMap((each) => each.behaviors.map(({ id }) => id))),
    steelFlow: steel?.steps.map((step) => step.behavior_id) ?? [],
  };
}

export function specOf(places: Places): string | undefined {
  const read = readText(fileOf(places, "spec"));
  return "text" in read ? read.text : undefined;
}

/** What tasks are made for, as far as it is there and right. */
function surroundingsOf(places: Places): Surroundings {
  const { targetDir } = places;
  const map = parsedAs(fileOf(places, "physical_map"), physicalMap);
  const context = parsedAs(join(places.planningDir, "artifacts/project-context.json"), projectCommands);
  const files = map && [
    ...map.file_mapping.flatMap((entry) => [...entry.files, ...(entry.tests ?? [])]),
    ...(map.cross_cutting ?? []).flatMap((entry) => entry.files),
    ...(map.infrastructure ?? []),
  ];
  return {
    mapped: map && new Set(map.file_mapping.map((entry) => entry.behavior_id)),
    mappedFiles: files && new Set(files.map(({ path }) => normalPath(path))),
    ...(targetDir !== "" && { exists: (path: string) => isThere(join(targetDir, path)) }),
    ownCommands: context && ownCommands(context.commands),
  };
}

/** Of the project's own commands, the first for tests and the first for its linter. */
const projectCommands = z.looseObject({
  commands: z.array(
    z.looseObject({
      ...{ purpose: z.string(), run: z.string(), declared: z.boolean(), on_base: z.string().optional() },
      ...{ network: z.boolean().optional(), changes_files: z.boolean().optional() },
    }),
  ),
});

function ownCommands(commands: z.infer<typeof projectCommands>["commands"]): OwnCommand[] {
  return ["test", "lint"].flatMap(
    (purpose) => commands.find((each) => mayGate(each) && each.purpose === purpose) ?? [],
  );
}

/** What was red on the base, needs network or changes files is nothing that a task could be held to (D26). */
const mayGate = (each: z.infer<typeof projectCommands>["commands"][number]) =>
  each.declared && each.on_base !== "red" && !each.network && !each.changes_files;

function parsedAs<T>(file: string, schema: z.ZodType<T>): T | undefined {
  const read = readText(file);
  return "problem" in read ? undefined : schema.safeParse(jsonIn(read.text)).data;
}

export interface TaskFiles {
  readonly checked: CheckedTasks;
  /** The capability map that they were held against. */
  readonly map: ReadMap | undefined;
  /** Of all files, unreadable ones included. */
  readonly problems: readonly Problem[];
}

export function readTaskFiles(places: Places, folder = fileOf(places, "tasks")): TaskFiles {
  const { sources, unreadable } = taskSources(folder);
  const { checked, map, problems } = checkSources(places, sources);
  return { checked, map, problems: [...unreadable, ...problems] };
}

export function taskSources(folder: string): { sources: Source[]; unreadable: Problem[] } {
  const unreadable: Problem[] = [];
  const sources = listFiles(folder, ".json").flatMap((name) => {
    const file = join(folder, name);
    const read = readText(file);
    if ("text" in read) return [{ file, text: read.text }];
    unreadable.push(read.problem);
    return [];
  });
  return { sources, unreadable };
}

/** A plan that need not lie on disk yet. */
export function checkSources(places: Places, files: readonly Source[]): TaskFiles {
  const map = mapOf(places);
  const spec = specOf(places);
  const allowed = new Set(places.allowed);
  const checked = checkTasks({
    files,
    behaviours: map?.behaviours,
    spec,
    allowed,
    ...surroundingsOf(places),
  });
  return { checked, map, problems: checked.problems };
}

/** `file`: whatever folder it lies in now, it belongs to the plan's own. */
export function definition(task: TaskFile, file: string): TaskDef {
  return {
    id: task.id,
    name: task.name,
    phase: task.phase ?? 0,
    dependsOn: [...new Set(task.dependencies?.tasks ?? [])],
    steel: task.context?.steel_thread === true,
    estimateHours: task.estimate_hours ?? 4,
    ...(task.exclusive && task.exclusive.length > 0 && { exclusive: task.exclusive }),
    ...(task.tags && task.tags.length > 0 && { tags: task.tags }),
    ...(task.given && task.unchecked && { unchecked: true }),
    behaviours: task.behaviors,
    files: task.files.map(({ path, action }) => ({ path, action })),
    criteria: task.acceptance_criteria.map(({ criterion, verification }) => ({
      criterion,
      command: verification,
    })),
    file: `tasks/${basename(file)}`,
    digest: workDigest(task),
  };
}

interface Digested {
  readonly id: string;
  readonly digest: string;
}

/** Without what sequencing writes: a phase or a steel-thread mark is no change of the task (D14). */
export function taskDigest(task: TaskFile): Digested {
  const { phase: _phase, context, ...rest } = task;
  const { steel_thread: _steel, ...place } = context ?? {};
  return { id: task.id, digest: textDigest(JSON.stringify([rest, place])) };
}

/** Of the work itself: what it waits for may change without the work being another one. */
function workDigest(task: TaskFile): string {
  const { dependencies, ...rest } = task;
  return taskDigest({ ...rest, dependencies: { external: dependencies?.external ?? [] } }).digest;
}

/** Of a whole plan; null when there is none. */
export function planDigest(tasks: readonly Digested[]): string | null {
  if (tasks.length === 0) return null;
  return textDigest(
    tasks
      .map(({ id, digest }) => `${id}:${digest}`)
      .sort()
      .join("\n"),
  );
}

/** Of the order alone: phases and steel thread. */
export function orderDigest(tasks: readonly TaskDef[]): string {
  return textDigest(
    tasks
      .map(({ id, phase, steel }) => `${id}:${phase}:${steel}`)
      .sort()
      .join("\n"),
  );
}

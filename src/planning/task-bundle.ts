// A task's bundle: the one file that tells its executor everything (X4). Made before the start, from the journal, the
// maps, and what finished dependencies left in the target; it carries the checksums of all of that.
import { join } from "node:path";
import type * as z from "zod";
import { type Problem, problem } from "../core/problem.ts";
import { taskFile as pathOf, type Run, type Task, type TaskId, taskOf } from "../core/run.ts";
import { wallClock } from "../host/clock.ts";
import { fileDigest } from "../host/digest.ts";
import { readText } from "../host/files.ts";
import { type CapabilityMap, capabilityMap } from "../protocols/decomposition/artifacts/capability-map.ts";
import { type PhysicalMap, physicalMap } from "../protocols/decomposition/artifacts/physical-map.ts";
import { type TaskFile, taskFile } from "../protocols/decomposition/artifacts/task-file.ts";
import { parseDocument } from "../protocols/document.ts";
import { interfaceOf } from "./interfaces.ts";
import { loggingFor } from "./logging.ts";
import { fileOf, type Places } from "./plan-files.ts";

export function bundlePath(run: Pick<Run, "planningDir">, id: TaskId): string {
  return join(run.planningDir, "bundles", `${id}-bundle.json`);
}

export function taskBundle(run: Run, task: Task) {
  const source = readTask(run, task);
  const map = readMap(run, "capability_map", capabilityMap);
  const physical = readMap(run, "physical_map", physicalMap);
  if ("problems" in source || "problems" in map || "problems" in physical)
    return { problems: [source, map, physical].flatMap((each) => ("problems" in each ? each.problems : [])) };
  const { id, name, phase } = task.def;
  const produced = producedBefore(run, task);
  const bundle = {
    version: "1.3",
    bundle_created_at: wallClock(),
    task_id: id,
    name,
    phase: phase || 1,
    target_dir: run.targetDir,
    context: contextOf(source.value, map.value),
    behaviors: behavioursOf(task, map.value),
    files: filesOf(source.value, physical.value),
    dependencies: {
      tasks: task.def.dependsOn,
      files: produced.map(({ path }) => path),
      interfaces: produced.filter((each) => each.interface.length > 0),
      external: source.value.dependencies?.external ?? [],
    },
    acceptance_criteria: source.value.acceptance_criteria,
    constraints: { tech_stack: run.metadata.tech_stack ?? null },
    project_context: projectContext(run),
    previous_attempt: previous(task),
    logging: loggingFor("task-executor"),
    checksums: {
      artifacts: artifactSums(run, task),
      dependency_files: sums(
        run,
        produced.map(({ path }) => path),
      ),
    },
  };
  return { bundle };
}

type Read<T> = { readonly value: T } | { readonly problems: readonly Problem[] };

function readTask(run: Run, task: Task): Read<TaskFile> {
  return readAs(pathOf(run, task.def), taskFile, "heddle state load-tasks says what is wrong");
}

function readMap<T>(run: Run, name: string, schema: z.ZodType<T>): Read<T> {
  return readAs(fileOf(run, name), schema, `heddle state validate ${name} says what is wrong`);
}

/** Only the shape: whether it may be executed was settled when the plan became ready. */
function readAs<T>(file: string, schema: z.ZodType<T>, hint: string): Read<T> {
  const read = readText(file);
  if ("problem" in read) return { problems: [{ ...read.problem, hint }] };
  const document = parseDocument(file, read.text);
  if ("problems" in document) return { problems: document.problems };
  const parsed = schema.safeParse(document.value);
  if (parsed.success) return { value: parsed.data };
  return { problems: [problem("bad-file", `\`${file}\` is no longer right`, { place: { file }, hint })] };
}

function contextOf(task: TaskFile, map: CapabilityMap) {
  const first = task.behaviors[0];
  for (const domain of map.domains) {
    for (const capability of domain.capabilities) {
      if (!capability.behaviors.some((behaviour) => behaviour.id === first)) continue;
      const found = {
        domain: domain.name,
        capability: capability.name,
        capability_id: capability.id,
        spec_ref: capability.spec_ref,
      };
      return { ...found, ...task.context };
    }
  }
  return { ...task.context };
}

function behavioursOf(task: Task, map: CapabilityMap) {
  const all = map.domains.flatMap((domain) =>
    domain.capabilities.flatMap((capability) => capability.behaviors),
  );
  const byId = new Map(all.map((behaviour) => [behaviour.id, behaviour]));
  return task.def.behaviours.map((id) => byId.get(id) ?? { id, name: id, type: "process" as const });
}

/** The task's own files first, then what the physical map adds for its behaviours. */
function filesOf(task: TaskFile, physical: PhysicalMap) {
  const files = new Map(task.files.map((file) => [file.path, { ...file, behaviors: task.behaviors }]));
  for (const entry of physical.file_mapping) {
    if (!task.behaviors.includes(entry.behavior_id)) continue;
    for (const file of entry.files) {
      const own = files.get(file.path);
      if (own) files.set(file.path, { ...file, ...own });
    }
  }
  return [...files.values()];
}

interface Produced {
  readonly path: string;
  readonly task: TaskId;
  readonly interface: readonly string[];
}

/** What all transitive dependencies left behind, nearest first, with what each file offers. */
function producedBefore(run: Run, task: Task): Produced[] {
  const produced = new Map<string, Produced>();
  const seen = new Set<TaskId>();
  let layer = [...task.def.dependsOn];
  while (layer.length > 0) {
    const following: TaskId[] = [];
    for (const id of layer) {
      if (seen.has(id)) continue;
      seen.add(id);
      const { created, modified, def } = taskOf(run, id);
      for (const path of [...created, ...modified]) {
        if (!produced.has(path)) produced.set(path, { path, task: id, interface: offered(run, path) });
      }
      following.push(...def.dependsOn);
    }
    layer = following;
  }
  return [...produced.values()];
}

function offered(run: Places, path: string): string[] {
  const read = readText(join(run.targetDir, path), 1024 * 1024);
  return "text" in read ? interfaceOf(path, read.text) : [];
}

function projectContext(run: Run): unknown {
  const read = readText(join(run.planningDir, "artifacts/project-context.json"), 1024 * 1024);
  if ("problem" in read) return null;
  try {
    return JSON.parse(read.text);
  } catch {
    return null;
  }
}

function previous({ attempts, lastFailure: failure }: Task) {
  return failure ? { attempt: attempts, category: failure.category, error: failure.error } : null;
}

const short = (digest: string | null) => digest?.slice(0, 16) ?? "";

function artifactSums(run: Run, task: Task): Record<string, string> {
  return {
    spec: short(fileDigest(fileOf(run, "spec"))),
    capability_map: short(fileDigest(fileOf(run, "capability_map"))),
    physical_map: short(fileDigest(fileOf(run, "physical_map"))),
    task_definition: short(fileDigest(pathOf(run, task.def))),
  };
}

function sums(run: Places, paths: readonly string[]): Record<string, string> {
  return Object.fromEntries(paths.map((path) => [path, short(fileDigest(join(run.targetDir, path)))]));
}

export interface Integrity {
  readonly missing: readonly string[];
  readonly changed: readonly string[];
}

/** Compares a bundle with what it was made from, as that is now (X5). */
export function integrityOf(
  run: Run,
  bundle: { readonly task_id: string; readonly checksums?: unknown },
): Integrity {
  const { artifacts = {}, dependency_files: files = {} } = (bundle.checksums ?? {}) as Record<
    string,
    Record<string, string>
  >;
  const task = run.tasks.get(bundle.task_id);
  const now: Record<string, string> = task ? artifactSums(run, task) : {};
  const current = sums(run, Object.keys(files));
  return {
    missing: Object.keys(files).filter((path) => current[path] === ""),
    changed: [
      ...Object.keys(artifacts).filter((name) => now[name] !== artifacts[name]),
      ...Object.keys(files).filter((path) => current[path] !== "" && current[path] !== files[path]),
    ],
  };
}

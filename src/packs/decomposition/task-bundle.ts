// A task's bundle: the one file that tells its executor everything (X4). Made before the start, from the journal, the
// maps, and what finished dependencies left in the target; it carries the checksums of all of that.
import { join } from "node:path";
import type * as z from "zod";
import { type Hint, toCall } from "../../core/hint.ts";
import { jsonIn } from "../../core/json.ts";
import { type Problem, problem } from "../../core/problem.ts";
import { type Head, taskFile as pathOf, type Task } from "../../core/run.ts";
import { wallClock } from "../../host/clock.ts";
import { fileDigest } from "../../host/digest.ts";
import { isThere, readText } from "../../host/files.ts";
import type { ExecutorOrder } from "../../orders/contract.ts";
import { parseDocument } from "../../protocols/document.ts";
import { loggingFor } from "../../work/given/logging.ts";
import { short } from "../../work/given/offers.ts";
import type { Bundle } from "./artifacts/bundle.ts";
import { type CapabilityMap, capabilityMap } from "./artifacts/capability-map.ts";
import { type PhysicalMap, physicalMap } from "./artifacts/physical-map.ts";
import { type TaskFile, taskSchema } from "./artifacts/task-file.ts";
import { constraintsFile, constraintsFor } from "./constraints.ts";
import { fileOf, type Places } from "./plan-files.ts";

export function taskBundle(
  run: Head,
  task: Task,
  { madeBy, offers, others }: Pick<ExecutorOrder, "madeBy" | "offers" | "others">,
) {
  const source = readTask(run, task);
  const map = readMap(run, "capability_map", capabilityMap) ?? { value: noCapabilities };
  const physical = readMap(run, "physical_map", physicalMap) ?? { value: noFiles };
  if ("problems" in source || "problems" in map || "problems" in physical)
    return { problems: [source, map, physical].flatMap((each) => ("problems" in each ? each.problems : [])) };
  const { id, name, phase } = task.def;
  const produced = [...madeBy].map(([path, from]) => ({
    path,
    task: from,
    ...offers.get(path),
  }));
  const bundle = {
    version: "1.3",
    bundle_created_at: wallClock(),
    task_id: id,
    name,
    ...(source.value.description !== undefined && { description: source.value.description }),
    phase: phase || 1,
    target_dir: run.targetDir,
    context: contextOf(source.value, map.value),
    behaviors: behavioursOf(task, map.value),
    files: filesOf(source.value, physical.value, others),
    dependencies: {
      tasks: task.def.dependsOn,
      files: produced.map(({ path }) => path),
      interfaces: produced
        .filter((each) => each.interface !== undefined && each.interface.length > 0)
        .map(({ sum: _, ...each }) => each),
      external: source.value.dependencies?.external ?? [],
    },
    acceptance_criteria: source.value.acceptance_criteria,
    constraints: constraintsFor(run, run.metadata),
    project_context: projectContext(run),
    previous_attempt: previous(task),
    logging: loggingFor("task-executor"),
    checksums: {
      artifacts: artifactSums(run, task),
      dependency_files: Object.fromEntries(produced.map(({ path, sum = "" }) => [path, sum])),
    },
  };
  return { bundle };
}

type Read<T> = { readonly value: T } | { readonly problems: readonly Problem[] };

function readTask(run: Head, task: Task): Read<TaskFile> {
  return readAs(pathOf(run, task.def), taskSchema, [{ do: "load-tasks" }, " says what is wrong"]);
}

/** Nothing where there is none: tasks that a person gave or added were not drawn from a map. One that is there must be right. */
function readMap<T>(run: Head, name: string, schema: z.ZodType<T>): Read<T> | undefined {
  const file = fileOf(run, name);
  if (run.artifacts[name] === undefined && !isThere(file)) return undefined;
  return readAs(file, () => schema, [toCall(`state validate ${name}`), " says what is wrong"]);
}

const noCapabilities: Pick<CapabilityMap, "domains"> = { domains: [] };
const noFiles: Pick<PhysicalMap, "file_mapping"> = { file_mapping: [] };

/** Only the shape: whether it may be executed was settled when the plan became ready. */
function readAs<T>(file: string, schema: (value: unknown) => z.ZodType<T>, hint: Hint): Read<T> {
  const read = readText(file);
  if ("problem" in read) return { problems: [{ ...read.problem, hint }] };
  const document = parseDocument(file, read.text);
  if ("problems" in document) return { problems: document.problems };
  const parsed = schema(document.value).safeParse(document.value);
  if (parsed.success) return { value: parsed.data };
  return { problems: [problem("bad-file", `\`${file}\` is no longer right`, { place: { file }, hint })] };
}

function contextOf(task: TaskFile, map: Pick<CapabilityMap, "domains">) {
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

function behavioursOf(task: Task, map: Pick<CapabilityMap, "domains">) {
  const all = map.domains.flatMap((domain) =>
    domain.capabilities.flatMap((capability) => capability.behaviors),
  );
  const byId = new Map(all.map((behaviour) => [behaviour.id, behaviour]));
  return task.def.behaviours.map((id) => byId.get(id) ?? { id, name: id, type: "process" as const });
}

/** The task's own files first, with what the physical map says of them, then the map's tests of its behaviours (X4). */
function filesOf(
  task: TaskFile,
  physical: Pick<PhysicalMap, "file_mapping">,
  others: ExecutorOrder["others"],
) {
  const files = new Map<string, BundleFile>(
    task.files.map((file) => [file.path, { ...file, behaviors: task.behaviors }]),
  );
  const mapped = physical.file_mapping.filter(({ behavior_id: id }) => task.behaviors.includes(id));
  for (const file of mapped.flatMap((entry) => entry.files)) {
    const own = files.get(file.path);
    if (own) files.set(file.path, { ...file, ...own });
  }
  const tests = mapped.flatMap(({ behavior_id: id, tests: own = [] }) => own.map((test) => ({ id, test })));
  for (const { id, test } of tests) {
    // A test that another task writes is that one's: two executors must not be told to write one file.
    if (!files.has(test.path) && (others === null || others.has(test.path))) continue;
    const known: BundleFile = files.get(test.path) ?? { layer: "test", ...test };
    files.set(test.path, { ...known, behaviors: [...new Set([...(known.behaviors ?? []), id])] });
  }
  return [...files.values()];
}

type BundleFile = Bundle["files"][number];

function projectContext(run: Head): unknown {
  const read = readText(join(run.planningDir, "artifacts/project-context.json"), 1024 * 1024);
  return ("text" in read ? jsonIn(read.text) : undefined) ?? null;
}

function previous({ attempts, lastFailure: failure }: Task) {
  return failure ? { attempt: attempts, category: failure.category, error: failure.error } : null;
}

function artifactSums(run: Head, task: Task): Record<string, string> {
  return {
    spec: short(fileDigest(fileOf(run, "spec"))),
    capability_map: short(fileDigest(fileOf(run, "capability_map"))),
    physical_map: short(fileDigest(fileOf(run, "physical_map"))),
    task_definition: short(fileDigest(pathOf(run, task.def))),
    constraints: short(fileDigest(constraintsFile(run))),
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
  run: Head,
  task: Task | undefined,
  bundle: { readonly checksums?: unknown },
): Integrity {
  const { artifacts = {}, dependency_files: files = {} } = (bundle.checksums ?? {}) as Record<
    string,
    Record<string, string>
  >;
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

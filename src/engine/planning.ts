// The files of a plan, between disk and journal: what they are now, whether they are right, and loading them.
// Loaded only by commands that need it: the validators are the heavy part of heddle.
import { join } from "node:path";
import type { Input } from "../core/input.ts";
import { type Problem, problem } from "../core/problem.ts";
import type { Json, TaskDef } from "../core/run.ts";
import { fileDigest, textDigest } from "../host/digest.ts";
import { isThere, listFiles, readText } from "../host/files.ts";
import type { Checked } from "../protocols/decomposition/artifacts/artifact.ts";
import { checkCapabilityMap } from "../protocols/decomposition/artifacts/check-capability-map.ts";
import { checkPhysicalMap } from "../protocols/decomposition/artifacts/check-physical-map.ts";
import { checkTaskValidation } from "../protocols/decomposition/artifacts/check-task-validation.ts";
import { type CheckedTasks, checkTasks } from "../protocols/decomposition/artifacts/check-tasks.ts";
import type { State } from "../protocols/decomposition/artifacts/state.ts";
import type { TaskFile } from "../protocols/decomposition/artifacts/task-file.ts";
import { decomposition } from "../protocols/decomposition/protocol.ts";
import { type App, Refused } from "./app.ts";

export type MapName = "capability_map" | "physical_map";

interface Places {
  readonly planningDir: string;
  readonly targetDir: string;
}

const fileOf = (places: Places, artifact: string) =>
  join(places.planningDir, decomposition.artifacts[artifact] ?? artifact);

function placesOf(app: App): Promise<Places> {
  return app.look(({ planningDir, targetDir }) => ({ planningDir, targetDir }));
}

/** Digests of the protocol's files as they are now; null for what is not there. */
export async function observe(app: App): Promise<Record<string, string | null>> {
  const { claimed, ...places } = await app.journal.read(
    await app.run(),
    ({ planningDir, targetDir, artifacts }) => ({
      planningDir,
      targetDir,
      claimed: artifacts.task_validation?.digest === claimDigest,
    }),
  );
  return {
    spec: fileDigest(fileOf(places, "spec")),
    capability_map: fileDigest(fileOf(places, "capability_map")),
    physical_map: fileDigest(fileOf(places, "physical_map")),
    tasks: planDigest(readTaskFiles(places).checked.tasks.map(({ task }) => digestOf(task))),
    // A verdict that a host registered by word alone has no file to compare with.
    ...(!claimed && { task_validation: fileDigest(fileOf(places, "task_validation")) }),
  };
}

/** Records the specification as it is, once it is there (D4). */
export async function ingest(app: App): Promise<void> {
  const path = fileOf(await placesOf(app), "spec");
  const digest = fileDigest(path);
  const known = await app.look((run) => run.artifacts.spec?.digest);
  if (digest === null || digest === known) return;
  const empty = readText(path);
  const problems = "text" in empty && empty.text.trim() === "" ? ["the specification is empty"] : [];
  const valid = problems.length === 0;
  await app.submit({
    kind: "register",
    artifact: "spec",
    path,
    digest,
    inputs: {},
    valid,
    problems,
    content: {},
  });
}

/** Checks an artifact and records what was found, good or bad: a failed check is never forgotten (defect 3). */
export async function validateMap(app: App, name: MapName): Promise<readonly Problem[]> {
  const places = await placesOf(app);
  const path = fileOf(places, name);
  const read = readText(path);
  if ("problem" in read) throw new Refused([missing(read.problem, name)]);
  const checked = checkMap(name, { places, file: path, text: read.text });
  const inputs = inputsOf(
    name === "capability_map"
      ? { spec: fileOf(places, "spec") }
      : { capability_map: fileOf(places, "capability_map") },
  );
  await register(app, { artifact: name, path, digest: textDigest(read.text), inputs, checked, content: {} });
  return checked.problems;
}

function missing(found: Problem, name: MapName): Problem {
  const role = name === "capability_map" ? "logic-architect" : "physical-architect";
  return found.code === "no-file" ? { ...found, hint: `role ${role} writes it` } : found;
}

function checkMap(
  name: MapName,
  { places, file, text }: { places: Places; file: string; text: string },
): Checked<unknown> {
  if (name === "capability_map") {
    const spec = readText(fileOf(places, "spec"));
    return checkCapabilityMap({ file, text, spec: "text" in spec ? spec.text : undefined });
  }
  const exists = (path: string) => isThere(join(places.targetDir, path));
  return checkPhysicalMap({
    file,
    text,
    behaviours: behavioursOf(places),
    exists,
    targetDir: places.targetDir,
  });
}

function inputsOf(files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(files).flatMap(([name, path]) => {
      const digest = fileDigest(path);
      return digest === null ? [] : [[name, digest]];
    }),
  );
}

interface Registration {
  readonly artifact: string;
  readonly path: string;
  readonly digest: string;
  readonly inputs: Readonly<Record<string, string>>;
  readonly checked: Pick<Checked<unknown>, "problems">;
  readonly content: Readonly<Record<string, Json>>;
}

async function register(app: App, { checked, ...rest }: Registration): Promise<void> {
  const problems = checked.problems.slice(0, 50).map(located);
  await app.submit({ kind: "register", ...rest, valid: checked.problems.length === 0, problems });
}

function located({ message, place }: Problem): string {
  return place?.pointer ? `${message} (at ${place.pointer})` : message;
}

/** Behaviours of the capability map; nothing when there is no map that parses. */
function behavioursOf(places: Places): Set<string> | undefined {
  const path = fileOf(places, "capability_map");
  const read = readText(path);
  if ("problem" in read) return undefined;
  const { value } = checkCapabilityMap({ file: path, text: read.text, spec: undefined });
  const capabilities = value?.domains.flatMap((domain) => domain.capabilities);
  return capabilities && new Set(capabilities.flatMap((each) => each.behaviors.map(({ id }) => id)));
}

function readTaskFiles(places: Places): { checked: CheckedTasks; hasMap: boolean; unreadable: Problem[] } {
  const folder = fileOf(places, "tasks");
  const behaviours = behavioursOf(places);
  const unreadable: Problem[] = [];
  const files = listFiles(folder, ".json").flatMap((name) => {
    const file = join(folder, name);
    const read = readText(file);
    if ("text" in read) return [{ file, text: read.text }];
    unreadable.push(read.problem);
    return [];
  });
  return { checked: checkTasks({ files, behaviours }), hasMap: behaviours !== undefined, unreadable };
}

export interface LoadedPlan {
  readonly tasks: number;
  readonly added: number;
  readonly changed: number;
  readonly dropped: number;
  readonly warnings: readonly Problem[];
}

/** All files or none (D10). */
export async function loadTasks(app: App): Promise<LoadedPlan> {
  const places = await placesOf(app);
  const { checked, hasMap, unreadable } = readTaskFiles(places);
  const problems = [...unreadable, ...checked.problems];
  if (problems.length > 0) throw new Refused(problems);
  if (checked.tasks.length === 0)
    throw new Refused([
      problem("no-tasks", "there are no task files", {
        place: { file: fileOf(places, "tasks") },
        hint: "role task-author writes them",
      }),
    ]);
  const tasks = checked.tasks.map(({ source, task }) => definition(task, source.file));
  const { entries } = await app.submit({ kind: "load-plan", tasks });
  const path = fileOf(places, "tasks");
  const digest = planDigest(tasks.map((task) => ({ id: task.id, digest: task.digest }))) ?? "";
  await app.submit({
    kind: "register",
    artifact: "tasks",
    path,
    digest,
    inputs: {},
    valid: true,
    problems: [],
    content: {},
  });
  const loaded = entries.map((entry) => entry.fact).find((fact) => fact.kind === "plan-loaded");
  const { added = 0, changed = 0, dropped = 0 } = loaded ?? {};
  const noMap = problem("no-map", "there is no capability map: behaviours were not checked");
  return {
    tasks: tasks.length,
    added,
    changed,
    dropped,
    warnings: hasMap ? checked.warnings : [noMap, ...checked.warnings],
  };
}

/** What the task files define, where they are right: for a plan whose state comes from elsewhere. */
export function definitionsIn(planningDir: string): Map<string, TaskDef> {
  const { checked, unreadable } = readTaskFiles({ planningDir, targetDir: "" });
  const sound = unreadable.length === 0 && checked.problems.length === 0;
  return new Map(
    sound ? checked.tasks.map(({ source, task }) => [task.id, definition(task, source.file)]) : [],
  );
}

/** The artifacts that another program had validated, as far as their files are still the same. */
export function artifactInputs(planningDir: string, { artifacts, tasks }: State): Input[] {
  const places = { planningDir, targetDir: "" };
  const digest = (name: string) => fileDigest(fileOf(places, name));
  const base = { kind: "register", valid: true, problems: [], content: {} } as const;
  const inputs: Input[] = [];
  const spec = digest("spec");
  if (spec !== null)
    inputs.push({ ...base, artifact: "spec", path: fileOf(places, "spec"), digest: spec, inputs: {} });
  for (const [name, madeFrom] of [
    ["capability_map", "spec"],
    ["physical_map", "capability_map"],
  ] as const) {
    const found = digest(name);
    const known = artifacts?.[name];
    if (!known || found === null || !found.startsWith(known.checksum ?? "")) continue;
    const input = digest(madeFrom);
    const valid = known.valid;
    inputs.push({
      ...base,
      artifact: name,
      path: fileOf(places, name),
      digest: found,
      inputs: input === null ? {} : { [madeFrom]: input },
      valid,
    });
  }
  const plan = planDigest(readTaskFiles(places).checked.tasks.map(({ task }) => digestOf(task)));
  const validation = artifacts?.task_validation;
  if (plan !== null && Object.keys(tasks).length > 0)
    inputs.push({ ...base, artifact: "tasks", path: fileOf(places, "tasks"), digest: plan, inputs: {} });
  if (validation?.verdict) {
    const content = {
      verdict: validation.verdict,
      summary: validation.summary ?? "",
      issues: [],
      dimensions: false,
    };
    const made = plan === null ? {} : { tasks: plan };
    inputs.push({
      ...base,
      artifact: "task_validation",
      path: fileOf(places, "task_validation"),
      digest: claimDigest,
      inputs: made,
      content,
    });
  }
  return inputs;
}

function definition(task: TaskFile, file: string): TaskDef {
  return {
    id: task.id,
    name: task.name,
    phase: task.phase ?? 0,
    dependsOn: [...new Set(task.dependencies?.tasks ?? [])],
    steel: task.context?.steel_thread === true,
    estimateHours: task.estimate_hours ?? 4,
    behaviours: task.behaviors,
    files: task.files.map(({ path, action }) => ({ path, action })),
    criteria: task.acceptance_criteria.map(({ criterion, verification }) => ({
      criterion,
      command: verification,
    })),
    file,
    digest: digestOf(task).digest,
  };
}

/** Without what sequencing writes: a phase or a steel-thread mark is no change of the task (D14). */
function digestOf(task: TaskFile): { id: string; digest: string } {
  const { phase: _phase, context, ...rest } = task;
  const { steel_thread: _steel, ...place } = context ?? {};
  return { id: task.id, digest: textDigest(JSON.stringify([rest, place])) };
}

function planDigest(tasks: readonly { readonly id: string; readonly digest: string }[]): string | null {
  if (tasks.length === 0) return null;
  return textDigest(
    tasks
      .map(({ id, digest }) => `${id}:${digest}`)
      .sort()
      .join("\n"),
  );
}

/** Stands for a verdict that came without a file. */
const claimDigest = "claimed";

export interface Verdict {
  readonly verdict: string;
  readonly summary: string;
  readonly issues: readonly string[];
}

/** A verdict with dimensions must agree with them; one without is a host's word (D12). */
export async function registerVerdict(app: App, { verdict, summary, issues }: Verdict): Promise<boolean> {
  const places = await placesOf(app);
  const path = fileOf(places, "task_validation");
  const ids = await app.look((run) => new Set([...run.tasks.all()].map((task) => task.def.id)));
  if (ids.size === 0)
    throw new Refused([
      problem("no-tasks", "no tasks are loaded, so none can be judged", { hint: "heddle state load-tasks" }),
    ]);
  const { checked } = readTaskFiles(places);
  const tasks = planDigest(checked.tasks.map(({ task }) => digestOf(task)));
  const inputs = tasks === null ? {} : { tasks };
  const read = readText(path);
  const judged =
    "text" in read ? checkTaskValidation({ file: path, text: read.text, tasks: ids }) : undefined;
  if (judged && judged.problems.length > 0) throw new Refused(judged.problems);
  if (judged?.value && judged.value.verdict !== verdict)
    throw new Refused([
      problem(
        "contradiction",
        `the verdict \`${verdict}\` contradicts the judgement, which comes to ${judged.value.verdict}`,
        {
          place: { file: path },
          hint: `heddle state validate-tasks ${judged.value.verdict}`,
        },
      ),
    ]);
  const digest = "text" in read ? textDigest(read.text) : claimDigest;
  const content = { verdict, summary, issues, dimensions: judged !== undefined };
  await register(app, {
    artifact: "task_validation",
    path,
    digest,
    inputs,
    checked: { problems: [] },
    content,
  });
  return judged !== undefined;
}

// A plan between its files and the journal: what the files are now, recording what was found, and loading tasks.
// Loaded only by commands that need it: the validators are the heavy part of heddle.
import { join } from "node:path";
import { toCall } from "../../core/hint.ts";
import type { Input } from "../../core/input.ts";
import { type Problem, problem } from "../../core/problem.ts";
import type { Json, Run, TaskDef } from "../../core/run.ts";
import { type App, Refused } from "../../engine/app.ts";
import { fileDigest, textDigest } from "../../host/digest.ts";
import { readText } from "../../host/files.ts";
import type { Committed } from "../../journal/journal.ts";
import { located } from "../../work/given/for-the-role.ts";
import type { State } from "./artifacts/state.ts";
import { checkOutput } from "./check-output.ts";
import {
  definition,
  fileOf,
  inputsOf,
  orderDigest,
  type Places,
  placesIn,
  planDigest,
  readTaskFiles,
  taskDigest,
} from "./plan-files.ts";

export type MapName = "capability_map" | "physical_map";

/** Stands for a verdict that came without a file. */
const claimDigest = "claimed";

export async function placesOf(app: App): Promise<Places> {
  return app.journal.read(await app.run(), placesIn);
}

/** Digests of the protocol's files as they are now; null for what is not there. */
export async function observe(app: App): Promise<Record<string, string | null>> {
  const places = await placesOf(app);
  const claimed = await app.journal.read(
    await app.run(),
    ({ artifacts }) => artifacts.task_validation?.digest === claimDigest,
  );
  const tasks = readTaskFiles(places).checked.tasks;
  return {
    spec: fileDigest(fileOf(places, "spec")),
    capability_map: fileDigest(fileOf(places, "capability_map")),
    physical_map: fileDigest(fileOf(places, "physical_map")),
    tasks: planDigest(tasks.map(({ task }) => taskDigest(task))),
    order:
      tasks.length === 0 ? null : orderDigest(tasks.map(({ source, task }) => definition(task, source.file))),
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
  const read = readText(path);
  const problems =
    "problem" in read
      ? [read.problem.message]
      : read.text.trim() === ""
        ? ["the specification is empty"]
        : [];
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
  const { problems, inputs } = checkOutput(name, { places, path });
  for (const input of problems.length > 0
    ? [failed(name, { path, text: read.text, places, problems })]
    : inputs)
    await app.submit(input);
  return problems;
}

interface RejectedFile {
  readonly path: string;
  readonly text: string;
  readonly places: Places;
  readonly problems: readonly Problem[];
}

function failed(artifact: string, { path, text, places, problems }: RejectedFile): Input {
  const inputs = inputsOf(places, artifact);
  const messages = problems.slice(0, 50).map(located);
  return {
    kind: "register",
    artifact,
    path,
    digest: textDigest(text),
    inputs,
    valid: false,
    problems: messages,
    content: {},
  };
}

function missing(found: Problem, name: MapName): Problem {
  const role = name === "capability_map" ? "logic-architect" : "physical-architect";
  return found.code === "no-file" ? { ...found, hint: `role ${role} writes it` } : found;
}

export interface LoadedPlan {
  readonly tasks: number;
  readonly added: number;
  readonly changed: number;
  readonly dropped: number;
  readonly warnings: readonly Problem[];
}

/** All files or none (D10). `reason`: why a person changed them. */
export async function loadTasks(app: App, reason?: string): Promise<LoadedPlan> {
  const places = await placesOf(app);
  const { problems, warnings, inputs } = checkOutput("tasks", { places, path: fileOf(places, "tasks") });
  if (problems.length > 0) throw new Refused(problems);
  const withReason = inputs.map((input) =>
    input.kind === "load-plan" && reason !== undefined ? { ...input, reason } : input,
  );
  const { entries } = await app.submitAll(withReason as unknown as readonly [Input, ...Input[]]);
  const facts = entries.map((entry) => entry.fact);
  const {
    tasks = 0,
    added = 0,
    changed = 0,
    dropped = 0,
  } = facts.find((fact) => fact.kind === "plan-loaded") ?? {};
  return { tasks, added, changed, dropped, warnings };
}

export interface Verdict {
  readonly verdict: string;
  readonly summary: string;
  readonly issues: readonly string[];
}

/** A verdict with dimensions must agree with them; one without is a host's word (D12). */
export async function registerVerdict(app: App, { verdict, summary, issues }: Verdict): Promise<boolean> {
  const places = await placesOf(app);
  const path = fileOf(places, "task_validation");
  if (await app.look((run) => run.tasks.size === 0))
    throw new Refused([
      problem("no-tasks", "no tasks are loaded, so none can be judged", { hint: { do: "load-tasks" } }),
    ]);
  const plan = planDigest(readTaskFiles(places).checked.tasks.map(({ task }) => taskDigest(task)));
  if ((await app.look((run) => run.artifacts.tasks?.digest)) !== plan)
    throw new Refused([
      problem(
        "not-loaded",
        "the task files changed since they were loaded, so the verdict is not about the plan",
        {
          hint: { do: "load-tasks" },
        },
      ),
    ]);
  const judged = fileDigest(path) === null ? undefined : checkOutput("task_validation", { places, path });
  if (judged && judged.problems.length > 0) throw new Refused(judged.problems);
  const [register] = judged?.inputs ?? [];
  const content = register?.kind === "register" ? register.content : { verdict };
  if (content.verdict !== verdict)
    throw new Refused([
      problem(
        "contradiction",
        `the verdict \`${verdict}\` contradicts the judgement, which comes to ${content.verdict}`,
        {
          place: { file: path },
          hint: toCall(`state validate-tasks ${content.verdict}`),
        },
      ),
    ]);
  const dimensions = judged !== undefined;
  await app.submit({
    kind: "register",
    artifact: "task_validation",
    path,
    digest: fileDigest(path) ?? claimDigest,
    inputs: plan === null ? {} : { tasks: plan },
    valid: true,
    problems: [],
    content: { verdict, summary, issues, dimensions },
  });
  return dimensions;
}

/** What the task files define, where they are right: for a plan whose state comes from elsewhere. */
export function definitionsIn(planningDir: string): Map<string, TaskDef> {
  const { checked } = readTaskFiles({ planningDir, targetDir: "" });
  return new Map(checked.tasks.map(({ source, task }) => [task.id, definition(task, source.file)]));
}

/** The artifacts that another program had validated, as far as their files are still the same. */
export function artifactInputs(planningDir: string, { artifacts, tasks }: State): Input[] {
  const places = { planningDir, targetDir: "" };
  const inputs: Input[] = [];
  const add = (
    artifact: string,
    digest: string | null,
    more: { madeFrom?: Record<string, string>; valid?: boolean; content?: Record<string, Json> } = {},
  ) => {
    if (digest === null) return;
    const { madeFrom = {}, valid = true, content = {} } = more;
    inputs.push({
      kind: "register",
      artifact,
      path: fileOf(places, artifact),
      digest,
      inputs: madeFrom,
      valid,
      problems: [],
      content,
    });
  };
  add("spec", fileDigest(fileOf(places, "spec")));
  for (const name of ["capability_map", "physical_map"] as const) {
    const [digest, known] = [fileDigest(fileOf(places, name)), artifacts?.[name]];
    if (known && digest?.startsWith(known.checksum ?? ""))
      add(name, digest, { madeFrom: inputsOf(places, name), valid: known.valid });
  }
  const plan = planDigest(readTaskFiles(places).checked.tasks.map(({ task }) => taskDigest(task)));
  if (Object.keys(tasks).length > 0) add("tasks", plan);
  const { verdict, summary = "", issues = [], dimensions = false } = artifacts?.task_validation ?? {};
  const content = {
    verdict: verdict ?? null,
    summary,
    issues: issues as Json[],
    dimensions,
  };
  if (verdict)
    add("task_validation", claimDigest, { madeFrom: plan === null ? {} : { tasks: plan }, content });
  return inputs;
}

/** Moves on, or says what is missing; a phase that a verdict holds shows what the verdict says (D14). */
export async function advance(app: App): Promise<Committed> {
  try {
    return await app.submit({ kind: "advance", digests: await observe(app) });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const notes = await app.look(verdictNotes);
    throw notes.length === 0 ? error : new Refused(error.problems.map((each) => ({ ...each, notes })));
  }
}

function verdictNotes({ phase, planningDir, artifacts }: Run): string[] {
  const { verdict, summary, issues } = artifacts.task_validation?.content ?? {};
  if (phase !== "validation" || verdict !== "BLOCKED") return [];
  const report = join(planningDir, "reports/task-validation-report.md");
  return [String(summary ?? ""), ...(Array.isArray(issues) ? issues.map(String) : []), `report: ${report}`];
}

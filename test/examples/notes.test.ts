// The example that `heddle demo` plans and executes. Its plan must be flawless, its specification must tell the truth,
// and each task must be doable from what it waits for, because scripted agents replay it step by step.
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { TaskFile } from "../../src/packs/decomposition/artifacts/task-file.ts";
import { checkCapabilityMap } from "../../src/packs/decomposition/checks/check-capability-map.ts";
import { checkPhysicalMap } from "../../src/packs/decomposition/checks/check-physical-map.ts";
import { checkSequencing } from "../../src/packs/decomposition/checks/check-sequencing.ts";
import { checkTaskValidation } from "../../src/packs/decomposition/checks/check-task-validation.ts";
import { checkTasks } from "../../src/packs/decomposition/checks/check-tasks.ts";
import { quotations } from "../../src/packs/decomposition/checks/quotation.ts";
import { specCoverage } from "../../src/packs/decomposition/checks/spec-coverage.ts";
import { excludedSections, specRequirements } from "../../src/packs/decomposition/checks/specification.ts";
import { quoteOf } from "../../src/protocols/fields.ts";

const example = join(import.meta.dirname, "../../examples/notes");
const solution = join(example, "solution");
const target = "/home/ada/notes";

function source(path: string) {
  return { file: path, text: readFileSync(join(example, path), "utf8") };
}

function physicalMapSource() {
  const { file, text } = source("artifacts/physical-map.json");
  return { file, text: text.replace("@TARGET@", target) };
}

const spec = source("spec.md").text;
const taskSources = readdirSync(join(example, "tasks"))
  .sort()
  .map((name) => source(`tasks/${name}`));
const map = checkCapabilityMap({ ...source("artifacts/capability-map.json"), spec });
const behaviours = new Set(
  map.value?.domains.flatMap(({ capabilities }) =>
    capabilities.flatMap(({ behaviors }) => behaviors.map(({ id }) => id)),
  ),
);
const files = checkPhysicalMap({
  ...physicalMapSource(),
  behaviours,
  exists: () => false,
  targetDir: target,
});
const mapped = new Set(files.value?.file_mapping.map(({ behavior_id }) => behavior_id));
const plan = checkTasks({ files: taskSources, behaviours, mapped });
const tasks = plan.tasks.map(({ task }) => task);
const byId = new Map(tasks.map((task) => [task.id, task]));
const steps: Record<string, Record<string, string>> = JSON.parse(source("solution/steps.json").text);

/** Every task that this one waits for, and itself, dependencies first. */
function withDependencies(task: TaskFile, seen = new Set<TaskFile>()): Set<TaskFile> {
  for (const id of task.dependencies?.tasks ?? []) withDependencies(found(id), seen);
  return seen.add(task);
}

function found(id: string): TaskFile {
  const task = byId.get(id);
  if (!task) throw new Error(`no task ${id}`);
  return task;
}

describe("the plan of the notes example", () => {
  it("D7 has a capability map without problems", () => {
    expect(map.problems).toEqual([]);
    expect(behaviours.size).toBe(20);
  });

  it("D6 lists the section of phase 2 and counts its requirements", () => {
    const later = specRequirements(spec).filter(({ excluded }) => excluded);
    expect(map.value?.phase_filtering.excluded_phases.map(({ heading }) => heading)).toEqual(
      excludedSections(spec).map(({ heading }) => heading),
    );
    expect(map.value?.phase_filtering.total_excluded_requirements).toBe(later.length);
    expect(map.value?.coverage?.total_requirements).toBe(specRequirements(spec).length - later.length);
  });

  it("D8 has a physical map without problems once the target is filled in", () => {
    expect(files.problems).toEqual([]);
  });

  it("D8 D9 plans exactly the files that the map names", () => {
    const inMap =
      files.value?.file_mapping.flatMap((entry) => [...entry.files, ...(entry.tests ?? [])]) ?? [];
    const aside = files.value?.cross_cutting?.flatMap((entry) => entry.files) ?? [];
    const paths = [...inMap, ...aside, ...(files.value?.infrastructure ?? [])].map(({ path }) => path);
    const planned = tasks.flatMap((task) => task.files.map(({ path }) => path));
    expect(new Set(planned)).toEqual(new Set(paths));
  });

  it("D10 has tasks without problems or warnings", () => {
    expect(plan.problems).toEqual([]);
    expect(plan.warnings).toEqual([]);
    expect(tasks).toHaveLength(10);
  });

  it("D9 quotes the specification in every task", () => {
    const lookUp = quotations(spec, excludedSections(spec));
    for (const { id, context } of tasks) {
      const quote = context?.spec_ref === undefined ? "" : quoteOf(context.spec_ref);
      expect({ id, ...lookUp(quote) }).toEqual({ id, found: "included" });
    }
  });

  it("D9 creates each file once, and changes it only after that", () => {
    for (const task of tasks) {
      const before = [...withDependencies(task)].filter((other) => other !== task);
      const there = new Set(before.flatMap((other) => other.files.map(({ path }) => path)));
      for (const { path, action } of task.files)
        expect({ id: task.id, path, action }).toEqual({
          id: task.id,
          path,
          action: there.has(path) ? "modify" : "create",
        });
    }
  });

  it("D12 has a judgement whose verdict follows from its dimensions", () => {
    const judged = checkTaskValidation({ ...source("artifacts/task-validation.json"), tasks: byId });
    expect(judged.problems).toEqual([]);
    expect(judged.value?.verdict).toBe("READY");
  });

  it("D15 has phases in order and a steel thread that hangs together", () => {
    expect(checkSequencing(plan.tasks)).toEqual([]);
  });

  it("D15 marks exactly the tasks that have a behaviour of the steel thread flow", () => {
    const flow = map.value?.flows.find(({ is_steel_thread }) => is_steel_thread);
    const steel = new Set(flow?.steps.map(({ behavior_id }) => behavior_id));
    const onFlow = tasks.filter(({ behaviors }) => behaviors.some((id) => steel.has(id)));
    expect(tasks.filter(({ context }) => context?.steel_thread)).toEqual(onFlow);
  });

  it("D21 covers every requirement of phase 1 and leaves those of phase 2 out", () => {
    const coverage = specCoverage(specRequirements(spec), tasks);
    expect(coverage).toMatchObject({
      coverage_pct: 100,
      total_count: 14,
      uncovered: [],
      excluded: [{ id: "REQ-15" }, { id: "REQ-16" }, { id: "REQ-17" }],
    });
  });
});

const folders: string[] = [];

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "heddle-notes-"));
  folders.push(folder);
  mkdirSync(join(folder, "tmp"));
  mkdirSync(join(folder, "target"));
  return folder;
}

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

interface Ran {
  readonly command: string;
  readonly status: number | null;
  readonly output: string;
}

/** As a check is run: by a shell, in the target, with nothing of our own environment but the way to Node. */
function run(folder: string, command: string): Promise<Ran> {
  const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
  const child = spawn("sh", ["-c", command], {
    cwd: join(folder, "target"),
    env: { PATH: path, HOME: folder, TMPDIR: join(folder, "tmp") },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => (output += piece));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => resolve({ command, status, output }));
  });
}

async function failures(folder: string, some: readonly TaskFile[]): Promise<Ran[]> {
  const commands = some.flatMap((task) => task.acceptance_criteria.map(({ verification }) => verification));
  const ran = await Promise.all(commands.map((command) => run(folder, command)));
  return ran.filter(({ status }) => status !== 0);
}

/** What a task leaves in one of its files. */
function contentOf(id: string, path: string): string {
  const content = steps[id]?.[path] ?? "final";
  return content === "final" ? readFileSync(join(solution, path), "utf8") : content;
}

function take(folder: string, { id }: TaskFile): void {
  for (const path of Object.keys(steps[id] ?? {})) {
    const file = join(folder, "target", path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, contentOf(id, path));
  }
}

function importsOf(path: string, content: string): string[] {
  return Array.from(content.matchAll(/ from "(\.[^"]+)"/g), ([, to = ""]) => join(dirname(path), to));
}

function treeOf(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path, "utf8")]));
}

describe("the solution of the notes example", () => {
  it("D9 passes every acceptance command of every task", { timeout: 60_000 }, async () => {
    const folder = newFolder();
    cpSync(solution, join(folder, "target"), { recursive: true });
    expect(await failures(folder, tasks)).toEqual([]);
    expect(treeOf(join(folder, "target"))).toEqual(treeOf(solution));
  });

  it("D9 names in each step exactly the files of the task", () => {
    expect(Object.keys(steps)).toEqual(tasks.map(({ id }) => id));
    for (const { id, files } of tasks)
      expect(Object.keys(steps[id] ?? {})).toEqual(files.map(({ path }) => path));
  });

  it("D9 replays task by task: red before its step, green right after", { timeout: 60_000 }, async () => {
    const folder = newFolder();
    for (const task of tasks.reduce((seen, one) => withDependencies(one, seen), new Set<TaskFile>())) {
      const { id, acceptance_criteria } = task;
      const { status } = await run(folder, acceptance_criteria[0]?.verification ?? "");
      take(folder, task);
      expect({ id, wasRed: status !== 0, failures: await failures(folder, [task]) }).toEqual({
        id,
        wasRed: true,
        failures: [],
      });
    }
    const { "steps.json": _, ...finished } = treeOf(solution);
    expect(treeOf(join(folder, "target"))).toEqual(finished);
  });

  it("D9 needs for each task nothing but the files of the tasks it waits for", () => {
    for (const task of tasks) {
      const there = new Set([...withDependencies(task)].flatMap(({ id }) => Object.keys(steps[id] ?? {})));
      const needed = task.files.flatMap(({ path }) => importsOf(path, contentOf(task.id, path)));
      const named = task.acceptance_criteria.flatMap(
        ({ verification }) => verification.match(/\b(?:bin|src|test)\/[\w./]+/g) ?? [],
      );
      const missing = [...needed, ...named].filter((path) => !there.has(path));
      expect({ id: task.id, missing }).toEqual({ id: task.id, missing: [] });
    }
  });

  it("D9 prints what the specification shows", async () => {
    const folder = newFolder();
    cpSync(solution, join(folder, "target"), { recursive: true });
    const session = /```console\n([^`]*)```/.exec(spec)?.[1] ?? "";
    let printed = "";
    for (const [, command = ""] of session.matchAll(/^\$ notes (.*)$/gm)) {
      const { output } = await run(folder, `node bin/notes.js ${command}`);
      printed += `$ notes ${command}\n${output}`;
    }
    const timeless = (text: string) => text.replace(/\d{4}-\d\d-\d\d(T[\d:.]+Z)?/g, "…");
    expect(timeless(printed)).toBe(timeless(session));
  });
});

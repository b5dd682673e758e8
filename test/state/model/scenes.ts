// Where a sequence of commands begins, what it is made of, and what happens to the files between two commands: on disk
// for heddle, in `Files` for the model. A step is a line: a command of `state`, or `@` and something that befalls a file.
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { capabilityMap, physicalMap, specText, taskFile } from "../../e2e/plan-files.ts";
import { planning } from "../../e2e/rig.ts";
import type { Files } from "./first.ts";
import { Heddle } from "./heddle.ts";

/** Four tasks each, named in the order in which a file system might list them. */
export const shapes = {
  chain: { T003: ["T002"], T001: [], T004: ["T003"], T002: ["T001"] },
  diamond: { T004: ["T002", "T003"], T002: ["T001"], T001: [], T003: ["T001"] },
  pairs: { T002: ["T001"], T004: ["T003"], T003: [], T001: [] },
} as const satisfies Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

export type Shape = keyof typeof shapes;
export const begins = ["nothing", "begun", "ready"] as const;
export type Begin = (typeof begins)[number];

export interface Scene {
  readonly shape: Shape;
  readonly begin: Begin;
  readonly steps: readonly string[];
}

/** The commands that lead to where a scene begins. */
export const prelude: Readonly<Record<Begin, readonly string[]>> = {
  nothing: [],
  begun: ["init app"],
  ready: ["init app", ...planning.map((words) => words.slice(1).join(" "))],
};

const depsOf = (shape: Shape): Readonly<Record<string, readonly string[]>> => shapes[shape];

export function filesOf(shape: Shape): Files {
  return {
    spec: specText,
    maps: { capability_map: { text: "right", valid: true }, physical_map: { text: "right", valid: true } },
    tasks: new Map(Object.entries(depsOf(shape)).map(([id, deps]) => [id, { name: `Build ${id}`, deps }])),
    stop: false,
    cut: false,
    results: new Map(),
  };
}

/** Where the files lie. */
export interface Place {
  readonly root: string;
  deps(id: string): readonly string[];
  write(name: string, text: string): void;
  remove(name: string): void;
  writeTask(id: string, name: string, deps: readonly string[]): void;
}

type Happening = (files: Files, disk: Place, word: string) => void;

/** A project on disk, of one shape, that can be put back to where a scene begins. */
export class Disk implements Place {
  readonly root: string;
  readonly shape: Shape;
  readonly #copies: string;

  constructor(folder: string, shape: Shape) {
    this.shape = shape;
    this.root = join(folder, shape);
    this.#copies = join(folder, `${shape}-copies`);
  }

  async prepare(): Promise<void> {
    const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
    this.write("inputs/spec.md", specText);
    this.write("artifacts/capability-map.json", json(capabilityMap()));
    this.write("artifacts/physical-map.json", json(physicalMap(join(this.root, "app"))));
    for (const [id, deps] of Object.entries(depsOf(this.shape))) this.writeTask(id, `Build ${id}`, deps);
    for (const begin of begins) {
      const heddle = new Heddle(this.root);
      // Each goes on from where the one before it ended.
      const before = begins[begins.indexOf(begin) - 1] ?? "nothing";
      for (const line of prelude[begin].slice(prelude[before].length)) await heddle.run(line);
      heddle.close();
      cpSync(this.root, join(this.#copies, begin), { recursive: true });
    }
  }

  begin(begin: Begin): void {
    rmSync(this.root, { recursive: true, force: true });
    cpSync(join(this.#copies, begin), this.root, { recursive: true });
  }

  path(name: string): string {
    return join(this.root, "project-planning", name);
  }

  write(name: string, text: string): void {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), text);
  }

  remove(name: string): void {
    rmSync(this.path(name), { force: true });
  }

  writeTask(id: string, name: string, deps: readonly string[]): void {
    const file = { ...taskFile(Number(id.slice(1))), name, dependencies: { tasks: deps, external: [] } };
    this.write(`tasks/${id}.json`, JSON.stringify(file));
  }

  deps(id: string): readonly string[] {
    return depsOf(this.shape)[id] ?? [];
  }
}

const maps = {
  capability_map: "artifacts/capability-map.json",
  physical_map: "artifacts/physical-map.json",
} as const;
type MapName = keyof typeof maps;

function setMap(
  files: Files,
  disk: Place,
  { name, text }: { name: MapName; text: "right" | "other" | "broken" },
): void {
  files.maps[name] = { text, valid: text !== "broken" };
  const whole = name === "capability_map" ? capabilityMap() : physicalMap(join(disk.root, "app"));
  const shown = text === "broken" ? { version: "1.0" } : whole;
  disk.write(maps[name], text === "other" ? JSON.stringify(shown) : `${JSON.stringify(shown, null, 2)}\n`);
}

function setTask(
  files: Files,
  disk: Place,
  task: { id: string; name: string; deps: readonly string[] },
): void {
  const { id, name, deps } = task;
  files.tasks.set(id, { name, deps });
  disk.writeTask(id, name, deps);
}

const happenings: Readonly<Record<string, Happening>> = {
  "@stop": (files, disk) => {
    files.stop = true;
    disk.write("STOP", "");
  },
  "@unstop": (files, disk) => {
    files.stop = false;
    disk.remove("STOP");
  },
  "@cut": (files, disk) => {
    files.cut = true;
    disk.write("state.json", "");
  },
  "@spec": (files, disk) => {
    files.spec += "\nAnd more.\n";
    disk.write("inputs/spec.md", files.spec);
  },
  "@break": (files, disk, name) => setMap(files, disk, { name: name as MapName, text: "broken" }),
  "@fix": (files, disk, name) => setMap(files, disk, { name: name as MapName, text: "right" }),
  "@touch": (files, disk, name) => setMap(files, disk, { name: name as MapName, text: "other" }),
  "@edit": (files, disk, id) =>
    setTask(files, disk, { id, name: `Build ${id} again`, deps: files.tasks.get(id)?.deps ?? disk.deps(id) }),
  "@put": (files, disk, id) => setTask(files, disk, { id, name: `Build ${id}`, deps: disk.deps(id) }),
  "@drop": (files, disk, id) => {
    files.tasks.delete(id);
    disk.remove(`tasks/${id}.json`);
  },
  "@knot": (files, disk) => setTask(files, disk, { id: "T001", name: "Build T001", deps: ["T004"] }),
  "@dangle": (files, disk, id) => setTask(files, disk, { id, name: `Build ${id}`, deps: ["T777"] }),
  "@success": (files, disk, id) => result(files, disk, { id, status: "success" }),
  "@failed": (files, disk, id) => result(files, disk, { id, status: "failed" }),
  "@corrupt": (files, disk, id) => result(files, disk, { id, status: "corrupt" }),
};

function result(
  files: Files,
  disk: Place,
  { id, status }: { id: string; status: "success" | "failed" | "corrupt" },
) {
  files.results.set(id, status);
  const whole = { version: "1.0", task_id: id, status, error: { category: "test", message: "red" } };
  disk.write(`bundles/${id}-result.json`, status === "corrupt" ? "{ cut" : JSON.stringify(whole));
}

/** Where nothing was begun there is no state to be cut. */
export function happen(line: string, files: Files, disk: Place, begun: boolean): void {
  const [head = "", word = ""] = line.split(" ");
  if (head === "@cut" && !begun) return;
  happenings[head]?.(files, disk, word);
}

/** A place that nobody looks at, for the model alone. */
export const unseen = (shape: Shape): Place => ({
  root: "",
  deps: (id) => depsOf(shape)[id] ?? [],
  write: () => {},
  remove: () => {},
  writeTask: () => {},
});

const id = fc.constantFrom("T001", "T002", "T003", "T004");
const anyId = fc.oneof({ weight: 30, arbitrary: id }, { weight: 1, arbitrary: fc.constant("T999") });
const map = fc.constantFrom("capability_map", "physical_map");
const line = (...parts: readonly (string | fc.Arbitrary<string>)[]) =>
  fc
    .tuple(...parts.map((part) => (typeof part === "string" ? fc.constant(part) : part)))
    .map((words) => words.join(" "));
const rare = (...words: readonly string[]) =>
  fc.oneof({ weight: 12, arbitrary: fc.constant("") }, { weight: 1, arbitrary: fc.constantFrom(...words) });
const of = (weight: number, arbitrary: fc.Arbitrary<string>) => ({ weight, arbitrary });

const category = fc.constantFrom("test", "dependency", "implementation", "scope", "timeout", "odd");
const taskStep = fc.oneof(
  of(5, line("ready-tasks", rare("--bogus"))),
  of(14, line("start-task", anyId, rare("--force", "--bogus", "T002"))),
  of(10, line("complete-task", anyId, fc.constantFrom("", "--created a b --modified c"))),
  of(
    7,
    line("fail-task", anyId, "red", "--category", category, fc.constantFrom("", "--no-retry", "--retryable")),
  ),
  of(5, line("retry-task", anyId, rare("--force"))),
  of(4, line("skip-task", anyId, fc.constantFrom("", "by hand"))),
);
const recordStep = fc.oneof(
  of(
    5,
    line(
      "record-verification",
      anyId,
      "--verdict",
      fc.constantFrom("PASS", "fail", "CONDITIONAL", "GOOD"),
      "--recommendation",
      fc.constantFrom("PROCEED", "BLOCK", "block"),
      rare("--criteria {"),
    ),
  ),
  of(
    3,
    line("record-calibration", anyId, fc.constantFrom("correct", "false_positive", "false_negative", "odd")),
  ),
  of(
    3,
    line("log-tokens s", fc.constantFrom("1", "200", "x", "-5"), "7", fc.constantFrom("0.5", "0.25", "y")),
  ),
  of(2, line("metrics --format json")),
);
const haltStep = fc.oneof(
  of(3, line("halt", fc.constantFrom("", "lunch"))),
  of(3, line("check-halt")),
  of(2, line("confirm-halt")),
  of(1, line("halt-status --format json")),
  of(3, line("resume")),
  of(2, line("@stop")),
  of(1, line("@unstop")),
  of(1, line("@cut")),
);
const batchStep = fc.oneof(
  of(4, line("checkpoint create", anyId, id)),
  of(1, line("checkpoint create")),
  of(3, line("checkpoint update", anyId, fc.constantFrom("success", "failed", "failed", "odd"))),
  of(1, line("checkpoint complete")),
  of(1, line("checkpoint status", rare("--bogus"))),
  of(4, line("checkpoint recover")),
  of(1, line("checkpoint clear")),
  of(4, line(fc.constantFrom("@success", "@failed", "@corrupt"), id)),
);
const planStep = fc.oneof(
  of(8, line("advance")),
  of(3, line("validate", map)),
  of(1, line("validate", fc.constantFrom("nothing", ""))),
  of(4, line("load-tasks")),
  of(
    3,
    line(
      "validate-tasks",
      fc.constantFrom("READY", "ready", "BLOCKED", "READY_WITH_NOTES", "PERHAPS"),
      "all in all",
    ),
  ),
  of(1, line("init", fc.constantFrom("app", "other", ""))),
  of(1, line("status")),
  of(3, line(fc.constantFrom("@break", "@fix", "@touch"), map)),
  of(3, line(fc.constantFrom("@edit", "@put", "@drop", "@dangle"), id)),
  of(1, line(fc.constantFrom("@knot", "@spec"))),
);

/** What hosts do in one go, so that sequences get far: a task, a batch and a crash, a judgement, a changed plan. */
const others = fc.tuple(id, id);
const run = fc.oneof(
  id.map((each) => [`start-task ${each}`, `complete-task ${each}`]),
  fc
    .tuple(others, fc.constantFrom("success", "failed", "corrupt"))
    .map(([[one, two], end]) => [
      `checkpoint create ${one} ${two}`,
      `start-task ${one}`,
      `@${end} ${one}`,
      "checkpoint recover",
    ]),
  others.map(([one, two]) => [
    `@success ${one}`,
    `checkpoint create ${one} ${two}`,
    `start-task ${one}`,
    "checkpoint recover",
  ]),
  others.map(([one, two]) => [
    `start-task ${one}`,
    `complete-task ${one}`,
    `record-verification ${one} --verdict FAIL --recommendation BLOCK`,
    `retry-task ${two}`,
    `start-task ${two}`,
  ]),
  id.map((each) => [`start-task ${each}`, `@edit ${each}`, "load-tasks"]),
  others.map(([one, two]) => [
    `start-task ${one}`,
    `complete-task ${one}`,
    `start-task ${two}`,
    `fail-task ${two} red --category test`,
    `record-verification ${one} --verdict FAIL --recommendation BLOCK`,
    `start-task ${two}`,
  ]),
  id.map((each) => [
    `record-verification ${each} --verdict PASS --recommendation PROCEED`,
    `record-calibration ${each} false_positive`,
    `record-calibration ${each} correct`,
  ]),
  fc.constant<string[]>(["@drop T001", "@drop T002", "@drop T003", "@drop T004", "load-tasks"]),
);
const planned = fc.constantFrom<string[]>(
  ["advance"],
  ["validate capability_map", "advance"],
  ["validate physical_map", "advance"],
  ["load-tasks", "advance"],
  ["validate-tasks READY fine", "advance"],
  ["init other", "validate physical_map"],
);
const single = (step: fc.Arbitrary<string>) => step.map((each) => [each.trim()]);

const stepsFor = (begin: Begin): fc.Arbitrary<string[]> => {
  const early = begin === "ready" ? 1 : 6;
  const pieces = fc.oneof(
    of2(12, single(taskStep)),
    of2(3, run),
    of2(4, single(recordStep)),
    of2(4, single(haltStep)),
    of2(5, single(batchStep)),
    of2(2 * early, single(planStep)),
    of2(early - 1, planned),
  );
  return fc.array(pieces, { minLength: 3, maxLength: 20, size: "max" }).map((lists) => lists.flat());
};
function of2(weight: number, arbitrary: fc.Arbitrary<string[]>) {
  return { weight, arbitrary };
}

const scenesFrom = (begin: Begin) =>
  fc.record({
    shape: fc.constantFrom(...(Object.keys(shapes) as Shape[])),
    begin: fc.constant(begin),
    steps: stepsFor(begin),
  });

export const scenes: fc.Arbitrary<Scene> = fc.oneof(
  { weight: 1, arbitrary: scenesFrom("nothing") },
  { weight: 4, arbitrary: scenesFrom("begun") },
  { weight: 12, arbitrary: scenesFrom("ready") },
);

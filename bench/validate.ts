// Validating a plan of 10,000 and of 100,000 tasks with its maps and its specification, in a fresh process each time:
// nothing is warm but the disk. Reading and parsing the same files with nothing else stands beside it.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "rolldown";
import type { TaskDef } from "../src/core/run.ts";
import { costsOf } from "./children.ts";
import type { Bench, Figure } from "./figure.ts";
import { planOf, taskText, withFolder } from "./plan.ts";
import { estimate, median, ratio } from "./statistics.ts";

const behaviours = 200;
const sizes = { most: 100_000, ratio: 10_000 };

interface Seconds {
  readonly wall: number;
  readonly cpu: number;
}

interface Round {
  readonly reading: Seconds;
  readonly validating: Seconds;
}

export const validate: Bench = {
  name: "validate",
  run: ({ quick }) =>
    withFolder(async (folder) => {
      const children = await bundled(join(folder, "children"));
      const ten = measure(writtenPlan(join(folder, "ten"), sizes.ratio), children, quick ? 5 : 15);
      const hundred = measure(writtenPlan(join(folder, "hundred"), sizes.most), children, quick ? 1 : 3);
      return [...ratioOf(ten), ...secondsOf(hundred)];
    }),
};

/** As plain JavaScript, as the built heddle is. */
async function bundled(dir: string): Promise<string> {
  const input = ["validate-plan", "validate-reading"].map((name) => join(import.meta.dirname, `${name}.ts`));
  const resolve = { mainFields: ["module", "main"] };
  const output = { dir, format: "esm", minify: true } as const;
  await build({ input, platform: "node", resolve, output, logLevel: "silent" });
  return dir;
}

function writtenPlan(root: string, size: number): string {
  const planning = join(root, "project-planning");
  for (const name of ["inputs", "artifacts", "tasks"]) mkdirSync(join(planning, name), { recursive: true });
  const write = (name: string, document: unknown) =>
    writeFileSync(join(planning, name), `${JSON.stringify(document, null, 2)}\n`);
  writeFileSync(join(planning, "inputs/spec.md"), specification());
  write("artifacts/capability-map.json", capabilityMap());
  const plan = planOf({ size, width: 100 });
  write("artifacts/physical-map.json", physicalMap(root, plan));
  for (const def of plan) writeFileSync(join(planning, `tasks/${def.id}.json`), taskText(def));
  return root;
}

const all = Array.from({ length: behaviours }, (_, index) => `B${index + 1}`);

function specification(): string {
  const requirements = all.map(
    (id, index) => `- REQ-${index + 1}: part ${id} does what its neighbours need.`,
  );
  return ["# Parts", "", "Every part is built.", "", ...requirements, ""].join("\n");
}

function capabilityMap() {
  const behaviors = all.map((id) => ({ id, name: `Behaviour ${id}`, type: "process" }));
  const capability = { id: "C1", name: "Build", spec_ref: { quote: "Every part is built." }, behaviors };
  return {
    version: "1.0",
    domains: [{ id: "D1", name: "Parts", capabilities: [capability] }],
    flows: [
      { id: "F1", name: "All", is_steel_thread: true, steps: all.map((behavior_id) => ({ behavior_id })) },
    ],
    coverage: { total_requirements: behaviours, covered_requirements: behaviours, gaps: [] },
    phase_filtering: { active_phase: 1, excluded_phases: [] },
  };
}

function physicalMap(root: string, plan: readonly TaskDef[]) {
  const about = { layer: "api", purpose: "the part" };
  const tests = [{ path: "test/parts.test.ts", action: "create" }];
  const entries = plan.map(({ behaviours: [behavior_id], files }) => ({
    behavior_id,
    files: files.map((file) => ({ ...file, ...about })),
    tests,
  }));
  return {
    version: "1.0",
    target_dir: root,
    file_mapping: entries,
    summary: { total_behaviors: behaviours, total_files: plan.length + 1 },
  };
}

function measure(cwd: string, children: string, rounds: number): Round[] {
  const seconds = (name: string) => {
    costsOf([{ cwd, args: [join(children, `${name}.js`)] }]);
    return JSON.parse(readFileSync(join(cwd, "seconds.json"), "utf8")) as Seconds;
  };
  seconds("validate-reading");
  return Array.from({ length: rounds }, () => ({
    reading: seconds("validate-reading"),
    validating: seconds("validate-plan"),
  }));
}

function ratioOf(rounds: readonly Round[]): Figure[] {
  const name = "validate: 10,000 tasks in a fresh process, against reading and JSON.parse";
  const figures = (["wall", "cpu"] as const).map((time) => ({
    name: `${name}, ${time}`,
    unit: "x",
    measured: ratio(
      rounds,
      ({ validating }) => validating[time],
      ({ reading }) => reading[time],
    ),
    goal: { most: 5 },
  }));
  return [...figures, ...secondsOf(rounds, "10,000", 1)];
}

function secondsOf(rounds: readonly Round[], tasks = "100,000", most = 10): Figure[] {
  const measured = estimate(rounds, (drawn) => median(drawn.map(({ validating }) => validating.wall)));
  return [{ name: `validate: ${tasks} tasks, wall`, unit: "s", measured, goal: { most } }];
}

// The files of a valid plan of any size, as planning agents would have written them.

export interface Shape {
  readonly tasks: number;
  /** Numbers of the tasks that task `n` waits for; tasks are counted from 1. */
  readonly after?: (n: number) => readonly number[];
  readonly name?: (n: number) => string;
  readonly steel?: readonly number[];
  /** What a task's file says otherwise. */
  readonly more?: (n: number) => object;
}

const quote = "The notebook keeps every note.";

export const specText = `# Notebook\n\n- REQ-1: ${quote}\n`;

/** `T001` … `T999`, `T1000` … */
export const taskId = (n: number) => `T${String(n).padStart(3, "0")}`;

export const chain = (n: number) => (n === 1 ? [] : [n - 1]);

export function taskFile(n: number, shape: Omit<Shape, "tasks"> = {}) {
  const { after = () => [], name, steel = [], more } = shape;
  const id = taskId(n);
  return {
    id,
    name: name?.(n) ?? `Build ${id}`,
    phase: 1,
    context: { domain: "Notes", spec_ref: { quote }, steel_thread: steel.includes(n) },
    behaviors: ["B1"],
    files: [{ path: `src/${id}.ts`, action: "create", layer: "domain", purpose: "its part" }],
    dependencies: { tasks: after(n).map(taskId), external: [] },
    acceptance_criteria: [{ criterion: "it works", verification: `node --test test/${id}.test.ts` }],
    estimate_hours: 3,
    ...more?.(n),
  };
}

export function capabilityMap() {
  return {
    version: "1.0",
    domains: [
      {
        id: "D1",
        name: "Notes",
        capabilities: [
          {
            id: "C1",
            name: "Keep notes",
            spec_ref: { quote },
            behaviors: [{ id: "B1", name: "Store a note", type: "state" }],
          },
        ],
      },
    ],
    flows: [{ id: "F1", name: "Write", is_steel_thread: true, steps: [{ behavior_id: "B1" }] }],
    coverage: { total_requirements: 1, covered_requirements: 1, gaps: [] },
    phase_filtering: { active_phase: 1, excluded_phases: [], total_excluded_requirements: 0 },
  };
}

export function physicalMap(target: string) {
  return {
    version: "1.0",
    target_dir: target,
    file_mapping: [
      {
        behavior_id: "B1",
        behavior_name: "Store a note",
        files: [{ path: "src/notes.ts", action: "create", layer: "data", purpose: "keeps them" }],
      },
    ],
    summary: { total_behaviors: 1, total_files: 1, files_to_create: 1, files_to_modify: 0 },
  };
}

/** Path and text of every file, relative to the project. */
export function planFiles(shape: Shape, target: string): [string, string][] {
  const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
  const numbers = Array.from({ length: shape.tasks }, (_, at) => at + 1);
  return [
    ["project-planning/inputs/spec.md", specText],
    ["project-planning/artifacts/capability-map.json", json(capabilityMap())],
    ["project-planning/artifacts/physical-map.json", json(physicalMap(target))],
    ...numbers.map((n): [string, string] => [
      `project-planning/tasks/${taskId(n)}.json`,
      json(taskFile(n, shape)),
    ]),
  ];
}

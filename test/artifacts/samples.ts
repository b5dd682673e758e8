// Files of a small plan that are right, to be changed by one mistake each.
import type { Problem } from "../../src/core/problem.ts";

export const spec = `# Shop

- REQ-1: The user logs in with an e-mail address and a “password”.
- REQ-2: The cart keeps
  its items for a week.

## Phase 2: Export

- REQ-3: Orders are exported as CSV.
`;

export function capabilityMap() {
  return {
    version: "1.0",
    domains: [
      {
        id: "D1",
        name: "Accounts",
        capabilities: [
          {
            id: "C1",
            name: "Log in",
            spec_ref: {
              quote: 'The user logs in with an e-mail address and a "password".',
              location: "line 3",
            } as unknown,
            behaviors: [
              { id: "B1", name: "Validate credentials", type: "input" },
              { id: "B2", name: "Start a session", type: "state" } as Record<string, unknown>,
            ],
          },
          {
            id: "C2",
            name: "Keep the cart",
            spec_ref: "The cart keeps its items for a week." as unknown,
            behaviors: [{ id: "B3", name: "Store the cart", type: "state" }],
          },
        ],
      },
    ],
    flows: [
      {
        id: "F1",
        name: "Log in and shop",
        is_steel_thread: true,
        steps: [{ order: 1, behavior_id: "B1" }, { behavior_id: "B2" }, { behavior_id: "B3" }],
      },
    ],
    coverage: { total_requirements: 2, covered_requirements: 2, gaps: [] as unknown[] },
    phase_filtering: {
      active_phase: 1,
      excluded_phases: [{ phase: 2, heading: "Phase 2: Export", summary: "CSV export" }],
      total_excluded_requirements: 1,
    },
  };
}

export function physicalMap() {
  return {
    version: "1.0",
    target_dir: "/work/shop",
    file_mapping: [
      {
        behavior_id: "B1",
        behavior_name: "Validate credentials",
        files: [{ path: "src/login.ts", action: "create", layer: "api", purpose: "checks them" }],
        tests: [{ path: "test/login.test.ts", action: "create" }],
      },
      {
        behavior_id: "B2",
        behavior_name: "Start a session",
        files: [{ path: "src/login.ts", action: "extend" }],
      },
      {
        behavior_id: "B3",
        behavior_name: "Store the cart",
        files: [{ path: "src/cart.ts", action: "modify" }],
      },
    ],
    cross_cutting: [{ concern: "logging", files: [{ path: "src/log.ts", action: "create" }] }],
    infrastructure: [{ path: "Dockerfile", action: "create" }],
    summary: { total_behaviors: 3, total_files: 5, files_to_create: 4, files_to_modify: 1 },
  };
}

export interface SampleTask {
  id: string;
  name: string;
  phase?: number;
  context: Record<string, unknown>;
  behaviors: string[];
  files: { path: string; action: string; layer?: string }[];
  dependencies: { tasks: string[]; external?: string[] };
  acceptance_criteria: { criterion: string; verification: string }[];
  estimate_hours: number;
}

export function task(
  id: string,
  after: readonly string[] = [],
  change: Partial<SampleTask> = {},
): SampleTask {
  return {
    id,
    name: `Build ${id}`,
    phase: 1,
    context: { domain: "Accounts", spec_ref: { quote: "The user logs in" }, steel_thread: true },
    behaviors: ["B1"],
    files: [{ path: `src/${id}.ts`, action: "create", layer: "api" }],
    dependencies: { tasks: [...after], external: [] },
    acceptance_criteria: [{ criterion: "it works", verification: `npx vitest run test/${id}.test.ts` }],
    estimate_hours: 3,
    ...change,
  };
}

export function fileOf(value: unknown, file = "artifact.json") {
  return { file, text: JSON.stringify(value, null, 2) };
}

export function taskFiles(...tasks: readonly { readonly id: string }[]) {
  return tasks.map((one) => fileOf(one, `tasks/${one.id}.json`));
}

export function codes(problems: readonly Problem[]): string[] {
  return problems.map(({ code }) => code);
}

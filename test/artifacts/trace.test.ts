// From requirement to evidence (D23), pure.
import { expect, it } from "vitest";
import type { Check } from "../../src/core/run-parts.ts";
import type { CapabilityMap } from "../../src/packs/decomposition/artifacts/capability-map.ts";
import type { TaskFile } from "../../src/packs/decomposition/artifacts/task-file.ts";
import { specRequirements } from "../../src/packs/decomposition/checks/specification.ts";
import { notProven, type Progress, trace } from "../../src/packs/decomposition/checks/trace.ts";
import { capabilityMap, spec, task } from "./samples.ts";

const requirements = specRequirements(spec);
const capabilities = (capabilityMap() as unknown as CapabilityMap).domains.flatMap(
  (domain) => domain.capabilities,
);

const check = (more: Partial<Check> = {}): Check => ({
  ...{ criterion: "c", command: "npm test", ok: true, exit: 0, ms: 1, digest: "", log: "log", note: null },
  ...more,
});
const done = (...checks: readonly Check[]): Progress => ({ status: "complete", isDone: true, checks });

function planned(id: string, more: Partial<TaskFile> = {}): TaskFile {
  return {
    ...(task(id) as unknown as TaskFile),
    context: undefined,
    acceptance_criteria: [{ criterion: "c", verification: "npm test" }],
    ...more,
  };
}

const standings = (tasks: readonly TaskFile[], progress: Readonly<Record<string, Progress>> = {}) =>
  Object.fromEntries(
    trace({ requirements, capabilities, tasks, progress: (id) => progress[id] }).map(({ id, standing }) => [
      id,
      standing,
    ]),
  );

it("D23 goes from the requirement through the map's behaviours to tasks and criteria", () => {
  const [first] = trace({
    requirements,
    capabilities,
    tasks: [planned("T001", { behaviors: ["B2"] }), planned("T002", { behaviors: ["B3"] })],
    progress: (id) => (id === "T001" ? done(check()) : undefined),
  });
  expect(first).toMatchObject({
    id: "REQ-1",
    standing: "proven",
    behaviours: [{ id: "B1" }, { id: "B2" }],
    tasks: [
      { id: "T001", status: "complete", criteria: [{ command: "npm test", evidence: "green", log: "log" }] },
    ],
  });
});

it("D23 takes a requirement that a task names, or quotes, and leaves those of later phases out", () => {
  const named = planned("T001", { behaviors: ["B9"], context: { spec_requirements: ["req-1"] } as never });
  const quoting = planned("T002", {
    behaviors: ["B9"],
    context: { spec_ref: { quote: "keeps its items" } } as never,
  });
  expect(standings([named])).toEqual({ "REQ-1": "open", "REQ-2": "without task" });
  expect(standings([quoting])).toEqual({ "REQ-1": "without task", "REQ-2": "open" });
});

it("D23 calls proven only what heddle saw turn green", () => {
  const tasks = [planned("T001", { behaviors: ["B1"] }), planned("T002", { behaviors: ["B2"] })];
  const both = (...checks: readonly Check[]) => ({ T001: done(check()), T002: done(...checks) });
  expect(standings(tasks, both(check()))["REQ-1"]).toBe("proven");
  for (const [evidence, checks] of [
    ["none", []],
    ["another command", [check({ command: "true" })]],
    ["green before the work", [check({ before: "green" })]],
    ["red", [check({ ok: false, exit: 1 })]],
    ["excused", [check({ ok: false, exit: 1, excused: "red before" })]],
  ] as const)
    expect(standings(tasks, both(...checks))["REQ-1"], evidence).toBe("unproven");
  expect(standings(tasks, { T001: done(check()) })["REQ-1"]).toBe("open");
});

it("D23 names at the end what has no task, or no proof, and not what is open", () => {
  const tasks = [planned("T001", { behaviors: ["B1"] })];
  const traced = trace({ requirements, capabilities, tasks, progress: () => done() });
  expect(notProven(traced).map(({ id }) => id)).toEqual(["REQ-1", "REQ-2"]);
  expect(
    notProven(trace({ requirements, capabilities, tasks, progress: () => undefined })).map(({ id }) => id),
  ).toEqual(["REQ-2"]);
});

it("D23 works without a capabilities, and says nothing where nothing is numbered", () => {
  const tasks = [planned("T001", { context: { spec_ref: "REQ-2" } as never })];
  const traced = trace({ requirements, capabilities: [], tasks, progress: () => undefined });
  expect(traced.map(({ id, tasks: its }) => [id, its.length])).toEqual([
    ["REQ-1", 0],
    ["REQ-2", 1],
  ]);
  expect(trace({ requirements: [], capabilities, tasks, progress: () => undefined })).toEqual([]);
});

import { describe, expect, it } from "vitest";
import { checkBundle, checkState } from "../../src/packs/decomposition/checks/check-execution-files.ts";
import { checkResult } from "../../src/work/result.ts";
import { codes, fileOf } from "./samples.ts";

const at = "2026-11-15T06:46:11.830810+00:00";

const result = () => ({
  version: "1.0",
  task_id: "T001",
  name: "Log in",
  status: "success",
  started_at: at,
  completed_at: at,
  files: { created: ["src/a.ts"], modified: [] as string[] },
  verification: {
    verdict: "PASS",
    criteria: [{ name: "works", status: "PASS", evidence: "12 passed", exit_code: 0 }],
  },
  error: null,
});

describe("checkResult", () => {
  it("X8 accepts a result of the first implementation", () => {
    expect(checkResult({ ...fileOf(result()), taskId: "T001" }).problems).toEqual([]);
  });

  it("X8 accepts the least that says what happened", () => {
    expect(
      checkResult({ ...fileOf({ task_id: "T001", status: "failed" }), taskId: "T001" }).problems,
    ).toEqual([]);
  });

  it("X8 refuses a result of another task", () => {
    expect(checkResult({ ...fileOf(result()), taskId: "T002" }).problems).toMatchObject([
      { code: "wrong-task", place: { pointer: "/task_id" } },
    ]);
  });

  it("X8 refuses an unknown status", () => {
    const { problems } = checkResult({ ...fileOf({ ...result(), status: "sucess" }), taskId: "T001" });
    expect(problems).toMatchObject([{ hint: "did you mean `success`?" }]);
  });

  it("X8 refuses files outside the target", () => {
    const value = { ...result(), files: { created: ["/etc/x"], modified: ["../y"] } };
    expect(codes(checkResult({ ...fileOf(value), taskId: "T001" }).problems)).toEqual([
      "outside-target",
      "outside-target",
    ]);
  });
});

const bundle = (version: string) => ({
  version,
  bundle_created_at: at,
  task_id: "T001",
  name: "Log in",
  phase: 1,
  target_dir: "/work/shop",
  context: { domain: "Accounts", capability_id: "C1", spec_ref: { quote: "The user logs in" } },
  behaviors: [{ id: "B1", name: "Validate", type: "input", description: "" }],
  files: [{ path: "src/a.ts", action: "extend", layer: "api", behaviors: ["B1"] }],
  dependencies: { tasks: [], files: ["src/b.ts"], external: [] },
  acceptance_criteria: [{ criterion: "works", verification: "npm test" }],
  constraints: { language: "TypeScript" },
  checksums: { artifacts: { capability_map: "0011223344556677" }, dependency_files: {} },
});

describe("checkBundle", () => {
  it.each(["1.0", "1.2", "1.3"])(
    "X5 accepts a bundle of version %s, with `extend` and a quoted spec_ref",
    (version) => {
      expect(checkBundle({ ...fileOf(bundle(version)), taskId: "T001" }).problems).toEqual([]);
    },
  );

  it("X5 refuses a bundle of another task or version", () => {
    const { problems } = checkBundle({ ...fileOf(bundle("2.0")), taskId: "T002" });
    expect(codes(problems)).toEqual(["wrong-value", "wrong-task"]);
  });
});

const task = (id: string) => ({
  id,
  name: "Log in",
  status: "running",
  phase: 1,
  depends_on: [],
  blocks: [],
  attempts: 1,
});

const state = (tasks: unknown) => ({
  version: "2.0",
  phase: { current: "executing", completed: ["ingestion"] },
  target_dir: "/work/shop",
  created_at: at,
  updated_at: at,
  artifacts: {
    capability_map: { path: "a", checksum: "b", valid: true, validated_at: at, error: null },
    task_validation: {
      verdict: "READY",
      valid: true,
      summary: "",
      issues: [],
      validated_at: at,
      error: null,
    },
  },
  tasks,
  execution: {
    current_phase: 0,
    active_tasks: ["T001"],
    completed_count: 0,
    failed_count: 0,
    total_tokens: 0,
    total_cost_usd: 0,
  },
  events: [{ timestamp: at, type: "initialized", details: { target_dir: "/work/shop" } }],
});

describe("checkState", () => {
  it("C3 accepts a state of the first implementation", () => {
    expect(checkState(fileOf(state({ T001: task("T001") }))).problems).toEqual([]);
  });

  it("C2 accepts our own view of a large plan", () => {
    const view = {
      run: "r1",
      position: 12,
      digest: "abc",
      ...state({ counts: { pending: 4000 }, T001: task("T001") }),
    };
    expect(checkState(fileOf(view)).problems).toEqual([]);
  });

  it("C3 names an unknown phase with the valid ones", () => {
    const value = { ...state({}), phase: { current: "executin", completed: [] } };
    expect(checkState(fileOf(value)).problems).toMatchObject([
      { code: "wrong-value", place: { pointer: "/phase/current" }, hint: "did you mean `executing`?" },
    ]);
  });

  it("C3 finds an entry under another task's id", () => {
    expect(codes(checkState(fileOf(state({ T002: task("T001") }))).problems)).toEqual(["wrong-task"]);
  });

  it("C3 is not led astray by a `__proto__` task", () => {
    const text = JSON.stringify(state({ T001: task("T001") })).replace(
      '"T001":{',
      '"__proto__":{"polluted":1},"T001":{',
    );
    checkState({ file: "state.json", text });
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });
});

// A `project-planning` folder as the first implementation leaves it in the middle of its work: its own field names
// and timestamps, one level of blocking, a dependency that never existed, a task that was running, a halt.
import { createHash } from "node:crypto";
import { capabilityMap, physicalMap, specText, taskFile } from "../e2e/plan-files.ts";

const at = (minute: number) => `2026-11-15T06:${String(minute).padStart(2, "0")}:11.830810+00:00`;

export const dependencies: Readonly<Record<string, readonly string[]>> = {
  T001: [],
  T002: ["T001"],
  T003: ["T001"],
  T004: ["T003"],
  T005: ["T004"],
  T006: ["T002"],
  T007: [],
  T008: ["T007"],
  T009: ["T404"],
};

const records: Readonly<Record<string, object>> = {
  T001: {
    status: "complete",
    attempts: 1,
    started_at: at(10),
    completed_at: at(12),
    duration_seconds: 120,
    files_created: ["src/T001.ts"],
    verification: {
      verdict: "PASS",
      recommendation: "PROCEED",
      criteria: [{ name: "it works", score: "PASS", evidence: "ran" }],
      verified_at: at(13),
    },
  },
  T002: {
    status: "complete",
    attempts: 2,
    started_at: at(14),
    completed_at: at(15),
    files_modified: ["src/T001.ts"],
  },
  T003: {
    status: "failed",
    attempts: 3,
    started_at: at(16),
    completed_at: at(17),
    error: "2 tests are red",
    failure: { category: "implementation", subcategory: "logic_error", retryable: true },
  },
  T004: { status: "blocked", error: "Blocked by failed task T003" },
  T006: { status: "running", attempts: 1, started_at: at(18) },
  T007: { status: "skipped", completed_at: at(19), skip_reason: "done by hand" },
};

export const events = [
  { timestamp: at(1), type: "initialized", details: { target_dir: "/somewhere/app" } },
  { timestamp: at(2), type: "phase_advanced", details: { from: "ingestion", to: "logical" } },
  { timestamp: at(10), type: "task_started", task_id: "T001", details: { attempt: 1 } },
  { timestamp: at(12), type: "task_completed", task_id: "T001", details: { files_created: ["src/T001.ts"] } },
  { timestamp: at(20), type: "halt_requested", details: { reason: "user_message", active_task: "T006" } },
];

/** Two words on one task, and one on another. */
export const calibrations = [
  {
    task_id: "T001",
    verdict: "PASS",
    recommendation: "PROCEED",
    actual_outcome: "correct",
    notes: "held",
    recorded_at: at(21),
  },
  {
    task_id: "T002",
    verdict: null,
    recommendation: null,
    actual_outcome: "false_positive",
    notes: "",
    recorded_at: at(22),
  },
];

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
const checksum = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 16);

export function firstState(target: string) {
  const maps = { capability: json(capabilityMap()), physical: json(physicalMap(target)) };
  const ids = Object.keys(dependencies);
  const tasks = ids.map((id) => ({
    id,
    name: `Build ${id}`,
    status: "pending",
    phase: 1,
    depends_on: dependencies[id],
    blocks: ids.filter((other) => dependencies[other]?.includes(id)),
    file: `/somewhere/project-planning/tasks/${id}.json`,
    attempts: 0,
    started_at: null,
    completed_at: null,
    files_created: [],
    files_modified: [],
    ...records[id],
  }));
  return {
    version: "2.0",
    phase: {
      current: "executing",
      completed: ["ingestion", "logical", "physical", "definition", "validation", "sequencing", "ready"],
    },
    target_dir: target,
    created_at: at(1),
    updated_at: at(20),
    artifacts: {
      capability_map: {
        path: "/somewhere/project-planning/artifacts/capability-map.json",
        checksum: checksum(maps.capability),
        valid: true,
        validated_at: at(3),
        error: null,
      },
      physical_map: {
        path: "/somewhere/project-planning/artifacts/physical-map.json",
        checksum: checksum(maps.physical),
        valid: true,
        validated_at: at(4),
        error: null,
      },
      task_validation: {
        verdict: "READY_WITH_NOTES",
        valid: true,
        summary: "all pass, with notes",
        issues: ["T004 is large", "T005 has no edge cases"],
        validated_at: at(5),
        error: null,
      },
    },
    tasks: Object.fromEntries(tasks.map((task) => [task.id, task])),
    execution: {
      current_phase: 0,
      active_tasks: ["T006"],
      completed_count: 2,
      failed_count: 1,
      total_tokens: 12_345,
      total_cost_usd: 1.5,
    },
    calibration: {
      total_verified: calibrations.length,
      correct: 1,
      false_positives: ["T002"],
      false_negatives: [],
      history: calibrations,
    },
    halt: {
      requested: true,
      requested_at: at(20),
      reason: "user_message",
      halted_at: null,
      active_task: "T006",
      resumable: true,
    },
    events,
  };
}

/** Path and text of every file, relative to the folder that holds `state.json`. */
export function firstFiles(target: string): [string, string][] {
  const tasks = Object.entries(dependencies).map(([id, ids]): [string, string] => {
    const file = taskFile(Number(id.slice(1)));
    return [`tasks/${id}.json`, json({ ...file, dependencies: { tasks: ids, external: [] } })];
  });
  return [
    ["state.json", JSON.stringify(firstState(target), null, 2)],
    ["inputs/spec.md", specText],
    ["artifacts/capability-map.json", json(capabilityMap())],
    ["artifacts/physical-map.json", json(physicalMap(target))],
    ...tasks,
  ];
}

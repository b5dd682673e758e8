// A plan of the first implementation as facts (C3, U6): where it stood, every task's record, and its event log.
// Blocked tasks come over as pending: what blocks them follows from the graph.
import type { Fact, Imported } from "../../core/fact.ts";
import { inOrder } from "../../core/graph/graph.ts";
import { type Json, type TaskDef, type TaskState, unknownDigest } from "../../core/run.ts";
import type { Verification } from "../../core/run-parts.ts";
import type { State } from "./artifacts/state.ts";

type TaskRecord = Exclude<State["tasks"][string], undefined> & { readonly id: string };

export interface Source {
  readonly from: string;
  readonly state: State;
  /** Definitions from the task files, for the tasks whose file is right. */
  readonly defs: ReadonlyMap<string, TaskDef>;
}

export function taskerFacts({ from, state, defs }: Source): Fact[] {
  const records = recordsOf(state);
  const known = new Set(records.map((record) => record.id));
  const plan = records.map((record) => {
    const sketch = definitionOf(record, known);
    const def = defs.get(record.id);
    // The state's own dependencies: they were checked for cycles.
    return def ? { ...def, dependsOn: sketch.dependsOn } : sketch;
  });
  const nodes = plan.map((def) => ({ def, id: def.id, dependsOn: def.dependsOn, hours: def.estimateHours }));
  const { current, completed } = state.phase;
  return [
    { kind: "run-imported", from, phase: current, completedPhases: completed },
    ...inOrder(nodes).map(({ def }): Fact => ({ kind: "task-defined", task: def, reset: false })),
    ...(plan.length > 0
      ? [{ kind: "plan-loaded", tasks: plan.length, added: plan.length, changed: 0, dropped: 0 } as const]
      : []),
    ...records.map((record): Fact => ({ kind: "task-imported", task: record.id, record: recordOf(record) })),
    ...usageFacts(state),
    ...calibrationFacts(state),
    ...haltFacts(state),
    ...(state.events ?? []).map(eventFact),
  ];
}

export function recordsOf(state: State): TaskRecord[] {
  return Object.entries(state.tasks).flatMap(([id, record]) =>
    id === "counts" ? [] : [record as TaskRecord],
  );
}

/** Dependencies that never existed are left out: they would have held the task back for ever. */
function definitionOf(record: TaskRecord, known: ReadonlySet<string>): TaskDef {
  return {
    id: record.id,
    name: record.name,
    phase: record.phase ?? 0,
    dependsOn: [...new Set(record.depends_on ?? [])].filter((id) => known.has(id) && id !== record.id),
    steel: false,
    estimateHours: 4,
    behaviours: [],
    files: [],
    criteria: [],
    file: record.file ?? "",
    digest: unknownDigest,
  };
}

const states: Readonly<Record<string, TaskState>> = {
  running: "running",
  complete: "complete",
  failed: "failed",
  skipped: "skipped",
};

function recordOf(record: TaskRecord): Imported {
  const state = states[record.status] ?? "pending";
  return {
    state,
    attempts: record.attempts ?? 0,
    startedAt: record.started_at ?? null,
    completedAt: record.completed_at ?? null,
    created: record.files_created ?? [],
    modified: record.files_modified ?? [],
    failure: state === "failed" ? failureOf(record) : null,
    skipReason: state === "skipped" ? (record.skip_reason ?? "skipped") : null,
    verification: verificationOf(record),
    rollback: (record.rollback_data ?? null) as Json,
  };
}

function failureOf({ error, failure }: TaskRecord): Imported["failure"] {
  const { category, subcategory, retryable } = (failure ?? {}) as Record<string, unknown>;
  return {
    error: error ?? "failed",
    category: typeof category === "string" ? category : "unknown",
    subcategory: typeof subcategory === "string" ? subcategory : null,
    retryable: retryable !== false,
  };
}

function verificationOf({ verification }: TaskRecord): Verification | null {
  if (!verification) return null;
  const {
    verdict,
    recommendation,
    criteria,
    quality,
    tests,
    verified_at: at,
  } = verification as Record<string, Json>;
  if (verdict !== "PASS" && verdict !== "FAIL" && verdict !== "CONDITIONAL") return null;
  if (recommendation !== "PROCEED" && recommendation !== "BLOCK") return null;
  const rest = { criteria: criteria ?? null, quality: quality ?? null, tests: tests ?? null };
  return { verdict, recommendation, ...rest, verifiedAt: typeof at === "string" ? at : "" };
}

function usageFacts({ execution, phase }: State): Fact[] {
  const { total_tokens: tokens = 0, total_cost_usd: costUsd = 0 } = execution ?? {};
  if (tokens === 0 && costUsd === 0) return [];
  const counted = { inputTokens: tokens, outputTokens: 0, costUsd };
  return [{ kind: "usage-recorded", task: null, phase: phase.current, agent: "imported", ...counted }];
}

const outcomes = ["correct", "false_positive", "false_negative"] as const;

/** Without a history the lists of names are all there is: of what was correct they tell the number alone. */
function calibrationFacts({ calibration, tasks }: State): Fact[] {
  const { history, false_positives: positives, false_negatives: negatives } = calibration ?? {};
  const named = (ids: readonly string[] = [], actual_outcome: string) =>
    ids.map((task_id) => ({ task_id, actual_outcome }));
  const records = history ?? [...named(positives, "false_positive"), ...named(negatives, "false_negative")];
  return records.flatMap((record): Fact[] => {
    const { task_id: task, actual_outcome: actual, notes, recorded_at: recordedAt } = record as History;
    const outcome = outcomes.find((each) => each === actual);
    if (!outcome || !Object.hasOwn(tasks, task)) return [];
    return [
      {
        kind: "calibration-recorded",
        task,
        outcome,
        notes: notes ?? "",
        ...(typeof recordedAt === "string" && { recordedAt }),
      },
    ];
  });
}

type History = NonNullable<NonNullable<NonNullable<State["calibration"]>["history"]>[number]>;

function haltFacts({ halt }: State): Fact[] {
  if (!halt?.requested) return [];
  return [{ kind: "halt-requested", code: "operator", reason: halt.reason ?? "imported", now: false }];
}

function eventFact(event: NonNullable<State["events"]>[number]): Fact {
  const {
    timestamp,
    type,
    task_id: task,
    details,
  } = event as typeof event & { task_id?: Json; details?: Json };
  return {
    kind: "event-imported",
    at: timestamp,
    type,
    task: typeof task === "string" ? task : null,
    details: details ?? null,
  };
}

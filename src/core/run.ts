// What a run is: all that heddle knows of one protocol at work on one project, the fold of its facts (`apply.ts`). All but
// `protocol` and `tasks` is plain JSON, the "head"; what is marked derived follows from the rest and is never journaled.
import type { FleetState, Placed } from "./machines/fleet.ts";
import type { Policy } from "./policy.ts";
import type { Protocol } from "./protocol.ts";
import type {
  Artifact,
  Baseline,
  Branch,
  Calibrated,
  Calibration,
  Candidate,
  Checkpoint,
  Evidence,
  Halt,
  Held,
  Holder,
  Job,
  JobRecord,
  LastSeen,
  Question,
  Usage,
  Verification,
  Work,
} from "./run-parts.ts";
import type { TaskTable } from "./table.ts";

/** What happens to a task whose agent died with its orchestrator and left no result. */
export type OnOrphan = "retry" | "skip" | "abort";
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type TaskId = string;
/** What happened to a task. `blocked` is missing on purpose: it is computed from the graph (`task.ts`). */
export type TaskState = "pending" | "running" | "complete" | "failed" | "skipped";
export type TaskStatus = TaskState | "blocked";
export const statuses: readonly TaskStatus[] = [
  "pending",
  "running",
  "complete",
  "failed",
  "blocked",
  "skipped",
];

/** A task as its file defines it. */
export interface TaskDef {
  readonly id: TaskId;
  readonly name: string;
  readonly phase: number;
  readonly dependsOn: readonly TaskId[];
  readonly steel: boolean;
  readonly estimateHours: number;
  readonly behaviours: readonly string[];
  readonly files: readonly { readonly path: string; readonly action: string }[];
  readonly criteria: readonly { readonly criterion: string; readonly command: string }[];
  /** What it must have for itself while it is worked on (`database`), and by what names its executor is chosen. */
  readonly exclusive?: readonly string[];
  readonly tags?: readonly string[];
  readonly unchecked?: true; // a person said that nothing checks it: it is merged, and never called verified
  readonly file: string; // within the planning folder (`taskFile`); another program may have written any path
  /** Of the definition without what sequencing writes (phase, steel thread): a change here resets progress. */
  readonly digest: string;
}

/** The digest of a definition that came without its file. */
export const unknownDigest = "imported";

/** prepare → work → (repair) → check → (review) → integrate; a host's attempt is `working` all the time. */
export type Stage = "preparing" | "working" | "repairing" | "checking" | "reviewing" | "integrating";

/** One try at one task. Its number and the orchestrator's epoch are the fence against late answers. */
export interface Attempt extends Held, Placed {
  readonly number: number;
  readonly driver: "host" | "engine";
  stage: Stage;
  /** Run time at which the stage's limit is crossed. No limit runs while it waits, or a halt has ended it. */
  dueMs: number | null;
  readonly base: string | null; // the commit that it begins from
  /** What it made of that, once heddle has seen it; and what would be merged, and onto what. */
  work: Work | null;
  candidate: Candidate | null;
}

export interface Failure {
  readonly error: string;
  readonly category: string;
  readonly subcategory: string | null;
  readonly retryable: boolean;
}

export interface Task extends Placed {
  def: TaskDef;
  state: TaskState;
  attempts: number;
  /** Attempts since a person last said retry: what the policy's limit counts. */
  tries: number;
  attempt: Attempt | null;
  notBeforeMs: number; // run time before which the engine does not start it again
  startedAt: string | null;
  completedAt: string | null;
  created: readonly string[];
  modified: readonly string[];
  /** Who says that it is done: a host or an unchecked task (`claimed`), heddle's evidence, or an adopted edit. */
  done: "claimed" | "verified" | "adopted" | null;
  failure: Failure | null;
  /** What went wrong the last time, also while it is tried again: the next attempt is told. */
  lastFailure: Failure | null;
  skipReason: string | null;
  verification: Verification | null;
  /** What heddle saw when it last ran the acceptance commands, and on which tree. */
  evidence: Evidence | null;
  seen: LastSeen | null;
  commit: string | null; // the one that brought its change to the integration branch
  /** Attempts that ended with their orchestrator: no fault of the task, but their number is bounded. */
  losses: number;
  calibration: Calibrated | null;
  rollback: Json;
  costUsd: number;
  /** Derived: who waits for it, unsettled and dead dependencies, longest remaining path in hours. */
  dependents: TaskId[];
  unmet: number;
  dead: number;
  remaining: number;
}

export interface Head {
  id: string;
  protocolName: string;
  position: number;
  createdAt: string;
  updatedAt: string;
  targetDir: string;
  planningDir: string;
  metadata: Readonly<Record<string, Json>>;
  archived: boolean;
  phase: string;
  completedPhases: string[];
  policy: Policy;
  artifacts: Record<string, Artifact>;
  vars: Record<string, Json>;
  counters: Record<string, number>;
  /** Derived: tasks by status, and complete ones that rest on somebody's word alone. */
  counts: Record<TaskStatus, number>;
  unverified: number;
  running: TaskId[];
  /** Attempts of tasks that were dropped: one that comes back counts on, so that no old answer fits it. */
  retired: Record<TaskId, number>;
  halt: Halt | null;
  questions: Question[];
  usage: Usage;
  /** Set while an orchestrator drives the run itself: how many attempts at once, up to or only in which phase. */
  slots: number;
  until: string | null;
  within: string | null;
  /** Only these tasks are started, when a person named them; and what becomes of attempts that were lost. */
  only: readonly TaskId[] | null;
  onOrphan: OnOrphan;
  fleet?: FleetState; // machines beside this one, where there are any
  /** Where finished work is integrated, the attempts that wait for it in order, and what it was like at the start. */
  branch: Branch | null;
  queue: TaskId[];
  baseline?: Baseline;
  /** The role at work, and what is known of each role of this phase. */
  job: Job | null;
  jobs: Record<string, JobRecord>;
  epoch: number;
  holder: Holder | null;
  runMs: number;
  checkpoint: Checkpoint | null;
  calibration: Calibration;
}

export interface Run extends Head {
  readonly protocol: Protocol;
  readonly tasks: TaskTable;
}

export function taskOf(run: Run, id: TaskId): Task {
  const task = run.tasks.get(id);
  if (!task) throw new Error(`bug: no task ${id} in run ${run.id}`);
  return task;
}

/** Where a task's own file lies. */
export function taskFile({ planningDir }: Pick<Run, "planningDir">, { file }: TaskDef): string {
  return file.startsWith("tasks/") ? `${planningDir}/${file}` : file;
}

// The room of the core: what a run is, what facts mean, what follows from an input, and what the world should do. Pure: no file,
// no process, no clock, no randomness, no `await`; time is an input. It uses no other room.
//
// Facts: what is written down, in the past tense. A fact once released is never changed, only added to; what an
// old one means today is settled in `upgrade.ts`. `apply.ts` says what each means for a Run.

import type { Fleet } from "./machines/fleet.ts";
import type { Policy } from "./policy.ts";
import type { Failure, Json, OnOrphan, Run, Stage, Task, TaskDef, TaskId, TaskState } from "./run.ts";
import type {
  BaselineSeen,
  Branch,
  Candidate,
  Checkpoint,
  Evidence,
  HaltCode,
  Holder,
  JobStage,
  Verification,
  Work,
} from "./run-parts.ts";

/** Raise it together with a new kind or field, so that an older heddle refuses what it cannot understand. */
export const factFormat = 8;

type Words = readonly string[];
type Try = { readonly task: TaskId; readonly attempt: number };

/** What another program's state knew of a task. */
export type Imported = Pick<
  Task,
  | "state"
  | "attempts"
  | "startedAt"
  | "completedAt"
  | "created"
  | "modified"
  | "failure"
  | "skipReason"
  | "verification"
  | "rollback"
>;

interface Kinds {
  "run-created": {
    readonly protocol: string;
    readonly targetDir: string;
    readonly planningDir: string;
    readonly policy: Policy;
    readonly metadata: Readonly<Record<string, Json>>;
  };
  "metadata-set": { readonly metadata: Readonly<Record<string, Json>> };
  "run-archived": { readonly reason: string };
  "phase-entered": {
    readonly from: string;
    readonly to: string;
    readonly rule: string;
    readonly counts: string | null;
  };
  "artifact-registered": {
    readonly artifact: string;
    readonly path: string;
    readonly digest: string;
    readonly inputs: Readonly<Record<string, string>>;
    readonly valid: boolean;
    readonly problems: Words;
    readonly content: Readonly<Record<string, Json>>;
  };
  "variable-set": { readonly name: string; readonly value: Json };
  "task-defined": { readonly task: TaskDef; readonly reset: boolean };
  "task-dropped": { readonly task: TaskId };
  "plan-loaded": {
    readonly tasks: number;
    readonly added: number;
    readonly changed: number;
    readonly dropped: number;
    /** Why a person changed it. */
    readonly reason?: string;
  };
  "task-started": Try & {
    readonly driver: "host" | "engine";
    readonly runMs: number;
    readonly dueMs: number | null;
    /** The commit that an attempt of heddle's own begins from. */
    readonly base?: string;
    /** On which machine, by its name in the configuration, when it is not the orchestrator's own. */
    readonly machine?: string;
  };
  "stage-entered": Try & { readonly stage: Stage; readonly runMs: number; readonly dueMs: number | null };
  "work-recorded": Try & Work;
  "checks-recorded": Try & Evidence;
  /** Before the branch moves: after a crash that very commit is looked for. */
  "merge-prepared": Try & Candidate & { readonly runMs: number; readonly dueMs: number | null };
  "task-merged": Try & { readonly commit: string; readonly tip: string };
  /** Its agent died with the orchestrator and left no result. */
  "attempt-lost": Try & { readonly reason: string; readonly runMs: number };
  /** It asked something: the answer starts another attempt. */
  "attempt-paused": Try & { readonly reason: string; readonly runMs: number };
  /** Its agent may not be asked for a while, through no fault of the task: it costs no try. */
  "attempt-parked": Try & { readonly reason: string; readonly runMs: number; readonly notBeforeMs: number };
  /** The world could not carry it on, such as a full disk: it keeps its work and its try, and goes on after the halt. */
  "attempt-held": Try & { readonly reason: string; readonly runMs: number };
  /** Its machine could not go on with it, and the orchestrator's own can: what was made of it is at home. */
  "attempt-moved": Try & { readonly reason: string; readonly runMs: number; readonly dueMs: number | null };
  "proposal-recorded": Try & { readonly status: "success" | "failed"; readonly summary: string };
  "proposal-refused": Try & { readonly what: string; readonly reason: string };
  "task-undone": { readonly task: TaskId; readonly commit: string; readonly reason: string };
  /** Before anybody was paid: what the commands of the plan and of the project said on the base. */
  "baseline-checked": BaselineSeen & {
    readonly commit: string;
    readonly tries: number;
    readonly runMs: number;
  };
  "branch-opened": Branch;
  "branch-moved": { readonly tip: string; readonly reason: string };
  /** `into`: on which branch, when it is not that of the checkout. */
  landed: { readonly commit: string; readonly files: number; readonly into?: string };
  "attempt-failed": Try & Failure & { readonly runMs: number; readonly notBeforeMs: number };
  "task-completed": Try & {
    readonly created: Words;
    readonly modified: Words;
    readonly done: "claimed" | "verified";
  };
  "task-failed": Try & Failure;
  "task-retried": { readonly task: TaskId };
  /** `keeps`: what its last attempt left is still shown; facts from before drop it. */
  "task-skipped": { readonly task: TaskId; readonly reason: string; readonly keeps?: true };
  "verification-recorded": { readonly task: TaskId } & Omit<Verification, "verifiedAt">;
  "rollback-prepared": { readonly task: TaskId; readonly rollback: Json };
  "rollback-verified": { readonly task: TaskId; readonly success: boolean; readonly issues: Words };
  "task-committed": { readonly task: TaskId; readonly files: Words; readonly commit: string };
  "calibration-recorded": {
    readonly task: TaskId;
    readonly outcome: "correct" | "false_positive" | "false_negative";
    readonly notes: string;
    /** When another program recorded it, for one that was imported. */
    readonly recordedAt?: string;
  };
  "checkpoint-set": { readonly checkpoint: Checkpoint | null };
  "usage-recorded": {
    readonly task: TaskId | null;
    readonly phase: string;
    readonly agent: string;
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly costUsd: number | null;
  };
  "halt-requested": {
    readonly code: HaltCode;
    readonly reason: string;
    readonly now: boolean;
    /** The role that could not do it. */
    readonly role?: string;
    /** By whoever sat at the terminal of the orchestrator. */
    readonly interrupted?: true;
  };
  "halt-confirmed": { readonly running: Words };
  resumed: { readonly reason: string; readonly stopFile: boolean };
  "question-asked": {
    readonly id: string;
    readonly text: string;
    readonly options: Words;
    readonly about: string;
  };
  "question-answered": { readonly id: string; readonly answer: string };
  overridden: {
    readonly reason: string;
    readonly phase: string | null;
    readonly tasks: Readonly<Record<TaskId, TaskState>>;
    readonly policy: Partial<Policy>;
  };
  "epoch-claimed": { readonly epoch: number; readonly holder: Holder };
  /** By somebody on another machine, who cannot see whether the holder's process is alive. */
  "holder-asked": { readonly epoch: number; readonly question: number };
  "holder-answered": { readonly epoch: number; readonly question: number };
  "epoch-released": { readonly epoch: number; readonly runMs: number };
  "slots-set": {
    readonly slots: number;
    readonly until: string | null;
    readonly within?: string;
    readonly only?: Words;
    readonly onOrphan?: OnOrphan;
    readonly fleet?: Fleet;
  };
  /** Whether a machine is there, and what it said; or why it takes nothing before a time. */
  "machine-asked": { readonly machine: string; readonly runMs: number };
  "machine-joined": {
    readonly machine: string;
    readonly runMs: number;
    readonly agents?: Words;
  };
  "machine-left": {
    readonly machine: string;
    readonly reason: string;
    readonly runMs: number;
    readonly notBeforeMs: number;
  };
  /** A worker that joined by itself, and its end: what was given to it ends by itself. */
  "machine-found": {
    readonly machine: string;
    readonly slots: number;
    readonly labels: Words;
    readonly runMs: number;
  };
  "machine-lost": { readonly machine: string; readonly reason: string; readonly runMs: number };
  "job-started": {
    readonly role: string;
    readonly makes: string;
    readonly attempt: number;
    readonly runMs: number;
    readonly dueMs: number;
    /** A person made it: heddle only carries it out. */
    readonly byHand?: true;
  };
  "job-stage-entered": {
    readonly role: string;
    readonly attempt: number;
    readonly stage: JobStage;
    readonly runMs: number;
    readonly dueMs: number | null;
  };
  "job-failed": {
    readonly role: string;
    readonly attempt: number;
    readonly category: string;
    readonly problems: Words;
    readonly runMs: number;
    readonly notBeforeMs: number;
  };
  /** As `attempt-parked`, for a role. */
  "job-parked": {
    readonly role: string;
    readonly attempt: number;
    readonly reason: string;
    readonly runMs: number;
    readonly notBeforeMs: number;
    /** Its agent died with an earlier orchestrator. */
    readonly lost?: true;
  };
  /** As `attempt-held`, for a role. */
  "job-held": {
    readonly role: string;
    readonly attempt: number;
    readonly reason: string;
    readonly runMs: number;
  };
  /** `asked`: it stopped with a question instead of an output, and is started again by the answer. */
  "job-completed": {
    readonly role: string;
    readonly attempt: number;
    readonly asked?: true;
    /** Which artifact a person had made. */
    readonly byHand?: string;
  };
  "view-repaired": { readonly view: string; readonly was: string };
  /** From another program's files: where it stood, what became of each task, and what it had logged. */
  "run-imported": { readonly from: string; readonly phase: string; readonly completedPhases: Words };
  "task-imported": { readonly task: TaskId; readonly record: Imported };
  "event-imported": {
    readonly at: string;
    readonly type: string;
    readonly task: TaskId | null;
    readonly details: Json;
  };
}

export type FactKind = keyof Kinds;
export type FactOf<K extends FactKind> = { readonly kind: K } & Kinds[K];
export type Fact = { [K in FactKind]: FactOf<K> }[FactKind];

/** A fact in the journal: when it was written down, and by whom. Nothing is decided by `at`. */
export interface Entry {
  readonly position: number;
  readonly at: string;
  readonly by: string;
  readonly fact: Fact;
}

/** What facts of some kinds mean for a run. */
export type Meanings<K extends FactKind> = {
  readonly [Kind in K]: (run: Run, fact: FactOf<Kind>, entry: Entry) => void;
};

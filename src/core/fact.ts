// Facts: what is written down, in the past tense. A fact once released is never changed, only added to; what an
// old one means today is settled in `upgrade.ts`. `apply.ts` says what each means for a Run.
import type {
  Branch,
  Candidate,
  Check,
  Checkpoint,
  HaltCode,
  Holder,
  JobStage,
  Verification,
  Work,
} from "./parts.ts";
import type { Policy } from "./policy.ts";
import type { Failure, Json, OnOrphan, Run, Stage, Task, TaskDef, TaskId, TaskState } from "./run.ts";

/** Raise it together with a new kind or field, so that an older heddle refuses what it cannot understand. */
export const factFormat = 3;

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
  };
  "task-started": Try & {
    readonly driver: "host" | "engine";
    readonly runMs: number;
    readonly dueMs: number | null;
    /** The commit that an attempt of heddle's own begins from. */
    readonly base?: string;
  };
  "stage-entered": Try & { readonly stage: Stage; readonly runMs: number; readonly dueMs: number | null };
  "work-recorded": Try & Work;
  "checks-recorded": Try & { readonly tree: string; readonly checks: readonly Check[] };
  /** Before the branch moves: after a crash that very commit is looked for. */
  "merge-prepared": Try & Candidate & { readonly runMs: number; readonly dueMs: number | null };
  "task-merged": Try & { readonly commit: string; readonly tip: string };
  /** Its agent died with the orchestrator and left no result. */
  "attempt-lost": Try & { readonly reason: string; readonly runMs: number };
  /** It asked something: the answer starts another attempt. */
  "attempt-paused": Try & { readonly reason: string; readonly runMs: number };
  /** Its agent may not be asked for a while, which is nobody's fault: it costs no try. */
  "attempt-parked": Try & { readonly reason: string; readonly runMs: number; readonly notBeforeMs: number };
  "proposal-recorded": Try & { readonly status: "success" | "failed"; readonly summary: string };
  "proposal-refused": Try & { readonly what: string; readonly reason: string };
  "task-undone": { readonly task: TaskId; readonly commit: string; readonly reason: string };
  "branch-opened": Branch;
  "branch-moved": { readonly tip: string; readonly reason: string };
  landed: { readonly commit: string; readonly files: number };
  "attempt-failed": Try & Failure & { readonly runMs: number; readonly notBeforeMs: number };
  "task-completed": Try & {
    readonly created: Words;
    readonly modified: Words;
    readonly done: "claimed" | "verified";
  };
  "task-failed": Try & Failure;
  "task-retried": { readonly task: TaskId };
  "task-skipped": { readonly task: TaskId; readonly reason: string };
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
  "epoch-released": { readonly epoch: number; readonly runMs: number };
  "slots-set": {
    readonly slots: number;
    readonly until: string | null;
    readonly within?: string;
    readonly only?: Words;
    readonly onOrphan?: OnOrphan;
  };
  "job-started": {
    readonly role: string;
    readonly makes: string;
    readonly attempt: number;
    readonly runMs: number;
    readonly dueMs: number;
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
  };
  /** `asked`: it stopped with a question instead of an output, and is started again by the answer. */
  "job-completed": { readonly role: string; readonly attempt: number; readonly asked?: true };
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

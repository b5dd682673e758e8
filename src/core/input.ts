// Inputs: everything that can be asked of a run. CLI, REPL, page, MCP and returning agents all submit one of
// these, and `step.ts` answers with facts or with problems.
import type { Fact } from "./fact.ts";
import type { Fleet } from "./machines/fleet.ts";
import type { Policy } from "./policy.ts";
import type { Failure, Json, OnOrphan, TaskDef, TaskId, TaskState } from "./run.ts";
import type {
  BaselineSeen,
  Branch,
  Candidate,
  Evidence,
  HaltCode,
  Holder,
  Verification,
  Work,
} from "./run-parts.ts";

type Words = readonly string[];
type Digests = Readonly<Record<string, string | null>>;

interface Kinds {
  create: {
    readonly targetDir: string;
    readonly planningDir: string;
    readonly policy?: Partial<Policy>;
    readonly metadata?: Readonly<Record<string, Json>>;
  };
  describe: { readonly metadata: Readonly<Record<string, Json>>; readonly policy?: Partial<Policy> };
  /** Back to an earlier phase, because what came after it no longer counts. */
  reopen: { readonly to: string; readonly reason: string };
  archive: { readonly reason: string };
  /** `digests`: the protocol's files as they are now. */
  /** `request`: what a person asks for beside going on, such as `redo`; only a rule that waits for it answers. */
  advance: { readonly digests: Digests; readonly request?: string; readonly reason?: string };
  override: { readonly reason: string; readonly to?: string; readonly digests: Digests };
  /** A fault, by its code, that no longer counts; without a reason it counts again. */
  allow: { readonly code: string; readonly reason: string | null };
  register: {
    readonly artifact: string;
    readonly path: string;
    readonly digest: string;
    readonly inputs: Readonly<Record<string, string>>;
    readonly valid: boolean;
    readonly problems: Words;
    readonly content: Readonly<Record<string, Json>>;
  };
  /** Variables of the run, by name: what a protocol's rules look at beside its artifacts. */
  set: { readonly values: Readonly<Record<string, Json>> };
  /** `reason`: why a person changed it, in their words. */
  "load-plan": { readonly tasks: readonly TaskDef[]; readonly reason?: string };
  start: { readonly task: TaskId; readonly force?: boolean };
  /** `attempt`: which one speaks, when it says so; another than the present one is too late (X17). */
  complete: {
    readonly task: TaskId;
    readonly attempt?: number | undefined;
    readonly created: Words;
    readonly modified: Words;
    /** What heddle saw in the target, when it was asked to look first (X20). */
    readonly evidence?: Evidence | undefined;
  };
  fail: { readonly task: TaskId; readonly attempt?: number | undefined } & Failure;
  /** `gone`: the epoch whose orchestrator is seen to be gone. */
  retry: { readonly task: TaskId; readonly force?: boolean; readonly gone?: number | null };
  skip: { readonly task: TaskId; readonly reason: string };
  "record-verification": { readonly task: TaskId } & Omit<Verification, "verifiedAt">;
  "record-calibration": {
    readonly task: TaskId;
    readonly outcome: "correct" | "false_positive" | "false_negative";
    readonly notes: string;
  };
  "prepare-rollback": { readonly task: TaskId; readonly rollback: Json };
  "verify-rollback": { readonly task: TaskId; readonly success: boolean; readonly issues: Words };
  "record-commit": { readonly task: TaskId; readonly files: Words; readonly commit: string };
  "record-usage": {
    readonly task: TaskId | null;
    readonly agent: string;
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly costUsd: number | null;
  };
  "checkpoint-create": { readonly tasks: Words; readonly batch: string; readonly now: string };
  "checkpoint-update": { readonly task: TaskId; readonly status: "success" | "failed"; readonly now: string };
  "checkpoint-complete": { readonly now: string };
  /** `results`: what the result files of pending tasks say, each with the attempt that it was found for. */
  "checkpoint-recover": { readonly results: Readonly<Record<TaskId, Result>>; readonly now: string };
  "checkpoint-clear": object;
  /** `interrupted`: by whoever sits at the orchestrator's terminal. */
  halt: {
    readonly reason: string;
    readonly code?: "operator" | "stop_file";
    readonly now?: boolean;
    readonly interrupted?: true;
  };
  "confirm-halt": { readonly stopFile: boolean };
  /** `only`: nothing but a halt of this code, whatever came since. */
  resume: { readonly stopFile: boolean; readonly budgetUsd?: number; readonly only?: HaltCode };
  /** Nobody looks at the base any more: a person says that it may be as it is (C9). */
  "skip-baseline": { readonly reason: string };
  ask: { readonly id: string; readonly text: string; readonly options: Words; readonly about: string };
  answer: { readonly id: string; readonly answer: string };
  adopt: {
    readonly reason: string;
    readonly phase: string | null;
    readonly tasks: Readonly<Record<TaskId, TaskState>>;
    readonly digests: Digests;
  };
  "repair-view": { readonly view: string; readonly was: string };
  import: { readonly facts: readonly Fact[] };
  /** `alive`: whether the present holder's process still lives, as the host saw it. */
  claim: { readonly holder: Holder; readonly alive: boolean; readonly force?: boolean };
  /** Whoever holds the run in that epoch is to say that it is alive. */
  "ask-holder": { readonly epoch: number };
  release: { readonly epoch: number };
  /** `until`: the phase at which to stop by itself; `within`: the phase that is worked on, and no other. */
  drive: {
    readonly slots: number;
    readonly until?: string;
    readonly within?: string;
    readonly only?: readonly TaskId[];
    readonly onOrphan?: OnOrphan;
    readonly fleet?: Fleet;
  };
  /** The integration branch as it is now, whoever moved it. */
  "open-branch": Branch;
  /** From inside an attempt, over its own socket. */
  propose: Proposal;
  "refuse-proposal": {
    readonly task: TaskId;
    readonly attempt: number;
    readonly what: string;
    readonly reason: string;
  };
  /** A task's change was taken back by `commit`, the branch's new tip. */
  undo: { readonly task: TaskId; readonly commit: string; readonly reason: string };
  land: { readonly commit: string; readonly files: number; readonly into?: string };
  /** A worker joined, or is gone. */
  "find-machine": { readonly machine: string; readonly slots: number; readonly labels: Words };
  "lose-machine": { readonly machine: string; readonly reason: string };
  tick: object;
  "effect-ended": { readonly key: string; readonly outcome: Outcome };
}

interface Proposal {
  readonly task: TaskId;
  readonly attempt: number;
  readonly status: "success" | "failed";
  readonly summary: string;
}

/** How an effect ended, as the host saw it. */
export type Outcome =
  | {
      readonly ok: true;
      /** What the effect leads to beside its own end: artifacts to register, a plan to load, a question to ask. */
      readonly inputs?: readonly Input[];
      readonly usage?: Spent;
      /** What became of the stage: the work that was seen, the commit to merge, the branch's new tip. */
      readonly work?: Work;
      readonly evidence?: Evidence;
      readonly candidate?: Candidate;
      readonly merged?: { readonly commit: string; readonly tip: string };
      readonly baseline?: BaselineSeen;
      /** Of a machine that was asked: which agents are there. */
      readonly machine?: { readonly agents: Words };
    }
  | Unsuccessful;

/** What follows from it is decided by its kind; error and category say it to people and to the next attempt. */
export type Unsuccessful = {
  readonly ok: false;
  readonly usage?: Spent;
  readonly problems?: Words;
  readonly evidence?: Evidence;
} & Failure &
  FailureKind;

export type FailureKind =
  /** The work is not right, or whoever did it failed: it costs a try. */
  | { readonly kind: "failed" }
  /** What was handed in is no document at all: the fixer may find one in it. */
  | { readonly kind: "unparseable" }
  /** Somebody else moved the branch: where it really is. */
  | { readonly kind: "branch-moved"; readonly tip: string }
  /** The agent died with an earlier orchestrator, and there is nothing to take over. */
  | { readonly kind: "lost" }
  /** Its agent may not be asked for a while, such as at a usage limit. */
  | { readonly kind: "parked"; readonly parkMs: number }
  /** It cannot work at all until a person fixes something, such as its key: the run halts. */
  | { readonly kind: "unable" }
  /** A place that the run needs is not there, or a disk is full: nothing is wrong with the work, and the run halts. */
  | { readonly kind: "place" | "disk" }
  /** The machine that it was placed on is gone or cannot do it: no fault of the work. `begun`: an agent's work was lost. */
  | { readonly kind: "machine"; readonly begun: boolean };

/** What an agent's call used; a cost that nobody told is null. */
export interface Spent {
  readonly agent: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number | null;
}

/** What a task's result file says. */
export type Result = { readonly attempt?: number } & (
  | { readonly status: "success"; readonly created: Words; readonly modified: Words }
  | ({ readonly status: "failed" } & Failure)
);

export type InputKind = keyof Kinds;
export type InputOf<K extends InputKind> = { readonly kind: K; readonly runMs?: number } & Kinds[K];
export type Input = { [K in InputKind]: InputOf<K> }[InputKind];

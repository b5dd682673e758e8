// The smaller parts of a Run: artifacts, halts, questions, usage, checkpoint, calibration.
import type { Json, TaskId } from "./run.ts";

/** A file that an agent or a person made and heddle looked at. */
export interface Artifact {
  readonly name: string;
  readonly path: string;
  readonly digest: string;
  /** Digests of what it was made from, when it was looked at: a difference makes it stale. */
  readonly inputs: Readonly<Record<string, string>>;
  readonly valid: boolean;
  readonly problems: readonly string[];
  readonly validatedAt: string;
  /** What rules read of it: a verdict, a flag. Never the whole file. */
  readonly content: Readonly<Record<string, Json>>;
}

/**
 * Who or what halted: an operator (also by a STOP file), a crossed budget, a role that could not do it, a full disk, a
 * place that the run needs and that is not there, a base on which nothing can be checked.
 */
export type HaltCode =
  | "operator"
  | "stop_file"
  | "budget"
  | "job"
  | "rule"
  | "orphans"
  | "disk"
  | "agent"
  | "place"
  | "baseline";

export interface Halt {
  readonly code: HaltCode;
  readonly reason: string;
  readonly by: string;
  readonly requestedAt: string;
  readonly now: boolean;
  confirmedAt: string | null;
  readonly activeTask: TaskId | null;
  /** The role that could not do it. */
  readonly role?: string;
  /** By whoever sat at the terminal of the orchestrator: the same command goes on. */
  readonly interrupted?: true;
}

export interface Question {
  readonly id: string;
  readonly text: string;
  readonly options: readonly string[];
  readonly about: string;
  readonly askedAt: string;
  answer: string | null;
  answeredBy: string | null;
  /** Somebody was given the answer: it cannot be corrected any more. */
  used?: true;
}

/** `costUsd` sums what is known; `unknownCosts` counts the calls whose cost nobody told. */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
  costUsd: number;
  unknownCosts: number;
  largestCallUsd: number;
}

/** Which process orchestrates a run. A pid alone may be reused; with its start time and boot it is one process. */
export interface Holder {
  readonly pid: number;
  readonly startTime: string;
  readonly bootId: string;
  readonly host: string;
  /** The question, by its number, that it has not answered yet. */
  readonly asked?: number;
}

/** The integration branch: nobody has it checked out, and heddle alone moves it. */
export interface Branch {
  readonly name: string;
  /** The person's commit that it began from. */
  readonly start: string;
  readonly tip: string;
}

/** What an agent left in its workspace, as heddle read it. */
export interface Work {
  readonly commit: string;
  readonly tree: string;
  readonly created: readonly string[];
  readonly modified: readonly string[];
  /** Where what it claimed and what heddle saw differ. */
  readonly differences: readonly string[];
  /** Files that it may change and that decide how it is judged, each with what it decides. */
  readonly judging?: readonly string[];
}

export interface Candidate {
  readonly commit: string;
  readonly tree: string;
  readonly onto: string;
}

/** One acceptance command, as heddle ran it. No exit code: it was ended, and `note` says why. */
export interface Check {
  readonly criterion: string;
  readonly command: string;
  readonly ok: boolean;
  readonly exit: number | null;
  readonly ms: number;
  readonly digest: string;
  readonly log: string;
  readonly note: string | null;
  /** How the same command ended on the base, before anybody had worked. */
  readonly before?: "green" | "red";
  /** Red, and yet no fault of the work: why not (X23). */
  readonly excused?: string;
}

/** A command as it ended on the base. `own`: it is the project's own, whether a task asks for it or not. */
export interface BaselineCheck {
  readonly command: string;
  readonly own: boolean;
  readonly result: "green" | "red" | "cannot-run" | "untried";
  readonly exit: number | null;
  readonly note: string | null;
  readonly log: string;
}

/** What was seen of the base; `stops`: why nothing may start. */
export interface BaselineSeen {
  readonly tree: string | null;
  /** `tail`: the end of what a red one printed; the log has it all. */
  readonly checks: readonly (BaselineCheck & { readonly tail?: string })[];
  readonly stops: string | null;
}

export interface Baseline extends BaselineSeen {
  readonly commit: string;
  readonly tries: number;
  readonly checks: readonly BaselineCheck[];
}

/** Nothing is done without it, and it counts for one tree only (G4). */
export interface Evidence {
  readonly tree: string;
  readonly checks: readonly Check[];
  /** What the work changed about how it is judged, where it did. */
  readonly judging?: readonly string[];
}

/** What heddle saw of a task's last attempt that left something: the commit of the work, and which commands were red. */
export interface LastSeen {
  readonly attempt: number;
  readonly commit: string | null;
  readonly red: readonly Check[];
}

export interface Verification {
  readonly verdict: "PASS" | "FAIL" | "CONDITIONAL";
  readonly recommendation: "PROCEED" | "BLOCK";
  readonly criteria: Json;
  readonly quality: Json;
  readonly tests: Json;
  readonly verifiedAt: string;
}

export interface Checkpoint {
  readonly batch: string;
  readonly spawnedAt: string;
  status: "active" | "completed";
  readonly spawned: readonly TaskId[];
  pending: TaskId[];
  completed: TaskId[];
  failed: TaskId[];
  heartbeatAt: string;
  completedAt: string | null;
  recovery: Json;
}

/** How often the verifier's word agreed with what came of the task. */
export interface Calibration {
  correct: number;
  falsePositives: number;
  falseNegatives: number;
}

export interface Calibrated {
  readonly outcome: "correct" | "false_positive" | "false_negative";
  readonly notes: string;
  readonly recordedAt: string;
}

/** Work that waits for the world, such as a folder that was moved away, until the run is resumed. */
export interface Held {
  held?: boolean;
  /** How often it was held: part of its key, so that an answer from before fits nothing. */
  holds?: number;
}

export type JobStage = "working" | "repairing" | "checking";

/**
 * One role's effort at one artifact. Its output is checked by heddle; what was wrong goes back to the same role, and
 * an output that is no document at all goes to the fixer, once (C6).
 */
export interface Job extends Readonly<Held> {
  readonly role: string;
  readonly makes: string;
  readonly attempt: number;
  readonly stage: JobStage;
  /** No limit runs while a halt has ended it. */
  readonly dueMs: number | null;
  /** Whether this attempt's output has been to the fixer. */
  readonly repaired: boolean;
  /** A person made it. */
  readonly byHand?: true;
}

/** What is known about the role that is at work, or would be: how often it was tried and what was wrong last. */
export interface JobRecord {
  readonly role: string;
  readonly attempts: number;
  readonly tries: number;
  readonly problems: readonly string[];
  /** How it failed last, while `problems` says what was wrong. */
  readonly category?: string;
  /** How often its agent was lost since it last did its work. */
  readonly losses?: number;
  readonly notBeforeMs: number;
}

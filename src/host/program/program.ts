// What a program is to heddle: how it is started, what it says while it runs, and how it ended. Types and sentences
// only; `run.ts` runs it.
import type { Problem } from "../../core/problem.ts";
import type { Environment } from "./environment.ts";
import type { Gate } from "./gate.ts";
import { type LimitName, type Limits, mostProcesses } from "./limits.ts";
import type { StandardInput } from "./pipes.ts";
import type { ProcessId } from "./processes.ts";
import type { Redactor } from "./redact.ts";
import type { Box } from "./sandbox.ts";
import type { Talk } from "./talk.ts";

export interface ProgramSpec {
  /** No shell comes near it. The first is looked for in the PATH of `environment`. */
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** Exactly this and the run's mark; nothing is inherited. In the box HOME is the box's. */
  readonly environment: Environment;
  /** Nothing to read when left out; a `Talk` stays open, and may be used for one run only. */
  readonly stdin?: StandardInput | Talk;
  readonly limits: Limits;
  readonly box: Box | "unconfined";
  /** What serves the loopback of a box that has no network; for no other. */
  readonly gate?: Gate;
  /** Files for the raw output, redacted but otherwise byte for byte; together at most `outputBytes`. */
  readonly keep?: { readonly stdout: string; readonly stderr: string };
  /** Applied to lines and kept files alike. */
  readonly redact?: Redactor;
  /**
   * The run's name among processes, chosen by the caller so that it can be durable before the start (X13):
   * `endMarked(mark)` ends whatever of it may be alive, from any later process.
   */
  readonly mark?: string;
  /** Folders that stay when it is gone: files there lose their set-user-id bits. */
  readonly leaves?: readonly string[];
  /** Between SIGTERM and SIGKILL. Two seconds when left out. */
  readonly graceMs?: number;
}

export type StartFailure =
  | "not-found"
  | "not-executable"
  /** `cwd` is not there, or not in the box. */
  | "no-folder"
  | "no-input"
  /** The box could not be built as asked; nothing ran outside it either. */
  | "no-box"
  /** Arguments with NUL bytes, too many of them, no more processes or descriptors. */
  | "refused";

export type Ending =
  | { readonly kind: "exited"; readonly code: number }
  /** In the box an exit code of 128 + n counts as signal n: more than that does not come out. */
  | { readonly kind: "signalled"; readonly signal: NodeJS.Signals }
  | { readonly kind: "limit"; readonly limit: LimitName }
  | { readonly kind: "aborted" }
  | { readonly kind: "failed-to-start"; readonly reason: StartFailure; readonly message: string };

export interface Started extends ProcessId {
  readonly kind: "started";
  readonly mark: string;
}

export interface ProgramLine {
  readonly kind: "line";
  readonly from: "stdout" | "stderr";
  readonly text: string;
  readonly cut: boolean;
}

export interface Ended {
  readonly kind: "ended";
  /** The first reason wins: a program that exits 0 after a limit was crossed ended by the limit. */
  readonly how: Ending;
  /** Until all of it was gone, by a clock that nobody sets. */
  readonly durationMs: number;
  /** What it printed, dropped bytes included. */
  readonly bytes: { readonly stdout: number; readonly stderr: number };
  /** Why kept files are not whole, if they are not: the disk, not the limit. */
  readonly problems: readonly Problem[];
  /** Pids that even SIGKILL did not end in time; empty but for processes the kernel cannot end. */
  readonly survivors: readonly number[];
}

export type ProgramEvent = Started | ProgramLine | Ended;

const limitSentences: Readonly<Record<LimitName, (limits: Limits) => string>> = {
  wall: ({ wallMs }) => `ran longer than ${seconds(wallMs)}`,
  silence: ({ silenceMs }) => `was silent for ${seconds(silenceMs)}`,
  "first-output": ({ firstOutputMs, silenceMs }) => `said nothing for ${seconds(firstOutputMs ?? silenceMs)}`,
  output: ({ outputBytes }) => `printed more than ${mebibytes(outputBytes)}`,
  memory: ({ memoryBytes = 0 }) => `used more than ${mebibytes(memoryBytes)} of memory`,
  processes: ({ processes = mostProcesses }) => `had more than ${processes} processes`,
};

/** The predicate of a sentence whose subject is the program (C7: it says which limit it was). */
export function sayEnding(how: Ending, limits: Limits): string {
  switch (how.kind) {
    case "exited":
      return how.code === 0 ? "succeeded" : `exited with code ${how.code}`;
    case "signalled":
      return `was ended by ${how.signal}`;
    case "limit":
      return limitSentences[how.limit](limits);
    case "aborted":
      return "was stopped";
    case "failed-to-start":
      return `could not be started: ${how.message}`;
  }
}

const seconds = (ms: number) => `${ms / 1000} s`;
const mebibytes = (bytes: number) => `${Math.round((bytes / 1024 / 1024) * 10) / 10} MiB`;

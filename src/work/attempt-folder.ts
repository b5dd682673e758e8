// Where one attempt at a task happens: `.heddle/attempts/<run>/T001-2/`, with everything that it was given, did and
// printed. The agent sees its workspace, its bundle, its outbox and its socket; the rest is heddle's.
import { join } from "node:path";
import { ownList, ownRecord, recordIn } from "../core/json.ts";
import type { TaskId } from "../core/run.ts";
import { readRecord } from "../host/handed-in.ts";

export interface AttemptFolder {
  readonly folder: string;
  /** The private repository that the agent works in. */
  readonly work: string;
  /** heddle's own index of it: the agent's git directory is never opened. */
  readonly index: string;
  readonly home: string;
  readonly tmp: string;
  readonly outbox: string;
  /** What the agent proposes. */
  readonly result: string;
  /** What it proposed over its socket; it cannot be reached from inside. */
  readonly proposed: string;
  /** What it asked over its socket; the same. */
  readonly asked: string;
  readonly bundle: string;
  readonly token: string;
  /** What set-up put into the workspace: no work of the agent's. */
  readonly provided: string;
  /** Set-ups of trees with its changes: its own until they are merged. */
  readonly setUps: string;
  /** Written before the agent starts (X13), and after it ended. */
  readonly started: string;
  readonly ended: string;
  /** What it said and did, line by line, for `heddle attach`. */
  readonly events: string;
  /** Output of acceptance commands, and the clean room in which they run. */
  readonly checks: string;
  readonly room: string;
}

/** What is written down before the agent starts (X13). */
export interface Started {
  readonly at: string;
  readonly agent: string;
  readonly mark: string;
  /** The attempt's folder: at another place now, when the project was moved since. Missing in what 0.1 wrote. */
  readonly folder?: string;
  /** The agent's conversation, and how often it was taken up again after its orchestrator had died. */
  readonly session: string;
  readonly resumed: number;
}

/** What its agent logged, line by line. */
export const logOf = ({ folder }: Pick<AttemptFolder, "folder">) => join(folder, "log.jsonl");

export interface Logged {
  readonly at: string;
  readonly level: string;
  readonly event: string;
  readonly message: string;
}

/** The last lines of it. */
export function loggedIn(folder: Pick<AttemptFolder, "folder">, most: number): Logged[] {
  const lines = (readRecord(logOf(folder)) ?? "").split("\n");
  return lines.flatMap((line) => recordIn<Logged & Record<string, unknown>>(line) ?? []).slice(-most);
}

export function startedOf({ started }: AttemptFolder): Started | undefined {
  return ownRecord<Started>(started, readRecord(started));
}

/** A question of the agent's, by its name within the attempt. */
export interface AgentQuestion {
  readonly id: string;
  readonly text: string;
  readonly options: readonly string[];
}

export function questionsIn({ asked }: Pick<AttemptFolder, "asked">): readonly AgentQuestion[] {
  return ownList<AgentQuestion>(asked, readRecord(asked)) ?? [];
}

/** When the attempt began: every commit made of it bears this time, so that making it again gives the same one. */
export function startedAt(folder: AttemptFolder): string {
  return startedOf(folder)?.at ?? "2000-01-01T00:00:00.000Z";
}

export function attemptFolder(
  heddleDir: string,
  run: string,
  { task, attempt }: { readonly task: TaskId; readonly attempt: number },
): AttemptFolder {
  const folder = join(heddleDir, "attempts", run, `${task}-${attempt}`);
  const at = (name: string) => join(folder, name);
  return {
    folder,
    work: at("work"),
    index: at("index"),
    home: at("home"),
    tmp: at("tmp"),
    outbox: at("out"),
    result: at("out/result.json"),
    proposed: at("proposed.json"),
    asked: at("asked.json"),
    bundle: at("bundle.json"),
    token: at("token"),
    provided: at("provided.json"),
    setUps: at("setups"),
    started: at("started.json"),
    ended: at("ended.json"),
    events: at("events.jsonl"),
    checks: at("checks"),
    room: at("room"),
  };
}

// Following one task while others work on it: what its agent says and does, then what its checks print, from attempt to
// attempt until it is settled. Everything is read from files and from the journal; nothing is changed.

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { AgentEvent } from "../agents/agent.ts";
import { recordIn } from "../core/json.ts";
import type { TaskDef, TaskId, TaskStatus } from "../core/run.ts";
import { taskOf } from "../core/run.ts";
import { isReady, statusOf } from "../core/task.ts";
import { whyTask } from "../core/why.ts";
import type { App } from "../engine/app.ts";
import { systemClock } from "../host/clock.ts";
import { isThere } from "../host/files.ts";
import { isAlive } from "../host/program/process.ts";
import { Tail } from "../host/tail.ts";
import { Watch } from "../journal/watch.ts";
import { hintText } from "../view/hint.ts";
import { type AttemptFolder, attemptFolder, startedOf } from "../work/attempt-folder.ts";

export type Heard = { readonly task: TaskId; readonly attempt: number } & (
  | { readonly kind: "attempt"; readonly agent: string; readonly at: string }
  | { readonly kind: "event"; readonly event: AgentEvent }
  | { readonly kind: "check"; readonly command: string }
  | { readonly kind: "output"; readonly of: "agent" | "check"; readonly text: string }
  | { readonly kind: "waiting"; readonly reason: string }
  | { readonly kind: "over"; readonly reason: string }
);

export interface Attach {
  readonly app: App;
  readonly task: TaskId;
  /** What the agent printed, as it printed it. */
  readonly raw: boolean;
  readonly signal: AbortSignal;
  readonly hear: (heard: Heard) => void;
}

interface Standing {
  readonly def: TaskDef;
  readonly status: TaskStatus;
  readonly attempts: number;
  readonly reason: string;
  /** Whether somebody is there who will go on with it. */
  readonly goesOn: boolean;
}

export type Left = { readonly status: TaskStatus; readonly goesOn: boolean };

const everyMs = 50;

/** Until the task is settled, nobody works on it any more, or `signal` is aborted. */
export async function attach({ app, task, raw, signal, hear }: Attach): Promise<Left> {
  const run = await app.run();
  let [reading, waited]: [Reading | undefined, string] = [undefined, ""];
  const watch = new Watch(app.journal);
  watch.hasChanged();
  let now = await standing(app, task);
  for (let turn = 1; ; turn++) {
    if (now.attempts > 0 && reading?.attempt !== now.attempts) {
      reading?.finish();
      waited = "";
      const about = { task, attempt: now.attempts };
      reading = new Reading(attemptFolder(app.paths.heddle, run, about), {
        ...about,
        def: now.def,
        raw,
        hear,
      });
    }
    reading?.drain();
    if (now.status !== "running" && now.reason !== waited) {
      reading?.finish();
      waited = now.reason;
      const kind = isOver(now) ? "over" : "waiting";
      hear({ kind, task, attempt: now.attempts, reason: now.reason });
    }
    if (isOver(now) || signal.aborted) {
      watch.stop();
      return { status: now.status, goesOn: now.goesOn };
    }
    await systemClock.sleep(everyMs, signal);
    // A holder that was killed writes nothing, so that is looked at as well, only not as often.
    if (watch.hasChanged() || turn % 20 === 0) now = await standing(app, task);
  }
}

function isOver({ status, goesOn }: Standing): boolean {
  return status === "complete" || status === "skipped" || !goesOn;
}

async function standing(app: App, id: TaskId): Promise<Standing> {
  const holder = await app.journal.read(await app.run(), (run) => run.holder);
  const isHeld = holder !== null && isAlive(holder);
  return app.journal.read(await app.run(), (run) => {
    const task = taskOf(run, id);
    const status = statusOf(task);
    const held = run.holder !== null && isHeld;
    const { reasons, hint } = whyTask(run, task);
    const again = status === "pending" ? task.failure : null;
    const why = again
      ? `attempt ${task.attempts} failed (${again.category}); retrying: ${again.error}`
      : `${id} is ${status}: ${reasons.join("; ")}`;
    const ends = status === "failed" || status === "blocked";
    return {
      def: task.def,
      status,
      attempts: task.attempts,
      reason: [why, ...(ends || !held ? [`hint: ${hintText(hint ?? "")}`] : [])]
        .filter((line) => line !== "hint: ")
        .join("\n"),
      goesOn: held && !ends && (status === "running" || isReady(task) || status === "pending"),
    };
  });
}

interface WatchedAttempt {
  readonly task: TaskId;
  readonly attempt: number;
  readonly def: TaskDef;
  readonly raw: boolean;
  readonly hear: (heard: Heard) => void;
}

/** One attempt's files. */
class Reading {
  readonly attempt: number;
  readonly #folder: AttemptFolder;
  readonly #about: WatchedAttempt;
  readonly #agent: Tail;
  readonly #checks = new Map<string, Tail>();
  readonly #commands = new Set<string>();
  #begun = false;

  constructor(folder: AttemptFolder, about: WatchedAttempt) {
    this.attempt = about.attempt;
    this.#folder = folder;
    this.#about = about;
    this.#agent = new Tail(about.raw ? join(folder.folder, "stdout.log") : folder.events);
  }

  drain(): void {
    this.#begin();
    for (const line of this.#agent.lines()) this.#hearAgent(line);
    for (const name of this.#about.raw ? [] : this.#logs()) {
      this.#hearCommand(name);
      for (const text of this.#checks.get(name)?.lines() ?? [])
        this.#hear({ kind: "output", of: "check", text });
    }
  }

  finish(): void {
    this.drain();
    for (const line of this.#agent.last()) this.#hearAgent(line);
    for (const tail of this.#checks.values())
      for (const text of tail.last()) this.#hear({ kind: "output", of: "check", text });
  }

  #begin(): void {
    const started = this.#begun ? undefined : startedOf(this.#folder);
    if (!started) return;
    this.#begun = true;
    this.#hear({ kind: "attempt", agent: started.agent, at: started.at });
  }

  #hearAgent(line: string): void {
    if (this.#about.raw) {
      this.#hear({ kind: "output", of: "agent", text: line });
      return;
    }
    const event = parsed(line);
    if (event) this.#hear({ kind: "event", event });
  }

  /** Also of a command that prints nothing. */
  #hearCommand(log: string): void {
    const check = log.replace(/\.(out|err)$/, "");
    if (this.#commands.has(check)) return;
    this.#commands.add(check);
    const at = Number(/-(\d+)$/.exec(check)?.[1] ?? 1) - 1;
    this.#hear({ kind: "check", command: this.#about.def.criteria[at]?.command ?? check });
  }

  #hear(what: DistributiveOmit<Heard, "task" | "attempt">): void {
    const { task, attempt, hear } = this.#about;
    hear({ task, attempt, ...what } as Heard);
  }

  /** In the order in which they came to be. */
  #logs(): string[] {
    const { checks } = this.#folder;
    if (!isThere(checks)) return [];
    const fresh = readdirSync(checks)
      .filter((name) => /\.(out|err)$/.test(name) && !this.#checks.has(name))
      .map((name) => ({ name, at: statSync(join(checks, name)).birthtimeMs }))
      .sort((a, b) => a.at - b.at || (a.name < b.name ? -1 : 1));
    for (const { name } of fresh) this.#checks.set(name, new Tail(join(checks, name)));
    return [...this.#checks.keys()];
  }
}

type DistributiveOmit<T, K extends keyof T> = T extends unknown ? Omit<T, K> : never;

/** A line that an orchestrator was killed in the middle of says nothing. */
function parsed(line: string): AgentEvent | undefined {
  return recordIn<AgentEvent>(line);
}

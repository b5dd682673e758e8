// Driving a run to its end: takes hold of it, runs the loop with the effects it is given, and lets go again.
import { join } from "node:path";
import { hasArrived } from "../core/follow.ts";
import type { Input } from "../core/input.ts";
import { decide } from "../core/protocol.ts";
import { type OnOrphan, type Run, type TaskId, taskOf } from "../core/run.ts";
import { asksSomething } from "../core/step-job.ts";
import { isReady } from "../core/task.ts";
import { systemClock } from "../host/clock.ts";
import { sweep } from "../host/files.ts";
import { isAlive, thisProcess } from "../host/process.ts";
import { type App, Refused } from "./app.ts";
import { Hold } from "./hold.ts";
import { Inbox } from "./inbox.ts";
import { orchestrate } from "./loop.ts";
import { planningFolders } from "./paths.ts";
import { type Carriers, type Carry, LocalWorld } from "./world.ts";

export interface Drive {
  readonly app: App;
  readonly slots: number;
  /** The phase at which to stop. */
  readonly until?: string;
  /** The only phase to work on. */
  readonly within?: string;
  readonly carriers: Carriers;
  /** Aborted by Ctrl-C: the run is halted, and what runs may finish (C10). */
  readonly signal: AbortSignal;
  /** Aborted by a second Ctrl-C: what runs is ended. */
  readonly stopNow?: AbortSignal;
  readonly only?: readonly TaskId[];
  readonly onOrphan?: OnOrphan;
  /** What is settled once the run is held, before anything starts. */
  readonly opening?: () => Promise<readonly Input[]>;
  readonly changed?: (run: Run) => void;
  readonly beside?: Beside;
}

/** Work that goes on beside what the rules ask for, as long as the state says so. */
export interface Beside {
  /** Brings it in line with the state; `tell` brings its end to the loop. */
  follow(run: Run, tell: (input: Input) => void): void;
  /** Whether its end is still to be waited for. */
  isUnderway(): boolean;
  stop(): Promise<void>;
}

/** The reason of a halt that the person at the terminal made. */
export const interrupted = "Ctrl-C";

export async function drive(order: Drive): Promise<void> {
  const { app, carriers, signal, stopNow, changed, beside } = order;
  const clock = systemClock;
  const run = await app.run();
  const hold = await Hold.take({
    journal: app.journal,
    run,
    by: "orchestrator",
    clock,
    holder: thisProcess(),
    isAlive,
  });
  if (!(hold instanceof Hold)) throw new Refused(hold);
  for (const folder of planningFolders) sweep(join(app.paths.planning, folder));
  const inbox = new Inbox(clock);
  const all: Carriers = { "write-view": calmly(() => app.publish(run)), ...carriers };
  const world = new LocalWorld(all, (key, outcome) => inbox.put({ kind: "effect-ended", key, outcome }));
  const halt = (now: boolean) => () => inbox.put({ kind: "halt", reason: interrupted, now });
  signal.addEventListener("abort", halt(false), { once: true });
  stopNow?.addEventListener("abort", halt(true), { once: true });
  const notice = stopFileNotice(app, await app.journal.read(run, ({ planningDir }) => planningDir));
  try {
    for (const input of (await order.opening?.()) ?? []) await hold.submit(input);
    await hold.submit(driveInput(order));
    const follow = (run: Run) => {
      beside?.follow(run, (input) => inbox.put(input));
      changed?.(run);
    };
    const finished = (run: Run) => isAtRest(run) && (run.halt?.now === true || !beside?.isUnderway());
    await orchestrate({ hold, world, inbox, finished, notice, changed: follow });
  } finally {
    await beside?.stop();
    await world.stop();
    await hold.release();
    await app.publish(run);
  }
}

function driveInput({ slots, until, within, only, onOrphan }: Drive): Input {
  return {
    kind: "drive",
    slots,
    ...(until !== undefined && { until }),
    ...(within !== undefined && { within }),
    ...(only && { only }),
    ...(onOrphan && { onOrphan }),
  };
}

/** A STOP file beside the view halts a running orchestrator as well (C10). */
function stopFileNotice(app: App, planningDir: string): () => Input | undefined {
  let told = false;
  return () => {
    const there = app.stopFileThere({ planningDir });
    const fresh = there && !told;
    told = there;
    return fresh ? { kind: "halt", code: "stop_file", reason: "stop_file" } : undefined;
  };
}

/** How often views follow while a run goes on: they are for people. */
const viewEveryMs = 200;

/** The newest state is written; what was overtaken while it waited is not. */
function calmly(publish: () => Promise<void>): Carry {
  let last = 0;
  return async (_effect, signal) => {
    const waitMs = last + viewEveryMs - performance.now();
    if (waitMs > 0) await systemClock.sleep(waitMs, signal);
    if (signal.aborted) return undefined;
    last = performance.now();
    await publish();
    return undefined;
  };
}

/** Whether a ready task waits for time or for somebody else's end, and not for a person. */
function canGoOn(run: Run): boolean {
  const ready = run.only ?? run.tasks.ready(run.questions.length + 1);
  return ready.some((id) => {
    const task = run.tasks.get(id);
    return task !== undefined && isReady(task) && !asksSomething(run, id);
  });
}

/** Nothing of ours is under way, and nothing will start by itself. */
export function isAtRest(run: Run): boolean {
  if (run.archived) return true;
  const working = run.job !== null || run.running.some((id) => taskOf(run, id).attempt?.driver === "engine");
  if (working && !run.halt?.now) return false;
  if (run.halt || hasArrived(run)) return true;
  const { rule } = decide(run.protocol, { run, request: "drive", digests: {} });
  switch (rule?.then.kind) {
    case "go":
      return false;
    case "job":
      return asksSomething(run, rule.then.role);
    case "tasks":
      return !canGoOn(run);
    default:
      return true;
  }
}

// Driving a run to its end: takes hold of it, runs the loop with the effects it is given, and lets go again.
import { join } from "node:path";
import { decide } from "../core/protocol.ts";
import { type Run, taskOf } from "../core/run.ts";
import { asksSomething } from "../core/step-job.ts";
import { systemClock } from "../host/clock.ts";
import { sweep } from "../host/files.ts";
import { isAlive, thisProcess } from "../host/process.ts";
import { type App, Refused } from "./app.ts";
import { Hold } from "./hold.ts";
import { Inbox } from "./inbox.ts";
import { orchestrate } from "./loop.ts";
import { planningFolders } from "./paths.ts";
import { type Carriers, LocalWorld } from "./world.ts";

export interface Drive {
  readonly app: App;
  readonly slots: number;
  /** The phase at which to stop. */
  readonly until?: string;
  readonly carriers: Carriers;
  /** Aborted by Ctrl-C: the run is halted, and what runs may finish (C10). */
  readonly signal: AbortSignal;
  readonly changed?: (run: Run) => void;
}

export async function drive({ app, slots, until, carriers, signal, changed }: Drive): Promise<void> {
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
  const publish = async () => {
    await app.publish(run);
    return undefined;
  };
  const all: Carriers = { "write-view": publish, ...carriers };
  const world = new LocalWorld(all, (key, outcome) => inbox.put({ kind: "effect-ended", key, outcome }));
  signal.addEventListener("abort", () => inbox.put({ kind: "halt", reason: "Ctrl-C" }), { once: true });
  try {
    await hold.submit({ kind: "drive", slots, ...(until !== undefined && { until }) });
    await orchestrate({ hold, world, inbox, finished: isAtRest, ...(changed && { changed }) });
  } finally {
    await world.stop();
    await hold.release();
    await app.publish(run);
  }
}

/** Nothing of ours is under way, and nothing will start by itself. */
export function isAtRest(run: Run): boolean {
  const working = run.job !== null || run.running.some((id) => taskOf(run, id).attempt?.driver === "engine");
  if (working && !run.halt?.now) return false;
  if (run.halt || run.phase === run.until) return true;
  const { rule } = decide(run.protocol, { run, request: "drive", digests: {} });
  switch (rule?.then.kind) {
    case "go":
      return false;
    case "job":
      return asksSomething(run, rule.then.role);
    case "tasks":
      return run.tasks.ready(1).length === 0;
    default:
      return true;
  }
}

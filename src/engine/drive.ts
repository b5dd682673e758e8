// Driving a run to its end: takes hold of it, ends what an earlier orchestrator left alive, runs the loop with the effects
// it is given, and lets go again.
import { dirname, join } from "node:path";
import { isAtRest } from "../core/idle.ts";
import type { Input, Outcome } from "../core/input.ts";
import type { Fleet } from "../core/machines/fleet.ts";
import { type Problem, problem } from "../core/problem.ts";
import type { OnOrphan, Run, TaskId } from "../core/run.ts";
import { systemClock } from "../host/clock.ts";
import {
  isThere,
  isThereItself,
  makeFolder,
  makePrivateFolder,
  readIfThere,
  replaceFile,
  sweep,
} from "../host/files.ts";
import type { Repository } from "../host/git/repository.ts";
import { fewDescriptors } from "../host/program/descriptors.ts";
import { markedAs } from "../host/program/marks.ts";
import { isAlive, isElsewhere, thisProcess } from "../host/program/process.ts";
import { endMarked } from "../host/program/processes.ts";
import { Life } from "../journal/life.ts";
import { Patience } from "../places/patience.ts";
import { Places } from "../places/places.ts";
import { stopFileIn } from "../published/outside.ts";
import { type App, Refused } from "./app.ts";
import type { Changed } from "./changed.ts";
import { Hold } from "./hold.ts";
import { Inbox } from "./inbox.ts";
import { orchestrate } from "./loop.ts";
import { foldersOf, pathsIn, privateFolders } from "./paths.ts";
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
  /** Where attempts may be worked on beside this machine. */
  readonly fleet?: Fleet;
  /** What is settled once the run is held, before anything starts. */
  readonly opening?: () => Promise<readonly Input[]>;
  readonly changed?: Changed;
  readonly beside?: Beside;
  /** The target's repository, where the run has one. */
  readonly repository?: Repository;
  readonly serving?: Serving | undefined;
}

/** By one who stands by for others, and for whom others do. */
export interface Serving {
  readonly life: Life;
  /** Aborted: the run is let go as it is, and not halted, for another to go on with. */
  readonly letGo: AbortSignal;
  /** How often the answer of a holder is looked for, on whatever machine it is: it may be stopped on this one. */
  readonly looks: number;
}

/** Work that goes on beside what the rules ask for, as long as the state says so. */
export interface Beside {
  /** Looks at the state, and answers with what brings it in line; `tell` brings its end to the loop. */
  follow(run: Run, tell: (input: Input) => void): (() => void) | undefined;
  /** Whether its end is still to be waited for. */
  isUnderway(): boolean;
  stop(): Promise<void>;
}

export async function drive(order: Drive): Promise<void> {
  const { app, signal, stopNow, serving } = order;
  // Whoever ends an orchestrator does not wait for a server with it.
  for (const each of [signal, stopNow])
    each?.addEventListener("abort", () => app.journal.away?.() && app.journal.giveUp?.(), { once: true });
  const few = fewDescriptors(order.slots);
  if (few) throw new Refused([few]);
  const run = await app.run();
  const places = await Places.toWorkIn(app, order.repository);
  const inbox = new Inbox(systemClock);
  const patience = new Patience(places, systemClock, (input) => inbox.put(input));
  const hold = await Hold.take({
    journal: app.journal,
    run,
    by: "orchestrator",
    clock: systemClock,
    holder: thisProcess(),
    isAlive,
    ...(serving ? { isElsewhere: () => true, looks: serving.looks } : { isElsewhere }),
    ready: () => patience.forJournal(signal),
  });
  if (!(hold instanceof Hold)) throw new Refused(hold);
  const turn = turnOf(app.paths.root, run);
  const left = [...(await endMarked(turn)), ...(await endBeforeMove(app, run))];
  if (left.length > 0) {
    await hold.release();
    throw new Refused([survived(left)]);
  }
  const life = serving?.life ?? new Life(app.journal, thisProcess(), { serves: false });
  const seat = { hold, run, places, inbox, patience };
  await markedAs(turn, () => life.during(run, () => whileHeld(order, seat)));
}

const turnOf = (root: string, run: string) => `turn ${root} ${run}`;

/** Programs bear the name of the project's place; it may have been moved since they were started. */
async function endBeforeMove({ paths: { root, heddle } }: App, run: string): Promise<readonly number[]> {
  const note = join(heddle, "driven", run);
  const noted = readIfThere(note);
  const before = noted || root;
  // Where another project lies there now, or the one that this is a copy of, its programs are left alone.
  const wasMoved = before !== root && !isThere(pathsIn(before).heddle);
  const left = wasMoved ? await endMarked(turnOf(before, run)) : [];
  if (left.length === 0 && noted !== root) noteRoot(note, root);
  return left;
}

/** Best effort: on a full disk the run halts by itself, and says so. */
function noteRoot(note: string, root: string): void {
  try {
    makeFolder(dirname(note));
    replaceFile(note, root);
  } catch {
    // Without the note, what a move leaves alive is found by its attempt alone.
  }
}

/** Two agents at one attempt would be worse than none. */
function survived(pids: readonly number[]): Problem {
  const named = pids.slice(0, 5).join(" ");
  const what = `programs of an earlier run are still there and cannot be ended: ${named}`;
  return problem("survivors", what, { hint: `kill -9 ${named}` });
}

interface Seat {
  readonly hold: Hold;
  readonly run: string;
  readonly places: Places;
  readonly inbox: Inbox;
  readonly patience: Patience;
}

async function whileHeld(order: Drive, { hold, run, places, inbox, patience }: Seat): Promise<void> {
  const { app, carriers, signal, stopNow, changed, beside, serving } = order;
  const folders = await app.journal.read(run, ({ planningDir, protocol }) =>
    foldersOf(protocol).map((folder) => join(planningDir, folder)),
  );
  for (const folder of folders) sweep(folder);
  for (const folder of privateFolders) makePrivateFolder(join(app.paths.heddle, folder));
  const all: Carriers = { "write-view": nowAndThen(() => app.publish(run)), ...carriers };
  const ended = (key: string, outcome: Outcome) => inbox.put({ kind: "effect-ended", key, outcome });
  const world = new LocalWorld(all, ended, places);
  const halt = (now: boolean) => () => inbox.put({ kind: "halt", reason: "Ctrl-C", now, interrupted: true });
  signal.addEventListener("abort", halt(false), { once: true });
  stopNow?.addEventListener("abort", halt(true), { once: true });
  serving?.letGo.addEventListener("abort", () => inbox.put({ kind: "tick" }), { once: true });
  hold.whenOthersWrite(() => inbox.poke());
  const stopped = stopFileNotice(await app.journal.read(run, ({ planningDir }) => planningDir));
  try {
    for (const input of (await order.opening?.()) ?? []) await hold.submit(input);
    await hold.submit(driveInput(order));
    const follow: Changed = (run) => {
      patience.follow(run);
      const start = beside?.follow(run, (input) => inbox.put(input));
      const show = changed?.(run);
      return (written) => {
        start?.();
        show?.(written);
      };
    };
    const finished = (run: Run) => {
      if (serving?.letGo.aborted) return true;
      const isOver = run.halt?.code !== "place" || signal.aborted || patience.isOver();
      if (!isAtRest(run) || !isOver) return false;
      return run.halt?.now === true || (() => !beside?.isUnderway());
    };
    const notice = () => stopped() ?? patience.notice();
    await orchestrate({ hold, world, inbox, finished, notice, changed: follow });
  } finally {
    await beside?.stop();
    await world.stop();
    await hold.release();
    await app.publish(run);
  }
}

function driveInput({ slots, until, within, only, onOrphan, fleet }: Drive): Input {
  return {
    kind: "drive",
    slots,
    ...(until !== undefined && { until }),
    ...(within !== undefined && { within }),
    ...(only && { only }),
    ...(onOrphan && { onOrphan }),
    ...(fleet && { fleet }),
  };
}

/** A STOP file beside the view halts a running orchestrator as well (C10). */
function stopFileNotice(planningDir: string): () => Input | undefined {
  let told = false;
  return () => {
    const there = isThereItself(stopFileIn({ planningDir }));
    const fresh = there && !told;
    told = there;
    return fresh ? { kind: "halt", code: "stop_file", reason: "stop_file" } : undefined;
  };
}

/** How often views follow while a run goes on: they are for people. */
const viewEveryMs = 200;

/** The newest state is written; what was overtaken while it waited is not. */
function nowAndThen(publish: () => Promise<void>): Carry {
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

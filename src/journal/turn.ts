// One process at a time: a lock that the kernel frees with its holder, taken with SQLite because Node has no other. Nothing is
// ever written there.
import { DatabaseSync } from "node:sqlite";
import { problem } from "../core/problem.ts";
import { StoreFailure } from "./journal.ts";

const patienceMs = 30_000;

/** One process at a time clears up after others, or puts another journal in place: this one waits for it where it stands. */
export function takeTurn(file: string): DatabaseSync | undefined {
  try {
    const turn = new DatabaseSync(file, { timeout: patienceMs });
    turn.exec("begin exclusive");
    return turn;
  } catch {
    // A project that cannot be written to has nobody at work in it who could be disturbed.
    return undefined;
  }
}

/** Within one process the kernel's lock would be waited for by the very thread that must let go of it. */
const queues = new Map<string, Promise<unknown>>();

/** Waits without standing still. Throws what `work` throws. */
export function inTurn<T>(file: string, withinMs: number, work: () => Promise<T>): Promise<T> {
  const mine = (queues.get(file) ?? Promise.resolve()).then(() => locked(file, withinMs, work));
  const done = mine.catch(() => {});
  queues.set(file, done);
  done.then(() => queues.get(file) === done && queues.delete(file));
  return mine;
}

async function locked<T>(file: string, withinMs: number, work: () => Promise<T>): Promise<T> {
  const lock = await lockOf(file, withinMs);
  try {
    return await work();
  } finally {
    lock?.close();
  }
}

async function lockOf(file: string, withinMs: number): Promise<DatabaseSync | undefined> {
  const turn = opened(file);
  const untilMs = performance.now() + withinMs;
  for (let waitMs = 1; turn; waitMs = Math.min(2 * waitMs, 20)) {
    try {
      turn.exec("begin exclusive");
      return turn;
    } catch (error) {
      const isBusy = ((error as { errcode?: number }).errcode ?? 0) % 256 === busy;
      if (isBusy && performance.now() < untilMs) {
        await new Promise((resolve) => setTimeout(resolve, waitMs));
        continue;
      }
      turn.close();
      if (!isBusy) return undefined;
      throw new StoreFailure(
        problem("busy", `others were at work for too long: ${file}`, { hint: "run the command again" }),
      );
    }
  }
  return undefined;
}

const busy = 5;

/** Where nothing can be written, nobody else writes either. */
function opened(file: string): DatabaseSync | undefined {
  try {
    return new DatabaseSync(file, { timeout: 0 });
  } catch {
    return undefined;
  }
}

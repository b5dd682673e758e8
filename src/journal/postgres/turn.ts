// A turn at what lies around the journal (`Journal.lease`): a lock of the database's that goes with the connection.
import { problem } from "../../core/problem.ts";
import { StoreFailure } from "../journal.ts";
import { placeOf } from "./address.ts";
import type { Link } from "./link.ts";
import { locks } from "./migration.ts";

/** A session that has the lock gets it again: within one process turns are queued here. */
const queues = new WeakMap<Link, Promise<unknown>>();

export function turnOf<T>(
  link: Link,
  turn: { readonly project: number; readonly withinMs: number },
  work: () => Promise<T>,
): Promise<T> {
  const mine = (queues.get(link) ?? Promise.resolve()).then(() => locked(link, turn, work));
  queues.set(
    link,
    mine.catch(() => {}),
  );
  return mine;
}

async function locked<T>(
  link: Link,
  { project, withinMs }: { readonly project: number; readonly withinMs: number },
  work: () => Promise<T>,
): Promise<T> {
  const untilMs = performance.now() + withinMs;
  for (let waitMs = 1; !(await isTaken(link, project)); waitMs = Math.min(2 * waitMs, 20)) {
    if (performance.now() > untilMs)
      throw new StoreFailure(
        problem("busy", `others were at work for too long: ${placeOf(link.address)}`, {
          hint: "run the command again",
        }),
      );
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
  try {
    return await work();
  } finally {
    // Not waited for: whoever asks next on this connection comes after it.
    if (!link.isClosed) link.ask({ name: "unlock", text: unlock, values: [project] }).catch(() => {});
  }
}

const unlock = `select pg_advisory_unlock(${locks.turn}, $1)`;

async function isTaken(link: Link, project: number): Promise<boolean> {
  const text = `select pg_try_advisory_lock(${locks.turn}, $1) as taken`;
  const [found] = await link.ask<{ taken: boolean }>({ name: "lock", text, values: [project] });
  return found?.taken === true;
}

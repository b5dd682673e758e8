// The room of the queue between coordinators and workers. It speaks to the database and starts the processes that carry orders out; it
// sees no run and no journal's rows, and nothing in it decides what becomes of a task.
//
// The queue between coordinators and workers: pg-boss in the database of the journal, in a schema of its own. Nothing else of
// heddle's knows pg-boss. What is in the queue is never the truth: an order that is lost with it is given again, and an answer
// that comes late or twice finds nobody who waits for it.
import { createHash } from "node:crypto";
import type { PgBoss, SendOptions } from "pg-boss";
import { toCall } from "../core/hint.ts";
import { type Problem, problem } from "../core/problem.ts";
import { StoreFailure } from "../journal/journal.ts";
import { addressIn, placeOf } from "../journal/postgres/address.ts";
import { Link } from "../journal/postgres/link.ts";

export const schema = "heddle_queue";

export interface Queue {
  readonly boss: PgBoss;
  /** Where it is, for sentences. */
  readonly place: string;
  /** The variable that holds its password, where the address names one. */
  readonly passwordVariable: string | undefined;
  /** For what pg-boss has no question: who shows signs of life. */
  ask<T extends object>(text: string, values?: readonly unknown[]): Promise<T[]>;
  /** Puts something into a queue, and wakes whoever hears it. */
  send(name: string, message: object, options?: SendOptions): Promise<void>;
  /** `wake` is called when something arrived in the queue of that name, or may have; a process hears one queue. */
  hear(name: string, wake: () => void): Promise<void>;
  close(): Promise<void>;
}

export interface Opening {
  /** As a configuration names a journal; its project does not matter here. */
  readonly address: string;
  /** Makes the tables where there are none, and keeps them in order. Only a coordinator may. */
  readonly isCoordinator: boolean;
  readonly tell?: (problem: Problem) => void;
}

/** Throws a `StoreFailure`, with a sentence, where it cannot be opened. */
export async function openQueue({ address: text, isCoordinator, tell }: Opening): Promise<Queue> {
  const address = addressIn(text, "workers");
  if ("code" in address) throw new StoreFailure(address);
  const link = new Link({ address, tell });
  const ask = <T extends object>(sql: string, values: readonly unknown[] = []) =>
    link.ask<T>({ text: sql, values });
  const { PgBoss: Boss } = await import("pg-boss");
  const boss = new Boss({
    ...{ schema, schedule: false, migrate: isCoordinator, supervise: isCoordinator },
    ...{ superviseIntervalSeconds: 5, monitorIntervalSeconds: 5, maintenanceIntervalSeconds: 300 },
    ...{ reindex: false, monitorVacuum: false },
    db: {
      // Several statements in one text have no rows of their own.
      executeSql: async (sql, values) => ({ rows: (await ask<object>(sql, values)) ?? [] }),
    },
  });
  // What pg-boss does beside what it is asked: the next round does it again.
  boss.on("error", () => {});
  try {
    // What is in the queue may be lost with the server: it is given again. So nothing waits for its disk.
    await ask(withoutDisk);
    if (!isCoordinator && !(await boss.isInstalled())) throw new StoreFailure(notPrepared(placeOf(address)));
    await boss.start();
  } catch (error) {
    link.close();
    throw asSentence(error, placeOf(address));
  }
  return {
    ...{ boss, place: placeOf(address), passwordVariable: address.passwordVariable, ask },
    send: async (name, message, options = {}) => {
      // One round trip for both.
      const both = (sql: string, values: readonly unknown[] = []) =>
        ask<object>(
          `with sent as (${sql}) select sent.* from sent, pg_notify('${channelOf(name)}', '')`,
          values,
        );
      const db = {
        executeSql: async (sql: string, values?: unknown[]) => ({ rows: await both(sql, values) }),
      };
      await boss.send(name, message, { ...options, db });
    },
    hear: (name, wake) =>
      link.listen(channelOf(name), (notice) => {
        // A connection that was made anew waits for the disk again.
        if (!notice && !link.isClosed) void ask(withoutDisk).catch(() => {});
        wake();
      }),
    close: async () => {
      await boss.stop({ graceful: false, close: false }).catch(() => {});
      link.close();
    },
  };
}

const withoutDisk = "set synchronous_commit = off";

/** One for each queue: a server that tells every worker of every order tells each of them mostly what is not for it. */
const channelOf = (name: string) =>
  `heddle_queue_${createHash("sha256").update(name).digest("hex").slice(0, 32)}`;

const notPrepared = (place: string) =>
  problem("no-queue", `there is no queue for workers in ${place}`, {
    hint: [toCall("worker --prepare"), " makes it, with the address of a user who may"],
  });

/** What Postgres refuses here is about the queue, whatever a journal would say of it. */
function asSentence(error: unknown, place: string): unknown {
  const found = error instanceof StoreFailure ? error.problem : undefined;
  if (found?.code === "no-project") return new StoreFailure(notPrepared(place));
  if (found?.code === "unwritable")
    return new StoreFailure(
      problem("no-right", `this user may not use the queue in ${place}: ${found.message}`, {
        hint: "grant heddle_worker to <user>, or heddle_coordinator for whoever orchestrates",
      }),
    );
  return error;
}

// Who is there: each worker and each coordinator holds one job of its own in the queue, and shows signs of life through pg-boss's
// heartbeats. Silence is measured by the database's clock alone, so that no machine's own clock matters.
import { randomUUID } from "node:crypto";
import { type Queue, schema } from "./open.ts";

export type Kind = "worker" | "coordinator";

/** What a worker says of itself. */
export interface WorkerCard {
  readonly version: string;
  readonly slots: number;
  readonly labels: readonly string[];
  readonly host: string;
}

export interface Present {
  readonly name: string;
  /** Another one under the same name has another mark. */
  readonly mark: string;
  readonly card: WorkerCard;
}

export const queues = {
  presence: (kind: Kind, name: string) => `${kind}/${name}`,
  orders: (worker: string) => `orders/${worker}`,
  answers: (coordinator: string) => `answers/${coordinator}`,
} as const;

/** pg-boss allows no less than ten seconds between two signs of life. */
const heartbeatSeconds = 10;
export const beatEveryMs = 3_000;
/** As long as somebody may be silent before nothing is given to them. */
export const silentSeconds = 12;
const keptSeconds = 300;

/** An order is taken once: what became of one whose worker is gone is decided by the run, not by the queue. */
export const orderOptions = {
  ...{ heartbeatSeconds, retryLimit: 0, expireInSeconds: 86_000, deleteAfterSeconds: keptSeconds },
} as const;

/** A message may come twice; its number tells. */
export const messageOptions = {
  ...{ retryLimit: 5, expireInSeconds: 15, retentionSeconds: 900, deleteAfterSeconds: keptSeconds },
} as const;

/** Shows that somebody is there, until it leaves. */
export class Presence {
  readonly name: string;
  readonly #queue: Queue;
  readonly #at: string;
  readonly #job: string;

  private constructor(queue: Queue, { name, at, job }: { name: string; at: string; job: string }) {
    this.#queue = queue;
    this.name = name;
    this.#at = at;
    this.#job = job;
  }

  /** Nothing where somebody else has that name, and is there. */
  static async join(
    queue: Queue,
    { kind, name, card }: { readonly kind: Kind; readonly name: string; readonly card: object },
  ): Promise<Presence | undefined> {
    const at = queues.presence(kind, name);
    const { boss } = queue;
    await boss.createQueue(at, {
      policy: "exclusive",
      heartbeatSeconds,
      retryLimit: 0,
      deleteAfterSeconds: 60,
    });
    await clearSilent(queue, at);
    const id = randomUUID();
    const job = await boss.send(at, card, { id, expireInSeconds: 86_000 });
    if (job === null) return undefined;
    const taken = await boss.fetch(at);
    return taken.some((each) => each.id === id) ? new Presence(queue, { name, at, job: id }) : undefined;
  }

  /** A sign of life; false when this one was given up, because it said nothing for too long. */
  async beat(): Promise<boolean> {
    await this.#queue.boss.touch(this.#at, this.#job);
    const [found] = await this.#queue.ask<{ state: string }>(
      `select state::text from ${schema}.job where name = $1 and id = $2`,
      [this.#at, this.#job],
    );
    return found?.state === "active";
  }

  async leave(): Promise<void> {
    await this.#queue.boss.deleteJob(this.#at, this.#job).catch(() => {});
  }
}

/** Whoever was there before and is silent is given up: their name is free again. */
async function clearSilent(queue: Queue, at: string): Promise<void> {
  const old = await queue.ask<{ id: string }>(
    `select id from ${schema}.job where name = $1 and state < 'completed' and ${silence} >= ${silentSeconds}`,
    [at],
  );
  for (const { id } of old) await queue.boss.deleteJob(at, id);
}

const silence = "extract(epoch from now() - coalesce(heartbeat_on, started_on, created_on))";

/** Those who are there now. */
export async function whoIsThere(queue: Queue, kind: Kind): Promise<Present[]> {
  const rows = await queue.ask<{ name: string; mark: string; card: WorkerCard }>(
    `select name, id::text as mark, data as card from ${schema}.job
     where name like $1 and state = 'active' and ${silence} < ${silentSeconds} order by name`,
    [`${kind}/%`],
  );
  return rows.map(({ name, ...rest }) => ({ ...rest, name: name.slice(kind.length + 1) }));
}

export interface Taken {
  readonly id: string;
  readonly state: "created" | "retry" | "active" | "completed" | "cancelled" | "failed";
  /** Seconds since the last sign of life. */
  readonly silent: number;
}

/** How these orders stand. One that is missing was lost with the server, or is long over. */
export async function standingOf(
  queue: Queue,
  orders: readonly { at: string; id: string }[],
): Promise<Map<string, Taken>> {
  if (orders.length === 0) return new Map();
  const rows = await queue.ask<Taken>(
    `select id::text, state::text, ${silence}::float8 as silent from ${schema}.job where name = any ($1) and id = any ($2::uuid[])`,
    [[...new Set(orders.map(({ at }) => at))], orders.map(({ id }) => id)],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Queues of those who are long gone. */
export async function clearAway(queue: Queue): Promise<void> {
  const gone = await queue.ask<{ name: string }>(
    `select q.name from ${schema}.queue q where q.created_on < now() - interval '15 minutes' and q.name ~ '^(worker|coordinator)/'
     and not exists (select from ${schema}.job j where j.name = q.name and j.state < 'completed' and ${silence} < 900)`,
  );
  for (const { name } of gone) {
    const [kind, own = ""] = name.split("/");
    await dropQueues(queue, [name, kind === "worker" ? queues.orders(own) : queues.answers(own)]);
  }
}

export async function dropQueues({ boss }: Queue, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await boss.deleteAllJobs(name).catch(() => {});
    await boss.deleteQueue(name).catch(() => {});
  }
}

// A worker: takes orders from its queue, has each carried out by a process of its own (`bridge.ts`), and passes on what is said. It joins
// and leaves at any time. Nothing that it says counts by itself: whoever gave the order decides what becomes of it.
import { hostname } from "node:os";
import { Bridge } from "./bridge.ts";
import { type FurtherMessage, type OrderMessage, priorities } from "./messages.ts";
import { openQueue, type Queue } from "./open.ts";
import {
  beatEveryMs,
  dropQueues,
  orderOptions,
  Presence,
  queues,
  standingOf,
  whoIsThere,
} from "./presence.ts";

export interface WorkerOptions {
  readonly address: string;
  readonly name: string;
  readonly slots: number;
  readonly labels: readonly string[];
  readonly version: string;
  readonly folder: string;
  readonly remote?: string | undefined;
  readonly say: (line: string) => void;
  /** Aborted: takes nothing new. */
  readonly drain: AbortSignal;
  /** Aborted: ends what it has. */
  readonly stop: AbortSignal;
}

/** Resolves when it has left; with a sentence when it could not join. */
export async function work(options: WorkerOptions): Promise<string | undefined> {
  const { address, name, say } = options;
  const queue = await openQueue({ address, isCoordinator: false, tell: ({ message }) => say(message) });
  try {
    const worker = new Worker(options, queue);
    return await worker.run();
  } finally {
    await queue.close();
    say(`${name} has left`);
  }
}

/** A new order of an attempt that is here is waited for so long: its stages are seconds apart. */
const lingerMs = 15_000;
/** A name is free again once its former owner was silent for long enough. */
const nameMs = 20_000;
/** As long as a coordinator may be away before its orders are ended: it may come back, or be told apart from a slow database. */
const patienceMs = 20_000;

class Worker {
  readonly #options: WorkerOptions;
  readonly #queue: Queue;
  readonly #orders: string;
  readonly #bridges = new Map<string, Bridge>();
  /** Attempts that this worker began: their further orders are taken while it drains. */
  readonly #begun = new Set<string>();
  readonly #missedMs = new Map<string, number>();
  #wake: () => void = () => {};
  #isDue = true;
  #lastMs = performance.now();

  constructor(options: WorkerOptions, queue: Queue) {
    this.#options = options;
    this.#queue = queue;
    this.#orders = queues.orders(options.name);
  }

  async run(): Promise<string | undefined> {
    const { say, name, slots, labels, drain, stop } = this.#options;
    await this.#queue.boss.createQueue(this.#orders, orderOptions);
    let presence = await this.#join();
    if (!presence) return `a worker with the name \`${name}\` is there already`;
    say(
      `${name} has joined with ${slots} slot${slots === 1 ? "" : "s"}${labels.length > 0 ? ` [${labels.join(", ")}]` : ""}`,
    );
    await this.#queue.hear(this.#orders, () => this.#poke());
    for (const each of [drain, stop]) each.addEventListener("abort", () => this.#poke());
    let isThere = true;
    let beatenMs = performance.now();
    while (!stop.aborted && !this.#isOver()) {
      if (drain.aborted && isThere) {
        isThere = false;
        await presence.leave();
        say(`${name} finishes what it has: ${this.#bridges.size} under way`);
      }
      if (performance.now() - beatenMs >= beatEveryMs) {
        // Given up while this process was stopped or cut off: it joins anew.
        if (isThere && !(await presence.beat())) presence = (await this.#join()) ?? presence;
        await this.#look();
        beatenMs = performance.now();
      }
      await this.#take();
      await this.#rest(beatEveryMs - (performance.now() - beatenMs));
    }
    for (const bridge of this.#bridges.values()) bridge.stop();
    await Promise.all([...this.#bridges.values()].map(({ ended }) => ended));
    if (isThere) await presence.leave();
    await dropQueues(this.#queue, [this.#orders, queues.presence("worker", name)]);
    return undefined;
  }

  async #join(): Promise<Presence | undefined> {
    const { name, version, slots, labels, drain } = this.#options;
    const card = { version, slots, labels, host: hostname() };
    const untilMs = performance.now() + nameMs;
    for (;;) {
      const joined = await Presence.join(this.#queue, { kind: "worker", name, card });
      if (joined || performance.now() > untilMs || drain.aborted) return joined;
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }

  #isOver(): boolean {
    if (!this.#options.drain.aborted || this.#bridges.size > 0) return false;
    return this.#begun.size === 0 || performance.now() - this.#lastMs > lingerMs;
  }

  #poke(): void {
    this.#isDue = true;
    this.#wake();
  }

  async #rest(ms: number): Promise<void> {
    if (this.#isDue || ms <= 0) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(resolve, ms);
    });
    clearTimeout(timer);
  }

  /** Everything that is there for this worker, as far as there is room. */
  async #take(): Promise<void> {
    this.#isDue = false;
    const { boss } = this.#queue;
    const { message: minPriority, order: maxPriority } = priorities;
    for (;;) {
      const messages = await boss.fetch<FurtherMessage>(this.#orders, { minPriority, batchSize: 100 });
      for (const { data } of messages) this.#hear(data);
      if (messages.length > 0)
        await boss.complete(
          this.#orders,
          messages.map(({ id }) => id),
        );
      const free = this.#options.slots + spare - this.#bridges.size;
      const orders =
        free > 0 ? await boss.fetch<OrderMessage>(this.#orders, { maxPriority, batchSize: free }) : [];
      for (const { id, data } of orders) await this.#begin(id, data);
      if (messages.length === 0 && orders.length === 0) return;
    }
  }

  #hear({ order, lines, stop }: FurtherMessage): void {
    const bridge = this.#bridges.get(order);
    if (stop) bridge?.stop();
    else bridge?.hear(lines);
  }

  /** Whoever gave it would misread another version; and whoever drains takes on no attempt. */
  async #begin(id: string, order: OrderMessage): Promise<void> {
    const { version, drain, say, folder, remote } = this.#options;
    const { attempt } = order;
    this.#lastMs = performance.now();
    const isNew = attempt !== undefined && !this.#begun.has(attempt);
    if (order.version !== version || (drain.aborted && (isNew || attempt === undefined))) {
      await this.#refuse(id, order);
      return;
    }
    for (const [other, bridge] of this.#bridges)
      if (attempt !== undefined && bridge.attempt === attempt) {
        say(`${attempt} is given again: ended what was begun`);
        bridge.stop();
        await bridge.ended;
        this.#bridges.delete(other);
      }
    if (attempt !== undefined) this.#begun.add(attempt);
    const bridge = new Bridge({ queue: this.#queue, id, order, folder, remote });
    this.#bridges.set(id, bridge);
    void bridge.ended
      .then(() => this.#queue.boss.complete(this.#orders, id))
      .catch(() => {})
      .finally(() => {
        this.#bridges.delete(id);
        this.#missedMs.delete(id);
        this.#lastMs = performance.now();
        this.#poke();
      });
  }

  async #refuse(id: string, { coordinator, version }: OrderMessage): Promise<void> {
    const why =
      version === this.#options.version ? "it is about to leave" : `it has heddle ${this.#options.version}`;
    const line = JSON.stringify({ kind: "refused", why });
    const message = { order: id, number: 0, lines: [line], last: true };
    await this.#queue.send(queues.answers(coordinator), message).catch(() => {});
    await this.#queue.boss.complete(this.#orders, id);
  }

  /** Signs of life for what is carried out; and what nobody waits for any more is ended. */
  async #look(): Promise<void> {
    const own = [...this.#bridges].map(([id]) => ({ at: this.#orders, id }));
    if (own.length === 0) return;
    await this.#queue.boss.touch(
      this.#orders,
      own.map(({ id }) => id),
    );
    const standing = await standingOf(this.#queue, own);
    const there = new Set((await whoIsThere(this.#queue, "coordinator")).map(({ name }) => name));
    for (const [id, bridge] of this.#bridges) {
      if (there.has(bridge.coordinator)) this.#missedMs.delete(id);
      else if (!this.#missedMs.has(id)) this.#missedMs.set(id, performance.now());
      const isMissed = performance.now() - (this.#missedMs.get(id) ?? Infinity) > patienceMs;
      if (standing.get(id)?.state !== "active" || isMissed) bridge.stop();
    }
  }
}

/** Questions come beside attempts, and a slot is free only when the process of an order has ended. */
const spare = 2;

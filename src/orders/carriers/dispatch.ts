// A coordinator's side of the queue: gives orders to workers, hears what is said of them, sees who is there, and notices who is
// gone. Signs of life are pg-boss's; what is lost here is lost like a host of ssh's, and costs no try.
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Input } from "../../core/input.ts";
import type { Problem } from "../../core/problem.ts";
import { systemClock } from "../../host/clock.ts";
import type { AnswerMessage, FurtherMessage, OrderMessage } from "../../queue/messages.ts";
import { priorities } from "../../queue/messages.ts";
import { openQueue, type Queue } from "../../queue/open.ts";
import {
  beatEveryMs,
  clearAway,
  dropQueues,
  messageOptions,
  Presence,
  type Present,
  queues,
  silentSeconds,
  standingOf,
  whoIsThere,
} from "../../queue/presence.ts";
import { makeRoles } from "../../queue/roles.ts";
import { Conversation } from "./conversation.ts";

/** An order that nobody took for so long is taken back: its worker is gone, or works for others. */
const untakenSeconds = 15;
/** So long silence is watched: a database that comes back remembers old signs only. */
const watchedMs = 5_000;
const lookEveryMs = 1_500;

export interface DispatchOptions {
  readonly address: string;
  readonly version: string;
  readonly tell?: (problem: Problem) => void;
}

export type GivenOrder = Omit<OrderMessage, "coordinator" | "version"> & { readonly id: string };

export class Dispatch {
  readonly id: string;
  readonly version: string;
  readonly #queue: Queue;
  readonly #presence: Presence;
  readonly #answers: string;
  readonly #underway = new Map<string, Conversation>();
  readonly #stop = new AbortController();
  readonly #loops: Promise<unknown>[];
  #known = new Map<string, Present>();
  #tell: ((input: Input) => void) | undefined;
  #wake: () => void = () => {};
  #isDue = false;

  private constructor(queue: Queue, presence: Presence, version: string) {
    this.#queue = queue;
    this.#presence = presence;
    this.id = presence.name;
    this.version = version;
    this.#answers = queues.answers(this.id);
    this.#loops = [this.#hearAll(), this.#lookAfterAll()];
  }

  static async open({ address, version, tell }: DispatchOptions): Promise<Dispatch> {
    const queue = await openQueue({ address, isCoordinator: true, ...(tell && { tell }) });
    try {
      await makeRoles(queue);
      await clearAway(queue);
      const name = randomUUID().replaceAll("-", "").slice(0, 16);
      await queue.boss.createQueue(queues.answers(name), messageOptions);
      const card = { version, host: hostname(), pid: process.pid };
      const presence = await Presence.join(queue, { kind: "coordinator", name, card });
      if (!presence) throw new Error("bug: somebody else has a name of random letters");
      const dispatch = new Dispatch(queue, presence, version);
      await queue.hear(queues.answers(name), () => dispatch.#poke());
      return dispatch;
    } catch (error) {
      await queue.close();
      throw error;
    }
  }

  /** Who joins and leaves is told from now on. */
  tellBy(tell: (input: Input) => void): void {
    this.#tell = tell;
    this.#known = new Map();
  }

  /** The coordinators that are there, this one among them. */
  async coordinators(): Promise<string[]> {
    return (await whoIsThere(this.#queue, "coordinator")).map(({ name }) => name);
  }

  isThere(worker: string): boolean {
    return this.#known.has(worker);
  }

  versionOf(worker: string): string | undefined {
    return this.#known.get(worker)?.card.version;
  }

  /** The name of an order: given twice, because an answer was lost, it is there once. */
  newOrder(): string {
    return randomUUID();
  }

  async give(worker: string, { id, ...order }: GivenOrder): Promise<Conversation> {
    const conversation = new Conversation(worker, id);
    this.#underway.set(id, conversation);
    const message: OrderMessage = { ...order, coordinator: this.id, version: this.version };
    try {
      await this.#queue.send(queues.orders(worker), message, { id, priority: priorities.order });
    } catch (error) {
      // Its queue went with it.
      conversation.end(`it is gone: ${(error as Error).message}`);
    }
    return conversation;
  }

  async further({ worker, id }: Conversation, message: Omit<FurtherMessage, "order">): Promise<void> {
    const options = { retryLimit: 5, priority: priorities.message };
    await this.#queue.send(queues.orders(worker), { ...message, order: id }, options).catch(() => {});
  }

  /** Nobody waits for it any more; what it still says is heard by nobody. */
  async over(conversation: Conversation): Promise<void> {
    const { id, worker } = conversation;
    this.#underway.delete(id);
    // Its worker said its last word: there is nothing to take back.
    if (conversation.isAnswered) return;
    await this.#queue.boss.cancel(queues.orders(worker), id).catch(() => {});
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#wake();
    await Promise.all(this.#loops);
    await this.#presence.leave();
    await dropQueues(this.#queue, [this.#answers, queues.presence("coordinator", this.id)]);
    await this.#queue.close();
  }

  #poke(): void {
    this.#isDue = true;
    this.#wake();
  }

  async #hearAll(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      this.#isDue = false;
      const messages = await this.#fetched();
      if (messages.length > 0 || this.#isDue) continue;
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        timer = setTimeout(resolve, lookEveryMs);
      });
      clearTimeout(timer);
    }
  }

  async #fetched(): Promise<readonly object[]> {
    const { boss } = this.#queue;
    try {
      const messages = await boss.fetch<AnswerMessage>(this.#answers, { batchSize: 200 });
      for (const { data } of messages) this.#underway.get(data.order)?.hear(data);
      if (messages.length > 0)
        await boss.complete(
          this.#answers,
          messages.map(({ id }) => id),
        );
      return messages;
    } catch {
      // The server is away, or closing: what is there is fetched next time.
      return [];
    }
  }

  async #lookAfterAll(): Promise<void> {
    const { signal } = this.#stop;
    let beatenMs = 0;
    while (!signal.aborted) {
      try {
        if (performance.now() - beatenMs >= beatEveryMs) {
          await this.#presence.beat();
          beatenMs = performance.now();
        }
        await this.#seeWorkers();
        await this.#seeOrders();
      } catch {
        // Nobody is given up because the database is away.
        for (const each of this.#underway.values()) each.silentSinceMs = undefined;
      }
      await systemClock.sleep(lookEveryMs, signal);
    }
  }

  async #seeWorkers(): Promise<void> {
    const there = new Map((await whoIsThere(this.#queue, "worker")).map((each) => [each.name, each]));
    const known = this.#known;
    this.#known = there;
    if (!this.#tell) return;
    for (const [machine] of known)
      if (!there.has(machine))
        this.#tell({ kind: "lose-machine", machine, reason: "it is not there any more" });
    for (const [machine, { mark, card }] of there)
      if (known.get(machine)?.mark !== mark)
        this.#tell({ kind: "find-machine", machine, slots: card.slots, labels: [...card.labels] });
  }

  async #seeOrders(): Promise<void> {
    const all = [...this.#underway.values()];
    const orders = all.map(({ worker, id }) => ({ at: queues.orders(worker), id }));
    const standing = await standingOf(this.#queue, orders);
    for (const each of all) {
      const why = this.#whyOver(each, standing.get(each.id));
      if (why === undefined) continue;
      each.end(why);
      await this.over(each);
    }
  }

  /** Why nothing more is expected of it, if so. What is over says itself what came of it, unless that is lost. */
  #whyOver(each: Conversation, found: { state: string; silent: number } | undefined): string | undefined {
    const { state = "missing", silent = 0 } = found ?? {};
    if (state === "active") each.isTaken = true;
    const isQuiet =
      state === "created"
        ? silent >= untakenSeconds
        : state === "active"
          ? silent >= silentSeconds
          : !each.isOver;
    if (!isQuiet) {
      each.silentSinceMs = undefined;
      return undefined;
    }
    each.silentSinceMs ??= performance.now();
    if (performance.now() - each.silentSinceMs < watchedMs) return undefined;
    if (state === "created")
      return this.isThere(each.worker) ? "all its slots are taken by others" : "it is not there any more";
    if (state === "active") return `it showed no sign of life for ${Math.round(silent)} s`;
    return "it ended without a word";
  }
}

// What the queue of workers does in a second: 64 workers, each with a connection of its own, and one coordinator, all in this process, on one
// Postgres. Orders are given, taken, answered and heard as they really are; nothing is carried out. Then how soon a dead worker is
// noticed. `node test/postgres/workers-bench.ts`; part of `npm run postgres`.
import { randomUUID } from "node:crypto";
import { Dispatch } from "../../src/orders/carriers/dispatch.ts";
import type { OrderMessage } from "../../src/queue/messages.ts";
import { openQueue, type Queue } from "../../src/queue/open.ts";
import { orderOptions, Presence, queues } from "../../src/queue/presence.ts";
import { hasPostgres, Server } from "./server.ts";

const [workers, orders, atOnce] = [64, Number(process.env.HEDDLE_BENCH_ORDERS ?? 4000), 4];
const version = "bench";

class Hand {
  readonly #queue: Queue;
  readonly #name: string;
  readonly #orders: string;
  #isDue = false;
  #wake = () => {};
  isDone = false;

  private constructor(queue: Queue, name: string) {
    this.#queue = queue;
    this.#name = name;
    this.#orders = queues.orders(name);
  }

  static async join(address: string, name: string): Promise<Hand> {
    const queue = await openQueue({ address, isCoordinator: false });
    await queue.boss.createQueue(queues.orders(name), orderOptions);
    const card = { version, slots: atOnce, labels: [], host: "bench" };
    if (!(await Presence.join(queue, { kind: "worker", name, card }))) throw new Error(`${name} cannot join`);
    const hand = new Hand(queue, name);
    await queue.hear(queues.orders(name), () => {
      hand.#isDue = true;
      hand.#wake();
    });
    return hand;
  }

  async run(): Promise<void> {
    const { boss } = this.#queue;
    while (!this.isDone) {
      this.#isDue = false;
      const taken = await boss.fetch<OrderMessage>(this.#orders, { batchSize: atOnce });
      for (const { id, data } of taken) {
        const lines = [JSON.stringify({ kind: "carried", by: this.#name, what: data.line })];
        await this.#queue.send(queues.answers(data.coordinator), { order: id, number: 0, lines, last: true });
        await boss.complete(this.#orders, id);
      }
      if (taken.length > 0 || this.#isDue) continue;
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        timer = setTimeout(resolve, 2000);
      });
      clearTimeout(timer);
    }
  }

  /** Takes one order, and is never heard of again. */
  async takeAndDie(): Promise<void> {
    for (;;) {
      const taken = await this.#queue.boss.fetch(this.#orders);
      if (taken.length > 0) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async end(): Promise<void> {
    this.isDone = true;
    this.#wake();
    await this.#queue.close();
  }
}

async function given(dispatch: Dispatch, worker: string, what: string): Promise<string | undefined> {
  const conversation = await dispatch.give(worker, { id: randomUUID(), line: what });
  const line = await conversation.next();
  await dispatch.over(conversation);
  return line;
}

async function main(): Promise<void> {
  const server = await Server.start(["max_connections=120", "fsync=on"]);
  process.env.PGPASSWORD = server.password;
  const address = server.address("bench");
  const dispatch = await Dispatch.open({ address, version });
  const hands: Hand[] = [];
  for (let at = 0; at < workers; at++) hands.push(await Hand.join(address, `h${at}`));
  const running = hands.map((hand) => hand.run());
  const answered = new Set<string>();
  let next = 0;
  const [began, used] = [performance.now(), process.cpuUsage()];
  const givers = Array.from({ length: workers * atOnce }, async (_, at) => {
    while (next < orders) {
      const what = `order ${next++}`;
      const line = await given(dispatch, `h${at % workers}`, what);
      if (line?.includes(`"what":"${what}"`)) answered.add(what);
    }
  });
  await Promise.all(givers);
  const seconds = (performance.now() - began) / 1000;
  const rate = Math.round(orders / seconds);
  const { user, system } = process.cpuUsage(used);
  const ms = ((user + system) / 1000 / orders).toFixed(2);
  console.log(`the coordinator and all workers together: ${ms} ms of the processor per order`);
  console.log(
    `${workers} workers, one Postgres: ${orders} orders in ${seconds.toFixed(1)} s, ${rate} a second (the goal is 200); ${orders - answered.size} lost`,
  );
  for (const hand of hands) hand.isDone = true;
  const doomed = await Hand.join(address, "doomed");
  const asked = dispatch.give("doomed", { id: randomUUID(), line: "last" });
  await doomed.takeAndDie();
  const died = performance.now();
  await (await asked).next();
  const takeover = (performance.now() - died) / 1000;
  console.log(`a dead worker's order is given up after ${takeover.toFixed(1)} s (at most 30)`);
  await Promise.all([...hands, doomed].map((hand) => hand.end()));
  await Promise.allSettled(running);
  await dispatch.close();
  await server.stop();
  // The figures are shown and not judged: other work of the machine slows them down. An order that is lost is judged.
  if (answered.size < orders) process.exitCode = 1;
}

if (hasPostgres) await main();
else console.log("there is no Postgres here: left out");

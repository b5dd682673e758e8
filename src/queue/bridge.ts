// One order on a worker: a process of its own (`heddle carry --machine`) that carries it out, and the lines between it and the
// coordinator. When this process dies, that one finds its input ended, and ends what it started; when this one is stopped, it
// finds nobody speaking to it.
import { createInterface } from "node:readline";
import { jsonIn } from "../core/json.ts";
import { beatMs } from "../work/wire/machine-messages.ts";
import { type Carrying, startCarry } from "../work/wire/start-carry.ts";
import { type AnswerMessage, type OrderMessage, priorities } from "./messages.ts";
import type { Queue } from "./open.ts";
import { queues } from "./presence.ts";

export interface BridgeOptions {
  readonly queue: Queue;
  readonly id: string;
  readonly order: OrderMessage;
  /** Where this worker works. */
  readonly folder: string;
  /** Another way to the same git remote than the order names. */
  readonly remote?: string | undefined;
}

/** Ended by itself a while after its input: longer than that it is not waited for. */
const endMs = 10_000;
/** What is said in between waits a little for more of it. */
const gatherMs = 150;
const mostCharacters = 4 * 1024 * 1024;

export class Bridge {
  readonly attempt: string | undefined;
  readonly coordinator: string;
  readonly ended: Promise<void>;
  readonly #options: BridgeOptions;
  readonly #carrying: Carrying;
  readonly #lines: string[] = [];
  readonly #beats: NodeJS.Timeout;
  #number = 0;
  #sending: Promise<void> = Promise.resolve();
  #gathering: NodeJS.Timeout | undefined;

  constructor(options: BridgeOptions) {
    const { attempt, coordinator } = options.order;
    this.#options = options;
    this.attempt = attempt;
    this.coordinator = coordinator;
    this.#carrying = start(options.queue);
    this.#beats = setInterval(() => this.hear([beat]), beatMs);
    this.ended = this.#pass();
  }

  /** Lines for the process. */
  hear(lines: readonly string[]): void {
    const { stdin } = this.#carrying.child;
    for (const line of lines) if (stdin.writable) stdin.write(`${line}\n`);
  }

  stop(): void {
    const { child } = this.#carrying;
    child.stdin.end();
    setTimeout(() => child.kill("SIGKILL"), endMs).unref();
  }

  async #pass(): Promise<void> {
    const { child, ended } = this.#carrying;
    this.hear([lodged(this.#options)]);
    for await (const line of createInterface({ input: child.stdout })) this.#said(line);
    await ended;
    clearInterval(this.#beats);
    clearTimeout(this.#gathering);
    await this.#send(true);
  }

  #said(line: string): void {
    const { kind } = (jsonIn(line) ?? {}) as { kind?: string };
    if (kind === "beat" || kind === undefined) return;
    this.#lines.push(line);
    if (kind === "submits" || kind === "begins" || this.#lines.length > 200) void this.#send();
    else this.#gathering ??= setTimeout(() => void this.#send(), gatherMs);
  }

  /** One message after another. One that cannot be sent is waited for as the connection is. */
  #send(isLast = false): Promise<void> {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    this.#sending = this.#sending.then(async () => {
      const { queue, id, order } = this.#options;
      do {
        const lines = this.#next();
        if (lines.length === 0 && !isLast) return;
        const isEnd = isLast && this.#lines.length === 0;
        const message: AnswerMessage = {
          order: id,
          number: this.#number++,
          lines,
          ...(isEnd && { last: true }),
        };
        const sent = queue.send(queues.answers(order.coordinator), message, {
          priority: priorities.message,
        });
        // Its coordinator is gone, and its queue with it.
        await sent.catch(() => this.stop());
      } while (this.#lines.length > 0);
    });
    return this.#sending;
  }

  #next(): string[] {
    let [count, size] = [0, 0];
    for (const { length } of this.#lines) {
      size += length;
      if (count > 0 && size > mostCharacters) break;
      count++;
    }
    return this.#lines.splice(0, count);
  }
}

const beat = JSON.stringify({ beat: true });

/** Where it is carried out is for this worker to say, and how the remote is reached from here. */
function lodged({ order: { line }, folder, remote }: BridgeOptions): string {
  const given = (jsonIn(line) ?? {}) as { lodging?: object; away?: { origin?: string } };
  const away = given.away && remote !== undefined ? { ...given.away, origin: remote } : given.away;
  return JSON.stringify({ ...given, ...(away && { away }), lodging: { ...given.lodging, folder } });
}

/** Its environment is this worker's, without the way into the database. */
function start({ passwordVariable }: Queue): Carrying {
  const isOfDatabase = (name: string) =>
    /^PG[A-Z]+$/.test(name) || name === "HEDDLE_QUEUE" || name === passwordVariable;
  const env = Object.entries(process.env).filter(([name]) => !isOfDatabase(name));
  return startCarry("/", Object.fromEntries(env), ["--machine"]);
}

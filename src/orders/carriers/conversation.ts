// What one order is told by its worker, line after line, until it is over. Whoever reads waits for the next line; whoever hears of the
// worker's end says why there will be none.

import type { AnswerMessage } from "../../queue/messages.ts";
import { Ordered } from "../../queue/messages.ts";

export class Conversation {
  readonly worker: string;
  readonly id: string;
  readonly #messages = new Ordered<AnswerMessage>();
  readonly #lines: string[] = [];
  #isOver = false;
  #why: string | undefined;
  #wake: () => void = () => {};
  /** Whether the worker said all that it had to say. */
  isAnswered = false;
  /** Whether the worker was seen to have it. */
  isTaken = false;
  /** Since when its worker shows no sign of life, by this process's clock. */
  silentSinceMs: number | undefined;

  constructor(worker: string, id: string) {
    this.worker = worker;
    this.id = id;
  }

  hear(message: AnswerMessage): void {
    this.isTaken = true;
    for (const { lines, last } of this.#messages.add(message)) {
      this.#lines.push(...lines);
      if (!last) continue;
      this.#isOver = true;
      this.isAnswered = true;
    }
    this.#wake();
  }

  /** Nothing more will come. */
  end(why: string): void {
    this.#why ??= why;
    this.#isOver = true;
    this.#wake();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get why(): string {
    return this.#why ?? "the process that carried it out ended without a word";
  }

  /** The next line; nothing at the end. */
  async next(): Promise<string | undefined> {
    while (this.#lines.length === 0 && !this.#isOver)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    return this.#lines.shift();
  }
}

// What goes through the queue: an order, what is said while it is carried out, and what is said back. The lines themselves are
// those of `heddle carry --machine` (`work/wire/`): a worker passes them on and reads none.

/** To a worker. */
export interface OrderMessage {
  /** Whom to answer. */
  readonly coordinator: string;
  readonly version: string;
  /** Which attempt it is about: two orders of one attempt never run at the same time. Nothing for a question. */
  readonly attempt?: string;
  /** The first line in. */
  readonly line: string;
}

/** To a worker, about an order that it has. */
export interface FurtherMessage {
  readonly order: string;
  readonly lines: readonly string[];
  /** Nobody wants it any more. */
  readonly stop?: true;
}

/** To a coordinator. `number` counts from 0: a message may come twice, or after its successor. */
export interface AnswerMessage {
  readonly order: string;
  readonly number: number;
  readonly lines: readonly string[];
  readonly last?: true;
}

/** Messages go before orders: an order waits for a free slot, an answer does not. */
export const priorities = { order: 0, message: 1 } as const;

/** Puts numbered messages into their order, and each of them once. */
export class Ordered<T extends { readonly number: number }> {
  readonly #early = new Map<number, T>();
  #next = 0;

  /** What can be read now. */
  add(message: T): T[] {
    if (message.number < this.#next) return [];
    this.#early.set(message.number, message);
    const ready: T[] = [];
    for (let each = this.#early.get(this.#next); each; each = this.#early.get(this.#next)) {
      this.#early.delete(this.#next++);
      ready.push(each);
    }
    return ready;
  }
}

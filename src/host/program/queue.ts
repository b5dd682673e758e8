// Events on their way from a program to whoever listens. What waits is bounded by asking the source to pause, so a
// slow listener slows the program down instead of filling the memory.

const fullAt = 1024 * 1024;
/** What an event weighs besides its text. */
const overhead = 128;

export class EventQueue<T> {
  readonly #lengthOf: (item: T) => number;
  readonly #pressure: (full: boolean) => void;
  #waiting: T[] = [];
  #weight = 0;
  #full = false;
  #closed = false;
  #wake: () => void = () => {};

  /** `pressure(true)` asks for a pause, `pressure(false)` for more. */
  constructor(lengthOf: (item: T) => number, pressure: (full: boolean) => void) {
    this.#lengthOf = lengthOf;
    this.#pressure = pressure;
  }

  push(item: T): void {
    this.#waiting.push(item);
    this.#weigh(this.#lengthOf(item) + overhead);
    this.#wake();
  }

  /** The last item was pushed. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  async *drain(): AsyncGenerator<T, void, void> {
    for (;;) {
      const batch = this.#waiting;
      this.#waiting = [];
      for (const item of batch) {
        this.#weigh(-this.#lengthOf(item) - overhead);
        yield item;
      }
      if (this.#waiting.length > 0) continue;
      if (this.#closed) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #weigh(change: number): void {
    this.#weight += change;
    const full = this.#full ? this.#weight > fullAt / 2 : this.#weight > fullAt;
    if (full === this.#full) return;
    this.#full = full;
    this.#pressure(full);
  }
}

// Inputs on their way into the loop: effects put them in, the loop takes them out one by one.
import type { Input } from "../core/input.ts";
import type { Clock } from "../host/clock.ts";

export class Inbox {
  readonly #clock: Clock;
  readonly #inputs: Input[] = [];
  #wake = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  put(input: Input): void {
    this.#inputs.push(input);
    this.#wake.abort();
  }

  /** Ends a wait early, without an input. */
  poke(): void {
    this.#wake.abort();
  }

  /** The oldest input, or nothing when `withinMs` pass without one. */
  async take(withinMs: number): Promise<Input | undefined> {
    if (this.#inputs.length === 0) await this.#clock.sleep(withinMs, this.#wake.signal);
    this.#wake = new AbortController();
    return this.#inputs.shift();
  }
}

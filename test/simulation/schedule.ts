// Virtual time. Everything that waits for the outside world waits here, in one heap ordered by time and then by
// chance; one completion is taken out, what follows from it runs to its end, and then the next one is taken.
import type { Random } from "./random.ts";

export interface Pending {
  readonly timeMs: number;
  readonly tie: number;
  act: (() => void) | null;
}

/** Promise jobs between two completions: longer than any chain of awaits in the code under test. */
const drainTurns = 20;

export class Schedule {
  nowMs = 0;
  steps = 0;
  readonly #heap: Pending[] = [];
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Calls `act` after `delayMs` of virtual time. Setting `act` to null calls it off. */
  after(delayMs: number, act: () => void): Pending {
    const pending = { timeMs: this.nowMs + delayMs, tie: this.#random.next(), act };
    this.#push(pending);
    return pending;
  }

  /** Takes one completion out and lets everything that follows from it happen. False when nothing waits. */
  async step(): Promise<boolean> {
    const pending = this.#pop();
    if (!pending) return false;
    this.nowMs = pending.timeMs;
    if (!pending.act) return true;
    this.steps++;
    pending.act();
    for (let turn = 0; turn < drainTurns; turn++) await null;
    return true;
  }

  // Its own heap and not the one of the core: a bug planted there must not bend time here.
  #push(pending: Pending): void {
    const heap = this.#heap;
    let at = heap.push(pending) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isEarlier(pending, heap[parent] as Pending)) break;
      heap[at] = heap[parent] as Pending;
      at = parent;
    }
    heap[at] = pending;
  }

  #pop(): Pending | undefined {
    const heap = this.#heap;
    const top = heap[0];
    const last = heap.pop();
    if (!last || heap.length === 0) return top;
    let at = 0;
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      const right = child + 1;
      const least = right < heap.length && isEarlier(heap[right] as Pending, heap[child] as Pending);
      const lower = least ? right : child;
      if (!isEarlier(heap[lower] as Pending, last)) break;
      heap[at] = heap[lower] as Pending;
      at = lower;
    }
    heap[at] = last;
    return top;
  }
}

function isEarlier(a: Pending, b: Pending): boolean {
  return a.timeMs < b.timeMs || (a.timeMs === b.timeMs && a.tie < b.tie);
}

// The only source of chance in a simulation: mulberry32, so that a seed is a whole history. The wall clock has a
// stream of its own, so that two histories can differ in it alone.

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed + 1, 0x9e3779b1) >>> 0;
  }

  /** Between 0 and 1, 1 excluded. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  chance(probability: number): boolean {
    // Drawn even when it cannot happen: switching a fault off must not shift every later choice.
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new Error("bug: nothing to pick from");
    return list[Math.floor(this.next() * list.length)] as T;
  }

  /** One of the keys, as often as its weight says. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const entries = Object.entries(weights) as [K, number][];
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [key, weight] of entries) {
      left -= weight;
      if (left < 0) return key;
    }
    return entries[0]?.[0] as K;
  }

  shuffled<T>(list: readonly T[]): T[] {
    const order = [...list];
    for (let at = order.length - 1; at > 0; at--) {
      const other = this.between(0, at);
      [order[at], order[other]] = [order[other] as T, order[at] as T];
    }
    return order;
  }
}

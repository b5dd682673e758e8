// Medians, and how far to trust them.

export interface Interval {
  readonly low: number;
  readonly high: number;
}

export interface Estimate extends Interval {
  readonly value: number;
}

export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * q;
  const [below, above] = [sorted[Math.floor(at)] ?? Number.NaN, sorted[Math.ceil(at)] ?? Number.NaN];
  return below + (above - below) * (at - Math.floor(at));
}

export const median = (values: readonly number[]) => quantile(values, 0.5);

const resamples = 2_000;

/** `statistic` of the rounds, with a 95 % interval from drawing whole rounds anew. */
export function estimate<T>(rounds: readonly T[], statistic: (rounds: readonly T[]) => number): Estimate {
  const random = randomFrom(1);
  const drawn = Array.from({ length: resamples }, () =>
    statistic(rounds.map(() => rounds[Math.floor(random() * rounds.length)] as T)),
  );
  return { value: statistic(rounds), low: quantile(drawn, 0.025), high: quantile(drawn, 0.975) };
}

/** Ratio of the medians of two things that were measured in the same rounds. */
export function ratio<T>(
  rounds: readonly T[],
  top: (round: T) => number,
  bottom: (round: T) => number,
): Estimate {
  return estimate(rounds, (drawn) => median(drawn.map(top)) / median(drawn.map(bottom)));
}

/** The same numbers for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

export function shuffled<T>(values: readonly T[], random: () => number): T[] {
  return values
    .map((value) => ({ value, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ value }) => value);
}

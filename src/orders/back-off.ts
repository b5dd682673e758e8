// For how long an agent is not asked: one that reached a usage limit, one that cannot work just now, and one whose API is down.
// The clock is monotonic: a changed wall clock must not move the end of a wait. The waits are
// forgotten with the process, because what vendors say of limits may be wrong.

/** The longest single wait. */
const longestMs = 60 * 60_000;
const shortestMs = 1000;
const unlessSaidMs = 60_000;
/** One whose key or program failed is tried again after this, where another goes on meanwhile. */
export const failedMs = 10 * 60_000;
const forgottenMs = 10 * 60_000;
/** An outage: ten seconds, twenty, up to five minutes; after twenty minutes in all it costs tries. */
const [firstWaitMs, longestWaitMs, mostWaits] = [10_000, 5 * 60_000, 8];

export class BackOff {
  readonly #now: () => number;
  readonly #limited = new Map<string, { readonly untilMs: number; readonly times: number }>();
  readonly #outages = new Map<string, { readonly untilMs: number; readonly waits: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** How long until it may be asked again. */
  waitMs(agent: string): number {
    return Math.max(0, (this.#limited.get(agent)?.untilMs ?? 0) - this.#now());
  }

  /** It reached a limit: for how long it is not asked. */
  pause(agent: string, resetsInMs: number | null): number {
    const { times: before = 0, untilMs = 0 } = this.#limited.get(agent) ?? {};
    // Start over after ten quiet minutes.
    const times = this.#now() - untilMs > forgottenMs ? 1 : before + 1;
    const doubled = 2 ** Math.min(times - 1, 6);
    // One that says "in a second" every time is asked less and less often: what is parked costs no try.
    const forMs = Math.min(Math.max(resetsInMs ?? unlessSaidMs * doubled, shortestMs * doubled), longestMs);
    this.#limited.set(agent, { untilMs: this.#now() + forMs, times });
    return forMs;
  }

  worked(agent: string): void {
    this.#outages.set(agent, { waits: 0, untilMs: 0 });
  }

  /** How long to wait for its API, if it was there before: one that never was is a person's mistake, and not waited for. */
  waitOut(agent: string): number | undefined {
    const known = this.#outages.get(agent);
    if (!known) return undefined;
    // Others that fail in the same outage wait as long as the first.
    if (known.untilMs > this.#now()) return Math.ceil(known.untilMs - this.#now());
    if (known.waits >= mostWaits) return undefined;
    const forMs = Math.min(firstWaitMs * 2 ** known.waits, longestWaitMs);
    this.#outages.set(agent, { waits: known.waits + 1, untilMs: this.#now() + forMs });
    return forMs;
  }
}

// How an orchestrator waits for a place that is missing: for a while it stays and goes on by itself when the place is back;
// then it ends, and the same command goes on once it is.

import type { Input } from "../core/input.ts";
import { Refused } from "../core/problem.ts";
import type { Run } from "../core/run.ts";
import type { Clock } from "../host/clock.ts";
import { type Places, placeProblem } from "./places.ts";

/** Long enough to move a folder back, short enough for one who waits for an answer. */
const patienceMs = 10_000;

const lookEveryMs = 200;

export class Patience {
  readonly #places: Places;
  readonly #clock: Clock;
  readonly #tell: (input: Input) => void;
  #sinceMs: number | undefined;
  #lookedMs = Number.NEGATIVE_INFINITY;
  #isLooking = false;

  constructor(places: Places, clock: Clock, tell: (input: Input) => void) {
    this.#places = places;
    this.#clock = clock;
    this.#tell = tell;
  }

  follow({ halt }: Run): void {
    if (halt?.code !== "place") this.#sinceMs = undefined;
    else this.#sinceMs ??= this.#clock.monotonicMs();
  }

  isOver(): boolean {
    return this.#sinceMs !== undefined && this.#clock.monotonicMs() - this.#sinceMs > patienceMs;
  }

  /** Called while nothing else happens. A tick lets the loop see that the patience is over. */
  notice(): Input | undefined {
    if (this.#sinceMs === undefined) return undefined;
    const nowMs = this.#clock.monotonicMs();
    if (!this.#isLooking && nowMs - this.#lookedMs > lookEveryMs) {
      this.#lookedMs = nowMs;
      this.#isLooking = true;
      void this.#look();
    }
    return this.isOver() ? { kind: "tick" } : undefined;
  }

  async #look(): Promise<void> {
    const gone = await this.#places.missing().catch(String);
    this.#isLooking = false;
    if (gone === undefined) this.#tell({ kind: "resume", stopFile: false, only: "place" });
  }

  /** Waits for the journal itself: nothing can be written down without it, and what went elsewhere would be lost. */
  async forJournal(signal: AbortSignal): Promise<void> {
    const sinceMs = this.#clock.monotonicMs();
    for (let gone = this.#places.journalGone(); gone !== undefined; gone = this.#places.journalGone()) {
      if (signal.aborted || this.#clock.monotonicMs() - sinceMs > patienceMs)
        throw new Refused([placeProblem(`the run has stopped: ${gone}`)]);
      await this.#clock.sleep(lookEveryMs, signal);
    }
  }
}

// What may still be spent, asked before every request. Requests that are under way hold back what the most expensive one so far
// had cost, so that however many ask at once, a budget is crossed by one request at most. No I/O, no clock.

export interface Budget {
  /** What it is about, for the sentence: `the run`, `T001`. */
  readonly whose: string;
  /** The same for everybody who spends from it, in this process; null: nobody else does. */
  readonly key: string | null;
  readonly limitUsd: number;
  /** What was written down as spent when this was made. */
  readonly spentUsd: number;
}

/** Before anything is known, as much as a long conversation costs with an expensive model. */
const firstGuessUsd = 0.5;

export class Account {
  #limitUsd = 0;
  #whose = "";
  /** Written down before this process spent anything, and the newest that was written down. */
  #firstUsd: number | undefined;
  #newestUsd = 0;
  /** Counted here: all of it, and what had been when the newest was written down. */
  #countedUsd = 0;
  #heldUsd = 0;
  #largestUsd: number | undefined;
  /** Of those who are at work now. */
  #openUsd = 0;

  /** The newest word about it counts: a person may have raised it. */
  renew({ whose, limitUsd, spentUsd }: Budget): void {
    this.#whose = whose;
    this.#limitUsd = limitUsd;
    this.#firstUsd ??= spentUsd;
    this.#newestUsd = spentUsd;
  }

  /** What others recorded and what was counted here may be the same money: whichever is more. */
  get spentUsd(): number {
    return Math.max((this.#firstUsd ?? 0) + this.#countedUsd, this.#newestUsd + this.#openUsd);
  }

  get isUsedUp(): boolean {
    return this.#reaches(this.spentUsd);
  }

  /** Whether it would be crossed if those under way cost as much as the most expensive so far. */
  get isHeld(): boolean {
    return this.#heldUsd > 0 && this.#reaches(this.spentUsd + this.#heldUsd);
  }

  /** A sum of cents is a little less than the cents. */
  #reaches(usd: number): boolean {
    return usd >= this.#limitUsd - 1e-9;
  }

  get sentence(): string {
    return `the budget of ${this.#whose}, $${this.#limitUsd}, is used up`;
  }

  hold(): number {
    const heldUsd = this.#largestUsd ?? firstGuessUsd;
    this.#heldUsd += heldUsd;
    return heldUsd;
  }

  /** A cost of null is unknown: nothing can be counted. */
  settle(heldUsd: number, costUsd: number | null): void {
    this.#heldUsd = Math.max(0, this.#heldUsd - heldUsd);
    if (costUsd === null) return;
    this.#countedUsd += costUsd;
    this.#openUsd += costUsd;
    this.#largestUsd = Math.max(this.#largestUsd ?? 0, costUsd);
  }

  /** Somebody who had spent this is gone: what he spent is written down from now on. */
  leave(costUsd: number): void {
    this.#openUsd = Math.max(0, this.#openUsd - costUsd);
  }
}

export type Admission =
  | { readonly kind: "admitted"; readonly settle: (costUsd: number | null) => void }
  | { readonly kind: "refused"; readonly why: string };

/** One who spends from several accounts at once: a call's, a task's, a run's. */
export class Spender {
  readonly #accounts: readonly Account[];
  readonly #waiting: Set<() => void>;
  #spentUsd = 0;

  /** `waiting` is shared by all who share an account: whoever is done lets the next ones look again. */
  constructor(accounts: readonly Account[], waiting: Set<() => void>) {
    this.#accounts = accounts;
    this.#waiting = waiting;
  }

  /** Answers when it is known: at once, or after those under way have told what they cost. */
  async ask(signal: AbortSignal): Promise<Admission | undefined> {
    while (!signal.aborted) {
      const used = this.#accounts.find((each) => each.isUsedUp);
      if (used) return { kind: "refused", why: used.sentence };
      if (!this.#accounts.some((each) => each.isHeld)) return this.#admitted();
      await new Promise<void>((settle) => {
        const done = () => {
          this.#waiting.delete(done);
          signal.removeEventListener("abort", done);
          settle();
        };
        this.#waiting.add(done);
        signal.addEventListener("abort", done);
      });
    }
    return undefined;
  }

  #admitted(): Admission {
    const held = this.#accounts.map((each) => [each, each.hold()] as const);
    let isOpen = true;
    return {
      kind: "admitted",
      settle: (costUsd) => {
        if (!isOpen) return;
        isOpen = false;
        for (const [account, heldUsd] of held) account.settle(heldUsd, costUsd);
        this.#spentUsd += costUsd ?? 0;
        for (const look of [...this.#waiting]) look();
      },
    };
  }

  leave(): void {
    for (const account of this.#accounts) account.leave(this.#spentUsd);
    this.#spentUsd = 0;
  }
}

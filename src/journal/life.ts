// An orchestrator's signs of life: one a second, beside the log, for those who stand by and for those who look. A sign that cannot
// be shown is not missed: the journal cannot be written then either, and whoever stands by cannot take anything.
import type { Holder } from "../core/run-parts.ts";
import type { Journal, Signs } from "./journal.ts";

const signEveryMs = 1000;

export class Life {
  readonly #signs: Signs | undefined;
  readonly #by: Holder;
  readonly #serves: boolean;
  readonly #holds = new Set<string>();
  #count = 0;
  #users = 0;
  #timer: NodeJS.Timeout | undefined;
  #showing: Promise<void> = Promise.resolve();
  #isShowing = false;

  constructor({ signs }: Pick<Journal, "signs">, by: Holder, { serves }: { readonly serves: boolean }) {
    this.#signs = signs;
    this.#by = by;
    this.#serves = serves;
  }

  /** Shown to be there while `work` goes on; `run`: as the one who holds it. */
  async during<T>(run: string | undefined, work: () => Promise<T>): Promise<T> {
    if (run !== undefined) this.#holds.add(run);
    this.#users++;
    this.#timer ??= setInterval(() => this.#show(), signEveryMs);
    this.#show();
    try {
      return await work();
    } finally {
      if (run !== undefined) this.#holds.delete(run);
      if (--this.#users === 0) await this.#end();
    }
  }

  #show(): void {
    if (this.#isShowing || !this.#signs) return;
    this.#isShowing = true;
    const sign = { by: this.#by, holds: [...this.#holds], serves: this.#serves, count: ++this.#count };
    this.#showing = this.#signs
      .show(sign)
      .catch(() => {})
      .finally(() => {
        this.#isShowing = false;
      });
  }

  async #end(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#showing;
    await this.#signs?.drop(this.#by).catch(() => {});
  }
}

// Whether something changed since one looked last: for those who look now and then anyway, a screen that is drawn or a file
// that is followed.
import type { Journal } from "./journal.ts";

export class Watch {
  readonly #ended = new AbortController();
  #hasChanged = true;

  constructor(journal: Pick<Journal, "changes">) {
    this.#follow(journal);
  }

  /** At first always; then when anything was written since the last call. */
  hasChanged(): boolean {
    const changed = this.#hasChanged;
    this.#hasChanged = false;
    return changed;
  }

  stop(): void {
    this.#ended.abort();
  }

  async #follow(journal: Pick<Journal, "changes">): Promise<void> {
    for await (const _ of journal.changes(this.#ended.signal)) this.#hasChanged = true;
  }
}

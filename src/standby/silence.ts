// Whether the orchestrator of a run may be replaced by one who stands by. On this machine its process can be seen to be gone. One that
// is elsewhere, or is stopped, is watched by its signs of life (`journal/life.ts`): when they do not change it is asked in the journal
// (`engine/ask-holder.ts`), and one that does not answer either is silent. Looks are counted, and no clock is compared.
import type { Holder } from "../core/run-parts.ts";
import { isSameProcess } from "../host/program/process.ts";
import type { Sign } from "../journal/journal.ts";

export const lookEveryMs = 500;

/** Six seconds without a sign, then three without an answer: with what a start takes, a takeover is within 15 s. */
export const quietLooks = 12;
export const answerLooks = 6;

/** One who answers and shows no signs is of an older heddle: it is asked less and less often. */
const mostPatience = 120;

/** What is known of the holder of one run, look by look. */
export class Vigil {
  #epoch = -1;
  #count = -1;
  #quiet = 0;
  #blocked = 0;
  #patience = quietLooks;

  /** One look more; `isBlocked`: whether somebody had the turn or the journal at that moment. */
  look(
    { epoch, holder }: { readonly epoch: number; readonly holder: Holder },
    signs: readonly Sign[],
    isBlocked: boolean,
  ): void {
    const count = signs.find(({ by }) => isSameProcess(by, holder))?.count ?? 0;
    if (epoch !== this.#epoch) this.#patience = quietLooks;
    const isNew = epoch !== this.#epoch || count !== this.#count;
    this.#quiet = isNew ? 0 : this.#quiet + 1;
    this.#blocked = isNew || !isBlocked ? 0 : this.#blocked + 1;
    this.#epoch = epoch;
    this.#count = count;
  }

  /** It is to be asked now. */
  get isQuiet(): boolean {
    return this.#quiet >= this.#patience;
  }

  /** It stands still with what everybody needs: asking would wait for the very one who is asked. */
  get isInTheWay(): boolean {
    return this.isQuiet && this.#blocked >= quietLooks / 2;
  }

  /** It lives. */
  answered(): void {
    this.#quiet = 0;
    this.#patience = Math.min(mostPatience, 2 * this.#patience);
  }
}

// How often a store that is a file is looked at: at once and often while its file is written to, and now and then while nothing happens,
// so that whoever follows it costs nothing meanwhile. A write only wakes: what was committed is always asked of the store, and a
// write that nobody told of is found by the next look. Where another machine may write unheard, it is looked at often.
import { type FSWatcher, realpathSync, statfsSync, watch } from "node:fs";
import { basename, dirname } from "node:path";

/** Between two looks while it is written to: a halt takes effect well within 250 ms. */
const oftenMs = 50;
/** What is written can be read when it is on the disk, which takes longer than a moment: it is looked for so long. */
const stirredMs = 5_000;
/** While nothing happens, where every write is told. */
const restMs = 1_000;
/** While nothing happens, where some writes may not be told: a halt still takes effect within 250 ms. */
const unsureMs = 150;

const usual = { stirredMs, restMs, unsureMs };

/** File systems of this machine alone, by `statfs`: ext, btrfs, xfs, tmpfs, overlay, zfs, f2fs, bcachefs. Others may be a network's. */
const local = new Set([
  ...[0xef53, 0x9123683e, 0x58465342, 0x01021994, 0x794c7630],
  ...[0x2fc12fc1, 0xf2f52010, 0xca451a4e],
]);

function tellsOfEveryWrite(folder: string): boolean {
  // Some platforms give the type as a signed number.
  return process.platform === "linux" && local.has(Number(statfsSync(folder).type) >>> 0);
}

export class Pace {
  #watcher: FSWatcher | undefined;
  #rest: number;
  #stirredUntil = 0;
  #wake: (() => void) | undefined;
  readonly #times: typeof usual;

  /** `file`: and those beside it whose names begin like it. */
  constructor(file: string, times: Partial<typeof usual> = {}) {
    this.#times = { ...usual, ...times };
    this.#rest = this.#times.unsureMs;
    try {
      // Where the file is a link, what is written lies beside that which it leads to.
      const path = realpathSync(file);
      const [folder, name] = [dirname(path), basename(path)];
      this.#watcher = watch(folder, { persistent: false }, (_, changed) => {
        if (changed === null || changed.startsWith(name)) this.#stir();
      });
      this.#watcher.on("error", () => this.close());
      if (tellsOfEveryWrite(folder)) this.#rest = this.#times.restMs;
    } catch {
      // Too many are watched already, or none can be.
      this.close();
    }
    this.#stir();
  }

  #stir(): void {
    this.#stirredUntil = performance.now() + this.#times.stirredMs;
    this.#wake?.();
  }

  /** Until it is time to look, or until `signal` ends it. */
  next(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    const isStirred = performance.now() < this.#stirredUntil;
    return new Promise((settle) => {
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", end);
        this.#wake = undefined;
        settle();
      };
      const timer = setTimeout(end, isStirred ? oftenMs : this.#rest);
      signal.addEventListener("abort", end, { once: true });
      // While it is looked at often, one more write changes nothing.
      if (!isStirred) this.#wake = end;
    });
  }

  /** Nothing wakes it any more, and so it is looked at as where writes may be missed. */
  close(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#rest = this.#times.unsureMs;
  }
}

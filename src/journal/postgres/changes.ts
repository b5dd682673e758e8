// What others commit, as it happens: Postgres tells it, and after a connection was lost what was missed is looked up.
import type { Change, RunSummary } from "../journal.ts";
import type { Link, Notice } from "./link.ts";

interface Follower {
  readonly waiting: Map<string, number>;
  isBehind: boolean;
  wake: () => void;
}

export class Changes {
  readonly #link: Link;
  readonly #channel: string;
  readonly #runs: () => Promise<readonly RunSummary[]>;
  readonly #followers = new Set<Follower>();
  #listening: Promise<void> | undefined;

  constructor(link: Link, project: number, runs: () => Promise<readonly RunSummary[]>) {
    this.#link = link;
    this.#channel = `heddle_${project}`;
    this.#runs = runs;
  }

  async *from(signal: AbortSignal): AsyncIterable<Change> {
    const follower: Follower = { waiting: new Map(), isBehind: false, wake: () => {} };
    this.#followers.add(follower);
    const letGo = this.#link.hold();
    const poke = () => follower.wake();
    signal.addEventListener("abort", poke);
    try {
      const told = new Map<string, number>();
      await this.#begin(follower, told);
      while (!signal.aborted && !this.#link.isClosed) {
        for (const [run, position] of await this.#news(follower, told)) {
          if (signal.aborted) return;
          if (told.get(run) === position) continue;
          told.set(run, position);
          yield { run, position };
        }
        if (follower.waiting.size > 0 || follower.isBehind || signal.aborted) continue;
        await new Promise<void>((resolve) => {
          follower.wake = resolve;
          if (this.#link.isClosed || follower.waiting.size > 0 || follower.isBehind) resolve();
        });
      }
    } finally {
      signal.removeEventListener("abort", poke);
      this.#followers.delete(follower);
      letGo();
    }
  }

  /** Where the runs are now. A connection that is lost meanwhile may have hidden something: then all of them are told. */
  async #begin(follower: Follower, told: Map<string, number>): Promise<void> {
    this.#listening ??= this.#link.listen(this.#channel, (notice) => this.#hear(notice));
    await this.#listening.catch(() => {});
    follower.isBehind = false;
    const runs = await this.#runs().catch(() => []);
    if (!follower.isBehind) for (const { id, position } of runs) told.set(id, position);
  }

  async #news(follower: Follower, told: Map<string, number>): Promise<[string, number][]> {
    const isBehind = follower.isBehind;
    follower.isBehind = false;
    const heard = [...follower.waiting];
    follower.waiting.clear();
    if (!isBehind || this.#link.isClosed) return heard;
    try {
      return (await this.#runs())
        .filter(({ id, position }) => told.get(id) !== position)
        .map(({ id, position }) => [id, position]);
    } catch {
      // Its server is away for longer than anybody waits: whoever works with the journal is told so.
      if (!this.#link.isClosed) follower.isBehind = true;
      await new Promise((resolve) => setTimeout(resolve, 1000));
      return [];
    }
  }

  #hear(notice: Notice | undefined): void {
    if (notice?.isOwn) return;
    for (const follower of this.#followers) {
      if (notice === undefined) follower.isBehind = true;
      else {
        const at = notice.payload.indexOf(" ");
        follower.waiting.set(notice.payload.slice(at + 1), Number(notice.payload.slice(0, at)));
      }
      follower.wake();
    }
  }
}

// What outlives every process: the log, the head and the rows of the one run, and what agents left behind. There
// are two images: what processes see, and what a power cut leaves. A commit is both at once.

export interface Write {
  readonly entries: readonly string[];
  readonly head: string;
  readonly rows: ReadonlyMap<string, string>;
  readonly dropped: ReadonlySet<string>;
}

interface Undo {
  readonly log: number;
  readonly head: string | null;
  readonly rows: ReadonlyMap<string, string | undefined>;
}

export class Disk {
  /** Facts with who wrote them, as text; the index is the position less one. */
  readonly log: string[] = [];
  readonly rows = new Map<string, string>();
  head: string | null = null;
  /** How many transactions were committed: what `pragma data_version` counts. */
  commits = 0;
  readonly #unsynced: Undo[] = [];

  /** All of it or nothing. */
  write({ entries, head, rows, dropped }: Write): void {
    const before = new Map([...rows.keys(), ...dropped].map((id) => [id, this.rows.get(id)]));
    this.#unsynced.push({ log: this.log.length, head: this.head, rows: before });
    this.log.push(...entries);
    this.head = head;
    for (const id of dropped) this.rows.delete(id);
    for (const [id, text] of rows) this.rows.set(id, text);
    this.commits++;
  }

  sync(): void {
    this.#unsynced.length = 0;
  }

  /** Everything that was not synced is gone. */
  cutPower(): void {
    for (let undo = this.#unsynced.pop(); undo; undo = this.#unsynced.pop()) {
      this.log.length = undo.log;
      this.head = undo.head;
      for (const [id, text] of undo.rows) {
        if (text === undefined) this.rows.delete(id);
        else this.rows.set(id, text);
      }
    }
  }
}

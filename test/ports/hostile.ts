// A journal that does everything its contract allows and no caller hopes for: it is slow, starts what is asked at once in any
// order, asks `decide` and `look` two or three times, first with a state that is thrown away, and lets nobody touch a file
// or start a process in there. What a second call says otherwise than the first is a bug of the caller, and thrown.
import { apply, fork } from "../../src/core/apply.ts";
import type { Entry, Fact } from "../../src/core/fact.ts";
import type { Problem } from "../../src/core/problem.ts";
import type { Run } from "../../src/core/run.ts";
import type { Draft } from "../../src/core/step.ts";
import type { Change, Committed, Journal, Range, RunSummary, Target } from "../../src/journal/journal.ts";

type Decide = (draft: Draft) => readonly Problem[];

export interface Malice {
  /** Between 0 and 1. */
  readonly random: () => number;
  readonly pause: (ms: number) => Promise<void>;
  /** How likely a turn is lost at once. */
  readonly lost?: number;
  /** Runs a decision, or a look, while whatever is no computing throws. */
  readonly guard?: <T>(work: () => T) => T;
}

export class HostileJournal implements Journal {
  readonly files: readonly string[];
  readonly #inner: Journal;
  readonly #malice: Malice;

  constructor(inner: Journal, malice: Malice) {
    this.#inner = inner;
    this.#malice = malice;
    this.files = inner.files;
  }

  async runs(): Promise<readonly RunSummary[]> {
    await this.#dawdle();
    return this.#later(await this.#inner.runs());
  }

  async transact(target: Target, by: string, decide: Decide): Promise<Committed> {
    await this.#dawdle();
    // A store that decides first and writes later has to begin again when another was faster.
    if ("run" in target && this.#malice.random() < 0.5) {
      await this.#inner.read(target.run, (run) => this.#attempt(run, by, decide)).catch(() => {});
      await this.#dawdle();
    }
    const committed = await this.#inner.transact(target, by, (draft) => this.#decide(draft, by, decide));
    return this.#later(committed);
  }

  async read<T>(run: string, look: (run: Run) => T): Promise<T> {
    await this.#dawdle();
    const seen = await this.#inner.read(run, (state) => {
      for (let again = this.#times(); again > 1; again--) this.#guarded(() => look(state));
      return this.#guarded(() => look(state));
    });
    return this.#later(seen);
  }

  async entries(run: string, range?: Range): Promise<readonly Entry[]> {
    await this.#dawdle();
    return this.#later(await this.#inner.entries(run, range));
  }

  /** Late, and at times twice: a caller goes by the position. */
  async *changes(signal: AbortSignal): AsyncIterable<Change> {
    for await (const change of this.#inner.changes(signal)) {
      await this.#dawdle();
      if (signal.aborted) return;
      yield change;
      if (this.#malice.random() < 0.3) yield change;
    }
  }

  /** Now and then it is lost at once, and whoever has it does not know: what is changed must be fenced by what it bears. */
  async lease<T>(work: () => Promise<T>): Promise<T> {
    await this.#dawdle();
    if (this.#malice.random() < (this.#malice.lost ?? 0)) return this.#later(await work());
    return this.#later(await this.#inner.lease(work));
  }

  verify(): Promise<readonly Problem[]> {
    return this.#inner.verify();
  }

  copyTo(file: string): Promise<void> {
    return this.#inner.copyTo(file);
  }

  close(): void {
    this.#inner.close();
  }

  /** Once or twice on a copy, then for good; every call on one state must record the same. */
  #decide(draft: Draft, by: string, decide: Decide): readonly Problem[] {
    const first = this.#attempt(draft.run, by, decide);
    if (this.#times() > 2) same(first, this.#attempt(draft.run, by, decide));
    const recorded: Fact[] = [];
    const record = (fact: Fact) => {
      recorded.push(structuredClone(fact));
      draft.record(fact);
    };
    const problems = this.#guarded(() => decide({ run: draft.run, record }));
    same(first, { recorded, problems });
    return problems;
  }

  /** A call that counts for nothing. What it throws, the one that counts throws as well. */
  #attempt(state: Run, by: string, decide: Decide): Decision | undefined {
    const run = fork(state);
    const recorded: Fact[] = [];
    const record = (fact: Fact) => {
      recorded.push(structuredClone(fact));
      apply(run, { position: run.position + 1, at: "", by, fact: structuredClone(fact) });
    };
    try {
      return { recorded, problems: this.#guarded(() => decide({ run, record })) };
    } catch (error) {
      if ((error as Error).name === "Impure") throw error;
      return undefined;
    }
  }

  #guarded<T>(work: () => T): T {
    return this.#malice.guard ? this.#malice.guard(work) : work();
  }

  #times(): number {
    return this.#malice.random() < 0.5 ? 2 : 3;
  }

  /** Whoever comes later may begin earlier. */
  #dawdle(): Promise<void> {
    const { random, pause } = this.#malice;
    return pause(random() < 0.1 ? 5 + random() * 15 : random() * 2);
  }

  async #later<T>(value: T): Promise<T> {
    if (this.#malice.random() < 0.5) await this.#dawdle();
    return value;
  }
}

interface Decision {
  readonly recorded: readonly Fact[];
  readonly problems: readonly Problem[];
}

/** It came out otherwise the second time. */
class Impure extends Error {
  override readonly name = "Impure";
}

function same(first: Decision | undefined, second: Decision | undefined): void {
  if (!first || !second) return;
  const [one, other] = [JSON.stringify(first), JSON.stringify(second)];
  if (one !== other)
    throw new Impure(`bug: a decision came out otherwise when it was asked again:\n${one}\n${other}`);
}

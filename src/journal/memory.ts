// A journal in memory: for tests, what-ifs and `replay`. Same contract as the durable one, minus the durability.
import { apply, fold, newRun } from "../core/apply.ts";
import type { Entry, Fact } from "../core/fact.ts";
import type { Problem } from "../core/problem.ts";
import type { Run } from "../core/run.ts";
import type { Draft } from "../core/step.ts";
import { nameRun } from "./chain.ts";
import { unknownRun } from "./head.ts";
import {
  type Change,
  type Committed,
  type Journal,
  type NewRun,
  notAlone,
  type Protocols,
  type Range,
  type RunSummary,
  type Target,
} from "./journal.ts";

interface Log {
  run: Run;
  readonly entries: Entry[];
}

export class MemoryJournal implements Journal {
  readonly files = [];
  readonly #protocols: Protocols;
  readonly #now: () => string;
  readonly #logs = new Map<string, Log>();
  #turn: Promise<unknown> = Promise.resolve();
  readonly #watchers = new Set<(change: Change) => void>();

  constructor(protocols: Protocols, now: () => string) {
    this.#protocols = protocols;
    this.#now = now;
  }

  async runs(): Promise<readonly RunSummary[]> {
    return [...this.#logs.values()].map(({ run }) => ({
      id: run.id,
      protocol: run.protocolName,
      phase: run.phase,
      archived: run.archived,
      position: run.position,
    }));
  }

  async transact(
    target: Target,
    by: string,
    decide: (draft: Draft) => readonly Problem[],
  ): Promise<Committed> {
    const other = "protocol" in target && target.alone ? this.#active(target) : undefined;
    if (other) return { run: other, position: 0, entries: [], problems: [notAlone(other)] };
    const log = this.#open(target);
    const { run, entries: kept } = log;
    const entries: Entry[] = [];
    const record = (fact: Fact) => {
      const entry: Entry = { position: run.position + 1, at: this.#now(), by, fact: structuredClone(fact) };
      apply(run, entry);
      entries.push(entry);
    };
    try {
      const problems = decide({ run, record });
      kept.push(...entries);
      if (kept.length === 0) this.#logs.delete(run.id);
      if (entries.length > 0) this.#tell({ run: run.id, position: run.position });
      return { run: run.id, position: run.position, entries, problems };
    } catch (error) {
      log.run = fold(newRun(run.id, run.protocol), kept);
      if (kept.length === 0) this.#logs.delete(run.id);
      throw error;
    }
  }

  async read<T>(run: string, look: (run: Run) => T): Promise<T> {
    return look(this.#log(run).run);
  }

  async entries(run: string, range: Range = {}): Promise<readonly Entry[]> {
    const { after = 0, upTo = Number.POSITIVE_INFINITY, kinds, without = [] } = range;
    return this.#log(run).entries.filter(
      ({ position, fact }) =>
        position > after &&
        position <= upTo &&
        (kinds === undefined || kinds.includes(fact.kind)) &&
        !without.includes(fact.kind),
    );
  }

  async *changes(signal: AbortSignal): AsyncIterable<Change> {
    while (!signal.aborted) {
      const next = new Promise<Change>((resolve) => this.#watchers.add(resolve));
      const ended = new Promise<undefined>((resolve) =>
        signal.addEventListener("abort", () => resolve(undefined), { once: true }),
      );
      const change = await Promise.race([next, ended]);
      if (change) yield change;
    }
  }

  lease<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => {});
    return turn;
  }

  #tell(change: Change): void {
    const watchers = [...this.#watchers];
    this.#watchers.clear();
    for (const tell of watchers) tell(change);
  }

  async verify(): Promise<readonly Problem[]> {
    return [];
  }

  async copyTo(): Promise<void> {
    throw new Error("bug: a journal in memory is not kept in a file");
  }

  close(): void {}

  #log(id: string): Log {
    const log = this.#logs.get(id);
    if (!log) throw unknownRun(id);
    return log;
  }

  #active({ protocol, alone }: NewRun): string | undefined {
    const folder = typeof alone === "object" ? alone.folder : undefined;
    const active = [...this.#logs.values()].filter(
      ({ run }) => run.protocolName === protocol && !run.archived,
    );
    return active.find(({ run }) => folder === undefined || run.planningDir === folder)?.run.id;
  }

  #open(target: Target): Log {
    if ("run" in target) return this.#log(target.run);
    const protocol = this.#protocols(target.protocol);
    if (!protocol) throw new Error(`bug: no protocol ${target.protocol}`);
    const same = [...this.#logs.values()].filter(({ run }) => run.protocolName === target.protocol);
    const log = { run: newRun(nameRun(protocol, same.length), protocol), entries: [] };
    this.#logs.set(log.run.id, log);
    return log;
  }
}

// A journal in memory: for tests, what-ifs and `replay`. Same contract as the durable one, minus the durability.
import { apply, fold, newRun } from "../core/apply.ts";
import type { Entry, Fact } from "../core/fact.ts";
import type { Problem } from "../core/problem.ts";
import { problem } from "../core/problem.ts";
import type { Run } from "../core/run.ts";
import type { Draft } from "../core/step.ts";
import { nameRun } from "./chain.ts";
import {
  type Committed,
  type Journal,
  notAlone,
  type Protocols,
  type RunSummary,
  type Since,
  StoreFailure,
  type Target,
} from "./journal.ts";

interface Log {
  run: Run;
  readonly entries: Entry[];
}

export class MemoryJournal implements Journal {
  readonly #protocols: Protocols;
  readonly #now: () => string;
  readonly #logs = new Map<string, Log>();

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
    const other = "protocol" in target && target.alone ? this.#active(target.protocol) : undefined;
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

  async entries(run: string, { after = 0, upTo = Number.POSITIVE_INFINITY } = {}): Promise<readonly Entry[]> {
    return this.#log(run).entries.filter(({ position }) => position > after && position <= upTo);
  }

  version(): number {
    return 0;
  }

  async exclusive<T>(run: string, work: (run: Run, since: Since) => T): Promise<T> {
    const log = this.#log(run);
    return work(log.run, (after, without = []) =>
      log.entries.filter(({ position, fact }) => position > after && !without.includes(fact.kind)),
    );
  }

  async verify(): Promise<readonly Problem[]> {
    return [];
  }

  close(): void {}

  #log(id: string): Log {
    const log = this.#logs.get(id);
    if (!log)
      throw new StoreFailure(
        problem("unknown-run", `run \`${id}\` does not exist`, { hint: "heddle status" }),
      );
    return log;
  }

  #active(protocol: string): string | undefined {
    return [...this.#logs.values()].find(({ run }) => run.protocolName === protocol && !run.archived)?.run.id;
  }

  #open(target: Target): Log {
    if ("run" in target) return this.#log(target.run);
    const protocol = this.#protocols(target.protocol);
    if (!protocol) throw new Error(`bug: no protocol ${target.protocol}`);
    const same = [...this.#logs.values()].filter(({ run }) => run.protocolName === target.protocol);
    const log = { run: newRun(nameRun(target.protocol, same.length), protocol), entries: [] };
    this.#logs.set(log.run.id, log);
    return log;
  }
}

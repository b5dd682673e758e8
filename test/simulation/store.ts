// The journal as one process of the simulation has it: the contract of `journal/journal.ts` on a simulated disk,
// with a cache that goes stale when another process commits, and with every way a store can let a caller down.
import { apply, headOf, newRun } from "../../src/core/apply.ts";
import type { Entry, Fact } from "../../src/core/fact.ts";
import { type Problem, problem } from "../../src/core/problem.ts";
import type { Head, Run } from "../../src/core/run.ts";
import type { Draft } from "../../src/core/step.ts";
import { nameRun } from "../../src/journal/chain.ts";
import {
  type Change,
  type Committed,
  type Journal,
  type RunSummary,
  StoreFailure,
  type Target,
} from "../../src/journal/journal.ts";
import { decomposition } from "../../src/packs/decomposition/protocol.ts";
import { HostileJournal } from "../ports/hostile.ts";
import { LazyTable } from "./lazy-table.ts";
import type { Oracle } from "./oracle.ts";
import type { SimProcess } from "./process.ts";
import type { Simulation } from "./simulation.ts";

interface Loaded {
  readonly run: Run;
  readonly table: LazyTable;
}

/** What one input may lead to: the largest plan, loaded and started, is far below. */
const mostFacts = 1000;

/** Per second and process: twenty polls, and one more for each input. */
const mostReads = 400;

/** What a dead process waits for. */
const never = new Promise<never>(() => {});

/** The journal of one process: as it is, or doing its worst. */
export function journalOf(sim: Simulation, oracle: Oracle, process: SimProcess): Journal {
  const { malice } = sim;
  const journal = new SimJournal(sim, oracle, process);
  if (!malice) return journal;
  return new HostileJournal(journal, {
    random: () => malice.next(),
    pause: (ms) => process.pause(Math.round(ms)),
  });
}

export class SimJournal implements Journal {
  readonly files = [];
  readonly #sim: Simulation;
  readonly #oracle: Oracle;
  readonly #process: SimProcess;
  #loaded: Loaded | undefined;
  #seen = -1;
  #ownCommits = 0;
  #reads = 0;
  #readsSinceMs = 0;

  constructor(sim: Simulation, oracle: Oracle, process: SimProcess) {
    this.#sim = sim;
    this.#oracle = oracle;
    this.#process = process;
  }

  async runs(): Promise<readonly RunSummary[]> {
    await this.#process.pause(this.#latencyMs());
    const { head } = this.#sim.disk;
    if (head === null) return [];
    const { id, protocolName, phase, archived, position } = JSON.parse(head) as Head;
    return [{ id, protocol: protocolName, phase, archived, position }];
  }

  async transact(
    target: Target,
    by: string,
    decide: (draft: Draft) => readonly Problem[],
  ): Promise<Committed> {
    const { random, faults } = this.#sim;
    const isOrchestrator = this.#process.role === "orchestrator";
    await this.#process.pause(this.#latencyMs());
    if (random.chance(isOrchestrator ? faults.crashBeforeCommit : faults.operatorCrash / 2))
      return this.#die("died before a commit");
    const committed = this.#commit(target, by, decide);
    const isWritten = committed.entries.length > 0;
    if (random.chance(isOrchestrator ? faults.crashAfterCommit : faults.operatorCrash / 2) && isWritten)
      return this.#die("died after a commit, before hearing of it");
    await this.#process.pause(this.#latencyMs());
    this.#oracle.acknowledged(committed);
    return committed;
  }

  async read<T>(_run: string, look: (run: Run) => T): Promise<T> {
    await this.#process.pause(this.#latencyMs());
    this.#countRead();
    this.#mayFail(0.1);
    return this.#atomically(() => look(this.#load().run));
  }

  async entries(_run: string, { after = 0, upTo = Number.MAX_SAFE_INTEGER } = {}): Promise<readonly Entry[]> {
    await this.#process.pause(this.#latencyMs());
    return this.#since(after).filter(({ position }) => position <= upTo);
  }

  async *changes(signal: AbortSignal): AsyncIterable<Change> {
    let version = this.#version();
    for (;;) {
      await this.#process.clock.sleep(50, signal);
      if (signal.aborted) return;
      const { head } = this.#sim.disk;
      if (this.#version() === version || head === null) continue;
      version = this.#version();
      const { id, position } = JSON.parse(head) as Head;
      yield { run: id, position };
    }
  }

  /** Like `pragma data_version`: one's own commits do not count. */
  #version(): number {
    return this.#sim.disk.commits - this.#ownCommits;
  }

  /** Freed with its holder, and kept by one that stands still, as the kernel does it. */
  async lease<T>(work: () => Promise<T>): Promise<T> {
    await this.#process.pause(this.#latencyMs());
    this.#mayFail(0.1);
    const { sim, process } = { sim: this.#sim, process: this.#process };
    while (sim.leaseOf?.alive) {
      sim.saw("waited for its turn");
      await process.pause(sim.random.between(1, 10));
    }
    sim.leaseOf = process;
    try {
      return await work();
    } finally {
      if (sim.leaseOf === process) sim.leaseOf = null;
    }
  }

  async verify(): Promise<readonly Problem[]> {
    this.#oracle.checkAll();
    return this.#sim.violation ? [problem("fold", this.#sim.violation.message)] : [];
  }

  async copyTo(): Promise<void> {}

  close(): void {}

  #commit(target: Target, by: string, decide: (draft: Draft) => readonly Problem[]): Committed {
    const sim = this.#sim;
    if (sim.random.chance(sim.faults.repeatDecide)) {
      sim.saw("decide was asked again");
      this.#decide(target, by, decide);
      this.#loaded = undefined;
    }
    const { loaded, entries, texts, problems } = this.#decide(target, by, decide);
    this.#atomically(() => this.#mayFail());
    if (entries.length > 0) {
      const changes = loaded.table.changes();
      sim.disk.write({ entries: texts, head: JSON.stringify(headOf(loaded.run)), ...changes });
      sim.disk.sync();
      this.#ownCommits++;
      this.#oracle.committed(texts, this.#process, changes);
    }
    this.#oracle.refused(problems);
    return { run: loaded.run.id, position: loaded.run.position, entries, problems };
  }

  #decide(target: Target, by: string, decide: (draft: Draft) => readonly Problem[]) {
    return this.#atomically(() => {
      const loaded = "run" in target ? this.#load() : this.#create();
      const { run } = loaded;
      const entries: Entry[] = [];
      const texts: string[] = [];
      const record = (fact: Fact) => {
        const entry = { position: run.position + 1, at: this.#sim.wallClock(), by, fact };
        // The text is made first: what `apply` does to a fact that it keeps a part of must not reach the log.
        texts.push(JSON.stringify(entry));
        if (texts.length > mostFacts) throw new Error(`${mostFacts} facts follow from one input, and no end`);
        apply(run, entry);
        entries.push(entry);
      };
      const problems = decide({ run, record });
      return { loaded, entries, texts, problems };
    });
  }

  /** What is in memory may be ahead of the disk after a failure, so it is forgotten. */
  #atomically<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      this.#loaded = undefined;
      throw error;
    }
  }

  #load(): Loaded {
    const version = this.#version();
    if (version !== this.#seen && this.#loaded) {
      this.#sim.saw("cache was stale");
      this.#loaded = undefined;
    }
    this.#seen = version;
    if (this.#loaded) {
      this.#oracle.checkCache(this.#loaded.run, this.#loaded.table);
      return this.#loaded;
    }
    const { head: text } = this.#sim.disk;
    if (text === null) throw new StoreFailure(problem("unknown-run", "there is no run"));
    const head = JSON.parse(text) as Head;
    const size = Object.values(head.counts).reduce((sum, count) => sum + count, 0);
    return this.#keep(head, new LazyTable(this.#sim.disk, size));
  }

  #create(): Loaded {
    return this.#keep(newRun(nameRun(decomposition, 0), decomposition), new LazyTable(this.#sim.disk, 0));
  }

  #keep(head: Head, table: LazyTable): Loaded {
    this.#loaded = { run: { ...head, protocol: decomposition, tasks: table }, table };
    return this.#loaded;
  }

  #since(after: number): Entry[] {
    return this.#sim.disk.log.slice(after).map((text) => JSON.parse(text) as Entry);
  }

  #die(how: "died before a commit" | "died after a commit, before hearing of it"): Promise<never> {
    this.#sim.saw(how);
    this.#sim.crash(this.#process, how);
    return never;
  }

  /** Reads are many, so each fails more seldom. */
  #mayFail(share = 1): void {
    if (!this.#sim.random.chance(this.#sim.faults.storeFailure * share)) return;
    this.#sim.saw("store failed");
    this.#sim.note(`${this.#process.name}: the store fails`);
    throw new StoreFailure(problem("io", "the disk failed while using the journal"));
  }

  /** Whoever waits for something sleeps in between. */
  #countRead(): void {
    if (this.#sim.nowMs - this.#readsSinceMs >= 1000) {
      this.#readsSinceMs = this.#sim.nowMs;
      this.#reads = 0;
    }
    this.#reads++;
    this.#sim.check(this.#reads <= mostReads, "C7 busy loop", () => `${mostReads} reads within a second`);
  }

  /** Mostly quick, at times slow enough for a rival to come first. */
  #latencyMs(): number {
    const { random } = this.#sim;
    return random.chance(0.05) ? random.between(5, 60) : random.between(0, 2);
  }
}

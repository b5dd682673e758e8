// The journal in Postgres. A decision is made on a copy of the run in memory and committed by one statement that counts only if nobody
// else has written since: otherwise what they wrote is folded, and the decision is made again.
import { randomUUID } from "node:crypto";
import { apply, fold, headOf, newRun } from "../../core/apply.ts";
import { type Entry, type Fact, factFormat } from "../../core/fact.ts";
import { type Problem, problem } from "../../core/problem.ts";
import type { Run } from "../../core/run.ts";
import type { Draft } from "../../core/step.ts";
import { chained, chainStart, nameRun } from "../chain.ts";
import { checksum } from "../checksum.ts";
import { entryOf, type FactRow } from "../entry.ts";
import { headIn, protocolOf, type RunRow, unknownRun } from "../head.ts";
import {
  type Change,
  type Committed,
  type Journal,
  type NewRun,
  notAlone,
  type Protocols,
  type Range,
  type RunSummary,
  type SharedFiles,
  type Signs,
  StoreFailure,
  type Target,
} from "../journal.ts";
import { foundEntry, type Keeping, keeping, kept } from "../places.ts";
import type { Row } from "../row.ts";
import { placeOf } from "./address.ts";
import { Changes } from "./changes.ts";
import { copyToFile, verifyProject } from "./copy.ts";
import type { Link } from "./link.ts";
import { serverFiles } from "./shared.ts";
import { serverSigns } from "./signs.ts";
import { commit as commitSql, factsAfter, factsIn, headAndTasks, runsIn } from "./statements.ts";
import { TaskCopy } from "./task-table.ts";
import { turnOf } from "./turn.ts";

export interface PostgresOptions {
  readonly link: Link;
  readonly project: number;
  readonly root?: string | undefined;
  readonly protocols: Protocols;
  readonly now: () => string;
  readonly busyMs?: number;
}

/** A run as it was last read or written, and how far. */
interface Loaded {
  readonly run: Run;
  readonly tasks: TaskCopy;
  hash: string;
}

/** A decision, and what it recorded. */
interface Decided {
  readonly entries: Entry[];
  readonly bodies: string[];
  readonly hashes: string[];
  readonly problems: readonly Problem[];
  readonly thrown?: { readonly error: unknown };
}

export class PostgresJournal implements Journal {
  readonly files = [];
  readonly signs: Signs;
  readonly shared: SharedFiles;
  readonly #options: PostgresOptions;
  readonly #link: Link;
  readonly #keeping: Keeping;
  readonly #loaded = new Map<string, Loaded>();
  readonly #changes: Changes;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: PostgresOptions) {
    this.#options = options;
    this.#link = options.link;
    this.#keeping = keeping(options.root);
    this.signs = serverSigns(options.link, options.project);
    this.shared = serverFiles(options.link, options.project);
    this.#changes = new Changes(options.link, options.project, () => this.runs());
  }

  away(): Problem | undefined {
    return this.#link.away();
  }

  giveUp(): void {
    this.#link.giveUp();
  }

  async runs(): Promise<readonly RunSummary[]> {
    const rows = await this.#link.ask<Omit<RunSummary, "archived"> & { archived: number }>(
      runsIn(this.#options.project),
    );
    return rows.map((row) => ({ ...row, archived: row.archived === 1 }));
  }

  transact(target: Target, by: string, decide: (draft: Draft) => readonly Problem[]): Promise<Committed> {
    return this.#inOrder(() =>
      "run" in target ? this.#change(target.run, by, decide) : this.#begin(target, by, decide),
    );
  }

  read<T>(run: string, look: (run: Run) => T): Promise<T> {
    return this.#inOrder(async () => look((await this.#newest(run)).run));
  }

  async entries(run: string, range: Range = {}): Promise<readonly Entry[]> {
    const rows = await this.#link.ask<FactRow & { known: boolean }>(
      factsIn(this.#options.project, run, range),
    );
    if (rows.length === 0) throw unknownRun(run);
    return rows.filter(({ position }) => position !== null).map((row) => this.#entryOf(row));
  }

  changes(signal: AbortSignal): AsyncIterable<Change> {
    return this.#changes.from(signal);
  }

  lease<T>(work: () => Promise<T>): Promise<T> {
    const { project, busyMs = 20_000 } = this.#options;
    return turnOf(this.#link, { project, withinMs: busyMs }, work);
  }

  async verify(): Promise<readonly Problem[]> {
    return verifyProject(this.#link, this.#options);
  }

  async copyTo(file: string): Promise<void> {
    await copyToFile(this.#link, this.#options.project, file);
  }

  close(): void {
    this.#link.close();
  }

  /** One after another: what one decides on, the other must not change meanwhile. */
  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => {});
    return mine;
  }

  async #change(id: string, by: string, decide: (draft: Draft) => readonly Problem[]): Promise<Committed> {
    // What is in memory may be old: that is found out by the commit itself, or, where there is none, by a look.
    let isNewest = !this.#loaded.has(id);
    for (;;) {
      const loaded = this.#loaded.get(id) ?? (await this.#load(id));
      const before = { position: loaded.run.position, hash: loaded.hash };
      const decided = this.#decide(loaded, by, decide);
      const isWritten = decided.entries.length > 0;
      if (decided.thrown || !isWritten) {
        if (isWritten) this.#loaded.delete(id);
        if (!isNewest) {
          const now = await this.#newest(id);
          isNewest = true;
          if (now.run.position !== before.position || now.hash !== before.hash) continue;
        }
        if (decided.thrown) throw decided.thrown.error;
        return { run: id, position: before.position, entries: [], touched: [], problems: decided.problems };
      }
      const committed = await this.#commit(loaded, by, decided);
      if (committed) return committed;
      // Another was faster.
      isNewest = true;
      this.#loaded.delete(id);
    }
  }

  async #begin(target: NewRun, by: string, decide: (draft: Draft) => readonly Problem[]): Promise<Committed> {
    const protocol = this.#options.protocols(target.protocol);
    if (!protocol) throw new Error(`bug: no protocol ${target.protocol}`);
    for (let refused = ""; ; ) {
      const runs = await this.runs();
      const other = target.alone ? await this.#active(target, runs) : undefined;
      if (other) return { run: other, position: 0, entries: [], problems: [notAlone(other)] };
      const id = nameRun(protocol, runs.filter((run) => run.protocol === target.protocol).length);
      if (id === refused) throw new Error(`bug: the name ${id} is taken by another protocol`);
      const tasks = new TaskCopy(this.#keeping);
      const loaded: Loaded = { run: newRun(id, protocol, tasks), tasks, hash: chainStart };
      const decided = this.#decide(loaded, by, decide);
      if (decided.thrown) throw decided.thrown.error;
      if (decided.entries.length === 0)
        return { run: id, position: 0, entries: [], touched: [], problems: decided.problems };
      const committed = await this.#commit(loaded, by, decided);
      if (!committed) {
        refused = id;
        continue;
      }
      this.#loaded.set(id, loaded);
      return committed;
    }
  }

  async #active({ protocol, alone }: NewRun, runs: readonly RunSummary[]): Promise<string | undefined> {
    const folder = typeof alone === "object" ? alone.folder : undefined;
    for (const { id } of runs.filter((run) => run.protocol === protocol && !run.archived))
      if (folder === undefined || (await this.#newest(id)).run.planningDir === folder) return id;
    return undefined;
  }

  #decide(loaded: Loaded, by: string, decide: (draft: Draft) => readonly Problem[]): Decided {
    const [entries, bodies, hashes] = [[] as Entry[], [] as string[], [] as string[]];
    const record = (fact: Fact) => {
      const { entry, body } = this.#entryFor(loaded, by, fact);
      apply(loaded.run, entry);
      entries.push(entry);
      bodies.push(body);
      hashes.push(loaded.hash);
    };
    try {
      return { entries, bodies, hashes, problems: decide({ run: loaded.run, record }) };
    } catch (error) {
      return { entries, bodies, hashes, problems: [], thrown: { error } };
    }
  }

  #entryFor(loaded: Loaded, by: string, fact: Fact): { readonly entry: Entry; readonly body: string } {
    const { root, now } = this.#options;
    const placed = fact.kind === "run-created" ? kept(fact, root) : fact;
    const { json: body, value } = this.#keeping.kept(placed);
    const entry = foundEntry({ position: loaded.run.position + 1, at: now(), by, fact: value }, root);
    loaded.hash = chained(loaded.hash, entry, body);
    return { entry, body };
  }

  /** Nothing when another has written since. */
  async #commit(loaded: Loaded, by: string, decided: Decided): Promise<Committed | undefined> {
    const { run, tasks, hash } = loaded;
    const { root, project } = this.#options;
    const { rows, dropped } = tasks.taken();
    const expected = run.position - decided.entries.length;
    const { json: head } = this.#keeping.kept(kept(headOf(run), root));
    const question = commitSql({
      ...{
        project,
        run: run.id,
        protocol: run.protocolName,
        expected,
        id: randomUUID(),
        by,
        format: factFormat,
      },
      ...{ phase: run.phase, archived: Number(run.archived), head, sum: checksum(`${head}\n${hash}`) },
      ...{
        at: decided.entries.map(({ at }) => at),
        bodies: decided.bodies,
        hashes: decided.hashes,
        dropped,
        rows,
      },
    });
    let said: string | undefined;
    try {
      [{ said } = { said: undefined }] = await this.#link.ask<{ said: string }>(question);
    } catch (error) {
      this.#loaded.delete(run.id);
      throw error;
    }
    if (said === "behind") return undefined;
    if (said !== "done") {
      this.#loaded.delete(run.id);
      throw new StoreFailure(leftProblem(this.#link, said ?? ""));
    }
    return {
      ...{ run: run.id, position: run.position, entries: decided.entries, problems: decided.problems },
      touched: dropped.length > 0 ? undefined : rows.map(({ id }) => id),
    };
  }

  async #newest(id: string): Promise<Loaded> {
    const loaded = this.#loaded.get(id);
    if (!loaded) return this.#load(id);
    const rows = await this.#link.ask<FactRow & { last: number; head: string }>(
      factsAfter(this.#options.project, id, loaded.run.position),
    );
    if (this.#follow(loaded, rows)) return loaded;
    // It is gone, or another history has taken its place.
    this.#loaded.delete(id);
    return this.#load(id);
  }

  #follow(loaded: Loaded, rows: readonly (FactRow & { last: number; head: string })[]): boolean {
    for (const row of rows) {
      if (row.position === null) break;
      loaded.hash = chained(loaded.hash, row, row.body);
      if (loaded.hash !== row.hash) return false;
      apply(loaded.run, this.#entryOf(row));
    }
    loaded.tasks.forget();
    return rows[0]?.last === loaded.run.position && rows[0].head === loaded.hash;
  }

  async #load(id: string): Promise<Loaded> {
    const [row] = await this.#link.ask<RunRow & { tasks: readonly Listed[] | null }>(
      headAndTasks(this.#options.project, id),
    );
    if (!row) throw unknownRun(id);
    const head = headIn(row, { keeping: this.#keeping, root: this.#options.root });
    const protocol = protocolOf(row, this.#options.protocols);
    const tasks = new TaskCopy(this.#keeping, (row.tasks ?? []).map(rowIn));
    const run: Run = { ...head, protocol, tasks };
    if (row.format < factFormat) await this.#foldAgain(run);
    const loaded = { run, tasks, hash: row.hash };
    this.#loaded.set(id, loaded);
    return loaded;
  }

  /** Head and rows of an older heddle may lack what facts mean today; the next commit writes them anew. */
  async #foldAgain(run: Run): Promise<void> {
    const entries = await this.entries(run.id, { upTo: run.position });
    const again = fold(newRun(run.id, run.protocol), entries);
    Object.assign(run, headOf(again));
    for (const task of again.tasks.all()) run.tasks.set(task);
  }

  #entryOf(row: FactRow): Entry {
    return foundEntry(entryOf(row, this.#keeping), this.#options.root);
  }
}

type Listed = readonly [string, number, number, number, number, string, number, string, number];

function rowIn([id, ready, notable, steel, remaining, fixed, fixed_sum, state, sum]: Listed): Row {
  return { id, ready, notable, steel, remaining, fixed, fixed_sum, state, sum };
}

function leftProblem({ address }: Link, said: string): Problem {
  const what = said === "moved" ? "was moved away from" : "is no longer in";
  return problem(
    "moved",
    `the journal of \`${address.project}\` ${what} ${placeOf(address)}: nothing was changed`,
    {
      hint: 'run the command again with the "journal" that the project\'s configuration names now',
    },
  );
}

// The durable journal: one SQLite file per project, WAL, synchronous=FULL. A transaction appends facts, folds
// them, and writes the rows and the head that changed, so that a one-shot command reads only what it needs.
import { dirname, join } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { apply, fold, headOf, newRun } from "../core/apply.ts";
import { type Entry, type Fact, type FactKind, factFormat } from "../core/fact.ts";
import type { Problem } from "../core/problem.ts";
import type { Run, TaskId } from "../core/run.ts";
import type { Draft } from "../core/step.ts";
import { chained, chainStart, nameRun } from "./chain.ts";
import { checksum } from "./checksum.ts";
import { entryOf, type FactRow, factSql } from "./entry.ts";
import { storeFailure } from "./failure.ts";
import { headIn, protocolOf, type RunRow, unknownRun } from "./head.ts";
import {
  type Change,
  type Committed,
  type Journal,
  type NewRun,
  notAlone,
  type Protocols,
  type Range,
  type RunSummary,
  type Signs,
  StoreFailure,
  type Target,
} from "./journal.ts";
import { movedProblem, movedTo } from "./moved.ts";
import { Pace } from "./pace.ts";
import { foundEntry, type Keeping, keeping, kept } from "./places.ts";
import { TaskRows } from "./rows.ts";
import { openDatabase } from "./schema.ts";
import { signFiles } from "./sign-files.ts";
import { inTurn } from "./turn.ts";

/** A run as it was last read or written, good as long as nobody else has committed. */
interface Loaded {
  readonly run: Run;
  readonly rows: TaskRows;
  hash: string;
  stored: boolean;
}

export interface SqliteOptions {
  readonly path: string;
  /** The project's directory: what a run names inside it is kept relative to it. */
  readonly root?: string;
  readonly protocols: Protocols;
  readonly now: () => string;
  readonly busyMs?: number;
  /** A file that a person keeps: the backup of a journal that was moved can be read like every other. */
  readonly isCopy?: boolean;
}

interface Wanted {
  readonly after: number;
  readonly upTo: number;
  readonly without?: readonly FactKind[] | undefined;
  readonly kinds?: readonly FactKind[] | undefined;
}

export class SqliteJournal implements Journal {
  readonly files: readonly string[];
  readonly signs?: Signs;
  readonly #db: DatabaseSync;
  readonly #options: SqliteOptions;
  readonly #keeping: Keeping;
  readonly #loaded = new Map<string, Loaded>();
  readonly #statements = new Map<string, StatementSync>();
  #seen = -1;

  constructor(options: SqliteOptions) {
    this.#options = options;
    this.files = [options.path];
    this.#keeping = keeping(options.root);
    this.#db = this.#guard(() => openDatabase(options.path, options.busyMs ?? 20_000));
    if (options.isCopy) return;
    this.#refuseMoved();
    const { path } = options;
    this.signs = signFiles(join(dirname(path), "signs"), [path, `${path}-turn`]);
  }

  #refuseMoved(): void {
    const to = movedTo(this.#db);
    if (to === undefined) return;
    this.#db.close();
    throw movedProblem(this.#options.path, to);
  }

  async runs(): Promise<readonly RunSummary[]> {
    const sql = "select id, protocol, phase, archived, position from run order by ordinal";
    const rows = this.#guard(() => this.#prepare(sql).all()) as unknown as (Omit<RunSummary, "archived"> & {
      archived: number;
    })[];
    return rows.map((row) => ({ ...row, archived: row.archived === 1 }));
  }

  async transact(
    target: Target,
    by: string,
    decide: (draft: Draft) => readonly Problem[],
  ): Promise<Committed> {
    return this.#transaction("begin immediate", () => {
      const other = "protocol" in target && target.alone ? this.#active(target) : undefined;
      if (other) return { run: other, position: 0, entries: [], problems: [notAlone(other)] };
      const loaded = "run" in target ? this.#load(target.run) : this.#create(target.protocol);
      const { run } = loaded;
      const entries: Entry[] = [];
      const record = (fact: Fact) => {
        const entry = this.#append(loaded, { at: this.#options.now(), by, fact });
        apply(run, entry);
        entries.push(entry);
      };
      const problems = decide({ run, record });
      const touched = entries.length > 0 ? this.#store(loaded) : [];
      if (!loaded.stored) this.#loaded.delete(run.id);
      return { run: run.id, position: run.position, entries, touched, problems };
    });
  }

  async read<T>(run: string, look: (run: Run) => T): Promise<T> {
    return this.#transaction("begin", () => look(this.#load(run).run));
  }

  async entries(run: string, range: Range = {}): Promise<readonly Entry[]> {
    const { after = 0, upTo = Number.MAX_SAFE_INTEGER, kinds, without } = range;
    return this.#transaction("begin", () => {
      this.#load(run);
      return this.#entries(run, { after, upTo, kinds, without });
    });
  }

  async *changes(signal: AbortSignal): AsyncIterable<Change> {
    const pace = new Pace(this.#options.path);
    try {
      yield* this.#changes(signal, pace);
    } finally {
      pace.close();
    }
  }

  async *#changes(signal: AbortSignal, pace: Pace): AsyncIterable<Change> {
    let version = this.#version();
    const told = new Map((await this.runs()).map(({ id, position }) => [id, position]));
    for (;;) {
      if (!signal.aborted) await pace.next(signal);
      if (signal.aborted || !this.#db.isOpen) return;
      try {
        const now = this.#version();
        if (now === version) continue;
        const runs = await this.runs();
        version = now;
        for (const { id: run, position } of runs) {
          if (told.get(run) === position) continue;
          told.set(run, position);
          yield { run, position };
        }
      } catch (error) {
        if (!(storeFailure(error, this.#options.path) instanceof StoreFailure)) throw error;
      }
    }
  }

  /** Changes whenever another connection has committed. */
  #version(): number {
    return (this.#prepare("pragma data_version").get() as { data_version: number }).data_version;
  }

  lease<T>(work: () => Promise<T>): Promise<T> {
    const { path, busyMs = 20_000 } = this.#options;
    return inTurn(`${path}-turn`, busyMs, work);
  }

  async verify(): Promise<readonly Problem[]> {
    const { verifyDatabase } = await import("./verify.ts");
    return this.#guard(() => verifyDatabase(this.#db, this.#options));
  }

  close(): void {
    if (this.#db.isOpen) this.#db.close();
  }

  async copyTo(file: string): Promise<void> {
    this.#guard(() => this.#db.prepare("vacuum into ?").run(file));
  }

  #entries(run: string, { after, upTo, ...wanted }: Wanted): Entry[] {
    const rows = this.#prepare(factSql(wanted)).all(run, after, upTo) as unknown as FactRow[];
    return rows.map((row) => foundEntry(entryOf(row, this.#keeping), this.#options.root));
  }

  #transaction<T>(begin: string, work: () => T): T {
    return this.#guard(() => {
      this.#db.exec(begin);
      try {
        this.#forgetIfOthersWrote();
        const result = work();
        this.#db.exec("commit");
        return result;
      } catch (error) {
        // What is in memory may be ahead of what was written.
        this.#loaded.clear();
        if (this.#db.isTransaction) this.#db.exec("rollback");
        throw error;
      }
    });
  }

  #forgetIfOthersWrote(): void {
    const version = this.#version();
    if (version !== this.#seen) this.#loaded.clear();
    this.#seen = version;
  }

  #load(id: string): Loaded {
    const known = this.#loaded.get(id);
    if (known) return known;
    const row = this.#prepare("select * from run where id = ?").get(id) as RunRow | undefined;
    if (!row) throw unknownRun(id);
    const head = headIn(row, { keeping: this.#keeping, root: this.#options.root });
    const protocol = protocolOf(row, this.#options.protocols);
    const size = Object.values(head.counts).reduce((sum, count) => sum + count, 0);
    const rows = new TaskRows({ db: this.#db, keeping: this.#keeping }, id, size);
    const run: Run = { ...head, protocol, tasks: rows };
    if (row.format < factFormat) this.#foldAgain(run);
    return this.#keep({ run, rows, hash: row.hash, stored: true });
  }

  /** Head and rows of an older heddle may lack what facts mean today; the next transaction writes them anew. */
  #foldAgain(run: Run): void {
    const entries = this.#entries(run.id, { after: 0, upTo: Number.MAX_SAFE_INTEGER });
    const again = fold(newRun(run.id, run.protocol), entries);
    Object.assign(run, headOf(again));
    for (const task of again.tasks.all()) run.tasks.set(task);
  }

  #active({ protocol, alone }: NewRun): string | undefined {
    const sql = "select id from run where protocol = ? and archived = 0";
    const rows = this.#prepare(sql).all(protocol) as unknown as readonly { id: string }[];
    const folder = typeof alone === "object" ? alone.folder : undefined;
    return rows.find(({ id }) => folder === undefined || this.#load(id).run.planningDir === folder)?.id;
  }

  #create(protocolName: string): Loaded {
    const protocol = this.#options.protocols(protocolName);
    if (!protocol) throw new Error(`bug: no protocol ${protocolName}`);
    const taken = this.#prepare("select count(*) as n from run where protocol = ?").get(protocolName) as {
      n: number;
    };
    const id = nameRun(protocol, taken.n);
    const rows = new TaskRows({ db: this.#db, keeping: this.#keeping }, id, 0);
    return this.#keep({ run: newRun(id, protocol, rows), rows, hash: chainStart, stored: false });
  }

  #keep(loaded: Loaded): Loaded {
    this.#loaded.set(loaded.run.id, loaded);
    return loaded;
  }

  #append(loaded: Loaded, { at, by, fact }: Omit<Entry, "position">): Entry {
    const { root } = this.#options;
    const placed = fact.kind === "run-created" ? kept(fact, root) : fact;
    const { json: body, value } = this.#keeping.kept(placed);
    const { run, hash } = loaded;
    const entry = foundEntry({ position: run.position + 1, at, by, fact: value }, root);
    loaded.hash = chained(hash, entry, body);
    const sql = "insert into fact (run, position, at, by, format, body, hash) values (?, ?, ?, ?, ?, ?, ?)";
    this.#prepare(sql).run(run.id, entry.position, at, by, factFormat, body, loaded.hash);
    return entry;
  }

  #store(loaded: Loaded): readonly TaskId[] | undefined {
    const { run, rows, hash } = loaded;
    const touched = rows.write();
    const { json: head } = this.#keeping.kept(kept(headOf(run), this.#options.root));
    const sum = checksum(`${head}\n${hash}`);
    const [archived, { phase, position }] = [Number(run.archived), run];
    if (loaded.stored) {
      const sql =
        "update run set phase = ?, archived = ?, position = ?, format = ?, head = ?, hash = ?, sum = ? where id = ?";
      this.#prepare(sql).run(phase, archived, position, factFormat, head, hash, sum, run.id);
      return touched;
    }
    const sql = `insert into run (id, protocol, ordinal, phase, archived, position, format, head, hash, sum)
      values (?, ?, (select count(*) from run), ?, ?, ?, ?, ?, ?, ?)`;
    this.#prepare(sql).run(run.id, run.protocolName, phase, archived, position, factFormat, head, hash, sum);
    loaded.stored = true;
    return touched;
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw storeFailure(error, this.#options.path);
    }
  }
}

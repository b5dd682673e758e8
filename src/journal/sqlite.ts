// The durable journal: one SQLite file per project, WAL, synchronous=FULL. A transaction appends facts, folds
// them, and writes the rows and the head that changed, so that a one-shot command reads only what it needs.
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { apply, fold, headOf, newRun } from "../core/apply.ts";
import { checksum, isSumOf, useSum } from "../core/checksum.ts";
import { type Entry, type Fact, type FactKind, factFormat } from "../core/fact.ts";
import { type Problem, problem } from "../core/problem.ts";
import type { Head, Run, TaskId } from "../core/run.ts";
import type { Draft } from "../core/step.ts";
import { chained, chainStart, nameRun } from "./chain.ts";
import { entryOf, type FactRow, factSql } from "./entry.ts";
import { storeFailure } from "./failure.ts";
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
import { nativeSum } from "./native-sum.ts";
import { found, foundEntry, kept } from "./places.ts";
import { TaskRows } from "./rows.ts";
import { openDatabase } from "./schema.ts";

useSum(nativeSum);

interface RunRow {
  readonly id: string;
  readonly protocol: string;
  readonly format: number;
  readonly head: string;
  readonly hash: string;
  readonly sum: number;
}

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
}

interface Wanted {
  readonly after: number;
  readonly upTo: number;
  readonly without?: readonly FactKind[] | undefined;
}

export class SqliteJournal implements Journal {
  readonly #db: DatabaseSync;
  readonly #options: SqliteOptions;
  readonly #loaded = new Map<string, Loaded>();
  readonly #statements = new Map<string, StatementSync>();
  #seen = -1;

  constructor(options: SqliteOptions) {
    this.#options = options;
    this.#db = this.#guard(() => openDatabase(options.path, options.busyMs ?? 20_000));
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
      const other = "protocol" in target && target.alone ? this.#active(target.protocol) : undefined;
      if (other) return { run: other, position: 0, entries: [], problems: [notAlone(other)] };
      const loaded = "run" in target ? this.#load(target.run) : this.#create(target.protocol);
      const { run } = loaded;
      const entries: Entry[] = [];
      const record = (fact: Fact) => {
        const entry: Entry = { position: run.position + 1, at: this.#options.now(), by, fact };
        loaded.hash = this.#append(loaded, entry);
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

  async entries(run: string, { after = 0, upTo = Number.MAX_SAFE_INTEGER } = {}): Promise<readonly Entry[]> {
    return this.#transaction("begin", () => {
      this.#load(run);
      return this.#entries(run, { after, upTo });
    });
  }

  version(): number {
    return (this.#prepare("pragma data_version").get() as { data_version: number }).data_version;
  }

  async exclusive<T>(run: string, work: (run: Run, since: Since) => T): Promise<T> {
    const since: Since = (after, without) =>
      this.#entries(run, { after, upTo: Number.MAX_SAFE_INTEGER, without });
    return this.#transaction("begin immediate", () => work(this.#load(run).run, since));
  }

  async verify(): Promise<readonly Problem[]> {
    const { verifyDatabase } = await import("./verify.ts");
    return this.#guard(() => verifyDatabase(this.#db, this.#options));
  }

  close(): void {
    if (this.#db.isOpen) this.#db.close();
  }

  /** Copies the journal, as it is now, into a file of its own. */
  backup(to: string): void {
    this.#guard(() => this.#db.prepare("vacuum into ?").run(to));
  }

  #entries(run: string, { after, upTo, without = [] }: Wanted): Entry[] {
    const rows = this.#prepare(factSql(without)).all(run, after, upTo) as unknown as FactRow[];
    return rows.map((row) => foundEntry(entryOf(row), this.#options.root));
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
    const version = this.version();
    if (version !== this.#seen) this.#loaded.clear();
    this.#seen = version;
  }

  #load(id: string): Loaded {
    const known = this.#loaded.get(id);
    if (known) return known;
    const row = this.#prepare("select * from run where id = ?").get(id) as RunRow | undefined;
    if (!row)
      throw new StoreFailure(
        problem("unknown-run", `run \`${id}\` does not exist`, { hint: "heddle status" }),
      );
    const head = this.#headOf(row);
    const protocol = this.#options.protocols(row.protocol);
    if (!protocol)
      throw new StoreFailure(
        problem(
          "unknown-protocol",
          `run \`${id}\` follows the protocol \`${row.protocol}\`, which is not there`,
          {
            hint: "heddle protocol list",
          },
        ),
      );
    const size = Object.values(head.counts).reduce((sum, count) => sum + count, 0);
    const rows = new TaskRows(this.#db, id, size);
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

  #active(protocol: string): string | undefined {
    const sql = "select id from run where protocol = ? and archived = 0";
    return (this.#prepare(sql).get(protocol) as { id: string } | undefined)?.id;
  }

  #create(protocolName: string): Loaded {
    const protocol = this.#options.protocols(protocolName);
    if (!protocol) throw new Error(`bug: no protocol ${protocolName}`);
    const taken = this.#prepare("select count(*) as n from run where protocol = ?").get(protocolName) as {
      n: number;
    };
    const id = nameRun(protocolName, taken.n);
    const rows = new TaskRows(this.#db, id, 0);
    return this.#keep({ run: newRun(id, protocol, rows), rows, hash: chainStart, stored: false });
  }

  #keep(loaded: Loaded): Loaded {
    this.#loaded.set(loaded.run.id, loaded);
    return loaded;
  }

  #append({ run, hash }: Loaded, entry: Entry): string {
    const { fact } = entry;
    const body = JSON.stringify(fact.kind === "run-created" ? kept(fact, this.#options.root) : fact);
    const following = chained(hash, entry, body);
    const sql = "insert into fact (run, position, at, by, format, body, hash) values (?, ?, ?, ?, ?, ?, ?)";
    this.#prepare(sql).run(run.id, entry.position, entry.at, entry.by, factFormat, body, following);
    return following;
  }

  #store(loaded: Loaded): readonly TaskId[] | undefined {
    const { run, rows, hash } = loaded;
    const touched = rows.write();
    const head = JSON.stringify(kept(headOf(run), this.#options.root));
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

  #headOf(row: RunRow): Head {
    if (row.format > factFormat)
      throw new StoreFailure(
        problem("newer", `run \`${row.id}\` was written by a newer heddle (format ${row.format})`, {
          hint: "npm install -g heddle@latest",
        }),
      );
    if (!isSumOf(`${row.head}\n${row.hash}`, row.sum))
      throw new StoreFailure(
        problem("corrupt", `the record of run \`${row.id}\` is damaged`, {
          hint: "heddle verify, then heddle restore <backup>",
        }),
      );
    return found(JSON.parse(row.head) as Head, this.#options.root);
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

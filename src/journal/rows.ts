// The tasks of a run as rows, read when they are asked for. What was set stays in memory until the transaction
// writes it; the ready index answers from the rows and from what was changed since.
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Task, TaskId } from "../core/run.ts";
import type { TaskTable } from "../core/table.ts";
import { comesBefore, isNotable, isReady, type Rank } from "../core/task.ts";
import type { Keeping } from "./places.ts";
import { type Cached, cached, decode, fresh, type Row, rowOf } from "./row.ts";

export interface Store {
  readonly db: DatabaseSync;
  readonly keeping: Keeping;
}

export class TaskRows implements TaskTable {
  readonly #db: DatabaseSync;
  readonly #keeping: Keeping;
  readonly #run: string;
  readonly #cache = new Map<TaskId, Cached>();
  readonly #touched = new Set<TaskId>();
  readonly #deleted = new Set<TaskId>();
  readonly #statements = new Map<string, StatementSync>();
  /** Begun with nothing stored: then everything there is was set here. */
  readonly #isNew: boolean;
  #size: number;

  constructor({ db, keeping }: Store, run: string, size: number) {
    this.#isNew = size === 0;
    this.#db = db;
    this.#keeping = keeping;
    this.#run = run;
    this.#size = size;
  }

  get size(): number {
    return this.#size;
  }

  get(id: TaskId): Task | undefined {
    const cached = this.#cache.get(id);
    if (cached) return cached.task;
    if (this.#isNew || this.#deleted.has(id)) return undefined;
    const row = this.#prepare("select * from task where run = ? and id = ?").get(this.#run, id) as
      | Row
      | undefined;
    return row && this.#keep(row);
  }

  set(task: Task): void {
    const { id } = task.def;
    this.#touched.add(id);
    if (this.#cache.get(id)?.task === task) return;
    if (this.get(id) === undefined) this.#size++;
    this.#cache.set(id, fresh(task));
    this.#deleted.delete(id);
  }

  delete(id: TaskId): void {
    if (this.get(id) !== undefined) this.#size--;
    this.#cache.delete(id);
    this.#touched.delete(id);
    this.#deleted.add(id);
  }

  *all(): Iterable<Task> {
    const seen = new Set<TaskId>();
    for (const row of this.#prepare("select * from task where run = ?").all(this.#run) as unknown as Row[]) {
      seen.add(row.id);
      if (this.#deleted.has(row.id)) continue;
      yield this.#cache.get(row.id)?.task ?? this.#keep(row);
    }
    for (const [id, { task }] of this.#cache) if (!seen.has(id)) yield task;
  }

  ready(limit = this.#size): readonly TaskId[] {
    const sql =
      "select id, steel, remaining from task where run = ? and ready = 1 order by steel desc, remaining desc, id limit ?";
    const stored = this.#prepare(sql).all(
      this.#run,
      limit + this.#touched.size + this.#deleted.size,
    ) as unknown as Row[];
    const ranks: Rank[] = stored
      .filter(({ id }) => !this.#touched.has(id) && !this.#deleted.has(id))
      .map(({ id, steel, remaining }) => ({ id, steel: steel === 1, remaining }));
    for (const id of this.#touched) {
      const task = this.#cache.get(id)?.task;
      if (task && isReady(task)) ranks.push({ id, steel: task.def.steel, remaining: task.remaining });
    }
    if (this.#touched.size > 0) ranks.sort((a, b) => (comesBefore(a, b) ? -1 : 1));
    return ranks.slice(0, limit).map((rank) => rank.id);
  }

  *readyTasks(limit = this.#size): Iterable<Task> {
    if (this.#touched.size + this.#deleted.size > 0) {
      for (const id of this.ready(limit)) yield this.get(id) as Task;
      return;
    }
    const sql =
      "select * from task where run = ? and ready = 1 order by steel desc, remaining desc, id limit ?";
    for (const row of this.#prepare(sql).iterate(this.#run, limit) as unknown as Iterable<Row>)
      yield this.#cache.get(row.id)?.task ?? decode(row, this.#keeping);
  }

  backOffs(): readonly number[] {
    // Only what differs from a new task is stored.
    const sql = "select id, state from task where run = ? and ready = 1 and state like '%\"notBeforeMs\"%'";
    const rows = this.#prepare(sql).all(this.#run) as unknown as Pick<Row, "id" | "state">[];
    const stored = rows
      .filter(({ id }) => !this.#touched.has(id) && !this.#deleted.has(id))
      .map(({ state }) => (JSON.parse(state) as Partial<Task>).notBeforeMs ?? 0);
    const changed = [...this.#touched].map((id) => this.#cache.get(id)?.task.notBeforeMs ?? 0);
    return [...stored, ...changed];
  }

  notable(): readonly Task[] {
    // Named, because SQLite would rather read all of the table in its own order than a few rows by another one.
    const sql = "select * from task indexed by task_notable where run = ? and notable = 1 order by id";
    const rows = this.#prepare(sql).all(this.#run);
    const found = new Map<TaskId, Task>();
    for (const row of rows as unknown as Row[]) {
      if (!this.#deleted.has(row.id)) found.set(row.id, this.#cache.get(row.id)?.task ?? this.#keep(row));
    }
    for (const id of this.#touched) {
      const task = this.#cache.get(id)?.task;
      if (task) found.set(id, task);
    }
    return [...found.values()].filter(isNotable).sort((a, b) => (a.def.id < b.def.id ? -1 : 1));
  }

  /** Writes what changed since the last call, and says what did; nothing when tasks were deleted. */
  write(): readonly TaskId[] | undefined {
    const written = this.#deleted.size > 0 ? undefined : [...this.#touched];
    for (const id of this.#deleted)
      this.#prepare("delete from task where run = ? and id = ?").run(this.#run, id);
    for (const id of this.#touched) {
      const cached = this.#cache.get(id);
      if (cached) this.#writeRow(id, cached);
    }
    this.#deleted.clear();
    this.#touched.clear();
    return written;
  }

  #writeRow(id: TaskId, known: Cached): void {
    const { fixed, ...row } = rowOf(known, this.#keeping);
    const { ready, notable, steel, remaining, fixed_sum, state, sum } = row;
    if (fixed === null) {
      const sql =
        "update task set ready = ?, notable = ?, remaining = ?, state = ?, sum = ? where run = ? and id = ?";
      this.#prepare(sql).run(ready, notable, remaining, state, sum, this.#run, id);
      return;
    }
    const sql = `insert or replace into task (run, id, ready, notable, steel, remaining, fixed, fixed_sum, state, sum)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
    const all = [this.#run, id, ready, notable, steel, remaining, fixed, fixed_sum, state, sum];
    this.#prepare(sql).run(...all);
  }

  #keep(row: Row): Task {
    const known = cached(row, this.#keeping);
    this.#cache.set(row.id, known);
    return known.task;
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

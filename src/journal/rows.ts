// The tasks of a run as rows, read when they are asked for. What was set stays in memory until the transaction
// writes it; the ready index answers from the rows and from what was changed since.
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { checksum, isSumOf } from "../core/checksum.ts";
import { problem } from "../core/problem.ts";
import type { Task, TaskDef, TaskId } from "../core/run.ts";
import type { TaskTable } from "../core/table.ts";
import { comesBefore, isNotable, isReady, newTask, type Rank } from "../core/task.ts";
import { StoreFailure } from "./journal.ts";

interface Row {
  readonly id: string;
  readonly ready: number;
  readonly notable: number;
  readonly steel: number;
  readonly remaining: number;
  readonly fixed: string;
  readonly fixed_sum: number;
  readonly state: string;
  readonly sum: number;
}

/** A task with the part of its row that seldom changes. */
interface Cached {
  readonly task: Task;
  def: TaskDef | null;
  dependents: readonly TaskId[];
  dependentCount: number;
  fixedSum: number;
}

export class TaskRows implements TaskTable {
  readonly #db: DatabaseSync;
  readonly #run: string;
  readonly #cache = new Map<TaskId, Cached>();
  readonly #touched = new Set<TaskId>();
  readonly #deleted = new Set<TaskId>();
  readonly #statements = new Map<string, StatementSync>();
  /** Begun with nothing stored: then everything there is was set here. */
  readonly #isNew: boolean;
  #size: number;

  constructor(db: DatabaseSync, run: string, size: number) {
    this.#isNew = size === 0;
    this.#db = db;
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
    this.#cache.set(id, { task, def: null, dependents: [], dependentCount: 0, fixedSum: 0 });
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

  #writeRow(id: TaskId, cached: Cached): void {
    const { task } = cached;
    const fixed = isUnchanged(cached) ? undefined : encodeFixed(task);
    if (fixed !== undefined) {
      const { def, dependents } = task;
      Object.assign(cached, {
        def,
        dependents,
        dependentCount: dependents.length,
        fixedSum: checksum(fixed),
      });
    }
    const row = rowOf(id, task, cached.fixedSum);
    const { ready, notable, steel, remaining, fixed_sum, state } = row;
    const sum = checksum(summed(row));
    if (fixed === undefined) {
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
    const task = decode(row);
    const { def, dependents } = task;
    this.#cache.set(row.id, {
      task,
      def,
      dependents,
      dependentCount: dependents.length,
      fixedSum: row.fixed_sum,
    });
    return task;
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

/** Dependents are appended in place, so their number is compared beside the array itself. */
function isUnchanged({ task, def, dependents, dependentCount }: Cached): boolean {
  return task.def === def && task.dependents === dependents && task.dependents.length === dependentCount;
}

type Summed = Omit<Row, "sum" | "fixed">;

function rowOf(id: TaskId, task: Task, fixedSum: number): Summed {
  const [ready, notable, steel] = [Number(isReady(task)), Number(isNotable(task)), Number(task.def.steel)];
  return {
    id,
    ready,
    notable,
    steel,
    remaining: task.remaining,
    fixed_sum: fixedSum,
    state: encodeState(task),
  };
}

/** The part that seldom changes has a sum of its own, so that it need not be at hand to write the rest. */
function summed(row: Summed): string {
  return `${row.id} ${row.ready} ${row.notable} ${row.steel} ${row.remaining} ${row.fixed_sum}\n${row.state}`;
}

export function encodeFixed(task: Task): string {
  return JSON.stringify([task.def, task.dependents]);
}

/** Only what differs from a new task: most tasks of a large plan are new. */
export function encodeState(task: Task): string {
  const changed: Record<string, unknown> = {};
  for (const [key, usual] of usualState) {
    const value = task[key];
    if (value === usual || (Array.isArray(value) && value.length === 0)) continue;
    changed[key] = value;
  }
  return JSON.stringify(changed);
}

const { def: _def, dependents: _dependents, remaining: _remaining, ...usual } = newTask({} as TaskDef);
const usualState = Object.entries(usual) as [keyof typeof usual, unknown][];

function decode(row: Row): Task {
  if (!isSumOf(summed(row), row.sum) || !isSumOf(row.fixed, row.fixed_sum))
    throw new StoreFailure(
      problem("corrupt", `the row of task \`${row.id}\` is damaged`, {
        hint: "heddle verify, then heddle restore <backup>",
      }),
    );
  const [def, dependents] = JSON.parse(row.fixed) as [TaskDef, TaskId[]];
  return Object.assign(newTask(def), JSON.parse(row.state), { dependents, remaining: row.remaining });
}

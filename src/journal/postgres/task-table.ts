// The tasks of a run, all of them in memory, and which of them are to be written: a server is asked once per commit, and never in the
// middle of a decision.
import type { Task, TaskId } from "../../core/run.ts";
import { MemoryTable, type TaskTable } from "../../core/table.ts";
import type { Keeping } from "../places.ts";
import { type Cached, cached, fresh, type Row, rowOf, type Written } from "../row.ts";

export class TaskCopy implements TaskTable {
  readonly #tasks = new MemoryTable();
  readonly #known = new Map<TaskId, Cached>();
  readonly #touched = new Set<TaskId>();
  readonly #dropped = new Set<TaskId>();
  readonly #keeping: Keeping;

  constructor(keeping: Keeping, rows: Iterable<Row> = []) {
    this.#keeping = keeping;
    for (const row of rows) {
      const known = cached(row, keeping);
      this.#known.set(row.id, known);
      this.#tasks.set(known.task);
    }
  }

  get size(): number {
    return this.#tasks.size;
  }

  get(id: TaskId): Task | undefined {
    return this.#tasks.get(id);
  }

  set(task: Task): void {
    const { id } = task.def;
    this.#touched.add(id);
    this.#dropped.delete(id);
    if (this.#known.get(id)?.task !== task) this.#known.set(id, fresh(task));
    this.#tasks.set(task);
  }

  delete(id: TaskId): void {
    this.#tasks.delete(id);
    this.#known.delete(id);
    this.#touched.delete(id);
    this.#dropped.add(id);
  }

  all(): Iterable<Task> {
    return this.#tasks.all();
  }

  ready(limit?: number): readonly TaskId[] {
    return this.#tasks.ready(limit);
  }

  notable(): readonly Task[] {
    return this.#tasks.notable();
  }

  /** What others wrote is in the store already. */
  forget(): void {
    for (const id of this.#touched) {
      const known = this.#known.get(id);
      if (known) rowOf(known, this.#keeping);
    }
    this.#touched.clear();
    this.#dropped.clear();
  }

  /** What changed since the last call. */
  taken(): { readonly rows: readonly Written[]; readonly dropped: readonly TaskId[] } {
    const rows = [...this.#touched].flatMap((id) => {
      const known = this.#known.get(id);
      return known ? [rowOf(known, this.#keeping)] : [];
    });
    const dropped = [...this.#dropped];
    this.#touched.clear();
    this.#dropped.clear();
    return { rows, dropped };
  }
}

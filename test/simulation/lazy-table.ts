// The tasks of a run as one process sees them: rows are read when they are asked for and kept until the store
// forgets them. What was set is written by the commit, and nothing else is: a change that was not set is lost.
import type { Task, TaskId } from "../../src/core/run.ts";
import { MemoryTable, type TaskTable } from "../../src/core/table.ts";
import type { Disk } from "./disk.ts";

export class LazyTable implements TaskTable {
  readonly #disk: Disk;
  readonly #kept = new MemoryTable();
  readonly #touched = new Set<TaskId>();
  readonly #dropped = new Set<TaskId>();
  #size: number;
  #isWhole = false;

  constructor(disk: Disk, size: number) {
    this.#disk = disk;
    this.#size = size;
  }

  get size(): number {
    return this.#size;
  }

  get(id: TaskId): Task | undefined {
    return this.#kept.get(id) ?? this.#load(id);
  }

  set(task: Task): void {
    const { id } = task.def;
    if (!this.get(id)) this.#size++;
    this.#touched.add(id);
    this.#dropped.delete(id);
    this.#kept.set(task);
  }

  delete(id: TaskId): void {
    if (this.get(id)) this.#size--;
    this.#touched.delete(id);
    this.#dropped.add(id);
    this.#kept.delete(id);
  }

  all(): Iterable<Task> {
    this.#loadAll();
    return this.#kept.all();
  }

  ready(limit?: number): readonly TaskId[] {
    this.#loadAll();
    return this.#kept.ready(limit);
  }

  notable(): readonly Task[] {
    this.#loadAll();
    return this.#kept.notable();
  }

  /** The rows that the commit writes: what was set since the last one. */
  changes(): { rows: Map<string, string>; dropped: Set<string> } {
    const rows = new Map<string, string>();
    for (const id of this.#touched) rows.set(id, JSON.stringify(this.#kept.get(id)));
    const dropped = new Set(this.#dropped);
    this.#touched.clear();
    this.#dropped.clear();
    return { rows, dropped };
  }

  /** What is in memory now, without reading more. */
  kept(): Iterable<Task> {
    return this.#kept.all();
  }

  #load(id: TaskId): Task | undefined {
    const text = this.#dropped.has(id) ? undefined : this.#disk.rows.get(id);
    if (text === undefined) return undefined;
    const task = JSON.parse(text) as Task;
    this.#kept.set(task);
    return task;
  }

  #loadAll(): void {
    if (this.#isWhole) return;
    for (const id of this.#disk.rows.keys()) this.get(id);
    this.#isWhole = true;
  }
}

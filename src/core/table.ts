// The tasks of a Run behind one synchronous interface: a Map here, lazy rows in `journal/`. The table also keeps
// the one index that must be fast at 100,000 tasks: which tasks are ready, best first.
import { Heap } from "./graph/heap.ts";
import type { Task, TaskId } from "./run.ts";
import { comesBefore, isNotable, isReady, type Rank } from "./task.ts";

export interface TaskTable {
  readonly size: number;
  get(id: TaskId): Task | undefined;
  /** Adds or replaces. A task that was changed in place must be set again, or the change is lost. */
  set(task: Task): void;
  delete(id: TaskId): void;
  all(): Iterable<Task>;
  /** Ready tasks in scheduling order: steel thread, longest remaining path, id. */
  ready(limit?: number): readonly TaskId[];
  /** The same as whole tasks, one by one and not to be changed, where that is cheaper than asking for each. */
  readyTasks?(limit?: number): Iterable<Task>;
  /** Until when ready tasks are left alone, where that is cheaper than asking each. */
  backOffs?(): readonly number[];
  /** Tasks that are neither pending nor complete, by id: what a view of a large plan shows. */
  notable(): readonly Task[];
}

export function readyTasks(table: TaskTable, limit?: number): Iterable<Task> {
  return table.readyTasks?.(limit) ?? table.ready(limit).flatMap((id) => table.get(id) ?? []);
}

export function backOffs(table: TaskTable): readonly number[] {
  return table.backOffs?.() ?? Array.from(readyTasks(table), ({ notBeforeMs }) => notBeforeMs);
}

export class MemoryTable implements TaskTable {
  readonly #tasks = new Map<TaskId, Task>();
  readonly #best = new Heap<Rank>(comesBefore);
  /** The one entry of the heap that counts for a task: older ones are dropped when they come up. */
  readonly #ranks = new Map<TaskId, Rank>();

  get size(): number {
    return this.#tasks.size;
  }

  get(id: TaskId): Task | undefined {
    return this.#tasks.get(id);
  }

  set(task: Task): void {
    this.#tasks.set(task.def.id, task);
    if (isReady(task)) this.#enqueue(task);
  }

  delete(id: TaskId): void {
    this.#tasks.delete(id);
    this.#ranks.delete(id);
  }

  all(): Iterable<Task> {
    return this.#tasks.values();
  }

  ready(limit = Number.POSITIVE_INFINITY): readonly TaskId[] {
    const best: Rank[] = [];
    while (best.length < limit) {
      const rank = this.#best.pop();
      if (!rank) break;
      if (this.#ranks.get(rank.id) !== rank) continue;
      const task = this.#tasks.get(rank.id);
      if (task && isReady(task)) best.push(rank);
      else this.#ranks.delete(rank.id);
    }
    for (const rank of best) this.#best.push(rank);
    return best.map((rank) => rank.id);
  }

  notable(): readonly Task[] {
    return [...this.#tasks.values()].filter(isNotable).sort((a, b) => (a.def.id < b.def.id ? -1 : 1));
  }

  #enqueue(task: Task): void {
    const old = this.#ranks.get(task.def.id);
    if (old && old.steel === task.def.steel && old.remaining === task.remaining) return;
    const rank = { id: task.def.id, steel: task.def.steel, remaining: task.remaining };
    this.#ranks.set(rank.id, rank);
    this.#best.push(rank);
  }
}

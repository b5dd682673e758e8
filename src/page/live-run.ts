// One run, folded in memory: each new entry is taken in once, and the tasks that it touched are known, so that pages are told of
// those alone.
import { apply, headOf } from "../core/apply.ts";
import type { Entry } from "../core/fact.ts";
import type { Run, Task, TaskId } from "../core/run.ts";
import { MemoryTable } from "../core/table.ts";
import type { Journal } from "../journal/journal.ts";
import { tasksOf } from "./moments.ts";
import { criticalOf } from "./run-page.ts";
import { type Told, tell, toldBy, toldKinds } from "./told.ts";

/** Remembers which tasks were set since it was asked last. */
class NotingTable extends MemoryTable {
  readonly #touched = new Set<TaskId>();
  #hasDropped = false;

  override set(task: Task): void {
    super.set(task);
    this.#touched.add(task.def.id);
  }

  override delete(id: TaskId): void {
    super.delete(id);
    this.#hasDropped = true;
  }

  /** Null when some are gone: then only the whole is true. */
  takeTouched(): readonly TaskId[] | null {
    const touched = this.#hasDropped ? null : [...this.#touched];
    this.#touched.clear();
    this.#hasDropped = false;
    return touched;
  }
}

/** What a fold changes in place; all else of a task is replaced and never changed. */
const copied = (task: Task): Task => ({
  ...task,
  dependents: [...task.dependents],
  attempt: task.attempt && { ...task.attempt },
});

interface Step {
  readonly from: number;
  readonly until: number;
  readonly touched: readonly TaskId[] | null;
}

/** How many steps back a page that slept is told exactly what changed; before that it asks for the whole. */
const mostSteps = 2000;

/** So many rows are told one by one; more are a page. */
const mostRows = 2000;

export class LiveRun {
  readonly run: Run;
  readonly told: Told;
  readonly #table: NotingTable;
  readonly #steps: Step[] = [];
  #critical: readonly TaskId[] | undefined;
  readonly #positions = new Map<TaskId, readonly number[]>();
  #indexed = 0;

  private constructor(run: Run, table: NotingTable, told: Told) {
    this.run = run;
    this.#table = table;
    this.told = told;
  }

  static async load(journal: Journal, id: string): Promise<LiveRun> {
    const table = new NotingTable();
    const run = await journal.read(id, (state): Run => {
      // A store may ask again: the table is filled by the last look alone.
      for (const { def } of [...table.all()]) table.delete(def.id);
      for (const task of state.tasks.all()) table.set(copied(task));
      return { ...structuredClone(headOf(state)), protocol: state.protocol, tasks: table };
    });
    table.takeTouched();
    const told = toldBy(await journal.entries(id, { kinds: toldKinds, upTo: run.position }));
    return new LiveRun(run, table, told);
  }

  get critical(): readonly TaskId[] {
    this.#critical ??= criticalOf(this.run);
    return this.#critical;
  }

  /** Takes in what was written since. One at a time: `Project` sees to that. */
  async advance(journal: Journal): Promise<void> {
    const from = this.run.position;
    const entries = await journal.entries(this.run.id, { after: from });
    if (entries.length > 0) this.#take(entries, from);
  }

  #take(entries: readonly Entry[], from: number): void {
    for (const entry of entries) {
      apply(this.run, entry);
      tell(this.told, entry);
      const { kind } = entry.fact;
      if (kind === "task-defined" || kind === "task-dropped" || kind === "plan-loaded")
        this.#critical = undefined;
      // What a task cost is in its row, and its state does not know of it.
      if (entry.fact.kind === "usage-recorded" && entry.fact.task !== null) this.#touch(entry.fact.task);
    }
    this.#steps.push({ from, until: this.run.position, touched: this.#table.takeTouched() });
    if (this.#steps.length > mostSteps) this.#steps.shift();
  }

  #touch(id: TaskId): void {
    const task = this.#table.get(id);
    if (task) this.#table.set(task);
  }

  /** One task's facts up to a position: where they are is found once, however often tasks are looked at. */
  async entriesOf(journal: Journal, task: TaskId, upTo: number): Promise<readonly Entry[]> {
    const fresh = await journal.entries(this.run.id, { after: this.#indexed, without: ["task-defined"] });
    for (const { position, fact } of fresh) {
      if (position <= this.#indexed) continue;
      this.#indexed = position;
      for (const id of tasksOf(fact)) this.#positions.set(id, [...(this.#positions.get(id) ?? []), position]);
    }
    const wanted = (this.#positions.get(task) ?? []).filter((position) => position <= upTo);
    const found = wanted.map((position) =>
      journal.entries(this.run.id, { after: position - 1, upTo: position }),
    );
    return (await Promise.all(found)).flat();
  }

  /** The tasks that changed after a position; null where that is not known exactly any more. */
  touchedSince(position: number): readonly TaskId[] | null {
    if (position === this.run.position) return [];
    const first = this.#steps[0]?.from ?? Number.POSITIVE_INFINITY;
    if (position > this.run.position || position < first) return null;
    const all = new Set<TaskId>();
    // From the step that reaches beyond the position on: that one may tell of more than is new, and never of less.
    for (const { until, touched } of this.#steps) {
      if (until <= position) continue;
      if (touched === null) return null;
      for (const id of touched) all.add(id);
      if (all.size > mostRows) return null;
    }
    return [...all];
  }
}

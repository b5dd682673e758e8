// A task as a row, in whatever store: the part that seldom changes, the part that often does, and a checksum of each.
import { toCall } from "../core/hint.ts";
import { problem } from "../core/problem.ts";
import type { Task, TaskDef, TaskId } from "../core/run.ts";
import { isNotable, isReady, newTask } from "../core/task.ts";
import { checksum, isSumOf } from "./checksum.ts";
import { StoreFailure } from "./journal.ts";
import type { Keeping } from "./places.ts";

export interface Row {
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

/** A row to write; `fixed` is null where that part is stored already. */
export interface Written extends Omit<Row, "fixed"> {
  readonly fixed: string | null;
}

/** A task with the part of its row that seldom changes. */
export interface Cached {
  readonly task: Task;
  def: TaskDef | null;
  dependents: readonly TaskId[];
  dependentCount: number;
  fixedSum: number;
}

/** Of a task that no row is known of. */
export function fresh(task: Task): Cached {
  return { task, def: null, dependents: [], dependentCount: 0, fixedSum: 0 };
}

export function cached(row: Row, keeping: Keeping): Cached {
  const task = decode(row, keeping);
  const { def, dependents } = task;
  return { task, def, dependents, dependentCount: dependents.length, fixedSum: row.fixed_sum };
}

/** What is to be written of a task; it counts as written from now on. */
export function rowOf(known: Cached, keeping: Keeping): Written {
  const { task } = known;
  const fixed = isUnchanged(known) ? null : encodeFixed(task, keeping);
  if (fixed !== null) {
    const { def, dependents } = task;
    Object.assign(known, { def, dependents, dependentCount: dependents.length, fixedSum: checksum(fixed) });
  }
  const row: Summed = {
    ...{ id: task.def.id, ready: Number(isReady(task)), notable: Number(isNotable(task)) },
    ...{ steel: Number(task.def.steel), remaining: task.remaining, fixed_sum: known.fixedSum },
    state: encodeState(task, keeping),
  };
  return { ...row, fixed, sum: checksum(summed(row)) };
}

/** Dependents are appended in place, so their number is compared beside the array itself. */
function isUnchanged({ task, def, dependents, dependentCount }: Cached): boolean {
  return task.def === def && task.dependents === dependents && task.dependents.length === dependentCount;
}

type Summed = Omit<Row, "sum" | "fixed">;

/** The part that seldom changes has a sum of its own, so that it need not be at hand to write the rest. */
function summed(row: Summed): string {
  return `${row.id} ${row.ready} ${row.notable} ${row.steel} ${row.remaining} ${row.fixed_sum}\n${row.state}`;
}

export function encodeFixed(task: Task, { kept }: Pick<Keeping, "kept">): string {
  return kept([task.def, task.dependents]).json;
}

/** Only what differs from a new task: most tasks of a large plan are new. */
export function encodeState(task: Task, { kept }: Pick<Keeping, "kept">): string {
  const changed: Record<string, unknown> = {};
  for (const [key, usual] of usualState) {
    const value = task[key];
    if (value === usual || (Array.isArray(value) && value.length === 0)) continue;
    changed[key] = value;
  }
  return kept(changed).json;
}

type State = Omit<Task, "def" | "dependents" | "remaining">;
const { def: _def, dependents: _dependents, remaining: _remaining, ...plain } = newTask({} as TaskDef);
/** Every part of a task, those too that a new one lacks: what is missing here would be forgotten. */
const usual: { readonly [Key in keyof Required<State>]: unknown } = { ...plain, machine: undefined };
const usualState = Object.entries(usual) as [keyof State, unknown][];

export function decode(row: Row, { found }: Keeping): Task {
  if (!isSumOf(summed(row), row.sum) || !isSumOf(row.fixed, row.fixed_sum))
    throw new StoreFailure(
      problem("corrupt", `the row of task \`${row.id}\` is damaged`, {
        hint: [toCall("verify"), ", then ", toCall("restore <backup>")],
      }),
    );
  const [def, dependents] = found(row.fixed, JSON.parse(row.fixed) as [TaskDef, TaskId[]]);
  const state = found(row.state, JSON.parse(row.state) as Partial<Task>);
  return Object.assign(newTask(def), state, { dependents, remaining: row.remaining });
}

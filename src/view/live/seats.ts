// Who sits where in the live table. A running attempt keeps its row until it ends, its retry comes back to the same one,
// and the row of one that ended stays until somebody needs it: nothing moves that a person may be reading.
import { type Run, type TaskId, taskOf } from "../../core/run.ts";

export interface Seat {
  readonly task: TaskId;
  readonly attempt: number;
}

export function isSeated(run: Run, { task: id, attempt }: Seat): boolean {
  const task = run.tasks.get(id);
  return task?.state === "running" && task.attempts === attempt;
}

/** The same rows with whoever began since; at the end, rows that nobody needs are let go. */
export function seated(seats: readonly Seat[], run: Run): readonly Seat[] {
  const next = [...seats];
  const there = new Set(next.filter((seat) => isSeated(run, seat)).map(({ task }) => task));
  for (const id of run.running) {
    if (there.has(id)) continue;
    const seat = { task: id, attempt: taskOf(run, id).attempts };
    const own = next.findIndex(({ task }) => task === id);
    const free = own >= 0 ? own : next.findIndex((each) => !isSeated(run, each));
    if (free >= 0) next[free] = seat;
    else next.push(seat);
  }
  for (let last = next.at(-1); last && next.length > run.slots && !isSeated(run, last); last = next.at(-1))
    next.pop();
  return next;
}

// What a plan will take: a what-if that starts tasks as the scheduler would, in estimated hours.

import type { Run, Task } from "../run.ts";
import { comesBefore } from "../task.ts";
import { criticalPath, inOrder } from "./graph.ts";
import { Heap } from "./heap.ts";

/** Hours until the last task is done, with so many executors and the order of X3. */
function makespan(tasks: readonly Task[], executors: number): number {
  const byId = new Map(tasks.map((task) => [task.def.id, task]));
  const unmet = new Map(
    tasks.map((task) => [task.def.id, task.def.dependsOn.filter((id) => byId.has(id)).length]),
  );
  const ready = new Heap<Task>((a, b) => comesBefore(rankOf(a), rankOf(b)));
  const busy = new Heap<{ readonly endsAt: number; readonly task: Task }>((a, b) => a.endsAt < b.endsAt);
  for (const task of tasks) if (unmet.get(task.def.id) === 0) ready.push(task);
  let now = 0;
  for (;;) {
    while (busy.size < executors) {
      const task = ready.pop();
      if (!task) break;
      busy.push({ endsAt: now + task.def.estimateHours, task });
    }
    const ended = busy.pop();
    if (!ended) return now;
    now = ended.endsAt;
    for (const id of ended.task.dependents) {
      const dependent = byId.get(id);
      const left = (unmet.get(id) ?? 0) - 1;
      unmet.set(id, left);
      if (dependent && left === 0) ready.push(dependent);
    }
  }
}

const rankOf = ({ def, remaining }: Task) => ({ id: def.id, steel: def.steel, remaining });

export interface PlanSummary {
  readonly tasks: number;
  readonly phases: number;
  readonly hours: number;
  readonly steelThread: readonly string[];
  readonly criticalPath: readonly string[];
  readonly criticalHours: number;
  /** Estimated hours by number of executors. */
  readonly makespan: Readonly<Record<string, number>>;
}

export function summarize(run: Run): PlanSummary {
  const tasks = [...run.tasks.all()];
  const nodes = inOrder(
    tasks.map(({ def }) => ({ id: def.id, dependsOn: def.dependsOn, hours: def.estimateHours })),
  );
  const path = criticalPath(nodes);
  const hours = new Map(nodes.map((node) => [node.id, node.hours]));
  const steel = new Set(tasks.filter((task) => task.def.steel).map((task) => task.def.id));
  return {
    tasks: tasks.length,
    phases: new Set(tasks.map((task) => task.def.phase)).size,
    hours: nodes.reduce((sum, node) => sum + node.hours, 0),
    steelThread: nodes.filter((node) => steel.has(node.id)).map((node) => node.id),
    criticalPath: path,
    criticalHours: path.reduce((sum, id) => sum + (hours.get(id) ?? 0), 0),
    makespan: Object.fromEntries([1, 2, 4, 8].map((executors) => [executors, makespan(tasks, executors)])),
  };
}

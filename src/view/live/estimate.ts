// When a run may end: the hours that are left by its plan, at the pace that the finished tasks really had.
import type { Run, Task } from "../../core/run.ts";
import { statusOf } from "../../core/task.ts";

/** Null while nothing tells the pace, or nothing is left. */
export function aboutLeftMs(run: Run, nowMs: number): number | null {
  const only = run.only === null ? null : new Set(run.only);
  let [doneMs, doneHours, openHours, path] = [0, 0, 0, 0];
  const open: Task[] = [];
  for (const task of run.tasks.all()) {
    const { def, startedAt, completedAt, state } = task;
    if (state === "complete" && startedAt && completedAt) {
      doneMs += Math.max(0, Date.parse(completedAt) - Date.parse(startedAt));
      doneHours += def.estimateHours;
    }
    const status = statusOf(task);
    if ((status === "pending" || status === "running") && (!only || only.has(def.id))) open.push(task);
  }
  if (doneHours === 0 || doneMs === 0 || open.length === 0) return null;
  const msPerHour = doneMs / doneHours;
  for (const task of open) {
    const { estimateHours } = task.def;
    const worked = task.state === "running" ? (nowMs - Date.parse(task.startedAt ?? "")) / msPerHour : 0;
    const credit = Math.max(0, Math.min(worked, estimateHours));
    openHours += estimateHours - credit;
    path = Math.max(path, (only ? estimateHours : task.remaining) - credit);
  }
  return Math.max(path, openHours / Math.max(1, run.slots)) * msPerHour;
}

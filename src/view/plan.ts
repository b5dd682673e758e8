// A finished plan at a glance (D19).
import type { PlanSummary } from "../core/graph/schedule.ts";

const chain = (ids: readonly string[]) =>
  ids.length <= 12
    ? ids.join(" → ")
    : `${ids.slice(0, 6).join(" → ")} → … (${ids.length - 10} more) → ${ids.slice(-4).join(" → ")}`;

const hours = (value: number) => `${Math.round(value * 10) / 10} h`;

export function planText(plan: PlanSummary): string {
  const spans = Object.entries(plan.makespan).map(([executors, value]) => `${executors}: ${hours(value)}`);
  return [
    `Planning complete: ${plan.tasks} tasks in ${plan.phases} phases, ${hours(plan.hours)} of work`,
    `  steel thread   ${chain(plan.steelThread) || "none marked"}`,
    `  critical path  ${chain(plan.criticalPath)} (${hours(plan.criticalHours)})`,
    `  makespan       by number of executors: ${spans.join(", ")}`,
  ].join("\n");
}

// What was used, by role, agent, task and day, from the facts alone. A call whose cost nobody told counts as unknown.
import type { Entry, FactKind } from "../core/fact.ts";
import type { Run, TaskId } from "../core/run.ts";
import type { MoneyPage, MoneyRow } from "./model.ts";
import { usageOf } from "./rows.ts";
import { add, knownCost, noneSpent, type Spent } from "./told.ts";

export const moneyKinds: readonly FactKind[] = ["usage-recorded", "job-started", "stage-entered"];

export function moneyPage(run: Run, entries: readonly Entry[]): MoneyPage {
  const tables = { role: new Table(), agent: new Table(), task: new Table(), day: new Table() };
  const stages = new Map<TaskId, string>();
  let role = "";
  for (const { fact, at } of entries) {
    if (fact.kind === "job-started") role = fact.role;
    if (fact.kind === "stage-entered") stages.set(fact.task, fact.stage);
    if (fact.kind !== "usage-recorded") continue;
    const { task } = fact;
    tables.role.add(task === null ? role || fact.phase : workerIn(run, stages.get(task)), fact);
    tables.agent.add(fact.agent, fact);
    tables.task.add(task ?? fact.phase, fact);
    tables.day.add(at.slice(0, 10), fact);
  }
  return {
    total: usageOf(run),
    byRole: tables.role.rows(),
    byAgent: tables.agent.rows(),
    byTask: tables.task.rows(),
    byDay: tables.day.rows().sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

/** Who works on a task in a stage of it. */
function workerIn({ protocol }: Pick<Run, "protocol">, stage: string | undefined): string {
  if (stage === "reviewing") return "task-verifier";
  return stage === "repairing" ? "fixer" : (protocol.graph?.worker ?? "task-executor");
}

class Table {
  readonly #rows = new Map<string, Spent>();

  add(name: string, used: Parameters<typeof add>[1]): void {
    const row = this.#rows.get(name) ?? noneSpent(used.agent);
    add(row, used);
    this.#rows.set(name, row);
  }

  /** The most expensive first. */
  rows(): MoneyRow[] {
    const rows = Array.from(
      this.#rows,
      ([name, { inputTokens, outputTokens, unknownCosts, calls, costUsd }]) => ({
        ...{ name, inputTokens, outputTokens, unknownCosts, calls },
        costUsd: knownCost({ costUsd, unknownCosts, calls }),
      }),
    );
    return rows.sort(
      (a, b) =>
        (b.costUsd ?? 0) - (a.costUsd ?? 0) || b.outputTokens - a.outputTokens || (a.name < b.name ? -1 : 1),
    );
  }
}

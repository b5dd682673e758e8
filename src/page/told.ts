// What a run's facts tell that its state does not keep: who worked on a task and what that cost, and what landed. Kept by counting,
// so a live page takes in each new entry once.
import type { Entry, FactKind } from "../core/fact.ts";
import type { TaskId } from "../core/run.ts";

export interface Spent {
  agent: string;
  inputTokens: number;
  outputTokens: number;
  costUsd: number;
  unknownCosts: number;
  calls: number;
}

export interface Told {
  readonly byTask: Map<TaskId, Spent>;
  landed: { readonly commit: string; readonly at: string } | null;
}

/** The facts that `tell` looks at: no other need be read. */
export const toldKinds: readonly FactKind[] = ["usage-recorded", "landed"];

const nothingTold = (): Told => ({ byTask: new Map(), landed: null });

export function tell(told: Told, { fact, at }: Entry): void {
  if (fact.kind === "landed") told.landed = { commit: fact.commit, at };
  if (fact.kind !== "usage-recorded" || fact.task === null) return;
  const spent = told.byTask.get(fact.task) ?? noneSpent(fact.agent);
  add(spent, fact);
  told.byTask.set(fact.task, spent);
}

export const noneSpent = (agent: string): Spent => ({
  ...{ agent, inputTokens: 0, outputTokens: 0, costUsd: 0, unknownCosts: 0, calls: 0 },
});

export function add(
  spent: Spent,
  used: {
    readonly agent: string;
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly costUsd: number | null;
  },
): void {
  spent.agent = used.agent;
  spent.inputTokens += used.inputTokens;
  spent.outputTokens += used.outputTokens;
  spent.costUsd += used.costUsd ?? 0;
  spent.unknownCosts += used.costUsd === null ? 1 : 0;
  spent.calls++;
}

export function toldBy(entries: Iterable<Entry>): Told {
  const told = nothingTold();
  for (const entry of entries) tell(told, entry);
  return told;
}

/** What is known of it; null where nothing is. */
export const knownCost = ({
  costUsd,
  unknownCosts,
  calls,
}: Pick<Spent, "costUsd" | "unknownCosts" | "calls">) =>
  calls === 0 || (costUsd === 0 && unknownCosts > 0) ? null : costUsd;

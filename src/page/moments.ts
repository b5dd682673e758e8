// What the slider of a replay stops at, and the history of a task: the lines of the terminal, one for each fact that people care about.
import type { Entry, Fact, FactKind } from "../core/fact.ts";
import type { TaskId } from "../core/run.ts";
import { details } from "../view/activity.ts";
import { toldIn } from "../view/live/live-events.ts";
import type { HistoryRow, MomentsPage } from "./model.ts";

/** Steps on the way to something that is told. */
const quiet: readonly FactKind[] = [
  ...details,
  ...(["usage-recorded", "stage-entered", "job-stage-entered", "merge-prepared", "metadata-set"] as const),
  ...(["epoch-released", "slots-set", "halt-confirmed", "proposal-recorded", "checkpoint-set"] as const),
];

export const momentKinds: { readonly without: readonly FactKind[] } = { without: quiet };

/** No slider has more places. */
const most = 5000;

const turns: ReadonlySet<FactKind> = new Set<FactKind>([
  ...(["run-created", "phase-entered", "plan-loaded", "halt-requested", "resumed", "landed"] as const),
  ...(["overridden", "question-asked", "epoch-claimed", "task-failed", "task-undone"] as const),
]);

/** `entries`: without those of `quiet`. Of too many, the turning points stay and every n-th of the rest. */
export function momentsPage(entries: readonly Entry[], last: number): MomentsPage {
  const step = Math.ceil(entries.length / most);
  const kept =
    step <= 1 ? entries : entries.filter(({ fact }, at) => at % step === 0 || turns.has(fact.kind));
  return {
    last,
    moments: kept
      .slice(-2 * most)
      .map((entry) => ({ position: entry.position, at: entry.at, text: textOf(entry) })),
  };
}

const longest = 400;

const textOf = (entry: Entry) => toldIn(entry).slice(0, longest);

/** The tasks that a fact is about. */
export function tasksOf(fact: Fact): readonly TaskId[] {
  if (fact.kind === "task-defined") return [fact.task.id];
  if (fact.kind === "overridden") return Object.keys(fact.tasks);
  if (fact.kind === "question-asked") return [fact.about];
  return "task" in fact && typeof fact.task === "string" ? [fact.task] : [];
}

export const historyRow = (entry: Entry): HistoryRow => ({
  ...{ position: entry.position, at: entry.at, by: entry.by },
  text: textOf(entry),
});

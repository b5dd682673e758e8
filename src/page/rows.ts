// A run's tasks, documents, actors and amounts as rows: plain values of a Run, without a look at anything else.
import { freshness } from "../core/artifact.ts";
import type { EarlierTask } from "../core/protocol.ts";
import type { Run, Task } from "../core/run.ts";
import { statusOf } from "../core/task.ts";
import { isUntold } from "../view/amount.ts";
import { inWords } from "../view/live/live-events.ts";
import type { ActorRow, Amount, DocumentRow, EarlierRow, PhaseRow, TaskRow } from "./model.ts";
import { knownCost, type Told } from "./told.ts";
import { linesOf } from "./verdict.ts";

export function taskRow(task: Task, { byTask }: Told): TaskRow {
  const { def, attempt } = task;
  const spent = byTask.get(def.id);
  return {
    id: def.id,
    name: def.name,
    phase: def.phase,
    status: statusOf(task),
    done: task.done,
    stage: attempt?.stage ?? null,
    dependsOn: def.dependsOn,
    steel: def.steel,
    tags: def.tags ?? [],
    agent: spent?.agent ?? null,
    ...(attempt?.machine !== undefined && { machine: attempt.machine }),
    attempts: task.attempts,
    startedAt: task.startedAt,
    completedAt: task.completedAt,
    costUsd: spent ? knownCost(spent) : null,
  };
}

export function taskRows(run: Run, told: Told): TaskRow[] {
  const rows = Array.from(run.tasks.all(), (task) => taskRow(task, told));
  return rows.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Plans that another one replaced have tasks of the same names: such a one is asked for by both. */
export const earlierId = ({ plan, id }: Pick<EarlierTask, "plan" | "id">) => `${plan}:${id}`;

export const earlierRows = (run: Run): EarlierRow[] =>
  (run.protocol.own?.earlier?.(run) ?? []).map((task) => {
    const { plan, name, state: status } = task;
    return { id: earlierId(task), plan, task: task.id, name, status };
  });

/** What nobody told is null, never zero. */
export function usageOf({ usage, policy }: Run): Amount {
  const { inputTokens, outputTokens, costUsd, unknownCosts } = usage;
  const isUnknown = costUsd === 0 && (unknownCosts > 0 || isUntold(usage));
  return {
    ...{ inputTokens, outputTokens, unknownCosts, budgetUsd: policy.runBudgetUsd },
    costUsd: isUnknown ? null : costUsd,
  };
}

/** `isEnded`: what is not there then was not needed. */
export function documentRows(run: Run, isEnded: boolean): DocumentRow[] {
  const seen = { run, request: null, digests: {} };
  const names = new Set([...Object.keys(run.protocol.artifacts), ...Object.keys(run.artifacts)]);
  const shown = [...names].filter((name) => !isEnded || run.artifacts[name] !== undefined);
  return shown.map((name) => {
    const found = run.artifacts[name];
    return {
      name: inWords(name),
      path: within(run.planningDir, found?.path ?? run.protocol.artifacts[name] ?? ""),
      state: freshness(name, seen),
      valid: found?.valid ?? false,
      problems: found?.problems ?? [],
      at: found?.validatedAt ?? null,
      said: found ? linesOf(found) : [],
    };
  });
}

/** As a person in the run's folder would say it. */
const within = (folder: string, path: string) =>
  path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;

/** Who stands where: in the words of the protocol, or the roles that were tried. */
export function actorRows(run: Run): ActorRow[] {
  const own = Object.entries(run.protocol.own?.actors?.(run) ?? {});
  if (own.length > 0)
    return own.map(([name, value]) => {
      const { status, attempts, problems } = value as Partial<Record<string, unknown>>;
      return {
        name,
        status: String(status ?? ""),
        attempts: Number(attempts ?? 0),
        problems: Array.isArray(problems) ? problems.map(String) : [],
      };
    });
  return Object.values(run.jobs).map(({ role, attempts, problems }) => ({
    ...{ name: role, attempts, problems },
    status: run.job?.role === role ? run.job.stage : "idle",
  }));
}

/** Phases that are not on every run's way are shown only where they are. */
export function phaseRows(run: Run): PhaseRow[] {
  const { phases, graph } = run.protocol;
  const first = run.vars.way === "list" ? phases.findIndex(({ name }) => name === graph?.opens) : 0;
  const actors = new Map(actorRows(run).map(({ name, status }) => [name, status]));
  return phases
    .slice(Math.max(0, first))
    .filter(({ name, optional }) => !optional || name === run.phase || run.completedPhases.includes(name))
    .map(({ name }) => {
      const isCurrent = name === run.phase;
      const state = isCurrent ? "current" : run.completedPhases.includes(name) ? "done" : "ahead";
      const work = isCurrent && run.job ? `${run.job.role}: ${run.job.stage}` : null;
      return { name, state, detail: actors.get(name) ?? work };
    });
}

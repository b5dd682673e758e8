// The plan-auditor's work (D15): a phase for every task, no dependency in a later phase, and a steel thread that
// hangs together and has every step of the capability map's steel flow.
import type { Problem } from "../../../core/problem.ts";
import { shown } from "../../../protocols/spot.ts";
import { spotIn, type TaskDocument } from "./task-sketch.ts";

/** `steelFlow`: the behaviours that are steps of the map's steel thread. */
export function checkSequencing(
  tasks: readonly TaskDocument[],
  steelFlow: readonly string[] = [],
): readonly Problem[] {
  const byId = new Map(tasks.map((one) => [one.task.id, one]));
  return [
    ...tasks.flatMap((one) => phaseProblems(one, byId)),
    ...steelProblems(tasks, byId),
    ...missingSteps(tasks, steelFlow),
  ];
}

/** Marks that are likely wrong. */
export function sequencingWarnings(
  tasks: readonly TaskDocument[],
  steelFlow: readonly string[] = [],
): readonly Problem[] {
  const isStep = new Set(steelFlow);
  return tasks.filter(isSteel).flatMap((one) => {
    const { id, phase = 0, behaviors } = one.task;
    const stray = isStep.size > 0 && !behaviors.some((behaviour) => isStep.has(behaviour));
    const spot = spotIn(one, "/context/steel_thread");
    const aside = `task ${shown(id)} is marked as steel thread, but has no step of the map's steel flow`;
    const late = `task ${shown(id)} of the steel thread is in phase ${phase}`;
    return [
      ...(stray ? [spot.problem("stray-steel-thread", aside, "remove `steel_thread`")] : []),
      ...(phase > 2
        ? [spotIn(one, "/phase").problem("late-steel-thread", late, "phase 2 is the steel thread's")]
        : []),
    ];
  });
}

function isSteel({ task }: TaskDocument): boolean {
  return task.context?.steel_thread === true;
}

/** A step of the steel flow that only unmarked tasks have breaks the thread. One that no task has is told elsewhere. */
function missingSteps(tasks: readonly TaskDocument[], steelFlow: readonly string[]): Problem[] {
  const marked = new Set(tasks.filter(isSteel).flatMap(({ task }) => task.behaviors));
  if (marked.size === 0) return [];
  return [...new Set(steelFlow)].flatMap((step) => {
    const one = marked.has(step) ? undefined : tasks.find(({ task }) => task.behaviors.includes(step));
    if (!one) return [];
    const message = `the steel thread is broken: its step ${shown(step)} is in ${shown(one.task.id)}, which is not marked`;
    const hint = `set \`context.steel_thread\` of \`${one.task.id}\` to true`;
    return [spotIn(one, "/context/steel_thread").problem("broken-steel-thread", message, hint)];
  });
}

type ById = ReadonlyMap<string, TaskDocument>;

function phaseProblems(one: TaskDocument, byId: ById): Problem[] {
  const { id, phase, dependencies } = one.task;
  if (phase === undefined) {
    const hint = 'add `"phase"`: 1 for foundations, 2 for the steel thread, 3 and above for features';
    return [spotIn(one, "/phase").problem("no-phase", `task ${shown(id)} has no phase`, hint)];
  }
  return (dependencies?.tasks ?? []).flatMap((dependency, index) => {
    const its = byId.get(dependency)?.task.phase;
    if (its === undefined || its <= phase) return [];
    const message = `task ${shown(id)} of phase ${phase} depends on ${shown(dependency)} of phase ${its}, which comes later`;
    const hint = `move ${shown(dependency)} to phase ${phase}, or ${shown(id)} to phase ${its}`;
    return [spotIn(one, `/dependencies/tasks/${index}`).problem("later-dependency", message, hint)];
  });
}

function steelProblems(tasks: readonly TaskDocument[], byId: ById): Problem[] {
  const steel = tasks.filter(isSteel);
  const [first] = tasks;
  if (steel.length === 0 && first) {
    const hint = "set `context.steel_thread` to true in the tasks of the steel thread flow";
    return [spotIn(first, "/context").problem("no-steel-thread", "no task is marked as steel thread", hint)];
  }
  const pieces = piecesOf(steel, byId).sort((a, b) => b.length - a.length);
  const [main = [], ...others] = pieces;
  return others.flatMap((piece) => {
    const [head] = piece;
    if (!head) return [];
    const names = piece
      .slice(0, 5)
      .map(({ task }) => shown(task.id))
      .join(", ");
    const message = `the steel thread is broken: ${names} does not hang together with ${shown(main[0]?.task.id)}`;
    const hint = "add the dependency between them, mark the task that joins them, or remove `steel_thread`";
    return [spotIn(head, "/context/steel_thread").problem("broken-steel-thread", message, hint)];
  });
}

/** Groups of steel tasks joined by dependencies between steel tasks, whatever their direction. */
function piecesOf(steel: readonly TaskDocument[], byId: ById): TaskDocument[][] {
  const isSteel = new Set(steel);
  const neighbours = new Map(steel.map((one) => [one, [] as TaskDocument[]]));
  for (const one of steel) {
    for (const id of one.task.dependencies?.tasks ?? []) {
      const other = byId.get(id);
      if (!other || !isSteel.has(other)) continue;
      neighbours.get(one)?.push(other);
      neighbours.get(other)?.push(one);
    }
  }
  const pieces: TaskDocument[][] = [];
  for (const start of steel) {
    if (!isSteel.delete(start)) continue;
    const piece = [start];
    for (const one of piece)
      for (const other of neighbours.get(one) ?? []) if (isSteel.delete(other)) piece.push(other);
    pieces.push(piece);
  }
  return pieces;
}

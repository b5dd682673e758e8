// The plan-auditor's work (D15): a phase for every task, no dependency in a later phase, and a steel thread that
// hangs together.
import type { Problem } from "../../../core/problem.ts";
import { shown } from "./spot.ts";
import { spotIn, type TaskDocument } from "./task-sketch.ts";

export function checkSequencing(tasks: readonly TaskDocument[]): readonly Problem[] {
  const byId = new Map(tasks.map((one) => [one.task.id, one]));
  return [...tasks.flatMap((one) => phaseProblems(one, byId)), ...steelProblems(tasks, byId)];
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
  const steel = tasks.filter(({ task }) => task.context?.steel_thread === true);
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

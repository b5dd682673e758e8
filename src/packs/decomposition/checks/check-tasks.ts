// All task files together (D9, D10): ids, references, paths, commands, the graph, and what is unwise. Everything is
// found at once; nothing may be loaded while `problems` has an entry.
import type { Problem } from "../../../core/problem.ts";
import type { Known } from "../../../protocols/check-artifact.ts";
import type { Source } from "../../../protocols/document.ts";
import { shown } from "../../../protocols/spot.ts";
import { pathFault, pathProblem } from "../../../protocols/target-path.ts";
import { suggester } from "./suggestion.ts";
import { commandFault } from "./task-command.ts";
import { gateProblems } from "./task-gate.ts";
import { circleProblems, taskGraph, writeProblems } from "./task-graph.ts";
import { readTasks, type Sketch, spotIn, type TaskDocument } from "./task-sketch.ts";
import { checkAgainstSpec } from "./task-specification.ts";
import { type Surroundings, taskWarnings } from "./task-warning.ts";

export interface TasksInput extends Surroundings {
  readonly files: readonly Source[];
  /** Behaviours of the capability map; left out when there is none. */
  readonly behaviours: Known | undefined;
  /** Codes that a person allowed (`task-gate.ts`). */
  readonly allowed?: ReadonlySet<string> | undefined;
  /** The specification; quotes and requirements are not looked up without one. */
  readonly spec?: string | undefined;
}

export interface CheckedTasks {
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
  /** Tasks whose own file has the right shape; all of them when there is no problem. */
  readonly tasks: readonly TaskDocument[];
}

export function checkTasks({ files, behaviours, spec, allowed, ...around }: TasksInput): CheckedTasks {
  const { sketches, unreadable, problems } = readTasks(files);
  const byId = new Map<string, Sketch>();
  for (const sketch of sketches) if (!byId.has(sketch.id)) byId.set(sketch.id, sketch);
  const graph = taskGraph(sketches, byId);
  const said = spec === undefined ? { problems: [], warnings: [] } : checkAgainstSpec(sketches, spec);
  return {
    problems: problems.concat(
      idProblems(sketches, byId),
      dependencyProblems(sketches, byId, unreadable),
      behaviours ? behaviourProblems(sketches, behaviours) : [],
      pathAndCommandProblems(sketches),
      circleProblems(graph),
      writeProblems(graph),
      gateProblems(graph, { wanted: around.mapped, exists: around.exists, allowed }),
      said.problems,
    ),
    warnings: taskWarnings(sketches, around).concat(said.warnings),
    tasks: sketches.filter(isRight),
  };
}

function isRight(sketch: Sketch): sketch is Sketch & TaskDocument {
  return sketch.task !== undefined;
}

function idProblems(sketches: readonly Sketch[], byId: ReadonlyMap<string, Sketch>): Problem[] {
  const problems: Problem[] = [];
  for (const sketch of sketches) {
    const first = byId.get(sketch.id);
    if (sketch.id !== "" && first && first !== sketch) {
      const message = `task \`${sketch.id}\` is already defined in ${shown(first.source.file)}`;
      problems.push(spotIn(sketch, "/id").problem("duplicate-id", message, "give one of the two another id"));
      continue;
    }
    const name = sketch.source.file.replace(/^.*[\\/]/, "");
    if (sketch.id === "" || name === `${sketch.id}.json`) continue;
    const message = `${shown(sketch.source.file)} defines \`${sketch.id}\``;
    problems.push(
      spotIn(sketch, "/id").problem("misnamed-file", message, `name the file \`${sketch.id}.json\``),
    );
  }
  return problems;
}

function dependencyProblems(
  sketches: readonly Sketch[],
  byId: ReadonlyMap<string, Sketch>,
  unreadable: ReadonlySet<string>,
): Problem[] {
  const suggest = suggester(byId);
  const problems: Problem[] = [];
  for (const sketch of sketches) {
    for (const [index, id] of sketch.dependencies.entries()) {
      const isSelf = id === sketch.id;
      if (id === "" || (!isSelf && (byId.has(id) || unreadable.has(id)))) continue;
      const spot = spotIn(sketch, `/dependencies/tasks/${index}`);
      problems.push(
        isSelf
          ? spot.problem(
              "self-dependency",
              `task \`${id}\` depends on itself`,
              `remove \`${id}\` from its dependencies`,
            )
          : spot.problem(
              "unknown-task",
              `task \`${sketch.id}\` depends on unknown task \`${id}\``,
              suggest(id, `define \`${id}\`, or remove it from the dependencies`),
            ),
      );
    }
  }
  return problems;
}

function behaviourProblems(sketches: readonly Sketch[], behaviours: Known): Problem[] {
  const suggest = suggester(behaviours);
  return sketches.flatMap((sketch) =>
    sketch.behaviours.flatMap((id, index) => {
      if (id === "" || behaviours.has(id)) return [];
      const message = `task \`${sketch.id}\` has unknown behaviour \`${id}\``;
      const hint = suggest(id, "name a behaviour of the capability map");
      return [spotIn(sketch, `/behaviors/${index}`).problem("unknown-behaviour", message, hint)];
    }),
  );
}

function pathAndCommandProblems(sketches: readonly Sketch[]): Problem[] {
  const problems: Problem[] = [];
  for (const sketch of sketches) {
    for (const [index, path] of sketch.paths.entries()) {
      const fault = path === "" ? undefined : pathFault(path);
      if (fault !== undefined)
        problems.push(pathProblem(spotIn(sketch, `/files/${index}/path`), path, fault));
    }
    for (const [index, command] of sketch.commands.entries()) {
      const fault = command === "" ? undefined : commandFault(command);
      if (fault === undefined) continue;
      const spot = spotIn(sketch, `/acceptance_criteria/${index}/verification`);
      const hint = "write a command that a shell can run";
      problems.push(spot.problem("bad-command", `the command ${shown(command)} ${fault}`, hint));
    }
  }
  return problems;
}

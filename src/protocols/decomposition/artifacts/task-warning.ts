// What is unwise about tasks but not wrong (D9): too large, more than one layer, behaviours that nobody implements.
// Warnings never keep a plan from being loaded.
import { type Problem, problem } from "../../../core/problem.ts";
import type { Known } from "./artifact.ts";
import type { TaskFile } from "./task-file.ts";
import { type Sketch, spotIn } from "./task-sketch.ts";

const MAX_FILES = 3;
const HOURS = { least: 2, most: 6 };

export function taskWarnings(sketches: readonly Sketch[], mapped: Known | undefined): Problem[] {
  const sizes = sketches.flatMap((sketch) => (sketch.task ? sizeWarnings(sketch, sketch.task) : []));
  return mapped ? sizes.concat(missingBehaviours(sketches, mapped)) : sizes;
}

function sizeWarnings(sketch: Sketch, task: TaskFile): Problem[] {
  const warnings: Problem[] = [];
  const warn = (pointer: string, code: string, [message, hint]: readonly [string, string]) =>
    warnings.push(spotIn(sketch, pointer).problem(code, `task \`${task.id}\` ${message}`, hint));
  const files = task.files.filter((file) => !isTest(file));
  const layers = new Set(files.flatMap(({ layer }) => layer ?? []));
  const hours = task.estimate_hours;
  if (files.length > MAX_FILES) {
    warn("/files", "too-many-files", [
      `has ${files.length} implementation files`,
      `split it: at most ${MAX_FILES}`,
    ]);
  }
  if (layers.size > 1) {
    warn("/files", "several-layers", [
      `spans the layers ${[...layers].join(", ")}`,
      "split it: one layer for each task",
    ]);
  }
  if (hours !== undefined && (hours < HOURS.least || hours > HOURS.most)) {
    const advice = hours > HOURS.most ? "split it" : "join it with a neighbour";
    warn("/estimate_hours", "odd-size", [`is estimated at ${hours} hours`, `${advice}: two to six hours`]);
  }
  return warnings;
}

const testPath = /(?:^|\/)(?:tests?|__tests__|spec)\/|[._-](?:test|spec)\.[^/]*$|(?:^|\/)test_[^/]*$/i;

function isTest({ path, layer }: TaskFile["files"][number]): boolean {
  return layer === "test" || testPath.test(path);
}

function missingBehaviours(sketches: readonly Sketch[], mapped: Known): Problem[] {
  const implemented = new Set(sketches.flatMap(({ behaviours }) => behaviours));
  return [...mapped.keys()]
    .filter((id) => !implemented.has(id))
    .map((id) =>
      problem("behaviour-without-task", `no task has behaviour \`${id}\``, {
        hint: `add \`${id}\` to the \`behaviors\` of a task`,
      }),
    );
}

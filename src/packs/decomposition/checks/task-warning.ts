// What is unwise about tasks but not wrong (D9): too large, more than one layer, files that no map knows, commands that
// destroy or reach out. Warnings never keep a plan from being loaded.
import type { Problem } from "../../../core/problem.ts";
import type { Known } from "../../../protocols/check-artifact.ts";
import { shown } from "../../../protocols/spot.ts";
import { normalPath } from "../../../protocols/target-path.ts";
import type { TaskFile } from "../artifacts/task-file.ts";
import { dangerIn, looksLikeProse } from "./task-command.ts";
import { type Sketch, spotIn } from "./task-sketch.ts";

const MAX_FILES = 3;
const HOURS = { least: 2, most: 6 };

/** What the plan is made for; each is left out when it is not known. */
export interface Surroundings {
  /** Behaviours of the physical map. */
  readonly mapped?: Known | undefined;
  /** Paths of the physical map. */
  readonly mappedFiles?: ReadonlySet<string> | undefined;
  /** Whether the target has this file. */
  readonly exists?: ((path: string) => boolean) | undefined;
  /** The existing project's own tests and linter. */
  readonly ownCommands?: readonly OwnCommand[] | undefined;
}

export interface OwnCommand {
  readonly purpose: string;
  readonly run: string;
}

/** Nobody reads more than this, and finding the place of each takes its time. */
const MOST = 1000;

export function taskWarnings(sketches: readonly Sketch[], around: Surroundings): Problem[] {
  const { mappedFiles, exists, ownCommands = [] } = around;
  const whole = [
    ...(exists ? missingFiles(sketches, exists) : []),
    ...ownCommands.flatMap((command) => unusedCommand(sketches, command)),
  ];
  const warnings: Problem[] = [];
  for (const sketch of sketches) {
    if (sketch.task) warnings.push(...sizeWarnings(sketch, sketch.task));
    warnings.push(...commandWarnings(sketch));
    if (mappedFiles) warnings.push(...inventedFiles(sketch, mappedFiles));
    if (warnings.length >= MOST) break;
  }
  return warnings.concat(whole);
}

function commandWarnings(sketch: Sketch): Problem[] {
  return sketch.commands.flatMap((command, index) => {
    const spot = () => spotIn(sketch, `/acceptance_criteria/${index}/verification`);
    const hint = "write a command that exits 0 exactly when the criterion holds";
    if (looksLikeProse(command))
      return [
        spot().problem("prose-command", `${shown(command)} looks like prose, not like a command`, hint),
      ];
    const danger = dangerIn(command);
    if (danger === undefined) return [];
    const instead = "write a command that only looks, in the project's own folder";
    return [spot().problem("dangerous-command", `${shown(command)} ${danger}`, instead)];
  });
}

function inventedFiles(sketch: Sketch, mappedFiles: ReadonlySet<string>): Problem[] {
  return sketch.paths.flatMap((path, index) => {
    if (path === "" || mappedFiles.has(normalPath(path))) return [];
    const message = `task \`${sketch.id}\` has ${shown(path)}, which the physical map does not know`;
    const hint = "use the paths of the physical map";
    return [spotIn(sketch, `/files/${index}/path`).problem("unmapped-file", message, hint)];
  });
}

/** A file that is to be changed, is not there, and that no task creates. */
function missingFiles(sketches: readonly Sketch[], exists: (path: string) => boolean): Problem[] {
  const created = new Set<string>();
  const changed: { sketch: Sketch; path: string; index: number }[] = [];
  for (const sketch of sketches) {
    for (const [index, { path, action }] of (sketch.task?.files ?? []).entries()) {
      if (action === "create") created.add(normalPath(path));
      else changed.push({ sketch, path: normalPath(path), index });
    }
  }
  return changed.slice(0, MOST).flatMap(({ sketch, path, index }) => {
    if (created.has(path) || exists(path)) return [];
    const message = `task \`${sketch.id}\` changes ${shown(path)}, which does not exist and which no task creates`;
    const spot = spotIn(sketch, `/files/${index}/action`);
    return [spot.problem("file-missing", message, "write `create`, or correct the path")];
  });
}

const NAMED = 5;

/** In an existing project every task's criteria include its own tests and linter (D9). */
function unusedCommand(sketches: readonly Sketch[], { purpose, run }: OwnCommand): Problem[] {
  const without = sketches.filter(({ commands }) => !commands.some((command) => command.includes(run)));
  const [first] = without;
  if (!first) return [];
  const names = without.slice(0, NAMED).map(({ id }) => `\`${id}\``);
  const more = without.length > NAMED ? ` and ${without.length - NAMED} more` : "";
  const message = `${names.join(", ")}${more} do not run the project's own ${purpose} command ${shown(run)}`;
  const hint = `add a criterion with \`"verification": ${JSON.stringify(run)}\``;
  return [spotIn(first, "/acceptance_criteria").problem("own-command", message, hint)];
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

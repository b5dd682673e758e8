// What is wrong with the graph between tasks: circles, and two tasks that write one file with no order between them.
// The algorithms are in `dependency-graph.ts`; here they meet names, places and sentences.
import type { Problem } from "../../../core/problem.ts";
import { shown } from "../../../protocols/spot.ts";
import { normalPath } from "../../../protocols/target-path.ts";
import {
  type Condensed,
  condense,
  type Edges,
  type Pair,
  shortestCircle,
  unorderedPairs,
} from "./dependency-graph.ts";
import { type Sketch, spotIn } from "./task-sketch.ts";

export interface TaskGraph {
  readonly sketches: readonly Sketch[];
  readonly edges: Edges;
  readonly condensed: Condensed;
}

/** Unknown tasks and a task's dependency on itself are problems of their own and no edges. */
export function taskGraph(sketches: readonly Sketch[], byId: ReadonlyMap<string, Sketch>): TaskGraph {
  const edges = sketches.map((sketch) => {
    const indices: number[] = [];
    for (const id of sketch.dependencies) {
      const dependency = id === "" || id === sketch.id ? undefined : byId.get(id);
      if (dependency) indices.push(dependency.index);
    }
    return indices;
  });
  return { sketches, edges, condensed: condense(edges) };
}

/** One for each knot of tasks, with a shortest way round through its first member. */
export function circleProblems({ sketches, edges, condensed }: TaskGraph): Problem[] {
  return condensed.circles.flatMap((circle) => {
    const start = circle.reduce((first, node) => Math.min(first, node));
    const ids = shortestCircle(edges, circle, start).map((node) => sketches[node]?.id ?? "");
    const sketch = sketches[start];
    const [, second = ""] = ids;
    if (!sketch) return [];
    const spot = spotIn(sketch, `/dependencies/tasks/${sketch.dependencies.indexOf(second)}`);
    const knot = circle.length > ids.length - 1 ? ` (${circle.length} tasks are caught in it)` : "";
    const message = `tasks wait for each other: \`${pathText(ids)}\`${knot}`;
    return [
      spot.problem(
        "cycle",
        message,
        `remove one of these dependencies, such as \`${second}\` from \`${sketch.id}\``,
      ),
    ];
  });
}

const SHOWN_STEPS = 12;

function pathText(ids: readonly string[]): string {
  if (ids.length <= SHOWN_STEPS) return ids.join(" -> ");
  const head = ids.slice(0, SHOWN_STEPS - 4);
  return [...head, `… ${ids.length - SHOWN_STEPS} more …`, ...ids.slice(-4)].join(" -> ");
}

interface SharedFile extends Pair {
  readonly path: string;
}

/**
 * Tasks that share a file must form a chain. In an order with dependencies first, they do exactly when each waits for
 * the one before it, so only neighbours are compared.
 */
export function writeProblems({ sketches, edges, condensed }: TaskGraph): Problem[] {
  const { rank } = condensed;
  const pairs: SharedFile[] = [];
  for (const [path, writers] of sharedFiles(sketches)) {
    writers.sort((a, b) => (rank[a] ?? 0) - (rank[b] ?? 0));
    writers.forEach((later, index) => {
      const earlier = writers[index - 1];
      if (earlier !== undefined) pairs.push({ earlier, later, path });
    });
  }
  return unorderedPairs(edges, condensed, pairs).flatMap(({ earlier, later, path }) => {
    const [first, second] = [sketches[earlier], sketches[later]];
    if (!first || !second || first.id === second.id) return [];
    const index = second.paths.findIndex((candidate) => normalPath(candidate) === path);
    const message = `tasks \`${first.id}\` and \`${second.id}\` both write ${shown(path)}, and neither waits for the other`;
    const hint = `add \`${first.id}\` to \`dependencies.tasks\` of \`${second.id}\`, or give the file to one of them`;
    return [spotIn(second, `/files/${index}/path`).problem("unordered-writes", message, hint)];
  });
}

/** The tasks of every file that more than one task writes. */
function sharedFiles(sketches: readonly Sketch[]): Map<string, number[]> {
  const first = new Map<string, number>();
  const shared = new Map<string, number[]>();
  for (const { index, paths } of sketches) {
    for (const written of paths) {
      if (written === "") continue;
      const path = normalPath(written);
      const other = first.get(path);
      const writers = shared.get(path);
      if (other === undefined) first.set(path, index);
      else if (writers && writers.at(-1) !== index) writers.push(index);
      else if (!writers && other !== index) shared.set(path, [other, index]);
    }
  }
  return shared;
}

// What the graph draws: the layout, the tasks by place, and which edges are of the critical path. Pure.
import type { RunPage, TaskRow } from "../../src/page/model.ts";
import { type Box, type Edge, type Layout, layered, node } from "../shape/layered.ts";

export interface Picture {
  readonly layout: Layout;
  readonly rows: readonly TaskRow[];
  readonly index: ReadonlyMap<string, number>;
  readonly critical: ReadonlySet<string>;
  readonly criticalEdges: ReadonlySet<Edge>;
}

/** The layout is kept while only states change. */
export function pictureOf(run: Pick<RunPage, "tasks" | "critical">, last: Picture | null): Picture {
  const kept = last && isSamePlan(last.rows, run.tasks);
  const layout = kept ? last.layout : layered(run.tasks);
  const index = kept ? last.index : new Map(run.tasks.map(({ id }, at) => [id, at]));
  const next = new Map(run.critical.map((id, at) => [id, run.critical[at + 1]]));
  const criticalEdges = new Set(
    layout.edges.filter(({ from, to }) => {
      const [a, b] = [run.tasks[from]?.id ?? "", run.tasks[to]?.id];
      return next.get(a) !== undefined && next.get(a) === b;
    }),
  );
  return { layout, rows: run.tasks, index, critical: new Set(run.critical), criticalEdges };
}

function isSamePlan(a: readonly TaskRow[], b: readonly TaskRow[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ id, dependsOn }, at) => {
      const other = b[at];
      return (
        other?.id === id &&
        (other.dependsOn === dependsOn ||
          (other.dependsOn.length === dependsOn.length &&
            dependsOn.every((each, place) => other.dependsOn[place] === each)))
      );
    })
  );
}

/** Edges that may cross a box: those whose own box does. */
export function edgesIn({ nodes, edges }: Layout, box: Box): Edge[] {
  return edges.filter(({ from, to }) => {
    const [a, b] = [nodes[from], nodes[to]];
    if (!a || !b) return false;
    if (a.x + node.width > box.right || b.x < box.left) return false;
    const [top, bottom] = a.y < b.y ? [a.y, b.y] : [b.y, a.y];
    return bottom + node.height >= box.top && top <= box.bottom;
  });
}

export function pathOf({ nodes }: Layout, { from, to }: Edge): string {
  const [a, b] = [nodes[from], nodes[to]];
  if (!a || !b) return "";
  const [x1, y1, x2, y2] = [a.x + node.width, a.y + node.height / 2, b.x, b.y + node.height / 2];
  const bend = Math.max(24, (x2 - x1) / 2);
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}

export type Direction = "left" | "right" | "up" | "down";

/** Where an arrow key leads: to what it needs, to what needs it, or to the neighbour of its layer. */
export function neighbour({ layout }: Picture, at: number, direction: Direction): number | null {
  const { nodes, edges } = layout;
  const here = nodes[at];
  if (!here) return null;
  const near =
    direction === "left"
      ? edges.filter(({ to }) => to === at).map(({ from }) => from)
      : direction === "right"
        ? edges.filter(({ from }) => from === at).map(({ to }) => to)
        : nodes.flatMap((each, other) => {
            const isThere = direction === "up" ? each.y < here.y : each.y > here.y;
            return each.layer === here.layer && isThere ? [other] : [];
          });
  const distance = (other: number) => {
    const there = nodes[other];
    return there ? Math.abs(there.y - here.y) + Math.abs(there.x - here.x) : Number.POSITIVE_INFINITY;
  };
  return near.reduce<number | null>(
    (best, other) => (best === null || distance(other) < distance(best) ? other : best),
    null,
  );
}

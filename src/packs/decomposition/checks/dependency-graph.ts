// The graph between task files before it is known to be sound: cycles, and whether one task waits for another.
// Nothing recurses, so a chain of 100,000 tasks is no deeper than one of three.

/** For each task the tasks it depends on, as indices. */
export type Edges = readonly (readonly number[])[];

export interface Condensed {
  /** Tasks in an order in which dependencies come first; members of one circle stand together. */
  readonly order: readonly number[];
  /** Grows along `order`; equal within a circle. */
  readonly rank: Int32Array;
  /** Groups of two or more tasks that all wait for each other. */
  readonly circles: readonly (readonly number[])[];
}

/** Tarjan's strongly connected components, with a stack of our own. */
export function condense(edges: Edges): Condensed {
  const [order, circles, stack]: [number[], number[][], number[]] = [[], [], []];
  const rank = new Int32Array(edges.length).fill(-1);
  const found = new Int32Array(edges.length).fill(-1);
  const low = new Int32Array(edges.length);
  const path: { readonly node: number; next: number }[] = [];
  let [count, ranks] = [0, 0];
  const enter = (node: number) => {
    found[node] = low[node] = count++;
    stack.push(node);
    path.push({ node, next: 0 });
  };
  const leave = (node: number) => {
    const parent = path.at(-1)?.node;
    if (parent !== undefined) low[parent] = Math.min(at(low, parent), at(low, node));
    if (at(low, node) !== at(found, node)) return;
    const group = stack.splice(stack.lastIndexOf(node));
    for (const member of group) rank[member] = ranks;
    ranks++;
    for (const member of group) order.push(member);
    if (group.length > 1) circles.push(group);
  };
  for (let root = 0; root < edges.length; root++) {
    if (at(found, root) >= 0) continue;
    enter(root);
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const next = edges[top.node]?.[top.next++];
      if (next === undefined) {
        path.pop();
        leave(top.node);
      } else if (at(found, next) < 0) enter(next);
      else if (at(rank, next) < 0) low[top.node] = Math.min(at(low, top.node), at(found, next));
    }
  }
  return { order, rank, circles };
}

function at(numbers: Int32Array, index: number): number {
  return numbers[index] ?? -1;
}

/** The shortest way from `start` back to itself inside its circle; begins and ends with it. */
export function shortestCircle(edges: Edges, circle: readonly number[], start: number): number[] {
  const members = new Set(circle);
  const cameFrom = new Map<number, number>();
  const queue = [start];
  for (const node of queue) {
    for (const next of edges[node] ?? []) {
      if (next === start) return walkBack(cameFrom, start, node);
      if (!members.has(next) || cameFrom.has(next)) continue;
      cameFrom.set(next, node);
      queue.push(next);
    }
  }
  throw new Error("bug: a member of a circle does not reach itself");
}

function walkBack(cameFrom: ReadonlyMap<number, number>, start: number, last: number): number[] {
  const path = [start];
  for (let node = last; node !== start; node = cameFrom.get(node) ?? start) path.push(node);
  return [...path, start].reverse();
}

export interface Pair {
  readonly earlier: number;
  readonly later: number;
}

/** Sources looked for in one pass: the bits of a number. */
const BITS = 32;

/**
 * Those pairs whose later task does not wait, over any number of steps, for the earlier one. Exact: sources are
 * spread as bits along the order, 32 in a pass that covers only the stretch between them and what waits for them.
 */
export function unorderedPairs<P extends Pair>(edges: Edges, condensed: Condensed, pairs: readonly P[]): P[] {
  const { order, rank } = condensed;
  const position = new Int32Array(order.length);
  for (const [index, node] of order.entries()) position[node] = index;
  const open = pairs
    .filter(({ earlier, later }) => at(rank, earlier) !== at(rank, later) && !edges[later]?.includes(earlier))
    .sort((a, b) => at(position, a.earlier) - at(position, b.earlier));
  const reached = new Int32Array(order.length);
  const unordered: P[] = [];
  for (let first = 0; first < open.length; first += BITS) {
    const some = open.slice(first, first + BITS);
    const from = at(position, some[0]?.earlier ?? 0);
    const to = endOfCircle(condensed, Math.max(...some.map(({ later }) => at(position, later))));
    const sources = new Map<number, number>();
    for (const [bit, { earlier }] of some.entries())
      sources.set(earlier, (sources.get(earlier) ?? 0) | (1 << bit));
    spread({ edges, condensed, reached, sources, from, to });
    unordered.push(...some.filter(({ later }, bit) => ((reached[at(rank, later)] ?? 0) & (1 << bit)) === 0));
  }
  return unordered;
}

/** Bits that enter a circle through any member reach all of them, so none may be cut off. */
function endOfCircle({ order, rank }: Condensed, position: number): number {
  let end = position;
  while (end + 1 < order.length && at(rank, order[end + 1] ?? 0) === at(rank, order[end] ?? 0)) end++;
  return end;
}

interface Stretch {
  readonly edges: Edges;
  readonly condensed: Condensed;
  readonly reached: Int32Array;
  readonly sources: ReadonlyMap<number, number>;
  readonly from: number;
  readonly to: number;
}

function spread({ edges, condensed: { order, rank }, reached, sources, from, to }: Stretch): void {
  const lowest = at(rank, order[from] ?? 0);
  reached.fill(0, lowest, at(rank, order[to] ?? 0) + 1);
  for (let index = from; index <= to; index++) {
    const node = order[index] ?? 0;
    let bits = sources.get(node) ?? 0;
    for (const dependency of edges[node] ?? []) {
      const its = at(rank, dependency);
      if (its >= lowest) bits |= reached[its] ?? 0;
    }
    reached[at(rank, node)] = (reached[at(rank, node)] ?? 0) | bits;
  }
}

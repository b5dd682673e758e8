// The task graph as a whole: order, cycles, layers, critical path. Nothing here recurses, so depth is no limit.
import { sum } from "../bounds.ts";

export interface Node {
  readonly id: string;
  readonly dependsOn: readonly string[];
  readonly hours: number;
}

/** Dependencies first; ties by id, so that the order does not depend on how the plan was listed. */
export function inOrder<T extends Node>(nodes: readonly T[]): T[] {
  const index = new Map(nodes.map((node, at) => [node.id, at]));
  const unmet = new Int32Array(nodes.length);
  const dependents: number[][] = nodes.map(() => []);
  for (const [at, node] of nodes.entries()) {
    for (const id of node.dependsOn) {
      const dependency = index.get(id);
      if (dependency === undefined) continue;
      dependents[dependency]?.push(at);
      unmet[at] = (unmet[at] ?? 0) + 1;
    }
  }
  const order: T[] = [];
  let layer = nodes.filter((_, at) => unmet[at] === 0);
  while (layer.length > 0) {
    const following: T[] = [];
    for (const node of layer.sort((a, b) => (a.id < b.id ? -1 : 1))) {
      order.push(node);
      for (const dependent of dependents[index.get(node.id) ?? -1] ?? []) {
        const left = (unmet[dependent] ?? 0) - 1;
        unmet[dependent] = left;
        if (left === 0) following.push(nodes[dependent] as T);
      }
    }
    layer = following;
  }
  return order;
}

/** One cycle as a path that ends where it began, or nothing. */
export function findCycle(nodes: readonly Node[]): string[] | undefined {
  const ordered = new Set(inOrder(nodes).map((node) => node.id));
  const left = new Map(nodes.filter((node) => !ordered.has(node.id)).map((node) => [node.id, node]));
  const start = left.keys().next().value;
  if (start === undefined) return undefined;
  const path: string[] = [];
  const seen = new Map<string, number>();
  // Every node that is left depends on another one that is left, so walking on must come round.
  for (let id: string = start; ; ) {
    const before = seen.get(id);
    if (before !== undefined) return [...path.slice(before), id];
    seen.set(id, path.length);
    path.push(id);
    const following = left.get(id)?.dependsOn.find((dependency) => left.has(dependency));
    if (following === undefined) throw new Error("bug: a node without order has no unordered dependency");
    id = following;
  }
}

/** Hours from the start of a task to the end of everything that waits for it. */
export function remainingHours(ordered: readonly Node[]): Map<string, number> {
  const hours = new Map(ordered.map((node) => [node.id, node.hours]));
  const remaining = new Map(hours);
  for (const node of ordered.toReversed()) {
    const own = remaining.get(node.id) ?? 0;
    for (const id of node.dependsOn) {
      const through = sum(own, hours.get(id) ?? 0);
      if (through > (remaining.get(id) ?? 0)) remaining.set(id, through);
    }
  }
  return remaining;
}

/** The longest chain of dependent work, first task first. */
export function criticalPath(ordered: readonly Node[]): string[] {
  const remaining = remainingHours(ordered);
  const dependents = new Map<string, string[]>();
  for (const node of ordered) for (const id of node.dependsOn) push(dependents, id, node.id);
  const longest = (ids: readonly string[]) =>
    ids.reduce<string | undefined>(
      (best, id) => (best === undefined || (remaining.get(id) ?? 0) > (remaining.get(best) ?? 0) ? id : best),
      undefined,
    );
  const path: string[] = [];
  let id = longest(ordered.filter((node) => node.dependsOn.length === 0).map((node) => node.id));
  while (id !== undefined) {
    path.push(id);
    id = longest(dependents.get(id) ?? []);
  }
  return path;
}

function push(map: Map<string, string[]>, key: string, value: string): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

// The graph of transitions that can really happen: which phases are reached, which have a way to an end, and which
// loops have no bound. A transition happens only if its rule decides for some combination.
import { type Problem, problem } from "../core/problem.ts";
import type { Protocol } from "../core/protocol.ts";
import { automatic, type Walk, walkPhase } from "./check-walk.ts";

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly index: number;
  readonly rule: string;
  readonly counts: string | undefined;
}

/** `walks`: every phase's walk, none too large. */
export function checkGraph(protocol: Protocol, walks: ReadonlyMap<string, Walk>): Problem[] {
  const edges = edgesOf(protocol, walks);
  return [
    ...unreachable(protocol, edges),
    ...withoutWayOn(protocol, { edges, walks }),
    ...unboundedLoops(protocol, edges),
  ];
}

function edgesOf(protocol: Protocol, walks: ReadonlyMap<string, Walk>): Edge[] {
  return [...walks].flatMap(([from, { fired }]) =>
    [...fired].flatMap((index) => {
      const rule = protocol.rules[index];
      if (rule?.then.kind !== "go") return [];
      return [{ from, to: rule.then.to, index, rule: rule.name, counts: rule.then.counts }];
    }),
  );
}

function unreachable(protocol: Protocol, edges: readonly Edge[]): Problem[] {
  const start = protocol.phases[0]?.name ?? "";
  const reached = closure([start], (phase) => edges.filter(({ from }) => from === phase).map(({ to }) => to));
  return protocol.phases
    .filter(({ name }) => !reached.has(name))
    .map(({ name }) =>
      problem("unreachable-phase", `phase \`${name}\` cannot be reached from \`${start}\``, {
        hint: `add a rule with \`go: ${name}\`, or remove the phase`,
      }),
    );
}

function withoutWayOn(
  protocol: Protocol,
  { edges, walks }: { readonly edges: readonly Edge[]; readonly walks: ReadonlyMap<string, Walk> },
): Problem[] {
  const endsIn = (phase: string) =>
    [...(walks.get(phase)?.fired ?? [])].some((index) => protocol.rules[index]?.then.kind === "end");
  const ends = protocol.phases.filter(({ name, end }) => end || endsIn(name)).map(({ name }) => name);
  const leading = closure(ends, (phase) => edges.filter(({ to }) => to === phase).map(({ from }) => from));
  return protocol.phases
    .filter(({ name }) => !leading.has(name))
    .map(({ name }) =>
      problem("no-way-on", `from phase \`${name}\` no way leads to an end`, {
        hint: `add a rule \`at: ${name}\` that goes to a phase that leads on`,
      }),
    );
}

/**
 * A loop is bounded by a transition that cannot happen any more once its counter is reached, or by one that a person
 * has to ask for. Without those transitions no loop may be left.
 */
function unboundedLoops(protocol: Protocol, edges: readonly Edge[]): Problem[] {
  const free = edges.filter((edge) => !isBounded(protocol, edge));
  const reported = new Set<string>();
  const problems: Problem[] = [];
  for (const { name } of protocol.phases) {
    if (reported.has(name)) continue;
    const loop = shortestLoop(name, free);
    if (!loop) continue;
    for (const edge of loop) reported.add(edge.from);
    problems.push(loopProblem(protocol, loop));
  }
  return problems;
}

function isBounded(protocol: Protocol, { from, index, counts }: Edge): boolean {
  const reached = counts !== undefined && protocol.counters.includes(counts) ? { [counts]: ["reached"] } : {};
  return !walkPhase(protocol, from, { only: { ...reached, request: automatic } }).fired.has(index);
}

function shortestLoop(start: string, edges: readonly Edge[]): Edge[] | null {
  const ways = new Map<string, Edge[]>([[start, []]]);
  for (const [phase, way] of ways) {
    for (const edge of edges) {
      if (edge.from !== phase) continue;
      if (edge.to === start) return [...way, edge];
      if (!ways.has(edge.to)) ways.set(edge.to, [...way, edge]);
    }
  }
  return null;
}

function loopProblem(protocol: Protocol, loop: readonly Edge[]): Problem {
  const path = [...loop.map((edge) => edge.from), loop[0]?.from].join(" → ");
  const counted = loop.find((edge) => edge.counts !== undefined)?.counts;
  const counter = counted ?? protocol.counters[0] ?? "<counter>";
  const hint = counted
    ? `before it, add a rule with \`when: { ${counter}: reached }\` that halts`
    : `count a way back, \`counts: ${counter}\`, and halt when \`${counter}\` is reached`;
  return problem("unbounded-loop", `the loop ${path} has no bound`, {
    hint,
    notes: loop.map((edge) => `${edge.from} → ${edge.to}: ${edge.rule}`),
  });
}

function closure(start: readonly string[], next: (phase: string) => readonly string[]): Set<string> {
  const found = new Set(start);
  for (const phase of found) for (const each of next(phase)) found.add(each);
  return found;
}

// What can be proven of a protocol before it runs (L14, U8): its names are right, every phase is reached and leads to an
// end, every combination has a rule, every rule decides somewhere, every loop has a bound, every artifact a maker.
// It is exact for the tables: which combinations of values the world really shows is not known here.
import { type Problem, problem } from "../core/problem.ts";
import type { Protocol, Rule } from "../core/protocol.ts";
import { checkGraph } from "./check-graph.ts";
import { checkArtifacts, checkNames, checkRoles } from "./check-names.ts";
import { type Possible, subjectsIn, WALK_LIMIT, type Walk, walkPhase } from "./check-walk.ts";

export interface CheckOptions {
  /** The roles that have a skill; without it roles are not checked. */
  readonly roles?: Iterable<string>;
  /** How many places of a phase's decision tree are looked at before it counts as too large. */
  readonly limit?: number;
}

/** All findings at once. Wrong names come alone: the rest cannot be judged before they are fixed. */
export function checkProtocol(protocol: Protocol, options: CheckOptions = {}): Problem[] {
  const names = [
    ...checkNames(protocol),
    ...(options.roles ? checkRoles(protocol, [...options.roles]) : []),
    ...checkArtifacts(protocol),
  ];
  if (names.some((each) => each.code !== "unknown-role" && each.code !== "unmade-artifact")) return names;
  const limit = options.limit ?? WALK_LIMIT;
  const walks = new Map(protocol.phases.map(({ name }) => [name, walkPhase(protocol, name, { limit })]));
  const large = protocol.phases.filter(({ name }) => walks.get(name)?.isTooLarge);
  if (large.length > 0) return [...names, ...large.map(({ name }) => tooLarge(protocol, name))];
  return [
    ...names,
    ...checkGraph(protocol, walks),
    ...deadEnds(protocol, walks),
    ...shadowed(protocol, walks),
  ];
}

function tooLarge(protocol: Protocol, phase: string): Problem {
  const subjects = subjectsIn(protocol, phase).map((name) => `\`${name}\``);
  return problem("too-large", `phase \`${phase}\` tells too many combinations apart to try them all`, {
    hint: "split the phase, or join subjects that are always looked at together",
    notes: [`it looks at ${subjects.join(", ")}`],
  });
}

function deadEnds(protocol: Protocol, walks: ReadonlyMap<string, Walk>): Problem[] {
  return protocol.phases.flatMap(({ name, end }) => {
    const open = walks.get(name)?.open;
    if (end || !open) return [];
    return problem("dead-end", `in phase \`${name}\` no rule decides${wherever(open)}`, {
      hint: `add a rule \`at: ${name}\` for it, or one without further conditions as the phase's last`,
    });
  });
}

/** One combination of those that were left open: the first value of each. */
function wherever(open: Possible): string {
  const seen = Object.entries(open).map(([subject, values]) => `\`${subject}\` is \`${values[0]}\``);
  return seen.length === 0 ? "" : ` when ${seen.join(" and ")}`;
}

function shadowed(protocol: Protocol, walks: ReadonlyMap<string, Walk>): Problem[] {
  const fired = new Set([...walks.values()].flatMap((walk) => [...walk.fired]));
  return protocol.rules.flatMap((rule, index) => {
    if (fired.has(index)) return [];
    const before = decidersBefore(protocol, rule);
    return problem("shadowed-rule", `rule \`${rule.name}\` never decides`, {
      hint: before.length > 0 ? "move it up, or remove it" : "one of its conditions names no value: add one",
      notes: before.map((name) => `\`${name}\` decides before it`),
    });
  });
}

/** Which rules take the combinations that this one is for. */
function decidersBefore(protocol: Protocol, rule: Rule): string[] {
  const { phase: phases = protocol.phases.map(({ name }) => name), ...only } = rule.when;
  if (Object.values(only).some((wanted) => wanted.length === 0)) return [];
  const deciders = phases.flatMap((phase) => [...walkPhase(protocol, phase, { only }).fired]);
  return [...new Set(deciders)].sort((a, b) => a - b).map((index) => protocol.rules[index]?.name ?? "");
}

// The checker against the plainest way to say the same: every combination of every value, one after the other.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Action,
  type Protocol,
  type Rule,
  rule,
  type Subject,
  type When,
} from "../../src/core/protocol.ts";
import { checkProtocol } from "../../src/protocols/check.ts";
import { automatic, valuesOf, walkPhase } from "../../src/protocols/check-walk.ts";

const phaseNames = ["p", "q", "r"];

function subjectOf(size: number): Subject {
  const values = Array.from({ length: size }, (_, index) => `v${index}`);
  return { about: "", values, see: () => "v0" };
}

const counterSubject: Subject = { about: "", values: ["below", "reached"], see: () => "below" };

const subjects: Protocol["subjects"] = {
  a: subjectOf(2),
  b: subjectOf(3),
  c: subjectOf(2),
  d: subjectOf(4),
  turns: counterSubject,
};

const conditionOn = (values: readonly string[]) =>
  fc.option(fc.subarray([...values]), { nil: undefined, freq: 2 });
const when = fc
  .record({
    phase: fc.option(fc.subarray(phaseNames, { minLength: 1 }), { nil: undefined }),
    request: fc.option(fc.subarray(["none", "drive", "redo"]), { nil: undefined, freq: 1 }),
    a: conditionOn(["v0", "v1"]),
    b: conditionOn(["v0", "v1", "v2"]),
    c: conditionOn(["v0", "v1"]),
    d: conditionOn(["v0", "v1", "v2", "v3"]),
    turns: conditionOn(["below", "reached"]),
  })
  .map((conditions) =>
    Object.fromEntries(Object.entries(conditions).filter(([, wanted]) => wanted !== undefined)),
  );
const then: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ kind: fc.constant("go" as const), to: fc.constantFrom(...phaseNames) }),
  fc.record({
    kind: fc.constant("go" as const),
    to: fc.constantFrom(...phaseNames),
    counts: fc.constant("turns"),
  }),
  fc.constant({ kind: "wait" as const, hint: "" }),
);
const rules: fc.Arbitrary<Rule[]> = fc.array(
  fc.tuple(when, then).map(([conditions, action]) => rule("", { when: conditions as When }, action)),
  { minLength: 1, maxLength: 9 },
);

const protocol: fc.Arbitrary<Protocol> = rules.map((list) => ({
  name: "random",
  about: "",
  phases: phaseNames.map((name, index) => ({ name, about: "", end: index === 2 })),
  artifacts: {},
  subjects,
  counters: ["turns"],
  rules: list.map((each, index) => ({ ...each, name: `rule ${index}` })),
}));

type Seen = Readonly<Record<string, string>>;

function* combinations(of: Protocol, names: readonly string[]): Generator<Seen> {
  const [name, ...others] = names;
  if (name === undefined) return yield {};
  for (const rest of combinations(of, others))
    for (const value of valuesOf(of, name)) yield { ...rest, [name]: value };
}

function firstRule(of: Protocol, seen: Seen): number {
  return of.rules.findIndex((each) =>
    Object.entries(each.when).every(([subject, wanted]) => wanted.includes(seen[subject] ?? "")),
  );
}

const everything = [...Object.keys(subjects), "request"];

interface Naive {
  readonly fired: Set<number>;
  readonly open: Seen[];
}

function naive(of: Protocol, phase: string, holds: (seen: Seen) => boolean = () => true): Naive {
  const found: Naive = { fired: new Set(), open: [] };
  for (const combination of combinations(of, everything)) {
    if (!holds(combination)) continue;
    const index = firstRule(of, { ...combination, phase });
    if (index < 0) found.open.push(combination);
    else found.fired.add(index);
  }
  return found;
}

describe("the checker and plain enumeration agree", () => {
  it("on which rules decide, and on combinations without a rule", () => {
    fc.assert(
      fc.property(protocol, (random) => {
        for (const phase of phaseNames) {
          const walk = walkPhase(random, phase);
          const { fired, open } = naive(random, phase);
          expect([...walk.fired].sort()).toEqual([...fired].sort());
          expect(walk.open !== null).toBe(open.length > 0);
          const shown = Object.entries(walk.open ?? {});
          if (walk.open)
            expect(open.some((each) => shown.every(([name, values]) => each[name] === values[0]))).toBe(true);
        }
      }),
      { numRuns: 300, seed: 14 },
    );
  });

  it("on the findings: shadowed rules, dead ends, unreachable phases, unbounded loops", () => {
    const met = new Set<string>();
    fc.assert(
      fc.property(protocol, (random) => {
        const found = checkProtocol(random);
        const codes = (code: string) => found.filter((each) => each.code === code).length;
        for (const each of found) met.add(each.code);
        const seen = new Map(phaseNames.map((phase) => [phase, naive(random, phase)]));
        const fired = new Set([...seen.values()].flatMap((each) => [...each.fired]));
        expect(codes("shadowed-rule")).toBe(random.rules.length - fired.size);
        const open = phaseNames.slice(0, 2).filter((phase) => seen.get(phase)?.open.length);
        expect(codes("dead-end")).toBe(open.length);
        expect(codes("unreachable-phase")).toBe(3 - reachedFrom("p", edges(random, seen)).size);
        expect(codes("unbounded-loop") > 0).toBe(hasLoop(freeEdges(random)));
      }),
      { numRuns: 300, seed: 41 },
    );
    expect([...met].sort()).toEqual([
      "dead-end",
      "no-way-on",
      "shadowed-rule",
      "unbounded-loop",
      "unreachable-phase",
    ]);
  });
});

type Edges = readonly (readonly [from: string, to: string])[];

function edges(random: Protocol, seen: ReadonlyMap<string, Naive>): Edges {
  return [...seen].flatMap(([phase, { fired }]) =>
    [...fired].flatMap((index) => {
      const action = random.rules[index]?.then;
      return action?.kind === "go" ? [[phase, action.to] as const] : [];
    }),
  );
}

/** Transitions that nothing stops: they happen without a person, and still when what they count is reached. */
function freeEdges(random: Protocol): Edges {
  const byItself = ({ request = "" }: Seen) => automatic.includes(request);
  const exhausted = (seen: Seen) => byItself(seen) && seen.turns === "reached";
  return phaseNames.flatMap((phase) => {
    const [any, atBound] = [naive(random, phase, byItself).fired, naive(random, phase, exhausted).fired];
    return random.rules.flatMap(({ then: action }, index) => {
      if (action.kind !== "go") return [];
      return (action.counts === undefined ? any : atBound).has(index) ? [[phase, action.to] as const] : [];
    });
  });
}

function reachedFrom(start: string, ways: Edges): Set<string> {
  const reached = new Set([start]);
  for (const phase of reached) for (const [from, to] of ways) if (from === phase) reached.add(to);
  return reached;
}

function hasLoop(ways: Edges): boolean {
  return ways.some(([from, to]) => reachedFrom(to, ways).has(from));
}

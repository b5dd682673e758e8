// Each kind of finding, planted in a protocol that is otherwise clean.
import { describe, expect, it } from "vitest";
import { artifact, counter } from "../../src/core/artifact.ts";
import type { Problem } from "../../src/core/problem.ts";
import {
  asked,
  at,
  end,
  go,
  halt,
  job,
  type Protocol,
  type Rule,
  rule,
  type Subject,
  saw,
  wait,
} from "../../src/core/protocol.ts";
import { protocolNamed, protocols } from "../../src/packs/registry.ts";
import { checkProtocol } from "../../src/protocols/check.ts";
import { walkPhase } from "../../src/protocols/check-walk.ts";

const flag = (...values: readonly string[]): Subject => ({
  about: "a flag",
  values,
  see: () => values[0] ?? "",
});

/** Draft and review until the review passes, three times at most. */
const clean: Protocol = {
  name: "letters",
  about: "a letter is written",
  phases: [
    { name: "draft", about: "it is drafted" },
    { name: "review", about: "it is reviewed" },
    { name: "sent", about: "it is sent", end: true },
  ],
  artifacts: { letter: "letter.md", verdict: "verdict.json", address: "address.txt" },
  given: ["address"],
  subjects: {
    address: artifact("address"),
    letter: artifact("letter"),
    verdict: flag("none", "good", "bad"),
    turns: counter("turns", () => 3),
  },
  counters: ["turns"],
  rules: [
    rule("there is no address", at("draft"), saw("address", "missing", "invalid"), wait("write address.txt")),
    rule("the letter is written", at("draft"), saw("letter", "valid"), go("review")),
    rule("the letter is not written", at("draft"), job("writer", "letter")),
    rule("the letter is good", at("review"), saw("verdict", "good"), go("sent")),
    rule(
      "the turns are used up",
      at("review"),
      saw("verdict", "bad"),
      saw("turns", "reached"),
      halt("turns", "-"),
    ),
    rule("the letter is bad", at("review"), saw("verdict", "bad"), go("draft", "turns")),
    rule("there is no verdict", at("review"), job("reader", "verdict")),
    rule("the letter is sent", at("sent"), end()),
  ],
};

function changed(change: Partial<Protocol>): Protocol {
  return { ...clean, ...change };
}

function without(...names: readonly string[]): readonly Rule[] {
  return clean.rules.filter((each) => !names.includes(each.name));
}

const first = (...rules: readonly Rule[]) => changed({ rules: [...rules, ...clean.rules] });
const last = (...rules: readonly Rule[]) => changed({ rules: [...clean.rules, ...rules] });
const codes = (problems: readonly Problem[]) => problems.map((each) => each.code);

function only(protocol: Protocol): Problem {
  const problems = checkProtocol(protocol);
  expect(problems).toHaveLength(1);
  const [problem] = problems;
  if (!problem) throw new Error("bug: no problem");
  expect(problem.hint).not.toBe("");
  return problem;
}

describe("the built-in protocols", () => {
  it.each(Object.values(protocols))("L14 $name has no findings", (protocol) => {
    expect(checkProtocol(protocol)).toEqual([]);
  });
  it("are found by their names, and nothing else is", () => {
    expect(Object.keys(protocols)).toEqual(["decomposition", "lifecycle", "mission", "tuning"]);
    for (const [name, protocol] of Object.entries(protocols)) {
      expect(protocol.name).toBe(name);
      expect(protocolNamed(name)).toBe(protocol);
    }
    expect(protocolNamed("constructor")).toBeUndefined();
  });
  it.each(Object.values(protocols))("$name has a sentence and a phase for every rule", (protocol) => {
    for (const each of protocol.rules) {
      expect(each.name).toMatch(/\w+ \w+/);
      expect(each.when.phase).toBeDefined();
    }
  });
});

describe("U8 findings", () => {
  it("a clean protocol has none", () => {
    expect(checkProtocol(clean)).toEqual([]);
  });

  const misspelt: readonly (readonly [string, Protocol, string, string])[] = [
    [
      "a subject",
      first(rule("x", at("draft"), saw("leter", "valid"), wait("-"))),
      "unknown-subject",
      "`letter`",
    ],
    ["a value", first(rule("x", at("draft"), saw("letter", "vald"), wait("-"))), "unknown-value", "`valid`"],
    [
      "a phase",
      first(rule("x", at("drafts"), saw("letter", "stale"), wait("-"))),
      "unknown-phase",
      "`draft`",
    ],
    [
      "a target",
      first(rule("x", at("draft"), saw("letter", "stale"), go("reviews"))),
      "unknown-phase",
      "`review`",
    ],
    [
      "a counter",
      first(rule("x", at("review"), saw("verdict", "bad"), go("sent", "turn"))),
      "unknown-counter",
      "`turns`",
    ],
    [
      "an output",
      first(rule("x", at("draft"), saw("letter", "stale"), job("writer", "leter"))),
      "unknown-artifact",
      "`letter`",
    ],
    ["a given artifact", changed({ given: ["address", "letters"] }), "unknown-artifact", "`letter`"],
    [
      "a graph's phase",
      changed({ graph: { opens: "draft", runs: "reviewed" } }),
      "unknown-phase",
      "`review`",
    ],
  ];
  it.each(misspelt)("%s that is misspelt", (_what, protocol, code, meant) => {
    const found = only(protocol);
    expect(found.code).toBe(code);
    expect(found.hint).toContain(meant);
  });

  it("names that objects inherit are unknown too", () => {
    expect(codes(checkProtocol(first(rule("x", at("draft"), saw("constructor", "y"), wait("-")))))).toContain(
      "unknown-subject",
    );
  });
  it("a counter without a subject", () => {
    expect(codes(checkProtocol(changed({ counters: ["turns", "pages"] })))).toEqual(["unknown-counter"]);
  });
  it("a phase that is listed twice, and no phases at all", () => {
    expect(only(changed({ phases: [...clean.phases, { name: "draft", about: "again" }] })).code).toBe(
      "doubled-phase",
    );
    expect(codes(checkProtocol(changed({ phases: [] })))).toContain("no-phases");
  });
  it("a phase that nothing leads to", () => {
    const lost = rule("the letter lies around", at("drawer"), go("sent"));
    const found = only(
      changed({
        phases: [...clean.phases, { name: "drawer", about: "forgotten" }],
        rules: [...clean.rules, lost],
      }),
    );
    expect(found).toMatchObject({ code: "unreachable-phase", message: expect.stringContaining("`drawer`") });
  });
  it("a phase that only a rule which never decides leads to", () => {
    const drawer = { phases: [...clean.phases, { name: "drawer", about: "forgotten", end: true }] };
    const rules = [...clean.rules, rule("the letter is put away", at("draft"), go("drawer"))];
    expect(codes(checkProtocol(changed({ ...drawer, rules })))).toEqual([
      "unreachable-phase",
      "shadowed-rule",
    ]);
  });
  it("a combination without a rule, which is shown", () => {
    const found = only(changed({ rules: without("there is no verdict") }));
    expect(found.code).toBe("dead-end");
    expect(found.message).toBe("in phase `review` no rule decides when `verdict` is `none`");
  });
  it("a phase without any rule", () => {
    const found = checkProtocol(
      changed({ rules: clean.rules.filter((each) => each.when.phase?.[0] !== "review") }),
    );
    expect(codes(found).sort()).toEqual(["dead-end", "no-way-on", "no-way-on", "unreachable-phase"]);
  });
  it("a phase that can only wait", () => {
    const stuck = rule("the letter is good", at("review"), saw("verdict", "good"), wait("-"));
    const rules = clean.rules.map((each) => (each.name === stuck.name ? stuck : each));
    const found = checkProtocol(changed({ rules }));
    expect(codes(found)).toEqual(["unreachable-phase", "no-way-on", "no-way-on"]);
    expect(found[1]?.message).toContain("`draft`");
  });
  it("an `end` is a way on where no end phase is", () => {
    const ends = rule("the letter is good", at("review"), saw("verdict", "good"), end());
    const rules = clean.rules.map((each) => (each.name === ends.name ? ends : each)).slice(0, -1);
    expect(checkProtocol(changed({ rules, phases: clean.phases.slice(0, 2) }))).toEqual([]);
  });
  it("a rule that never decides, with those that decide before it", () => {
    const found = only(last(rule("the letter is bad again", at("review"), saw("verdict", "bad"), wait("-"))));
    expect(found.code).toBe("shadowed-rule");
    expect(found.notes).toEqual([
      "`the turns are used up` decides before it",
      "`the letter is bad` decides before it",
    ]);
  });
  it("a rule that two others cover only together", () => {
    const rules = [
      rule("valid", at("draft"), saw("letter", "valid"), go("review")),
      rule("not valid", at("draft"), saw("letter", "missing", "invalid", "stale"), wait("-")),
    ];
    const covered = changed({ rules: [...rules, ...clean.rules.slice(2)] });
    expect(codes(checkProtocol(covered))).toEqual(["shadowed-rule"]);
  });
  it("a rule without a value to fire for", () => {
    expect(only(first(rule("never", at("draft"), saw("letter"), wait("-")))).code).toBe("shadowed-rule");
  });
  it("a loop that nothing counts, as a path", () => {
    const free = rule("the letter is bad", at("review"), saw("verdict", "bad"), go("draft"));
    const found = only(
      changed({ rules: clean.rules.map((each) => (each.name === free.name ? free : each)) }),
    );
    expect(found.code).toBe("unbounded-loop");
    expect(found.message).toBe("the loop draft → review → draft has no bound");
    expect(found.notes).toEqual([
      "draft → review: the letter is written",
      "review → draft: the letter is bad",
    ]);
  });
  it("a loop that goes on when its counter is reached", () => {
    const found = only(changed({ rules: without("the turns are used up") }));
    expect(found).toMatchObject({ code: "unbounded-loop", hint: expect.stringContaining(": reached }") });
  });
  it("a loop that is bounded in one phase and not in another", () => {
    const rules = [rule("it is torn", at("review"), saw("verdict", "none"), go("draft")), ...clean.rules];
    expect(
      codes(checkProtocol(changed({ rules: rules.filter((each) => each.name !== "there is no verdict") }))),
    ).toEqual(["unbounded-loop"]);
  });
  it("a phase that goes to itself", () => {
    const found = only(first(rule("it is stale", at("draft"), saw("letter", "stale"), go("draft"))));
    expect(found.message).toBe("the loop draft → draft has no bound");
  });
  it("a loop is bounded when a person has to ask for it, and not when a driver asks", () => {
    expect(checkProtocol(first(rule("once more", at("sent"), asked("again"), go("draft"))))).toEqual([]);
    expect(codes(checkProtocol(first(rule("on", at("sent"), asked("drive"), go("draft")))))).toEqual([
      "unbounded-loop",
    ]);
  });
  it("an artifact that nobody makes", () => {
    const found = only(changed({ given: [] }));
    expect(found).toMatchObject({ code: "unmade-artifact", message: expect.stringContaining("`address`") });
  });
  it("a role without a skill, when the roles are known", () => {
    expect(codes(checkProtocol(clean, { roles: ["writer", "reader"] }))).toEqual([]);
    const [found, ...others] = checkProtocol(clean, { roles: ["writer", "raeder"] });
    expect(others).toEqual([]);
    expect(found).toMatchObject({ code: "unknown-role", hint: "did you mean `raeder`?" });
  });
});

describe("size", () => {
  /** Each pair can be seen in three ways that the last rule still tells apart. */
  function pairs(count: number): Protocol {
    const names = Array.from({ length: count }, (_, each) => [`a${each}`, `b${each}`] as const);
    const subjects = Object.fromEntries(names.flat().map((name) => [name, flag("no", "yes")]));
    const rules = names.map(([a, b]) =>
      rule(`${a} and ${b}`, at("draft"), saw(a, "yes"), saw(b, "yes"), wait("-")),
    );
    const calm = rule("all is calm", at("draft"), ...names.flat().map((name) => saw(name, "no")), go("sent"));
    const ending = [rule("sent", at("sent"), end()), rule("else", at("draft"), wait("-"))];
    return changed({
      phases: [clean.phases[0], clean.phases[2]].flatMap((phase) => phase ?? []),
      subjects,
      counters: [],
      given: [],
      rules: [...rules, calm, ...ending],
    });
  }
  it("what is too large is refused with the subjects' names", () => {
    expect(checkProtocol(pairs(6))).toEqual([]);
    const found = only(pairs(20));
    expect(found.code).toBe("too-large");
    expect(found.notes?.[0]).toContain("`b19`");
    expect(codes(checkProtocol(pairs(6), { limit: 100 }))).toEqual(["too-large"]);
  });
  it("a product of 2^60 combinations is no obstacle when rules look at few at a time", () => {
    const names = Array.from({ length: 60 }, (_, each) => `s${each}`);
    const subjects = Object.fromEntries(names.map((name) => [name, flag("no", "yes")]));
    const rules = names.map((name) => rule(name, at("draft"), saw(name, "yes"), wait("-")));
    const wide = changed({ subjects: { ...clean.subjects, ...subjects }, rules: [...rules, ...clean.rules] });
    expect(checkProtocol(wide)).toEqual([]);
  });
  it("the built-in ones are small", () => {
    for (const protocol of Object.values(protocols))
      for (const { name } of protocol.phases)
        expect(walkPhase(protocol, name, { limit: 100 }).isTooLarge).toBe(false);
  });
});

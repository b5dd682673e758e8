// All eight phases, each with its artifact missing, invalid, negative and positive, with and without an override: what is
// suggested, written down from the documents (L3–L10), and held against what heddle says.
import { describe, expect, it } from "vitest";
import { apply } from "../../src/core/apply.ts";
import type { Input } from "../../src/core/input.ts";
import { asked, at, go, type Protocol, type Rule, rule, saw } from "../../src/core/protocol.ts";
import type { Run } from "../../src/core/run.ts";
import { step } from "../../src/core/step.ts";
import { lifecycle, lifecycleInputs } from "../../src/packs/lifecycle/protocol.ts";
import { suggestNext } from "../../src/view/suggestion.ts";
import { type Put, put, seeded, stage } from "../protocols/stage.ts";

type Content = NonNullable<Put["content"]>;

interface Row {
  readonly phase: string;
  /** The artifacts that the phase leaves; the first one is what is varied. */
  readonly leaves: readonly string[];
  readonly positive: Content;
  readonly negative: Content;
  /** What is suggested: a phase to go to, or `run` for running this one, `wait`, `end`. */
  readonly missing: string;
  readonly invalid: string;
  readonly refused: string;
  readonly passed: string;
  /** Where an override leads by default, and everywhere else that it may lead. */
  readonly forward: string | null;
  readonly others: readonly string[];
}

const table: readonly Row[] = [
  {
    ...{ phase: "planning", leaves: ["plan"], positive: {}, negative: { blocking_questions: ["which?"] } },
    ...{ missing: "run", invalid: "run", refused: "wait", passed: "plan_review" },
    ...{ forward: "plan_review", others: [] },
  },
  {
    ...{ phase: "plan_review", leaves: ["plan_review"], positive: { ok: true }, negative: { ok: false } },
    ...{ missing: "run", invalid: "run", refused: "planning", passed: "codegen" },
    ...{ forward: "codegen", others: ["planning"] },
  },
  {
    ...{ phase: "codegen", leaves: ["diff", "files"], positive: {}, negative: { scope_mismatch: true } },
    ...{ missing: "run", invalid: "run", refused: "planning", passed: "review" },
    ...{ forward: "review", others: ["planning", "plan_review"] },
  },
  {
    ...{ phase: "review", leaves: ["code_review"], positive: { ok: true }, negative: { ok: false } },
    ...{ missing: "run", invalid: "run", refused: "codegen", passed: "test" },
    ...{ forward: "test", others: ["codegen", "planning"] },
  },
  {
    ...{
      phase: "test",
      leaves: ["eval_report"],
      positive: { overall_pass: true },
      negative: { overall_pass: false },
    },
    ...{ missing: "run", invalid: "run", refused: "codegen", passed: "accept" },
    ...{ forward: "accept", others: ["codegen"] },
  },
  {
    ...{
      phase: "accept",
      leaves: ["decision"],
      positive: { verdict: "accepted" },
      negative: { verdict: "rejected" },
    },
    ...{ missing: "run", invalid: "run", refused: "codegen", passed: "done" },
    ...{ forward: "done", others: ["codegen", "review", "planning", "revert"] },
  },
  {
    ...{ phase: "revert", leaves: ["revert"], positive: {}, negative: {} },
    ...{ missing: "run", invalid: "run", refused: "done", passed: "done" },
    ...{ forward: "done", others: [] },
  },
  {
    ...{ phase: "done", leaves: [], positive: {}, negative: {} },
    ...{ missing: "end", invalid: "end", refused: "end", passed: "end" },
    ...{ forward: null, others: ["planning"] },
  },
];

/** A run that came here with everything before it in order. */
function came({ phase }: Row): Run {
  const run = stage(lifecycle, phase);
  for (const row of table) {
    if (row.phase === phase || row.phase === "revert") break;
    for (const name of row.leaves)
      put(run, name, { content: row.positive, from: lifecycleInputs[name] ?? [] });
    run.completedPhases.push(row.phase);
  }
  return run;
}

const kinds = ["missing", "invalid", "refused", "passed"] as const;

function having(row: Row, kind: (typeof kinds)[number]): Run {
  const run = came(row);
  if (kind === "missing") return run;
  const content = kind === "refused" ? row.negative : row.positive;
  for (const name of row.leaves)
    put(run, name, {
      content,
      valid: kind !== "invalid",
      from: lifecycleInputs[name] ?? [],
      digest: `${name} new`,
    });
  return run;
}

function suggestion(run: Run): string {
  const { action, suggestedNext } = suggestNext(run, {});
  if (action === "go") return suggestedNext;
  return action === "job" ? "run" : action;
}

function override(run: Run, to?: string): string {
  const { facts, problems } = step(run, {
    kind: "override",
    reason: "so be it",
    digests: {},
    ...(to && { to }),
  });
  if (problems[0]) return problems[0].code;
  for (const fact of facts) apply(run, { position: run.position + 1, at: "", by: "test", fact });
  return run.phase;
}

describe.each(table)("$phase", (row) => {
  it.each(kinds)("L3 L4 L5 L8 its artifact %s: the suggestion of the documents", (kind) => {
    expect(suggestion(having(row, kind))).toBe(row[kind]);
  });
  it.each(kinds)("L10 its artifact %s, and a person goes on all the same", (kind) => {
    expect(override(having(row, kind))).toBe(row.forward ?? "unreachable");
  });
  it("L10 an override leads to phases that the machine can reach, and to no other", () => {
    const allowed = [...row.others, ...(row.forward ? [row.forward] : [])];
    for (const { phase } of table)
      expect(override(having(row, "missing"), phase), phase).toBe(
        allowed.includes(phase) ? phase : "unreachable",
      );
  });
  it("C9 an override without a reason is refused, and nothing changes", () => {
    const run = having(row, "missing");
    const { facts, problems } = step(run, { kind: "override", reason: "  ", digests: {} });
    expect([facts.length, problems[0]?.code]).toEqual([0, "no-reason"]);
  });
});

describe("a phase that nobody knows", () => {
  it("L7 L8 is an error in the same shape, with every phase that there is, and nothing moves", () => {
    const run = stage(lifecycle, "banana");
    const all = table.map(({ phase }) => phase);
    expect(suggestNext(run, {})).toEqual({
      run: "run",
      currentPhase: "banana",
      suggestedNext: "banana",
      reason: `phase \`banana\` is unknown; the phases are ${all.join(", ")}`,
      because: [],
      action: "none",
      hint: { do: "restore-view" },
      evidence: { phase: "banana" },
      alternatives: all,
    });
    expect(step(run, { kind: "advance", digests: {} }).problems).toHaveLength(1);
    expect(override(run)).toBe("unreachable");
    expect(run.phase).toBe("banana");
  });
});

interface Walked {
  readonly wrong: readonly string[];
  readonly taken: ReadonlySet<string>;
  readonly done: number;
  readonly overrides: number;
}

const edges = new Set(
  table.flatMap(({ phase, forward, others }) =>
    [...others, ...(forward ? [forward] : [])].map((to) => `${phase} → ${to}`),
  ),
);
const place = (name: string) => table.findIndex(({ phase }) => phase === name);

/** People and agents at work on one task after the other: artifacts come, change, break and go; overrides are said. */
function walk(protocol: Protocol, steps: number): Walked {
  const pick = seeded(11);
  const wrong: string[] = [];
  const taken = new Set<string>();
  let run = stage(protocol);
  let [done, overrides] = [0, 0];
  for (let at = 1; at <= steps; at++) {
    const before = run.phase;
    const { input, word } = saying(pick);
    const { facts } = step(run, input);
    for (const fact of facts) apply(run, { position: at, at: "", by: "test", fact });
    if (run.phase !== before) {
      if (!isGivenUp(run, word) || before === "accept") taken.add(`${before} → ${run.phase}`);
      if (word === "override") overrides++;
      wrong.push(
        ...illegal(run, before, word).map((what) => `step ${at}: ${before} → ${run.phase}: ${what}`),
      );
    }
    if (run.phase === "done") done++;
    else if (facts.length === 0) leaveSomething(run, { pick, at });
    if (pick(2_000) === 0) run = stage(protocol);
  }
  return { wrong, taken, done, overrides };
}

type Word = "advance" | "redo" | "revert" | "override";

function saying(pick: (below: number) => number): { input: Input; word: Word } {
  const said = pick(10);
  if (said === 0) {
    const to = pick(3) === 0 ? table[pick(8)]?.phase : undefined;
    return { input: { kind: "override", reason: "on", digests: {}, ...(to && { to }) }, word: "override" };
  }
  const word = said === 1 ? "redo" : said === 2 ? "revert" : "advance";
  return { input: { kind: "advance", digests: {}, ...(word !== "advance" && { request: word }) }, word };
}

/** By a person's word, wherever it is (L17). */
const isGivenUp = ({ phase }: Run, word: Word) => phase === "revert" && word === "revert";

/** What is wrong with a transition that was taken, by the letter of L3, L9 and L10. */
function illegal(run: Run, before: string, word: Word): string[] {
  const isForward = place(run.phase) > place(before);
  const leaves = table[place(before)]?.leaves ?? [];
  const row = table[place(before)];
  const isThere = leaves.every((name) => run.artifacts[name]?.valid === true);
  const says = leaves.length > 0 && run.artifacts[leaves[0] ?? ""]?.content;
  const isGood = isThere && JSON.stringify(says) === JSON.stringify(row?.positive);
  return [
    ...(edges.has(`${before} → ${run.phase}`) || isGivenUp(run, word)
      ? []
      : ["no transition of the machine"]),
    ...(before === "done" && !["redo", "override"].includes(word) ? ["done was left unasked"] : []),
    ...(isForward && word === "override" && run.completedPhases.includes(before)
      ? ["passed over, and yet counted as completed"]
      : []),
    ...(isForward && word === "advance" && run.phase !== "revert" && !isGood
      ? ["forward without what it needs"]
      : []),
    ...(isForward && word === "advance" && !run.completedPhases.includes(before) ? ["not completed"] : []),
  ];
}

describe("random walks with people in them", () => {
  it("L3 L10 100,000 steps: only transitions of the machine, no phase skipped without a word, and done is terminal", () => {
    const { wrong, taken, done, overrides } = walk(lifecycle, 100_000);
    expect(wrong).toEqual([]);
    expect([...taken].sort()).toEqual([...edges].sort());
    expect(done).toBeGreaterThan(1_000);
    expect(overrides).toBeGreaterThan(500);
  });

  const planted: readonly (readonly [what: string, rule: Rule, said: string])[] = [
    [
      "a phase that is skipped",
      rule("good enough", at("planning"), saw("plan", "ready"), go("codegen")),
      "no transition of the machine",
    ],
    [
      "a way that only a person's word opens, too far",
      rule("never", at("planning"), asked("never"), go("test")),
      "no transition of the machine",
    ],
    ["an end that is left", rule("once more", at("done"), go("planning")), "done was left unasked"],
    [
      "tests that are missing and count as passed",
      rule("nothing failed", at("test"), saw("tests", "missing", "passed"), go("accept")),
      "forward without what it needs",
    ],
    [
      "a review without its verdict",
      rule("it is there", at("plan_review"), saw("plan review", "invalid"), go("codegen")),
      "forward without what it needs",
    ],
    [
      "a red test that is accepted",
      rule("it is tested", at("test"), saw("tests", "failed"), go("accept")),
      "forward without what it needs",
    ],
  ];
  it.each(planted)("they notice %s", (_what, bug, said) => {
    const { wrong } = walk({ ...lifecycle, rules: [bug, ...lifecycle.rules] }, 20_000);
    expect(wrong.join("\n")).toContain(said);
  });
});

/** Somebody makes, breaks or takes away an artifact. */
function leaveSomething(run: Run, { pick, at }: { pick: (below: number) => number; at: number }): void {
  const row = table[pick(4) === 0 ? pick(7) : place(run.phase)];
  for (const name of row?.leaves ?? []) {
    const kind = pick(8);
    if (kind === 0) delete run.artifacts[name];
    else {
      const content = kind === 1 ? (row?.negative ?? {}) : (row?.positive ?? {});
      put(run, name, {
        content,
        valid: kind !== 2,
        digest: `${name} ${at}`,
        from: lifecycleInputs[name] ?? [],
      });
    }
  }
}

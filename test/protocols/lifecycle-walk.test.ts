// Long random walks through the lifecycle: artifacts appear, change, break and vanish, people ask for things, and
// agents do their jobs. Whatever happens, only the transitions of L3 are taken, and only with what they need.
import { describe, expect, it } from "vitest";
import { apply } from "../../src/core/apply.ts";
import { go, type Protocol, rule, saw } from "../../src/core/protocol.ts";
import type { Json, Run } from "../../src/core/run.ts";
import { lifecycle, lifecycleInputs } from "../../src/packs/lifecycle/protocol.ts";
import { decided, look, put, seeded, stage } from "./stage.ts";

type Pick = (below: number) => number;
type Content = Readonly<Record<string, Json>>;

const allowed = [
  "planning → plan_review",
  "plan_review → codegen",
  "plan_review → planning",
  "codegen → review",
  "codegen → planning",
  "codegen → plan_review",
  "review → test",
  "review → codegen",
  "review → planning",
  "test → accept",
  "test → codegen",
  "accept → done",
  "accept → codegen",
  "accept → review",
  "accept → planning",
  "accept → revert",
  "revert → done",
  "done → planning",
];

/** The first is good, the second of the wrong shape where a shape is asked for, the others are negative. */
const contents: Readonly<Record<string, readonly Content[]>> = {
  plan: [{}, { blocking_questions: "?" }, { blocking_questions: 1 }],
  plan_review: [{ ok: true }, { blocking_issues: [] }, { ok: false }, { ok: true, blocking_issues: 1 }],
  diff: [{}, { scope_mismatch: 1 }, { scope_mismatch: true }, { plan_unclear: true }],
  files: [{}],
  code_review: [{ ok: true }, {}, { ok: false }, { ok: false, back_to: "planning" }],
  eval_report: [{ overall_pass: true }, { overall_pass: 1 }, { overall_pass: false }],
  decision: [
    { verdict: "accepted" },
    { verdict: "ok" },
    { verdict: "rejected" },
    { verdict: "rejected", back_to: "review" },
    { verdict: "rejected", back_to: "planning" },
    { verdict: "rejected", regression: true },
    { verdict: "deferred" },
  ],
  revert: [{}],
};
const names = Object.keys(contents);

/** What must be there for a step forward, by the letter of L3. */
const needs: Readonly<Record<string, readonly [artifact: string, holds: (content: Content) => boolean]>> = {
  "planning → plan_review": ["plan", ({ blocking_questions = 0 }) => blocking_questions === 0],
  "plan_review → codegen": [
    "plan_review",
    ({ ok, blocking_issues = 0 }) => ok === true && blocking_issues === 0,
  ],
  "codegen → review": ["diff", () => true],
  "review → test": ["code_review", ({ ok }) => ok === true],
  "test → accept": ["eval_report", ({ overall_pass }) => overall_pass === true],
  "accept → done": ["decision", ({ verdict }) => verdict === "accepted"],
};

interface Outcome {
  readonly taken: ReadonlySet<string>;
  readonly wrong: readonly string[];
}

function walk(protocol: Protocol, { seed, steps }: { seed: number; steps: number }): Outcome {
  const pick = seeded(seed);
  const taken = new Set<string>();
  const wrong: string[] = [];
  let run = stage(protocol);
  let digests: Record<string, string | null> = {};
  for (let step = 1; step <= steps; step++) {
    const said = ["drive", "drive", "drive", "advance", "revert", "redo"][pick(6)] ?? "drive";
    // Seldom elsewhere than at `accept`, or no walk would come far.
    const request = said === "revert" && run.phase !== "accept" && pick(40) > 0 ? "drive" : said;
    const { rule: fired } = look(run, { request, digests });
    if (!fired) wrong.push(`step ${step}: no rule in ${run.phase}`);
    if (fired?.then.kind === "go") {
      const edge = `${run.phase} → ${fired.then.to}`;
      // Given up by a person's word, wherever it is (L17).
      const isGivenUp = request === "revert" && fired.then.to === "revert";
      if (!isGivenUp || run.phase === "accept") taken.add(edge);
      if (!allowed.includes(edge) && !isGivenUp) wrong.push(`step ${step}: ${edge}, because ${fired.name}`);
      if (!isEarned(run, edge)) wrong.push(`step ${step}: ${edge} without what it needs`);
      enter(run, { step, to: fired.then.to, counts: fired.then.counts ?? null });
    } else if (fired?.then.kind === "halt" || pick(400) === 0) {
      [run, digests] = [stage(protocol), {}];
    } else if (fired?.then.kind === "job" && pick(4) > 0)
      produce(run, digests, { name: fired.then.makes, pick, step });
    else disturb(run, digests, { pick, step });
  }
  return { taken, wrong };
}

function isEarned(run: Run, edge: string): boolean {
  const [artifact, holds] = needs[edge] ?? [];
  if (artifact === undefined || holds === undefined) return true;
  const there = run.artifacts[artifact];
  return there?.valid === true && holds(there.content);
}

function enter(run: Run, { step, to, counts }: { step: number; to: string; counts: string | null }): void {
  const fact = { kind: "phase-entered" as const, from: run.phase, to, rule: "", counts };
  apply(run, { position: step, at: "", by: "test", fact });
}

interface Chance {
  readonly name?: string;
  readonly pick: Pick;
  readonly step: number;
}

function produce(
  run: Run,
  digests: Record<string, string | null>,
  { name = "plan", pick, step }: Chance,
): void {
  const possible = contents[name] ?? [{}];
  const content = possible[pick(2) === 0 ? 0 : pick(possible.length)] ?? {};
  const from = lifecycleInputs[name] ?? [];
  put(run, name, { content, valid: pick(8) > 0, digest: `${name} ${step}`, from });
  delete digests[name];
}

function disturb(run: Run, digests: Record<string, string | null>, { pick, step }: Chance): void {
  const name = names[pick(names.length)] ?? "plan";
  const kind = pick(4);
  if (kind === 0) digests[name] = null;
  else if (kind === 1) digests[name] = `edited ${step}`;
  else if (kind === 2) delete digests[name];
  else produce(run, digests, { name, pick, step });
}

describe("random walks", () => {
  it.each([1, 2, 3, 4, 5])(
    "L3 L5 20,000 steps take its transitions alone, and all of them (seed %i)",
    (seed) => {
      const { taken, wrong } = walk(lifecycle, { seed, steps: 20_000 });
      expect(wrong).toEqual([]);
      expect([...taken].sort()).toEqual([...allowed].sort());
    },
  );

  it("the walks notice a rule that skips a phase", () => {
    const skip = rule(
      "the plan is good enough",
      { when: { phase: ["planning"] } },
      saw("plan", "ready"),
      go("codegen"),
    );
    const { wrong } = walk({ ...lifecycle, rules: [skip, ...lifecycle.rules] }, { seed: 1, steps: 20_000 });
    expect(wrong[0]).toContain("planning → codegen");
  });
  it("the walks notice a review that passes without its `ok`", () => {
    const lax = rule(
      "the review is there",
      { when: { phase: ["plan_review"] } },
      saw("plan review", "invalid", "passed"),
      go("codegen"),
    );
    const { wrong } = walk({ ...lifecycle, rules: [lax, ...lifecycle.rules] }, { seed: 1, steps: 20_000 });
    expect(wrong[0]).toContain("plan_review → codegen without what it needs");
  });
});

describe("whole runs", () => {
  let made = 0;
  /** Carries out what is decided until something else than a transition or a job is. */
  function drive(
    run: Run,
    contentOf: (name: string) => Content,
  ): { readonly jobs: string[]; readonly end: string } {
    const jobs: string[] = [];
    for (let step = 1; step < 500; step++) {
      const then = look(run, { request: "drive" }).rule?.then;
      if (then?.kind === "go") enter(run, { step, to: then.to, counts: then.counts ?? null });
      else if (then?.kind === "job") {
        jobs.push(then.role);
        const from = lifecycleInputs[then.makes] ?? [];
        put(run, then.makes, { content: contentOf(then.makes), digest: `${then.makes} ${++made}`, from });
      } else break;
    }
    return { jobs, end: decided(run, { request: "drive" }) };
  }
  const good = (name: string): Content => contents[name]?.[0] ?? {};
  const all = ["planner", "plan-reviewer", "coder", "coder", "code-reviewer", "tester", "acceptor"];

  it("L3 with good work each role works once, in order", () => {
    expect(drive(stage(lifecycle), good)).toEqual({ jobs: all, end: "end done" });
  });
  it("L3 redo takes the whole way again, from a new plan", () => {
    const run = stage(lifecycle);
    drive(run, good);
    enter(run, { step: 900, to: "planning", counts: null });
    expect(drive(run, good)).toEqual({ jobs: all, end: "end done" });
  });
  it.each(["plan_review", "diff", "code_review", "eval_report", "decision"])(
    "L14 %s that is never good ends after five rounds",
    (name) => {
      const run = stage(lifecycle);
      const bad = (each: string): Content => (each === name ? (contents[each]?.[2] ?? {}) : good(each));
      expect(drive(run, bad).end).toBe("halt rounds_exhausted");
      expect(run.counters.rounds).toBe(5);
    },
  );
  it("L6 without new artifacts, transitions settle long before the rounds are used up", () => {
    const pick = seeded(7);
    for (let trial = 0; trial < 20_000; trial++) {
      const run = stage(lifecycle);
      run.policy = { ...run.policy, rounds: 1_000_000 };
      const phases = lifecycle.phases.map((phase) => phase.name);
      run.phase = phases[pick(7)] ?? "planning";
      run.completedPhases = phases.slice(0, phases.indexOf(run.phase)).filter(() => pick(6) > 0);
      for (const name of names) if (pick(4) > 0) produce(run, {}, { name, pick, step: trial });
      let steps = 0;
      for (; steps < 30; steps++) {
        const then = look(run, { request: "drive" }).rule?.then;
        if (then?.kind !== "go") break;
        enter(run, { step: steps, to: then.to, counts: then.counts ?? null });
      }
      expect(steps, JSON.stringify(run.artifacts)).toBeLessThan(12);
    }
  });
});

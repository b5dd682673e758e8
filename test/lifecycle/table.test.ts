// All eight phases, each with its artifact missing, invalid, negative and positive, with and without an override: what is
// suggested, written down from the documents (L3–L10), and held against what heddle says.
import { describe, expect, it } from "vitest";
import { apply } from "../../src/core/apply.ts";
import type { Run } from "../../src/core/run.ts";
import { step } from "../../src/core/step.ts";
import { lifecycle, lifecycleInputs } from "../../src/protocols/lifecycle/protocol.ts";
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

describe("random walks with people in them", () => {
  it("L3 L10 100,000 steps: only transitions of the machine, no phase skipped without a word, and done is terminal", () => {
    const pick = seeded(11);
    const edges = new Set(
      table.flatMap(({ phase, forward, others }) => [...others, forward].map((to) => `${phase} → ${to}`)),
    );
    let run = stage(lifecycle);
    let [done, overrides, walked] = [0, 0, 0];
    for (let at = 1; at <= 100_000; at++) {
      const before = run.phase;
      const said = pick(10);
      const input =
        said === 0
          ? ({ kind: "override", reason: "on", digests: {} } as const)
          : ({
              kind: "advance",
              digests: {},
              ...(said < 3 && { request: said === 1 ? "redo" : "revert" }),
            } as const);
      const { facts } = step(run, input);
      for (const fact of facts) apply(run, { position: at, at: "", by: "test", fact });
      if (run.phase !== before) {
        walked++;
        expect(edges.has(`${before} → ${run.phase}`), `${before} → ${run.phase}`).toBe(true);
        const passed = run.completedPhases.includes(before);
        const forward =
          table.findIndex(({ phase }) => phase === run.phase) >
          table.findIndex(({ phase }) => phase === before);
        if (forward && before !== "done") expect(passed, "passed over without being said").toBe(said !== 0);
        if (said === 0) overrides++;
        if (before === "done") expect(said, "done was left unasked").toBe(1);
      }
      if (run.phase === "done") done++;
      else if (facts.length === 0) leaveSomething(run, { pick, at });
      if (pick(2_000) === 0) run = stage(lifecycle);
    }
    expect(done).toBeGreaterThan(1_000);
    expect(overrides).toBeGreaterThan(500);
    expect(walked).toBeGreaterThan(10_000);
  });
});

/** Somebody makes, breaks or takes away an artifact. */
function leaveSomething(run: Run, { pick, at }: { pick: (below: number) => number; at: number }): void {
  const row = table[pick(4) === 0 ? pick(7) : table.findIndex(({ phase }) => phase === run.phase)];
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

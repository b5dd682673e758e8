// One test per row of the two tables of the tuning document.
import { describe, expect, it } from "vitest";
import { apply } from "../../src/core/apply.ts";
import type { Json, Run } from "../../src/core/run.ts";
import { preconditions, unmet } from "../../src/packs/tuning/preconditions.ts";
import { diagnoses, tuning } from "../../src/packs/tuning/protocol.ts";
import { aboutArtifact } from "../../src/protocols/subject.ts";
import { decided, look, put, stage } from "./stage.ts";

type State = Readonly<Record<string, Json>>;

const done = (round: number, ...actions: readonly string[]): State =>
  Object.fromEntries(actions.map((action) => [`completed_actions.${action}`, round]));

const order = {
  target_skill: { name: "writer", path: "skills/writer" },
  user_issue_description: "it forgets",
};
const begun: State = { ...order, status: "running", ...done(0, "action-init") };
const analysed: State = { ...begun, ...done(0, "action-analyze-requirements") };
const allDiagnoses = diagnoses.map((type) => `action-diagnose-${type}`);
const diagnosed: State = { ...analysed, ...done(0, ...allDiagnoses) };
const reported: State = {
  ...diagnosed,
  ...done(0, "action-generate-report"),
  issues: [{ severity: "high" }],
};
const proposed: State = { ...reported, ...done(0, "action-propose-fixes"), proposed_fixes: ["FIX-1"] };
const selected: State = { ...proposed, "decisions.fixes.0": "all" };
const verified: State = {
  ...selected,
  ...done(0, "action-apply-fix", "action-verify"),
  applied_fixes: [{ fix_id: "FIX-1", verification_result: "pass" }],
  "verification.resolved": 1,
};

function having(...states: readonly State[]): Run {
  const run = stage(tuning);
  Object.assign(run.vars, ...states);
  return run;
}

const job = (action: string) => new RegExp(`^job action-${action} `);

describe("S1 termination, in the document's order and before everything else", () => {
  it("S1 user_exit ends well", () => {
    const run = having({ status: "user_exit", error_count: 9 });
    expect(decided(run)).toBe("go done");
    run.phase = "done";
    expect(decided(run)).toBe("end done");
  });
  it("S1 completed ends", () => {
    expect(decided(having({ status: "completed", error_count: 9 }))).toBe("go done");
  });
  it("S1 failed ends, also when the abort was the last thing that happened", () => {
    expect(decided(having({ status: "failed" }))).toBe("go aborted");
    const run = having(begun, { error_count: 3 }, done(0, "action-abort"));
    expect(decided(run)).toBe("go aborted");
    run.phase = "aborted";
    expect(decided(run)).toBe("end failed");
  });
  it("S2 three errors abort, before iterations and gate are looked at", () => {
    const rest = { iteration_count: 5, quality_gate: "pass" };
    expect(decided(having(begun, { error_count: 2 }))).not.toMatch(job("abort"));
    expect(decided(having(begun, rest, { error_count: 3 }))).toMatch(job("abort"));
    expect(decided(having(begun, rest, { error_count: 4, max_errors: 5 }))).toMatch(job("complete"));
  });
  it("S2 five iterations complete, before anything is selected", () => {
    expect(decided(having({ iteration_count: 5 }))).toMatch(job("complete"));
    expect(decided(having(order, { iteration_count: 4 }))).toMatch(job("init"));
    expect(decided(having(order, { iteration_count: 4, max_iterations: 4 }))).toMatch(job("complete"));
  });
  it("S1 a passed gate completes, before anything is selected", () => {
    expect(decided(having({ quality_gate: "pass" }))).toMatch(job("complete"));
    expect(decided(having(order, { quality_gate: "review" }))).toMatch(job("init"));
  });
  it("S2 after fifty steps it halts with step_limit, and no action is selected any more", () => {
    const rest = { error_count: 3, quality_gate: "pass" };
    expect(decided(having(begun, { steps: 49 }))).toMatch(/^job/);
    expect(decided(having(begun, rest, { steps: 50 }))).toBe("halt step_limit");
    expect(decided(having({ status: "completed", steps: 50 }))).toBe("go done");
  });
  it("S12 the final summary is shown before the end", () => {
    const finished = having(begun, { quality_gate: "pass" }, done(0, "action-complete"));
    expect(decided(finished)).toBe("ask");
    finished.vars["decisions.summary.0"] = "finish";
    expect(decided(finished)).toBe("go done");
  });
});

describe("S1 action selection", () => {
  it("S1 row 1: pending begins with init", () => {
    expect(decided(having(order))).toMatch(job("init"));
    expect(decided(having(order, { status: "pending" }))).toMatch(job("init"));
  });
  it("S12 without target or complaint a person is asked first", () => {
    expect(decided(having())).toBe("ask");
    expect(decided(having(order, { user_issue_description: "" }))).toBe("ask");
  });
  it("S1 row 2: the requirements are analysed", () => {
    expect(decided(having(begun))).toMatch(job("analyze-requirements"));
  });
  it("S4 row 3: clarification pauses, and goes on when it is answered", () => {
    const run = having(analysed, { requirement_analysis: { status: "needs_clarification" } });
    const asking = put(run, "requirements");
    expect(decided(run)).toBe("wait");
    const about = aboutArtifact(asking);
    run.questions.push({
      id: "q",
      text: "?",
      options: [],
      about,
      askedAt: "",
      answer: null,
      answeredBy: null,
    });
    expect(decided(run)).toBe("wait");
    run.questions = run.questions.map((question) => ({ ...question, answer: "the second" }));
    expect(decided(run)).toMatch(job("analyze-requirements"));
    put(run, "requirements", { digest: "another" });
    expect(decided(run)).toBe("wait");
    run.vars["requirement_analysis.status"] = "completed";
    expect(decided(run)).toMatch(job("diagnose-context"));
  });
  it("S4 row 4: unsatisfied coverage calls for deep analysis", () => {
    const coverage = (status: string) => ({ "requirement_analysis.coverage.status": status });
    expect(decided(having(analysed, coverage("unsatisfied")))).toMatch(job("gemini-analysis"));
    expect(decided(having(analysed, coverage("partial")))).toMatch(job("diagnose-context"));
    expect(decided(having(analysed, coverage("satisfied")))).toMatch(job("diagnose-context"));
  });
  const triggers: readonly (readonly [string, State])[] = [
    ["it is requested", { gemini_analysis_requested: true }],
    ["an issue is critical", { issues: [{ severity: "critical" }] }],
    ["issues are counted as critical", { issues_by_severity: { critical: 1 } }],
    ["architecture is in focus", { focus_areas: ["architecture", "context"] }],
    ["prompt is in focus", { focus_areas: ["prompt"] }],
    ["performance is in focus", { focus_areas: ["performance"] }],
    ["custom is in focus", { focus_areas: ["custom"] }],
  ];
  it.each(triggers)("S5 row 5: deep analysis when %s, once", (_why, state) => {
    expect(decided(having(analysed, state))).toMatch(job("gemini-analysis"));
    for (const status of ["completed", "failed", "timeout"])
      expect(decided(having(analysed, state, { "gemini_analysis.status": status }))).not.toMatch(
        job("gemini"),
      );
    expect(decided(having(analysed, state, done(0, "action-gemini-analysis")))).not.toMatch(job("gemini"));
  });
  it("S5 row 5: deep analysis in a second round with unresolved issues", () => {
    const run = having(analysed, { issues: [{ severity: "low" }] });
    expect(decided(run)).toMatch(job("diagnose-context"));
    run.counters.iterations = 1;
    expect(decided(run)).toMatch(job("gemini-analysis"));
  });
  it("S5 row 6: a running analysis is waited for and not started again", () => {
    const running = { gemini_analysis: { status: "running" }, gemini_analysis_requested: true };
    const run = having(diagnosed, running, done(0, "action-gemini-analysis"));
    expect(decided(run)).toBe("wait");
    run.vars["requirement_analysis.coverage.status"] = "unsatisfied";
    expect(decided(run)).toBe("wait");
  });
  it("S5 row 6: what is left to diagnose is diagnosed beside a running analysis", () => {
    const running = { gemini_analysis: { status: "running" } };
    expect(decided(having(analysed, running))).toMatch(job("diagnose-context"));
    const docs = done(0, ...allDiagnoses.filter((name) => name !== "action-diagnose-docs"));
    expect(decided(having(analysed, running, docs))).toMatch(job("diagnose-docs"));
    expect(decided(having(analysed, running, docs, { focus_areas: ["context"] }))).toBe("wait");
  });
  it("S3 row 7: the diagnoses come in order", () => {
    const run = having(analysed);
    const seen: string[] = [];
    for (let step = 0; step < diagnoses.length; step++) {
      const then = look(run).rule?.then;
      if (then?.kind !== "job") break;
      seen.push(then.role);
      run.vars[`completed_actions.${then.role}`] = 0;
    }
    expect(seen).toEqual([
      "action-diagnose-context",
      "action-diagnose-memory",
      "action-diagnose-dataflow",
      "action-diagnose-agent",
      "action-diagnose-docs",
      "action-diagnose-token_consumption",
    ]);
    expect(decided(run)).toMatch(job("generate-report"));
  });
  it("S3 row 7: only what is in focus is diagnosed", () => {
    const run = having(analysed, { focus_areas: ["docs", "memory"] });
    expect(decided(run)).toMatch(job("diagnose-memory"));
    Object.assign(run.vars, done(0, "action-diagnose-memory"));
    expect(decided(run)).toMatch(job("diagnose-docs"));
    Object.assign(run.vars, done(0, "action-diagnose-docs"));
    expect(decided(run)).toMatch(job("generate-report"));
    expect(decided(having(analysed, { focus_areas: ["all"] }))).toMatch(job("diagnose-context"));
  });
  it("S1 row 8: the report follows the diagnoses", () => {
    expect(decided(having(diagnosed))).toMatch(job("generate-report"));
  });
  it("S1 row 9: issues lead to proposals, none to the end", () => {
    expect(decided(having(reported))).toMatch(job("propose-fixes"));
    expect(decided(having(reported, { issues: [] }))).toMatch(job("complete"));
  });
  it("S12 a person selects among the proposals", () => {
    expect(decided(having(proposed))).toBe("ask");
    expect(decided(having(selected))).not.toBe("ask");
    expect(decided(having(proposed, { proposed_fixes: [] }))).toMatch(job("complete"));
  });
  it("S1 row 10: pending fixes are applied", () => {
    expect(decided(having(selected, { pending_fixes: ["FIX-1"] }))).toMatch(job("apply-fix"));
    expect(decided(having(proposed, { pending_fixes: ["FIX-1"] }))).toMatch(job("apply-fix"));
  });
  it("S1 row 11: applied fixes are verified, after all are applied", () => {
    const applied = { applied_fixes: [{ fix_id: "FIX-1", verification_result: "pending" }] };
    expect(decided(having(selected, applied))).toMatch(job("verify"));
    expect(decided(having(selected, applied, { pending_fixes: ["FIX-2"] }))).toMatch(job("apply-fix"));
  });
  it("S12 a person decides whether to go on after verification", () => {
    expect(decided(having(verified))).toBe("ask");
    expect(decided(having(verified, { "decisions.continue.0": "stop" }))).toMatch(job("complete"));
  });
  it("S9 row 12: a new round begins at the first diagnosis in focus, with fresh proposals", () => {
    const run = having(verified, { "decisions.continue.0": "continue", focus_areas: ["agent", "docs"] });
    const then = look(run).rule?.then;
    expect(then).toEqual({ kind: "go", to: "tuning", counts: "iterations" });
    const fact = {
      kind: "phase-entered" as const,
      from: "tuning",
      to: "tuning",
      rule: "",
      counts: "iterations",
    };
    apply(run, { position: 1, at: "", by: "test", fact });
    run.vars["gemini_analysis.status"] = "completed";
    expect(decided(run)).toMatch(job("diagnose-agent"));
    Object.assign(run.vars, done(1, "action-diagnose-agent", "action-diagnose-docs"));
    expect(decided(run)).toMatch(job("generate-report"));
    Object.assign(run.vars, done(1, "action-generate-report"));
    expect(decided(run)).toMatch(job("propose-fixes"));
    Object.assign(run.vars, done(1, "action-propose-fixes"));
    expect(decided(run)).toBe("ask");
  });
  it("S9 row 12: no new round when nothing was resolved, or nothing serious is left", () => {
    const wanted = { "decisions.continue.0": "continue" };
    expect(decided(having(verified, wanted, { "verification.resolved": 0 }))).toMatch(job("complete"));
    expect(decided(having(verified, wanted, { issues: [{ severity: "medium" }] }))).toMatch(job("complete"));
    expect(decided(having(selected, wanted))).toMatch(job("complete"));
  });
  it("S2 row 12: the sixth round is not begun", () => {
    const run = having(verified, { "decisions.continue.0": "continue" });
    run.counters.iterations = 5;
    expect(decided(run)).toMatch(job("complete"));
  });
  it("S1 row 13: nothing else to do completes", () => {
    expect(decided(having(selected))).toMatch(job("complete"));
  });
});

describe("S1 preconditions, checked before each action", () => {
  const applied = { applied_fixes: [{ fix_id: "FIX-1", verification_result: "pending" }] };
  const states: readonly (readonly [string, readonly State[]])[] = [
    ["abort", [begun, { error_count: 3 }]],
    ["complete", [begun, { quality_gate: "pass" }]],
    ["complete", [begun, { iteration_count: 5 }]],
    ["complete", [selected]],
    ["init", [order]],
    ["analyze-requirements", [begun]],
    ["gemini-analysis", [analysed, { "requirement_analysis.coverage.status": "unsatisfied" }]],
    ["gemini-analysis", [analysed, { gemini_analysis_requested: true }]],
    ...diagnoses.map((type): readonly [string, readonly State[]] => [
      `diagnose-${type}`,
      [analysed, { focus_areas: [type] }],
    ]),
    ["generate-report", [diagnosed]],
    ["propose-fixes", [reported]],
    ["apply-fix", [selected, { pending_fixes: ["FIX-1"] }]],
    ["verify", [selected, applied]],
  ];

  it.each(states)("S1 action-%s: what the rules select may be carried out", (action, given) => {
    const run = having(...given);
    expect(decided(run)).toMatch(job(action));
    expect(unmet(run, `action-${action}`)).toBeUndefined();
  });

  it("S1 every action of the table has a precondition, and none holds where its row does not fire", () => {
    const actions = new Set(tuning.rules.flatMap(({ then }) => (then.kind === "job" ? [then.role] : [])));
    expect([...actions].sort()).toEqual(Object.keys(preconditions).sort());
    const left = having(reported, { status: "user_exit", issues: [] });
    for (const action of actions)
      if (!/complete|generate-report/.test(action)) expect(unmet(left, action), action).toBeTypeOf("string");
    expect(unmet(having(begun), "action-verify")).toBe("applied fixes is verified, not unverified");
  });
});

describe("S1 the tables as data", () => {
  it("S1 the actions are the document's, in the order of its rows", () => {
    const roles = tuning.rules.flatMap(({ then }) => (then.kind === "job" ? [then.role] : []));
    expect(roles).toEqual([
      "action-abort",
      "action-complete",
      "action-complete",
      "action-init",
      "action-analyze-requirements",
      "action-analyze-requirements",
      "action-gemini-analysis",
      "action-gemini-analysis",
      ...allDiagnoses,
      "action-generate-report",
      "action-propose-fixes",
      "action-apply-fix",
      "action-verify",
      "action-complete",
    ]);
  });
  it("S11 a state is read by path, whether it was stored by path or as a whole", () => {
    const byPath = having(analysed, { "requirement_analysis.status": "needs_clarification" });
    const whole = having(analysed, { requirement_analysis: { status: "needs_clarification" } });
    expect([decided(byPath), decided(whole)]).toEqual(["wait", "wait"]);
  });
  it("S11 a skipped action counts as done", () => {
    const run = having(analysed, done(0, "action-diagnose-context"));
    expect(decided(run)).toMatch(job("diagnose-memory"));
  });
});

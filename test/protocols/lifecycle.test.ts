// The lifecycle's table of behaviour, written from the requirements.
import { describe, expect, it } from "vitest";
import type { Run } from "../../src/core/run.ts";
import { lifecycle, lifecycleInputs } from "../../src/packs/lifecycle/protocol.ts";
import { aboutArtifact } from "../../src/protocols/subject.ts";
import { decided, look, type Put, put, stage } from "./stage.ts";

const order = ["planning", "plan_review", "codegen", "review", "test", "accept"];

/** What each phase leaves behind when it went well. */
const good: readonly (readonly [phase: string, name: string, content: Put["content"]])[] = [
  ["planning", "plan", { blocking_questions: [] }],
  ["plan_review", "plan_review", { ok: true, blocking_issues: [] }],
  ["codegen", "diff", {}],
  ["codegen", "files", {}],
  ["review", "code_review", { ok: true, blocking_issues: [] }],
  ["test", "eval_report", { overall_pass: true }],
  ["accept", "decision", { verdict: "accepted" }],
];

function leave(run: Run, name: string, given: Put = {}): void {
  put(run, name, { from: lifecycleInputs[name] ?? [], ...given });
}

/** A run that came to `phase` with everything before it in order. */
function came(phase: string): Run {
  const run = stage(lifecycle, phase);
  const before = order.includes(phase) ? order.slice(0, order.indexOf(phase)) : order;
  run.completedPhases = [...before];
  for (const [where, name, content] of good)
    if (before.includes(where) && content) leave(run, name, { content });
  return run;
}

function having(phase: string, name: string, given: Put): Run {
  const run = came(phase);
  if (name === "files") leave(run, "diff");
  leave(run, name, given);
  return run;
}

const invalid: Put = { valid: false };
const says = (content: Put["content"]): Put => (content ? { content } : {});

describe("what each phase does with its artifact", () => {
  const missing: readonly (readonly [string, string])[] = [
    ["planning", "job planner plan"],
    ["plan_review", "job plan-reviewer plan_review"],
    ["codegen", "job coder diff"],
    ["review", "job code-reviewer code_review"],
    ["test", "job tester eval_report"],
    ["accept", "job acceptor decision"],
    ["revert", "job reverter revert"],
    ["done", "end done"],
  ];
  it.each(missing)("L4 %s without its artifact: %s", (phase, expected) => {
    expect(decided(came(phase))).toBe(expected);
  });

  const unusable: readonly (readonly [string, string, string])[] = [
    ["planning", "plan", "job planner plan"],
    ["plan_review", "plan_review", "job plan-reviewer plan_review"],
    ["codegen", "diff", "job coder diff"],
    ["codegen", "files", "job coder files"],
    ["review", "code_review", "job code-reviewer code_review"],
    ["test", "eval_report", "job tester eval_report"],
    ["accept", "decision", "job acceptor decision"],
    ["revert", "revert", "job reverter revert"],
  ];
  it.each(unusable)("L5 %s with an invalid %s: %s", (phase, name, expected) => {
    expect(decided(having(phase, name, invalid))).toBe(expected);
  });
  it.each(unusable)("L4 %s with a %s that changed since it was looked at: %s", (phase, name, expected) => {
    const run = having(phase, name, {});
    expect(decided(run, { digests: { [name]: "edited" } })).toBe(expected);
  });

  const wrongShape: readonly (readonly [string, string, Put["content"]])[] = [
    ["plan_review", "plan_review", {}],
    ["plan_review", "plan_review", { ok: "true", blocking_issues: [] }],
    ["plan_review", "plan_review", { ok: true, blocking_issues: "none" }],
    ["review", "code_review", { blocking_issues: [] }],
    ["review", "code_review", { ok: false, back_to: "done" }],
    ["test", "eval_report", { overall_pass: "yes" }],
    ["accept", "decision", {}],
    ["accept", "decision", { verdict: "accept" }],
    ["accept", "decision", { verdict: "rejected", back_to: "done" }],
    ["codegen", "diff", { scope_mismatch: "no" }],
    ["planning", "plan", { blocking_questions: "none" }],
  ];
  it.each(wrongShape)("L5 %s takes no %s of the wrong shape for passed: %j", (phase, name, content) => {
    expect(decided(having(phase, name, says(content)))).toMatch(new RegExp(`^job .* ${name}$`));
  });

  const negative: readonly (readonly [string, string, Put["content"], string])[] = [
    ["planning", "plan", { blocking_questions: ["which database?"] }, "wait"],
    ["plan_review", "plan_review", { ok: false, blocking_issues: [] }, "go planning"],
    ["plan_review", "plan_review", { ok: true, blocking_issues: ["no tests"] }, "go planning"],
    ["codegen", "diff", { scope_mismatch: true }, "go planning"],
    ["codegen", "diff", { plan_unclear: true }, "go plan_review"],
    ["review", "code_review", { ok: false, blocking_issues: ["leak"] }, "go codegen"],
    ["review", "code_review", { ok: false, blocking_issues: 1, back_to: "codegen" }, "go codegen"],
    ["review", "code_review", { ok: false, blocking_issues: 1, back_to: "planning" }, "go planning"],
    ["test", "eval_report", { overall_pass: false }, "go codegen"],
    ["accept", "decision", { verdict: "rejected" }, "go codegen"],
    ["accept", "decision", { verdict: "rejected", back_to: "codegen" }, "go codegen"],
    ["accept", "decision", { verdict: "rejected", back_to: "review" }, "go review"],
    ["accept", "decision", { verdict: "rejected", back_to: "planning" }, "go planning"],
    ["accept", "decision", { verdict: "rejected", back_to: "revert" }, "go revert"],
    ["accept", "decision", { verdict: "rejected", regression: true }, "go revert"],
    ["accept", "decision", { verdict: "deferred" }, "wait"],
  ];
  it.each(negative)("L3 %s with a negative %s (%j): %s", (phase, name, content, expected) => {
    expect(decided(having(phase, name, says(content)))).toBe(expected);
  });

  const positive: readonly (readonly [string, string, string])[] = [
    ["planning", "plan", "go plan_review"],
    ["plan_review", "plan_review", "go codegen"],
    ["codegen", "files", "go review"],
    ["review", "code_review", "go test"],
    ["test", "eval_report", "go accept"],
    ["accept", "decision", "go done"],
    ["revert", "revert", "go done"],
  ];
  it.each(positive)("L3 %s with a good %s: %s", (phase, name, expected) => {
    const content = good.find(([, each]) => each === name)?.[2];
    expect(decided(having(phase, name, says(content)))).toBe(expected);
  });

  it("L3 codegen wants the files beside the patch", () => {
    const run = came("codegen");
    leave(run, "diff");
    expect(decided(run)).toBe("job coder files");
  });
  it("L3 done is terminal whatever lies there, and redo opens it again", () => {
    const run = came("done");
    expect(decided(run)).toBe("end done");
    expect(decided(run, { digests: { plan: null, decision: null } })).toBe("end done");
    expect(decided(run, { request: "drive" })).toBe("end done");
    expect(decided(run, { request: "redo" })).toBe("go planning");
  });
  it("L17 a revert can be asked for in every phase but the last, and no override takes its way", () => {
    for (const phase of [...order, "revert", "done"]) {
      const expected = phase !== "done";
      expect(decided(came(phase), { request: "revert" }).endsWith(" revert")).toBe(expected);
    }
  });
  it("L7 an unknown phase has no rule", () => {
    expect(decided(stage(lifecycle, "banana"))).toBe("nothing");
  });
});

describe("being sent back", () => {
  it("L3 a blocked plan is planned again, and reviewed again once it has changed", () => {
    const run = having("plan_review", "plan_review", says({ ok: false, blocking_issues: [] }));
    run.phase = "planning";
    expect(decided(run)).toBe("job planner plan");
    leave(run, "plan", { digest: "plan 2" });
    expect(decided(run)).toBe("go plan_review");
    run.phase = "plan_review";
    expect(decided(run)).toBe("job plan-reviewer plan_review");
  });
  it("L3 code that fails its tests is written, reviewed and tested again", () => {
    const run = having("test", "eval_report", says({ overall_pass: false }));
    run.phase = "codegen";
    expect(decided(run)).toBe("job coder diff");
    leave(run, "diff", { digest: "diff 2" });
    expect(decided(run)).toBe("go review");
    run.phase = "review";
    expect(decided(run)).toBe("job code-reviewer code_review");
    leave(run, "code_review", { digest: "code_review 2", content: { ok: true } });
    run.phase = "test";
    expect(decided(run)).toBe("job tester eval_report");
  });
  it("L3 an unclear plan is reviewed again before the coder goes on", () => {
    const run = having("codegen", "diff", says({ plan_unclear: true }));
    run.phase = "plan_review";
    expect(decided(run)).toBe("job plan-reviewer plan_review");
    leave(run, "plan_review", { digest: "plan_review 2", content: { ok: true } });
    expect(decided(run)).toBe("go codegen");
    run.phase = "codegen";
    run.completedPhases = ["planning", "plan_review"];
    expect(decided(run)).toBe("job coder diff");
  });
  it("L3 a review that acceptance sends back is made again", () => {
    const run = having("accept", "decision", says({ verdict: "rejected", back_to: "review" }));
    run.phase = "review";
    expect(decided(run)).toBe("job code-reviewer code_review");
    leave(run, "code_review", { digest: "code_review 2", content: { ok: true } });
    expect(decided(run)).toBe("go test");
  });
  const toPlanning: readonly (readonly [string, string, Put["content"]])[] = [
    ["codegen", "diff", { scope_mismatch: true }],
    ["review", "code_review", { ok: false, back_to: "planning" }],
    ["accept", "decision", { verdict: "rejected", back_to: "planning" }],
    ["accept", "decision", { verdict: "accepted" }],
    ["revert", "revert", {}],
  ];
  it.each(toPlanning)("L3 back from %s with %s %j, the plan is made anew", (phase, name, content) => {
    const run = having(phase, name, says(content));
    run.phase = "planning";
    expect(decided(run)).toBe("job planner plan");
    leave(run, "plan", { digest: "plan 2" });
    expect(decided(run)).toBe("go plan_review");
  });
  it("L3 a plan with blocking questions waits for the answers and is then made anew", () => {
    const run = having("planning", "plan", says({ blocking_questions: 2 }));
    const about = aboutArtifact({ name: "plan", digest: "plan 1" });
    const question = { id: "q1", text: "?", options: [], about, askedAt: "", answer: null, answeredBy: null };
    run.questions.push(question);
    expect(decided(run)).toBe("wait");
    run.questions[0] = { ...question, answer: "sqlite" };
    expect(decided(run)).toBe("job planner plan");
  });
});

describe("the bound", () => {
  const backs: readonly (readonly [string, string, Put["content"]])[] = [
    ["plan_review", "plan_review", { ok: false }],
    ["codegen", "diff", { scope_mismatch: true }],
    ["codegen", "diff", { plan_unclear: true }],
    ["review", "code_review", { ok: false }],
    ["test", "eval_report", { overall_pass: false }],
    ["accept", "decision", { verdict: "rejected" }],
  ];
  it.each(backs)(
    "L14 from %s with %s %j nothing goes back once the rounds are used up",
    (phase, name, content) => {
      const run = having(phase, name, says(content));
      run.counters.rounds = 4;
      expect(decided(run)).toMatch(/^go /);
      run.counters.rounds = 5;
      expect(decided(run)).toBe("halt rounds_exhausted");
      run.policy = { ...run.policy, rounds: 6 };
      expect(decided(run)).toMatch(/^go /);
    },
  );
  it("L14 the rounds begin anew where `rounds_before` says so", () => {
    const run = having("test", "eval_report", says({ overall_pass: false }));
    run.counters.rounds = 5;
    run.vars.rounds_before = 5;
    expect(decided(run)).toBe("go codegen");
  });
  it("L14 a task can be reverted when its rounds are used up", () => {
    const run = having("accept", "decision", says({ verdict: "rejected", regression: true }));
    run.counters.rounds = 5;
    expect(decided(run)).toBe("go revert");
  });
});

describe("a phase that its artifacts contradict", () => {
  const lost: readonly (readonly [string, string, string, string])[] = [
    ["plan_review", "plan", "go planning", "planning"],
    ["codegen", "plan", "go planning", "planning"],
    ["codegen", "plan_review", "go plan_review", "plan_review"],
    ["review", "plan", "go planning", "planning"],
    ["review", "plan_review", "go codegen", "plan_review"],
    ["review", "diff", "go codegen", "codegen"],
    ["review", "files", "go codegen", "codegen"],
    ["test", "plan", "go codegen", "planning"],
    ["test", "diff", "go codegen", "codegen"],
    ["test", "code_review", "go codegen", "review"],
    ["accept", "plan", "go planning", "planning"],
    ["accept", "plan_review", "go codegen", "plan_review"],
    ["accept", "diff", "go codegen", "codegen"],
    ["accept", "code_review", "go review", "review"],
    ["accept", "eval_report", "go codegen", "test"],
  ];
  it.each(lost)("L6 %s without %s: %s, and the reason names %s", (phase, name, expected, last) => {
    const gone = { digests: { [name]: null } };
    expect(decided(came(phase), gone)).toBe(expected);
    expect(look(came(phase), gone).rule?.name).toContain(`\`${last}\` is the last consistent phase`);
    const broken = came(phase);
    leave(broken, name, invalid);
    expect(decided(broken)).toBe(expected);
  });
  it.each(lost)("L6 %s without %s settles where it can be fixed", (phase, name, _first, last) => {
    const run = came(phase);
    for (let step = 0; step < 8; step++) {
      const { rule } = look(run, { digests: { [name]: null } });
      if (rule?.then.kind !== "go") break;
      run.phase = rule.then.to;
      run.completedPhases = order.slice(0, order.indexOf(run.phase));
    }
    expect(run.phase).toBe(last);
    expect(decided(run, { digests: { [name]: null } })).toMatch(new RegExp(`^job .* ${name}$`));
  });
  it("L6 a plan that was edited after its review is not coded from", () => {
    const run = came("codegen");
    leave(run, "plan", { digest: "plan 2" });
    expect(decided(run)).toBe("go plan_review");
  });
  it("L6 nothing is accepted on code that was edited after its tests", () => {
    const run = came("accept");
    leave(run, "decision", says({ verdict: "accepted" }));
    leave(run, "diff", { digest: "diff 2" });
    expect(decided(run)).toBe("go review");
  });
  const overridden: readonly (readonly [string, string, string, Put])[] = [
    ["plan_review", "codegen", "plan_review", invalid],
    ["plan_review", "codegen", "plan_review", says({ ok: false })],
    ["review", "test", "code_review", invalid],
    ["review", "test", "code_review", says({ ok: false })],
    ["test", "accept", "eval_report", says({ overall_pass: false })],
    ["planning", "plan_review", "plan", says({ blocking_questions: 1 })],
  ];
  it.each(overridden)("L10 an override from %s to %s stands, whatever %s says", (from, to, name, given) => {
    const run = came(to);
    run.completedPhases = run.completedPhases.filter((phase) => phase !== from);
    leave(run, name, given);
    expect(decided(run)).toMatch(/^job /);
  });
  it("L10 an override conjures up neither plan nor code", () => {
    const run = stage(lifecycle, "codegen");
    expect(decided(run)).toBe("go planning");
    const later = came("review");
    later.completedPhases = ["planning", "plan_review"];
    expect(decided(later, { digests: { diff: null } })).toBe("go codegen");
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  dimensionNames,
  type TaskValidation,
} from "../../src/packs/decomposition/artifacts/task-validation.ts";
import { renderTaskValidation } from "../../src/packs/decomposition/artifacts/task-validation-report.ts";
import {
  checkTaskValidation,
  verdictOf,
} from "../../src/packs/decomposition/checks/check-task-validation.ts";
import { codes, fileOf } from "./samples.ts";

type Score = "PASS" | "PARTIAL" | "FAIL" | "N-A";

function judged(task_id: string, scores: Partial<Record<string, Score>> = {}) {
  const of = (name: string) => ({
    score: scores[name] ?? ("PASS" as const),
    evidence: `seen in ${task_id}`,
    suggestion: "split it",
  });
  const [spec, phase, strategy, preferences, viability, criteria] = dimensionNames.map(of);
  const none = of("none");
  return {
    task_id,
    dimensions: {
      spec: spec ?? none,
      phase: phase ?? none,
      strategy: strategy ?? none,
      preferences: preferences ?? none,
      viability: viability ?? none,
      criteria: criteria ?? none,
    },
  };
}

function validation(verdict: TaskValidation["verdict"], ...tasks: TaskValidation["tasks"]): TaskValidation {
  return { verdict, summary: "Two tasks.", issues: [], tasks };
}

const tasks = new Set(["T001", "T002"]);
const problemsOf = (value: unknown) => checkTaskValidation({ ...fileOf(value), tasks }).problems;

describe("checkTaskValidation", () => {
  it("D11 accepts a judgement of every task", () => {
    expect(problemsOf(validation("READY", judged("T001", { preferences: "N-A" }), judged("T002")))).toEqual(
      [],
    );
  });

  it("D11 asks for every task, once, and for no other", () => {
    const problems = problemsOf(validation("READY", judged("T001"), judged("T001"), judged("T0002")));
    expect(codes(problems).sort()).toEqual(["judged-twice", "not-judged", "unknown-task"]);
    expect(problems).toContainEqual(
      expect.objectContaining({ code: "unknown-task", hint: "did you mean `T002`?" }),
    );
  });

  it("D11 asks for all six dimensions", () => {
    const one = judged("T001");
    Reflect.deleteProperty(one.dimensions, "viability");
    expect(problemsOf(validation("READY", one, judged("T002")))).toMatchObject([
      { code: "missing-field", place: { pointer: "/tasks/0/dimensions/viability" } },
    ]);
  });

  it("D11 knows four scores", () => {
    const one = judged("T001");
    Object.assign(one.dimensions.spec, { score: "N/A" });
    expect(problemsOf(validation("READY", one, judged("T002")))).toMatchObject([
      { code: "wrong-value", hint: "did you mean `N-A`?" },
    ]);
  });

  it("D11 asks for a suggestion where something is to be changed", () => {
    const one = judged("T001", { spec: "PARTIAL" });
    Object.assign(one.dimensions.spec, { suggestion: " " });
    expect(codes(problemsOf(validation("READY_WITH_NOTES", one, judged("T002"))))).toEqual([
      "missing-suggestion",
    ]);
  });

  it("D11 refuses a task to which nothing applies: it was not judged", () => {
    const none = Object.fromEntries(
      ["spec", "phase", "strategy", "preferences", "viability", "criteria"].map((name) => [
        name,
        "N-A" as const,
      ]),
    );
    expect(codes(problemsOf(validation("READY", judged("T001", none), judged("T002"))))).toEqual([
      "not-judged",
    ]);
  });

  it("D12 names the dimension that contradicts a verdict", () => {
    const problems = problemsOf(
      validation("READY", judged("T001"), judged("T002", { viability: "FAIL", spec: "PARTIAL" })),
    );
    expect(problems).toMatchObject([
      {
        code: "verdict-contradicts",
        message:
          "the verdict is `READY`, but the dimensions make it `BLOCKED`: `T002` has FAIL on `viability`",
        place: { pointer: "/verdict", line: 2 },
      },
    ]);
  });

  it("D12 refuses a verdict that is worse than the dimensions", () => {
    expect(problemsOf(validation("BLOCKED", judged("T001"), judged("T002")))).toMatchObject([
      { code: "verdict-contradicts", message: expect.stringContaining("no dimension is PARTIAL or FAIL") },
    ]);
  });

  it("D12 computes the verdict from the worst score", () => {
    const score = fc.constantFrom<Score>("PASS", "PARTIAL", "FAIL", "N-A");
    const scores = fc.record(Object.fromEntries(dimensionNames.map((name) => [name, score])));
    fc.assert(
      fc.property(fc.array(scores, { maxLength: 4 }), (list) => {
        const all = list.flatMap((one) => Object.values(one));
        const expected = all.includes("FAIL")
          ? "BLOCKED"
          : all.includes("PARTIAL")
            ? "READY_WITH_NOTES"
            : "READY";
        expect(verdictOf(list.map((one, index) => judged(`T${index}`, one)))).toBe(expected);
      }),
    );
  });
});

describe("renderTaskValidation", () => {
  it("D11 renders verdict, issues, violated preferences and every judgement", () => {
    const value = validation("READY_WITH_NOTES", judged("T001", { preferences: "PARTIAL" }), judged("T002"));
    value.issues.push("T001 ignores the linter", { message: "no test for logout" });
    const report = renderTaskValidation(value);
    expect(report).toContain("Verdict: **READY\\_WITH\\_NOTES**".replaceAll("\\", ""));
    expect(report).toContain("2 tasks: 1 without notes, 1 with notes, 0 failing.");
    expect(report).toContain("- T001 ignores the linter\n- no test for logout");
    expect(report).toContain("## Violated preferences\n\n- T001 (PARTIAL): seen in T001");
    expect(report).toContain("| T001 | PASS | PASS | PASS | PARTIAL | PASS | PASS |");
    expect(report).toContain("- Preferences: **PARTIAL**. seen in T001\n  - Suggestion: split it");
  });

  it("D11 renders what agents wrote as text, without control characters and markup", () => {
    const value = validation("READY", judged("T001"));
    value.summary = "a\u001b[31m\n# b <script>|";
    expect(renderTaskValidation(value)).toContain("a\uFFFD\\[31m \\# b \\<script\\>\\|");
  });
});

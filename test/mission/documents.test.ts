// The mission's documents and the skills that explain them: a good example passes the check that the agent's work will
// meet, a mistake is refused with the code that the skill names.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Problem } from "../../src/core/problem.ts";
import {
  checkPlan,
  checkResearch,
  checkSession,
  checkSummary,
  checkVerification,
} from "../../src/packs/mission/artifacts/check.ts";
import { plan } from "./rig.ts";

const root = join(import.meta.dirname, "../..");
const file = "output.json";
const skillText = (role: string) => readFileSync(join(root, "roles", role, "SKILL.md"), "utf8");

const checks: Readonly<Record<string, (text: string) => readonly Problem[]>> = {
  research: (text) => checkResearch({ file, text }).problems,
  plan: (text) => checkPlan({ file, text }).problems,
  summary: (text) => checkSummary({ file, text, taskId: "01-01" }).problems,
  verification: (text) => checkVerification({ file, text, truths: ["The whole test suite passes"] }).problems,
};

const roles = [
  ["researcher", "research"],
  ["mission-planner", "plan"],
  ["executor", "summary"],
  ["verifier", "verification"],
] as const;

interface Example {
  readonly mark: string;
  readonly text: string;
}

function examples(role: string): Example[] {
  const found = skillText(role).matchAll(/^```json (\S+)(?: at:\S+)?\n([\s\S]*?)^```$/gm);
  return [...found].map(([, mark = "", text = ""]) => ({ mark, text }));
}

describe.each(roles)("the skill of the %s", (role, kind) => {
  const check = checks[kind] ?? (() => []);
  const good = examples(role).filter(({ mark }) => mark === `good:${kind}`);

  it("has examples that pass", () => {
    expect(good.length).toBeGreaterThan(0);
    for (const { text } of good) expect(check(text)).toEqual([]);
  });

  it("has a mistake that is refused as it says", () => {
    const bad = examples(role).filter(({ mark }) => mark.startsWith("bad:"));
    expect(bad).toHaveLength(1);
    for (const { mark, text } of bad) {
      const wrong = kind === "plan" ? planWith(good[0]?.text ?? "{}", text) : text;
      expect(check(wrong).map(({ code }) => `bad:${code}`)).toContain(mark);
    }
  });

  it("has every section, and is short enough for a bundle", () => {
    const text = skillText(role);
    for (const section of ["Purpose", "Input", "Output", "Method", "Rules", "Examples", "Done when"])
      expect(text).toContain(`\n## ${section}\n`);
    expect(text.length).toBeLessThan(9000);
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(180);
  });
});

function planWith(good: string, step: string): string {
  const document = JSON.parse(good);
  document.tasks[0] = JSON.parse(step);
  return JSON.stringify(document);
}

const codes = (problems: readonly Problem[]) => problems.map(({ code }) => code);
const planOf = (change: (value: ReturnType<typeof plan>) => object) =>
  codes(checkPlan({ file, text: JSON.stringify(change(plan("01-01", "01-02"))) }).problems);

describe("M3 a plan", () => {
  it("is right as the rig writes it", () => {
    expect(planOf((value) => value)).toEqual([]);
  });
  it.each(["../x", "/etc/passwd", ".git/config", "a\\b"])("may not name the file %s", (path) => {
    const found = planOf(({ tasks: [first, ...rest], ...value }) => ({
      ...value,
      tasks: [{ ...first, files: [path] }, ...rest],
    }));
    expect(found).toContain("outside-target");
  });
  it.each(["verifier", "../01", "a b", "01-01\n", "T-"])("may not call a task %j", (id) => {
    const found = planOf((value) => ({ ...value, tasks: [{ ...value.tasks[0], id }] }));
    expect(found.length).toBeGreaterThan(0);
  });
  it("needs a command that a shell can read, tasks and must-haves", () => {
    expect(planOf((value) => ({ ...value, tasks: [] })).length).toBe(1);
    expect(planOf((value) => ({ ...value, must_haves: [] })).length).toBe(1);
    const found = planOf((value) => ({
      ...value,
      tasks: [{ ...value.tasks[0], verification_cmd: 'test "x' }],
    }));
    expect(found).toEqual(["bad-command"]);
  });
});

describe("M7 a verification", () => {
  const claim = { claim: "a", verdict: "pass", evidence: "seen" };
  const judged = (value: object, truths: readonly string[] = []) =>
    codes(checkVerification({ file, text: JSON.stringify(value), truths }).problems);
  it("that passed has no failed check and no gap", () => {
    expect(judged({ passed: true, checks: [claim] })).toEqual([]);
    expect(judged({ passed: true, checks: [{ ...claim, verdict: "fail" }] })).toEqual(["contradiction"]);
    expect(judged({ passed: true, checks: [claim], gaps: [{ description: "x" }] })).toEqual([
      "contradiction",
    ]);
  });
  it("has a check for every must-have", () => {
    expect(judged({ passed: true, checks: [claim] }, ["a", "b"])).toEqual(["unchecked"]);
    expect(judged({ passed: true, checks: [claim, { ...claim, claim: " b\n" }] }, ["a", "b"])).toEqual([]);
  });
});

describe("M1 a session", () => {
  it.each([{}, { current_phase: "01" }, { current_phase: 2, current_task_idx: 3, variables: { a: [1] } }])(
    "%j can be taken over",
    (value) => {
      expect(checkSession({ file, text: JSON.stringify(value) }).problems).toEqual([]);
    },
  );
  it.each([{ current_phase: 0 }, { current_task_idx: -1 }, { variables: 3 }, []])("%j can not", (value) => {
    expect(checkSession({ file, text: JSON.stringify(value) }).problems.length).toBeGreaterThan(0);
  });
});

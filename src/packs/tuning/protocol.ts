// Tuning: a rule-driven loop that diagnoses and improves an agent skill (S). The rules are the two tables of the
// document in their order: termination first, then the thirteen rows of action selection; the row's number stands
// beside it. Rows that the document does not have are the points where a person decides (S12).

import { toCall } from "../../core/hint.ts";
import {
  type Action,
  ask,
  at,
  end,
  go,
  halt,
  job,
  type Protocol,
  type Rule,
  rule,
  saw,
  type When,
  wait,
} from "../../core/protocol.ts";
import { diagnoses, tuningSubjects } from "./subjects.ts";

export { diagnoses } from "./subjects.ts";

type Condition = { readonly when: When };

/** Each action of the document is a job of that name. */
const makes = {
  "action-init": "target",
  "action-analyze-requirements": "requirements",
  "action-gemini-analysis": "deep_analysis",
  "action-generate-report": "report",
  "action-propose-fixes": "proposals",
  "action-apply-fix": "applied",
  "action-verify": "verification",
  "action-complete": "summary",
  "action-abort": "abort",
};

/** What a person decides in every round. */
export type Point = "fixes" | "continue" | "summary";

function decision(point: Point, question: string, ...options: readonly string[]): Action {
  return { kind: "ask", point, question, options };
}

function act(name: string, action: keyof typeof makes, ...conditions: readonly Condition[]): Rule {
  return rule(name, at("tuning"), ...conditions, job(action, makes[action]));
}

const termination: readonly Rule[] = [
  rule("the user has left", at("tuning"), saw("status", "user_exit"), go("done")),
  rule("the tuning is completed", at("tuning"), saw("status", "completed"), go("done")),
  rule("the tuning has failed", at("tuning"), saw("status", "failed"), go("aborted")),
  rule("the final summary was seen", at("tuning"), saw("summary", "seen"), go("done")),
  rule(
    "the final summary waits to be seen",
    at("tuning"),
    saw("summary", "unseen"),
    decision("summary", "The tuning is finished. Has the summary been seen?", "finish"),
  ),
  rule(
    "the steps are used up",
    at("tuning"),
    saw("steps", "reached"),
    halt("step_limit", toCall("tune --steps <more>")),
  ),
  act("there were too many errors", "action-abort", saw("errors", "reached")),
  act("the iterations are used up", "action-complete", saw("iterations", "reached")),
  act("the quality gate is passed", "action-complete", saw("gate", "pass")),
];

const selection: readonly Rule[] = [
  rule(
    "the target skill or the complaint is not known",
    at("tuning"),
    saw("status", "pending"),
    saw("order", "missing"),
    ask("Which skill is to be tuned, and what is wrong with it?"),
  ),
  act("the tuning has not begun", "action-init", saw("status", "pending")), // 1
  act(
    "the requirements are not analysed",
    "action-analyze-requirements",
    saw("requirement analysis", "missing"),
  ), // 2
  act("what was unclear is answered", "action-analyze-requirements", saw("clarification", "given")),
  rule(
    "the requirements need clarification",
    at("tuning"),
    saw("clarification", "needed"),
    wait([{ do: "show-status" }, " shows the questions, ", toCall("answer"), " answers them"]),
  ), // 3
  act(
    "the requirements are not covered by what can be diagnosed",
    "action-gemini-analysis",
    saw("coverage", "unsatisfied"),
    saw("deep analysis", "idle"),
  ), // 4
  act(
    "a deep analysis is called for",
    "action-gemini-analysis",
    saw("reason for deep analysis", "requested", "critical", "focus", "unresolved"),
    saw("deep analysis", "idle"),
  ), // 5
  rule(
    "the deep analysis is running, and nothing is left to diagnose beside it",
    at("tuning"),
    saw("deep analysis", "running"),
    saw("diagnoses", "settled"),
    wait("it goes on by itself when the analysis ends, fails or times out"),
  ), // 6
  ...diagnoses.map((type) =>
    rule(
      `the diagnosis of ${type} is pending`,
      at("tuning"),
      saw(`diagnosis ${type}`, "pending"),
      job(`action-diagnose-${type}`, `diagnosis_${type}`),
    ),
  ), // 7
  act("every diagnosis is done, and there is no report", "action-generate-report", saw("report", "missing")), // 8
  act(
    "the report has issues without proposed fixes",
    "action-propose-fixes",
    saw("issues", "some"),
    saw("proposals", "missing"),
  ), // 9
  rule(
    "fixes are proposed and none is selected",
    at("tuning"),
    saw("selection", "open"),
    decision("fixes", "Which of the proposed fixes shall be applied?", "all", "low risk", "none"),
  ),
  act("a fix waits to be applied", "action-apply-fix", saw("pending fixes", "some")), // 10
  act("an applied fix is not verified", "action-verify", saw("applied fixes", "unverified")), // 11
  rule(
    "this round helped, and serious issues are left",
    at("tuning"),
    saw("next round", "undecided"),
    decision("continue", "Serious issues are left. Is another round wanted?", "continue", "stop"),
  ),
  rule(
    "another round is wanted, from the first diagnosis in focus",
    at("tuning"),
    saw("next round", "wanted"),
    go("tuning", "iterations"),
  ), // 12
  act("nothing is left to do", "action-complete"), // 13
];

export const tuning: Protocol = {
  name: "tuning",
  about: "an agent skill is diagnosed and improved, round by round, until it passes its gate",
  phases: [
    { name: "tuning", about: "the skill is diagnosed and improved" },
    { name: "done", about: "the tuning is finished, or the user has left", end: true },
    { name: "aborted", about: "the tuning ended after too many errors", end: true },
  ],
  artifacts: {
    target: "target-skill.json",
    requirements: "requirement-analysis.json",
    deep_analysis: "diagnosis/deep-analysis.json",
    ...Object.fromEntries(diagnoses.map((type) => [`diagnosis_${type}`, `diagnosis/${type}-diagnosis.json`])),
    report: "tuning-report.md",
    proposals: "fixes/fix-proposals.json",
    applied: "fixes/applied-fixes.json",
    verification: "verification.json",
    summary: "tuning-summary.md",
    abort: "abort-report.md",
  },
  // Every action is heddle's own; one of them asks an agent in its course.
  commands: [...Object.keys(makes), ...diagnoses.map((type) => `action-diagnose-${type}`)],
  own: {
    runName: "tune",
    home: "tune",
    folders: ["diagnosis", "fixes", "actions"],
    advisers: ["requirement-analyst", "deep-analyst", "finding-judge", "fix-author"].map((role) => ({
      phase: "tuning",
      role,
    })),
    command: () => "tune",
  },
  subjects: tuningSubjects,
  counters: ["iterations"],
  rules: [
    ...termination,
    ...selection,
    rule("the tuning is over", at("done"), end()),
    rule("the tuning was aborted", at("aborted"), end("failed")),
  ],
};

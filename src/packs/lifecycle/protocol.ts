// Lifecycle: one task from brief to accepted or reverted (L). The rules for a phase that its artifacts contradict come
// first (L6): each leads back along a transition of L3, and from there on to the last consistent phase.
// Every way back costs a round; when the rounds are used up, a person decides.

import { toCall } from "../../core/hint.ts";
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
  saw,
  type When,
  wait,
} from "../../core/protocol.ts";
import { actorsOf } from "./actors.ts";
import { choicesIn } from "./choices.ts";
import { lifecycleInputs, lifecycleSubjects } from "./subjects.ts";

export { lifecycleInputs };

type Condition = { readonly when: When };

function back(name: string, to: string, ...conditions: readonly Condition[]): readonly Rule[] {
  const onceMore = toCall(`next --override "<reason>" --to ${to}`);
  return [
    rule(
      `${name}, and the rounds are used up`,
      ...conditions,
      saw("rounds", "reached"),
      halt("rounds_exhausted", onceMore),
    ),
    rule(name, ...conditions, go(to, "rounds")),
  ];
}

const noPlan = saw("plan", "missing", "invalid", "stale", "blocked");
const noPlanReview = saw("plan review", "missing", "invalid", "stale", "blocked");
const noPatch = saw("patch", "missing", "invalid", "stale", "mismatch", "unclear");
const noFiles = saw("files", "missing", "invalid", "stale");
const noCodeReview = saw("code review", "missing", "invalid", "stale", "to codegen", "to planning");
const noTests = saw("tests", "missing", "invalid", "stale", "failed");

/** L6. From `test` the only way back is `codegen`, and from `accept` none leads to `test` or `plan_review`. */
const inconsistent: readonly Rule[] = [
  ...back(
    "there is no usable plan: `planning` is the last consistent phase",
    "planning",
    at("plan_review", "codegen", "review", "accept"),
    noPlan,
  ),
  ...back(
    "there is no usable plan: `planning` is the last consistent phase, by way of `codegen`",
    "codegen",
    at("test"),
    noPlan,
  ),
  ...back(
    "no review passed this plan: `plan_review` is the last consistent phase",
    "plan_review",
    at("codegen"),
    noPlanReview,
  ),
  ...back(
    "no review passed this plan: `plan_review` is the last consistent phase, by way of `codegen`",
    "codegen",
    at("review", "test", "accept"),
    noPlanReview,
  ),
  ...back(
    "a person has written other code, which is taken in `codegen`",
    "codegen",
    at("review", "test", "accept"),
    saw("patch", "by hand"),
  ),
  ...back(
    "there is no usable patch: `codegen` is the last consistent phase",
    "codegen",
    at("review", "test", "accept"),
    noPatch,
  ),
  ...back(
    "the patch is there without its files: `codegen` is the last consistent phase",
    "codegen",
    at("review", "test", "accept"),
    noFiles,
  ),
  ...back(
    "no review passed this code: `review` is the last consistent phase, by way of `codegen`",
    "codegen",
    at("test"),
    noCodeReview,
  ),
  ...back(
    "no review passed this code: `review` is the last consistent phase",
    "review",
    at("accept"),
    noCodeReview,
  ),
  ...back(
    "this code passed no tests: `test` is the last consistent phase, by way of `codegen`",
    "codegen",
    at("accept"),
    noTests,
  ),
];

const plan = job("planner", "plan");
const planning: readonly Rule[] = [
  rule("the plan is missing", at("planning"), saw("plan", "missing"), plan),
  rule("the plan is invalid", at("planning"), saw("plan", "invalid"), plan),
  rule(
    "the plan's blocking questions are answered",
    at("planning"),
    saw("plan", "blocked"),
    saw("plan answers", "given"),
    plan,
  ),
  rule(
    "the plan has blocking questions",
    at("planning"),
    saw("plan", "blocked"),
    wait([{ do: "show-status" }, " shows the questions, ", toCall("answer"), " answers them"]),
  ),
  rule("the plan review blocks this plan", at("planning"), saw("plan review", "blocked"), plan),
  rule("this plan's scope does not fit the code", at("planning"), saw("patch", "mismatch"), plan),
  rule("the code review sent this plan back", at("planning"), saw("code review", "to planning"), plan),
  rule("this plan was sent back at acceptance", at("planning"), saw("decision", "to planning"), plan),
  rule(
    "the task was decided with this plan and is open again",
    at("planning"),
    saw("decision", "accepted", "to revert"),
    plan,
  ),
  rule(
    "the task was reverted with this plan and is open again",
    at("planning"),
    saw("revert record", "valid"),
    plan,
  ),
  rule(
    "the plan is valid and has no blocking question",
    at("planning"),
    saw("plan", "ready"),
    go("plan_review"),
  ),
  rule("the plan changed since it was validated", at("planning"), plan),
];

const planReview = job("plan-reviewer", "plan_review");
const reviewingPlan: readonly Rule[] = [
  ...back("the plan review blocks the plan", "planning", at("plan_review"), saw("plan review", "blocked")),
  rule(
    "the coder found the plan unclear, and it was not reviewed since",
    at("plan_review"),
    saw("patch", "unclear"),
    planReview,
  ),
  rule(
    "the plan review is ok and nothing blocks",
    at("plan_review"),
    saw("plan review", "passed"),
    go("codegen"),
  ),
  rule("the plan review is missing", at("plan_review"), saw("plan review", "missing"), planReview),
  rule("the plan review is invalid", at("plan_review"), saw("plan review", "invalid"), planReview),
  rule("the plan changed since it was reviewed", at("plan_review"), planReview),
];

const patch = job("coder", "diff");
const files = job("coder", "files");
const codegen: readonly Rule[] = [
  rule("a person has written the code", at("codegen"), saw("patch", "by hand"), patch),
  rule("the code review blocks this code", at("codegen"), saw("code review", "to codegen"), patch),
  rule("this code fails its tests", at("codegen"), saw("tests", "failed"), patch),
  rule("this code was sent back at acceptance", at("codegen"), saw("decision", "to codegen"), patch),
  rule(
    "the task was decided with this code and is open again",
    at("codegen"),
    saw("decision", "accepted", "to revert"),
    patch,
  ),
  rule(
    "the task was reverted with this code and is open again",
    at("codegen"),
    saw("revert record", "valid"),
    patch,
  ),
  ...back("the plan's scope does not fit the code", "planning", at("codegen"), saw("patch", "mismatch")),
  ...back("the coder finds the plan unclear", "plan_review", at("codegen"), saw("patch", "unclear")),
  rule("the patch is missing", at("codegen"), saw("patch", "missing"), patch),
  rule("the patch is invalid", at("codegen"), saw("patch", "invalid"), patch),
  rule(
    "the plan or the patch changed since the code was made",
    at("codegen"),
    saw("patch", "stale", "overridden"),
    patch,
  ),
  rule("patch and files are there", at("codegen"), saw("files", "valid"), go("review")),
  rule("the files of the patch are missing", at("codegen"), saw("files", "missing"), files),
  rule("the files of the patch are invalid", at("codegen"), saw("files", "invalid"), files),
  rule("the files of the patch changed since they were made", at("codegen"), files),
];

const codeReview = job("code-reviewer", "code_review");
const reviewing: readonly Rule[] = [
  ...back("the code review blocks the code", "codegen", at("review"), saw("code review", "to codegen")),
  ...back("the code review blocks the plan", "planning", at("review"), saw("code review", "to planning")),
  rule("the review was sent back at acceptance", at("review"), saw("decision", "to review"), codeReview),
  rule("the code review has no blocking issue", at("review"), saw("code review", "passed"), go("test")),
  rule("the code review is missing", at("review"), saw("code review", "missing"), codeReview),
  rule("the code review is invalid", at("review"), saw("code review", "invalid"), codeReview),
  rule("the code changed since it was reviewed", at("review"), codeReview),
];

const tests = job("tester", "eval_report");
const testing: readonly Rule[] = [
  ...back("a test fails", "codegen", at("test"), saw("tests", "failed")),
  rule("all tests pass", at("test"), saw("tests", "passed"), go("accept")),
  rule("the test report is missing", at("test"), saw("tests", "missing"), tests),
  rule("the test report is invalid", at("test"), saw("tests", "invalid"), tests),
  rule("the code changed since it was tested", at("test"), tests),
];

const decision = job("acceptor", "decision");
const accepting: readonly Rule[] = [
  rule(
    "the task is accepted, and the decision is on record",
    at("accept"),
    saw("decision", "accepted"),
    go("done"),
  ),
  ...back("the decision sends the code back", "codegen", at("accept"), saw("decision", "to codegen")),
  ...back("the decision sends the review back", "review", at("accept"), saw("decision", "to review")),
  ...back("the decision sends the plan back", "planning", at("accept"), saw("decision", "to planning")),
  rule(
    "the task made something worse and is reverted",
    at("accept"),
    saw("decision", "to revert"),
    go("revert"),
  ),
  rule(
    "the decision is deferred",
    at("accept"),
    saw("decision", "deferred"),
    wait(["write accept/decision.json with another verdict, or: ", toCall("revert")]),
  ),
  rule("a person has decided", at("accept"), saw("decision", "by hand"), decision),
  rule("the decision is missing", at("accept"), saw("decision", "missing"), decision),
  rule("the decision is invalid", at("accept"), saw("decision", "invalid"), decision),
  rule("something changed since the decision was made", at("accept"), decision),
];

/** A task can be given up wherever it is (L17). */
const beforeTheEnd = ["planning", "plan_review", "codegen", "review", "test", "accept"];

const record = job("reverter", "revert");
const reverting: readonly Rule[] = [
  rule("the revert is on record", at("revert"), saw("revert record", "valid"), go("done")),
  rule("the revert record is missing", at("revert"), saw("revert record", "missing"), record),
  rule("the revert record is invalid", at("revert"), saw("revert record", "invalid"), record),
  rule("something changed since the revert was recorded", at("revert"), record),
];

export const lifecycle: Protocol = {
  name: "lifecycle",
  about: "one task goes from its brief to accepted or reverted work",
  phases: [
    { name: "planning", about: "the plan is written" },
    { name: "plan_review", about: "the plan is reviewed" },
    { name: "codegen", about: "the code is written" },
    { name: "review", about: "the code is reviewed" },
    { name: "test", about: "the code is tested" },
    { name: "accept", about: "the work is accepted or sent back" },
    { name: "revert", about: "the work is taken back" },
    { name: "done", about: "the task is accepted or reverted", end: true },
  ],
  artifacts: {
    plan: "planning/plan.json",
    plan_review: "review/plan-review.json",
    diff: "code/diff.patch",
    files: "code/files",
    code_review: "review/code-review.json",
    eval_report: "eval/eval-report.json",
    decision: "accept/decision.json",
    revert: "revert/record.json",
  },
  madeFrom: lifecycleInputs,
  commands: ["tester", "reverter"],
  own: {
    runName: "task",
    home: "tasks",
    folders: ["planning", "review", "code", "eval", "accept", "revert"],
    atEnd: [toCall("redo"), " opens it again, ", toCall("revert"), " takes it back"],
    actors: actorsOf,
    choices: choicesIn,
    requests: ["revert", "redo_code"],
  },
  subjects: lifecycleSubjects,
  counters: ["rounds"],
  rules: [
    rule("a revert was asked for", at(...beforeTheEnd), asked("revert"), go("revert")),
    ...inconsistent,
    ...planning,
    ...reviewingPlan,
    ...codegen,
    ...reviewing,
    ...testing,
    ...accepting,
    ...reverting,
    rule("a redo was asked for", at("done"), asked("redo"), go("planning")),
    rule("a redo with the same plan was asked for", at("done"), asked("redo_code"), go("codegen")),
    rule("the task is finished", at("done"), end()),
  ],
};

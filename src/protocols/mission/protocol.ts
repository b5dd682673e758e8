// Mission: research once, then plan, execute in order and verify, one phase of the project after the other (M). The
// number of that phase is the variable `current_phase`; the phases below are steps on the way through it.
// Old plans and summaries are archived, but nothing here depends on it: what was made from another plan is stale.
import { asked, at, go, halt, job, type Protocol, type Rule, rule, saw } from "../../core/protocol.ts";
import { missionSubjects } from "./subjects.ts";

export { currentTask, missionInputs, summaryOf } from "./subjects.ts";

const onceMore = 'heddle next --override "<reason>" --to planning';
const noPlan = saw("plan", "missing", "invalid");
const noSummary = saw("summary", "missing", "invalid", "stale", "failed", "blocked", "checkpoint");

/** M1, and what earlier steps made and is gone. */
const inconsistent: readonly Rule[] = [
  rule(
    "Project not initialized: there is no context.md",
    at("start", "research", "planning", "executing", "verifying"),
    saw("context", "missing", "invalid"),
    halt("not_initialized", 'heddle mission "<goal>"'),
  ),
  rule(
    "the plan that was executed is gone, and the returns are used up",
    at("executing", "verifying"),
    noPlan,
    saw("returns", "reached"),
    halt("plan_lost", onceMore),
  ),
  rule(
    "the plan that was executed is missing or invalid",
    at("executing", "verifying"),
    noPlan,
    go("planning", "returns"),
  ),
  rule(
    "the summary of a finished task is gone, and the returns are used up",
    at("verifying"),
    noSummary,
    saw("returns", "reached"),
    halt("summary_lost", onceMore),
  ),
  rule("a task is not complete", at("verifying"), noSummary, go("executing", "returns")),
];

const plan = job("planner", "plan");
const planning: readonly Rule[] = [
  rule("the verifier found gaps in this plan", at("planning"), saw("verification", "gaps"), plan),
  rule(
    "the verifier passed this plan, and the next phase needs one",
    at("planning"),
    saw("verification", "passed"),
    plan,
  ),
  rule("the plan is valid", at("planning"), saw("plan", "valid"), go("executing")),
  rule(
    "the planner's three tries gave no valid plan",
    at("planning"),
    saw("plan", "invalid"),
    saw("plan tries", "reached"),
    halt("plan_invalid", "mend artifacts/plan.json, then: heddle mission"),
  ),
  rule("the plan is invalid", at("planning"), saw("plan", "invalid"), plan),
  rule("the plan is missing", at("planning"), saw("plan", "missing"), plan),
  rule("the plan changed since it was validated", at("planning"), plan),
];

const answerIt = "heddle answer; the executor is then given the answer";
const execute = job("executor", "summary");
const executing: readonly Rule[] = [
  rule("every task is complete", at("executing"), saw("summary", "all complete"), go("verifying")),
  rule("the task was not tried yet", at("executing"), saw("summary", "missing", "stale"), execute),
  rule("a person answered what the task came to", at("executing"), saw("answer", "given"), execute),
  rule(
    "the task stands at a checkpoint that a person must answer",
    at("executing"),
    saw("summary", "checkpoint"),
    halt("checkpoint_required", answerIt),
  ),
  rule("the task is blocked", at("executing"), saw("summary", "blocked"), halt("task_blocked", answerIt)),
  rule(
    "Task Failed: its three retries are used up",
    at("executing"),
    saw("retries", "reached"),
    halt("task_failed", answerIt),
  ),
  rule("the task failed and may be retried", at("executing"), saw("summary", "failed"), execute),
  rule("the summary is invalid", at("executing"), execute),
];

const verify = job("verifier", "verification");
const verifying: readonly Rule[] = [
  rule("the verifier passed the phase", at("verifying"), saw("verification", "passed"), go("done")),
  rule(
    "the verifier found gaps, and the gap plans are used up",
    at("verifying"),
    saw("verification", "gaps"),
    saw("gaps", "reached"),
    halt("gaps_remain", onceMore),
  ),
  rule("the verifier found gaps", at("verifying"), saw("verification", "gaps"), go("planning", "gaps")),
  rule("the verification is missing", at("verifying"), saw("verification", "missing"), verify),
  rule("the verification is invalid", at("verifying"), saw("verification", "invalid"), verify),
  rule("the plan changed since it was verified", at("verifying"), verify),
];

export const mission: Protocol = {
  name: "mission",
  about: "a project is researched, then planned, executed and verified phase by phase, one task at a time",
  phases: [
    { name: "start", about: "the project's context is looked for" },
    { name: "research", about: "what the plan must know is found out" },
    { name: "planning", about: "the phase is planned" },
    { name: "executing", about: "its tasks are worked on in order" },
    { name: "verifying", about: "the outcome is held against the plan" },
    { name: "done", about: "the phase is complete", end: true },
  ],
  artifacts: {
    context: ".meta/context.md",
    research: "artifacts/research.json",
    plan: "artifacts/plan.json",
    summary: "artifacts/summary_<id>.json",
    verification: "artifacts/verification.json",
  },
  given: ["context"],
  subjects: missionSubjects,
  counters: ["gaps", "returns"],
  rules: [
    ...inconsistent,
    rule("the project has its context", at("start"), go("research")),

    rule("research was done before", at("research"), saw("research done", "true"), go("planning")),
    rule("the research is valid", at("research"), saw("research", "valid"), go("planning")),
    rule(
      "the research is missing",
      at("research"),
      saw("research", "missing"),
      job("researcher", "research"),
    ),
    rule(
      "the research is invalid",
      at("research"),
      saw("research", "invalid"),
      job("researcher", "research"),
    ),
    rule("the research changed since it was validated", at("research"), job("researcher", "research")),

    ...planning,
    ...executing,
    ...verifying,

    rule("the next phase was asked for", at("done"), asked("next_phase"), go("planning")),
    rule(
      "Phase Complete: every task is done and verified",
      at("done"),
      halt("phase_complete", "heddle mission goes on with the next phase"),
    ),
  ],
};

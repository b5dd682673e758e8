// Mission: research once, then plan, execute in order and verify, one phase of the project after the other (M). The
// number of that phase is the session's `current_phase`; the phases below are steps on the way through it. The plan's
// tasks are the run's task graph: how one is tried, checked, merged and taken back is the core's affair, not ours.

import { toCall } from "../../core/hint.ts";
import { asked, at, go, halt, job, type Protocol, type Rule, rule, saw, tasks } from "../../core/protocol.ts";
import { verifyingRules } from "../../protocols/verification.ts";
import { earlierTasks } from "./earlier.ts";
import { adoptIndex, sessionFields } from "./session.ts";
import { standingOf } from "./standing.ts";
import { missionSubjects, TASK_RETRIES } from "./subjects.ts";

export { currentPhase, dueGeneration, gapCount, missionInputs } from "./subjects.ts";

const onceMore = toCall('next --override "<reason>" --to planning');
const noPlan = saw("plan", "missing", "invalid");

/** M1, and what earlier steps made and is gone. */
const inconsistent: readonly Rule[] = [
  rule(
    "Project not initialized: there is no context.md that says what it is about",
    at("start", "research", "planning", "executing", "verifying"),
    saw("context", "missing", "invalid"),
    halt("not_initialized", toCall('mission "<goal>"')),
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
];

const plan = job("mission-planner", "plan");
const planning: readonly Rule[] = [
  rule("the verifier found gaps in this plan", at("planning"), saw("judged", "gaps"), plan),
  rule(
    "the verifier passed this plan, and the next phase needs one",
    at("planning"),
    saw("judged", "passed"),
    plan,
  ),
  rule("the plan is of an earlier turn", at("planning"), saw("plan's turn", "past"), plan),
  rule(
    "the plan is valid, and to be handed over",
    at("planning"),
    saw("plan", "valid"),
    saw("hand over", "true"),
    go("handed_over"),
  ),
  rule("the plan is valid", at("planning"), saw("plan", "valid"), go("executing")),
  rule("the plan is invalid", at("planning"), saw("plan", "invalid"), plan),
  rule("the plan is missing", at("planning"), saw("plan", "missing"), plan),
  rule("the plan was made from something that changed since", at("planning"), plan),
];

const answerIt = [toCall("answer"), ", then: ", toCall("mission")];
const executing: readonly Rule[] = [
  rule("the plan is to be handed over", at("executing"), saw("hand over", "true"), go("handed_over")),
  rule("every task is done or skipped", at("executing"), saw("work", "done"), go("verifying")),
  rule(
    "the task stands at a checkpoint that a person must answer",
    at("executing"),
    saw("work", "checkpoint"),
    halt("checkpoint_required", answerIt),
  ),
  rule("the task is blocked", at("executing"), saw("work", "blocked"), halt("task_blocked", answerIt)),
  rule(
    "Task Failed: its three retries are used up",
    at("executing"),
    saw("work", "failed"),
    halt("task_failed", [toCall("state retry-task <id>"), ", then: ", toCall("mission")]),
  ),
  rule("the plan's tasks are not loaded", at("executing"), saw("work", "none"), halt("no_tasks", onceMore)),
  rule("the next task is worked on", at("executing"), tasks()),
];

const verifying = verifyingRules({
  phase: "verifying",
  runs: "executing",
  plans: "planning",
  done: "done",
  unfinished: ["none", "open", "checkpoint", "blocked", "failed"],
  onceMore,
});

/** A plan may be too large for one after the other: then a decomposition has it, and gives back what it came to. */
const handing: readonly Rule[] = [
  rule("what was handed over is complete and verified", at("handed_over"), asked("handed_back"), go("done")),
  rule(
    "the plan is in the hands of a decomposition",
    at("handed_over"),
    halt("handed_over", [toCall("mission"), " goes on with it"]),
  ),
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
    { name: "handed_over", about: "a decomposition has its plan", optional: true },
    { name: "done", about: "the phase is complete", end: true },
  ],
  artifacts: {
    context: "context.md",
    research: "../artifacts/research.json",
    plan: "../artifacts/plan.json",
    verification: "../artifacts/verification.json",
  },
  given: ["context"],
  subjects: missionSubjects,
  counters: ["gaps", "returns", "phases"],
  graph: { runs: "executing", worker: "executor" },
  retries: TASK_RETRIES,
  own: {
    view: "session.json",
    folders: ["bundles"],
    viewOfTasks: true,
    reportOfAttempts: true,
    haltsOnProse: true,
    command: () => "mission",
    session: sessionFields,
    adopts: adoptIndex,
    earlier: earlierTasks,
    standing: standingOf,
  },
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
    ...handing,

    rule("the next phase was asked for", at("done"), asked("next_phase"), go("planning", "phases")),
    rule(
      "Phase Complete: every task is done and verified",
      at("done"),
      halt("phase_complete", [toCall("mission --next"), " begins the next phase"]),
    ),
  ],
};

// Decomposition: from a specification to a verified task graph, and from there to finished work (D, X).
import { artifact, field, variable } from "../../core/artifact.ts";
import { toCall } from "../../core/hint.ts";
import {
  asked,
  at,
  end,
  go,
  job,
  type Protocol,
  rule,
  type Subject,
  saw,
  tasks,
  wait,
} from "../../core/protocol.ts";
import type { Run, Task } from "../../core/run.ts";
import { counterSince } from "../../protocols/subject.ts";
import { verifyingRules, verifyingSubjects } from "../../protocols/verification.ts";

/** What a plan's files lie in, made before anybody works there (C16). */
export const planFolders = ["inputs", "artifacts", "tasks", "bundles", "reports"] as const;

/** Everything but the tasks themselves is finished, open, or stuck behind a failure. */
const work: Subject = {
  about: "the tasks of the plan",
  values: ["none", "open", "stuck", "done"],
  see: ({ run: { counts, tasks: table } }) => {
    if (table.size === 0) return "none";
    if (counts.complete + counts.skipped === table.size) return "done";
    return counts.running === 0 && table.ready(1).length === 0 ? "stuck" : "open";
  },
};

const sequence: Subject = {
  about: "the phases of the tasks",
  values: ["missing", "wrong", "broken", "set"],
  see: ({ run }) => {
    const steel: Task[] = [];
    for (const task of run.tasks.all()) {
      const { phase, dependsOn } = task.def;
      if (phase < 1) return "missing";
      if (dependsOn.some((id) => (run.tasks.get(id)?.def.phase ?? 0) > phase)) return "wrong";
      if (task.def.steel) steel.push(task);
    }
    return isConnected(steel) ? "set" : "broken";
  },
};

/** A steel thread hangs together through its own dependencies. A host need not mark one. */
function isConnected(steel: readonly Task[]): boolean {
  const left = new Map(steel.map((task) => [task.def.id, task]));
  const open = steel.slice(0, 1);
  for (const first of open) left.delete(first.def.id);
  for (let task = open.pop(); task; task = open.pop()) {
    for (const id of [...task.def.dependsOn, ...task.dependents]) {
      const neighbour = left.get(id);
      if (!neighbour) continue;
      left.delete(id);
      open.push(neighbour);
    }
  }
  return left.size === 0;
}

/** What `judge_again` is while the verdict that is there is to be replaced; with any other verdict, that was done (D24). */
export const verdictNow = ({ artifacts: { task_validation: verdict } }: Run) =>
  verdict ? `${verdict.validatedAt} ${verdict.digest}` : "none";

const judgeAgain: Subject = {
  about: "whether a person wants the plan judged again",
  values: ["true", "done", "false"],
  see: ({ run }) => {
    const { judge_again: asked } = run.vars;
    if (asked === undefined || asked === null) return "false";
    return asked === verdictNow(run) ? "true" : "done";
  },
};

/** `review_spec` is the digest of the specification that is to be reviewed: another one is another review (D27). */
const specReview: Subject = {
  about: "whether the specification is to be reviewed",
  values: ["wanted", "done"],
  see: ({ run: { vars, artifacts } }) => {
    const digest = artifacts.spec?.digest;
    const isWanted = digest !== undefined && vars.review_spec === digest;
    return isWanted && artifacts.spec_review?.inputs.spec !== digest ? "wanted" : "done";
  },
};

export const decomposition: Protocol = {
  name: "decomposition",
  about: "a specification becomes a verified graph of tasks, and the graph becomes finished work",
  phases: [
    { name: "ingestion", about: "the specification is stored as it is" },
    { name: "logical", about: "capabilities and behaviours are drawn from it" },
    { name: "physical", about: "behaviours are mapped to files" },
    { name: "definition", about: "tasks are written" },
    { name: "validation", about: "every task is judged" },
    { name: "sequencing", about: "tasks get their order" },
    { name: "ready", about: "the plan can be executed" },
    { name: "executing", about: "tasks are worked on" },
    { name: "verifying", about: "the whole is held against what must be true", optional: true },
    { name: "gap_planning", about: "tasks are written for what is missing", optional: true },
    { name: "complete", about: "every task is complete or skipped", end: true },
  ],
  artifacts: {
    spec: "inputs/spec.md",
    spec_review: "artifacts/spec-review.json",
    capability_map: "artifacts/capability-map.json",
    physical_map: "artifacts/physical-map.json",
    tasks: "tasks",
    task_validation: "artifacts/task-validation.json",
    order: "tasks",
    verification: "artifacts/verification.json",
    gap_tasks: "tasks",
  },
  given: ["spec"],
  subjects: {
    spec: artifact("spec"),
    "specification review": specReview,
    way: variable("way", ["list"], "specification"),
    "capability map": artifact("capability_map"),
    "physical map": artifact("physical_map"),
    "plan check": artifact("task_validation"),
    verdict: field("task_validation", "verdict", ["READY", "READY_WITH_NOTES", "BLOCKED"]),
    order: artifact("order"),
    "task files": artifact("tasks"),
    work,
    sequence,
    verify: variable("verify", ["true"], "false"),
    "judge again": judgeAgain,
    ...verifyingSubjects,
    verifications: counterSince("verifications", () => Number.POSITIVE_INFINITY),
  },
  counters: ["gaps", "returns", "verifications"],
  graph: { opens: "ready", runs: "executing", worker: "task-executor", tagged: true },
  own: {
    runName: "plan",
    folders: planFolders,
    viewOfTasks: true,
    viewOfEvents: true,
    reportOfAttempts: true,
    tasksAreFiles: true,
    noTranscript: true,
    makesTarget: true,
    handsOut: ["spec", "capability_map", "physical_map"],
    command: ({ phase, completedPhases }) =>
      phase === "ready" || completedPhases.includes("ready") ? "execute" : "plan",
    advance: "state advance",
  },
  rules: [
    rule(
      "a person wants the plan judged again",
      at("validation", "executing", "verifying", "gap_planning", "complete"),
      saw("judge again", "true"),
      job("task-plan-verifier", "task_validation"),
    ),
    rule(
      "the plan was judged again, and nothing else was asked for",
      at("verifying", "gap_planning"),
      asked("drive"),
      saw("judge again", "done"),
      wait(toCall("execute --verify")),
    ),
    rule("the tasks are a person's own list", at("ingestion"), saw("way", "list"), go("ready")),
    rule(
      "the specification is to be reviewed",
      at("ingestion"),
      asked("drive"),
      saw("spec", "valid"),
      saw("specification review", "wanted"),
      job("spec-reviewer", "spec_review"),
    ),
    rule("the specification is stored", at("ingestion"), saw("spec", "valid"), go("logical")),
    rule(
      "the specification is empty or cannot be read",
      at("ingestion"),
      saw("spec", "invalid"),
      wait("put a specification at project-planning/inputs/spec.md"),
    ),
    rule("there is no specification", at("ingestion"), wait("put it at project-planning/inputs/spec.md")),

    rule("the capability map is valid", at("logical"), saw("capability map", "valid"), go("physical")),
    rule(
      "the capability map is missing",
      at("logical"),
      saw("capability map", "missing"),
      job("logic-architect", "capability_map"),
    ),
    rule(
      "the capability map is invalid",
      at("logical"),
      saw("capability map", "invalid"),
      job("logic-architect", "capability_map"),
    ),
    rule(
      "the capability map or its specification changed since it was validated",
      at("logical"),
      job("logic-architect", "capability_map"),
    ),

    rule("the physical map is valid", at("physical"), saw("physical map", "valid"), go("definition")),
    rule(
      "the physical map is missing",
      at("physical"),
      saw("physical map", "missing"),
      job("physical-architect", "physical_map"),
    ),
    rule(
      "the physical map is invalid",
      at("physical"),
      saw("physical map", "invalid"),
      job("physical-architect", "physical_map"),
    ),
    rule(
      "the physical map or its capability map changed since it was validated",
      at("physical"),
      job("physical-architect", "physical_map"),
    ),

    rule("no tasks are loaded", at("definition"), saw("work", "none"), job("task-author", "tasks")),
    rule(
      "the tasks were made from another physical map",
      at("definition"),
      asked("drive"),
      saw("task files", "stale"),
      job("task-author", "tasks"),
    ),
    rule("tasks are loaded", at("definition"), go("validation")),

    rule(
      "the plan was judged ready",
      at("validation"),
      saw("verdict", "READY", "READY_WITH_NOTES"),
      go("sequencing"),
    ),
    rule(
      "the plan is blocked by its verdict",
      at("validation"),
      saw("verdict", "BLOCKED"),
      wait(["fix the task files, then: ", { do: "load-tasks" }, ", and have the plan judged again"]),
    ),
    rule(
      "the plan was not judged",
      at("validation"),
      saw("plan check", "missing"),
      job("task-plan-verifier", "task_validation"),
    ),
    rule(
      "the judgement is invalid",
      at("validation"),
      saw("plan check", "invalid"),
      job("task-plan-verifier", "task_validation"),
    ),
    rule(
      "the tasks changed since they were judged",
      at("validation"),
      job("task-plan-verifier", "task_validation"),
    ),

    rule(
      "the tasks were not put in order yet",
      at("sequencing"),
      asked("drive"),
      saw("order", "missing", "invalid", "stale"),
      job("plan-auditor", "order"),
    ),
    rule("every task has its phase", at("sequencing"), saw("sequence", "set"), go("ready")),
    rule("a task has no phase", at("sequencing"), saw("sequence", "missing"), job("plan-auditor", "order")),
    rule(
      "the steel thread does not hang together",
      at("sequencing"),
      saw("sequence", "broken"),
      job("plan-auditor", "order"),
    ),
    rule("a task depends on one in a later phase", at("sequencing"), job("plan-auditor", "order")),

    rule("execution was asked for", at("ready"), asked("advance"), go("executing")),
    rule("an orchestrator drives the run", at("ready"), asked("drive"), go("executing")),
    rule("the plan is ready", at("ready"), wait(toCall("execute"))),

    rule(
      "every task is complete or skipped, and the whole is to be verified",
      at("executing"),
      saw("work", "done"),
      saw("verify", "true"),
      go("verifying"),
    ),
    rule("every task is complete or skipped", at("executing"), saw("work", "done"), go("complete")),
    rule(
      "tasks are failed or blocked, and nothing else can start",
      at("executing"),
      saw("work", "stuck"),
      wait([toCall("why"), " shows what would unblock them"]),
    ),
    rule("no tasks are loaded", at("executing"), saw("work", "none"), wait({ do: "load-tasks" })),
    rule("tasks are open", at("executing"), tasks()),

    ...verifyingRules({
      phase: "verifying",
      runs: "executing",
      plans: "gap_planning",
      done: "complete",
      unfinished: ["none", "open", "stuck"],
      onceMore: [toCall('next --override "<reason>" --to gap_planning'), ", then: ", toCall("execute")],
    }),
    rule("there are new tasks", at("gap_planning"), saw("work", "open", "stuck"), go("executing")),
    rule("the gaps need tasks", at("gap_planning"), job("task-author", "gap_tasks")),

    rule("it is to be verified", at("complete"), asked("verify"), go("verifying", "verifications")),
    rule("everything is done", at("complete"), end()),
  ],
};

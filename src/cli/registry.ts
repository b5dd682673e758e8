// Which command lives where. A command is loaded when it is called: most of heddle is never read by most calls.
import type { Command } from "./command.ts";
import {
  completeTask,
  failTask,
  readyTasks,
  retryTask,
  skipTask,
  startTask,
} from "./commands/state-tasks.ts";

type Load = () => object | Promise<object>;

const looks = { status: "status", why: "why", history: "history", replay: "replay", verify: "verify" };

const everyday = () => ({ readyTasks, startTask, completeTask, failTask, retryTask, skipTask });

const files: readonly (readonly [Load, Readonly<Record<string, string>>])[] = [
  [
    // What agents call most is part of the first file that is loaded.
    everyday,
    {
      "state ready-tasks": "readyTasks",
      "state start-task": "startTask",
      "state complete-task": "completeTask",
      "state fail-task": "failTask",
      "state retry-task": "retryTask",
      "state skip-task": "skipTask",
    },
  ],
  [
    () => import("./commands/state-plan.ts"),
    {
      "state status": "stateStatus",
      "state advance": "advance",
      "state load-tasks": "loadTasks",
      "state validate": "validate",
      "state validate-tasks": "validateTasks",
    },
  ],
  [
    () => import("./commands/state-view.ts"),
    { "state adopt": "adopt", "state restore": "restore", "state export": "exportState" },
  ],
  [() => import("./commands/init.ts"), { init: "init", "state init": "stateInit" }],
  [() => import("./commands/look.ts"), looks],
  [() => import("./commands/next.ts"), { next: "next" }],
  [
    () => import("./commands/halt.ts"),
    {
      halt: "halt",
      resume: "resume",
      answer: "answer",
      "state halt": "stateHalt",
      "state check-halt": "checkHalt",
      "state confirm-halt": "confirmHalt",
      "state halt-status": "haltStatus",
      "state resume": "stateResume",
    },
  ],
  [
    () => import("./commands/protocol.ts"),
    {
      "protocol list": "list",
      "protocol show": "show",
      "protocol check": "check",
      "protocol new": "create",
      "protocol approve": "approve",
      "protocol start": "start",
    },
  ],
  [() => import("./commands/who.ts"), { who: "who" }],
  [
    () => import("./commands/settings.ts"),
    {
      "settings list": "list",
      "settings show": "show",
      "settings approve": "approve",
      "settings revoke": "revoke",
    },
  ],
  [
    () => import("./commands/state-record.ts"),
    {
      "state record-verification": "recordVerification",
      "state record-calibration": "recordCalibration",
      "state log-tokens": "logTokens",
      "state prepare-rollback": "prepareRollback",
      "state verify-rollback": "verifyRollback",
      "state commit-task": "commitTask",
    },
  ],
  [
    () => import("./commands/state-metrics.ts"),
    {
      "state metrics": "metrics",
      "state planning-metrics": "planning",
      "state failure-metrics": "failures",
      "state spec-coverage": "coverage",
      "state calibration-score": "calibration",
    },
  ],
  [() => import("./commands/state-checkpoint.ts"), { "state checkpoint": "checkpoint" }],
  [
    () => import("./commands/keep.ts"),
    { log: "log", backup: "backup", restore: "restore", "import tasker": "importTasker" },
  ],
  [
    () => import("./commands/bundle.ts"),
    {
      "bundle generate": "generate",
      "bundle generate-ready": "generateReady",
      "bundle validate": "validate",
      "bundle validate-integrity": "validateIntegrity",
      "bundle list": "list",
      "bundle clean": "clean",
      "bundle show": "show",
    },
  ],
  [() => import("./commands/completion.ts"), { completion: "completion" }],
  [() => import("./commands/plan.ts"), { plan: "plan", "verify-plan": "verifyPlan" }],
  [
    () => import("./commands/plan-task.ts"),
    {
      "plan-task add": "add",
      "plan-task edit": "edit",
      "plan-task split": "split",
      "plan-task drop": "drop",
    },
  ],
  [
    () => import("./commands/task.ts"),
    {
      "task new": "create",
      "task list": "list",
      "task show": "show",
      "review plan": "reviewPlan",
      codegen: "codegen",
      review: "review",
      test: "test",
      accept: "accept",
      revert: "revert",
      redo: "redo",
    },
  ],
  [() => import("./commands/execute.ts"), { execute: "execute", land: "land" }],
  [
    () => import("./commands/mission.ts"),
    { mission: "mission", "mission init": "missionInit", "mission run": "missionRun" },
  ],
  [() => import("./commands/attach.ts"), { attach: "attach" }],
  [() => import("./commands/transcript.ts"), { transcript: "transcript" }],
  [() => import("./commands/tasks.ts"), { tasks: "tasks" }],
  [() => import("./commands/report.ts"), { report: "report" }],
  [() => import("./commands/doctor.ts"), { doctor: "doctor" }],
  [() => import("./commands/tune.ts"), { tune: "tune" }],
  [() => import("./commands/undo.ts"), { undo: "undo" }],
  [() => import("./commands/workspace.ts"), { "workspace ls": "list", "workspace rm": "remove" }],
  [() => import("./commands/check-output.ts"), { "check-output": "checkOutput" }],
  [
    () => import("./commands/attempt.ts"),
    { "attempt bundle": "bundle", "attempt progress": "progress", "attempt ask": "ask" },
  ],
  [() => import("./commands/mcp.ts"), { mcp: "mcp" }],
  [() => import("./commands/demo.ts"), { demo: "demo" }],
  [() => import("./commands/help.ts"), { help: "help" }],
];

const places = new Map(
  files.flatMap(([load, names]) => Object.entries(names).map(([name, key]) => [name, { load, key }])),
);

export const commandNames: readonly string[] = [...places.keys()];

export async function loadCommand(name: string): Promise<Command | undefined> {
  const place = places.get(name);
  // For the files that are loaded from now on; the first one brings its own (`compiled.ts`).
  if (place && place.load !== everyday) process.getBuiltinModule("node:module").enableCompileCache();
  return place && ((await place.load()) as Readonly<Record<string, Command>>)[place.key];
}

export async function allCommands(): Promise<readonly Command[]> {
  const commands = await Promise.all(commandNames.map(loadCommand));
  return commands.filter((command) => command !== undefined);
}

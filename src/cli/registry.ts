// The room of the command line: the commands that every protocol has, the REPL, the MCP tools and the page's orders. It puts heddle
// together (`composition.ts` names the store), prints, and may use every other room; no other uses it.
//
// Which command lives where. A command is loaded when it is called: most of heddle is never read by most calls.
import type { Command, CommandFile } from "../command/command.ts";
import { packs } from "../packs/packs.ts";
import {
  completeTask,
  failTask,
  readyTasks,
  retryTask,
  skipTask,
  startTask,
} from "./commands/state/tasks.ts";

const looks = { status: "status", why: "why", history: "history", replay: "replay", verify: "verify" };

const everyday = () => ({ readyTasks, startTask, completeTask, failTask, retryTask, skipTask });

/** Of every protocol; what is for one alone is listed by its pack. */
const generic: readonly (readonly [CommandFile["load"], CommandFile["commands"]])[] = [
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
    () => import("./commands/state/view.ts"),
    { "state adopt": "adopt", "state restore": "restore", "state export": "exportState" },
  ],
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
    () => import("./commands/state/record.ts"),
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
    () => import("./commands/state/metrics.ts"),
    {
      "state metrics": "metrics",
      "state planning-metrics": "planning",
      "state failure-metrics": "failures",
      "state calibration-score": "calibration",
    },
  ],
  [() => import("./commands/state/checkpoint.ts"), { "state checkpoint": "checkpoint" }],
  [() => import("./commands/journal.ts"), { "journal move": "move" }],
  [() => import("./commands/keep.ts"), { log: "log", backup: "backup", restore: "restore" }],
  [() => import("./commands/completion.ts"), { completion: "completion" }],
  [() => import("./commands/land.ts"), { land: "land" }],
  [
    () => import("./commands/runs.ts"),
    { runs: "list", "runs list": "listAgain", "runs use": "use", "runs archive": "archive" },
  ],
  [() => import("./commands/show.ts"), { show: "show", diff: "diff", open: "open" }],
  [() => import("./commands/attach.ts"), { attach: "attach" }],
  [() => import("./commands/transcript.ts"), { transcript: "transcript" }],
  [() => import("./commands/tasks.ts"), { tasks: "tasks" }],
  [() => import("./commands/report.ts"), { report: "report" }],
  [() => import("./commands/doctor.ts"), { doctor: "doctor" }],
  [() => import("./commands/undo.ts"), { undo: "undo" }],
  [() => import("./commands/workspace.ts"), { "workspace ls": "list", "workspace rm": "remove" }],
  [() => import("./commands/state/check-output.ts"), { "check-output": "checkOutput" }],
  [
    () => import("./commands/state/attempt.ts"),
    { "attempt bundle": "bundle", "attempt progress": "progress", "attempt ask": "ask" },
  ],
  [() => import("./commands/comment.ts"), { comment: "commentCommand" }],
  [() => import("./commands/serve.ts"), { serve: "serveCommand" }],
  [() => import("./commands/web.ts"), { web: "web" }],
  [() => import("./commands/mcp.ts"), { mcp: "mcp" }],
  [() => import("./commands/carry.ts"), { carry: "carry" }],
  [() => import("./commands/machines/worker.ts"), { worker: "worker" }],
  [() => import("./commands/help.ts"), { help: "help" }],
];

const files: readonly CommandFile[] = [
  ...packs.flatMap((pack) => pack.commands),
  ...generic.map(([load, commands]) => ({ load, commands })),
];

const places = new Map(
  files.flatMap(({ load, commands }) => Object.entries(commands).map(([name, key]) => [name, { load, key }])),
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

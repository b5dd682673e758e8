// Halting and resuming, under both names: for people, and for scripts written against the documents (C10).
import { join, resolve } from "node:path";
import { type Call, type Command, exits, type Reply, Usage } from "../../command/command.ts";
import { numberOf } from "../../command/parse.ts";
import { toCall } from "../../core/hint.ts";
import { problem } from "../../core/problem.ts";
import { commandOf } from "../../core/steps/phase.ts";
import { type App, Refused } from "../../engine/app.ts";
import { pathsIn } from "../../engine/paths.ts";
import { isThereItself, readText, remove } from "../../host/files.ts";
import { isAlive } from "../../host/program/process.ts";
import { stopFileIn } from "../../published/outside.ts";
import { hintText } from "../../view/hint.ts";
import { oneLine } from "../../view/safe.ts";
import { haltView } from "../../view/state-json.ts";

const reason = { name: "reason", about: "why", optional: true, many: true, text: true } as const;

async function requestHalt({ app, args, flags }: Call): Promise<Reply> {
  const why = args.join(" ") || "manual";
  const opened = await app();
  await opened.submit({ kind: "halt", reason: why, now: flags.has("now") });
  const running = await opened.look((run) => [...run.running]);
  const rest = running.length > 0 ? ` (${running.length} running: ${running.slice(0, 5).join(", ")})` : "";
  return { text: `Halt requested: ${why}${rest}`, json: { halted: true, reason: why, running } };
}

export const halt: Command = {
  name: "halt",
  summary: "start nothing new; what runs may finish",
  group: "steer",
  args: [reason],
  flags: { now: { about: "end what runs, too" } },
  examples: ["heddle halt", 'heddle halt "look at T007 first"', "heddle halt --now"],
  run: requestHalt,
};

export const stateHalt: Command = {
  name: "state halt",
  summary: "request a halt; the same as `heddle halt`",
  group: "state",
  args: [reason],
  examples: ["heddle state halt user_message"],
  run: requestHalt,
};

/** `isHost`: for a script that drives the loop itself, and knows what it does next. */
async function resumeRun({ app, flags, manner }: Call, isHost: boolean): Promise<Reply> {
  const opened = await app();
  const budget = flags.one("budget");
  const stopFile = await opened.isStopped();
  const before = await opened.look((run) => ({ halt: run.halt, stopFile, path: stopFileIn(run) }));
  const budgetUsd = budget === undefined ? {} : { budgetUsd: numberOf(budget, "--budget") };
  const skipped = flags.one("skip-baseline");
  if (skipped !== undefined) await opened.submit({ kind: "skip-baseline", reason: skipped });
  if (skipped === undefined || before.stopFile || before.halt?.code !== "baseline")
    await opened.submit({ kind: "resume", stopFile: before.stopFile, ...budgetUsd });
  // After the fact: were it the other way round, a crash in between would lose the halt without a trace.
  if (before.stopFile) remove(before.path);
  const stop = before.stopFile ? " (STOP file removed)" : "";
  const active = before.halt?.activeTask ? `. Previously active task: ${before.halt.activeTask}` : "";
  const { holder, command, left } = await opened.look((run) => ({
    holder: run.holder,
    command: commandOf(run),
    left: run.counts.pending + run.counts.running + run.counts.blocked,
  }));
  const isDriven = holder !== null && isAlive(holder);
  const tasks = left > 0 ? ` (${left} task${left === 1 ? "" : "s"} left)` : "";
  const next = isDriven
    ? "The orchestrator that runs goes on."
    : `Nothing runs yet. To continue${tasks}: ${hintText(command, manner)}`;
  return {
    text: [`Execution resumed${stop}${active}`, ...(isHost ? [] : [next])].join("\n"),
    json: {
      resumed: true,
      stop_file_removed: before.stopFile,
      reason: before.halt?.reason ?? "stop_file",
      go_on: isDriven ? null : hintText(command),
    },
  };
}

export const resume: Command = {
  name: "resume",
  summary: "clear every halt that an operator made, a STOP file included",
  group: "steer",
  flags: {
    budget: { about: "raise the run's budget, when that was what halted it", takes: "USD", byHand: true },
    "skip-baseline": {
      about: "go on although the base cannot be checked, and record why",
      takes: "WHY",
      byHand: true,
    },
  },
  examples: ["heddle resume", "heddle resume --budget 200"],
  run: (call) => resumeRun(call, false),
};

export const stateResume: Command = {
  name: "state resume",
  summary: "clear a halt; the same as `heddle resume`",
  group: "state",
  examples: ["heddle state resume"],
  run: (call) => resumeRun(call, true),
};

/** Only a halt exits 1: a state that cannot be read is another matter, and scripts must be able to tell. */
export const checkHalt: Command = {
  name: "state check-halt",
  summary: "exit 1 when the run is halted, 0 when it is not",
  group: "state",
  examples: ["heddle state check-halt || exit"],
  run: async ({ app, root, journals }) => {
    const halted = (why: string): Reply => ({
      text: `HALTED: ${oneLine(why)}`,
      json: { halted: true, reason: why },
      exit: exits.refused,
    });
    if (!(await journals.has(root)) && isThereItself(join(pathsIn(root).planning, "STOP")))
      return halted("stop_file");
    const opened = await app().catch(asUnreadable);
    const found = await look(opened).catch(asUnreadable);
    if (found.stopFile) return halted("stop_file");
    return found.reason === null ? { text: "OK", json: { halted: false } } : halted(found.reason);
  },
};

async function look(app: App) {
  const reason = await app.look((run) => run.halt?.reason ?? null);
  return { stopFile: await app.isStopped(), reason };
}

function asUnreadable(error: unknown): never {
  if (error instanceof Refused) throw new Unreadable(error);
  throw error;
}

class Unreadable extends Error {
  readonly problem;

  constructor({ problems }: Refused) {
    super("unreadable");
    this.problem = problems[0] ?? problem("unreadable", "the state cannot be read");
  }
}

export const confirmHalt: Command = {
  name: "state confirm-halt",
  summary: "record that the loop has stopped",
  group: "state",
  examples: ["heddle state confirm-halt"],
  run: async ({ app }) => {
    const opened = await app();
    const stopFile = await opened.isStopped();
    await opened.submit({ kind: "confirm-halt", stopFile });
    const running = await opened.look((run) => [...run.running]);
    return {
      text: `Halt confirmed. Running tasks: ${running.join(", ") || "none"}`,
      json: { confirmed: true, running },
    };
  },
};

export const haltStatus: Command = {
  name: "state halt-status",
  summary: "show whether, why and since when the run is halted",
  group: "state",
  examples: ["heddle state halt-status --format json"],
  run: async ({ app }) => {
    const opened = await app();
    const stopFile = await opened.isStopped();
    const json = await opened.look((run) => {
      const { requested, ...rest } = haltView(run) as { requested: boolean } & Record<
        string,
        string | boolean | null
      >;
      return {
        is_halted: requested || stopFile,
        ...rest,
        reason: stopFile ? "stop_file" : (rest.reason ?? null),
        stop_file_exists: stopFile,
        running_tasks: [...run.running],
      };
    });
    const lines = Object.entries(json).map(
      ([key, value]) =>
        `${key}: ${Array.isArray(value) ? oneLine(value.join(", ")) || "none" : oneLine(String(value ?? "none"))}`,
    );
    return { text: lines.join("\n"), json };
  },
};

function fileSays(file: string): string {
  const read = readText(resolve(file), 1024 * 1024);
  if ("problem" in read) throw new Refused([read.problem]);
  return read.text.trimEnd();
}

export const answer: Command = {
  name: "answer",
  summary: "answer a question that the run has asked",
  brief: "answer a question of an agent",
  group: "steer",
  args: [
    { name: "question", about: "the question's id" },
    { name: "text", about: "the answer", many: true, text: true, optional: true },
  ],
  flags: { file: { about: "the answer is what this file says", takes: "FILE", byHand: true } },
  examples: ["heddle answer q1 yes", "heddle answer q1 --file answer.md"],
  run: async ({ app, args: [id = "", ...words], flags }) => {
    const file = flags.one("file");
    if ((file === undefined) === (words.length === 0)) {
      const what = file === undefined ? "`text` is missing: the answer" : "the answer is given twice";
      throw new Usage(
        problem("no-answer", what, { hint: [toCall(`answer ${id} "<text>"`), ", or --file FILE"] }),
      );
    }
    const text = file === undefined ? words.join(" ") : fileSays(file);
    await (await app()).submit({ kind: "answer", id, answer: text });
    return { text: `Answered ${id}: ${text}`, json: { question: id, answer: text } };
  },
};

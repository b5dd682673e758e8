// Halting and resuming, under both names: for people, and for scripts written against the documents (C10).
import { join, resolve } from "node:path";
import { problem } from "../../core/problem.ts";
import { type App, Refused } from "../../engine/app.ts";
import { pathsIn } from "../../engine/paths.ts";
import { isThere, isThereItself, readText, remove } from "../../host/files.ts";
import { oneLine } from "../../view/safe.ts";
import { haltView } from "../../view/state-json.ts";
import { type Call, type Command, exits, type Reply, Usage } from "../command.ts";
import { numberOf } from "../parse.ts";

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

async function resumeRun({ app, flags }: Call): Promise<Reply> {
  const opened = await app();
  const budget = flags.one("budget");
  const before = await opened.look((run) => ({
    halt: run.halt,
    stopFile: opened.stopFileThere(run),
    path: opened.stopFile(run),
  }));
  const budgetUsd = budget === undefined ? {} : { budgetUsd: numberOf(budget, "--budget") };
  await opened.submit({ kind: "resume", stopFile: before.stopFile, ...budgetUsd });
  // After the fact: were it the other way round, a crash in between would lose the halt without a trace.
  if (before.stopFile) remove(before.path);
  const stop = before.stopFile ? " (STOP file removed)" : "";
  const active = before.halt?.activeTask ? `. Previously active task: ${before.halt.activeTask}` : "";
  return {
    text: `Execution resumed${stop}${active}`,
    json: { resumed: true, stop_file_removed: before.stopFile, reason: before.halt?.reason ?? "stop_file" },
  };
}

export const resume: Command = {
  name: "resume",
  summary: "clear every halt that an operator made, a STOP file included",
  group: "steer",
  flags: {
    budget: { about: "raise the run's budget, when that was what halted it", takes: "USD", byHand: true },
  },
  examples: ["heddle resume", "heddle resume --budget 200"],
  run: resumeRun,
};

export const stateResume: Command = {
  name: "state resume",
  summary: "clear a halt; the same as `heddle resume`",
  group: "state",
  examples: ["heddle state resume"],
  run: resumeRun,
};

/** Only a halt exits 1: a state that cannot be read is another matter, and scripts must be able to tell. */
export const checkHalt: Command = {
  name: "state check-halt",
  summary: "exit 1 when the run is halted, 0 when it is not",
  group: "state",
  examples: ["heddle state check-halt || exit"],
  run: async ({ app, root }) => {
    const halted = (why: string): Reply => ({
      text: `HALTED: ${oneLine(why)}`,
      json: { halted: true, reason: why },
      exit: exits.refused,
    });
    const paths = pathsIn(root);
    if (!isThere(paths.database) && isThereItself(join(paths.planning, "STOP"))) return halted("stop_file");
    const opened = await app().catch(asUnreadable);
    const found = await look(opened).catch(asUnreadable);
    if (found.stopFile) return halted("stop_file");
    return found.reason === null ? { text: "OK", json: { halted: false } } : halted(found.reason);
  },
};

function look(app: App) {
  return app.look((run) => ({ stopFile: app.stopFileThere(run), reason: run.halt?.reason ?? null }));
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
    const stopFile = await opened.look((run) => opened.stopFileThere(run));
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
    const json = await opened.look((run) => {
      const stopFile = opened.stopFileThere(run);
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
      throw new Usage(problem("no-answer", what, { hint: `heddle answer ${id} "<text>", or --file FILE` }));
    }
    const text = file === undefined ? words.join(" ") : fileSays(file);
    await (await app()).submit({ kind: "answer", id, answer: text });
    return { text: `Answered ${id}: ${text}`, json: { question: id, answer: text } };
  },
};

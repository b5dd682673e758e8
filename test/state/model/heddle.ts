// heddle's side of the comparison: its own command objects, called in this process with a project of their own, and what
// can be seen of the run afterwards. Only what `main.ts` does around a command is done here again: an error becomes an
// exit code.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { composition } from "../../../src/cli/composition.ts";
import { loadCommand } from "../../../src/cli/registry.ts";
import { type Command, exits, Usage } from "../../../src/command/command.ts";
import { parse } from "../../../src/command/parse.ts";
import type { Run, Task } from "../../../src/core/run.ts";
import { statusOf } from "../../../src/core/task.ts";
import type { App } from "../../../src/engine/app.ts";
import { openApp } from "../../../src/engine/open.ts";
import { inShell } from "../../../src/view/hint.ts";
import { heddle } from "../../e2e/rig.ts";
import type { Batch, Projection, Seen, TaskSeen } from "./seen.ts";

interface Answer {
  readonly exit: number;
  readonly text: string;
  readonly json: unknown;
}

type Caller = (words: readonly string[]) => Promise<Answer>;

export class Heddle {
  readonly #root: string;
  readonly #caller: Caller;
  #app: App | undefined;

  /** `caller`: how a command is called; in this process without one. */
  constructor(root: string, caller?: Caller) {
    this.#root = root;
    this.#caller = caller ?? ((words) => this.#call(words));
  }

  close(): void {
    this.#app?.close();
    this.#app = undefined;
  }

  async run(line: string): Promise<Seen> {
    const words = line.split(" ").filter((word) => word !== "");
    const { exit, text, json } = await this.#caller(words).catch(answerOf);
    const lines = linesOf(words[0] ?? "", { exit, text, json }).map((each) =>
      each.replaceAll(this.#root, "<root>").replace(/batch-[\dTZ-]+$/, "batch-<time>"),
    );
    const run = await this.#look();
    return { exit, crashed: exit === exits.bug, lines, state: run.state, checkpoint: run.checkpoint };
  }

  async #call(words: readonly string[]): Promise<Answer> {
    const command = (await loadCommand(`state ${words[0]}`)) as Command;
    const { args, flags } = parse(command, words.slice(1));
    const {
      text = "",
      json,
      exit = 0,
    } = await command.run({
      args,
      flags,
      root: this.#root,
      ...composition,
      manner: inShell,
      app: () => this.#open(),
      commands: async () => [],
      say: () => {},
      stream: () => {},
      warn: () => {},
      signal: new AbortController().signal,
      stopNow: () => new AbortController().signal,
    });
    return { exit, text, json };
  }

  async #open(): Promise<App> {
    this.#app ??= await openApp({ root: this.#root, ...composition, by: "model" });
    return this.#app;
  }

  /** From the journal itself: the view may be cut, and looking must not fix it. */
  async #look(): Promise<{ state: Projection | null; checkpoint: Batch | null }> {
    if (!existsSync(join(this.#root, ".heddle/heddle.db"))) return { state: null, checkpoint: null };
    const app = await this.#open();
    return app.journal.read(await app.run(), (run) => ({ state: project(run), checkpoint: batchOf(run) }));
  }
}

function answerOf(error: unknown): Answer {
  const exit = () => {
    if (error instanceof Usage) return exits.usage;
    if (error instanceof Error && "problems" in error) return exits.refused;
    return error instanceof Error && "problem" in error ? exits.store : exits.bug;
  };
  return { exit: exit(), text: exit() === exits.bug ? String((error as Error).stack) : "", json: null };
}

/** Calls the real CLI, a process for each command. */
export const throughProcesses =
  (root: string): Caller =>
  async (words) => {
    const { code, out, err } = await heddle(["state", ...words], { cwd: root });
    if (err.includes("    at ")) throw new Error(err);
    const json = code === 0 && words.includes("json") ? JSON.parse(out) : null;
    return { exit: code ?? exits.bug, text: out.replace(/\n$/, ""), json };
  };

type Figures = Readonly<Record<string, unknown>>;

/** The lines that scripts read; of figures, those that the first implementation has too. */
function linesOf(command: string, { exit, text, json }: Answer): string[] {
  if (exit !== 0) return text === "" ? [] : text.split("\n");
  const figures = json as Figures;
  if (command === "metrics")
    return [
      `completed ${figures.completed_count}`,
      `failed ${figures.failed_count}`,
      `success ${figures.task_success_rate}`,
      `at once ${figures.first_attempt_success_rate}`,
      `tokens ${figures.total_tokens}`,
    ];
  if (command === "halt-status")
    return [
      `halted ${figures.is_halted}`,
      `reason ${figures.reason ?? "none"}`,
      `running ${(figures.running_tasks as string[]).join(" ")}`,
    ];
  const lines = text === "" ? [] : text.split("\n");
  return command === "status" ? lines.filter((line) => /^(Phase|Tasks): /.test(line)) : lines;
}

function project(run: Run): Projection {
  const tasks = [...run.tasks.all()].sort((a, b) => (a.def.id < b.def.id ? -1 : 1));
  const { correct, falsePositives, falseNegatives } = run.calibration;
  const named = (outcome: string) =>
    tasks
      .filter((task) => task.calibration?.outcome === outcome)
      .map((task) => task.def.id)
      .join(" ");
  const { capability_map: capability, physical_map: physical, task_validation: verdict } = run.artifacts;
  return {
    phase: run.phase,
    completed: [...run.completedPhases],
    tasks: Object.fromEntries(tasks.map((task) => [task.def.id, seen(task)])),
    counts: [run.counts.complete, run.counts.failed],
    active: [...run.running],
    usage: [run.usage.inputTokens + run.usage.outputTokens, run.usage.costUsd],
    halt: run.halt && { reason: run.halt.reason, active: run.halt.activeTask },
    calibration: [
      correct + falsePositives + falseNegatives,
      correct,
      named("false_positive"),
      named("false_negative"),
    ],
    artifacts: {
      capability: capability?.valid ?? false,
      physical: physical?.valid ?? false,
      verdict: String(verdict?.content.verdict ?? ""),
    },
  };
}

function seen(task: Task): TaskSeen {
  const status = statusOf(task);
  const { failure, verification, created, modified } = task;
  return {
    status,
    attempts: task.attempts,
    failure: status === "failed" ? `${failure?.category} ${failure?.retryable}` : null,
    files: status === "complete" ? `${created.join(",")}|${modified.join(",")}` : null,
    verification: verification && `${verification.verdict} ${verification.recommendation}`,
  };
}

function batchOf({ checkpoint }: Run): Batch | null {
  if (!checkpoint) return null;
  const { status, spawned, pending, completed, failed } = checkpoint;
  return {
    status,
    spawned: [...spawned],
    pending: [...pending],
    completed: [...completed],
    failed: [...failed],
  };
}

// Commands at work inside the REPL. Each is the command line's own object, called as `main.ts` calls it, with a project
// of its own to open: to the journal it is one more process. One that takes its time goes on beside the prompt.

import { type Command, isJson, type Reply } from "../../command/command.ts";
import { type Parsed, parse } from "../../command/parse.ts";
import type { Prompts } from "../../command/terminal/prompts.ts";
import type { Drawing } from "../../command/terminal/screen.ts";
import { terminal } from "../../command/terminal/terminal.ts";
import { type Problem, problem } from "../../core/problem.ts";
import { Refused } from "../../engine/app.ts";
import { elapsed } from "../../view/amount.ts";
import { atPrompt, hintsAsText } from "../../view/hint.ts";
import { problemText } from "../../view/problem.ts";
import { safe } from "../../view/safe.ts";
import { paint } from "../../view/status.ts";
import { explain } from "../explain.ts";
import { find } from "../find.ts";
import { perform } from "../perform.ts";
import { allCommands } from "../registry.ts";

export interface Job {
  readonly words: readonly string[];
  readonly command: Command;
  readonly sinceMs: number;
  readonly interrupt: AbortController;
  readonly now: AbortController;
  /** Whether it has hold of the run, or soon will. */
  readonly holds: boolean;
  /** Whether it ends what it began when `now` is aborted. */
  canStopNow: boolean;
  /** Whether it shows by itself what goes on. */
  draws: boolean;
}

/** Where a session prints and draws. */
export interface Paper {
  /** Lines that stay; what comes from outside in them was made safe. */
  print(text: string): void;
  /** Something that is shown beside the lines may have changed. */
  refresh(): void;
  /** None in plain mode. */
  readonly screen?: () => Drawing;
}

export interface Surroundings {
  readonly root: string;
  readonly run: string | undefined;
  readonly paper: Paper;
  readonly ask: Prompts;
  /** A command has ended; `exit` is what a shell would have seen. */
  readonly ended: (job: Job, exit: number) => void;
}

/** A command that takes longer than this lets the next one go ahead. */
const patienceMs = 300;

export class Jobs {
  readonly #around: Surroundings;
  #running: readonly Job[] = [];
  #turn: Promise<void> = Promise.resolve();

  constructor(around: Surroundings) {
    this.#around = around;
  }

  get running(): readonly Job[] {
    return this.#running;
  }

  /** Settles when the next command may go ahead. */
  get turn(): Promise<void> {
    return this.#turn;
  }

  /** What has hold of the run. */
  get working(): Job | undefined {
    return this.#running.find(({ holds }) => holds);
  }

  /** Short commands keep the order in which they were typed. */
  start(words: readonly string[]): Promise<void> {
    const before = this.#turn;
    let passOn = () => {};
    this.#turn = new Promise((settle) => {
      passOn = settle;
    });
    return before.then(async () => {
      const timer = setTimeout(passOn, patienceMs);
      try {
        await this.#run(words);
      } finally {
        clearTimeout(timer);
        passOn();
      }
    });
  }

  async #run(words: readonly string[]): Promise<void> {
    let job: Job | undefined;
    let exit = 0;
    try {
      const { command, rest } = await find(words);
      const parsed = parse(command, rest);
      if (parsed.flags.has("help")) {
        const { commandHelp } = await import("../help.ts");
        this.#around.paper.print(commandHelp(command));
        return;
      }
      const holds = holdsRun(command) && !parsed.flags.has("dry-run");
      if (holds) this.#refuse();
      job = newJob(words, command, holds);
      this.#running = [...this.#running, job];
      const reply = await this.#perform(job, parsed);
      exit = reply.exit ?? 0;
      this.#show(job, reply, isJson(parsed));
    } catch (error) {
      const { problems, exit: code } = explain(error);
      exit = code;
      this.#around.paper.print(problems.map(problemHere).join("\n\n"));
    } finally {
      this.#running = this.#running.filter((each) => each !== job);
      if (job) this.#around.ended(job, exit);
      this.#around.paper.refresh();
    }
  }

  #refuse(): void {
    const busy = this.working;
    if (busy)
      throw new Refused([
        problem("busy", `\`/${busy.words.join(" ")}\` is at work`, { hint: [{ do: "halt" }, " stops it"] }),
      ]);
  }

  #perform(job: Job, parsed: Parsed): Promise<Reply> {
    const { root, run, paper, ask } = this.#around;
    const { screen } = paper;
    return perform(job.command, parsed, {
      commands: allCommands,
      manner: atPrompt,
      root,
      run,
      ask,
      say: isJson(parsed) ? () => {} : (line) => paper.print(line),
      stream: (line) => paper.print(line),
      warn: (found) => paper.print(problemText(found, "warning", atPrompt)),
      signal: job.interrupt.signal,
      stopNow: () => {
        job.canStopNow = true;
        return job.now.signal;
      },
      ...(screen && {
        screen: () => {
          job.draws = true;
          return screen();
        },
      }),
    });
  }

  #show(job: Job, { text = "", json, painted }: Reply, wantsJson: boolean): void {
    const shown = wantsJson
      ? json === undefined
        ? ""
        : JSON.stringify(json, hintsAsText, 2)
      : painted
        ? text
        : safe(text);
    const tookMs = Date.now() - job.sinceMs;
    const head =
      tookMs > 2000 ? `${paint(`── /${job.command.name}, after ${elapsed(tookMs)}`, 2, terminal())}\n` : "";
    if (shown.trim() !== "") this.#around.paper.print(`${head}${shown.replace(/(?<!\n)\n+$/, "")}`);
  }
}

/** Two of them at once would only refuse each other. */
const holdsRun = ({ group, interruptible }: Command) => group === "run" && interruptible === true;

function newJob(words: readonly string[], command: Command, holds: boolean): Job {
  return {
    words,
    command,
    holds,
    sinceMs: Date.now(),
    interrupt: new AbortController(),
    now: new AbortController(),
    canStopNow: false,
    draws: false,
  };
}

const problemHere = (found: Problem) => problemText(found, "error", atPrompt);

// What a person types, and what becomes of it: a command, an answer to what is asked, or plain words, which the project
// answers with its suggestion (L13). The same for the drawn REPL and for plain mode; nothing is drawn or read here.
import { join } from "node:path";
import { type Asked, promptsThrough, settle } from "../../command/terminal/ask.ts";
import { Cancelled } from "../../command/terminal/cancelled.ts";
import { pathsIn } from "../../engine/paths.ts";
import { freeAnswer } from "../../view/question.ts";
import { safe } from "../../view/safe.ts";
import { allCommands } from "../registry.ts";
import { complete, type Known, type Question } from "./complete.ts";
import { helpText } from "./help.ts";
import { History } from "./history.ts";
import { type Job, Jobs, type Paper } from "./jobs.ts";
import { Project } from "./project.ts";
import { asCommand, isCommand } from "./words.ts";

interface Waiting {
  readonly asked: Asked;
  readonly answer: (text: string) => void;
  readonly cancel: () => void;
}

const lookEveryMs = 200;
const stopWord = "STOP";

export class Session {
  readonly history: History;
  readonly #paper: Paper;
  readonly #project: Project;
  readonly #jobs: Jobs;
  readonly #timer: NodeJS.Timeout;
  #asks: readonly Waiting[] = [];
  /** What ended before its time, perhaps because the run asks something: then it goes on when that is answered. */
  #paused: Pick<Job, "words" | "sinceMs"> | undefined;
  #answeredMs = 0;
  #leaving = false;
  #leave = () => {};
  readonly over = new Promise<void>((settled) => {
    this.#leave = settled;
  });

  constructor({ root, run, paper }: { root: string; run: string | undefined; paper: Paper }) {
    this.#paper = paper;
    this.#project = new Project(root, run);
    this.history = new History(join(pathsIn(root).heddle, "repl-history"));
    const ask = promptsThrough((asked) => this.#ask(asked));
    this.#jobs = new Jobs({ root, run, paper, ask, ended: (job, exit) => this.#ended(job, exit) });
    this.#timer = setInterval(() => void this.#look(), lookEveryMs);
    void this.#look();
  }

  get running(): readonly Job[] {
    return this.#jobs.running;
  }

  /** Settles when what was typed is done, or goes on beside the prompt. */
  get turn(): Promise<void> {
    return this.#jobs.turn;
  }

  /** What a command asks: it goes before what the run asks. */
  get asked(): Asked | undefined {
    return this.#asks[0]?.asked;
  }

  /** What the run asks. */
  get questions(): readonly Question[] {
    return this.#project.standing?.questions ?? [];
  }

  get halted(): boolean {
    return this.#project.standing?.halted === true;
  }

  async complete(before: string) {
    const known: Known = {
      commands: await allCommands(),
      tasks: (prefix) => this.#project.tasks(prefix),
      files: (prefix) => this.#project.files(prefix),
      questions: () => this.questions,
      options: () => this.asked?.options ?? this.questions[0]?.options ?? [],
      phases: () => this.#project.standing?.phases ?? [],
    };
    return complete(before, known);
  }

  enter(typed: string): void {
    const text = typed.trim();
    const [waiting] = this.#asks;
    if (waiting && (waiting.asked.many || !(isCommand(text) || text === stopWord))) {
      this.#answer(waiting, typed);
      return;
    }
    if (text === "") return;
    if (!this.asked && !this.#answersQuestion(text)) this.history.add(typed.trimEnd());
    const lines = text.split("\n").map((line) => line.trim());
    if (text === stopWord) this.#command(["halt", `${stopWord} was typed`]);
    else if (lines.every((line) => line === "" || isCommand(line)))
      for (const line of lines.filter((each) => each !== "")) this.#command(asCommand(line));
    else if (isCommand(text)) this.#command(asCommand(text));
    else void this.#say(text);
  }

  /** Ctrl-C. Tells whether there was something to stop. */
  interrupt(): boolean {
    const [waiting] = this.#asks;
    if (waiting) {
      waiting.cancel();
      return true;
    }
    const job = this.running.findLast(({ command }) => command.interruptible);
    if (!job) return false;
    if (!job.interrupt.signal.aborted) {
      job.interrupt.abort();
      if (job.command.group === "run")
        this.#paper.print("halting: what runs may finish; Ctrl-C again ends it");
    } else if (job.canStopNow) {
      if (!job.now.signal.aborted) this.#paper.print("ending what runs");
      job.now.abort();
    } else this.#command(["halt", "--now", "Ctrl-C"]);
    return true;
  }

  /** Leaves when nothing runs any more; asked for again, what runs is ended. */
  quit(): void {
    void this.turn.then(() => {
      this.#leaving = true;
      this.interrupt();
      if (this.running.length === 0) this.#finish();
    });
  }

  #command(words: readonly string[]): void {
    const [name, ...rest] = words;
    if (name === "quit") this.quit();
    else if (name === "help" && rest.length === 0) void this.#help();
    else void this.#jobs.start(words);
  }

  async #help(): Promise<void> {
    this.#paper.print(helpText(await allCommands()));
  }

  #answersQuestion = (text: string) => this.questions.length > 0 && !isCommand(text);

  /** Plain words: an answer when the run asks something, otherwise the project says what could be done. */
  async #say(text: string): Promise<void> {
    const [question] = this.questions;
    if (!question) {
      await this.#jobs.start(["next", "--dry-run"]);
      this.#paper.print(adviceFor(text, await allCommands()));
      return;
    }
    const { id, options } = question;
    await this.#jobs.start(["answer", id, "--", freeAnswer(options, text)]);
  }

  #answer({ asked, answer }: Waiting, typed: string): void {
    const settled = settle(asked, typed);
    if ("wrong" in settled) {
      this.#paper.print(safe(settled.wrong));
      return;
    }
    this.#asks = this.#asks.slice(1);
    this.#paper.refresh();
    answer(settled.answer);
  }

  #ask(asked: Asked): Promise<string> {
    return new Promise((answer, reject) => {
      const cancel = () => {
        this.#asks = this.#asks.filter((each) => each.asked !== asked);
        reject(new Cancelled("cancelled"));
        this.#paper.refresh();
      };
      asked.until?.addEventListener("abort", cancel, { once: true });
      this.#asks = [...this.#asks, { asked, answer, cancel }];
      this.#paper.refresh();
    });
  }

  #ended(job: Job, exit: number): void {
    this.#project.forget();
    void this.#look().then(() => this.#goOn(job, exit));
  }

  async #goOn({ command, words, sinceMs, interrupt, holds }: Job, exit: number): Promise<void> {
    if (this.#leaving) {
      if (this.running.length === 0) this.#finish();
      return;
    }
    if (command.name === "answer" && exit === 0) this.#answeredMs = Date.now();
    if (holds) this.#paused = exit === 0 || interrupt.signal.aborted ? undefined : { words, sinceMs };
    const paused = this.#paused;
    const isAnswered = paused && this.#answeredMs >= paused.sinceMs && this.questions.length === 0;
    // The answer may come while what asked is still on its way out.
    if (!isAnswered || this.#jobs.working || !(await this.#project.couldGoOn())) return;
    if (this.#paused !== paused || this.#jobs.working) return;
    this.#paused = undefined;
    this.#paper.print(`going on: /${paused.words.join(" ")}`);
    void this.#jobs.start(paused.words);
  }

  async #look(): Promise<void> {
    if (await this.#project.look()) this.#paper.refresh();
  }

  #finish(): void {
    clearInterval(this.#timer);
    this.#project.forget();
    this.#leave();
  }
}

/** For words that nobody asked for. */
function adviceFor(text: string, commands: readonly { readonly name: string }[]): string {
  const [first = ""] = text.split(/\s/, 1);
  if (commands.some(({ name }) => name === first || name.startsWith(`${first} `)))
    return `hint: /${first} is the command`;
  if (text.includes("\n"))
    return "hint: /plan - takes a specification that is pasted, /help shows all commands";
  return "hint: commands begin with a slash, /help shows them";
}

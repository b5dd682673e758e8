// The REPL on a terminal that can be drawn over: keys come in, the desk is drawn. `node:readline` decodes the keys; its
// own line editor would run every pasted line at once and cannot be drawn over by others, so the editor is ours.
import { emitKeypressEvents } from "node:readline";
import { put } from "../../command/out.ts";
import { askedLines } from "../../command/terminal/ask.ts";
import { terminal } from "../../command/terminal/terminal.ts";
import { elapsed } from "../../view/amount.ts";
import { oneLine } from "../../view/safe.ts";
import { paint } from "../../view/status.ts";
import { cells, cut, padded } from "../../view/width.ts";
import { commonStart, type Offer } from "./complete.ts";
import { Desk, type Frame } from "./desk.ts";
import { edited, empty, inserted, type Key, type Line, lineOf, moved, replaced } from "./editor.ts";
import type { Paper } from "./jobs.ts";
import { folded, laid } from "./layout.ts";
import type { Session } from "./session.ts";
import { isCommand } from "./words.ts";

/** The terminal marks what is pasted, so that its ends of lines are not taken for Enter. */
const [marksPaste, marksNoPaste] = ["\u001b[?2004h", "\u001b[?2004l"];

export class Drawn implements Paper {
  readonly #desk = new Desk(() => this.#frame());
  readonly #begin: (paper: Paper) => Session;
  #session: Session | undefined;
  #line: Line = empty;
  #offers: readonly Offer[] = [];
  /** While something is being pasted, what came so far. */
  #pasted: string | undefined;
  #ticking: NodeJS.Timeout | undefined;

  constructor(begin: (paper: Paper) => Session) {
    this.#begin = begin;
  }

  readonly screen = this.#desk.screen;
  readonly refresh = this.#desk.refresh;

  print(text: string): void {
    this.#desk.print(text);
  }

  async run(): Promise<void> {
    const session = this.#begin(this);
    this.#session = session;
    emitKeypressEvents(process.stdin);
    process.stdin.on("keypress", this.#pressed).on("end", this.#gone);
    process.stdout.on("resize", this.#resized);
    process.on("SIGINT", this.#stopped).on("SIGCONT", this.#take);
    process.on("SIGTERM", this.#ended).on("SIGHUP", this.#ended);
    process.on("exit", this.#give);
    // Time goes on in lines that say how long something takes.
    this.#ticking = setInterval(() => session.running.length > 0 && this.refresh(), 1000);
    this.#take();
    await session.over;
    clearInterval(this.#ticking);
    process.stdin.off("keypress", this.#pressed).off("end", this.#gone).pause();
    process.stdout.off("resize", this.#resized);
    process.off("SIGINT", this.#stopped).off("SIGCONT", this.#take);
    process.off("SIGTERM", this.#ended).off("SIGHUP", this.#ended);
    process.off("exit", this.#give);
    this.#give();
  }

  readonly #take = () => {
    process.stdin.setRawMode(true).resume();
    put(marksPaste);
    this.#desk.draw();
  };

  readonly #give = () => {
    this.#desk.close();
    put(marksNoPaste);
    if (process.stdin.isTTY) process.stdin.setRawMode(false);
  };

  readonly #resized = () => this.#desk.resized();
  readonly #stopped = () => void this.#interrupt();
  readonly #gone = () => this.#session?.quit();
  readonly #ended = (signal: NodeJS.Signals) => {
    this.#give();
    process.off(signal, this.#ended);
    process.kill(process.pid, signal);
  };

  readonly #pressed = (_: string | undefined, key: Key): void => {
    if (key.name === "paste-start") this.#pasted = "";
    else if (key.name === "paste-end") this.#paste();
    else if (this.#pasted !== undefined) this.#pasted += key.sequence ?? "";
    else this.#key(key);
  };

  #paste(): void {
    this.#set(inserted(this.#line, this.#pasted ?? ""));
    this.#pasted = undefined;
  }

  #set(line: Line): void {
    this.#line = line;
    this.#offers = [];
    this.refresh();
  }

  #key(key: Key): void {
    const own = key.meta ? undefined : this.#keys[`${key.ctrl ? "ctrl-" : ""}${key.name ?? ""}`];
    if (own?.()) return;
    const line = edited(this.#line, key);
    if (!line) return;
    if (line.text !== this.#line.text) this.#session?.history.stay();
    this.#set(line);
  }

  /** Each tells whether that was all; otherwise the key edits the line. */
  readonly #keys: Readonly<Record<string, () => boolean>> = {
    return: () => this.#enter(),
    enter: () => this.#enter(),
    "ctrl-c": () => this.#interrupt(),
    "ctrl-d": () => this.#end(),
    "ctrl-l": () => this.#done(() => this.#desk.cleared()),
    "ctrl-z": () => this.#suspend(),
    tab: () => this.#done(() => void this.#complete()),
    up: () => this.#done(() => this.#back(-1)),
    down: () => this.#done(() => this.#back(1)),
    "ctrl-p": () => this.#done(() => this.#back(-1)),
    "ctrl-n": () => this.#done(() => this.#back(1)),
    escape: () => this.#done(() => this.#set(this.#line)),
  };

  #done(act: () => void): true {
    act();
    return true;
  }

  #enter(): boolean {
    const { text } = this.#line;
    if (this.#session?.asked?.many) return this.#done(() => this.#set(inserted(this.#line, "\n")));
    return this.#submit(text);
  }

  #submit(text: string): true {
    const { asked } = this.#session ?? {};
    const [first = "", ...more] = text.trimEnd().split("\n");
    const tail =
      more.length > 0
        ? paint(`  … ${more.length} more line${more.length === 1 ? "" : "s"}`, 2, terminal())
        : "";
    const question = isCommand(text.trim()) || text.trim() === "" ? [] : this.#askedLines(terminal().width);
    this.#line = empty;
    this.#offers = [];
    if (text !== "" || asked)
      this.print(["", ...question, `${this.#prompt()}${oneLine(first)}${tail}`].join("\n"));
    this.#session?.enter(text);
    this.refresh();
    return true;
  }

  #interrupt(): boolean {
    const session = this.#session;
    if (!session || session.interrupt()) return true;
    if (this.#line.text !== "") return this.#done(() => this.#set(empty));
    this.print("nothing is lost: `heddle` comes back to where it stands");
    session.quit();
    return true;
  }

  /** At an empty prompt Ctrl-D leaves, and it ends an answer of many lines; elsewhere it deletes. */
  #end(): boolean {
    if (this.#session?.asked?.many) return this.#submit(this.#line.text);
    if (this.#line.text !== "") return false;
    this.#session?.quit();
    return true;
  }

  #suspend(): boolean {
    if (this.#session?.running.length) this.print("something runs here: Ctrl-C halts it first");
    else {
      this.#give();
      // The whole group: on an older Node another process stands between this one and the shell (`start-again.ts`).
      process.kill(0, "SIGTSTP");
    }
    return true;
  }

  #back(by: -1 | 1): void {
    const within = moved(this.#line, by);
    if (within) {
      this.#set(within);
      return;
    }
    const text = this.#session?.history.go(by, this.#line.text);
    if (text !== undefined) this.#set(lineOf(text));
  }

  async #complete(): Promise<void> {
    const line = this.#line;
    const { from, offers } = (await this.#session?.complete(line.text.slice(0, line.at))) ?? {
      from: 0,
      offers: [],
    };
    // Something was typed meanwhile.
    if (line !== this.#line || offers.length === 0) return;
    const [only] = offers.length === 1 ? offers : [];
    const start = commonStart(offers);
    const word = only ? `${only.word}${only.word.endsWith("/") ? "" : " "}` : start;
    const isLonger = word.length > line.at - from;
    if (only || isLonger) this.#set(replaced(line, from, word));
    this.#offers = only ? [] : offers;
    this.refresh();
  }

  #prompt(): string {
    const { asked, questions = [], halted } = this.#session ?? {};
    const [question] = questions;
    if (asked || question) {
      const word = asked ? "answer" : oneLine(question?.id ?? "").slice(0, 12);
      return `${paint(`${word} ›`, 36, terminal())} `;
    }
    return `${halted ? paint("heddle, halted ›", 33, terminal()) : paint("heddle ›", 1, terminal())} `;
  }

  #frame(): Frame {
    const { width, height } = terminal();
    const asked = this.#askedLines(width);
    // What the frame asks is not said twice.
    const pane = this.#desk.pane.filter((line) => asked.length === 0 || !line.includes("  heddle answer "));
    const going = [...pane, ...this.#jobLines()];
    const above = [...(going.length > 0 ? ["", ...going] : []), "", ...asked];
    const typed = laid(this.#line, {
      prompt: this.#prompt(),
      width: width - 1,
      height: Math.max(3, Math.floor(height / 3)),
    });
    const room = Math.max(0, height - above.length - typed.rows.length - 2);
    return {
      lines: [...above, ...typed.rows, ...this.#offerLines(width, Math.min(10, Math.max(4, room)))],
      row: above.length + typed.row,
      column: typed.column,
    };
  }

  /** Commands that show nothing by themselves. */
  #jobLines(): string[] {
    const jobs = this.#session?.running.filter((job) => !job.draws) ?? [];
    return jobs
      .filter(({ sinceMs }) => Date.now() - sinceMs > 500)
      .map(({ command, sinceMs }) =>
        paint(`● /${command.name}  ${elapsed(Date.now() - sinceMs)}`, 36, terminal()),
      );
  }

  #askedLines(width: number): string[] {
    const { asked, questions = [] } = this.#session ?? {};
    const look = terminal();
    if (asked)
      return askedLines(asked)
        .flatMap((line) => folded(oneLine(line), width - 1))
        .map((line) => paint(line, 36, look));
    const [question, ...more] = questions;
    if (!question) return [];
    const { id, text, options } = question;
    const choices = options.map((option, at) => `  ${at + 1}  ${oneLine(option)}`);
    const rest = more.length > 0 ? ` (and ${more.length} more)` : "";
    return [...folded(`? ${oneLine(id)}: ${oneLine(text)}${rest}`, width - 1).slice(0, 6), ...choices].map(
      (line) => paint(line, 36, look),
    );
  }

  #offerLines(width: number, most: number): string[] {
    const offers = this.#offers;
    const look = terminal();
    const left = Math.min(28, Math.max(0, ...offers.map(({ word }) => cells(word))));
    const lines = offers
      .slice(0, offers.length > most ? most - 1 : most)
      .map(
        ({ word, about = "" }) =>
          `  ${padded(word, left)}  ${paint(cut(oneLine(about), width - left - 6), 2, look)}`,
      );
    const hidden = offers.length - lines.length;
    return hidden > 0 ? [...lines, paint(`  … and ${hidden} more`, 2, look)] : lines;
  }
}

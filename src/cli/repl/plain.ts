// The REPL in plain lines, for screen readers, dumb terminals and logs: the terminal itself edits the line, nothing is
// drawn over, and every event is a line.
import { createInterface } from "node:readline";
import { print, put } from "../../command/out.ts";
import { type Asked, askedLines } from "../../command/terminal/ask.ts";
import { lastLine } from "../../command/terminal/ask-in-lines.ts";
import { oneLine } from "../../view/safe.ts";
import type { Paper } from "./jobs.ts";
import type { Session } from "./session.ts";

export class Plain implements Paper {
  readonly #begin: (paper: Paper) => Session;
  #session: Session | undefined;
  #told: Asked | undefined;
  #toldQuestions: ReadonlySet<string> = new Set();
  #many: string[] = [];
  #prompted = false;

  constructor(begin: (paper: Paper) => Session) {
    this.#begin = begin;
  }

  /** What comes by itself begins on a line of its own. */
  print(text: string): void {
    if (this.#prompted) put("\n");
    this.#prompted = false;
    print(text);
  }

  #prompt(): void {
    if (!this.#prompted) put("heddle> ");
    this.#prompted = true;
  }

  /** What is asked is told once. */
  readonly refresh = (): void => {
    const { asked, questions = [], running = [] } = this.#session ?? {};
    const isTold = questions.some(({ id, text }) => this.#toldQuestions.has(id) && text === asked?.question);
    if (asked && asked !== this.#told && !isTold) {
      this.print(askedLines(asked).map(oneLine).join("\n"));
      if (asked.many) this.print(`a line with a single \`${lastLine}\` ends it`);
    }
    this.#told = asked;
    // What runs may ask in its own name what the run asks.
    const fresh = questions.filter(
      (each) => !this.#toldQuestions.has(each.id) && each.text !== asked?.question,
    );
    // In the same words, whichever of the two is first.
    for (const { id, text, options } of fresh) {
      const lines = askedLines({ question: text, options, initial: "", free: true }).map(oneLine);
      const others = questions.length > 1 ? [`  /answer ${oneLine(id)} WORDS answers this one`] : [];
      this.print([...lines, ...others].join("\n"));
    }
    this.#toldQuestions = new Set(questions.map(({ id }) => id));
    if (this.#session && running.length === 0 && !asked) this.#prompt();
  };

  async run(): Promise<void> {
    const session = this.#begin(this);
    this.#session = session;
    const lines = createInterface({ input: process.stdin, terminal: false });
    lines.on("line", (line) => this.#heard(line)).on("close", () => session.quit());
    const interrupt = () => {
      // The terminal shows `^C` where the cursor was.
      this.#prompted = true;
      if (session.interrupt()) return;
      this.print("nothing is lost: `heddle` comes back to where it stands");
      session.quit();
    };
    process.on("SIGINT", interrupt);
    this.#prompt();
    await session.over;
    process.off("SIGINT", interrupt);
    lines.removeAllListeners("close").close();
  }

  #heard(line: string): void {
    const session = this.#session;
    if (!session) return;
    if (session.asked?.many && line !== lastLine) {
      this.#many.push(line);
      return;
    }
    const text = session.asked?.many ? this.#many.join("\n") : line;
    this.#many = [];
    this.#prompted = false;
    session.enter(text);
    void session.turn.then(() => this.#prompt());
  }
}

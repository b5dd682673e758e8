// A real terminal for the CLI: util-linux's `script` gives it a pty, the test types into it and reads what it shows.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { stripVTControlCharacters } from "node:util";
import { cli, until } from "../e2e/rig.ts";

export { hasScript } from "../needs.ts";

export const keys = { enter: "\r", down: "\u001b[B", interrupt: "\u0003", end: "\u0004", clear: "\u0015" };

const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;

export class Terminal {
  readonly #child: ChildProcess;
  readonly #over: Promise<number | null>;
  #shown = "";
  #seen = 0;

  constructor(cwd: string, args: readonly string[], more: Readonly<Record<string, string>> = {}) {
    const line = [process.execPath, cli, ...args].map(quoted).join(" ");
    // Without a size the pty has no columns, and every character a line of its own.
    const sized = `stty cols 100 rows 40; exec ${line}`;
    const { PATH, HOME } = process.env;
    const env = {
      PATH,
      HOME,
      LANG: "C.UTF-8",
      HEDDLE_LAND: "auto",
      TERM: "xterm-256color",
      SHELL: "/bin/sh",
      ...more,
    };
    this.#child = spawn("script", ["-qfec", sized, "/dev/null"], { cwd, env, stdio: "pipe" });
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#shown += text;
    });
    this.#over = once(this.#child, "close").then(([code]) => code as number | null);
  }

  /** All that was ever shown, without colours and movements. */
  get text(): string {
    return stripVTControlCharacters(this.#shown);
  }

  /** As it came. */
  get raw(): string {
    return this.#shown;
  }

  /** Waits until this is shown, behind what was waited for before, then types. */
  async answer(question: string | RegExp, ...typed: readonly string[]): Promise<void> {
    try {
      await until(String(question), () => this.#find(question));
    } catch (error) {
      throw new Error(`${(error as Error).message}; the terminal shows:\n${this.text}`);
    }
    for (const keysAtOnce of typed) this.#child.stdin?.write(keysAtOnce);
  }

  #find(question: string | RegExp): boolean {
    const at = this.text.slice(this.#seen).search(question);
    if (at >= 0) this.#seen += at + 1;
    return at >= 0;
  }

  /** The exit code. */
  over(): Promise<number | null> {
    return this.#over;
  }
}

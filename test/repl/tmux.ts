// A person at a real terminal: tmux runs the CLI in a window of its own, the test types keys and looks at the screen.
import { execFileSync, spawnSync } from "node:child_process";
import { afterAll } from "vitest";
import { cli, until } from "../e2e/rig.ts";

import { hasTmux } from "../needs.ts";

export { hasTmux };

if (!hasTmux) console.log("tmux is missing here: the tests of the prompt in a window are left out");

const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;
let servers = 0;

export interface Size {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** A command instead of the prompt. */
  readonly args?: readonly string[];
}

const open: Window[] = [];
afterAll(() => {
  for (const window of open.splice(0)) window.close();
});

export class Window {
  readonly #socket = `heddle-${process.pid}-${++servers}`;
  readonly #command: string;

  constructor(cwd: string, { columns = 100, rows = 35, env = {}, args = [] }: Size = {}) {
    const { PATH = "", HOME = "" } = process.env;
    const all = { PATH, HOME, LANG: "C.UTF-8", HEDDLE_LAND: "auto", TERM: "screen-256color", ...env };
    const words = Object.entries(all).map(([name, value]) => `${name}=${value}`);
    this.#command = ["exec", "env", "-i", ...words, process.execPath, cli, ...args]
      .map(quoted)
      .join(" ")
      .replace("'exec'", "exec");
    const size = ["-x", String(columns), "-y", String(rows)];
    open.push(this);
    // The window stays when the program ends, so that what it left can be looked at.
    this.#tmux("new-session", "-d", "-s", "a", "-c", cwd, ...size, "sleep 1000");
    this.#tmux("set-option", "-g", "remain-on-exit", "on");
    this.#tmux("set-option", "-g", "history-limit", "5000");
    this.#tmux("respawn-window", "-k", "-t", "a", "-c", cwd, this.#command);
  }

  #tmux(...args: readonly string[]): string {
    return execFileSync("tmux", ["-L", this.#socket, "-f", "/dev/null", ...args], {
      encoding: "utf8",
      env: { ...process.env, LC_ALL: "C.UTF-8", TMUX: "" },
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  /** What the window shows now. */
  get screen(): string {
    return this.#tmux("capture-pane", "-p", "-t", "a");
  }

  /** With what has scrolled away. */
  get all(): string {
    return this.#tmux("capture-pane", "-p", "-J", "-t", "a", "-S", "-");
  }

  /** With its colours. */
  get painted(): string {
    return this.#tmux("capture-pane", "-p", "-e", "-t", "a", "-S", "-");
  }

  get pid(): number {
    return Number(this.#tmux("display-message", "-p", "-t", "a", "#{pane_pid}"));
  }

  get isOver(): boolean {
    return this.#tmux("display-message", "-p", "-t", "a", "#{pane_dead}").trim() === "1";
  }

  async sees(what: string | RegExp): Promise<void> {
    await this.#until(String(what), () => this.screen.search(what) >= 0);
  }

  async is(what: string, check: (screen: string) => boolean): Promise<void> {
    await this.#until(what, () => check(this.screen));
  }

  async over(): Promise<void> {
    await this.#until("the prompt is left", () => this.isOver);
  }

  async #until(what: string, check: () => boolean): Promise<void> {
    try {
      await until(what, check);
    } catch (error) {
      throw new Error(`${(error as Error).message}; the window shows:\n${this.screen}`);
    }
  }

  type(text: string): void {
    this.keys("-l", text);
    this.keys("Enter");
  }

  keys(...keys: readonly string[]): void {
    this.#tmux("send-keys", "-t", "a", ...keys);
  }

  paste(text: string): void {
    this.#tmux("set-buffer", text);
    this.#tmux("paste-buffer", "-p", "-t", "a");
  }

  resize(columns: number, rows: number): void {
    this.#tmux("resize-window", "-t", "a", "-x", String(columns), "-y", String(rows));
  }

  again(cwd: string): void {
    this.#tmux("respawn-window", "-k", "-t", "a", "-c", cwd, this.#command);
  }

  close(): void {
    spawnSync("tmux", ["-L", this.#socket, "kill-server"]);
  }
}

export const prompt = /^heddle › *$/m;

// A coordinator for tests: `heddle serve` as a process of its own, and what it printed so far.
import type { ChildProcess } from "node:child_process";
import { until } from "../e2e/rig.ts";

export class Coordinator {
  text = "";
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;

  constructor(child: ChildProcess) {
    this.child = child;
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (bytes: Buffer) => {
        this.text += bytes.toString();
      });
    this.ended = new Promise((resolve) => child.once("exit", (code) => resolve(code)));
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Until it has printed that. */
  async says(what: RegExp, withinMs = 60_000): Promise<void> {
    const isOver = () => what.test(this.text) || this.child.exitCode !== null;
    await until(`it says ${what}`, isOver, withinMs).catch((error: Error) => {
      throw new Error(`${error.message}\n${this.text}`);
    });
    if (!what.test(this.text))
      throw new Error(`it ended (${this.child.exitCode}) and never said ${what}\n${this.text}`);
  }

  /** Whatever state it is in. */
  async end(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill("SIGCONT");
    this.child.kill("SIGKILL");
    await this.ended;
  }
}

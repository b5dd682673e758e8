// Commands without the start of a process: a few processes are kept, and each call is given to one that is free
// (`warm.cjs`), so that calls at the same time are processes at the same time as ever. Every 30th call is a process of
// its own all the same, and with `HEDDLE_THOROUGH=1` every one is: a difference between the two would show as a failure.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { thorough } from "../thorough.ts";
import type { Ran } from "./rig.ts";

/** They talk, watch, or kill themselves: there the process is the point. */
const processes = new Set(["attach", "carry", "demo", "mcp", "open"]);

export interface WarmCall {
  readonly words: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Killed when it takes longer. */
  readonly withinMs?: number;
}

export class WarmProcesses {
  readonly #dist: string;
  readonly #oneIn: number;
  readonly #all = new Set<Warm>();
  #calls = 0;
  #isOff = false;
  #atMost = 4;

  /** One call in so many is a process of its own. */
  constructor(cli: string, oneIn = 30) {
    this.#dist = dirname(cli);
    this.#oneIn = oneIn;
  }

  /** Undefined when this call is to be a process of its own. */
  run(call: WarmCall): Promise<Ran> | undefined {
    const [first = ""] = call.words;
    if (this.#isOff || thorough || process.env.HEDDLE_CLI || first === "" || processes.has(first))
      return undefined;
    if (++this.#calls % this.#oneIn === 0 || hasModules(call.cwd)) return undefined;
    const free = [...this.#all].find((each) => !each.isBusy) ?? this.#another();
    return free?.run(call);
  }

  #another(): Warm | undefined {
    if (this.#all.size >= this.#atMost) return undefined;
    const warm = new Warm(this.#dist, () => this.#all.delete(warm));
    this.#all.add(warm);
    return warm;
  }

  off(): void {
    this.#isOff = true;
  }

  /** So many at one time; what is called beyond that is a process of its own. */
  keep(count: number): void {
    this.#atMost = count;
  }

  end(): void {
    for (const each of this.#all) each.kill();
  }
}

/** A project's own protocols may be modules: Node keeps those that it has imported, whatever is written there later. */
function hasModules(cwd: string): boolean {
  const folder = join(cwd, ".heddle/protocols");
  return existsSync(folder) && readdirSync(folder).some((name) => /\.[cm]?[jt]s$/.test(name));
}

class Warm {
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown[]>;
  readonly #heard: [Buffer[], Buffer[]] = [[], []];
  #settle: (() => void) | undefined;
  #mark = Buffer.alloc(0);
  #isLast = false;

  constructor(dist: string, gone: () => void) {
    const words = [join(import.meta.dirname, "warm.cjs"), dist];
    this.#child = spawn(process.execPath, words, { cwd: "/", stdio: ["ignore", "pipe", "pipe", "ipc"] });
    this.#closed = once(this.#child, "close");
    void this.#closed.then(gone);
    for (const [at, stream] of [this.#child.stdout, this.#child.stderr].entries())
      stream?.on("data", (bytes: Buffer) => {
        this.#heard[at]?.push(bytes);
        if (this.#heard.every((each) => this.#endOf(each) !== undefined)) this.#settle?.();
      });
  }

  get isBusy(): boolean {
    return this.#settle !== undefined;
  }

  /** A call that ends at that very moment is the last one all the same. */
  kill(): void {
    this.#isLast = true;
    this.#child.kill("SIGKILL");
  }

  async run({ words, cwd, environment, withinMs }: WarmCall): Promise<Ran> {
    const mark = `\0${crypto.randomUUID()} `;
    this.#mark = Buffer.from(mark);
    const ended = new Promise<undefined>((settle) => {
      this.#settle = () => settle(undefined);
    });
    this.#child.send({ words, cwd, environment, mark });
    const timer = withinMs === undefined ? undefined : setTimeout(() => this.kill(), withinMs);
    const died = await Promise.race([ended, this.#closed]);
    clearTimeout(timer);
    const ran = this.#ran(died as [number | null, NodeJS.Signals | null] | undefined);
    for (const each of this.#heard) each.length = 0;
    // What it left behind is to be found as the leavings of a process that is gone.
    if (this.#isLast) await this.#closed;
    this.#settle = undefined;
    return ran;
  }

  #ran(died: [number | null, NodeJS.Signals | null] | undefined): Ran {
    const [out, err] = this.#heard.map((each) => {
      const whole = Buffer.concat(each);
      return whole.subarray(0, this.#endOf([whole]) ?? whole.length).toString();
    }) as [string, string];
    if (died) return { code: died[0], signal: died[1], out, err };
    const whole = Buffer.concat(this.#heard[0]);
    const said = whole.subarray((this.#endOf([whole]) ?? 0) + this.#mark.length).toString();
    const [code, more] = said.trim().split(" ");
    this.#isLast ||= more === "last";
    return { code: Number(code), signal: null, out, err };
  }

  /** Where the command's own output ends, once it has ended. */
  #endOf(heard: readonly Buffer[]): number | undefined {
    const last = heard.at(-1);
    if (last?.at(-1) !== 10) return undefined;
    const tail = Buffer.concat(heard.slice(-4));
    const at = tail.lastIndexOf(this.#mark);
    if (at < 0) return undefined;
    return at + heard.slice(0, -4).reduce((sum, each) => sum + each.length, 0);
  }
}

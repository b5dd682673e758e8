// How long, how silent, how large a program may be. Crossing a limit is reported once, by its name; what follows
// from it is `run.ts`'s affair. Bytes are counted there as well, where they pass.
import { type Root, usageOf } from "./usage.ts";

export interface Limits {
  /** From the start, by a clock that nobody sets. */
  readonly wallMs: number;
  /** Without a byte on either stream. Time in which heddle itself did not read does not count. */
  readonly silenceMs: number;
  /** Until the first byte; some programs think longer before they begin. `silenceMs` when left out. */
  readonly firstOutputMs?: number;
  /** Both streams together. */
  readonly outputBytes: number;
  /** A longer line is cut and marked; it ends nothing. */
  readonly lineBytes: number;
  /** All its processes together, looked at four times a second: a fast one gets a little further. */
  readonly memoryBytes?: number;
  /** How many at once; a thread counts as an eighth of one. `mostProcesses` when left out. */
  readonly processes?: number;
}

export type LimitName = "wall" | "silence" | "first-output" | "output" | "memory" | "processes";

/** Far more than builds and tests need, and few enough for a machine to go on. */
export const mostProcesses = 1024;
const threadsEach = 8;
const lookEveryMs = 250;
/** A timer that fires this late tells of a heddle that was stopped or suspended, not of a silent program. */
const lateMs = 1000;
/** The first process of a box is bubblewrap's. */
const boxProcesses = 1;
const longestTimerMs = 2 ** 31 - 1;

/** Contract: calls `crossed` at most once, never after `stop`, and keeps no timer after either. */
export class LimitWatch {
  readonly #limits: Limits;
  readonly #crossed: (limit: LimitName) => void;
  readonly #wall: NodeJS.Timeout;
  #silence: NodeJS.Timeout | undefined;
  #size: NodeJS.Timeout | undefined;
  #quiet: "first-output" | "silence" = "first-output";
  #since = performance.now();
  #paused = false;
  #over = false;

  /** `family` is the root of its process tree; the box's first process is known only after a moment. */
  constructor(limits: Limits, family: () => Root, crossed: (limit: LimitName) => void) {
    this.#limits = limits;
    this.#crossed = crossed;
    this.#wall = setTimeout(() => this.#cross("wall"), bounded(limits.wallMs));
    this.#listen();
    this.#size = setInterval(() => this.#look(family()), lookEveryMs);
  }

  sawOutput(): void {
    this.#since = performance.now();
    if (this.#quiet === "silence") return;
    this.#quiet = "silence";
    this.#listen();
  }

  /** While heddle does not read, nobody can tell whether the program is silent. */
  pause(paused: boolean): void {
    this.#paused = paused;
    this.#since = performance.now();
    this.#listen();
  }

  stop(): void {
    this.#over = true;
    clearTimeout(this.#wall);
    clearTimeout(this.#silence);
    clearInterval(this.#size);
  }

  get #quietMs(): number {
    const { firstOutputMs, silenceMs } = this.#limits;
    return this.#quiet === "silence" ? silenceMs : (firstOutputMs ?? silenceMs);
  }

  #listen(): void {
    clearTimeout(this.#silence);
    if (this.#over || this.#paused) return;
    const waitMs = bounded(this.#since + this.#quietMs - performance.now());
    const due = performance.now() + waitMs;
    // Output that waits to be read is read between a timer and an immediate.
    this.#silence = setTimeout(() => setImmediate(() => this.#judge(due)), waitMs);
  }

  /** Output only moves `#since`; the timer finds out here and goes on for the rest. */
  #judge(due: number): void {
    if (this.#over || this.#paused) return;
    const now = performance.now();
    if (now - due > lateMs) this.#since = now;
    if (now - this.#since >= this.#quietMs) this.#cross(this.#quiet);
    else this.#listen();
  }

  #look(family: Root): void {
    const { memoryBytes = Infinity, processes = mostProcesses } = this.#limits;
    const most = processes + (family.first === undefined ? 0 : boxProcesses);
    const usage = usageOf(family, { processes: most, memory: memoryBytes !== Infinity });
    if (usage.memoryBytes > memoryBytes) this.#cross("memory");
    else if (usage.processes > most || usage.threads > processes * threadsEach) this.#cross("processes");
  }

  #cross(limit: LimitName): void {
    if (this.#over) return;
    this.stop();
    this.#crossed(limit);
  }
}

function bounded(ms: number): number {
  return Math.min(Math.max(ms, 0), longestTimerMs);
}

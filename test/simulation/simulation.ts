// What all parts of one simulated history share: chance, time, the disk, the processes, and the first thing that
// went wrong. One seed makes one of these, and nothing outlives it.
import type { Holder } from "../../src/core/run-parts.ts";
import { Disk } from "./disk.ts";
import { drawFaults, type Faults } from "./fault.ts";
import { Git } from "./git.ts";
import { type Role, SimProcess } from "./process.ts";
import { Random } from "./random.ts";
import { Schedule } from "./schedule.ts";
import type { Moment } from "./sometimes.ts";
import { Trace } from "./trace.ts";

/** An invariant does not hold. `invariant` is its short name, the message says what was seen. */
export class Violation extends Error {
  readonly invariant: string;

  constructor(invariant: string, message: string) {
    super(message);
    this.invariant = invariant;
  }
}

/** A refusal may quote it, the trace may not. */
const wallTime = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

export interface SimulationOptions {
  /** Given the whole log at the end, for whoever has a use for a history that no person would write. */
  readonly ended?: (log: readonly string[]) => void;
  readonly seed: number;
  readonly print?: boolean;
  /** Another wall clock for the same history: nothing may come out differently. */
  readonly wallSeed?: number;
  /** Invariants that are known not to hold: they are counted, and the history goes on. */
  readonly known?: ReadonlySet<string>;
  /** Whether each process has a journal that does everything its contract allows (`../ports/hostile.ts`). */
  readonly hostile?: boolean;
}

export class Simulation {
  readonly seed: number;
  readonly random: Random;
  readonly schedule: Schedule;
  readonly trace: Trace;
  readonly disk = new Disk();
  readonly git: Git;
  readonly processes: SimProcess[] = [];
  readonly sometimes = new Map<Moment, number>();
  readonly knownSeen = new Map<string, number>();
  faults: Faults;
  /** Whether faults are over and the run must come to its end. */
  settling = false;
  crashes = 0;
  /** The one view: how far it got, and until when nobody can write it. */
  viewPosition = 0;
  viewBrokenUntilMs = 0;
  /** What was really seen of the base; what is kept of a look is found by whoever comes next. */
  readonly saidOfBaseline = new Set<string>();
  /** What machines answered, under which epoch. */
  readonly saidOfMachines = new Set<string>();
  isBaselineKept = false;
  violation: Violation | null = null;
  /** What a hostile journal draws from; histories over the usual one stay as they were. */
  readonly malice: Random | undefined;
  /** How long a commit may come after its decision, which sets the limits, before run time stands still (`engine/hold.ts`). */
  readonly writtenWithinMs: number;
  /** Who holds the run, by name. */
  holder: string | null = null;
  /** Who has the journal's lease. */
  leaseOf: SimProcess | null = null;
  /** Called when the branch is about to move, and when it has moved and nobody was told. */
  moving: ((by: SimProcess) => void) | undefined;
  moved: ((by: SimProcess) => void) | undefined;
  readonly #wall: Random;
  readonly #known: ReadonlySet<string>;

  constructor({
    seed,
    print = false,
    wallSeed = seed,
    known = new Set(),
    hostile = false,
  }: SimulationOptions) {
    this.seed = seed;
    this.malice = hostile ? new Random(seed ^ 0x2545f491) : undefined;
    this.writtenWithinMs = hostile ? 100 : 0;
    this.random = new Random(seed);
    this.#wall = new Random(wallSeed ^ 0x5bd1e995);
    this.schedule = new Schedule(this.random);
    this.trace = new Trace(print);
    this.faults = drawFaults(this.random);
    this.git = new Git(seed);
    this.git.clashes = { text: this.faults.conflicts, meaning: this.faults.redOnMerge };
    this.#known = known;
  }

  get nowMs(): number {
    return this.schedule.nowMs;
  }

  note(text: string): void {
    this.trace.note(this.nowMs, text.replace(wallTime, "<wall clock>"));
  }

  /** Something worth having happened: a batch in which it never does has proven nothing about it. */
  saw(moment: Moment): void {
    this.sometimes.set(moment, (this.sometimes.get(moment) ?? 0) + 1);
  }

  /** Reports a broken invariant. The history ends at the first one, unless it is known. */
  fail(invariant: string, message: string): void {
    if (this.#known.has(invariant)) {
      this.knownSeen.set(invariant, (this.knownSeen.get(invariant) ?? 0) + 1);
      this.note(`KNOWN ${invariant}: ${message}`);
      return;
    }
    this.violation ??= new Violation(invariant, message);
  }

  check(holds: boolean, invariant: string, message: () => string): void {
    if (!holds) this.fail(invariant, message());
  }

  /** The time of day as somebody's clock has it: it jumps forwards and back by years. */
  wallClock(): string {
    return new Date(this.#wall.between(0, 4e12)).toISOString();
  }

  mayBreakView(): void {
    if (this.nowMs >= this.viewBrokenUntilMs && this.random.chance(this.faults.viewFails * 0.1))
      this.viewBrokenUntilMs = this.nowMs + 1500;
  }

  spawn(role: Role): SimProcess {
    const process = new SimProcess(this.schedule, role, this.processes.length + 1);
    this.processes.push(process);
    return process;
  }

  crash(process: SimProcess, why: string): void {
    if (!process.alive) return;
    this.crashes++;
    this.note(`${process.name} DIES ${why}`);
    process.end(true);
  }

  /** What an orchestrator is told when it asks whether the holder still lives. */
  looksAlive(holder: Holder): boolean {
    const process = this.processOf(holder);
    return process?.alive === true && !(process.frozen && this.faults.frozenLooksDead);
  }

  processOf(holder: Holder): SimProcess | undefined {
    return this.processes[Number(holder.startTime) - 1];
  }

  living(role: Role): SimProcess[] {
    return this.processes.filter((process) => process.alive && process.role === role);
  }
}

// What must not last. Now and then it is looked at whether the living holder does what the state asks for: every
// running attempt is worked on, nothing else is, and no due task waits beside a free slot.
import type { TaskRecord } from "./ledger.ts";
import { hasRoom } from "./machines.ts";
import type { Orchestrator, Troupe } from "./orchestrator.ts";
import { attemptIdentity } from "./rules-attempt.ts";
import { baselineIdentity, isBaselineOpen } from "./rules-baseline.ts";
import { jobIdentity } from "./rules-job.ts";
import { isOverBudget } from "./rules-task.ts";

/** Longer than an agent takes to end, two polls and the slowest answers of the store. */
const patienceMs = 450;

/** What is no longer wanted is told so sooner than a person would notice (C10: 250 ms, and a slow store). */
const endingMs = 350;

export class Watch {
  readonly #troupe: Troupe;
  readonly #since = new Map<string, number>();
  #holder = "";

  constructor(troupe: Troupe) {
    this.#troupe = troupe;
  }

  look(): void {
    const { sim, oracle, orchestrators } = this.#troupe;
    const { ledger } = oracle;
    const holder = [...orchestrators.values()].find(({ process }) => process.name === ledger.holder);
    // Whoever stood still in between starts anew: nobody can expect anything of that time.
    const { name: who, wakes, alive, frozen } = holder?.process ?? { alive: false };
    const name = alive && !frozen ? `${who} ${wakes}` : "";
    if (name !== this.#holder) this.#since.clear();
    this.#holder = name;
    if (!holder || name === "") return;
    const lasting = new Map<string, number>();
    const wanted = this.#wanted();
    for (const key of wanted)
      if (!holder.carrying.isUnderway(key)) lasting.set(`${this.#idleness(holder, key)}: ${key}`, patienceMs);
    for (const key of holder.carrying.active()) {
      if (!wanted.has(key)) lasting.set(`C10 not ended: ${key}`, endingMs);
    }
    for (const machine of this.#unasked())
      lasting.set(`U5 unasked: ${machine}`, patienceMs + (ledger.policy?.backoffCapMs ?? 0));
    if (this.#isIdle())
      lasting.set("X3 waits: a slot is free", patienceMs + (ledger.policy?.backoffCapMs ?? 0));
    for (const key of this.#since.keys()) if (!lasting.has(key)) this.#since.delete(key);
    for (const [key, mostMs] of lasting) {
      const sinceMs = this.#since.get(key) ?? sim.nowMs;
      this.#since.set(key, sinceMs);
      if (sim.nowMs - sinceMs > mostMs) this.#report(key, sim.nowMs - sinceMs);
    }
  }

  #report(what: string, lastedMs: number): void {
    const [invariant, detail] = what.split(": ");
    this.#since.delete(what);
    this.#troupe.sim.fail(invariant ?? what, `${detail ?? ""} for ${lastedMs} ms`);
  }

  /** Why it is wrong that nobody works on it. */
  #idleness({ carrying }: Orchestrator, key: string): string {
    if (this.#troupe.oracle.ledger.halt) return "C10 not let finish";
    return carrying.wasEnded(key) ? "X14 not taken up again" : "X14 nobody works on it";
  }

  #wanted(): Set<string> {
    const { ledger } = this.#troupe.oracle;
    const wanted = new Set<string>();
    if (ledger.halt?.now) return wanted;
    const base = baselineIdentity(ledger);
    if (base !== undefined) wanted.add(base);
    if (ledger.job && !ledger.job.isHeld) wanted.add(jobIdentity(ledger.job, ledger.epoch));
    for (const task of ledger.tasks.values()) {
      const identity = attemptIdentity({ ledger }, task);
      if (identity !== undefined) wanted.add(identity);
    }
    return wanted;
  }

  #isIdle(): boolean {
    const { ledger } = this.#troupe.oracle;
    if (ledger.halt || ledger.phase !== "executing" || ledger.phase === ledger.until) return false;
    if (ledger.tip === null || isBaselineOpen(ledger) || ledger.slots === 0) return false;
    const canStart = (task: TaskRecord) => !isOverBudget(ledger, task) && hasRoom(ledger, task);
    return ledger.due(Number.POSITIVE_INFINITY, canStart).length > 0;
  }

  /** Machines that nobody asks although it is time, each with what it waits in. */
  #unasked(): string[] {
    const { ledger } = this.#troupe.oracle;
    if (ledger.halt || ledger.phase !== "executing" || ledger.phase === ledger.until) return [];
    if (ledger.tip === null || isBaselineOpen(ledger) || ledger.slots === 0) return [];
    const waiting = ledger.machines.filter(({ standing }) => standing !== "there");
    return waiting.map(({ name, standing, notBeforeMs }) => `${name} ${standing} since ${notBeforeMs}`);
  }
}

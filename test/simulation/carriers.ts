// The effects of one orchestrator: real `Carry` functions over simulated agents. Each asks first whether the result
// is there, as the contract wants, and the orchestrator may die just before it and just after.
import type { Effect } from "../../src/core/effect.ts";
import type { Outcome } from "../../src/core/input.ts";
import type { Carriers } from "../../src/engine/world.ts";
import type { Agents } from "./agents.ts";
import { runId } from "./oracle.ts";
import type { SimProcess } from "./process.ts";
import type { Simulation } from "./simulation.ts";
import type { SimJournal } from "./store.ts";
import { identityOf, type Work } from "./work.ts";

/** How often one view may be tried within a second before it is a busy loop. */
const mostTries = 30;

export class Carrying {
  readonly #sim: Simulation;
  readonly #agents: Agents;
  readonly #process: SimProcess;
  readonly #journal: SimJournal;
  readonly #underway = new Map<string, AbortSignal>();
  /** Work whose answer was handed over: it is answered once. */
  readonly #answered = new Set<string>();
  readonly #ended = new Set<string>();
  readonly #tries = new Map<string, number[]>();
  readonly carriers: Carriers = {
    "run-agent": (effect, signal) => this.#work(effect, signal),
    "run-checks": (effect, signal) => this.#work(effect, signal),
    "run-role": (effect, signal) => this.#work(effect, signal),
    "repair-output": (effect, signal) => this.#work(effect, signal),
    "check-output": (effect, signal) => this.#work(effect, signal),
    "ask-question": (effect) => this.#tell(effect),
    "write-view": (effect) => this.#write(effect),
  };

  constructor({
    sim,
    agents,
    process,
    journal,
  }: { sim: Simulation; agents: Agents; process: SimProcess; journal: SimJournal }) {
    this.#sim = sim;
    this.#agents = agents;
    this.#process = process;
    this.#journal = journal;
  }

  /** Whether somebody works on it, or has answered. */
  isUnderway(key: string): boolean {
    return this.#answered.has(key) || this.#underway.get(key)?.aborted === false;
  }

  /** Whether it was told to end before. */
  wasEnded(key: string): boolean {
    return this.#ended.has(key);
  }

  /** What is worked on and was not told to end. */
  active(): string[] {
    return [...this.#underway].filter(([, signal]) => !signal.aborted).map(([key]) => key);
  }

  async #work(work: Work, signal: AbortSignal): Promise<Outcome> {
    const key = identityOf(work);
    this.#sim.note(`${this.#process.name} carries out ${key}`);
    const isAnswered = this.#answered.has(key);
    this.#sim.check(!isAnswered, "X17 carried twice", () => `${key} was started again after its answer`);
    this.#sim.check(!this.#underway.has(key), "X17 side by side", () => `${key} was started beside itself`);
    this.#underway.set(key, signal);
    try {
      await this.#process.pause(this.#sim.random.between(0, 3));
      await this.#mayDie("before");
      const found = this.#agents.found(work);
      if (found) this.#sim.saw("result found on disk");
      const { outcome, said } = found ?? (await this.#agents.start(this.#process, work, signal));
      await this.#mayDie("after");
      // What was ended has nothing to say, so a word of it that counts anyway will be missed here.
      if (!signal.aborted) this.#agents.say(work, said);
      return outcome;
    } catch (error) {
      if (!signal.aborted) this.#agents.say(work, { ok: false, good: false, digest: "" });
      throw error;
    } finally {
      this.#underway.delete(key);
      if (signal.aborted) this.#ended.add(key);
      else this.#answered.add(key);
    }
  }

  async #tell({ question }: Extract<Effect, { kind: "ask-question" }>): Promise<undefined> {
    await this.#process.pause(this.#sim.random.between(0, 5));
    this.#sim.note(`a person is asked ${question}`);
  }

  /** Views take turns and never go back; when they cannot be written, nothing else stops for it (G10). */
  async #write({ key }: Extract<Effect, { kind: "write-view" }>): Promise<undefined> {
    const since = this.#sim.nowMs - 1000;
    const tries = [...(this.#tries.get(key) ?? []), this.#sim.nowMs].filter((ms) => ms > since);
    this.#tries.set(key, tries);
    this.#sim.check(tries.length <= mostTries, "G10 busy loop", () => `${key} is tried over and over`);
    await this.#process.pause(1);
    this.#sim.mayBreakView();
    if (this.#sim.nowMs < this.#sim.viewBrokenUntilMs) {
      this.#sim.saw("view could not be written");
      throw new Error("EROFS: read-only file system");
    }
    await this.#journal.exclusive(runId, ({ position }) => {
      const { viewPosition } = this.#sim;
      this.#sim.check(
        position >= viewPosition,
        "C3 view",
        () => `view went from ${viewPosition} to ${position}`,
      );
      this.#sim.viewPosition = position;
    });
  }

  async #mayDie(when: "before" | "after"): Promise<void> {
    if (!this.#sim.random.chance(this.#sim.faults.crashAtEffect)) return;
    this.#sim.saw("died at an effect");
    this.#sim.crash(this.#process, `${when} an effect`);
    await new Promise<never>(() => {});
  }
}

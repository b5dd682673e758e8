// An orchestrator's hold on a run: its epoch, its share of run time, and the rule that nothing it submits counts
// once another has taken over (X17).
import { follow } from "../core/follow.ts";
import type { Input } from "../core/input.ts";
import type { Holder } from "../core/parts.ts";
import type { Problem } from "../core/problem.ts";
import type { Run } from "../core/run.ts";
import { carryOut } from "../core/step.ts";
import type { Clock } from "../host/clock.ts";
import type { Committed, Journal } from "../journal/journal.ts";

export interface Claim {
  readonly journal: Journal;
  readonly run: string;
  readonly by: string;
  readonly clock: Clock;
  readonly holder: Holder;
  readonly isAlive: (holder: Holder) => boolean;
}

/** Another orchestrator holds the run now: this one must stop, and change nothing on its way out. */
export class Replaced extends Error {}

export class Hold {
  readonly #claim: Claim;
  readonly #epoch: number;
  /** Run time stands still while nobody holds the run, so it is counted from where it was. */
  readonly #startMs: number;
  #version: number;

  private constructor(claim: Claim, epoch: number, runMs: number) {
    this.#claim = claim;
    this.#epoch = epoch;
    this.#startMs = claim.clock.monotonicMs() - runMs;
    this.#version = claim.journal.version();
  }

  /** Takes the run, or says who has it. */
  static async take(claim: Claim): Promise<Hold | readonly Problem[]> {
    const { journal, holder, isAlive, by } = claim;
    let [epoch, runMs] = [0, 0];
    const { problems } = await journal.transact({ run: claim.run }, by, (draft) => {
      const alive = draft.run.holder !== null && isAlive(draft.run.holder);
      const refused = carryOut(draft, { kind: "claim", holder, alive });
      [epoch, runMs] = [draft.run.epoch, draft.run.runMs];
      return refused;
    });
    return problems.length > 0 ? problems : new Hold(claim, epoch, runMs);
  }

  runMs(): number {
    return Math.round(this.#claim.clock.monotonicMs() - this.#startMs);
  }

  async submit(input: Input): Promise<Committed> {
    const { journal, run, by } = this.#claim;
    return journal.transact({ run }, by, (draft) => {
      this.#check(draft.run);
      return carryOut(draft, { ...input, runMs: this.runMs() });
    });
  }

  async read<T>(look: (run: Run) => T): Promise<T> {
    this.#version = this.#claim.journal.version();
    return this.#claim.journal.read(this.#claim.run, (run) => {
      this.#check(run);
      return look(run);
    });
  }

  /** Does it while nobody can write to the journal, or not at all once another has taken over. */
  exclusively<T>(work: () => T): Promise<T> {
    const { journal, run } = this.#claim;
    return journal.exclusive(run, (state) => {
      this.#check(state);
      return work();
    });
  }

  /** A tick that would change nothing is not submitted. */
  async isDue(): Promise<boolean> {
    return this.#claim.journal.read(this.#claim.run, (run) => follow(run, this.runMs()).length > 0);
  }

  othersWrote(): boolean {
    return this.#claim.journal.version() !== this.#version;
  }

  async release(): Promise<void> {
    await this.submit({ kind: "release", epoch: this.#epoch });
  }

  #check(run: Run): void {
    if (run.epoch !== this.#epoch)
      throw new Replaced(`epoch ${run.epoch} has taken over from ${this.#epoch}`);
  }
}

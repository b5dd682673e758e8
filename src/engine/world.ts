// The world carries effects out. It compares what should be going on with what is: it starts what is missing and
// ends what is no longer wanted. It remembers nothing that matters: after a crash, `next` tells it all again.
import type { Effect } from "../core/effect.ts";
import type { Outcome } from "../core/input.ts";

/**
 * Carries one kind of effect out.
 *
 * Contract: asks first whether the result is already there; stops soon after `signal` is aborted; answers with an
 * outcome when the effect was for an attempt, with nothing otherwise. What it throws is a failed outcome.
 */
export type Carry<E extends Effect = Effect> = (
  effect: E,
  signal: AbortSignal,
) => Promise<Outcome | undefined>;
export type Carriers = { readonly [K in Effect["kind"]]?: Carry<Extract<Effect, { kind: K }>> };

export interface World {
  /** Brings what is under way in line with the list. Returns at once. */
  reconcile(effects: readonly Effect[]): void;
  /** Ends everything, and resolves when nothing is under way. */
  stop(): Promise<void>;
}

export class LocalWorld implements World {
  readonly #carriers: Carriers;
  readonly #ended: (key: string, outcome: Outcome) => void;
  readonly #underway = new Map<string, { readonly stop: AbortController; readonly done: Promise<void> }>();
  /** Keys of effects without an outcome that are done, as long as they stay on the list. */
  readonly #done = new Set<string>();
  /** Keys of attempts that were answered: the answer may still wait in the inbox, and no key comes twice. */
  readonly #answered = new Set<string>();
  #wanted: ReadonlyMap<string, Effect> = new Map();

  constructor(carriers: Carriers, ended: (key: string, outcome: Outcome) => void) {
    this.#carriers = carriers;
    this.#ended = ended;
  }

  reconcile(effects: readonly Effect[]): void {
    const wanted = new Map(effects.map((effect) => [effect.key, effect]));
    this.#wanted = wanted;
    for (const [key, { stop }] of this.#underway) if (!wanted.has(key)) stop.abort();
    for (const key of this.#done) if (!wanted.has(key)) this.#done.delete(key);
    for (const effect of effects)
      if (!this.#underway.has(effect.key) && !this.#done.has(effect.key) && !this.#answered.has(effect.key))
        this.#start(effect);
  }

  async stop(): Promise<void> {
    this.#wanted = new Map();
    const ending = [...this.#underway.values()];
    for (const { stop } of ending) stop.abort();
    await Promise.all(ending.map(({ done }) => done));
  }

  #start(effect: Effect): void {
    const carry = this.#carriers[effect.kind] as Carry | undefined;
    if (!carry) return;
    const stop = new AbortController();
    const done = this.#carry(carry, effect, stop.signal);
    this.#underway.set(effect.key, { stop, done });
  }

  async #carry(carry: Carry, effect: Effect, signal: AbortSignal): Promise<void> {
    const outcome = await carry(effect, signal).catch(crashed);
    this.#underway.delete(effect.key);
    if (signal.aborted) {
      // It has nothing to say, but may be wanted again by now: halted, and resumed before it had ended.
      const again = this.#wanted.get(effect.key);
      if (again) this.#start(again);
      return;
    }
    if (outcome === undefined) this.#done.add(effect.key);
    else {
      this.#answered.add(effect.key);
      this.#ended(effect.key, outcome);
    }
  }
}

/** What the world threw, as a failure; a full disk is told apart, because it is nobody's fault (G7). */
function crashed(error: unknown): Outcome {
  const { problem, code } = error as { problem?: { message: string; code: string }; code?: string };
  const full = problem?.code === "full" || code === "ENOSPC" || code === "EDQUOT";
  const said = problem?.message ?? String(error);
  const subcategory = full ? "full" : null;
  return { ok: false, error: said, category: "environment", subcategory, retryable: true };
}

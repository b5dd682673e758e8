// The room of the loop, and nothing else: open a directory, hold a run, take inputs, write facts, start and end effects. It writes the
// journal through its port, carries no order out, names no store and no protocol; at most 1,500 lines (tidy).
//
// The world carries effects out. It compares what should be going on with what is: it starts what is missing and
// ends what is no longer wanted. It remembers nothing that matters: after a crash, `next` tells it all again.
import type { Effect } from "../core/effect.ts";
import type { Outcome, Unsuccessful } from "../core/input.ts";
import { failure, hindered } from "../core/outcome.ts";
import type { Failed } from "../places/places.ts";

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

/** The places that effects need (`places.ts`): each answer is a sentence about one that is missing. */
export interface Ground {
  /** At a glance, before anything is started. */
  gone(): string | undefined;
  /** With a close look, after something failed. */
  missing(failed: Failed): Promise<string | undefined>;
}

const everythingThere: Ground = { gone: () => undefined, missing: async () => undefined };

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
  readonly #ground: Ground;
  #wanted: ReadonlyMap<string, Effect> = new Map();

  constructor(carriers: Carriers, ended: (key: string, outcome: Outcome) => void, ground = everythingThere) {
    this.#carriers = carriers;
    this.#ended = ended;
    this.#ground = ground;
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

  /**
   * Nothing is started where a place is missing. Where one is missing afterwards, that is why it failed, whatever it said:
   * nothing else about it counts, for it will be carried out again.
   */
  async #tried(carry: Carry, effect: Effect, signal: AbortSignal): Promise<Outcome | undefined> {
    const isWork = "task" in effect || "job" in effect || effect.kind === "check-baseline";
    const before = isWork ? this.#ground.gone() : undefined;
    if (before !== undefined) return withoutPlace(before);
    const outcome = await carry(effect, signal).catch(crashed);
    if (!isWork) return outcome;
    // What went well may have been done in another place that stands there now.
    const found = isBlamed(outcome)
      ? await this.#ground.missing({ effect, outcome }).catch(() => undefined)
      : this.#ground.gone();
    return found === undefined ? outcome : withoutPlace(found);
  }

  #start(effect: Effect): void {
    const carry = this.#carriers[effect.kind] as Carry | undefined;
    if (!carry) throw new Error(`bug: nobody carries out \`${effect.kind}\``);
    const stop = new AbortController();
    const done = this.#carry(carry, effect, stop.signal);
    this.#underway.set(effect.key, { stop, done });
  }

  async #carry(carry: Carry, effect: Effect, signal: AbortSignal): Promise<void> {
    const outcome = await this.#tried(carry, effect, signal);
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

function withoutPlace(error: string): Outcome {
  const kind = "place";
  return { ok: false, kind, error, category: "environment", subcategory: kind, retryable: true };
}

/** A branch that somebody moved says itself what is the matter. */
function isBlamed(outcome: Outcome | undefined): outcome is Unsuccessful {
  return outcome?.ok === false && outcome.kind !== "branch-moved";
}

/** What the world threw, as a failure; a full disk is told apart, because it must not cost a try (G7). */
function crashed(error: unknown): Outcome {
  const { problem, code, path } = error as NodeJS.ErrnoException & {
    problem?: { message: string; code: string };
  };
  const full = problem?.code === "full" || code === "ENOSPC" || code === "EDQUOT";
  const place = path === undefined ? "the project" : `\`${path}\``;
  const said = problem?.message ?? (full ? `${place} lies on a full disk` : String(error));
  if (full) return hindered({ code: "full", message: said });
  return failure("environment", said, problem?.code ?? code ?? null);
}

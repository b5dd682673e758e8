// An orchestrator's hold on a run: its epoch, its share of run time, and the rule that nothing it submits counts
// once another has taken over (X17).
import type { Entry, Fact } from "../core/fact.ts";
import { follow } from "../core/follow.ts";
import type { Input } from "../core/input.ts";
import { type Problem, problem, Refused } from "../core/problem.ts";
import type { Run } from "../core/run.ts";
import type { Holder } from "../core/run-parts.ts";
import { carryOut } from "../core/step.ts";
import { heldBy } from "../core/steps/engine.ts";
import { backOffs } from "../core/table.ts";
import { type Clock, systemClock } from "../host/clock.ts";
import { isAlive, isElsewhere } from "../host/program/process.ts";
import type { Committed, Journal } from "../journal/journal.ts";
import type { App } from "./app.ts";
import { isKnownSilent, patienceMs, type Silence, silenceOf } from "./ask-holder.ts";

export interface Claim {
  readonly journal: Journal;
  readonly run: string;
  readonly by: string;
  readonly clock: Clock;
  readonly holder: Holder;
  readonly isAlive: (holder: Holder) => boolean;
  /** Whether it can only be asked. */
  readonly isElsewhere?: (holder: Holder) => boolean;
  readonly looks?: number;
  /** Waits until the journal can be written to; throws when that takes too long. */
  readonly ready?: () => Promise<void>;
}

/** Another orchestrator holds the run now: this one must stop, and change nothing on its way out. */
export class Replaced extends Refused {
  constructor({ id, holder }: Run) {
    const who = holder ? `process ${holder.pid} on ${holder.host}` : "another process";
    const what = `run \`${id}\` was taken over by ${who} while this one stood still; nothing more was done here`;
    super([problem("replaced", what, { hint: { do: "show-status" } })]);
  }
}

/** First of all, before a word about anything else: a run that another orchestrator holds is left as it is. */
export async function refuseWhileHeld(app: App, run?: string): Promise<void> {
  const held = await holderOf(app, run);
  if (held) throw new Refused([held]);
}

/** Who is at work on the run, as a problem. One on another machine is asked, which may take half a minute. */
export async function holderOf(app: App, run?: string): Promise<Problem | undefined> {
  const id = run ?? (await app.run());
  const look = (state: Run) =>
    state.holder && { holder: state.holder, epoch: state.epoch, problem: heldBy(state, state.holder) };
  const held = run === undefined ? await app.look(look) : await app.journal.read(id, look);
  if (!held || !isAlive(held.holder)) return undefined;
  if (!isElsewhere(held.holder)) return held.problem;
  const asking = { journal: app.journal, run: id, by: "cli", clock: systemClock };
  if (!isKnownSilent(asking, held.epoch)) app.warn(asksHolder(id, held.holder));
  return (await silenceOf(asking, held.epoch)) ? undefined : held.problem;
}

function asksHolder(run: string, { pid, host }: Holder): Problem {
  const seconds = patienceMs / 1000;
  const what = `run \`${run}\` was taken by process ${pid} on ${host}: asking whether it is still at work, which takes up to ${seconds} s`;
  return problem("asking-holder", what);
}

interface Taken {
  readonly position: number;
  readonly epoch: number;
  readonly runMs: number;
  readonly times: readonly number[];
}

const lookEveryMs = 1000;

/** A commit that takes longer was held up: its store was away, or this process stood still. */
const heldUpMs = 100;

/** When something of it may be late, or may start again. */
function timesOf({ running, job, jobs, tasks, fleet, runMs }: Run): readonly number[] {
  const due = [job?.dueMs, ...running.map((id) => tasks.get(id)?.attempt?.dueMs)];
  const pauses = [...Object.values(jobs), ...(fleet?.machines ?? [])].map(({ notBeforeMs }) => notBeforeMs);
  const again = [...pauses, ...backOffs(tasks)];
  return [...due.filter((timeMs) => typeof timeMs === "number"), ...again.filter((timeMs) => timeMs > runMs)];
}

export class Hold {
  readonly #claim: Claim;
  readonly #epoch: number;
  /** Run time stands still while nobody holds the run, so it is counted from where it was; and while a commit is held up. */
  #startMs: number;
  #caughtUpMs = Number.NEGATIVE_INFINITY;
  /** Run times at which something may follow by itself. */
  readonly #times: Set<number>;
  #lookedMs = Number.NEGATIVE_INFINITY;
  /** How far the run was when it was looked at last, and how far it is known to be. */
  #seen: number;
  #newest: number;
  #othersWrote: () => void = () => {};
  readonly #ended = new AbortController();

  private constructor(claim: Claim, { position, epoch, runMs, times }: Taken) {
    this.#claim = claim;
    this.#epoch = epoch;
    this.#times = new Set(times);
    this.#startMs = claim.clock.monotonicMs() - runMs;
    this.#seen = position;
    this.#newest = position;
    this.#follow();
  }

  async #follow(): Promise<void> {
    const { journal, run } = this.#claim;
    for await (const change of journal.changes(this.#ended.signal)) {
      if (change.run === run) this.#newest = Math.max(this.#newest, change.position);
      if (this.othersWrote()) this.#othersWrote();
    }
  }

  /** Takes the run, or says who has it. */
  static async take(claim: Claim): Promise<Hold | readonly Problem[]> {
    const first = await Hold.#inTurn(claim);
    if (first instanceof Hold || !claim.isElsewhere) return first;
    const { isElsewhere } = claim;
    const epoch = await claim.journal.read(claim.run, (run) =>
      run.holder && isElsewhere(run.holder) ? run.epoch : undefined,
    );
    const silence = epoch === undefined ? undefined : await silenceOf(claim, epoch);
    return silence ? Hold.#inTurn(claim, silence) : first;
  }

  static #inTurn(claim: Claim, silence?: Silence): Promise<Hold | readonly Problem[]> {
    return claim.journal.lease(async () => {
      for (;;) {
        const taken = await Hold.#take(claim, silence);
        if (taken) return taken;
      }
    });
  }

  /** Whether the holder lives is found out before the transaction; nothing when another holds the run by then. */
  static async #take(claim: Claim, silence?: Silence): Promise<Hold | readonly Problem[] | undefined> {
    const { journal, holder, isAlive, by } = claim;
    const known = await journal.read(claim.run, (run) => ({ epoch: run.epoch, holder: run.holder }));
    const isSilent = silence?.epoch === known.epoch && silence.question === known.holder?.asked;
    const alive = known.holder !== null && !isSilent && isAlive(known.holder);
    let taken = { epoch: 0, runMs: 0, times: [] as readonly number[], isLate: false };
    const { problems, position } = await journal.transact({ run: claim.run }, by, (draft) => {
      const { run } = draft;
      const hasMoved = run.epoch !== known.epoch || (run.holder === null) !== (known.holder === null);
      const isLate = hasMoved || run.holder?.asked !== known.holder?.asked;
      const refused = isLate ? [] : carryOut(draft, { kind: "claim", holder, alive });
      taken = { epoch: run.epoch, runMs: run.runMs, times: timesOf(run), isLate };
      return refused;
    });
    if (taken.isLate) return undefined;
    return problems.length > 0 ? problems : new Hold(claim, { position, ...taken });
  }

  runMs(): number {
    return Math.round(this.#claim.clock.monotonicMs() - this.#startMs);
  }

  /** Limits are set by the time of the decision: what the commit waited for must not be taken from whatever begins with it. */
  #catchUp(decidedMs: number): void {
    const nowMs = this.#claim.clock.monotonicMs();
    // Of two that waited at the same time, only one counts.
    const lateMs = nowMs - Math.max(decidedMs, this.#caughtUpMs);
    if (lateMs <= heldUpMs) return;
    this.#startMs += lateMs;
    this.#caughtUpMs = nowMs;
  }

  async submit(input: Input): Promise<Committed> {
    await this.#claim.ready?.();
    return (await this.#transact(input, () => undefined)).committed;
  }

  /**
   * Submits an input, if there is one, and looks at the run in the same transaction: `look` sees what is durable when the
   * promise resolves, and does nothing but look.
   */
  async settle<T>(
    input: Input | undefined,
    look: (run: Run) => T,
  ): Promise<{ readonly seen: T; readonly written: readonly Entry[] }> {
    if (!input) return { seen: await this.read(look), written: [] };
    await this.#claim.ready?.();
    const { committed, seen } = await this.#transact(input, look);
    return { seen, written: committed.entries };
  }

  async #transact<T>(input: Input, look: (run: Run) => T): Promise<{ committed: Committed; seen: T }> {
    const { journal, run, by } = this.#claim;
    // The time of the first call: asked again, the decision is the same.
    let decided: { readonly runMs: number; readonly atMs: number } | undefined;
    let seen: { readonly value: T } | undefined;
    const committed = await journal.transact({ run }, by, (draft) => {
      this.#check(draft.run);
      decided ??= { runMs: this.runMs(), atMs: this.#claim.clock.monotonicMs() };
      const problems = carryOut(draft, { ...input, runMs: decided.runMs });
      seen = { value: look(draft.run) };
      return problems;
    });
    if (!seen || !decided) throw new Error("bug: a transaction without a decision");
    this.#catchUp(decided.atMs);
    this.#wrote(committed);
    for (const { fact } of committed.entries) this.#noteTimes(fact);
    return { committed, seen: seen.value };
  }

  /** What others wrote in between was seen, but not when something of it is due: it is looked at again. */
  #wrote({ position, entries }: Committed): void {
    if (position - entries.length === this.#seen) this.#seen = position;
    this.#newest = Math.max(this.#newest, position);
  }

  #noteTimes(fact: Fact): void {
    if ("dueMs" in fact && fact.dueMs !== null) this.#times.add(fact.dueMs);
    if ("notBeforeMs" in fact) this.#times.add(fact.notBeforeMs);
  }

  async read<T>(look: (run: Run) => T): Promise<T> {
    // What others wrote may let something follow at once, or at another time.
    this.#lookedMs = Number.NEGATIVE_INFINITY;
    return this.#claim.journal.read(this.#claim.run, (run) => {
      this.#check(run);
      this.#seen = run.position;
      for (const timeMs of timesOf(run)) this.#times.add(timeMs);
      return look(run);
    });
  }

  /** Does it while no command comes between, or not at all once another has taken over. */
  exclusively<T>(work: () => T): Promise<T> {
    const { journal, run } = this.#claim;
    return journal.lease(async () => {
      await journal.read(run, (state) => this.#check(state));
      return work();
    });
  }

  /** A tick that would change nothing is not submitted. The journal is asked when a time has come, and now and then. */
  async isDue(): Promise<boolean> {
    const nowMs = this.runMs();
    const come = [...this.#times].filter((timeMs) => timeMs <= nowMs);
    if (come.length === 0 && nowMs - this.#lookedMs < lookEveryMs) return false;
    for (const timeMs of come) this.#times.delete(timeMs);
    this.#lookedMs = nowMs;
    return this.#claim.journal.read(this.#claim.run, (run) => follow(run, nowMs).length > 0);
  }

  othersWrote(): boolean {
    return this.#newest > this.#seen;
  }

  /** Calls `tell` as soon as others have written. */
  whenOthersWrite(tell: () => void): void {
    this.#othersWrote = tell;
  }

  async release(): Promise<void> {
    this.#ended.abort();
    await this.#transact({ kind: "release", epoch: this.#epoch }, () => undefined);
  }

  #check(run: Run): void {
    if (run.epoch !== this.#epoch) throw new Replaced(run);
  }
}

// The effects of one orchestrator: real `Carry` functions over simulated agents. Each asks first whether the result
// is there, as the contract wants, and the orchestrator may die just before it and just after.
import { type Effect, effectOfAttempt } from "../../src/core/effect.ts";
import type { Outcome } from "../../src/core/input.ts";
import type { Run } from "../../src/core/run.ts";
import type { Candidate } from "../../src/core/run-parts.ts";
import type { Carriers } from "../../src/engine/world.ts";
import type { Journal } from "../../src/journal/journal.ts";
import { StoreFailure } from "../../src/journal/journal.ts";
import type { Agents } from "./agents.ts";
import { type Report, saying } from "./behaviour.ts";
import { runId } from "./oracle.ts";
import type { SimProcess } from "./process.ts";
import type { Simulation } from "./simulation.ts";
import { identityOf, isTaskWork, nameOf, type TaskWork, type Work } from "./work.ts";

/** How often one view may be tried within a second before it is a busy loop. */
const mostTries = 30;

export class Carrying {
  readonly #sim: Simulation;
  readonly #agents: Agents;
  readonly #process: SimProcess;
  readonly #journal: Journal;
  readonly #underway = new Map<string, AbortSignal>();
  /** Work whose answer was handed over: it is answered once. */
  readonly #answered = new Set<string>();
  readonly #ended = new Set<string>();
  readonly #tries = new Map<string, number[]>();
  readonly carriers: Carriers = {
    "prepare-workspace": (effect, signal) => this.#work(effect, signal),
    "run-agent": (effect, signal) => this.#work(effect, signal),
    "repair-result": (effect, signal) => this.#work(effect, signal),
    "run-checks": (effect, signal) => this.#work(effect, signal),
    "review-work": (effect, signal) => this.#work(effect, signal),
    "prepare-merge": (effect, signal) => this.#carry(effect, signal, () => this.#merge(effect)),
    "check-merge": (effect, signal) => this.#work(effect, signal),
    "move-branch": (effect, signal) => this.#carry(effect, signal, () => this.#move(effect, signal)),
    "run-role": (effect, signal) => this.#work(effect, signal),
    "repair-output": (effect, signal) => this.#work(effect, signal),
    "check-output": (effect, signal) => this.#work(effect, signal),
    "check-baseline": (effect, signal) => this.#lookAtBaseline(effect, signal),
    "ask-machine": (effect, signal) => this.#ask(effect, signal),
    "write-view": (effect) => this.#write(effect),
  };

  constructor({
    sim,
    agents,
    process,
    journal,
  }: { sim: Simulation; agents: Agents; process: SimProcess; journal: Journal }) {
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

  /** Agents and checks: what an earlier one left is taken over, and an agent that died with another one is lost. */
  #work(work: Work, signal: AbortSignal): Promise<Outcome> {
    return this.#carry(work, signal, async () => {
      const found = this.#agents.found(work);
      if (found) this.#sim.saw("result found on disk");
      else if (this.#agents.isOrphan(this.#process, work)) return lost();
      if (found) return found;
      const gone = isTaskWork(work) ? await this.#machineGone(work) : undefined;
      if (gone?.when === "before") return gone.report;
      const report = await this.#agents.start(this.#process, work, signal);
      if (gone) this.#sim.saw("machine lost with its work");
      return gone?.report ?? report;
    });
  }

  /** Whether the machine that it is placed on is gone, before it began or with what it made. */
  async #machineGone(work: TaskWork): Promise<{ when: "before" | "after"; report: Report } | undefined> {
    const { random, faults } = this.#sim;
    const machine = await this.#journal
      .read(runId, (run) => run.tasks.get(work.task)?.attempt?.machine)
      .catch(passingFailure);
    if (machine === undefined || !random.chance(faults.machineGone)) return undefined;
    const isAgents = work.kind === "run-agent" || work.kind === "repair-result";
    const when = random.chance(0.5) ? "before" : "after";
    const begun = when === "after" && isAgents;
    const report = saying({ ok: false, kind: "machine", begun, error: "it is gone", ...environment });
    return { when, report };
  }

  async #ask(
    { machine, key }: Extract<Effect, { kind: "ask-machine" }>,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const { random, faults, saidOfMachines } = this.#sim;
    await this.#process.pause(random.between(1, 30));
    await this.#mayDie("before", { kind: "ask-machine" });
    if (random.chance(faults.machineGone))
      return { ok: false, kind: "machine", begun: false, error: "no route", ...environment };
    if (!signal.aborted) saidOfMachines.add(`${machine} ok@${/@(\d+)$/.exec(key)?.[1]}`);
    return { ok: true };
  }

  /** What was prepared before may be on the branch: that is asked first, and nothing of it can fail. */
  async #merge(effect: TaskWork & { kind: "prepare-merge" }): Promise<Report> {
    const { git, random, faults } = this.#sim;
    const { onto, earlier } = effect;
    await this.#process.pause(random.between(1, 20));
    if (earlier !== null && git.isAncestor(earlier, onto)) {
      this.#sim.saw("found merged by one who died");
      return saying({ ok: true, merged: { commit: earlier, tip: onto } });
    }
    if (random.chance(faults.gitFails)) return gitFailed();
    const candidate = git.merge(nameOf(effect), onto);
    if (candidate) return saying({ ok: true, candidate });
    this.#sim.saw("merge conflicted");
    const why = { error: "it conflicts", category: "conflict", subcategory: null, retryable: true };
    return saying({ ok: false, kind: "failed", ...why });
  }

  /** Under the lock of the journal: whoever no longer holds the run moves nothing. */
  async #move(effect: TaskWork & { kind: "move-branch" }, signal: AbortSignal): Promise<Report> {
    const { random, faults, git } = this.#sim;
    this.#sim.moving?.(this.#process);
    await this.#process.pause(random.between(1, 20));
    if (random.chance(faults.gitFails) && !git.isAncestor(effect.candidate.commit, git.tip))
      return gitFailed();
    for (;;) {
      const moved = await this.#journal
        .lease(async () => {
          const isWanted = await this.#journal.read(runId, (run) => this.#isWanted(run, effect));
          return isWanted ? this.#swap(effect.candidate) : undefined;
        })
        .catch(passingFailure);
      // Between the move and the word about it much can happen.
      if (moved) await this.#process.pause(random.between(0, 40));
      if (moved) return moved;
      if (signal.aborted) return gitFailed();
      await this.#process.pause(10);
    }
  }

  #isWanted(run: Run, { task: id, key }: TaskWork): boolean {
    const task = run.tasks.get(id);
    return task !== undefined && run.halt?.now !== true && effectOfAttempt(run, task)?.key === key;
  }

  #swap(candidate: Candidate): Report {
    const { git } = this.#sim;
    const { commit } = candidate;
    if (git.isAncestor(commit, git.tip)) {
      this.#sim.saw("found merged already");
      return saying({ ok: true, merged: { commit, tip: git.tip } });
    }
    const before = git.tip;
    if (git.move(candidate)) {
      const { name } = this.#process;
      const isKept = git.isAncestor(before, commit);
      this.#sim.check(isKept, "G3 overwritten", () => `${before} is gone: the branch was moved to ${commit}`);
      const isHeld = this.#sim.holder === name;
      this.#sim.check(isHeld, "X17 moved", () => `${name} moved the branch of ${this.#sim.holder}`);
      this.#sim.note(`${this.#process.name} moves the branch to ${commit}`);
      this.#sim.moved?.(this.#process);
      return saying({ ok: true, merged: { commit, tip: commit } });
    }
    this.#sim.saw("branch moved by somebody");
    const why = { error: "somebody moved it", category: "conflict", subcategory: null, retryable: true };
    return saying({ ok: false, kind: "branch-moved", ...why, tip: git.tip });
  }

  async #carry(work: Work, signal: AbortSignal, perform: () => Promise<Report>): Promise<Outcome> {
    const key = identityOf(work);
    this.#sim.note(`${this.#process.name} carries out ${key}`);
    // The branch may come back to a tip after something else was prepared: that is another merge.
    const once = "earlier" in work && work.earlier !== null ? `${key} after ${work.earlier}` : key;
    const isAnswered = this.#answered.has(once);
    this.#sim.check(!isAnswered, "X17 carried twice", () => `${key} was started again after its answer`);
    this.#sim.check(!this.#underway.has(key), "X17 side by side", () => `${key} was started beside itself`);
    this.#underway.set(key, signal);
    try {
      await this.#process.pause(this.#sim.random.between(0, 3));
      await this.#mayDie("before", work);
      const { outcome, said } = await this.#whereItIs(perform);
      await this.#mayDie("after", work);
      // What was ended has nothing to say, so a word of it that counts anyway will be missed here.
      if (!signal.aborted) this.#agents.say(work, said);
      return outcome;
    } catch (error) {
      if (!signal.aborted) this.#agents.say(work, { ok: false, good: false, digest: "" });
      throw error;
    } finally {
      this.#underway.delete(key);
      if (signal.aborted) this.#ended.add(key);
      else this.#answered.add(once);
    }
  }

  /** What is carried out where a place is missing, and what was done there already: both are told as nothing but that. */
  async #whereItIs(perform: () => Promise<Report>): Promise<Report> {
    const { random, faults } = this.#sim;
    if (!random.chance(faults.placeGone)) return perform();
    if (random.chance(0.5)) await perform();
    return placeGone();
  }

  /** What an earlier one kept is found; nobody pays for it, and nothing of it hangs. */
  async #lookAtBaseline(
    { number, key, commit }: Extract<Effect, { kind: "check-baseline" }>,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const { random } = this.#sim;
    const identity = `check-baseline#${number}@${/@(\d+)$/.exec(key)?.[1]}`;
    this.#sim.check(
      !this.#underway.has(identity),
      "X23 side by side",
      () => `${identity} was started beside itself`,
    );
    this.#underway.set(identity, signal);
    try {
      await this.#process.pause(random.between(1, 60));
      await this.#mayDie("before", { kind: "check-baseline" });
      const outcome = this.#seenOfBaseline(commit);
      await this.#process.pause(random.between(0, 60));
      await this.#mayDie("after", { kind: "check-baseline" });
      return outcome;
    } finally {
      this.#underway.delete(identity);
      if (signal.aborted) this.#ended.add(identity);
      else this.#answered.add(identity);
    }
  }

  #seenOfBaseline(commit: string): Outcome {
    const { random, faults, git, saidOfBaseline } = this.#sim;
    const tree = git.commit(commit)?.tree ?? "";
    if (this.#sim.isBaselineKept) this.#sim.saw("found what was seen of the base");
    const isGone = random.chance(faults.placeGone);
    const stops =
      !isGone && !this.#sim.isBaselineKept && random.chance(faults.baselineStops) ? "it cannot run" : null;
    saidOfBaseline.add(JSON.stringify(isGone ? ["the target is missing", null] : [stops, tree]));
    if (isGone) return placeGone().outcome;
    this.#sim.isBaselineKept ||= stops === null;
    return { ok: true, baseline: { tree, checks: [], stops } };
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
    await this.#journal.lease(async () => {
      const position = await this.#journal.read(runId, (run) => run.position);
      const { viewPosition } = this.#sim;
      this.#sim.check(
        position >= viewPosition,
        "C3 view",
        () => `view went from ${viewPosition} to ${position}`,
      );
      this.#sim.viewPosition = position;
    });
  }

  /** Where it hurts most, it happens more often. */
  async #mayDie(when: "before" | "after", { kind }: { readonly kind: Effect["kind"] }): Promise<void> {
    const share = kind === "move-branch" || kind === "prepare-merge" ? 4 : 1;
    if (!this.#sim.random.chance(this.#sim.faults.crashAtEffect * share)) return;
    this.#sim.saw("died at an effect");
    this.#sim.crash(this.#process, `${when} an effect`);
    await new Promise<never>(() => {});
  }
}

const environment = { category: "environment", subcategory: null, retryable: true } as const;

const gitFailed = () => saying({ ok: false, kind: "failed", error: "git could not do it", ...environment });

const placeGone = () => saying({ ok: false, kind: "place", error: "the target is missing", ...environment });

const lost = () => saying({ ok: false, kind: "lost", error: "its agent died", ...environment });

function passingFailure(error: unknown): undefined {
  if (!(error instanceof StoreFailure)) throw error;
}

// The room of coordinators that stand by for one another: who drives which run, when one is silent, and what of its disk another
// one needs. It sees the engine, the journal and the host, and no protocol; orders are carried out by the carriers that it is given.
//
// This file: `heddle serve`: a coordinator. It drives every run of the project that can go on, stands by for those that another one drives, and
// takes them over when that one is gone or silent. Whoever was replaced finds its epoch over, writes nothing more, and ends.
import { setTimeout as sleep } from "node:timers/promises";
import { isAtRest } from "../core/idle.ts";
import { type Problem, problem, Refused } from "../core/problem.ts";
import type { Run } from "../core/run.ts";
import type { Holder } from "../core/run-parts.ts";
import type { App } from "../engine/app.ts";
import { silenceOf } from "../engine/ask-holder.ts";
import type { Serving } from "../engine/drive.ts";
import { Replaced } from "../engine/hold.ts";
import { systemClock } from "../host/clock.ts";
import { isAlive, isElsewhere, isSameProcess, thisProcess } from "../host/program/process.ts";
import { type RunSummary, type SeenSign, StoreFailure } from "../journal/journal.ts";
import { Life } from "../journal/life.ts";
import { answerLooks, lookEveryMs, Vigil } from "./silence.ts";

export interface Coordinator {
  /** For looking; each run is driven with an App of its own. */
  readonly app: App;
  readonly open: (run: string) => Promise<App>;
  /** Whether runs like this one are driven at all. */
  readonly isServed: (run: RunSummary) => boolean;
  readonly drive: (app: App, run: RunSummary, serving: Serving) => Promise<string>;
  readonly say: (line: string) => void;
  readonly warn: (problem: Problem) => void;
  /** Aborted: what is driven here is let go, for another. */
  readonly signal: AbortSignal;
}

/** What is known of a run from one look to the next. */
interface Known {
  readonly vigil: Vigil;
  /** Where it was when driving it ended; the same again comes to the same. */
  restedAt?: number;
  /** What was said of it last: nothing is said twice. */
  said?: string;
  notBefore?: number;
}

/** After something that will be so again in a moment. */
const againMs = 10_000;

export async function serve(coordinator: Coordinator): Promise<void> {
  const life = new Life(coordinator.app.journal, thisProcess(), { serves: true });
  await life.during(undefined, () => new Coordination(coordinator, life).run());
}

class Coordination {
  readonly #to: Coordinator;
  readonly #life: Life;
  readonly #known = new Map<string, Known>();
  readonly #driven = new Map<string, Promise<void>>();
  /** Why this process ends: others have what was driven here, or something is wrong with heddle itself. */
  #over: { readonly error: unknown } | undefined;
  readonly #ended = new AbortController();
  readonly #letGo: AbortSignal;

  constructor(to: Coordinator, life: Life) {
    this.#to = to;
    this.#life = life;
    this.#letGo = AbortSignal.any([to.signal, this.#ended.signal]);
  }

  async run(): Promise<void> {
    let told = "";
    while (!this.#letGo.aborted) {
      const failed = await this.#look().then(
        () => undefined,
        (error) => failureOf(error) ?? this.#end(error),
      );
      if (failed && failed.message !== told) this.#to.warn(failed);
      told = failed?.message ?? "";
      await sleep(lookEveryMs, undefined, { signal: this.#letGo }).catch(() => {});
    }
    await Promise.all(this.#driven.values());
    if (this.#over) throw this.#over.error;
  }

  #end(error: unknown): undefined {
    this.#over ??= { error };
    this.#ended.abort();
  }

  async #look(): Promise<void> {
    const { app, isServed } = this.#to;
    const runs = (await app.journal.runs()).filter((run) => !run.archived && isServed(run));
    const others = runs.filter(({ id }) => !this.#driven.has(id));
    if (others.length === 0) return;
    const signs = (await app.journal.signs?.seen()) ?? [];
    const isBlocked = (await app.journal.signs?.isBlocked()) ?? false;
    for (const run of others) await this.#lookAt(run, signs, isBlocked);
  }

  async #lookAt(run: RunSummary, signs: readonly SeenSign[], isBlocked: boolean): Promise<void> {
    const { app } = this.#to;
    const known = this.#known.get(run.id) ?? { vigil: new Vigil() };
    this.#known.set(run.id, known);
    await app.packs.load(run.protocol, app.paths.heddle);
    const { holder, epoch, position, canGoOn } = await app.journal.read(run.id, standing);
    if (!canGoOn || known.restedAt === position || performance.now() < (known.notBefore ?? 0)) return;
    if (holder === null) return this.#take(run, known);
    if (!isAlive(holder)) {
      this.#tell(run, known, `${named(holder)} is gone`);
      return this.#take(run, known);
    }
    known.vigil.look({ epoch, holder }, signs, isBlocked);
    if (isElsewhere(holder) || !isSameProcess(holder, thisProcess()))
      this.#tell(run, known, `${named(holder)} drives it; standing by`);
    if (known.vigil.isInTheWay) await this.#free(run, known, holder);
    else if (known.vigil.isQuiet) await this.#ask(run, known, { holder, epoch });
  }

  async #ask(
    run: RunSummary,
    known: Known,
    { holder, epoch }: { readonly holder: Holder; readonly epoch: number },
  ): Promise<void> {
    const driven = await this.#to.open(run.id);
    const { journal } = driven;
    const asking = { journal, run: run.id, by: "orchestrator", clock: systemClock, looks: answerLooks };
    try {
      if (!(await silenceOf(asking, epoch))) {
        known.vigil.answered();
        driven.close();
        return;
      }
    } catch (error) {
      driven.close();
      throw error;
    }
    this.#tell(run, known, `${named(holder)} shows no sign of life`);
    this.#take(run, known, driven);
  }

  /** Only what it holds is taken from one who stands still: a session of the server's, or, where there is only a file, its life. */
  async #free(run: RunSummary, known: Known, holder: Holder): Promise<void> {
    const { signs } = this.#to.app.journal;
    if (signs?.unblock) return signs.unblock();
    if (isElsewhere(holder)) return;
    this.#tell(run, known, `${named(holder)} stands still with the journal locked: ending it`);
    try {
      process.kill(holder.pid, "SIGKILL");
    } catch {
      // It is gone by now.
    }
  }

  #take(run: RunSummary, known: Known, opened?: App): void {
    this.#driven.set(
      run.id,
      this.#drive(run, known, opened).finally(() => this.#driven.delete(run.id)),
    );
  }

  async #drive(run: RunSummary, known: Known, opened?: App): Promise<void> {
    const { open, drive, say } = this.#to;
    let app = opened;
    try {
      app ??= await open(run.id);
      const serving = { life: this.#life, letGo: this.#letGo, looks: answerLooks };
      const what = await drive(app, run, serving);
      known.restedAt = await app.journal.read(run.id, ({ position }) => position);
      delete known.said;
      if (what !== "") say(what);
    } catch (error) {
      this.#failed(run, known, error);
    } finally {
      app?.close();
    }
  }

  #failed(run: RunSummary, known: Known, error: unknown): void {
    const { warn } = this.#to;
    const failure = failureOf(error);
    if (error instanceof Replaced || !failure) {
      this.#end(error);
      return;
    }
    const problems = error instanceof Refused ? error.problems : [failure];
    // Another was faster: it is stood by for.
    if (problems.some(({ code }) => code === "held")) return;
    known.notBefore = performance.now() + againMs;
    const text = problems.map(({ message }) => message).join("\n");
    if (known.said === text) return;
    known.said = text;
    for (const each of problems) warn({ ...each, message: `${run.id}: ${each.message}` });
  }

  #tell({ id }: RunSummary, known: Known, what: string): void {
    if (known.said === what) return;
    known.said = what;
    this.#to.say(`${id}: ${what}`);
  }
}

const named = ({ pid, host }: Holder) => `process ${pid} on ${host}`;

/** As whoever drives all of it would find it: what an earlier command was asked to stop at does not count. */
function standing(run: Run) {
  const { holder, epoch, position, halt } = run;
  const whole: Run = { ...run, until: null, within: null, only: null };
  return { holder: holder && { ...holder }, epoch, position, canGoOn: halt === null && !isAtRest(whole) };
}

/** The world's failures are waited out. Nothing for what is no failure of the world's. */
function failureOf(error: unknown): Problem | undefined {
  if (error instanceof StoreFailure) return error.problem;
  if (error instanceof Refused) return error.problems[0];
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  return code !== undefined && syscall !== undefined ? problem("world", message) : undefined;
}

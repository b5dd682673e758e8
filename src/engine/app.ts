// The one door in. An App is a directory opened: surfaces submit inputs and look at runs through it, and views
// and logs follow every change.
import { dirname, join } from "node:path";
import type { Entry } from "../core/fact.ts";
import type { Input } from "../core/input.ts";
import { type Problem, problem, Refused } from "../core/problem.ts";
import type { Run } from "../core/run.ts";
import { carryOut, type Draft, step } from "../core/step.ts";
import { wallClock } from "../host/clock.ts";
import { isThereItself, isUsable, makeFolder, replaceFile, sweep } from "../host/files.ts";
import { distrustProject } from "../host/program/programs.ts";
import { enter } from "../host/underway.ts";
import { nameRun } from "../journal/chain.ts";
import {
  type Committed,
  type Journal,
  type Journals,
  type NewRun,
  type Range,
  type RunSummary,
  StoreFailure,
} from "../journal/journal.ts";
import { type Drift, repairedProblem } from "../published/drift.ts";
import {
  type Drifted,
  driftFrom,
  type FileWork,
  isAway,
  isGone,
  lookOutside,
  noticeStopFile,
  type Outside,
  placeOf,
  type RunPlace,
  stopFileIn,
} from "../published/outside.ts";
import { type Before, eventsFor, publishRun, wholeView } from "../published/write-view.ts";
import { activeRuns, type Choice, chooseRun, readable } from "./choose-run.ts";
import type { Packs } from "./packs.ts";
import { foldersOf, ownFolders, type Paths, pathsIn } from "./paths.ts";

export { Refused };

export interface AppOptions {
  readonly root: string;
  /** Who acts: it stands in every entry. */
  readonly by: string;
  readonly run?: string | undefined;
  readonly packs: Packs;
  /** Where the journal of the project is kept. */
  readonly journals: Journals;
  readonly now?: () => string;
  /** What went wrong beside the state itself: a view that could not be written. */
  readonly warn?: (problem: Problem) => void;
}

/** What is needed to open a project at all. */
export type Opening = Pick<AppOptions, "root" | "packs" | "journals">;

interface Submission {
  /** Also when the view was edited. */
  readonly over: boolean;
  /** What happens before it, when it may be; what that objects to is a refusal. */
  readonly before?: (outside: Outside) => Promise<readonly Problem[]>;
  /** What belongs to the same decision. */
  readonly more?: readonly Input[];
}

interface Creating extends Pick<NewRun, "alone"> {
  readonly prepare?: (run: string) => void;
}

export class App {
  readonly paths: Paths;
  readonly journal: Journal;
  readonly #options: AppOptions;
  #run: string | undefined;
  #among: string | undefined;
  #looks = false;
  #named: string | undefined;
  readonly #places = new Map<string, RunPlace>();

  constructor(options: AppOptions, journal: Journal) {
    this.#options = options;
    this.#named = options.run;
    this.paths = pathsIn(options.root);
    this.journal = journal;
  }

  /** Opens the project's journal; where there is none, that is a `StoreFailure`. */
  static async open(options: AppOptions): Promise<App> {
    const { root, packs, journals, now = wallClock, warn } = options;
    const paths = pathsIn(root);
    distrustProject(root, ownFolders(paths));
    enter(paths.heddle);
    return new App(options, await journals.open({ root, protocols: packs.named, now, warn }));
  }

  get packs(): Packs {
    return this.#options.packs;
  }

  /** What opens this project, or another one, in the same way. */
  get opening(): Opening {
    const { root, packs, journals } = this.#options;
    return { root, packs, journals };
  }

  close(): void {
    this.journal.close();
  }

  /** The run that a command is about: the one that was named, or the only one that is active. */
  async run(): Promise<string> {
    if (this.#run === undefined) {
      const { id, protocol } = await chooseRun(this.#choice());
      await this.packs.load(protocol, this.paths.heddle);
      this.#run = id;
    }
    return this.#run;
  }

  #choice(): Choice {
    const { journal, packs, paths } = this;
    const [named, among, looks] = [this.#named, this.#among, this.#looks];
    return { journal, packs, heddle: paths.heddle, named, among, looks };
  }

  /** For commands that are about one protocol: only its runs are chosen from. `run`: one that was named. */
  choosing({
    protocol,
    run,
    looks,
  }: {
    readonly protocol?: string | undefined;
    readonly run?: string | undefined;
    readonly looks?: boolean;
  }): this {
    this.#looks = looks ?? this.#looks;
    this.#among = protocol ?? this.#among;
    this.#named = run ?? this.#named;
    if (run !== undefined && run !== this.#run) this.#run = undefined;
    return this;
  }

  /** Without a run that was named: of these protocols the first that has one is meant. */
  async preferring(...order: readonly string[]): Promise<this> {
    if (this.#named !== undefined) return this;
    const active = (await activeRuns(this.#choice(), await this.journal.runs())).map(
      ({ protocol }) => protocol,
    );
    this.#among = order.find((protocol) => active.includes(protocol)) ?? this.#among;
    return this;
  }

  warn(problem: Problem): void {
    this.#options.warn?.(problem);
  }

  /** Whether there is a run that commands can be about. One that was named counts: if it is not there, that is said. */
  async hasRun(): Promise<boolean> {
    return (
      this.#named !== undefined || (await activeRuns(this.#choice(), await this.journal.runs())).length > 0
    );
  }

  /** Looks at the run. What was done to its view by hand stops here; what merely fell behind is fixed. */
  async look<T>(look: (run: Run) => T): Promise<T> {
    const run = await this.run();
    let found = await this.#lookOnce(run, look);
    // Another process may have written after this one had looked at the view: then a second look is level.
    if (found.drift === "ahead" || found.drift === "edited") found = await this.#lookOnce(run, look);
    if (found.problem) throw new Refused([found.problem]);
    const { drift } = found;
    if (drift === "missing" || drift === "broken") {
      await this.submit({ kind: "repair-view", view: "state.json", was: drift });
      this.#options.warn?.(repairedProblem((await this.placeOf(run)).view, drift));
    } else if (drift === "stale") await this.publish(run);
    return found.result;
  }

  async #lookOnce<T>(run: string, look: (run: Run) => T): Promise<Drifted & { readonly result: T }> {
    const outside = await this.outside(run);
    return this.journal.read(run, (state) => {
      const { drift, problem: found } = driftFrom(state, outside);
      return { drift, problem: found, result: look(state) };
    });
  }

  async outside(run: string): Promise<Outside> {
    const seen = lookOutside(await this.placeOf(run), this.paths.heddle);
    return { ...seen, events: await eventsFor(this.journal, run, seen.text) };
  }

  async placeOf(run: string): Promise<RunPlace> {
    const known = this.#places.get(run) ?? (await this.journal.read(run, placeOf));
    this.#places.set(run, known);
    return known;
  }

  /** Submits one input. Throws `Refused` when it may not be; otherwise it is durable, and the views show it. */
  async submit(input: Input): Promise<Committed> {
    return this.submitTo(await this.run(), input);
  }

  /** Submits although the view was edited: for the command that settles that. */
  async submitOver(input: Input): Promise<Committed> {
    return this.#submit(await this.run(), input, { over: true });
  }

  async submitTo(run: string, input: Input): Promise<Committed> {
    return this.#submit(run, input, { over: false });
  }

  /**
   * Submits an input together with work on files that must happen exactly when the input is accepted, and while no other
   * command can come between. `look` says what of the state the work is about; what the work objects to is a refusal.
   */
  async submitWith<T>(input: Input, { look, work }: FileWork<T>): Promise<Committed> {
    const run = await this.run();
    const before = async (outside: Outside) => {
      const isOpen = (state: Run) => {
        const { drift, problem: found } = driftFrom(state, outside);
        return drift !== "edited" && !found && step(state, input).problems.length === 0;
      };
      const found = await this.journal.read(run, (state) =>
        isOpen(state) ? { about: look(state) } : undefined,
      );
      return found ? work(found.about) : [];
    };
    return this.#submit(run, input, { over: false, before });
  }

  /** Submits several inputs as one: all of them are durable, or none is. */
  async submitAll(inputs: readonly [Input, ...Input[]]): Promise<Committed> {
    const [first, ...more] = inputs;
    return this.#submit(await this.run(), first, { over: false, more });
  }

  #submit(run: string, input: Input, submission: Submission): Promise<Committed> {
    return this.journal.lease(() => this.#submitInTurn(run, input, submission));
  }

  async #submitInTurn(
    run: string,
    input: Input,
    { over, before, more = [] }: Submission,
  ): Promise<Committed> {
    const outside = await this.outside(run);
    const objections = (await before?.(outside)) ?? [];
    if (objections.length > 0) throw new Refused(objections);
    let seen: Drifted = { drift: "none", problem: undefined };
    const committed = await this.journal.transact({ run }, this.#options.by, (draft) => {
      seen = driftFrom(draft.run, outside);
      if (seen.problem && !over) throw new Refused([seen.problem]);
      if (input.kind !== "repair-view" && isGone(seen.drift))
        carryOut(draft, { kind: "repair-view", view: "state.json", was: seen.drift });
      noticeStopFile(draft, input, outside);
      const problems = carryOut(draft, input);
      return problems.length > 0 ? problems : carryAll(draft, more);
    });
    const { position, touched, problems } = committed;
    const { drift, text } = seen;
    // A refused adoption must leave the edit where it is.
    if (problems.length === 0 || !over)
      await this.#publish(run, text === undefined || !touched ? undefined : { text, position, touched });
    if (problems.length > 0) throw new Refused(problems);
    if (input.kind !== "repair-view" && isGone(drift))
      this.#options.warn?.(repairedProblem(outside.place.view, drift));
    return committed;
  }

  /**
   * Makes a new run, all inputs in one transaction; `alone`: see `Target`. `prepare` makes what must be there before it
   * does, and is told the name that the run will have.
   */
  create(
    protocol: string,
    inputs: (run: string) => readonly Input[],
    { alone = false, prepare }: Creating = {},
  ): Promise<Committed> {
    return this.journal.lease(async () => {
      const table = await this.packs.load(protocol, this.paths.heddle);
      const others = (await this.journal.runs()).filter((run) => run.protocol === protocol);
      const isRefused = alone === true && others.some(({ archived }) => !archived);
      if (prepare && table && !isRefused) prepare(nameRun(table, others.length));
      const committed = await this.journal.transact({ protocol, alone }, this.#options.by, (draft) =>
        carryAll(draft, inputs(draft.run.id)),
      );
      if (committed.problems.length > 0) throw new Refused(committed.problems);
      this.#run = committed.run;
      await this.#publish(committed.run);
      return committed;
    });
  }

  /** Brings views and logs up to the journal. Best effort: the state itself is safe already (G10). */
  publish(run: string): Promise<void> {
    return this.journal.lease(() => this.#publish(run));
  }

  async #publish(run: string, before?: Before): Promise<void> {
    try {
      await this.#publishOnce(run, before).catch(async (error: unknown) => {
        if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
        await this.#makeFolders(run);
        await this.#publishOnce(run);
      });
    } catch (error) {
      if (error instanceof StoreFailure) throw error;
      const { code, message } = error as NodeJS.ErrnoException;
      this.#options.warn?.(
        problem(
          "stale-view",
          `the change is recorded, but state.json or the log could not be written (${code ?? message})`,
          { hint: [{ do: "restore-view" }, " writes it again"] },
        ),
      );
    }
  }

  /** A folder of ours is gone: it is made again, with what the journal knows. */
  async #makeFolders(run: string): Promise<void> {
    if (isUsable(this.paths.heddle)) makeFolder(dirname(this.paths.logs.text));
    const { planningDir } = await this.placeOf(run);
    const isFolderUsable = isUsable(planningDir);
    const folders = await this.journal.read(run, (state) =>
      isAway(state, { isFolderUsable }) ? [] : ["", ...foldersOf(state.protocol)],
    );
    for (const folder of folders) makeFolder(join(planningDir, folder));
  }

  async #publishOnce(run: string, before?: Before): Promise<void> {
    const [place, { journal, paths }] = [await this.placeOf(run), this];
    await publishRun({ journal, run, place, logs: paths.logs, before });
    for (const folder of [place.planningDir, paths.heddle]) sweep(folder);
  }

  /** Writes the view from the journal, whatever is there. */
  async restoreView(): Promise<Drift> {
    const run = await this.run();
    const outside = await this.outside(run);
    const was = await this.journal.read(run, (state) => driftFrom(state, outside).drift);
    if (was !== "none") await this.submitOver({ kind: "repair-view", view: "state.json", was });
    await this.writeView();
    return was;
  }

  async writeView(): Promise<void> {
    const run = await this.run();
    const { view } = await this.placeOf(run);
    await this.journal.lease(async () => replaceFile(view, await wholeView(this.journal, run)));
  }

  /** Does it while no command comes between, and only if the run, as it is then, is as it should be. */
  async inTurnIf<T>(isWanted: (run: Run) => boolean, work: () => T): Promise<T | undefined> {
    const run = await this.run();
    return this.journal.lease(async () => ((await this.journal.read(run, isWanted)) ? work() : undefined));
  }

  /** Whether a STOP file lies beside the view of the run. */
  async isStopped(): Promise<boolean> {
    return isThereItself(stopFileIn(await this.placeOf(await this.run())));
  }

  /** What keeps the run from being looked at, and where it stands by its row alone: its own protocol is broken. */
  async unreadable(): Promise<
    { readonly run: RunSummary; readonly problems: readonly Problem[] } | undefined
  > {
    const run = await chooseRun(this.#choice());
    const found = await readable(this.packs.load(run.protocol, this.paths.heddle));
    return found && "problems" in found ? { run, problems: found.problems } : undefined;
  }

  /** Proves the journal, every run of it; of one whose own protocol is broken, its chain. */
  async verify(): Promise<readonly Problem[]> {
    const names = new Set((await this.journal.runs()).map(({ protocol }) => protocol));
    const broken: Problem[] = [];
    for (const name of names) {
      const found = await readable(this.packs.load(name, this.paths.heddle));
      if (found && "problems" in found) broken.push(...found.problems);
    }
    return [...broken, ...(await this.journal.verify())];
  }

  async history(range?: Range): Promise<readonly Entry[]> {
    return this.journal.entries(await this.run(), range);
  }
}

/** All or nothing: a refusal in the middle takes the whole transaction back. */
function carryAll(draft: Draft, inputs: readonly Input[]): readonly Problem[] {
  const problems = inputs.flatMap((input) => carryOut(draft, input));
  if (problems.length > 0) throw new Refused(problems);
  return problems;
}

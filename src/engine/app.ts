// The one door in. An App is a directory opened: surfaces submit inputs and look at runs through it, and views
// and logs follow every change.
import { dirname, join } from "node:path";
import type { Entry } from "../core/fact.ts";
import type { Input } from "../core/input.ts";
import { type Problem, problem } from "../core/problem.ts";
import type { Run } from "../core/run.ts";
import { carryOut, type Draft, step } from "../core/step.ts";
import { writeLog, writeTranscript } from "../effects/write-log.ts";
import { type Before, writeView } from "../effects/write-view.ts";
import { wallClock } from "../host/clock.ts";
import { isThereItself, listFiles, makeFolder, readIfThere, replaceFile, sweep } from "../host/files.ts";
import { type Committed, type RunSummary, StoreFailure } from "../journal/journal.ts";
import { SqliteJournal } from "../journal/sqlite.ts";
import { stateText } from "../view/state-json.ts";
import { aheadProblem, type Drift, driftOf, editedProblem, repairedProblem } from "./drift.ts";
import { foldersOf, type Paths, pathsIn } from "./paths.ts";
import { loadProtocol, protocolNamed } from "./protocols.ts";
import { Refused } from "./refused.ts";

export { Refused };

export interface AppOptions {
  readonly root: string;
  /** Who acts: it stands in every entry. */
  readonly by: string;
  readonly run?: string | undefined;
  readonly now?: () => string;
  /** What went wrong beside the state itself: a view that could not be written. */
  readonly warn?: (problem: Problem) => void;
}

interface Submission {
  /** Also when the view was edited. */
  readonly over: boolean;
  readonly work?: (run: Run) => readonly Problem[];
  /** What belongs to the same decision. */
  readonly more?: readonly Input[];
}

export class App {
  readonly paths: Paths;
  readonly journal: SqliteJournal;
  readonly #options: AppOptions;
  #run: string | undefined;
  #among: string | undefined;
  #named: string | undefined;

  constructor(options: AppOptions) {
    this.#options = options;
    this.#named = options.run;
    this.paths = pathsIn(options.root);
    this.journal = new SqliteJournal({
      path: this.paths.database,
      root: options.root,
      protocols: protocolNamed,
      now: options.now ?? wallClock,
    });
  }

  close(): void {
    this.journal.close();
  }

  /** The run that a command is about: the one that was named, or the only one that is active. */
  async run(): Promise<string> {
    if (this.#run === undefined) {
      const { id, protocol } = await this.#choose();
      await loadProtocol(protocol, this.paths.heddle);
      this.#run = id;
    }
    return this.#run;
  }

  async #choose(): Promise<RunSummary> {
    const named = this.#named;
    const runs = await this.journal.runs();
    const active = await this.#active(runs);
    if (named !== undefined) {
      const found = runs.find((run) => run.id === named);
      if (found && (this.#among ?? found.protocol) !== found.protocol)
        throw new Refused([
          problem("other-protocol", `\`${named}\` is a run of \`${found.protocol}\`: this is not for it`, {
            hint: `heddle next --run ${named}`,
          }),
        ]);
      if (found) return found;
      throw new Refused([problem("unknown-run", `run \`${named}\` does not exist`, { hint: listed(runs) })]);
    }
    // A skill may be tuned beside the work, and a mission waits for what it handed over: commands that name no run are
    // about the work.
    const work = active.filter(({ protocol, phase }) => protocol !== "tuning" && phase !== "handed_over");
    const [only, ...others] = work.length > 0 ? work : active;
    if (only && others.length === 0) return only;
    if (!only)
      throw new Refused([
        this.#among === "lifecycle"
          ? problem("no-task", "there is no task yet", { hint: 'heddle task new "<brief>"' })
          : problem("no-run", "there is no run yet", {
              hint: 'heddle init <target>, or: heddle task new "<brief>"',
            }),
      ]);
    throw new Refused([problem("several-runs", "several runs are active", { hint: listed(active) })]);
  }

  /** Of several runs, those that are not at their end; when all are, all of them. */
  async #active(runs: readonly RunSummary[]): Promise<readonly RunSummary[]> {
    const mine = runs.filter(({ archived, protocol }) => !archived && (this.#among ?? protocol) === protocol);
    if (mine.length < 2) return mine;
    const open: RunSummary[] = [];
    for (const run of mine) {
      const table = await loadProtocol(run.protocol, this.paths.heddle);
      if (!table?.phases.find(({ name }) => name === run.phase)?.end) open.push(run);
    }
    return open.length > 0 ? open : mine;
  }

  /** For commands that are about one protocol: only its runs are chosen from. `run`: one that was named. */
  choosing({ protocol, run }: { readonly protocol?: string; readonly run?: string | undefined }): this {
    this.#among = protocol ?? this.#among;
    this.#named = run ?? this.#named;
    return this;
  }

  /** Without a run that was named: of these protocols the first that has one is meant. */
  async preferring(...order: readonly string[]): Promise<this> {
    if (this.#named !== undefined) return this;
    const active = (await this.#active(await this.journal.runs())).map(({ protocol }) => protocol);
    this.#among = order.find((protocol) => active.includes(protocol)) ?? this.#among;
    return this;
  }

  /** Whether there is a run that commands can be about. One that was named counts: if it is not there, that is said. */
  async hasRun(): Promise<boolean> {
    return this.#named !== undefined || (await this.#active(await this.journal.runs())).length > 0;
  }

  /** Looks at the run. What was done to its view by hand stops here; what merely fell behind is mended. */
  async look<T>(look: (run: Run) => T): Promise<T> {
    const run = await this.run();
    let found = await this.#lookOnce(run, look);
    // Another process may have written both after this one had read the state: then a second look is level.
    if (found.drift === "ahead") found = await this.#lookOnce(run, look);
    if (found.problem) throw new Refused([found.problem]);
    const { drift } = found;
    if (drift === "missing" || drift === "broken") {
      await this.submit({ kind: "repair-view", view: "state.json", was: drift });
      this.#options.warn?.(
        repairedProblem(await this.journal.read(run, (state) => this.viewPath(state)), drift),
      );
    } else if (drift === "stale") await this.publish(run);
    return found.result;
  }

  async #lookOnce<T>(
    run: string,
    look: (run: Run) => T,
  ): Promise<{ drift: Drift; problem: Problem | undefined; result: T }> {
    return this.journal.read(run, (state) => {
      const { drift, problem: found } = this.#driftOf(state);
      return { drift, problem: found, result: look(state) };
    });
  }

  #driftOf(run: Run): { drift: Drift; problem: Problem | undefined; text?: string | undefined } {
    // The place belongs to the active run: what lies there says nothing about an archived one.
    if (run.archived) return { drift: "none", problem: undefined };
    const path = this.viewPath(run);
    const text = readIfThere(path);
    const drift = driftOf(run, text);
    if (drift === "none") return { drift, problem: undefined, text };
    if (drift === "edited" && this.#isOriginal(text ?? "")) return { drift: "stale", problem: undefined };
    if (drift === "edited") return { drift, problem: editedProblem(run, text ?? "", path) };
    return { drift, problem: drift === "ahead" ? aheadProblem(run, path) : undefined };
  }

  /** Another program's view, imported but not yet replaced: a crash or another command came in between. */
  #isOriginal(text: string): boolean {
    const folder = join(this.paths.heddle, "imported");
    return listFiles(folder, ".json").some((name) => readIfThere(join(folder, name)) === text);
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
   * Submits an input together with work on files that must happen exactly when the input is accepted, and while no
   * other command can come between. What the work objects to is a refusal.
   */
  async submitWith(input: Input, work: (run: Run) => readonly Problem[]): Promise<Committed> {
    return this.#submit(await this.run(), input, { over: false, work });
  }

  /** Submits several inputs as one: all of them are durable, or none is. */
  async submitAll(inputs: readonly [Input, ...Input[]]): Promise<Committed> {
    const [first, ...more] = inputs;
    return this.#submit(await this.run(), first, { over: false, more });
  }

  async #submit(run: string, input: Input, { over, work, more = [] }: Submission): Promise<Committed> {
    let shown: string | undefined;
    let repaired: Problem | undefined;
    const committed = await this.journal.transact({ run }, this.#options.by, (draft) => {
      const { drift, problem: found, text } = this.#driftOf(draft.run);
      shown = text;
      if (found && !over) throw new Refused([found]);
      if (input.kind !== "repair-view" && (drift === "missing" || drift === "broken")) {
        carryOut(draft, { kind: "repair-view", view: "state.json", was: drift });
        repaired = repairedProblem(this.viewPath(draft.run), drift);
      }
      this.#noticeStopFile(draft, input);
      const objections = work && step(draft.run, input).problems.length === 0 ? work(draft.run) : [];
      if (objections.length > 0) return objections;
      const problems = carryOut(draft, input);
      return problems.length > 0 ? problems : carryAll(draft, more);
    });
    // A refused adoption must leave the edit where it is.
    const { position, touched } = committed;
    const before = shown === undefined || !touched ? undefined : { text: shown, position, touched };
    if (committed.problems.length === 0 || !over) await this.publish(run, before);
    if (repaired && committed.problems.length === 0) this.#options.warn?.(repaired);
    if (committed.problems.length > 0) throw new Refused(committed.problems);
    return committed;
  }

  /** A STOP file beside the view is a halt like any other (C10). */
  #noticeStopFile(draft: Draft, input: Input): void {
    if (input.kind === "resume" || draft.run.halt !== null || !this.stopFileThere(draft.run)) return;
    carryOut(draft, { kind: "halt", code: "stop_file", reason: "stop_file" });
  }

  /** Makes a new run, all inputs in one transaction; `alone`: the only active one of its protocol. */
  async create(
    protocol: string,
    inputs: (run: string) => readonly Input[],
    { alone = false } = {},
  ): Promise<Committed> {
    await loadProtocol(protocol, this.paths.heddle);
    const committed = await this.journal.transact({ protocol, alone }, this.#options.by, (draft) =>
      carryAll(draft, inputs(draft.run.id)),
    );
    if (committed.problems.length > 0) throw new Refused(committed.problems);
    this.#run = committed.run;
    await this.publish(committed.run);
    return committed;
  }

  /** Brings views and logs up to the journal. Best effort: the state itself is safe already (G10). */
  async publish(run: string, before?: Before): Promise<void> {
    try {
      await this.#publishOnce(run, before).catch(async (error: unknown) => {
        if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
        // A folder of ours is gone: it is made again, with what the journal knows.
        makeFolder(dirname(this.paths.logs.text));
        return this.journal
          .read(run, (state) => {
            for (const folder of ["", ...foldersOf(state.protocolName)])
              makeFolder(join(state.planningDir, folder));
          })
          .then(() => this.#publishOnce(run));
      });
    } catch (error) {
      if (error instanceof StoreFailure) throw error;
      const { code, message } = error as NodeJS.ErrnoException;
      this.#options.warn?.(
        problem(
          "stale-view",
          `the change is recorded, but state.json or the log could not be written (${code ?? message})`,
          { hint: "heddle state restore writes it again" },
        ),
      );
    }
  }

  #publishOnce(run: string, before?: Before): Promise<void> {
    return this.journal.exclusive(run, (state, since) => {
      // The place belongs to the active run: an archived one must not write over its view.
      if (!state.archived) writeView(state, this.viewPath(state), before);
      writeLog(state, since, this.paths.logs);
      if (state.protocolName !== "decomposition") writeTranscript(state, since);
      for (const folder of [state.planningDir, this.paths.heddle]) sweep(folder);
    });
  }

  /** Writes the view from the journal, whatever is there. */
  async restoreView(): Promise<Drift> {
    const run = await this.run();
    const was = await this.journal.read(run, (state) => this.#driftOf(state).drift);
    if (was !== "none") await this.submitOver({ kind: "repair-view", view: "state.json", was });
    await this.journal.exclusive(run, (state) => replaceFile(this.viewPath(state), stateText(state)));
    return was;
  }

  viewPath({ planningDir, protocol }: Pick<Run, "planningDir" | "protocol">): string {
    return join(planningDir, protocol.view ?? "state.json");
  }

  stopFileThere(run: Pick<Run, "planningDir">): boolean {
    return isThereItself(this.stopFile(run));
  }

  stopFile(run: Pick<Run, "planningDir">): string {
    return join(run.planningDir, "STOP");
  }

  /** Proves the journal, every run of it. */
  async verify(): Promise<readonly Problem[]> {
    for (const { protocol } of await this.journal.runs()) await loadProtocol(protocol, this.paths.heddle);
    return this.journal.verify();
  }

  async history(range?: { readonly after?: number; readonly upTo?: number }): Promise<readonly Entry[]> {
    return this.journal.entries(await this.run(), range);
  }
}

/** All or nothing: a refusal in the middle takes the whole transaction back. */
function carryAll(draft: Draft, inputs: readonly Input[]): readonly Problem[] {
  const problems = inputs.flatMap((input) => carryOut(draft, input));
  if (problems.length > 0) throw new Refused(problems);
  return problems;
}

function listed(runs: readonly { readonly id: string; readonly phase: string }[]): string {
  return runs.length === 0
    ? "heddle init <target>"
    : runs.map((run) => `--run ${run.id} (${run.phase})`).join(", ");
}

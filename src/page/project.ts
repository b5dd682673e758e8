// The room of the page in a browser: pure functions from a run to what is shown, and `http/`, which serves it. It reads the journal, listens
// where a person said, and changes no run: an order from the page is a command of `cli/`.
//
// The project as the page reads it: its runs, each folded once in memory and brought up to date when it is asked for or has changed.
// Reading changes nothing but what every look does.
import { statSync } from "node:fs";
import { basename, join } from "node:path";
import { find } from "../core/answer.ts";
import { fold, newRun } from "../core/apply.ts";
import { canBeIdle } from "../core/idle.ts";
import { isProblem, type Problem, problem } from "../core/problem.ts";
import type { Run, Task, TaskId } from "../core/run.ts";
import { App, Refused } from "../engine/app.ts";
import { wallClock } from "../host/clock.ts";
import { isThereItself, readHead } from "../host/files.ts";
import type { RunSummary } from "../journal/journal.ts";
import { driftFrom, lookOutside, placeOf, stopFileIn } from "../published/outside.ts";
import { eventText } from "../view/attach.ts";
import { reportDocument } from "../view/report/report.ts";
import { runReport } from "../view/report/run-report.ts";
import { documentSummary } from "../view/report/run-report-text.ts";
import { executionSummary } from "../view/report/summary.ts";
import { runTitle } from "../view/run-title.ts";
import { coordinatorsBeside } from "../watch/coordinators.ts";
import { idleSince } from "../watch/idle.ts";
import { transcript } from "../watch/transcript.ts";
import { type Beside, nothingBeside } from "./inbox.ts";
import { LiveRun } from "./live-run.ts";
import type * as Model from "./model.ts";
import { momentKinds, momentsPage } from "./moments.ts";
import { moneyKinds, moneyPage } from "./money.ts";
import { earlierId, taskRow } from "./rows.ts";
import { type Around, criticalOf, runEntry, runHead, runPage } from "./run-page.ts";
import type { Surface } from "./surface.ts";
import { nameAgents, readTask } from "./task-files.ts";
import { earlierPage, taskPage } from "./task-page.ts";
import { timelineKinds, timelinePage } from "./timeline.ts";
import { type Told, toldBy, toldKinds } from "./told.ts";

/** So many runs stay in memory. */
const mostLoaded = 16;

/** A run as it is, or was, with what the page knows of it. */
export interface Shown {
  readonly run: Run;
  readonly told: Told;
  readonly around: Around;
}

export class Project {
  readonly surface: Surface;
  readonly #loaded = new Map<string, LiveRun>();
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #titles = new Map<string, string>();
  readonly #edits = new Map<string, { readonly stamp: string; readonly view: Beside["view"] }>();
  #replay: Run | undefined;

  constructor(surface: Surface) {
    this.surface = surface;
  }

  get #app(): App {
    return this.surface.app;
  }

  /** Those that can be read: a project's own protocol may be broken. */
  async runs(): Promise<readonly RunSummary[]> {
    const { journal, packs, paths } = this.#app;
    const all = await journal.runs();
    const known = await Promise.all(
      all.map(async (run) => ({
        run,
        table: await packs.load(run.protocol, paths.heddle).catch(() => undefined),
      })),
    );
    return known.flatMap(({ run, table }) => (table ? [run] : []));
  }

  async summary(id: string): Promise<RunSummary> {
    const found = (await this.runs()).find((run) => run.id === id);
    if (found) return found;
    throw new Refused([problem("unknown-run", `run \`${id.slice(0, 100)}\` does not exist`)]);
  }

  async projectPage(): Promise<Model.ProjectPage> {
    const entries: { entry: Model.RunEntry; inbox: readonly Model.InboxItem[] }[] = [];
    for (const { id, archived } of await this.runs()) {
      if (archived) entries.push({ entry: await this.#archivedEntry(id), inbox: [] });
      else {
        const { run, around } = await this.now(id);
        entries.push({ entry: runEntry(run, around), inbox: runHead(run, around).inbox });
      }
    }
    const { root } = this.#app.paths;
    return {
      ...{ name: basename(root), root, version: this.surface.version },
      runs: entries.map(({ entry }) => entry).sort(byActivity),
      inbox: entries.flatMap(({ inbox }) => inbox).sort((a, b) => (a.since < b.since ? -1 : 1)),
    };
  }

  /** Read as it lies there: what is over is not kept in memory for a line in a list. */
  #archivedEntry(id: string): Promise<Model.RunEntry> {
    return this.#app.journal.read(id, (run) =>
      runEntry(run, { ...nothingBeside, title: this.#titleOf(run), idle: undefined }),
    );
  }

  async now(id: string): Promise<Shown> {
    const live = await this.live(id);
    const { run, told } = live;
    return { run, told, around: await this.#around(live) };
  }

  /** Loaded once, and brought up to date; one at a time for each run. */
  live(id: string): Promise<LiveRun> {
    const turn = (this.#turns.get(id) ?? Promise.resolve()).then(() => this.#bringUp(id));
    this.#turns.set(
      id,
      turn.catch(() => {}),
    );
    return turn;
  }

  async #bringUp(id: string): Promise<LiveRun> {
    const { journal } = this.#app;
    let live = this.#loaded.get(id);
    if (live) await live.advance(journal);
    else {
      await this.summary(id);
      live = await LiveRun.load(journal, id);
    }
    // The one that was asked for last is the last to be let go.
    this.#loaded.delete(id);
    this.#loaded.set(id, live);
    for (const other of [...this.#loaded.keys()].slice(0, -mostLoaded)) this.#loaded.delete(other);
    nameAgents(live, this.#app.paths.heddle);
    return live;
  }

  /** As it was brought up last: nothing is read for it. */
  async loaded(id: string): Promise<LiveRun> {
    return this.#loaded.get(id) ?? this.live(id);
  }

  /** Nobody looks: nothing is kept. */
  letGo(): void {
    this.#loaded.clear();
    this.#replay = undefined;
  }

  async #around(live: LiveRun): Promise<Around> {
    const { run, told } = live;
    const beside = await this.beside(run);
    const isIdle = !beside.isHeld && canBeIdle(run);
    const idle = isIdle ? await idleSince(this.#app.journal, run) : undefined;
    const title = this.#titleOf(run);
    return { ...beside, idle, told, title, last: run.position, critical: live.critical };
  }

  /** What the machine says of a run beside its journal. */
  async beside(run: Run): Promise<Beside> {
    if (run.archived) return nothingBeside;
    const { isThere, standingBy } = await coordinatorsBeside(this.#app.journal, run.holder);
    return {
      isHeld: isThere,
      standingBy: standingBy.map(({ pid, host }) => ({ pid, host })),
      stopFile: isThereItself(stopFileIn(run)),
      view: this.#editOf(run),
    };
  }

  /** Whether its view was edited: read again only when the file, or the run, is not as it was. */
  #editOf(run: Run): Beside["view"] {
    const place = placeOf(run);
    const file = statSync(place.view, { throwIfNoEntry: false });
    const stamp = `${run.position} ${file?.ino} ${file?.size} ${file?.mtimeMs}`;
    const known = this.#edits.get(run.id);
    if (known?.stamp === stamp) return known.view;
    const { drift, problem: found } = driftFrom(run, lookOutside(place, this.#app.paths.heddle));
    // One that is ahead belongs to a commit that is told in a moment.
    const isTold = found && drift === "edited";
    const view = isTold ? { message: found.message, notes: found.notes ?? [] } : null;
    this.#edits.set(run.id, { stamp, view });
    return view;
  }

  #titleOf(run: Run): string {
    const known = this.#titles.get(run.id);
    if (known !== undefined) return known;
    const { spec } = run.protocol.artifacts;
    const title = runTitle(run, () =>
      run.archived || spec === undefined ? "" : readHead(join(run.planningDir, spec), 400),
    );
    if (title !== run.protocolName) this.#titles.set(run.id, title);
    return title;
  }

  /** As it was after a position; without one, as it is. */
  async shown(id: string, at: number | undefined): Promise<Shown> {
    const { position: last } = await this.summary(id);
    if (at === undefined || at >= last) return this.now(id);
    const { run, told } = await this.#asItWas(id, at);
    const around: Around = {
      ...nothingBeside,
      ...{ isHeld: run.holder !== null, idle: undefined, told, last },
      ...{ title: this.#titleOf(run), critical: criticalOf(run) },
    };
    return { run, told, around };
  }

  /** Forwards from where the last replay stood, where that is possible: a slider mostly moves on. */
  async #asItWas(id: string, at: number): Promise<{ readonly run: Run; readonly told: Told }> {
    const { journal, packs } = this.#app;
    const { protocol } = await this.summary(id);
    const table = packs.named(protocol);
    if (!table) throw new Error(`bug: no protocol ${protocol}`);
    const before = this.#replay?.id === id && this.#replay.position <= at ? this.#replay : undefined;
    const run = before ?? newRun(id, table);
    this.#replay = undefined;
    fold(run, await journal.entries(id, { after: run.position, upTo: at }));
    this.#replay = run;
    const told = toldBy(await journal.entries(id, { kinds: toldKinds, upTo: at }));
    nameAgents({ run, told }, this.#app.paths.heddle);
    return { run, told };
  }

  async runPage(id: string, at?: number): Promise<Model.RunPage> {
    const { run, around } = await this.shown(id, at);
    return runPage(run, around);
  }

  /** What a page at `since` must be told. */
  async change(id: string, since: number): Promise<Model.ChangeEvent> {
    const live = await this.live(id);
    const around = await this.#around(live);
    const { run, told } = live;
    const touched = live.touchedSince(since);
    const rows = touched?.flatMap((task) => {
      const found = run.tasks.get(task);
      return found ? [taskRow(found, told)] : [];
    });
    return { run: id, position: run.position, since, page: runHead(run, around), tasks: rows ?? null };
  }

  async taskPage(id: string, task: TaskId, at?: number): Promise<Model.TaskPage> {
    const { run, told, around } = await this.shown(id, at);
    const earlier = earlierIn(run, task);
    const found = earlier ?? taskIn(run, task).def;
    const live = await this.live(id);
    const entries = await live.entriesOf(this.#app.journal, found.id, run.position);
    const { attempts, commit } = earlier ?? taskIn(run, task);
    const read = await readTask(
      this.about(id),
      { run, task: { id: found.id, attempts, commit } },
      { entries, ...(earlier && { plan: earlier.plan }) },
    );
    if (earlier) return earlierPage(read.document, read.files);
    const isPast = run.position < around.last;
    return taskPage(run, taskIn(run, task), { ...read, entries, told, idle: around.idle, isPast });
  }

  /** The run as a whole. What its documents say is known of the present alone. */
  async reportPage(id: string, at?: number): Promise<Model.ReportPage> {
    const { run, around } = await this.shown(id, at);
    const entries = await this.#app.journal.entries(id, { upTo: run.position });
    const written = { entries, writtenAt: wallClock() };
    if (run.protocol.own?.reportOfAttempts === true)
      return executionSummary(reportDocument(run, { ...written, ...noFiles }));
    const isPast = run.position < around.last;
    const files = isPast ? noDocuments : await this.surface.documents(run);
    return documentSummary(runReport(run, { ...written, ...files }));
  }

  /** An App about one run, on the same journal. */
  about(run: string): App {
    return new App({ ...this.#app.opening, by: "page", run }, this.#app.journal);
  }

  async timelinePage(id: string, at?: number): Promise<Model.TimelinePage> {
    const { run, told } = await this.shown(id, at);
    const entries = await this.#app.journal.entries(id, { upTo: run.position, kinds: timelineKinds });
    return timelinePage(run, entries, told);
  }

  async moneyPage(id: string, at?: number): Promise<Model.MoneyPage> {
    const { run } = await this.shown(id, at);
    return moneyPage(run, await this.#app.journal.entries(id, { upTo: run.position, kinds: moneyKinds }));
  }

  async momentsPage(id: string): Promise<Model.MomentsPage> {
    const { position } = await this.summary(id);
    return momentsPage(await this.#app.journal.entries(id, momentKinds), position);
  }

  async coveragePage(id: string, at?: number): Promise<Model.CoveragePage> {
    const { run } = await this.shown(id, at);
    return (await this.surface.coverage(run)) ?? { specification: null, requirements: [] };
  }

  async transcriptPage(id: string, of: Attempted, after: number): Promise<Model.TranscriptPage> {
    const { run } = await this.now(id);
    const found = await transcript(this.about(id), `${of.task}#${of.attempt}`, "work");
    if (isProblem(found)) throw new Refused([found]);
    const task = run.tasks.get(of.task);
    const lines = found.events.slice(after, after + mostLines);
    return {
      lines: lines.map((event) => ({ kind: event.kind, text: eventText(event, { color: false }) })),
      next: after + lines.length,
      live: task?.state === "running" && task.attempts === of.attempt,
    };
  }
}

export interface Attempted {
  readonly task: TaskId;
  readonly attempt: number;
}

const mostLines = 2000;

/** The whole is told without a look at the disk. */
const noFiles = { agents: new Map(), claims: new Map(), diffs: new Map() };
const noDocuments = { documents: {}, difference: null };

const earlierIn = (run: Run, id: string) =>
  (run.protocol.own?.earlier?.(run) ?? []).find((each) => earlierId(each) === id);

function taskIn(run: Run, id: TaskId): Task {
  const found: Task | Problem = find(run, id);
  if (isProblem(found)) throw new Refused([found]);
  return found;
}

/** Active ones first, then the newest. */
function byActivity(a: Model.RunEntry, b: Model.RunEntry): number {
  const isOver = ({ archived, standing }: Model.RunEntry) => Number(archived || standing === "done");
  return isOver(a) - isOver(b) || (a.updatedAt < b.updatedAt ? 1 : -1);
}

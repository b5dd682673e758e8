// The room of the journal: the append-only log behind one port, with a store each for SQLite, Postgres and memory. No other
// room knows what is behind the port (`cli/composition.ts` names the store); it folds facts, and decides nothing.
//
// The journal: an append-only log of facts per run, and the one place where a run changes. Small and
// asynchronous, so that a shared store can stand behind it; `suite` in test/journal proves every implementation.
import type { Entry, FactKind } from "../core/fact.ts";
import { type Problem, problem } from "../core/problem.ts";
import type { Protocol } from "../core/protocol.ts";
import type { Run, TaskId } from "../core/run.ts";
import type { Holder } from "../core/run-parts.ts";
import type { Draft } from "../core/step.ts";

/** A run that exists, or a new one of a protocol: then the journal names it. */
export type Target = { readonly run: string } | NewRun;

export interface NewRun {
  readonly protocol: string;
  /** There may be no other active run of that protocol: none at all, or none whose files lie in that folder. */
  readonly alone?: boolean | { readonly folder: string };
}

export interface Committed {
  readonly run: string;
  readonly position: number;
  readonly entries: readonly Entry[];
  /** The tasks that were changed in any way; missing when some were dropped. */
  readonly touched?: readonly TaskId[] | undefined;
  /** What `decide` refused. Facts recorded beside a refusal are committed. */
  readonly problems: readonly Problem[];
}

/** A run was written to, and is at this position now, or was for a moment. */
export interface Change {
  readonly run: string;
  readonly position: number;
}

export interface RunSummary {
  readonly id: string;
  readonly protocol: string;
  readonly phase: string;
  readonly archived: boolean;
  readonly position: number;
}

export interface Range {
  readonly after?: number;
  readonly upTo?: number;
  readonly kinds?: readonly FactKind[];
  /** All but these. */
  readonly without?: readonly FactKind[];
}

export interface Journal {
  /** Files of this machine without which it cannot be written; none when it is elsewhere. */
  readonly files: readonly string[];

  runs(): Promise<readonly RunSummary[]>;

  /**
   * One transaction. Contract: `decide` is synchronous and sees the newest state; what it records is durable when
   * the promise resolves, all of it or nothing; when it throws, or the store fails, nothing is written.
   * Any number of processes may call it at once. `decide` is pure: a store may call it several times, with states that
   * differ, and only the last call counts; so it touches no file, starts no process, asks for the time once
   * at most, and what it leaves in variables of its caller it leaves anew at each call.
   */
  transact(target: Target, by: string, decide: (draft: Draft) => readonly Problem[]): Promise<Committed>;

  /** Looks at one consistent state, the newest. `look` is as pure as `decide`, and neither keeps nor changes the Run. */
  read<T>(run: string, look: (run: Run) => T): Promise<T>;

  /** Entries after position `after`, oldest first; `kinds`: only of these, and no other need be read. */
  entries(run: string, range?: Range): Promise<readonly Entry[]>;

  /**
   * What is written from now on. Contract: every commit of another process, and of another Journal of this one, is told
   * within 100 ms, in the order of its run, and several at once as the last of them; one's own may be told as well. Ends
   * when `signal` is aborted or the journal is closed, and never throws: a store that cannot be asked is asked again.
   */
  changes(signal: AbortSignal): AsyncIterable<Change>;

  /**
   * A turn at what lies around the journal: views, a branch, a person's files. Contract: one at a time has it, in whatever
   * process, and the others wait; `work` may use the journal and takes no other turn meanwhile; whoever dies has lost it.
   * A turn orders, and does not protect from one who lost it and does not know: so whatever is changed bears what was seen
   * (a view its position, a branch the tip that it is moved from), and the target compares that before it is changed.
   */
  lease<T>(work: () => Promise<T>): Promise<T>;

  /** Who is at work beside the log; none where a journal is a copy. */
  readonly signs?: Signs;

  /** Files that go with the log to other machines; none where the journal is a file of one machine. */
  readonly shared?: SharedFiles;

  /** Why nothing can be written now, where that is known without asking: a server is away, and waited for. */
  away?(): Problem | undefined;

  /** Waits no longer for a server that is away: whatever is asked of it then fails. */
  giveUp?(): void;

  /** Proves that the log is whole and that the stored state is its fold. Empty when all is well. */
  verify(): Promise<readonly Problem[]>;

  /** Writes all of it, as it is now, into a new file: a whole journal of its own. */
  copyTo(file: string): Promise<void>;

  /** May be called twice. */
  close(): void;
}

/** A process that orchestrates runs of the project, or stands by: no fact, because it is true only while it is shown again. */
export interface Sign {
  readonly by: Holder;
  readonly holds: readonly string[];
  /** It takes over runs whose orchestrator is gone. */
  readonly serves: boolean;
  /** Another with each sign. Whether somebody lives is told by that alone, so that no two clocks are compared. */
  readonly count: number;
}

export interface SeenSign extends Sign {
  /** By the clock of whoever keeps it; to be shown, and never to decide by. */
  readonly ageMs: number;
}

/** Signs of life beside the log, and what keeps a run from being taken from one who shows none any more. */
export interface Signs {
  show(sign: Sign): Promise<void>;
  seen(): Promise<readonly SeenSign[]>;
  drop(by: Holder): Promise<void>;

  /** Whether somebody has the turn, or the journal itself, at this moment. */
  isBlocked(): Promise<boolean>;

  /** Takes the turn from whoever has it. Missing where only the end of that process does. */
  unblock?(): Promise<void>;
}

/** A file as it is kept beside the log. */
export interface SharedFile {
  readonly name: string;
  readonly digest: string;
  /** The machine and the place that it came from last. */
  readonly from: string;
}

/** Files of a run that any machine can have; what each of them is called, and what it means, is for others to know. */
export interface SharedFiles {
  /** The newest of every name, in the order in which they came. */
  list(run: string): Promise<readonly SharedFile[]>;
  /** Whether a file of this name ever was like that: then it is not newer than what is kept. */
  wasThere(run: string, file: Pick<SharedFile, "name" | "digest">): Promise<boolean>;
  put(run: string, file: SharedFile & { readonly body: Uint8Array }): Promise<void>;
  get(run: string, file: Pick<SharedFile, "name" | "digest">): Promise<Uint8Array | undefined>;
}

/** What a journal needs to know of its surroundings. */
export interface Surroundings {
  /** Only tables that are loaded already: it is asked in the middle of a transaction. */
  readonly protocols: Protocols;
  readonly now: () => string;
  /** Told once whenever the journal waits for a server that is away. */
  readonly warn?: ((problem: Problem) => void) | undefined;
}

/**
 * Where the journals of projects are kept: the engine is given one and asks nobody else. A project is named by its root;
 * what a store makes of that is its own affair.
 */
export interface Journals {
  /** Whether the project has a journal. One that is damaged is there as well: opening it says so. */
  has(root: string): Promise<boolean>;

  /** Makes an empty journal. Repeatable; one that is there stays as it is, and of two makers either may be first. */
  create(root: string): Promise<void>;

  /** What kept a project from being made, in the words of this store. */
  unusable(root: string, error: unknown): unknown;

  /** What is said of a project that was there and whose journal is not, where that is no file of heddle's own. */
  missing?(root: string): Promise<StoreFailure | undefined>;

  /** Throws a `StoreFailure` when there is no journal, or none that can be trusted. */
  open(project: Surroundings & { readonly root: string }): Promise<Journal>;

  /** Tries on a disk, or with a server, whatever the journal of `root` relies on; `folder` is gone afterwards. */
  tryOut(folder: string, root: string): Promise<Trial>;

  readonly copies: JournalCopies;

  /** The store that a project's journal is in, and another one that it can be moved to: an address, or `sqlite`. */
  stores?(root: string, to: string): Promise<{ readonly from: Store; readonly to: Store }>;
}

/** A store that journals are moved out of and into, as whole copies in a file. */
export interface Store extends Journals {
  /** As a configuration names it; nothing for files on this machine. */
  readonly name: string | undefined;

  /**
   * Gives `work` a copy while nobody can write, and then refuses to be written to for ever, saying that it is at `to` now. Killed
   * before the end it is as it was; called again after the end, it does nothing.
   */
  leave(root: string, to: string, work: (copy: string) => Promise<void>): Promise<void>;

  /** Where the journal was moved to from here, if it was. */
  leftFor?(root: string): Promise<string | undefined>;

  /** Takes a copy in, all of it or nothing, proven to be equal. */
  take(root: string, copy: string): Promise<void>;
}

export interface Trial {
  readonly state: "ok" | "warn" | "fail";
  readonly what: string;
  readonly hint?: string;
}

/** Journals as files that a person keeps, and puts back. */
export interface JournalCopies {
  open(copy: Surroundings & { readonly file: string }): Promise<Journal>;

  /** Every file that may be beside a copy while somebody has it open: they go with it. */
  names(file: string): readonly string[];

  /** Where a copy waits to take the place of the project's journal; `by` tells apart who puts it there. */
  nameIn(root: string, by: string): string;

  /** Puts `incoming` in the place of the project's journal, and that into the folder `aside`. Repeatable at every step. */
  replace(root: string, incoming: string, aside: string | null): Promise<void>;
}

/** Resolves the name of a protocol to its table. */
export type Protocols = (name: string) => Protocol | undefined;

/** The store failed or cannot be trusted: nothing was changed, and nothing goes on before it is fixed. */
export class StoreFailure extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

export function notAlone(run: string): Problem {
  return problem("run-exists", `run \`${run}\` is active already`, {
    hint: [{ do: "show-status" }, "; --force archives it and starts over"],
  });
}

// The journal: an append-only log of facts per run, and the one place where a run changes. Small and
// asynchronous, so that a shared store can stand behind it; `suite` in test/journal proves every implementation.
import type { Entry, FactKind } from "../core/fact.ts";
import { type Problem, problem } from "../core/problem.ts";
import type { Protocol } from "../core/protocol.ts";
import type { Run, TaskId } from "../core/run.ts";
import type { Draft } from "../core/step.ts";

/**
 * A run that exists, or a new one of a protocol: then the journal names it. `alone`: there may be no other active
 * run of that protocol.
 */
export type Target = { readonly run: string } | { readonly protocol: string; readonly alone?: boolean };

export interface Committed {
  readonly run: string;
  readonly position: number;
  readonly entries: readonly Entry[];
  /** The tasks that were changed in any way; missing when some were dropped. */
  readonly touched?: readonly TaskId[] | undefined;
  /** What `decide` refused. Facts recorded beside a refusal are committed. */
  readonly problems: readonly Problem[];
}

export interface RunSummary {
  readonly id: string;
  readonly protocol: string;
  readonly phase: string;
  readonly archived: boolean;
  readonly position: number;
}

/** Entries after a position, oldest first; those of kinds that nobody asks for need not even be read. */
export type Since = (position: number, without?: readonly FactKind[]) => readonly Entry[];

export interface Journal {
  runs(): Promise<readonly RunSummary[]>;

  /**
   * One transaction. Contract: `decide` is synchronous and sees the newest state; what it records is durable when
   * the promise resolves, all of it or nothing; when it throws, or the store fails, nothing is written.
   * Any number of processes may call it at once.
   */
  transact(target: Target, by: string, decide: (draft: Draft) => readonly Problem[]): Promise<Committed>;

  /** Looks at one consistent state. The Run must not be kept or changed by `look`. */
  read<T>(run: string, look: (run: Run) => T): Promise<T>;

  /** Entries after position `after`, oldest first. */
  entries(
    run: string,
    range?: { readonly after?: number; readonly upTo?: number },
  ): Promise<readonly Entry[]>;

  /** Changes whenever another process has committed; cheap enough to ask every 50 ms. */
  version(): number;

  /** Looks at the newest state while every other writer waits: for views, which must take turns. */
  exclusive<T>(run: string, work: (run: Run, since: Since) => T): Promise<T>;

  /** Proves that the log is whole and that the stored state is its fold. Empty when all is well. */
  verify(): Promise<readonly Problem[]>;

  close(): void;
}

/** Resolves the name of a protocol to its table. */
export type Protocols = (name: string) => Protocol | undefined;

/** The store failed or cannot be trusted: nothing was changed, and nothing goes on before it is mended. */
export class StoreFailure extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

export function notAlone(run: string): Problem {
  return problem("run-exists", `run \`${run}\` is active already`, {
    hint: "heddle status; --force archives it and begins anew",
  });
}

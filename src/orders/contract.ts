// What is a protocol's own about those who work for it: about tasks, and about roles that look at the whole tree.

import type { Outcome } from "../core/input.ts";
import type { Problem } from "../core/problem.ts";
import type { Head, Run, Task, TaskId } from "../core/run.ts";
import type { Job } from "../core/run-parts.ts";
import type { Offer } from "../work/given/offers.ts";
import type { Skill } from "../work/given/skill.ts";
import type { Product } from "../work/product.ts";
import type { HandIn } from "../work/read-result.ts";
import type { Scope } from "../work/see-work.ts";
/** What is a protocol's own about its tasks: who works on them, what it is given and what it hands in. */
export interface TaskContract {
  readonly handIn: HandIn;
  /** Reads files, so it is given copies: no look at the journal waits for it. */
  readonly bundle: (
    run: Head,
    task: Task,
    order: ExecutorOrder,
  ) => { readonly text: string; readonly plain: string } | { readonly problems: readonly Problem[] };
  /** Where what was handed in is kept, for people and hosts. */
  readonly keptAt: (run: { readonly planningDir: string }, task: string) => string;
  /** What a task may change beside its declared files, when the configuration does not say. */
  readonly scope: Scope;
  /** Whether each task's commands are tried before it as well: whether they prove anything. */
  readonly looksBefore?: boolean;
  /** Whether a task may be complete without a change. */
  readonly mayBeIdle: boolean;
}

/** Of the attempt before, if there was one: its change as a patch, and the commands that were red. */
export interface Before {
  readonly diff: string | null;
  readonly red: readonly Readonly<Record<string, unknown>>[];
}

export interface ExecutorOrder extends Before {
  /** Where the agent works, in place of the target. */
  readonly target: string;
  readonly result: string;
  readonly skill: Skill;
  /** Whether heddle can be called from inside, over the attempt's socket. */
  readonly socket: boolean;
  /** The files that tasks before it made, and which of them did. */
  readonly madeBy: ReadonlyMap<string, TaskId>;
  readonly offers: ReadonlyMap<string, Offer>;
  /** The files that other tasks declare; null where there are too many tasks to read them all. */
  readonly others: ReadonlySet<string> | null;
}

/** What is a protocol's own about such roles: what they make, what they are given, what they may read. */
export interface RoleContract {
  /** `seen`: the commit that it had before it. */
  readonly product: (job: Job, run: Run, seen: string | null) => Product;
  readonly bundle: (run: Run, order: TreeOrder) => string;
  readonly readable: (run: Run) => readonly string[];
  /** What heddle itself does before the role begins; an outcome when it cannot begin. */
  readonly before?: (job: Job, signal: AbortSignal) => Promise<Outcome | undefined>;
}

export interface TreeOrder {
  readonly job: Job;
  readonly role: string;
  readonly skill: Skill;
  readonly bundle: string;
  readonly output: string;
  /** A copy of the project as it is on the run's branch. */
  readonly workspace: string;
  readonly previous?: string;
  readonly broken?: string;
}

// The room of protocols, each whole in a folder of its own behind one `Pack`. It may use `work`, `orders` and `engine`, never
// the other way round; a protocol that needs a place elsewhere needs a field of `Pack`.
//
// What a protocol is to the rest of heddle: one `Pack`, whole. `packs.ts` has the list of them, and outside of this folder
// no protocol is named. What every start reads of a pack is small; the rest is loaded when a run of it needs it.

import type { Call, Command, CommandFile, Reply } from "../command/command.ts";
import type { Problem } from "../core/problem.ts";
import type { Protocol } from "../core/protocol.ts";
import type { Run, TaskId } from "../core/run.ts";
import type { App } from "../engine/app.ts";
import type { Serving } from "../engine/drive.ts";
import type { Landed } from "../host/land/land.ts";
import type { Merging } from "../orders/land-branch.ts";
import type { HandIn } from "../work/read-result.ts";

export interface Pack {
  readonly name: string;
  /** Its table. Loaded for most of them only when a run is opened: a table costs a one-shot command a millisecond. */
  readonly protocol: Protocol | (() => Promise<Protocol>);
  /** Its runs have a graph of tasks, which the commands about tasks can be about. */
  readonly hasTasks?: boolean;
  /** In which phases a run is passed over by commands that name none: it goes on beside the work, or waits for other work. */
  readonly isBeside?: (phase: string) => boolean;
  /** A run of it begins with a brief alone (`heddle protocol start`); otherwise it has commands for that. */
  readonly beginsWithBrief?: boolean;
  /** That there is no run of it yet, in words of its own. */
  readonly noRun?: Problem;
  /** Its runs are tasks themselves: the command that lists them. */
  readonly runsAsTasks?: () => Promise<Command>;
  /** How what the executors of its tasks hand in is read. */
  readonly handIns?: () => Promise<readonly HandIn[]>;
  readonly commands: readonly CommandFile[];
  /** Those of its commands that a person at the prompt needs every day, in the order in which they are met. */
  readonly everyday: readonly string[];
  /** What is taken in before `heddle next` decides: what a person laid there. */
  readonly takeIn?: (app: App) => Promise<void>;
  /** How `heddle next` takes a run on; like one about documents otherwise. */
  readonly next?: (call: Call, app: App) => Promise<Reply>;
  /** Brings the person's checkout to what came of a run, where that is not its branch. */
  readonly land?: (app: App, merge?: Merging) => Promise<Landed>;
  /** Digests of the files that its rules look at, as they are now; those of its artifacts otherwise. */
  readonly digests?: (app: App) => Promise<Readonly<Record<string, string | null>>>;
  /** What `heddle serve` does with its runs, in these phases: drives one as far as it goes, and says what came of it. */
  readonly served?: {
    readonly phases: readonly string[];
    readonly drive: (call: Call, app: App, serving: Serving) => Promise<string>;
  };
  /** What of its specification is covered and proven, by a run as it is or was; nothing where there is none. */
  readonly coverage?: (run: Run) => Promise<Covered | null>;
}

export interface Covered {
  readonly specification: string;
  readonly requirements: readonly {
    readonly id: string;
    readonly text: string;
    readonly tasks: readonly TaskId[];
    readonly evidence: "proven" | "claimed" | "failed" | "open" | "uncovered";
    readonly detail: string | null;
  }[];
}

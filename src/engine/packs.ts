// The protocols that runs may follow, as far as the engine must know them. The surface gives them (`packs/packs.ts`): no
// protocol is named here, and none is loaded before a run of it is opened.
import type { Problem } from "../core/problem.ts";
import type { Protocol } from "../core/protocol.ts";
import type { Landed } from "../host/land/land.ts";
import type { App, AppOptions, Opening } from "./app.ts";

/** Where a plan was being copied from, and the copy that was not in its place yet. */
export interface TakenOver {
  readonly from: string;
  readonly aside: string;
}

export interface Packs {
  /** One that was loaded already: the journal needs it at once. */
  readonly named: (name: string) => Protocol | undefined;
  /** `heddleDir`: where the project keeps protocols of its own. Throws `Refused` when such a one is broken. */
  readonly load: (name: string, heddleDir?: string) => Promise<Protocol | undefined>;
  /** Whether commands that name no run pass over this one: it goes on beside the work, or waits for other work. */
  readonly isBeside: (run: { readonly protocol: string; readonly phase: string }) => boolean;
  /** That there is no run of this protocol yet, when it has words of its own for that. */
  readonly noRun: (name: string) => Problem | undefined;
  /** Digests of the files that the rules of the app's run look at, as they are now. */
  readonly digests: (app: App) => Promise<Readonly<Record<string, string | null>>>;
  /** Brings the person's checkout to what came of the app's run. */
  /** `merge`: with a checkout that has moved, after its commands ran on what comes of that. */
  readonly land: (app: App, merge?: { signal: AbortSignal; unconfined: boolean }) => Promise<Landed>;
  /** Takes over the plan of another program that lies in `folder`. */
  readonly takeOver: (options: AppOptions, folder: string) => Promise<App>;
  /** Clears up after one that was killed while it did that. */
  readonly undoTakeOver: (opening: Opening, copied: TakenOver) => Promise<void>;
}

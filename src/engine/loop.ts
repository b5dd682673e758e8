// The loop: take an input, step it, append the facts, and let the world do what follows from the state. A crash,
// a halt, a timeout and a changed plan are all the same here: the state moved, and the list changed.
import type { Input } from "../core/input.ts";
import { next } from "../core/next.ts";
import type { Run } from "../core/run.ts";
import type { Changed } from "./changed.ts";
import type { Hold } from "./hold.ts";
import type { Inbox } from "./inbox.ts";
import type { World } from "./world.ts";

export interface Loop {
  readonly hold: Hold;
  readonly world: World;
  readonly inbox: Inbox;
  /** Whether nothing is left to do; what lies outside the run is asked once this state's effects are under way. */
  readonly finished: (run: Run) => boolean | (() => boolean);
  /** Looked at while nothing else happens: what a person may have left for the orchestrator. */
  readonly notice?: () => Input | undefined;
  readonly changed?: Changed;
}

/** How often a person's STOP file and what is due are looked for. */
const noticeMs = 50;

export async function orchestrate({ hold, world, inbox, finished, notice, changed }: Loop): Promise<void> {
  let input: Input | undefined = { kind: "tick" };
  for (;;) {
    const look = (run: Run) => ({ after: changed?.(run), effects: next(run), over: finished(run) });
    const { seen, written } = await hold.settle(input, look);
    seen.after?.(written);
    world.reconcile(seen.effects);
    if (typeof seen.over === "function" ? seen.over() : seen.over) return;
    input = await following({ hold, inbox, notice });
  }
}

type Following = Pick<Loop, "hold" | "inbox"> & { readonly notice: Loop["notice"] | undefined };

/** The next thing that may change the state: an input, others' facts, or time. */
async function following({ hold, inbox, notice }: Following): Promise<Input | undefined> {
  for (;;) {
    const input = (await inbox.take(noticeMs)) ?? notice?.();
    if (input) return input;
    if (await hold.isDue()) return { kind: "tick" };
    if (hold.othersWrote()) return undefined;
  }
}

// The loop: take an input, step it, append the facts, and let the world do what follows from the state. A crash,
// a halt, a timeout and a changed plan are all the same here: the state moved, and the list changed.
import type { Input } from "../core/input.ts";
import { next } from "../core/next.ts";
import type { Run } from "../core/run.ts";
import type { Hold } from "./hold.ts";
import type { Inbox } from "./inbox.ts";
import type { World } from "./world.ts";

export interface Loop {
  readonly hold: Hold;
  readonly world: World;
  readonly inbox: Inbox;
  /** Whether there is nothing left to do, now that every effect is under way. */
  readonly finished: (run: Run) => boolean;
  /** Looked at while nothing else happens: what a person may have left for the orchestrator. */
  readonly notice?: () => Input | undefined;
  /** Called after every change of state. */
  readonly changed?: (run: Run) => void;
}

/** How often other processes' facts are noticed: a halt takes effect well within 250 ms. */
const noticeMs = 50;

export async function orchestrate({ hold, world, inbox, finished, notice, changed }: Loop): Promise<void> {
  let input: Input | undefined = { kind: "tick" };
  for (;;) {
    if (input) await hold.submit(input);
    const { effects, over } = await hold.read((run) => {
      changed?.(run);
      return { effects: next(run), over: finished(run) };
    });
    world.reconcile(effects);
    if (over) return;
    input = await following({ hold, inbox, notice });
  }
}

interface Following extends Pick<Loop, "hold" | "inbox"> {
  readonly notice: (() => Input | undefined) | undefined;
}

/** The next thing that may change the state: an input, others' facts, or time. */
async function following({ hold, inbox, notice }: Following): Promise<Input | undefined> {
  for (;;) {
    const input = (await inbox.take(noticeMs)) ?? notice?.();
    if (input) return input;
    if (await hold.isDue()) return { kind: "tick" };
    if (hold.othersWrote()) return undefined;
  }
}

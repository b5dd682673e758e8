// Whether a holder on another machine is alive. Its process cannot be seen, and no clock is shared; so it is asked in the journal, and
// whoever holds a run answers there with the next thing it writes. One that does not in half a minute is gone, or stands still, and
// may be replaced: its epoch is over then, so nothing that it does afterwards counts.
import { carryOut } from "../core/step.ts";
import type { Clock } from "../host/clock.ts";
import type { Journal } from "../journal/journal.ts";

/** A holder looks at others' facts ten times a second. Looks are counted and not time: one who asks may stand still as well. */
const mostLooks = 60;
const lookEveryMs = 500;
export const patienceMs = mostLooks * lookEveryMs;

export interface Asking {
  readonly journal: Journal;
  readonly run: string;
  readonly by: string;
  readonly clock: Pick<Clock, "sleep">;
  /** How often its answer is looked for. */
  readonly looks?: number;
}

/** The question that a holder left open. */
export interface Silence {
  readonly epoch: number;
  readonly question: number;
}

/** Found out once for each journal that is open: a command asks before it begins, and again when it takes the run. */
const known = new WeakMap<Journal, Silence>();

export const isKnownSilent = ({ journal }: Asking, epoch: number) => known.get(journal)?.epoch === epoch;

/** Waits for an answer, outside of any turn: the holder needs those. Nothing when it came, or another holds the run by now. */
export async function silenceOf(asking: Asking, epoch: number): Promise<Silence | undefined> {
  const { journal, run, by, clock, looks = mostLooks } = asking;
  const open = () =>
    journal.read(run, ({ epoch: now, holder }) => ({ epoch: now, question: holder?.asked ?? 0 }));
  const isSame = (one: Silence, other: Silence | undefined) =>
    one.epoch === other?.epoch && one.question === other.question;
  await journal.transact({ run }, by, (draft) => carryOut(draft, { kind: "ask-holder", epoch }));
  const asked = await open();
  if (asked.epoch !== epoch || asked.question === 0) return undefined;
  if (isSame(asked, known.get(journal))) return asked;
  for (let look = 0; look < looks; look++) {
    await clock.sleep(lookEveryMs, new AbortController().signal);
    if (!isSame(asked, await open())) return undefined;
  }
  known.set(journal, asked);
  return asked;
}

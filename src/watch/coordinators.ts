// Who coordinates a run, and who stands by: from the hold in the journal and the signs of life beside it. One on this machine is seen by
// its process; one elsewhere is there as long as it shows that it is, and never for ever.
import type { Run } from "../core/run.ts";
import type { Holder } from "../core/run-parts.ts";
import type { App } from "../engine/app.ts";
import { isAlive, isElsewhere, isSameProcess } from "../host/program/process.ts";
import type { Journal, SeenSign } from "../journal/journal.ts";

/** By the clock of whoever keeps the signs: it is shown, and decides nothing. */
const freshMs = 10_000;

export interface Coordinators {
  readonly holder: Holder | null;
  /** Whether the holder is there, as far as can be seen. */
  readonly isThere: boolean;
  readonly standingBy: readonly Holder[];
}

export async function coordinatorsOf({ journal }: App, run: string): Promise<Coordinators> {
  const holder = await journal.read(run, (state) => state.holder && { ...state.holder });
  return coordinatorsBeside(journal, holder);
}

/** Of a run whose holder is known. */
export async function coordinatorsBeside(journal: Journal, holder: Holder | null): Promise<Coordinators> {
  const signs = await signsOf(journal);
  const standingBy = signs
    .filter(isLive)
    .filter(({ serves, by }) => serves && !(holder && isSameProcess(by, holder)))
    .map(({ by }) => by);
  return { holder, isThere: holder !== null && isHolderThere(holder, signs), standingBy };
}

const isLive = ({ by, ageMs }: SeenSign) => (isElsewhere(by) ? ageMs <= freshMs : isAlive(by));

/** Whether it is at work: a stopped process of this machine is there, and stands still. */
export async function isHeldNow({ journal }: App, { holder }: Pick<Run, "holder">): Promise<boolean> {
  return holder !== null && isHolderThere(holder, isElsewhere(holder) ? await signsOf(journal) : []);
}

function isHolderThere(holder: Holder, signs: readonly SeenSign[]): boolean {
  if (!isElsewhere(holder)) return isAlive(holder);
  const sign = signs.find(({ by }) => isSameProcess(by, holder));
  return sign !== undefined && sign.ageMs <= freshMs;
}

/** Everybody who shows a sign, one per line. */
export async function coordinatingLines(journal: Journal): Promise<string[]> {
  return (await signsOf(journal)).filter(isLive).map(({ by, holds, serves }) => {
    const runs = holds.join(", ");
    return `${named(by)} ${runs === "" ? (serves ? "stands by" : "is about to begin") : `coordinates ${runs}`}`;
  });
}

/** What cannot be read is not shown. */
const signsOf = async ({ signs }: Journal): Promise<readonly SeenSign[]> =>
  (await signs?.seen().catch(() => [])) ?? [];

export function coordinatorLine({ holder, isThere, standingBy }: Coordinators): string | undefined {
  const by = standingBy.map(named).join(", ");
  const held = holder && isThere ? `coordinated by ${named(holder)}` : undefined;
  const parts = [held, by === "" ? undefined : `${by} ${standingBy.length > 1 ? "stand" : "stands"} by`];
  const said = parts.filter((each) => each !== undefined);
  return said.length === 0 ? undefined : said.join("; ");
}

export const named = ({ pid, host }: Pick<Holder, "pid" | "host">) => `process ${pid} on ${host}`;

// Orders carried out by processes of their own (`heddle carry`), one each: the order goes in, what goes on and what came of
// it come out. Such a process ends when its input does, so that nothing it started outlives this one.
import { createInterface } from "node:readline";
import { jsonIn } from "../../core/json.ts";
import { markName, turnMark } from "../../host/program/marks.ts";
import { distrusted } from "../../host/program/programs.ts";
import type { Carried, Carrier, Hearing, WorkOrder } from "../../work/order.ts";
import type { Away, Kept } from "../../work/wire/away.ts";
import { type Answer, asThrown, type Given, type Said, saidIn } from "../../work/wire/messages.ts";
import { type Carrying, startCarry } from "../../work/wire/start-carry.ts";
import { heard } from "./heard.ts";

/** How an order goes to another place and what is said of it comes back (`elsewhere.ts`). */
export interface Wrapping {
  /** What goes with the order; nothing for one that can only be carried out at home. */
  readonly out: (order: WorkOrder) => Away | undefined;
  readonly there: (line: string) => string;
  readonly back: (line: string) => string;
  readonly keep: (kept: Kept) => void;
  readonly after: (order: WorkOrder, carried: Carried) => Promise<unknown>;
}

const atHome: Wrapping = {
  out: () => undefined,
  there: (line) => line,
  back: (line) => line,
  keep: () => {},
  after: async () => {},
};

/** `cwd`: where the process stands; what it is to work on is in the order. */
export function processCarrier(cwd = "/", elsewhere = atHome): Carrier {
  return {
    carry: async (order, hearing, signal) => {
      const away = elsewhere.out(order);
      const wrapping = away ? elsewhere : atHome;
      const carrying = start(away ? cwd : "/");
      const stop = () => carrying.child.stdin.end();
      signal.addEventListener("abort", stop, { once: true });
      try {
        const carried = await converse(carrying, { order, hearing, away, wrapping });
        await wrapping.after(order, carried);
        return carried;
      } finally {
        signal.removeEventListener("abort", stop);
        stop();
      }
    },
  };
}

/** It bears the turn's mark, as what it starts does. */
function start(cwd: string): Carrying {
  const marks = [process.env[markName], turnMark()].filter((mark) => mark !== undefined);
  return startCarry(cwd, { ...process.env, ...(marks.length > 0 && { [markName]: marks.join(":") }) });
}

interface Exchange {
  readonly order: WorkOrder;
  readonly hearing: Hearing;
  readonly away: Away | undefined;
  readonly wrapping: Wrapping;
}

async function converse(
  { child, ended }: Carrying,
  { order, hearing, away, wrapping }: Exchange,
): Promise<Carried> {
  const answer = (each: Answer) => child.stdin.write(`${JSON.stringify(each)}\n`);
  const given: Given = { order, distrusted: distrusted(), ...(away && { away }) };
  // The repository is named as it is: it is what is fetched from.
  child.stdin.write(`${withOrigin(wrapping.there(JSON.stringify(given)), away)}\n`);
  let last: Said | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    const said = saidIn(wrapping.back(line));
    if (said && !heard(said, { hearing, wrapping, answer })) last = said;
  }
  await ended;
  if (last?.kind === "carried") return last.carried;
  throw last?.kind === "failed"
    ? asThrown(last.failed)
    : new Error("the process that carried it out ended without a word");
}

/** A private repository lies in heddle's own folder, and is fetched from there. */
function withOrigin(line: string, away: Away | undefined): string {
  if (!away) return line;
  const given = jsonIn(line) as { away: Away };
  return JSON.stringify({ ...given, away: { ...given.away, origin: away.origin } });
}

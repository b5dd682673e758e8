// The carrying side of the wire: reads one order, carries it out, says what goes on, and ends. Whoever gave the order holds
// the input open: when it ends, because they said so or were killed, the agent is ended too.
import type { Input } from "../../core/input.ts";
import { isProblem, type Problem } from "../../core/problem.ts";
import { distrust } from "../../host/program/programs.ts";
import { carrierHere, type HandIns } from "../carry.ts";
import type { Logged } from "../inside/requests.ts";
import type { Hearing } from "../order.ts";
import { arrive, byFile, leave } from "./away.ts";
import { arriveRole, isAwayRole, keptOfRole } from "./away-role.ts";
import { type Answer, answerIn, type Given, givenIn, type Said, thrownBy, unmarked } from "./messages.ts";

export interface Wire {
  /** Lines of standard input. */
  readonly lines: AsyncIterator<string>;
  readonly print: (line: string) => void;
  /** Where an order is carried out that comes from another place. */
  readonly place: string;
  readonly handIns: HandIns;
}

/** Whether something came of the order; a problem when there was none. */
export async function serveOrder({ lines, print, handIns, place }: Wire): Promise<boolean | Problem> {
  const first = await lines.next();
  const given = givenIn(first.done ? undefined : first.value, place);
  if (isProblem(given)) return given;
  const say = (said: Said) => print(given.away ? unmarked(said, place) : JSON.stringify(said));
  const asked = new Asked(say);
  const gone = new AbortController();
  void hearAnswers(lines, asked).finally(() => {
    asked.end();
    gone.abort();
  });
  return carryGiven(given, { hearing: asked.hearing, say, handIns, place }, gone.signal);
}

export type Say = (said: Said) => void;
type Serving = Pick<Wire, "handIns" | "place"> & { readonly hearing: Hearing; readonly say: Say };

async function carryGiven(
  { order, distrusted, away }: Given,
  { hearing, say, handIns, place }: Serving,
  signal: AbortSignal,
): Promise<boolean> {
  distrust(...distrusted, ...(away ? [place] : []));
  const carrier = carrierHere(handIns);
  try {
    if (away && isAwayRole(order)) {
      arriveRole(order, away, place);
      const carried = await carrier.carry(order, hearing, signal);
      for (const kept of keptOfRole(order)) say({ kind: "kept", kept });
      say({ kind: "carried", carried });
      return true;
    }
    if (!away || !("repository" in order)) {
      say({ kind: "carried", carried: await carrier.carry(order, hearing, signal) });
      return true;
    }
    const transport = byFile(away);
    const here = await arrive(order, away, { place, transport });
    const carried = await carrier.carry(here, hearing, signal);
    for (const kept of await leave(here, carried, transport)) say({ kind: "kept", kept });
    say({ kind: "carried", carried });
    return true;
  } catch (error) {
    say({ kind: "failed", failed: thrownBy(error) });
    return false;
  }
}

async function hearAnswers(lines: AsyncIterator<string>, asked: Asked): Promise<void> {
  for (let line = await lines.next(); !line.done; line = await lines.next()) {
    const answer = answerIn(line.value);
    if (answer) asked.hear(answer);
  }
}

/** What was asked to be written down, until it is answered. */
export class Asked {
  readonly hearing: Hearing;
  readonly #waiting = new Map<number, (refused: string | undefined) => void>();
  #asked = 0;
  #isOver = false;

  constructor(say: Say) {
    const submit = (input: Input) =>
      new Promise<string | undefined>((settle) => {
        if (this.#isOver) return settle(overTaken);
        const number = ++this.#asked;
        this.#waiting.set(number, settle);
        say({ kind: "submits", number, input });
      });
    const log = (line: Logged) => say({ kind: "log", log: line });
    this.hearing = { tell: (event) => say({ kind: "event", event }), submit, log };
  }

  hear({ answers, refused }: Answer): void {
    this.#waiting.get(answers)?.(refused ?? undefined);
    this.#waiting.delete(answers);
  }

  end(): void {
    this.#isOver = true;
    for (const settle of this.#waiting.values()) settle(overTaken);
    this.#waiting.clear();
  }
}

const overTaken = "the process that gave this order is gone: nothing can be recorded";

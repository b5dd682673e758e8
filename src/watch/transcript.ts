// What one attempt's agent said and did, as it was kept: normalised, or as its program printed it. Secrets were taken
// out before anything was written.
import { join } from "node:path";
import type { AgentEvent } from "../agents/agent.ts";
import { toCall } from "../core/hint.ts";
import { recordIn } from "../core/json.ts";
import { closest, type Problem, problem } from "../core/problem.ts";
import type { App } from "../engine/app.ts";
import { isThere, listAll } from "../host/files.ts";
import { readRecord } from "../host/handed-in.ts";

export type KeptEvent = { readonly at: string } & AgentEvent;

export interface Transcript {
  /** A task, or a role of planning. */
  readonly of: string;
  readonly attempt: number;
  /** Who worked, as far as it was written down. */
  readonly agent: string | null;
  readonly part: Part;
  readonly events: readonly KeptEvent[];
  /** What the program printed, process by process. */
  readonly raw: { readonly stdout: string; readonly stderr: string };
}

/** The agent itself, or whoever judged or fixed its work. */
const parts = ["work", "review", "fixer"] as const;
export type Part = (typeof parts)[number];

/** `T007#2`, or without a number the last attempt. */
export async function transcript(app: App, word: string, part: Part): Promise<Transcript | Problem> {
  const [, of = "", number] = /^([^#]*)(?:#(\d+))?$/.exec(word) ?? [];
  const run = await app.run();
  const folder = join(app.paths.heddle, "attempts", run);
  const kept = isThere(folder) ? listAll(folder).flatMap(attemptIn) : [];
  const own = kept.filter((each) => each.of === of).map((each) => each.attempt);
  if (own.length === 0) return nothingOf(word, of, [...new Set(kept.map((each) => each.of))]);
  const last = Math.max(...own);
  const attempt = number === undefined ? last : Number(number);
  if (!own.includes(attempt))
    return problem("no-attempt", `\`${of}\` has no attempt ${attempt} of heddle's own`, {
      hint: toCall(`transcript ${of}#${last}`),
    });
  const place = part === "work" ? join(folder, `${of}-${attempt}`) : join(folder, `${of}-${attempt}`, part);
  if (!isThere(place))
    return problem("no-transcript", `attempt ${attempt} of \`${of}\` had no ${part}`, {
      hint: toCall(`transcript ${of}#${attempt}`),
    });
  return { of, attempt, agent: agentIn(place), part, events: eventsIn(place), raw: rawIn(place) };
}

function nothingOf(word: string, of: string, known: readonly string[]): Problem {
  const meant = closest(of, known) ?? known[0];
  return problem("no-transcript", `heddle has kept no attempt of \`${word}\``, {
    hint: meant === undefined ? toCall("execute") : toCall(`transcript ${meant}`),
  });
}

function attemptIn(name: string): { readonly of: string; readonly attempt: number }[] {
  const [, of = "", attempt = ""] = /^(.+)-(\d+)$/.exec(name) ?? [];
  return of === "" ? [] : [{ of, attempt: Number(attempt) }];
}

function agentIn(place: string): string | null {
  const agent = recordIn(readRecord(join(place, "started.json")))?.agent;
  return typeof agent === "string" ? agent : null;
}

function eventsIn(place: string): KeptEvent[] {
  return (readRecord(join(place, "events.jsonl")) ?? "").split("\n").flatMap((line) => {
    // The last line may have been cut off with its writer.
    const event = recordIn<KeptEvent>(line);
    return event ? [event] : [];
  });
}

/** What was printed before an attempt was taken up again stands in files of its own, the oldest first. */
function rawIn(place: string): Transcript["raw"] {
  const all = listAll(place);
  const printed = (stream: string) => {
    const earlier = all
      .flatMap((name) => new RegExp(`^${stream}-(\\d+)\\.log$`).exec(name)?.[1] ?? [])
      .sort((a, b) => Number(a) - Number(b));
    return [...earlier.map((n) => `${stream}-${n}.log`), `${stream}.log`]
      .map((name) => readRecord(join(place, name)) ?? "")
      .join("");
  };
  return { stdout: printed("stdout"), stderr: printed("stderr") };
}

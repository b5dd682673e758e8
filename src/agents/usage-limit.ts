// A usage limit: how vendors say that they may not be asked for a while, and until when. All of it is prose, so what is
// not understood has an unknown end, and never a wrong one.
import type { Stopped } from "./agent.ts";

export function limitedAs(said: string, now = new Date()): Stopped {
  return {
    kind: "failed",
    category: "environment",
    message: said,
    retryable: true,
    limit: { resetsInMs: resetIn(said, now) },
  };
}

export function isUsageLimit(said: string): boolean {
  return /usage limit|hit your (?:\w+ )?limit|quota|rate.?limit|too many requests|RESOURCE_EXHAUSTED/i.test(
    said,
  );
}

/** How long until it may be asked again; null when it does not say. */
export function resetIn(said: string, now: Date): number | null {
  const found = spanIn(said) ?? momentIn(said, now);
  return found === undefined || found < 0 ? null : found;
}

const units: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 };

/** `try again in 2 hours 5 minutes`, `retry in 34.07s`, `"retryDelay":"34s"`, `Retry-After: 30`. */
function spanIn(said: string): number | undefined {
  const after = /retry-?_?(?:after|delay)"?[:=]? ?"?(\d+(?:\.\d+)?)(ms|s)?\b/i.exec(said);
  if (after) return Number(after[1]) * (after[2] === "ms" ? 1 : 1000);
  const span =
    /\b(?:again|retry|resets?|wait|available)(?: in| after)? (?:about )?((?:\d+(?:\.\d+)? ?(?:d|h|m|s)[a-z]*,? ?(?:and )?)+)/i;
  const words = span.exec(said)?.[1];
  if (words === undefined) return undefined;
  const parts = [...words.matchAll(/(?<!\d)(\d{1,9}(?:\.\d{1,9})?) ?(ms|[dhms])[a-z]{0,12}/gi)];
  return parts.reduce(
    (sum, [, n, unit = ""]) => sum + Number(n) * (unit === "ms" ? 1 : (units[unit.toLowerCase()] ?? 0)),
    0,
  );
}

/** `limit reached|1763222400`, an ISO time, `try again at 4:13 PM`, `resets 3pm (America/New_York)`. */
function momentIn(said: string, now: Date): number | undefined {
  const epoch = /\|(\d{10})\b/.exec(said)?.[1];
  if (epoch !== undefined) return Number(epoch) * 1000 - now.getTime();
  const iso = /\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)/.exec(said)?.[0];
  if (iso !== undefined) return Date.parse(iso) - now.getTime();
  const clock =
    /\b(?:again at|resets?(?: at)?|until) (\d{1,2})(?::(\d\d))?(?: ?(am|pm))?\b(?: ?\(([^()]{1,64})\)| (UTC|GMT|[A-Z][A-Za-z]+\/[\w/+-]+)\b)?/i.exec(
      said,
    );
  if (!clock || (clock[2] === undefined && clock[3] === undefined)) return undefined;
  const [, hour = "", minute = "0", half, inBrackets, bare] = clock;
  const at = (Number(hour) % (half ? 12 : 24)) + (half?.toLowerCase() === "pm" ? 12 : 0);
  return untilClock(now, { hour: at, minute: Number(minute) }, (inBrackets ?? bare)?.trim());
}

/** Until a clock on that zone's wall shows this; the machine's own zone where none is named, nothing where it is not known. */
function untilClock(
  now: Date,
  { hour, minute }: { readonly hour: number; readonly minute: number },
  zone?: string,
): number | undefined {
  const today = dateIn(now, zone);
  if (!today) return undefined;
  // The next day as well: today's may be past. A clock that is put forward leaves an hour out; then it is the hour after it.
  const moments = [0, 1].map((days) => {
    const shown = Date.UTC(today.year, today.month, today.day + days, hour, minute);
    const guess = shown - today.offsetMs;
    return shown - (dateIn(new Date(guess), zone)?.offsetMs ?? today.offsetMs);
  });
  const next = moments.find((moment) => moment > now.getTime());
  return next === undefined ? undefined : next - now.getTime();
}

/** What a calendar and a clock in that zone show, and how far they are ahead of UTC. */
function dateIn(moment: Date, timeZone: string | undefined) {
  try {
    const format = new Intl.DateTimeFormat("en-US", {
      ...(timeZone !== undefined && { timeZone }),
      ...{ year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric" },
      hourCycle: "h23",
    });
    const parts = Object.fromEntries(
      format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]),
    );
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = parts;
    const whole = Math.floor(moment.getTime() / 60_000) * 60_000;
    return { year, month: month - 1, day, offsetMs: Date.UTC(year, month - 1, day, hour, minute) - whole };
  } catch {
    // A zone that nobody knows: better no end than a wrong one.
    return undefined;
  }
}

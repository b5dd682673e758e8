// When a vendor that limits its use may be asked again, by the headers of its answer. Exact, where an agent tells it in words
// or not at all. No I/O; the time is an input.

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Until when, in milliseconds from now; null when the answer does not say. */
export function resetsInMs(headers: Headers, now: number): number | null {
  const found = [retryAfter(headers, now), resetOf(headers, now)].find((each) => each !== undefined);
  return found === undefined || !Number.isFinite(found) || found < 0 ? null : Math.round(found);
}

const one = (value: Headers[string]) => (typeof value === "string" ? value.trim() : undefined);

/** Seconds, or a date. */
function retryAfter(headers: Headers, now: number): number | undefined {
  const exact = one(headers["retry-after-ms"]);
  if (exact !== undefined && /^\d+(?:\.\d+)?$/.test(exact)) return Number(exact);
  const said = one(headers["retry-after"]);
  if (said === undefined) return undefined;
  if (/^\d+(?:\.\d+)?$/.test(said)) return Number(said) * 1000;
  const date = Date.parse(said);
  return Number.isNaN(date) ? undefined : date - now;
}

/** Anthropic's limit of a subscription (seconds since 1970), and limits per minute of Anthropic and OpenAI. */
function resetOf(headers: Headers, now: number): number | undefined {
  const whole = one(headers["anthropic-ratelimit-unified-reset"]);
  if (whole !== undefined && /^\d{10}$/.test(whole)) return Number(whole) * 1000 - now;
  for (const kind of ["requests", "tokens", "input-tokens", "output-tokens"]) {
    if (one(headers[`anthropic-ratelimit-${kind}-remaining`]) === "0") {
      const at = Date.parse(one(headers[`anthropic-ratelimit-${kind}-reset`]) ?? "");
      if (!Number.isNaN(at)) return at - now;
    }
    if (one(headers[`x-ratelimit-remaining-${kind}`]) === "0")
      return spanOf(one(headers[`x-ratelimit-reset-${kind}`]) ?? "");
  }
  return undefined;
}

const units: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** `6m0s`, `1.5s`, `20ms`. */
function spanOf(text: string): number | undefined {
  const parts = [...text.matchAll(/(\d{1,9}(?:\.\d{1,9})?)(ms|[dhms])/g)];
  if (parts.length === 0) return undefined;
  return parts.reduce((sum, [, n, unit = ""]) => sum + Number(n) * (units[unit] ?? 0), 0);
}

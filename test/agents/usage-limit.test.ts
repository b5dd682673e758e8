// How vendors say that they may not be asked for a while.
import { describe, expect, it } from "vitest";
import { isUsageLimit, resetIn } from "../../src/agents/usage-limit.ts";

const now = new Date("2026-11-15T15:00:00Z");
const minutes = 60_000;

describe("C7 a usage limit", () => {
  it.each([
    ["Claude AI usage limit reached|1794758400", 1794758400000 - now.getTime()],
    ["You've hit your usage limit. Try again in 2 hours 5 minutes.", 125 * minutes],
    ["Rate limit reached for gpt-5.5. Please try again in 34.07s", 34_070],
    ['429 {"@type":"RetryInfo","retryDelay":"34s"} RESOURCE_EXHAUSTED', 34_000],
    ["429 Too Many Requests, Retry-After: 30", 30_000],
    ["You've hit your limit · resets 4:30pm (UTC)", 90 * minutes],
    ["Usage limit: available again at 2026-11-15T16:00:00Z", 60 * minutes],
    ["quota exceeded, resets at 14:00 (UTC)", 23 * 60 * minutes],
  ])("ends when it says: %s", (said, wait) => {
    expect(isUsageLimit(said)).toBe(true);
    expect(resetIn(said, now)).toBe(wait);
  });

  it.each([
    "You’ve hit your usage limit. Try again later.",
    "exceeded retry limit, last status: 429 Too Many Requests",
    "You exceeded your current quota, please check your plan",
    "Claude AI usage limit reached|1000000000",
  ])("has an unknown end when it does not say, or says one that is past: %s", (said) => {
    expect(isUsageLimit(said)).toBe(true);
    expect(resetIn(said, now)).toBeNull();
  });

  it.each([
    // 15:00 in UTC is 10 in New York (winter), 20:30 in Calcutta, 2 of the next day in Melbourne (summer).
    ["resets 8pm (America/New_York)", 10 * 60],
    ["resets 9:30am (America/New_York)", 23.5 * 60],
    ["resets 5:30am (Asia/Calcutta)", 9 * 60],
    ["resets at 3am (Australia/Melbourne)", 60],
    ["try again at 17:00 Europe/Berlin", 60],
    ["resets 4pm UTC", 60],
    // Midnight lies on the next day there.
    ["resets 12am (Pacific/Auckland)", 20 * 60],
  ])("is read in the zone that it names, whatever the machine's is: usage limit, %s", (said, wait) => {
    expect(resetIn(`usage limit, ${said}`, now)).toBe(wait * minutes);
  });

  it("is read by the clock of the day on which it ends, where clocks change in between", () => {
    const before = new Date("2026-10-31T22:00:00Z");
    expect(resetIn("resets 8am (America/New_York)", before)).toBe(15 * 60 * minutes);
  });

  it("has an unknown end in a zone that nobody knows", () => {
    expect(resetIn("usage limit, resets 8pm (Middle-earth/Bree)", now)).toBeNull();
  });

  it("is not what other failures are", () => {
    for (const said of ["unexpected status 500", "Connection failed", "invalid x-api-key"])
      expect(isUsageLimit(said)).toBe(false);
  });
});

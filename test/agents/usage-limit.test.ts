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

  it("is not what other failures are", () => {
    for (const said of ["unexpected status 500", "Connection failed", "invalid x-api-key"])
      expect(isUsageLimit(said)).toBe(false);
  });
});

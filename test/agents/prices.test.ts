// What tokens cost, where the agent does not say.
import { describe, expect, it } from "vitest";
import table from "../../src/agents/prices.json" with { type: "json" };
import { costOf } from "../../src/agents/prices.ts";

const tokens = (input: number, output: number, cachedInput = 0) => ({ input, output, cachedInput });

describe("C12 the price table", () => {
  it("has a date", () => {
    expect(table.asOf).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  });

  it("counts input, what came from a cache, and output", () => {
    expect(costOf("gpt-5.5", tokens(2e6, 1e6, 1e6))).toBeCloseTo(5 + 0.5 + 30);
  });

  it("takes a dated name for the same model", () => {
    expect(costOf("gpt-5.5-2026-04-23", tokens(1e6, 0))).toBe(5);
  });

  it("does not know a model that is not in it, nor one that was not named: that is no price of nothing", () => {
    expect(costOf("gpt-99", tokens(1, 1))).toBeNull();
    expect(costOf(undefined, tokens(1, 1))).toBeNull();
    expect(costOf("gpt-99", tokens(0, 0))).toBe(0);
  });

  it("lets the project know better", () => {
    const own = { "gpt-5.5": { input: 1, output: 2 }, mine: { input: 3, output: 0 } };
    expect(costOf("gpt-5.5", tokens(2e6, 1e6, 1e6), own)).toBe(4);
    expect(costOf("mine", tokens(1e6, 0), own)).toBe(3);
  });
});

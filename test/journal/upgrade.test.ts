// Old facts read by a newer heddle: each format is read as the next one, step by step.
import { describe, expect, it } from "vitest";
import { factFormat } from "../../src/core/fact.ts";
import { type Upgrades, upgrade } from "../../src/core/upgrade.ts";
import { entryOf } from "../../src/journal/entry.ts";
import { keeping } from "../../src/journal/places.ts";

const stored = { kind: "task-skipped", task: "T001", why: "old word" };
const row = { position: 7, at: "2026-01-01T00:00:00.000Z", by: "x", hash: "" };

describe("upgrade", () => {
  it("C1 takes a fact of an older format through every step up to today's", () => {
    const table: Upgrades = {
      [factFormat - 2]: ({ why, ...rest }) => ({ ...rest, because: why ?? null }),
      [factFormat - 1]: ({ because, ...rest }) => ({ ...rest, reason: because ?? null }),
    };
    expect(upgrade(stored, factFormat - 2, table)).toEqual({
      kind: "task-skipped",
      task: "T001",
      reason: "old word",
    });
  });

  it("C1 begins at the fact's own format", () => {
    const table: Upgrades = {
      [factFormat - 2]: () => ({ kind: "never" }),
      [factFormat - 1]: (fact) => ({ ...fact, reason: "step" }),
    };
    expect(upgrade(stored, factFormat - 1, table)).toEqual({ ...stored, reason: "step" });
  });

  it("C1 leaves today's facts and formats without a step as they are", () => {
    const table: Upgrades = { [factFormat - 1]: () => ({ kind: "never" }) };
    expect(upgrade(stored, factFormat, table)).toBe(stored);
    expect(upgrade(stored, factFormat - 1, {})).toBe(stored);
  });

  it("C1 a halt of 0.1 says in its sentence whom it was about; it is read once, here", () => {
    const halt = { kind: "halt-requested", code: "job", now: false } as const;
    const reason = "logic-architect could not do it (timeout): too long";
    expect(upgrade({ ...halt, reason }, 4)).toEqual({ ...halt, reason, role: "logic-architect" });
    const stopped = { ...halt, code: "operator", reason: "Ctrl-C" } as const;
    expect(upgrade(stopped, 4)).toEqual({ ...stopped, interrupted: true });
    expect(upgrade({ ...halt, reason }, factFormat)).toEqual({ ...halt, reason });
  });

  it("C14 refuses a fact of a newer format, or of a kind that it does not know, by name", () => {
    const body = JSON.stringify({ kind: "task-skipped", task: "T001", reason: "r" });
    expect(entryOf({ ...row, format: factFormat, body }, keeping(undefined)).fact.kind).toBe("task-skipped");
    expect(() => entryOf({ ...row, format: factFormat + 1, body }, keeping(undefined))).toThrow(
      "newer heddle",
    );
    expect(() =>
      entryOf({ ...row, format: factFormat, body: '{"kind":"task-danced"}' }, keeping(undefined)),
    ).toThrow("`task-danced`");
  });
});

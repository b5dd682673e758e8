// When one who stands by asks a holder, and when it takes away what that holder stands still with: by looks, and no clock.
import { describe, expect, it } from "vitest";
import type { Sign } from "../../src/journal/journal.ts";
import { answerLooks, lookEveryMs, quietLooks, Vigil } from "../../src/standby/silence.ts";

const holder = { pid: 7, startTime: "11", bootId: "b", host: "ada" };
const sign = (count: number): Sign => ({ by: holder, holds: ["plan-1"], serves: true, count });

function looked(signs: readonly (readonly Sign[])[], { epoch = 1, isBlocked = false } = {}): Vigil {
  const vigil = new Vigil();
  for (const each of signs) vigil.look({ epoch, holder }, each, isBlocked);
  return vigil;
}

const times = <T>(n: number, of: (at: number) => T) => Array.from({ length: n }, (_, at) => of(at));

describe("a vigil", () => {
  it("U5 X17 ends within ten seconds of a machine that is not too busy: the rest of the fifteen is for the start", () => {
    expect(((quietLooks + 1 + answerLooks) * lookEveryMs) / 1000).toBeLessThanOrEqual(10);
  });

  it("U5 X17 never asks a holder whose signs go on, however long it says nothing in the journal", () => {
    expect(looked(times(500, (at) => [sign(Math.floor(at / 3))])).isQuiet).toBe(false);
  });

  it("U5 X17 asks a holder after so many looks at one and the same sign, and one that shows none at all", () => {
    expect(looked(times(quietLooks, () => [sign(4)])).isQuiet).toBe(false);
    expect(looked(times(quietLooks + 1, () => [sign(4)])).isQuiet).toBe(true);
    expect(looked(times(quietLooks + 1, () => [])).isQuiet).toBe(true);
    const other = { ...sign(1), by: { ...holder, startTime: "12" } };
    expect(looked(times(quietLooks + 1, (at) => [{ ...other, count: at }])).isQuiet).toBe(true);
  });

  it("U5 asks one that answers without signs less and less often, and begins anew with another holder", () => {
    const vigil = looked(times(quietLooks + 1, () => []));
    vigil.answered();
    for (let look = 0; look < quietLooks; look++) vigil.look({ epoch: 1, holder }, [], false);
    expect(vigil.isQuiet).toBe(false);
    for (let look = 0; look < quietLooks; look++) vigil.look({ epoch: 1, holder }, [], false);
    expect(vigil.isQuiet).toBe(true);
    for (let look = 0; look < quietLooks; look++) vigil.look({ epoch: 2, holder }, [], false);
    expect(vigil.isQuiet).toBe(false);
  });

  it("U5 X17 finds a holder in the way only where it is silent and the journal was locked all the while", () => {
    expect(
      looked(
        times(quietLooks + 1, () => [sign(4)]),
        { isBlocked: true },
      ).isInTheWay,
    ).toBe(true);
    expect(
      looked(
        times(100, (at) => [sign(at)]),
        { isBlocked: true },
      ).isInTheWay,
    ).toBe(false);
    const vigil = looked(
      times(quietLooks + 1, () => [sign(4)]),
      { isBlocked: true },
    );
    vigil.look({ epoch: 1, holder }, [sign(4)], false);
    expect(vigil.isInTheWay).toBe(false);
  });
});

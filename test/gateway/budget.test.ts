// What may still be spent: by one, by many at once, with costs that nobody knows.
import { describe, expect, it } from "vitest";
import { Account, Spender } from "../../src/gateway/budget.ts";

const never = new AbortController().signal;
const budget = (limitUsd: number, spentUsd = 0) => ({ whose: "the run", key: "r", limitUsd, spentUsd });

function accountWith(limitUsd: number, spentUsd = 0): Account {
  const account = new Account();
  account.renew(budget(limitUsd, spentUsd));
  return account;
}

describe("U10 a budget", () => {
  it("lets requests through until it is used up, and then says whose it was", async () => {
    const spender = new Spender([accountWith(0.03)], new Set());
    for (let n = 0; n < 3; n++) {
      const admission = await spender.ask(never);
      if (admission?.kind === "admitted") admission.settle(0.01);
      expect(admission?.kind).toBe("admitted");
    }
    expect(await spender.ask(never)).toEqual({
      kind: "refused",
      why: "the budget of the run, $0.03, is used up",
    });
  });

  it.each([0.001, 0.01, 0.04])(
    "is crossed by one request at most when sixteen ask at once, each for $%d",
    async (price) => {
      const [account, waiting] = [accountWith(0.1), new Set<() => void>()];
      let [asked, underWay] = [0, 0];
      const work = async () => {
        const spender = new Spender([account], waiting);
        for (;;) {
          const admission = await spender.ask(never);
          if (admission?.kind !== "admitted") return;
          asked++;
          underWay++;
          await new Promise((settle) => setTimeout(settle, 1));
          underWay--;
          admission.settle(price);
        }
      };
      await Promise.all(Array.from({ length: 16 }, work));
      expect(underWay).toBe(0);
      expect(account.spentUsd).toBeGreaterThanOrEqual(0.1 - 1e-9);
      expect(account.spentUsd).toBeLessThan(0.1 + price);
      expect(asked).toBe(Math.ceil(0.1 / price - 1e-9));
    },
  );

  it("lets sixteen through at once while there is money for all of them", async () => {
    const [account, waiting] = [accountWith(100), new Set<() => void>()];
    const all = await Promise.all(
      Array.from({ length: 16 }, () => new Spender([account], waiting).ask(never)),
    );
    expect(all.every((each) => each?.kind === "admitted")).toBe(true);
  });

  it("counts what was written down before, and nothing twice when more is written down", async () => {
    const account = accountWith(1, 0.4);
    const spender = new Spender([account], new Set());
    const admission = await spender.ask(never);
    if (admission?.kind === "admitted") admission.settle(0.3);
    expect(account.spentUsd).toBeCloseTo(0.7);
    spender.leave();
    account.renew(budget(1, 0.7));
    expect(account.spentUsd).toBeCloseTo(0.7);
    // Somebody else, whom no gateway counts, has spent meanwhile.
    account.renew(budget(1, 0.95));
    expect(account.spentUsd).toBeCloseTo(0.95);
  });

  it("goes on when a person raises it", async () => {
    const account = accountWith(0.1, 0.1);
    const spender = new Spender([account], new Set());
    expect((await spender.ask(never))?.kind).toBe("refused");
    account.renew(budget(1, 0.1));
    expect((await spender.ask(never))?.kind).toBe("admitted");
  });

  it("does not count what nobody knows, and frees what was held for it", async () => {
    const account = accountWith(0.6);
    const spender = new Spender([account], new Set());
    const admission = await spender.ask(never);
    if (admission?.kind === "admitted") admission.settle(null);
    expect(account.spentUsd).toBe(0);
    expect(account.isHeld).toBe(false);
  });

  it("forgets who goes away while it waits", async () => {
    const [account, waiting] = [accountWith(0.1), new Set<() => void>()];
    await new Spender([account], waiting).ask(never);
    const gone = new AbortController();
    const asked = new Spender([account], waiting).ask(gone.signal);
    gone.abort();
    expect(await asked).toBeUndefined();
    expect(waiting.size).toBe(0);
  });
});

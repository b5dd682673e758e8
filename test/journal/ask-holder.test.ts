// Whether a holder on another machine is alive: it is asked, and only one that leaves the question open is replaced.
import { expect, it } from "vitest";
import type { Holder } from "../../src/core/run-parts.ts";
import { type Claim, Hold, Replaced } from "../../src/engine/hold.ts";
import type { Clock } from "../../src/host/clock.ts";
import type { Journal } from "../../src/journal/journal.ts";
import { MemoryJournal } from "../../src/journal/memory.ts";
import { protocolNamed } from "../../src/packs/registry.ts";
import { create, submit, ticking } from "./suite.ts";

const here: Holder = { pid: 1, startTime: "1", bootId: "b", host: "here" };
const there: Holder = { pid: 2, startTime: "2", bootId: "c", host: "there" };

/** A clock on which every sleep is `between`. */
function clock(between: (slept: number) => Promise<unknown>): Clock & { slept: number } {
  const made = {
    slept: 0,
    monotonicMs: () => made.slept,
    sleep: async (ms: number) => {
      made.slept += ms;
      await between(made.slept);
    },
  };
  return made;
}

const claimBy = (journal: Journal, run: string, holder: Holder, of: Clock): Claim => ({
  ...{ journal, run, by: "orchestrator", clock: of, holder },
  isAlive: () => true,
  isElsewhere: ({ host }) => host !== holder.host,
});

async function heldElsewhere() {
  const journal = new MemoryJournal(protocolNamed, ticking());
  const { run } = await submit(journal, { protocol: "decomposition" }, create);
  const hold = await Hold.take(
    claimBy(
      journal,
      run,
      there,
      clock(async () => {}),
    ),
  );
  if (!(hold instanceof Hold)) throw new Error("nobody had it");
  return { journal, run, hold };
}

const holderOf = (journal: Journal, run: string) => journal.read(run, ({ holder }) => holder);

it("X17 a holder on another machine that is silent for half a minute is replaced, and nothing of it counts", async () => {
  const { journal, run, hold } = await heldElsewhere();
  const waiting = clock(async () => {});
  expect(await Hold.take(claimBy(journal, run, here, waiting))).toBeInstanceOf(Hold);
  expect(waiting.slept).toBe(30_000);
  expect(await holderOf(journal, run)).toEqual(here);
  await expect(hold.submit({ kind: "tick" })).rejects.toBeInstanceOf(Replaced);
});

it("X17 one that answers keeps the run, however late it answers, and can be asked again", async () => {
  const { journal, run, hold } = await heldElsewhere();
  for (const answersAtMs of [500, 29_500, 30_000]) {
    const waiting = clock(async (slept) => slept === answersAtMs && hold.submit({ kind: "tick" }));
    expect(await Hold.take(claimBy(journal, run, here, waiting))).toMatchObject([{ code: "held" }]);
    expect(waiting.slept).toBe(answersAtMs);
    expect(await holderOf(journal, run)).toEqual(there);
  }
  expect(await hold.isDue()).toBe(false);
});

it("X17 an answer that comes when the run is about to be taken still counts", async () => {
  const { journal, run, hold } = await heldElsewhere();
  const claim = claimBy(
    journal,
    run,
    here,
    clock(async () => {}),
  );
  const taking = new Proxy(journal, {
    get: (_, key) => {
      const value: unknown = key === "transact" ? transact : Reflect.get(journal, key);
      return typeof value === "function" ? value.bind(journal) : value;
    },
  });
  // After the last look, and once more between the look in its turn and the transaction.
  let claims = 0;
  const transact: Journal["transact"] = async (target, by, decide) => {
    const isClaim = (await holderOf(journal, run))?.asked !== undefined && claims++ === 0;
    if (isClaim) await hold.submit({ kind: "tick" });
    return journal.transact(target, by, decide);
  };
  expect(await Hold.take({ ...claim, journal: taking })).toMatchObject([{ code: "held" }]);
  expect(claims).toBe(1);
  expect(await holderOf(journal, run)).toEqual(there);
});

it("X17 a question makes the holder's next tick due, and nobody else's word answers it", async () => {
  const { journal, run, hold } = await heldElsewhere();
  await submit(journal, run, { kind: "ask-holder", epoch: 1 });
  await submit(journal, run, { kind: "ask-holder", epoch: 1 });
  await submit(journal, run, { kind: "tick" });
  expect(await holderOf(journal, run)).toEqual({ ...there, asked: 3 });
  expect(await hold.isDue()).toBe(true);
  await hold.submit({ kind: "tick" });
  expect(await holderOf(journal, run)).toEqual(there);
});

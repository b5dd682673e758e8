// Run time while a store holds a commit up: what a decision's commit waited for is taken from nobody's limit.
import { expect, it } from "vitest";
import type { Holder } from "../../src/core/run-parts.ts";
import { Hold } from "../../src/engine/hold.ts";
import { MemoryJournal } from "../../src/journal/memory.ts";
import { protocolNamed } from "../../src/packs/registry.ts";
import { create, submit, ticking } from "./suite.ts";

const holder: Holder = { pid: 1, startTime: "1", bootId: "b", host: "here" };

/** A journal whose commits each take as long as `late` says, by a clock that nothing else moves. */
class Slow extends MemoryJournal {
  nowMs = 0;
  late: number[] = [];

  override async transact(...asked: Parameters<MemoryJournal["transact"]>) {
    const committed = await super.transact(...asked);
    this.nowMs += this.late.shift() ?? 0;
    return committed;
  }
}

async function held() {
  const journal = new Slow(protocolNamed, ticking());
  const { run } = await submit(journal, { protocol: "decomposition" }, create);
  const clock = { monotonicMs: () => journal.nowMs, sleep: async () => {} };
  const hold = await Hold.take({ journal, run, by: "o", clock, holder, isAlive: () => true });
  if (!(hold instanceof Hold)) throw new Error("nobody had it");
  return { journal, hold };
}

it("C7 run time stands still while a commit is held up, and not while one is written as usual", async () => {
  const { journal, hold } = await held();
  journal.late = [40, 600_000];
  await hold.submit({ kind: "tick" });
  expect(hold.runMs()).toBe(40);
  await hold.submit({ kind: "tick" });
  expect(hold.runMs()).toBe(40);
  journal.nowMs += 25;
  expect(hold.runMs()).toBe(65);
});

it("C7 two commits that are held up at the same time stop it once", async () => {
  const { journal, hold } = await held();
  journal.late = [500, 500];
  await Promise.all([hold.submit({ kind: "tick" }), hold.submit({ kind: "tick" })]);
  expect([journal.nowMs, hold.runMs()]).toEqual([1000, 0]);
});

// 500 simulated histories per run, and 8,000 in CI (SEEDS=20000 for more): what they prove, promise by promise. All of them are
// simulated once, by processes of their own, before the first test.
import { availableParallelism } from "node:os";
import { beforeAll, describe, expect, test } from "vitest";
import { runShared, type Summary } from "./batch.ts";
import { known } from "./known.ts";
import { simulate } from "./simulate.ts";
import { missed } from "./sometimes.ts";

const seeds = Number(process.env.SEEDS ?? 500);
const muted = new Set(known.keys());

let batch: Summary;

beforeAll(
  async () => {
    batch = await runShared({ from: 0, count: seeds, known: muted }, availableParallelism());
  },
  120_000 + seeds * 60,
);

/** What broke an invariant of this promise, each with the command that shows it. */
function broken(promise: string): string[] {
  return batch.failures
    .filter(({ invariant }) => invariant === promise || invariant.startsWith(`${promise} `))
    .map(
      ({ seed, invariant, message }) =>
        `${invariant}: ${message}\nnode test/simulation/main.ts --seed ${seed} --trace`,
    );
}

const promises: Readonly<Record<string, string>> = {
  G1: "what was acknowledged is in the log, as it was and where it was, after every crash and power cut",
  G2: "an attempt starts once and ends once, whoever else tries",
  G3: "each completed task's change is on the branch exactly once, whoever died in between, and nobody else's is",
  G4: "nothing is merged that heddle did not see pass, on that very tree and for that very definition",
  G5: "an orchestrator that stops leaves no agent behind",
  G8: "run time only goes on, whatever the clocks do",
  G10: "a view that cannot be written holds up nobody",
  C1: "rows and head are the fold of the log after every commit",
  C4: "any number of processes may write, and none decides on a stale state",
  C6: "an output goes to the fixer once, and no role's work counts unchecked",
  C7: "limits are kept, and nobody waits by running in circles",
  C8: "a question is asked once and answered once",
  C10: "nothing starts while halted, and what halt --now ends is told at once",
  C12: "no start crosses a budget, and only a raised one is resumed",
  D10: "a reloaded plan keeps the progress of what did not change",
  M7: "a plan that is verified is complete when its very commit passed, and gaps are planned twice at most",
  X1: "only the tasks that were named start, and none past the phase that was named",
  X3: "tasks start when they are ready, best first, within the slots, never two that claim the same, and none waits in vain",
  X8: "nothing is checked before heddle has seen the work",
  X9: "every finished task is reviewed when the policy says so",
  X10: "merges happen in the order of the queue, and a task begins from a tip that holds what it depends on",
  X11: "a failed attempt is tried again after its back-off, up to the limit",
  X12: "only legal transitions happen, and what is kept by counting is what counting anew gives",
  X14: "what a take-over, a halt or a crash interrupted is taken up again",
  X15: "every run comes to its end, and `complete` means that every task is",
  X16: "a proposal counts for the attempt that is at work, and for no other",
  X17: "a stale answer, attempt or orchestrator changes nothing",
  X20: "a batch lists each of its tasks once",
  X21: "only what was merged is undone, and that opens a complete run again",
};

describe(`${seeds} simulated histories`, () => {
  for (const [promise, sentence] of Object.entries(promises))
    test(`${promise}: ${sentence}`, () => {
      expect(broken(promise)).toEqual([]);
    });

  test("none breaks any invariant, and all of them were simulated", () => {
    expect(
      batch.failures.map(({ seed, invariant, message }) => `seed ${seed}: ${invariant}: ${message}`),
    ).toEqual([]);
    expect(batch.seeds).toBe(seeds);
  });

  test("every fault struck and every branch was taken often enough to prove something", () => {
    expect(missed(new Map(Object.entries(batch.sometimes)), batch.seeds)).toEqual([]);
  });

  test("what is known not to hold still does not: a line of known.ts that is fixed must go", () => {
    const fixed = [...known].filter(([invariant, { isRare }]) => !isRare && !batch.known[invariant]);
    expect(fixed).toEqual([]);
  });
});

describe("C5: a seed is one history", () => {
  const sample = Array.from({ length: 30 }, (_, at) => at * 61);

  const usual = new Map<number, string>();
  beforeAll(async () => {
    for (const seed of sample) usual.set(seed, (await simulate({ seed, known: muted })).hash);
  });

  test("the same seed gives the same trace", async () => {
    for (const seed of sample) {
      const { hash } = await simulate({ seed, known: muted });
      expect(hash, `seed ${seed}`).toBe(usual.get(seed));
    }
  });

  test("G8: another wall clock changes no decision", async () => {
    for (const seed of sample) {
      const { hash } = await simulate({ seed, known: muted, wallSeed: seed + 1_000_000 });
      expect(hash, `seed ${seed}`).toBe(usual.get(seed));
    }
  });

  test("another seed gives another trace", async () => {
    const [one, other] = [
      await simulate({ seed: 1, known: muted }),
      await simulate({ seed: 2, known: muted }),
    ];
    expect(other.hash).not.toBe(one.hash);
  });
});

// The journal that does its worst against the common suite: what callers may rely on is the contract and nothing else.
import { describe, expect, it } from "vitest";
import { MemoryJournal } from "../../src/journal/memory.ts";
import { protocolNamed } from "../../src/packs/registry.ts";
import { HostileJournal } from "../ports/hostile.ts";
import { known } from "../simulation/known.ts";
import { Random } from "../simulation/random.ts";
import { simulate } from "../simulation/simulate.ts";
import { create, journalSuite, submit, ticking } from "./suite.ts";

let seed = 0;
function hostile(): HostileJournal {
  const random = new Random(++seed);
  return new HostileJournal(new MemoryJournal(protocolNamed, ticking()), {
    random: () => random.next(),
    pause: async (ms) => {
      for (let turn = 0; turn < ms; turn++) await undefined;
    },
  });
}

journalSuite("hostile", hostile);

describe("hostile", () => {
  it("G2 simulated histories over it break no invariant (`npm run sim -- --hostile` takes more)", {
    timeout: 60_000,
  }, async () => {
    for (let seed = 0; seed < 15; seed++) {
      const { violation } = await simulate({ seed, known: new Set(known.keys()), hostile: true });
      expect(violation, `node test/simulation/main.ts --hostile --trace --seed ${seed}`).toBeNull();
    }
  });

  it("finds a decision that comes out otherwise when it is asked again", async () => {
    const journal = hostile();
    await submit(journal, { protocol: "decomposition" }, create);
    let asked = 0;
    const deciding = journal.transact({ run: "plan-1" }, "tester", (draft) => {
      draft.record({ kind: "halt-requested", code: "operator", reason: `${asked++}`, now: false });
      return [];
    });
    await expect(deciding).rejects.toThrow("came out otherwise");
  });
});

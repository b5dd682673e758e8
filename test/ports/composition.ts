// The composition root of the ports' tests: heddle as it is, over journals that do their worst (`hostile.ts`). `main.ts` builds the
// command line with this in the place of `src/cli/composition.ts`.
import { localJournals } from "../../src/journal/local.ts";
import { builtIn } from "../../src/packs/load.ts";
import type { Guard } from "./guard.ts";
import { HostileJournal } from "./hostile.ts";

const { heddleGuard } = globalThis as { heddleGuard?: Guard };
if (!heddleGuard) throw new Error("bug: the guard was not installed before the first module");

const malice = {
  random: Math.random,
  pause: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
  guard: heddleGuard,
  lost: 0.1,
};

export const composition = {
  packs: builtIn,
  journals: {
    ...localJournals,
    open: async (project: Parameters<typeof localJournals.open>[0]) =>
      new HostileJournal(await localJournals.open(project), malice),
  },
};

// What must be true of the look at the base (X23): it comes before every attempt of heddle's own, once, and what cannot be
// worked on halts the run in the same breath.
import type { FactKind } from "../../src/core/fact.ts";
import { startOfBranch } from "./git.ts";
import type { Ledger } from "./ledger.ts";
import type { Rules } from "./rules.ts";

export const baselineRules: Rules<FactKind> = {
  "baseline-checked": ({ sim, ledger, kinds }, { commit, tries, stops, tree }) => {
    const isFresh = ledger.baseline === null || ledger.baseline.stops !== null;
    sim.check(isFresh, "X23 again", () => "the base was looked at again, and nothing had changed");
    sim.check(commit === startOfBranch, "X23 base", () => `${commit} is not what the run began from`);
    const wanted = (ledger.baseline?.tries ?? 0) + 1;
    sim.check(tries === wanted, "X23 tries", () => `look ${tries} at the base came after ${wanted - 1}`);
    const isSaid = sim.saidOfBaseline.has(JSON.stringify([stops, tree]));
    sim.check(isSaid, "X23 seen", () => `nobody saw ${stops ?? tree} of the base`);
    const isHalted = ledger.halt !== null || kinds.includes("halt-requested");
    sim.check(stops === null || isHalted, "X23 stops", () => `${stops}, and the run goes on`);
    ledger.baseline = { tries, stops };
    sim.saw(stops === null ? "base was looked at" : "base stopped the run");
    if (tries > 1 && stops === null) sim.saw("base was looked at again");
  },
};

/** Whether heddle's own attempts have to wait for it. */
export const isBaselineOpen = ({ policy, baseline }: Ledger) =>
  policy?.baseline === true && (baseline === null || baseline.stops !== null);

export function baselineIdentity(ledger: Ledger): string | undefined {
  const { halt, phase, until, slots, tip, only, epoch } = ledger;
  if (!isBaselineOpen(ledger) || halt || phase !== "executing" || phase === until) return undefined;
  const waiting = ledger.ready().filter(({ def }) => only === null || only.includes(def.id));
  if (slots === 0 || tip === null || waiting.length === 0) return undefined;
  return `check-baseline#${(ledger.baseline?.tries ?? 0) + 1}@${epoch}`;
}

// The whole branch against what the run says of it: each completed task's change is on it exactly once, and no change
// of anybody else's task is (G3). Between a move and the fact about it a mover may die, so the change of the one at the
// head of the queue may be there early; and what a person said in the meantime stands.
import type { Ledger } from "./ledger.ts";
import type { Simulation } from "./simulation.ts";

export function checkBranch(sim: Simulation, ledger: Ledger): void {
  const { git } = sim;
  let before = new Set<string>();
  for (const { id, changes } of git.history()) {
    const added = changes.filter((each) => !before.has(each));
    sim.check(added.length <= 1, "G3 one by one", () => `${id} brings ${added.join(" and ")}`);
    for (const change of added) {
      if (change.includes("#"))
        sim.check(
          isExpected(ledger, change, id),
          "G3 stray change",
          () => `${change} is on the branch as ${id}`,
        );
    }
    before = new Set(changes);
  }
  for (const { def, state, isVerified, commit, attempts } of ledger.tasks.values()) {
    if (state !== "complete" || !isVerified) continue;
    const isThere = commit !== null && git.isAncestor(commit, git.tip);
    const isIn = before.has(`${def.id}#${attempts}`) || git.takenBack.has(`${def.id}#${attempts}`);
    sim.check(isThere && isIn, "G3 lost change", () => `${def.id} is complete and not on the branch`);
  }
}

function isExpected(ledger: Ledger, change: string, commit: string): boolean {
  if (ledger.merged.has(change) || ledger.overtaken.has(change)) return true;
  const [head] = ledger.queue;
  const attempt = head === undefined ? undefined : ledger.at(head).attempt;
  return attempt?.candidate?.commit === commit && change === `${head}#${attempt.number}`;
}

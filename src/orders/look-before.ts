// Whether a command was green before its task had done anything (M6, X23): run on the commit that the attempt began from, it
// proves nothing about the work. The look at the run's base does not know what earlier tasks have changed since.
import type { Evidence } from "../core/run-parts.ts";
import { treeOf } from "../host/git/integrate.ts";
import type { Checking } from "../work/evidence/check-tree.ts";
import { type Giving, outcomeOf } from "./carrier.ts";

interface Before {
  readonly checking: Checking;
  readonly evidence: Evidence;
  /** The commit that the attempt began from. */
  readonly base: string;
  readonly on: string | undefined;
}

/** Marks what was green there. What cannot be tried stays unmarked: the work itself was checked. */
export async function markedBefore(
  giving: Giving,
  { checking, evidence, base, on }: Before,
  signal: AbortSignal,
): Promise<Evidence> {
  const asked = evidence.checks.filter(({ ok, before }) => ok && before !== "green");
  if (asked.length === 0 || base === "") return evidence;
  const folder = { ...checking.folder, room: `${checking.folder.room}-before` };
  const criteria = asked.map(({ criterion, command }) => ({ criterion, command }));
  const tree = await treeOf(checking.repository, base);
  const order = { ...checking, folder, criteria, tree, commit: base, on };
  const seen = await outcomeOf(giving, { kind: "run-checks", ...order }, signal);
  if (!seen.ok || !seen.evidence || signal.aborted) return evidence;
  const green = new Set(seen.evidence.checks.filter(({ ok }) => ok).map(({ command }) => command));
  const checks = evidence.checks.map((check) =>
    green.has(check.command) ? { ...check, before: "green" as const } : check,
  );
  return { ...evidence, checks };
}

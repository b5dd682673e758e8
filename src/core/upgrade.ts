// Old facts, read by a newer heddle. Each entry says how a fact written in that format reads in the next one.
// Facts themselves are never rewritten: an upgrade happens on the way from the journal to `apply`.
import { type Fact, factFormat } from "./fact.ts";
import type { Json } from "./run.ts";

export type StoredFact = { readonly kind: string } & { readonly [key: string]: Json };
export type Upgrades = Readonly<Record<number, (fact: StoredFact) => StoredFact>>;

/**
 * Format 7 asks a holder on another machine whether it is alive. Format 6 knows what a person made and which answers were used. Format 5 names the project by a mark (`journal/places.ts`), not by its place, has tasks that nothing checks, and the base.
 * Format 4 has held work. Format 3 has parked work. Format 2 may name folders relative to the project, and sums rows otherwise: what was written in 1 reads the same.
 */
const upgrades: Upgrades = {
  4: (fact) =>
    fact.kind === "halt-requested" ? { ...fact, ...haltOf(String(fact.reason), fact.code) } : fact,
};

/** A halt says since format 5 who it was about; before, its sentence did. */
function haltOf(reason: string, code: Json | undefined): { [key: string]: Json } {
  const role = code === "job" ? /^(\S+) could not do it/.exec(reason)?.[1] : undefined;
  return { ...(role !== undefined && { role }), ...(reason === "Ctrl-C" && { interrupted: true }) };
}

export function upgrade(stored: StoredFact, format: number, table: Upgrades = upgrades): Fact {
  let fact = stored;
  for (let at = format; at < factFormat; at++) fact = table[at]?.(fact) ?? fact;
  return fact as unknown as Fact;
}

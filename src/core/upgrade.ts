// Old facts, read by a newer heddle. Each entry says how a fact written in that format reads in the next one.
// Facts themselves are never rewritten: an upgrade happens on the way from the journal to `apply`.
import { type Fact, factFormat } from "./fact.ts";
import type { Json } from "./run.ts";

export type StoredFact = { readonly kind: string } & { readonly [key: string]: Json };
export type Upgrades = Readonly<Record<number, (fact: StoredFact) => StoredFact>>;

/** Format 3 has parked work. Format 2 may name folders relative to the project, and sums rows otherwise: what was written in 1 reads the same. */
export const upgrades: Upgrades = {};

export function upgrade(stored: StoredFact, format: number, table: Upgrades = upgrades): Fact {
  let fact = stored;
  for (let at = format; at < factFormat; at++) fact = table[at]?.(fact) ?? fact;
  return fact as unknown as Fact;
}

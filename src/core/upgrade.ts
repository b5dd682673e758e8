// Old facts, read by a newer heddle. Each entry says how a fact written in that format reads in the next one.
// Facts themselves are never rewritten: an upgrade happens on the way from the journal to `apply`.
import { type Fact, factFormat } from "./fact.ts";
import type { Json } from "./run.ts";

export type StoredFact = { readonly kind: string } & { readonly [key: string]: Json };
export type Upgrades = Readonly<Record<number, (fact: StoredFact) => StoredFact>>;

/** Format 1 is the first that was released, so there is nothing to upgrade from yet. */
export const upgrades: Upgrades = {};

export function upgrade(stored: StoredFact, format: number, table: Upgrades = upgrades): Fact {
  let fact = stored;
  for (let at = format; at < factFormat; at++) fact = table[at]?.(fact) ?? fact;
  return fact as unknown as Fact;
}

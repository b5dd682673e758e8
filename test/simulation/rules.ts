// What an entry is judged in: the ledger as it was before it, who wrote it, and what agents really said. Each rule
// of `rules-task.ts` and `rules-run.ts` checks one kind of fact and then enters it.
import type { Fact, FactKind, FactOf } from "../../src/core/fact.ts";
import type { Outcome } from "../../src/core/input.ts";
import type { Ledger } from "./ledger.ts";
import type { SimProcess } from "./process.ts";
import type { Simulation } from "./simulation.ts";

/** What an agent or the checks said about one key, as the simulation knows it. */
export interface Said {
  readonly ok: boolean;
  /** The definition that was worked on. */
  readonly digest: string;
  /** Whether the work was as good as was said. */
  readonly good: boolean;
  readonly outcome?: Outcome;
}

export interface Scene {
  readonly sim: Simulation;
  readonly ledger: Ledger;
  readonly process: SimProcess;
  /** Everything that was ever said about a piece of work, by its identity (`work.ts`). */
  readonly said: (identity: string) => readonly Said[];
  readonly kinds: readonly FactKind[];
}

export type Rules<K extends FactKind> = {
  readonly [Kind in K]?: (scene: Scene, fact: FactOf<Kind>) => void;
};

export type RuleOf = (scene: Scene, fact: Fact) => void;

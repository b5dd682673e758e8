// The list of packs: heddle's own protocols, in the order in which they are shown.
import { decompositionPack } from "./decomposition/pack.ts";
import { lifecyclePack } from "./lifecycle/pack.ts";
import { missionPack } from "./mission/pack.ts";
import type { Pack } from "./pack.ts";
import { tuningPack } from "./tuning/pack.ts";

export const packs: readonly Pack[] = [decompositionPack, lifecyclePack, missionPack, tuningPack];

/** What the pack of a run knows of its specification. */
export const covered: NonNullable<Pack["coverage"]> = async (run) =>
  (await packNamed(run.protocolName)?.coverage?.(run)) ?? null;

export const packNamed = (name: string): Pack | undefined => packs.find((pack) => pack.name === name);

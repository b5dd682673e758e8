// How others follow a run that is driven: a screen, lines, work beside the rules.
import type { Entry } from "../core/fact.ts";
import type { Run } from "../core/run.ts";

/** Done once the change is durable, with what this orchestrator wrote down. */
export type Afterwards = (written: readonly Entry[]) => void;

/** Looks at the run at every change of it, before that is durable: it does nothing but look, and says what is to be done. */
export type Changed = (run: Run) => Afterwards | undefined;

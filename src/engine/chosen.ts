// Which of several runs a person chose to work with: a file beside the journal, because it says nothing about any run. A run
// that was begun last is chosen until it is at its end; one that was named with `heddle runs use` until another one is.
import { join } from "node:path";
import { recordIn } from "../core/json.ts";
import { readIfThere, replaceFile } from "../host/files.ts";
import type { RunSummary } from "../journal/journal.ts";

interface Choice {
  readonly run: string;
  /** By name, and not by having been begun last. */
  readonly named: boolean;
}

const fileIn = (heddle: string) => join(heddle, "chosen.json");

export function choose(heddle: string, choice: Choice): void {
  replaceFile(fileIn(heddle), `${JSON.stringify(choice)}\n`);
}

/** Where it is the only one there is nothing to choose. */
export async function chooseBegun({ paths, journal }: Begun, run: string): Promise<void> {
  if ((await journal.runs()).length > 1) choose(paths.heddle, { run, named: false });
}

interface Begun {
  readonly paths: { readonly heddle: string };
  readonly journal: { runs(): Promise<readonly RunSummary[]> };
}

/** `open`: the runs that are not at their end, or all of them when all are. */
export function chosenOf(
  heddle: string,
  { runs, open }: { readonly runs: readonly RunSummary[]; readonly open: readonly RunSummary[] },
): RunSummary | undefined {
  if (runs.length < 2) return undefined;
  const { run, named } = recordIn<Partial<Choice>>(readIfThere(fileIn(heddle)) ?? "") ?? {};
  const found = (named === true ? runs : open).find(({ id, archived }) => id === run && !archived);
  // Having been begun last says nothing about a run of another kind beside it.
  const isOfOneKind = open.every(({ protocol }) => protocol === found?.protocol);
  return named === true || isOfOneKind ? found : undefined;
}

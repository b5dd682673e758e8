// Which run a command is about, when it names none: the only one that is at work, as far as that can be told.
import type { Hint } from "../core/hint.ts";
import { joined, toCall } from "../core/hint.ts";
import { problem, Refused } from "../core/problem.ts";
import type { Journal, RunSummary } from "../journal/journal.ts";
import { chosenOf } from "./chosen.ts";
import type { Packs } from "./packs.ts";

export interface Choice {
  readonly journal: Pick<Journal, "runs">;
  readonly packs: Packs;
  readonly heddle: string;
  /** The run that was named. */
  readonly named: string | undefined;
  /** The protocol that a command is about. */
  readonly among: string | undefined;
  /** It only looks: where all runs are at their end, the newest will do. */
  readonly looks?: boolean;
}

export async function chooseRun(choice: Choice): Promise<RunSummary> {
  const { journal, packs, named, among } = choice;
  const runs = await journal.runs();
  const active = await activeRuns(choice, runs);
  if (named !== undefined) {
    const found = runs.find((run) => run.id === named);
    if (found && (among ?? found.protocol) !== found.protocol)
      throw new Refused([
        problem("other-protocol", `\`${named}\` is a run of \`${found.protocol}\`: this is not for it`, {
          hint: toCall(`next --run ${named}`),
        }),
      ]);
    if (found) return found;
    throw new Refused([problem("unknown-run", `run \`${named}\` does not exist`, { hint: listed(runs) })]);
  }
  // Commands that name no run are about the work.
  const work = active.filter((run) => !packs.isBeside(run));
  const [only, ...others] = work.length > 0 ? work : active;
  const mine = runs.filter(({ protocol }) => (among ?? protocol) === protocol);
  const chosen = chosenOf(choice.heddle, { runs: mine, open: work.length > 0 ? work : active });
  if (chosen) return chosen;
  if (only && others.length === 0) return only;
  if (!only)
    throw new Refused([
      (among === undefined ? undefined : packs.noRun(among)) ??
        problem("no-run", "there is no run yet", {
          hint: [toCall('run "<task>"'), ", ", toCall("plan <spec>"), ", or: ", toCall('task new "<brief>"')],
        }),
    ]);
  const newest = active.at(-1);
  const areOpen = await hasOpen(choice, active);
  if (choice.looks && newest && !areOpen) return newest;
  const hint = joined(listed(active), "; ", toCall(`runs use ${active[0]?.id}`), " chooses one");
  throw new Refused([
    problem("several-runs", `several runs are ${areOpen ? "active" : "finished: say which one"}`, { hint }),
  ]);
}

/** Of several runs, those that are not at their end; when all are, all of them. */
export async function activeRuns(
  { packs, heddle, among }: Choice,
  runs: readonly RunSummary[],
): Promise<readonly RunSummary[]> {
  const mine = runs.filter(({ archived, protocol }) => !archived && (among ?? protocol) === protocol);
  if (mine.length < 2) return mine;
  const open: RunSummary[] = [];
  for (const run of mine) if (await isOpen({ packs, heddle }, run)) open.push(run);
  return open.length > 0 ? open : mine;
}

async function isOpen(
  { packs, heddle }: Pick<Choice, "packs" | "heddle">,
  { protocol, phase }: RunSummary,
): Promise<boolean> {
  const table = await readable(packs.load(protocol, heddle));
  const phases = table && !("problems" in table) ? table.phases : [];
  return !phases.find(({ name }) => name === phase)?.end;
}

async function hasOpen(choice: Choice, runs: readonly RunSummary[]): Promise<boolean> {
  for (const run of runs) if (await isOpen(choice, run)) return true;
  return false;
}

/** A project's own protocol may be broken: that is a matter of the runs that follow it, and of no other. */
export function readable<T>(loading: Promise<T>): Promise<T | Refused> {
  return loading.catch((error: unknown) => {
    if (error instanceof Refused) return error;
    throw error;
  });
}

function listed(runs: readonly { readonly id: string; readonly phase: string }[]): Hint {
  return runs.length === 0
    ? toCall("init <target>")
    : runs.map((run) => `--run ${run.id} (${run.phase})`).join(", ");
}

// Before a plan is judged as a whole, heddle runs every acceptance command of it once more, on the commit that is judged:
// each was green when its task was merged, and what came after may have broken it (G4).
import { join } from "node:path";
import type { Outcome } from "../core/input.ts";
import { ownRecord } from "../core/json.ts";
import type { Run } from "../core/run.ts";
import type { Check, Job } from "../core/run-parts.ts";
import { replaceFile } from "../host/files.ts";
import { treeOf } from "../host/git/integrate.ts";
import { readRecord } from "../host/handed-in.ts";
import { attemptFolder } from "../work/attempt-folder.ts";
import { againstBaseline } from "../work/evidence/against-baseline.ts";
import { checkingOf, type Execution, markOf } from "./attempts.ts";
import { outcomeOf } from "./carrier.ts";

export interface FinalChecks {
  readonly tip: string;
  readonly checks: readonly Check[];
}

const placeOf = ({ app }: Pick<Execution, "app">, run: string, { role, attempt }: Job) =>
  attemptFolder(app.paths.heddle, run, { task: role, attempt });

/** What was seen for this attempt of the verifier; nothing when it could not be tried. */
export function finalChecksOf(
  execution: Pick<Execution, "app">,
  run: Run,
  job: Job,
): FinalChecks | undefined {
  const file = join(placeOf(execution, run.id, job).folder, "final-checks.json");
  return ownRecord<FinalChecks>(file, readRecord(file));
}

export interface Finally {
  readonly signal: AbortSignal;
  /** Of work that the run's tasks no longer name. */
  readonly earlier?: (run: Run) => readonly Criterion[];
}

/** Nothing when they ran, whatever came of them; otherwise what was in the way. */
export async function runFinalChecks(
  execution: Execution,
  job: Job,
  { signal, earlier = () => [] }: Finally,
): Promise<Outcome | undefined> {
  if (job.makes !== "verification") return undefined;
  const { app, repository } = execution;
  const run = await app.run();
  const { tip, criteria, baseline } = await app.journal.read(run, (state) => ({
    tip: state.branch?.tip ?? "",
    criteria: eachOnce([...earlier(state), ...criteriaOf(state)]),
    baseline: state.baseline,
  }));
  const folder = placeOf(execution, run, job);
  const file = join(folder.folder, "final-checks.json");
  if (ownRecord<FinalChecks>(file, readRecord(file))?.tip === tip) return undefined;
  const mark = markOf(app, run, { task: job.role, attempt: job.attempt });
  const tree = await treeOf(repository, tip);
  const order = { ...checkingOf(execution), folder, criteria, mark, tree, commit: tip };
  const seen = await outcomeOf(execution, { kind: "run-checks", ...order }, signal);
  if (!seen.ok) return seen;
  if (signal.aborted || !seen.evidence) return undefined;
  const { checks } = againstBaseline(seen.evidence, baseline);
  replaceFile(file, JSON.stringify({ tip, checks } satisfies FinalChecks));
  return undefined;
}

export interface Criterion {
  readonly criterion: string;
  readonly command: string;
}

/** Of what was done. */
function criteriaOf({ tasks }: Run): Criterion[] {
  return [...tasks.all()]
    .filter(({ state }) => state === "complete")
    .flatMap(({ def }) =>
      def.criteria.map(({ criterion, command }) => ({ criterion: `${def.id}: ${criterion}`, command })),
    );
}

const eachOnce = (all: readonly Criterion[]) => [
  ...new Map(all.map((each) => [each.command, each])).values(),
];

// Before a plan is judged as a whole, heddle runs every acceptance command of it once more, on the commit that is judged:
// each was green when its task was merged, and what came after may have broken it (G4).
import { join } from "node:path";
import type { Check, Job } from "../core/parts.ts";
import { isProblem } from "../core/problem.ts";
import type { Run } from "../core/run.ts";
import { attemptFolder } from "../effects/attempt-folder.ts";
import { checkTree } from "../effects/check-tree.ts";
import { readIfThere, replaceFile } from "../host/files.ts";
import { treeOf } from "../host/integrate.ts";
import { checkingOf, type Execution, markOf } from "./attempts.ts";

interface Kept {
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
): readonly Check[] | undefined {
  const text = readIfThere(join(placeOf(execution, run.id, job).folder, "final-checks.json"));
  return text === undefined ? undefined : (JSON.parse(text) as Kept).checks;
}

export async function runFinalChecks(execution: Execution, job: Job, signal: AbortSignal): Promise<void> {
  if (job.makes !== "verification") return;
  const { app, repository } = execution;
  const run = await app.run();
  const { tip, criteria } = await app.journal.read(run, (state) => ({
    tip: state.branch?.tip ?? "",
    criteria: criteriaOf(state),
  }));
  const folder = placeOf(execution, run, job);
  const file = join(folder.folder, "final-checks.json");
  const kept = readIfThere(file);
  if (kept !== undefined && (JSON.parse(kept) as Kept).tip === tip) return;
  const mark = markOf(app, run, { task: job.role, attempt: job.attempt });
  const tree = await treeOf(repository, tip);
  const evidence = await checkTree({ ...checkingOf(execution), folder, criteria, mark }, tree, signal);
  if (signal.aborted || isProblem(evidence)) return;
  replaceFile(file, JSON.stringify({ tip, checks: evidence.checks } satisfies Kept));
}

/** Of what was done, each command once. */
function criteriaOf({ tasks }: Run): { criterion: string; command: string }[] {
  const all = [...tasks.all()]
    .filter(({ state }) => state === "complete")
    .flatMap(({ def }) =>
      def.criteria.map(({ criterion, command }) => ({ criterion: `${def.id}: ${criterion}`, command })),
    );
  return [...new Map(all.map((each) => [each.command, each])).values()];
}

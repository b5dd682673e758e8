// What the two roles are given that verify a plan as a whole: the verifier what must be true and what heddle saw, the
// task-author the gaps as well as everything that its first plan was made from.
import { wroteNothing } from "../../core/meanings/job.ts";
import type { Run } from "../../core/run.ts";
import type { Check } from "../../core/run-parts.ts";
import { fileDigest } from "../../host/digest.ts";
import type { TreeOrder } from "../../orders/contract.ts";
import { evidenceOf, finalChecks, roleBundle } from "../mission/bundle.ts";
import { mustHavesOf } from "./must-haves.ts";
import { fileOf, placesIn } from "./plan-files.ts";
import { type PlanningOrder, planningBundle } from "./planning-bundle.ts";

export interface Beside {
  readonly preferences: PlanningOrder["preferences"];
  /** Every command of the plan, as heddle ran it on the tree that is judged. */
  readonly checks: readonly Check[] | undefined;
}

export function verifyBundle(run: Run, order: TreeOrder, { preferences, checks }: Beside): string {
  const { role, broken } = order;
  if (role === "task-author") return `${JSON.stringify(authorBundle(run, order, preferences), null, 2)}\n`;
  const named = (name: string) => ({ path: fileOf(run, name), sha256: fileDigest(fileOf(run, name)) });
  const inputs = { spec: named("spec"), capability_map: named("capability_map"), tasks: named("tasks") };
  return roleBundle(run, order, {
    kind: "verification",
    ...(broken === undefined && {
      inputs: { ...inputs, ...previous(order) },
      must_haves: mustHavesOf(run),
      evidence: evidenceOf(run),
      final_checks: finalChecks(checks ?? []),
    }),
  });
}

const previous = ({ previous: path }: TreeOrder) =>
  path === undefined ? {} : { previous: { path, sha256: null } };

function authorBundle(run: Run, order: TreeOrder, preferences: Beside["preferences"]) {
  const { job, role, skill, bundle, output, workspace } = order;
  const { problems = [] } = run.jobs[job.role] ?? {};
  const missed = wroteNothing(run, job.role);
  return planningBundle(
    {
      places: { ...placesIn(run), targetDir: workspace },
      heddleDir: "",
      run: run.id,
      phase: run.phase,
      role,
      makes: "gap_tasks",
      attempt: job.attempt,
      output,
      bundle,
      metadata: run.metadata,
      problems,
      reminder: missed ? `write the tasks into ${output}: nothing else counts` : null,
      answers: run.questions.filter(({ about, answer }) => about === job.role && answer !== null),
      preferences,
      ...(order.previous !== undefined && { previous: order.previous }),
    },
    skill,
  );
}

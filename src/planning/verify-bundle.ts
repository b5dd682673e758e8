// What the two roles are given that verify a plan as a whole: the verifier what must be true and what heddle saw, the
// task-author the gaps as well as everything that its first plan was made from.
import type { Check } from "../core/parts.ts";
import type { Run } from "../core/run.ts";
import { fileDigest } from "../host/digest.ts";
import { evidenceOf, type MissionOrder, roleBundle } from "./mission-bundle.ts";
import { mustHavesOf } from "./must-haves.ts";
import { fileOf } from "./plan-files.ts";
import { planningBundle, type RoleOrder } from "./planning-bundle.ts";

export interface Beside {
  readonly preferences: RoleOrder["preferences"];
  /** Every command of the plan, as heddle ran it on the tree that is judged. */
  readonly checks: readonly Check[] | undefined;
}

export function verifyBundle(run: Run, order: MissionOrder, { preferences, checks }: Beside): string {
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
      final_checks: (checks ?? []).map(({ criterion, command, ok, exit, note }) => ({
        criterion,
        command,
        ok,
        exit,
        note,
      })),
    }),
  });
}

const previous = ({ previous: path }: MissionOrder) =>
  path === undefined ? {} : { previous: { path, sha256: null } };

function authorBundle(run: Run, order: MissionOrder, preferences: Beside["preferences"]) {
  const { job, role, skill, bundle, output, workspace } = order;
  const { problems = [] } = run.jobs[job.role] ?? {};
  const missed = problems[0]?.startsWith("nothing fresh lies at") ?? false;
  return planningBundle(
    {
      places: { planningDir: run.planningDir, targetDir: workspace },
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

// The effects of planning, put together: which agent works for which role, what it is given, and where.

import { join } from "node:path";
import type { Config } from "../../config/config.ts";
import type { Outcome } from "../../core/input.ts";
import { wroteNothing } from "../../core/meanings/job.ts";
import { impossible } from "../../core/outcome.ts";
import { isProblem } from "../../core/problem.ts";
import type { Run } from "../../core/run.ts";
import type { Job } from "../../core/run-parts.ts";
import type { App } from "../../engine/app.ts";
import type { Carriers } from "../../engine/world.ts";
import { isThere, replaceFile } from "../../host/files.ts";
import type { Agents } from "../../orders/agents.ts";
import {
  type Fixing,
  folderFor,
  foldersOf,
  type RoleAttempt,
  refusedBefore,
  roleCarriers,
  workerAs,
} from "../../orders/roles.ts";
import type { Skill } from "../../work/given/skill.ts";
import { packageParts } from "../../work/package.ts";
import type { Watch } from "../../work/run-agent.ts";
import type { Makes, Planned } from "./check-output.ts";
import { placesIn } from "./plan-files.ts";
import { type PlanningOrder, planningBundle } from "./planning-bundle.ts";
import { planningProduct } from "./product.ts";
import { isReview } from "./review/question.ts";

export interface Planning {
  readonly app: App;
  readonly config: Config;
  readonly agents: Agents;
  readonly preferences: PlanningOrder["preferences"];
  readonly watch: Watch;
}

export function planningCarriers(planning: Planning): Carriers {
  const { app, watch } = planning;
  return roleCarriers({
    app,
    watch,
    attempt: (job, fixing) => attemptOf(planning, job, fixing),
    product: async (job) =>
      planningProduct(job.makes as Planned, await app.journal.read(await app.run(), placesIn)),
  });
}

async function attemptOf(planning: Planning, job: Job, fixing?: Fixing): Promise<RoleAttempt | Outcome> {
  const { app } = planning;
  const phase = await app.look((state) => state.phase);
  const worker = workerAs(fixing?.role ?? job.role, phase, planning);
  if (isProblem(worker)) return impossible(worker.message);
  const { skill, ...who } = worker;
  const { role } = who;
  const folders = await foldersOf(app, job);
  const folder = folderFor(folders.folder, fixing);
  const order = await app.journal.read(await app.run(), (state) =>
    orderFor(planning, state, { job, role, bundle: folder.bundle, output: folder.output }),
  );
  const { planningDir, targetDir } = order.places;
  const before = fixing ? undefined : refusedBefore(folders.before);
  const whole = {
    ...order,
    ...(before !== undefined && { previous: folder.previous }),
    ...(fixing && { broken: fixing.broken, problems: [], reminder: null }),
  };
  return {
    ...(before !== undefined && { before }),
    ...who,
    attempt: job.attempt,
    product: planningProduct(job.makes as Planned, order.places),
    bundle: () => bundleText(whole, skill),
    folder,
    readable: [planningDir, targetDir, ...packageParts(), skill.path].filter(isThere),
  };
}

/** Kept beside the plan as well, for people: `heddle bundle show <role>` reads the latest. */
function bundleText(order: PlanningOrder, skill: Skill): string {
  const text = `${JSON.stringify(planningBundle(order, skill), null, 2)}\n`;
  replaceFile(join(order.places.planningDir, "bundles", `${order.role}-bundle.json`), text);
  return text;
}

interface RoleFiles {
  readonly job: Job;
  readonly role: string;
  readonly bundle: string;
  readonly output: string;
}

function orderFor(
  { app, preferences }: Planning,
  run: Run,
  { job, role, bundle, output }: RoleFiles,
): PlanningOrder {
  const { problems = [] } = run.jobs[job.role] ?? {};
  const missed = wroteNothing(run, job.role);
  return {
    places: placesIn(run),
    heddleDir: app.paths.heddle,
    run: run.id,
    phase: run.phase,
    role,
    makes: job.makes as Makes,
    attempt: job.attempt,
    output,
    bundle,
    metadata: run.metadata,
    problems,
    reminder: missed ? `write the output to ${output}: what is written elsewhere does not count` : null,
    answers: run.questions.filter(
      (question) => question.answer !== null && (question.about === job.role || isReview(question)),
    ),
    preferences,
  };
}

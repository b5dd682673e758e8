// The effects of jobs whose artifacts lie in the run's folder, put together: which agent works for which role, what it
// is given, and where. What the lifecycle's roles need beyond a document is in `code.ts` and `accept.ts`.

import { join } from "node:path";
import type { Config } from "../../config/config.ts";
import { fork } from "../../core/apply.ts";
import { isByHand } from "../../core/artifact.ts";
import { effectOfJob } from "../../core/effect.ts";
import type { Outcome } from "../../core/input.ts";
import { impossible } from "../../core/outcome.ts";
import { isProblem } from "../../core/problem.ts";
import type { Run } from "../../core/run.ts";
import type { Job } from "../../core/run-parts.ts";
import type { App } from "../../engine/app.ts";
import type { Carriers } from "../../engine/world.ts";
import { wallClock } from "../../host/clock.ts";
import { copyTree, isThere, makeFolder, replaceFile } from "../../host/files.ts";
import type { Fence } from "../../host/git/move-branch.ts";
import { readRecord } from "../../host/handed-in.ts";
import type { Agents } from "../../orders/agents.ts";
import type { BoxChoice } from "../../orders/box.ts";
import {
  askRole,
  type Fixing,
  folderFor,
  lookAtOutput,
  type RoleAttempt,
  refusedBefore,
  repairRole,
  workerAs,
} from "../../orders/roles.ts";
import { approvalsFor } from "../../orders/steering.ts";
import { hintText } from "../../view/hint.ts";
import { type AttemptFolder, attemptFolder } from "../../work/attempt-folder.ts";
import { packageParts } from "../../work/package.ts";
import type { Product } from "../../work/product.ts";
import { type RoleFolder, roleFolder } from "../../work/role-folder.ts";
import type { Watch } from "../../work/run-agent.ts";
import { checkDocument } from "./check-document.ts";
import { documentProduct } from "./document.ts";
import { type JobOrder, jobBundle } from "./job-bundle.ts";
import { digestAt, fileOf } from "./run-files.ts";

export interface Jobs {
  readonly app: App;
  readonly config: Config;
  readonly agents: Agents;
  readonly box: BoxChoice;
  readonly watch: Watch;
}

/** A job as its effects see it: the run as it is now, and the attempt's folder. */
export interface Scene {
  readonly run: Run;
  readonly job: Job;
  readonly folder: RoleFolder;
  readonly attempt: AttemptFolder;
  /** The same for every orchestrator, so that what an earlier one left alive can be found. */
  readonly mark: string;
  readonly fence: Fence;
}

/** What a role does that is more than a document, or less. */
export interface Part {
  /** heddle plays it itself, and runs programs for it: it needs a box, and no agent. */
  readonly runsPrograms?: boolean;
  readonly work?: (jobs: Jobs, scene: Scene, signal: AbortSignal) => Promise<Outcome>;
  readonly check?: (jobs: Jobs, scene: Scene, signal: AbortSignal) => Promise<Outcome>;
}

export function jobCarriers(jobs: Jobs, parts: Readonly<Record<string, Part>>): Carriers {
  return {
    "run-role": async ({ job }, signal) => {
      const scene = await sceneOf(jobs, job);
      return (parts[job.role]?.work ?? workOnDocument)(jobs, scene, signal);
    },
    "check-output": async ({ job }, signal) => {
      const scene = await sceneOf(jobs, job);
      return (parts[job.role]?.check ?? checkDocumentOf)(jobs, scene, signal);
    },
    "repair-output": async ({ job }, signal) => {
      const scene = await sceneOf(jobs, job);
      const product = documentProduct(scene.run, job.makes);
      const attempt = async (_job: Job, fixing?: Fixing) => roleAttempt(jobs, scene, { product, fixing });
      return repairRole({ ...jobs, attempt, product: async () => product }, job, signal);
    },
  };
}

async function sceneOf({ app }: Jobs, job: Job): Promise<Scene> {
  const id = await app.run();
  const run = await app.journal.read(id, fork);
  const { key } = effectOfJob(run, job);
  return {
    run,
    job,
    folder: roleFolder(app.paths.heddle, id, job),
    attempt: attemptFolder(app.paths.heddle, id, { task: job.role, attempt: job.attempt }),
    mark: `heddle ${app.paths.root} ${id} ${job.role} ${job.attempt}`,
    fence: (swap) => app.inTurnIf((now) => now.job !== null && effectOfJob(now, now.job).key === key, swap),
  };
}

/** When the attempt began: whatever is made of it bears this time, so that making it again gives the same. */
export function beganAt({ folder }: Pick<Scene, "folder">): string {
  const file = join(folder.folder, "began");
  const known = readRecord(file);
  if (known) return known;
  const at = wallClock();
  makeFolder(folder.folder);
  replaceFile(file, at);
  return at;
}

async function workOnDocument(jobs: Jobs, scene: Scene, signal: AbortSignal): Promise<Outcome> {
  if (takenOver(scene)) return { ok: true };
  const attempt = roleAttempt(jobs, scene, { product: documentProduct(scene.run, scene.job.makes) });
  return "ok" in attempt ? attempt : askRole(jobs, attempt, signal);
}

/** What a person wrote by hand, and heddle has not carried out yet, is the output: nobody is paid for another. */
function takenOver({ run, job, folder }: Scene): boolean {
  if (!isHandMade(run, job.makes)) return false;
  makeFolder(folder.outbox);
  copyTree(fileOf(run, job.makes), folder.output);
  return true;
}

export function isHandMade(run: Run, makes: string): boolean {
  const there = run.artifacts[makes];
  const path = fileOf(run, makes);
  if (!there || there.valid || there.digest === "" || digestAt(path) !== there.digest) return false;
  if (isByHand(there)) return true;
  return checkDocument(run.protocol, makes, path)?.content !== undefined;
}

async function checkDocumentOf(jobs: Jobs, scene: Scene): Promise<Outcome> {
  return checked(jobs, scene, documentProduct(scene.run, scene.job.makes));
}

export function checked({ app }: Jobs, scene: Scene, product: Product): Outcome {
  return lookAtOutput({ folder: scene.folder, before: earlier(app, scene) }, product);
}

/** The attempt before this one. What a coder hands in is its code: the words beside it may well be the same again. */
function earlier(app: App, { run, job }: Scene): RoleFolder | undefined {
  if (job.attempt < 2 || job.role === "coder") return undefined;
  return roleFolder(app.paths.heddle, run.id, { ...job, attempt: job.attempt - 1 });
}

/** What is different from a role that reads and writes one document. */
interface Difference extends Partial<Pick<RoleAttempt, "place">> {
  readonly product: Product;
  readonly fixing?: Fixing | undefined;
  readonly order?: Partial<JobOrder>;
  readonly readable?: readonly string[];
}

export function roleAttempt(jobs: Jobs, scene: Scene, difference: Difference): RoleAttempt | Outcome {
  const { run, job } = scene;
  const { fixing } = difference;
  const folder = folderFor(scene.folder, fixing);
  const worker = workerAs(fixing?.role ?? job.role, run.phase, jobs);
  if (isProblem(worker)) return impossible(`${worker.message}; ${hintText(worker.hint ?? "")}`);
  const { skill, ...who } = worker;
  const readable = [
    ...[run.planningDir, run.targetDir, ...packageParts(), skill.path],
    ...(difference.readable ?? []),
  ].filter(isThere);
  const before = fixing ? undefined : refusedBefore(earlier(jobs.app, scene));
  const order: JobOrder = {
    ...{ job, role: who.role, skill, bundle: folder.bundle, output: folder.output },
    ...(before !== undefined && { previous: folder.previous }),
    ...(fixing && { broken: fixing.broken }),
    ...difference.order,
  };
  return {
    ...who,
    attempt: job.attempt,
    ...{ product: difference.product, bundle: () => jobBundle(run, order), folder, readable },
    ...(difference.place && {
      place: difference.place,
      settings: { approved: approvalsFor(run.targetDir), root: scene.attempt.work },
    }),
    ...(before !== undefined && { before }),
  };
}

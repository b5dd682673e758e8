// The effects of jobs whose artifacts lie in the run's folder, put together: which agent works for which role, what it
// is given, and where. What the lifecycle's roles need beyond a document is in `code.ts` and `accept.ts`.
import { dirname, join } from "node:path";
import type { AgentEvent } from "../agents/agent.ts";
import type { Config } from "../config/config.ts";
import { fork } from "../core/apply.ts";
import { effectOfJob } from "../core/effect.ts";
import type { Outcome } from "../core/input.ts";
import type { Job } from "../core/parts.ts";
import { isProblem } from "../core/problem.ts";
import type { Run } from "../core/run.ts";
import { type AttemptFolder, attemptFolder } from "../effects/attempt-folder.ts";
import { checkRoleOutput } from "../effects/check-output.ts";
import { brokenFile, repairOutput } from "../effects/repair-output.ts";
import { fixerFolder, type RoleFolder, roleFolder } from "../effects/role-folder.ts";
import { type RoleWork, runRole } from "../effects/run-role.ts";
import { wallClock } from "../host/clock.ts";
import { secretValues } from "../host/environment.ts";
import { copyTree, isThere, makeFolder, readIfThere, replaceFile } from "../host/files.ts";
import type { Fence } from "../host/move-branch.ts";
import { redactor } from "../host/redact.ts";
import { checkDocument } from "../jobs/check-document.ts";
import { documentProduct } from "../jobs/document.ts";
import { type JobOrder, jobBundle } from "../jobs/job-bundle.ts";
import { digestAt, fileOf } from "../jobs/run-files.ts";
import { packageDir } from "../planning/package.ts";
import { type Skill, skillOf } from "../planning/planning-bundle.ts";
import type { Product } from "../planning/product.ts";
import type { Agents } from "./agents.ts";
import type { App } from "./app.ts";
import type { BoxChoice } from "./box.ts";
import { limitsFor } from "./config.ts";
import { trustIn } from "./steering.ts";
import type { Carriers } from "./world.ts";

export interface Jobs {
  readonly app: App;
  readonly config: Config;
  readonly agents: Agents;
  readonly box: BoxChoice;
  readonly watch: (role: string, event: AgentEvent) => void;
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
    "repair-output": async ({ job }, signal) => repair(jobs, await sceneOf(jobs, job), signal),
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
    fence: (swap) =>
      app.journal.exclusive(id, (now) =>
        now.job && effectOfJob(now, now.job).key === key ? swap() : undefined,
      ),
  };
}

/** When the attempt began: whatever is made of it bears this time, so that making it again gives the same. */
export function beganAt({ folder }: Pick<Scene, "folder">): string {
  const file = join(folder.folder, "began");
  const known = readIfThere(file);
  if (known) return known;
  const at = wallClock();
  makeFolder(folder.folder);
  replaceFile(file, at);
  return at;
}

async function workOnDocument(jobs: Jobs, scene: Scene, signal: AbortSignal): Promise<Outcome> {
  if (takenOver(scene)) return { ok: true };
  const work = roleWork(jobs, scene, { product: documentProduct(scene.run, scene.job.makes) });
  return "ok" in work ? work : runRole(work, signal);
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
  return checkDocument(run.protocol, makes, path)?.content !== undefined;
}

async function checkDocumentOf(jobs: Jobs, scene: Scene): Promise<Outcome> {
  return checked(jobs, scene, documentProduct(scene.run, scene.job.makes));
}

export function checked({ app }: Jobs, scene: Scene, product: Product): Outcome {
  const before = earlier(app, scene);
  const redact = redactor(secretValues(process.env)).text;
  return checkRoleOutput({ folder: scene.folder, before, product, redact });
}

/** The attempt before this one. What a coder hands in is its code: the words beside it may well be the same again. */
function earlier(app: App, { run, job }: Scene): RoleFolder | undefined {
  if (job.attempt < 2 || job.role === "coder") return undefined;
  return roleFolder(app.paths.heddle, run.id, { ...job, attempt: job.attempt - 1 });
}

/** What is different from a role that reads and writes one document. */
interface Difference extends Partial<Pick<RoleWork, "place">> {
  readonly product: Product;
  readonly order?: Partial<JobOrder>;
  readonly readable?: readonly string[];
}

export function roleWork(jobs: Jobs, scene: Scene, difference: Difference): RoleWork | Outcome {
  const { app, config, agents, watch } = jobs;
  const { run, job } = scene;
  const role = difference.order?.role ?? job.role;
  const folder = role === "fixer" ? fixerFolder(scene.folder) : scene.folder;
  const skill = skillOf(role, app.paths.heddle);
  if (isProblem(skill)) return impossible(skill.message);
  const agent = agents.forRole(role, { phase: run.phase });
  if (isProblem(agent)) return impossible(`${agent.message}; ${agent.hint ?? ""}`);
  const readable = [
    ...[run.planningDir, run.targetDir, packageDir(), (skill as Skill).path],
    ...(difference.readable ?? []),
  ].filter(isThere);
  const before = role === "fixer" ? undefined : refusedBefore(app, scene);
  const order: JobOrder = {
    ...{ job, role, skill: skill as Skill, bundle: folder.bundle, output: folder.output },
    ...(before !== undefined && { previous: folder.previous }),
    ...difference.order,
  };
  return {
    ...{
      agent,
      limits: limitsFor(config, { role, agent: agent.name, phase: run.phase }),
      role,
      attempt: job.attempt,
    },
    park: agents.park(role, { phase: run.phase }),
    ...{ product: difference.product, bundle: () => jobBundle(run, order), folder, readable, watch },
    ...(difference.place && {
      place: difference.place,
      trust: trustIn(run.targetDir, scene.attempt.work),
    }),
    ...(before !== undefined && { before }),
  };
}

function refusedBefore(app: App, scene: Scene): string | undefined {
  const before = earlier(app, scene);
  return before && isThere(before.refused) ? before.output : undefined;
}

export function impossible(error: string): Outcome {
  return { ok: false, error, category: "environment", subcategory: null, retryable: false };
}

export function failure(category: string, error: string): Extract<Outcome, { ok: false }> {
  return { ok: false, error, category, subcategory: null, retryable: true };
}

async function repair(jobs: Jobs, scene: Scene, signal: AbortSignal): Promise<Outcome> {
  const { output } = scene.folder;
  const broken = brokenFile("file", output);
  if (broken === undefined) return { ok: true };
  const order = { role: "fixer", broken };
  const product = documentProduct(scene.run, scene.job.makes);
  const work = roleWork(jobs, scene, { product, order, readable: [dirname(output)] });
  return "ok" in work ? { ok: true } : repairOutput(work, broken, signal);
}

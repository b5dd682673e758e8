// A role's attempt, the same for every protocol: the order for its agent, the look at its output, the fixer's one turn. What
// differs is who works, what it is given, where, and what it makes (`RoleContract`).
import { dirname } from "node:path";
import { recipeOf } from "../agents/recipe.ts";
import type { Config } from "../config/config.ts";
import type { Outcome } from "../core/input.ts";
import { isProblem, type Problem } from "../core/problem.ts";
import type { Job } from "../core/run-parts.ts";
import type { App } from "../engine/app.ts";
import type { Carriers } from "../engine/world.ts";
import { isThere } from "../host/files.ts";
import { secretValues } from "../host/program/environment.ts";
import { redactor } from "../host/program/redact.ts";
import { checkRoleOutput } from "../work/check-output.ts";
import { type Skill, skillOf } from "../work/given/skill.ts";
import type { RoleOrder } from "../work/order.ts";
import type { Product } from "../work/product.ts";
import { brokenFile } from "../work/repair-output.ts";
import { fixerFolder, type RoleFolder, roleFolder } from "../work/role-folder.ts";
import { isRightAlready, type RoleWork } from "../work/run-role.ts";
import type { Agents } from "./agents.ts";
import { type Giving, outcomeOf } from "./carrier.ts";
import { limitsFor } from "./config.ts";

/** An attempt of a role, as its protocol puts it together. */
export interface RoleAttempt extends Omit<RoleWork, "watch" | "trust"> {
  /** Where it works among the repository's files: what of their settings a person approved. */
  readonly settings?: NonNullable<RoleOrder["settings"]>;
}

/** Who fixes which file of what was taken over. */
export interface Fixing {
  readonly role: "fixer";
  readonly broken: string;
}

/** Who works as a role in a phase, by which skill, and within which limits. */
export interface RoleWorker extends Pick<RoleAttempt, "role" | "agent" | "limits" | "park"> {
  readonly skill: Skill;
}

interface Hiring {
  readonly app: App;
  readonly config: Config;
  readonly agents: Agents;
}

export function workerAs(role: string, phase: string, { app, config, agents }: Hiring): RoleWorker | Problem {
  const skill = skillOf(role, app.paths.heddle);
  if (isProblem(skill)) return skill;
  const agent = agents.forRole(role, { phase });
  if (isProblem(agent)) return agent;
  const limits = limitsFor(config, { role, agent: agent.name, phase });
  return { role, agent, limits, park: agents.park(role, { phase }), skill };
}

export interface RolesAtWork extends Giving {
  /** Everything that an attempt needs; or why there can be none. */
  readonly attempt: (job: Job, fixing?: Fixing) => Promise<RoleAttempt | Outcome>;
  readonly product: (job: Job) => Promise<Product>;
  /** What heddle itself does before an attempt is put together; an outcome when it cannot begin. */
  readonly begin?: (job: Job, signal: AbortSignal) => Promise<Outcome | undefined>;
  /** Makes the place where it works: what more it may read then, or why it cannot be asked. */
  readonly prepare?: (attempt: RoleAttempt, signal: AbortSignal) => Promise<readonly string[] | Outcome>;
  /** What is cleared away once its output was looked at. */
  readonly clear?: (folder: RoleFolder) => Promise<unknown>;
}

export function roleCarriers(roles: RolesAtWork): Carriers {
  return {
    "run-role": async ({ job }, signal) => {
      const hindrance = await roles.begin?.(job, signal);
      if (hindrance) return hindrance;
      const attempt = await roles.attempt(job);
      if ("ok" in attempt) return attempt;
      const more = (await roles.prepare?.(attempt, signal)) ?? [];
      if ("ok" in more) return more;
      return askRole(roles, { ...attempt, readable: [...attempt.readable, ...more] }, signal);
    },
    "check-output": async ({ job }) => {
      const product = await roles.product(job);
      const outcome = lookAtOutput(await foldersOf(roles.app, job), product);
      await roles.clear?.((await foldersOf(roles.app, job)).folder);
      return outcome;
    },
    "repair-output": async ({ job }, signal) => repairRole(roles, job, signal),
  };
}

/** Of an attempt, and of the one before it. */
export interface RoleFolders {
  readonly folder: RoleFolder;
  readonly before: RoleFolder | undefined;
}

export async function foldersOf(app: App, job: Job): Promise<RoleFolders> {
  const run = await app.run();
  const at = (attempt: number) => roleFolder(app.paths.heddle, run, { ...job, attempt });
  return { folder: at(job.attempt), before: job.attempt > 1 ? at(job.attempt - 1) : undefined };
}

/** Where a role works; the fixer works beside the attempt whose output it fixes. */
export const folderFor = (attempt: RoleFolder, fixing: Fixing | undefined) =>
  fixing ? fixerFolder(attempt) : attempt;

/** heddle's copy of what the attempt before handed in, where it was refused. */
export const refusedBefore = (before: RoleFolder | undefined) =>
  before && isThere(before.refused) ? before.taken : undefined;

/** Asks the agent, unless one that died had done it already. */
export async function askRole(asked: Giving, attempt: RoleAttempt, signal: AbortSignal): Promise<Outcome> {
  const { folder, product } = attempt;
  if (!isThere(folder.ended) && isRightAlready(product, folder)) return { ok: true };
  const order = { kind: "run-role" as const, ...orderOf(attempt), park: attempt.park };
  const outcome = await outcomeOf(asked, order, signal);
  if (outcome.ok || outcome.kind !== "lost" || !isRightAlready(product, folder)) return outcome;
  // It was carried out elsewhere, and what the agent had made before it ended is here only now.
  return { ok: true, ...(outcome.usage && { usage: outcome.usage }) };
}

export async function repairRole(roles: RolesAtWork, job: Job, signal: AbortSignal): Promise<Outcome> {
  const { taken } = (await foldersOf(roles.app, job)).folder;
  const broken = brokenFile((await roles.product(job)).kind, taken);
  if (broken === undefined) return { ok: true };
  const attempt = await roles.attempt(job, { role: "fixer", broken });
  // Without a fixer the check that follows says what is wrong.
  if ("ok" in attempt) return { ok: true };
  const order = orderOf({ ...attempt, readable: [...attempt.readable, dirname(taken)] });
  return outcomeOf(roles, { kind: "repair-output", ...order, broken, park: attempt.park }, signal);
}

export function lookAtOutput({ folder, before }: RoleFolders, product: Product): Outcome {
  const redact = redactor(secretValues(process.env)).text;
  return checkRoleOutput({ folder, before, product, redact });
}

function orderOf({ agent, product, bundle, park: _, settings, ...attempt }: RoleAttempt): RoleOrder {
  const order = { ...attempt, agent: recipeOf(agent), makes: product.kind, settings: settings ?? null };
  // A bundle is kept beside the run as well: it is made only where somebody is asked.
  return { ...order, bundle: isThere(attempt.folder.ended) ? "" : bundle() };
}

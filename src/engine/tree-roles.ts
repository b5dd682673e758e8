// Roles beside the tasks of a run that has a branch: a mission's researcher, planner and verifier, and those that verify a
// plan as a whole. Each works in a copy of the project as it is on the branch; what it changes there goes with the copy.
import { join } from "node:path";
import type { Outcome } from "../core/input.ts";
import type { Job } from "../core/parts.ts";
import { isProblem } from "../core/problem.ts";
import type { Run } from "../core/run.ts";
import { checkRoleOutput } from "../effects/check-output.ts";
import { brokenFile, repairOutput } from "../effects/repair-output.ts";
import { fixerFolder, type RoleFolder, roleFolder } from "../effects/role-folder.ts";
import { type RoleWork, runRole } from "../effects/run-role.ts";
import { provide } from "../effects/set-up.ts";
import { secretValues } from "../host/environment.ts";
import { isThere, makeFolder, readIfThere, replaceFile } from "../host/files.ts";
import { redactor } from "../host/redact.ts";
import { makeWorkspace, removeWorkspace } from "../host/workspace.ts";
import type { MissionOrder } from "../planning/mission-bundle.ts";
import { packageDir } from "../planning/package.ts";
import { type Skill, skillOf } from "../planning/planning-bundle.ts";
import type { Product } from "../planning/product.ts";
import { type Execution, setUpOf } from "./attempts.ts";
import { limitsFor } from "./config.ts";
import { trustIn } from "./steering.ts";
import type { Carriers } from "./world.ts";

/** What is a protocol's own about such roles: what they make, what they are given, what they may read. */
export interface RoleCraft {
  /** `seen`: the commit that it had before it. */
  readonly product: (job: Job, run: Run, seen: string | null) => Product;
  readonly bundle: (run: Run, order: MissionOrder) => string;
  readonly readable: (run: Run) => readonly string[];
  /** What heddle itself does before the role begins. */
  readonly before?: (job: Job, signal: AbortSignal) => Promise<void>;
}

type Roles = Execution & { readonly roles: RoleCraft };

export function treeRoleCarriers(execution: Roles): Carriers {
  return {
    "run-role": async ({ job }, signal) => {
      await execution.roles.before?.(job, signal);
      const work = await workFor(execution, job);
      if ("ok" in work) return work;
      if (!isThere(work.folder.ended)) {
        const unmade = await copyFor(execution, work.folder, signal);
        if (unmade) return unmade;
      }
      return runRole(work, signal);
    },
    "check-output": async ({ job }) => checkFor(execution, job),
    "repair-output": async ({ job }, signal) => repair(execution, job, signal),
  };
}

const indexOf = ({ folder }: RoleFolder) => join(folder, "index");
/** Which commit a role's copy was made from: the branch may move while it works. */
const seenIn = ({ folder }: RoleFolder) => join(folder, "base");
const seenBy = (folder: RoleFolder) => readIfThere(seenIn(folder)) ?? null;

/** With what set-up makes, so that commands can be tried there; a project where that fails may be the very task. */
async function copyFor(
  execution: Execution,
  folder: RoleFolder,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  const { app, repository } = execution;
  const base = await app.journal.read(await app.run(), ({ branch }) => branch?.tip ?? "");
  makeFolder(folder.folder);
  const unmade = await makeWorkspace(repository, { folder: folder.work, index: indexOf(folder), base });
  if (!unmade) {
    replaceFile(seenIn(folder), base);
    const target = join(folder.work, repository.prefix);
    makeFolder(target);
    await provide(setUpOf(execution), target, signal);
    return undefined;
  }
  const { message: error, code: subcategory } = unmade;
  return { ok: false, error, category: "environment", subcategory, retryable: true };
}

async function checkFor({ app, roles }: Roles, job: Job): Promise<Outcome> {
  const { heddle } = app.paths;
  const run = await app.run();
  const folder = roleFolder(heddle, run, job);
  const before = job.attempt > 1 ? roleFolder(heddle, run, { ...job, attempt: job.attempt - 1 }) : undefined;
  const redact = redactor(secretValues(process.env)).text;
  const outcome = await app.journal.read(run, (state) =>
    checkRoleOutput({ folder, before, product: roles.product(job, state, seenBy(folder)), redact }),
  );
  await removeWorkspace({ folder: folder.work, index: indexOf(folder) });
  return outcome;
}

interface More {
  readonly role?: string;
  readonly broken?: string;
}

async function workFor(execution: Roles, job: Job, more: More = {}): Promise<RoleWork | Outcome> {
  const { app, agents } = execution;
  const { role = job.role } = more;
  const skill = skillOf(role, app.paths.heddle);
  if (isProblem(skill)) return impossible(skill.message);
  const run = await app.run();
  const phase = await app.look((state) => state.phase);
  const agent = agents.forRole(role, { phase });
  if (isProblem(agent)) return impossible(agent.message);
  return app.journal.read(run, (state) =>
    orderFor(execution, state, { job, role, skill: skill as Skill, agent, ...more }),
  );
}

interface Ordered extends More {
  readonly job: Job;
  readonly role: string;
  readonly skill: Skill;
  readonly agent: RoleWork["agent"];
}

function orderFor(execution: Roles, run: Run, { job, role, skill, agent, broken }: Ordered): RoleWork {
  const { app, agents, config, repository, roles, watch } = execution;
  const attempt = roleFolder(app.paths.heddle, run.id, job);
  const folder = role === "fixer" ? fixerFolder(attempt) : attempt;
  const cwd = join(folder.work, repository.prefix);
  const earlier = role === "fixer" ? undefined : refusedBefore(app.paths.heddle, run, job);
  const more = {
    ...(broken !== undefined && { broken }),
    ...(earlier && { previous: folder.previous }),
  };
  const order = { job, role, skill, bundle: folder.bundle, output: folder.output, workspace: cwd, ...more };
  // Made now, from the state that was read: nothing else of this run changes while a role works.
  const text = roles.bundle(run, order);
  return {
    ...(earlier && { before: earlier.output }),
    ...(role !== "fixer" && {
      place: { cwd, writable: [folder.work] },
      trust: trustIn(run.targetDir, folder.work),
    }),
    agent,
    limits: limitsFor(config, { role, agent: agent.name, phase: run.phase }),
    park: agents.park(role, { phase: run.phase }),
    role,
    attempt: job.attempt,
    product: roles.product(job, run, seenBy(folder)),
    bundle: () => kept(run, role, text),
    folder,
    readable: [...roles.readable(run), packageDir(), skill.path, ...repository.stores].filter(isThere),
    watch: (who, event) => watch(who, event, agent.name),
  };
}

/** Beside the session as well, for people. */
function kept({ planningDir }: Run, role: string, text: string): string {
  makeFolder(join(planningDir, "bundles"));
  replaceFile(join(planningDir, "bundles", `${role}-bundle.json`), text);
  return text;
}

function refusedBefore(heddleDir: string, run: Run, job: Job): RoleFolder | undefined {
  if (job.attempt <= 1) return undefined;
  const earlier = roleFolder(heddleDir, run.id, { ...job, attempt: job.attempt - 1 });
  return isThere(earlier.refused) ? earlier : undefined;
}

function impossible(error: string): Outcome {
  return { ok: false, error, category: "environment", subcategory: null, retryable: false };
}

async function repair(execution: Roles, job: Job, signal: AbortSignal): Promise<Outcome> {
  const { app, roles } = execution;
  const run = await app.run();
  const { output } = roleFolder(app.paths.heddle, run, job);
  const kind = await app.journal.read(run, (state) => roles.product(job, state, null).kind);
  const broken = brokenFile(kind, output);
  if (broken === undefined) return { ok: true };
  const work = await workFor(execution, job, { role: "fixer", broken });
  // Without a fixer the check that follows says what is wrong.
  if ("ok" in work) return { ok: true };
  const readable = [...work.readable, join(output, ".."), output];
  return repairOutput({ ...work, readable }, broken, signal);
}

// Roles beside the tasks of a run that has a branch: a mission's researcher, planner and verifier, and those that verify a
// plan as a whole. Each works in a copy of the project as it is on the branch; what it changes there goes with the copy.

import { join } from "node:path";
import { fork } from "../core/apply.ts";
import type { Outcome } from "../core/input.ts";
import { hindered, impossible } from "../core/outcome.ts";
import { isProblem } from "../core/problem.ts";
import type { Run } from "../core/run.ts";
import type { Job } from "../core/run-parts.ts";
import type { Carriers } from "../engine/world.ts";
import { isThere, makeFolder, replaceFile } from "../host/files.ts";
import { lentTo } from "../host/git/lent-objects.ts";
import { makeWorkspace, removeWorkspace } from "../host/git/workspace.ts";
import { readRecord } from "../host/handed-in.ts";
import { packageParts } from "../work/package.ts";
import type { RoleFolder } from "../work/role-folder.ts";
import { provide } from "../work/set-up/provide.ts";
import type { Execution } from "./attempts.ts";
import type { RoleContract } from "./contract.ts";
import {
  type Fixing,
  folderFor,
  foldersOf,
  type RoleAttempt,
  type RoleFolders,
  type RoleWorker,
  refusedBefore,
  roleCarriers,
  workerAs,
} from "./roles.ts";
import { setUpOf } from "./set-ups.ts";
import { approvalsFor } from "./steering.ts";

type Roles = Execution & { readonly roles: RoleContract };

export function treeRoleCarriers(execution: Roles): Carriers {
  const { app, repository, roles, watch } = execution;
  return roleCarriers({
    app,
    watch,
    attempt: async (job, fixing) => attemptOf(execution, { job, fixing }),
    product: async (job) => {
      const { folder } = await foldersOf(app, job);
      return roles.product(job, await app.journal.read(await app.run(), fork), seenBy(folder));
    },
    begin: async (job, signal) => roles.before?.(job, signal),
    prepare: async ({ folder }, signal) => {
      const unmade = isThere(folder.ended) ? undefined : await copyFor(execution, folder, signal);
      return unmade ?? lentTo(repository, indexOf(folder)).filter(isThere);
    },
    clear: (folder) => removeWorkspace({ folder: folder.work, index: indexOf(folder) }),
  });
}

const indexOf = ({ folder }: RoleFolder) => join(folder, "index");
/** Which commit a role's copy was made from: the branch may move while it works. */
const seenIn = ({ folder }: RoleFolder) => join(folder, "base");
const seenBy = (folder: RoleFolder) => readRecord(seenIn(folder)) ?? null;

/** With what set-up makes, so that commands can be tried there; a project where that fails may be the very task. */
async function copyFor(
  execution: Execution,
  folder: RoleFolder,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  const { app, repository } = execution;
  const base = await app.journal.read(await app.run(), ({ branch }) => branch?.tip ?? "");
  makeFolder(folder.folder);
  const place = { folder: folder.work, index: indexOf(folder) };
  const unmade = await makeWorkspace(repository, { ...place, base });
  if (!unmade) {
    replaceFile(seenIn(folder), base);
    const target = join(folder.work, repository.prefix);
    makeFolder(target);
    await provide(setUpOf(execution), { repository, tree: base, ...place }, signal);
    return undefined;
  }
  return hindered(unmade);
}

interface Asked {
  readonly job: Job;
  readonly fixing: Fixing | undefined;
}

async function attemptOf(execution: Roles, { job, fixing }: Asked): Promise<RoleAttempt | Outcome> {
  const { app } = execution;
  // A copy: files are read with it. Nothing else of this run changes while a role works.
  const run = await app.journal.read(await app.run(), fork);
  const worker = workerAs(fixing?.role ?? job.role, run.phase, execution);
  if (isProblem(worker)) return impossible(worker.message);
  return attemptIn(execution, run, { job, fixing, worker, folders: await foldersOf(app, job) });
}

interface Ordered extends Asked {
  readonly worker: RoleWorker;
  readonly folders: RoleFolders;
}

function attemptIn(execution: Roles, run: Run, { job, fixing, worker, folders }: Ordered): RoleAttempt {
  const { repository, roles } = execution;
  const { skill, ...who } = worker;
  const { role } = who;
  const folder = folderFor(folders.folder, fixing);
  const cwd = join(folder.work, repository.prefix);
  const before = fixing ? undefined : refusedBefore(folders.before);
  const more = {
    ...(fixing && { broken: fixing.broken }),
    ...(before !== undefined && { previous: folder.previous }),
  };
  const order = { job, role, skill, bundle: folder.bundle, output: folder.output, workspace: cwd, ...more };
  const text = roles.bundle(run, order);
  return {
    ...(before !== undefined && { before }),
    ...(!fixing && {
      place: { cwd, writable: [folder.work] },
      settings: { approved: approvalsFor(run.targetDir), root: folder.work },
    }),
    ...who,
    attempt: job.attempt,
    product: roles.product(job, run, seenBy(folder)),
    bundle: () => kept(run, role, text),
    folder,
    readable: [...roles.readable(run), ...packageParts(), skill.path].filter(isThere),
  };
}

/** Beside the session as well, for people. */
function kept({ planningDir }: Run, role: string, text: string): string {
  makeFolder(join(planningDir, "bundles"));
  replaceFile(join(planningDir, "bundles", `${role}-bundle.json`), text);
  return text;
}

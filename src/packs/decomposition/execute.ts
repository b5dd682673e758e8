// `heddle execute`: from a ready plan to merged, verified changes. Everything an earlier run left behind is looked at
// first, then the loop drives the tasks, and at the end the result lands in the person's checkout, if that cannot hurt.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { AgentEvent } from "../../agents/agent.ts";
import { version } from "../../command/version.ts";
import type { Config } from "../../config/config.ts";
import { effectOfAttempt } from "../../core/effect.ts";
import { type Hint, toCall } from "../../core/hint.ts";
import type { Input } from "../../core/input.ts";
import { failure } from "../../core/outcome.ts";
import { isProblem, type Problem, problem } from "../../core/problem.ts";
import { type OnOrphan, type TaskId, taskOf } from "../../core/run.ts";
import { wayOn } from "../../core/steps/halt.ts";
import { commandOf } from "../../core/steps/phase.ts";
import { userPreferences } from "../../discovery/preferences.ts";
import { type App, Refused } from "../../engine/app.ts";
import type { Changed } from "../../engine/changed.ts";
import { type Beside, drive, type Serving } from "../../engine/drive.ts";
import { refuseWhileHeld } from "../../engine/hold.ts";
import { isThere } from "../../host/files.ts";
import { moveBranch } from "../../host/git/integrate.ts";
import { returnObjects } from "../../host/git/lent-objects.ts";
import type { Fence } from "../../host/git/move-branch.ts";
import {
  dirtyFiles,
  keepStart,
  openBranch,
  pinned,
  type Repository,
  tipOf,
  unpin,
} from "../../host/git/repository.ts";
import type { Landed } from "../../host/land/land.ts";
import { refuseWithoutAgents } from "../../orders/agents.ts";
import { type Execution, executionCarriers } from "../../orders/attempts.ts";
import { baselineCarriers } from "../../orders/baseline.ts";
import { usable } from "../../orders/box.ts";
import { clearAttempt } from "../../orders/clear-attempt.ts";
import { readConfig } from "../../orders/config.ts";
import type { RoleContract, TaskContract } from "../../orders/contract.ts";
import { finalChecksOf, runFinalChecks } from "../../orders/final-checks.ts";
import { withoutLeftBranch } from "../../orders/left-branch.ts";
import { fleetFor, type Machines, machineCarriers, machinesOf, workersOf } from "../../orders/machines.ts";
import { agentFor } from "../../orders/named-agent.ts";
import { excluded, repositoryOf, withoutGc } from "../../orders/target-repository.ts";
import { treeRoleCarriers } from "../../orders/tree-roles.ts";
import { type Workers, workersFor } from "../../orders/workers.ts";
import { Share } from "../../standby/share.ts";
import { attemptFolder } from "../../work/attempt-folder.ts";
import { pinOf } from "../../work/merge.ts";
import { readProposal, resultHandIn } from "../../work/read-result.ts";
import type { Watch } from "../../work/run-agent.ts";
import { resultFile } from "../../work/task-files.ts";
import { executorBundle } from "./executor-bundle.ts";
import { clearOwnHalt, describe } from "./plan.ts";
import { refuseOtherTarget } from "./planned-target.ts";
import { verifyBundle } from "./verify-bundle.ts";
import { verifyProduct } from "./verify-product.ts";

const planContract: TaskContract = {
  handIn: resultHandIn,
  bundle: executorBundle,
  keptAt: resultFile,
  scope: "new-files",
  mayBeIdle: false,
};

export interface ExecuteRun {
  readonly app: App;
  readonly agent: string | undefined;
  readonly unconfined: boolean;
  readonly slots: number | undefined;
  readonly only?: readonly TaskId[];
  readonly onOrphan: OnOrphan;
  /** Whether the whole is verified at the end, and what is missing planned and done as well. */
  readonly verify?: boolean;
  /** Why a person goes on although the base cannot be checked. */
  readonly skipBaseline?: string | undefined;
  readonly signal: AbortSignal;
  /** Aborted by a second Ctrl-C: what runs is ended. */
  readonly stopNow?: AbortSignal;
  readonly changed: Changed;
  readonly watch: Watch;
  /** By `heddle serve`, which knows already that whoever holds the run is silent. */
  readonly serving?: Serving | undefined;
}

export async function execute(order: ExecuteRun): Promise<void> {
  const { app, watch, verify = false, serving } = order;
  if (!serving) await refuseWhileHeld(app);
  const share = await Share.of(app);
  await share?.bringFiles();
  await clearOwnHalt(app);
  await refuseUnlessReady(app, verify);
  await refuseOtherTarget(app);
  const config = readConfig(app.paths.heddle);
  const agent = await agentFor(app, config, order.agent);
  const { box, agents, isUnconfined } = await workers({ ...order, agent }, config);
  const repository = await repositoryOf(app, (each) => share?.bringCommits(each) ?? Promise.resolve());
  await share?.putAll();
  await describe(app, config, { unconfined: isUnconfined, agent });
  if (order.skipBaseline !== undefined)
    await app.submit({ kind: "skip-baseline", reason: order.skipBaseline });
  if (verify) await askToVerify(app);
  // Whoever was killed while the plan was judged beside its execution: that is asked for anew, not here.
  if (await app.look(({ vars }) => (vars.judge_again ?? null) !== null))
    await app.submit({ kind: "set", values: { judge_again: null } });
  const joined = await workersOf({ config, version, repository });
  const named = machinesOf({ heddle: app.paths.heddle, config, version, unconfined: isUnconfined });
  const machines = named && { ...named, workers: joined };
  const execution = { app, contract: planContract, config, agents, box, repository, watch, machines };
  try {
    await driven(order, { execution, agent, share, beside: joined?.beside });
  } finally {
    await joined?.leave();
  }
  await tidy(app, repository);
}

interface Driven {
  readonly execution: Execution & { readonly machines: Machines | undefined };
  readonly agent: string | undefined;
  readonly share: Share | undefined;
  readonly beside: Beside | undefined;
}

async function driven(order: ExecuteRun, { execution, agent, share, beside }: Driven): Promise<void> {
  const { app, signal, changed, serving } = order;
  const { config, repository, machines } = execution;
  const slots = order.slots ?? (await app.look((run) => run.policy.slots));
  const fleet = fleetFor(config, { slots, agent, phase: "executing" });
  const roles = verifyRoles(execution, await app.look((run) => run.targetDir));
  const carriers = {
    ...executionCarriers(execution),
    ...baselineCarriers(execution),
    ...treeRoleCarriers({ ...execution, roles }),
    ...(machines && fleet && machineCarriers(machines, fleet)),
  };
  const all = {
    ...{
      app,
      slots,
      carriers: share?.around(carriers, repository) ?? carriers,
      signal,
      changed,
      repository,
      onOrphan: order.onOrphan,
      serving,
    },
    ...(order.only && { only: order.only }),
    ...(fleet && { fleet }),
    ...(order.stopNow && { stopNow: order.stopNow }),
    ...(beside && { beside }),
    opening: () => recover(app, repository),
  };
  await withoutGc(repository, () => drive(all));
}

/** What verifies a plan as a whole, and plans what is missing. */
function verifyRoles(execution: Execution, target: string): RoleContract {
  const preferences = userPreferences({ target, home: process.env.HOME ?? "" });
  return {
    product: (job, run, seen) =>
      verifyProduct(job.makes, run, { seen, checks: finalChecksOf(execution, run, job)?.checks }),
    bundle: (run, order) =>
      verifyBundle(run, order, { preferences, checks: finalChecksOf(execution, run, order.job)?.checks }),
    readable: (run) => [run.planningDir],
    before: (job, signal) => runFinalChecks(execution, job, { signal }),
  };
}

/** It holds from then on, for whoever goes on with the run; one that is complete is opened for it. */
async function askToVerify(app: App): Promise<void> {
  await app.submit({ kind: "set", values: { verify: true } });
  if (await app.look((run) => run.phase === "complete"))
    await app.submit({ kind: "advance", digests: {}, request: "verify" });
}

const executed = new Set(["ready", "executing", "verifying", "gap_planning"]);

async function refuseUnlessReady(app: App, verify: boolean): Promise<void> {
  const { phase, halt, command } = await app.look((run) => ({ ...run, command: commandOf(run) }));
  if (halt)
    throw new Refused([
      problem("halted", `the run is halted: ${halt.reason}`, { hint: wayOn(halt, command) }),
    ]);
  if (executed.has(phase) || (verify && phase === "complete")) return;
  const hint: Hint = phase === "complete" ? toCall("report") : [toCall("plan"), " goes on with the plan"];
  throw new Refused([problem("wrong-phase", `nothing is executed in phase \`${phase}\``, { hint })]);
}

async function workers({ app, agent, unconfined, verify }: ExecuteRun, config: Config): Promise<Workers> {
  const found = await workersFor({ app, root: app.paths.root, config, agent, unconfined });
  const roles = [
    "task-executor",
    ...(config.review ? ["task-verifier"] : []),
    ...(verify ? ["verifier", "task-author"] : []),
  ];
  refuseWithoutAgents(
    found.agents,
    roles.map((role) => ({ role, phase: "executing" })),
  );
  // Acceptance commands run whoever works.
  usable(found.box);
  return found;
}

/** Everything that is settled before the first effect: the branch is where it really is (X2, X14). */
export async function recover(app: App, repository: Repository): Promise<Input[]> {
  const run = await app.run();
  const known = await app.journal.read(run, ({ branch }) => branch);
  await tidy(app, repository);
  if (known && (await tipOf(repository, known.name)) === null) {
    const fence: Fence = (swap) => app.inTurnIf((state) => state.branch?.tip === known.tip, swap);
    const from = "0".repeat(known.tip.length);
    const again = await moveBranch(repository, { branch: known.name, from, to: known.tip, fence });
    if (typeof again !== "string")
      throw new Refused([
        problem("no-branch", `\`${known.name}\` is gone, and cannot be made again`, {
          hint: `git branch ${known.name} ${known.tip}`,
        }),
      ]);
  }
  if (known) await keepStart(repository, run, known.start);
  else await withoutLeftBranch(app, repository, run);
  const opened = await openBranch(repository, run);
  if (isProblem(opened)) throw new Refused([opened]);
  const name = known?.name ?? `heddle/${run}`;
  const { start, tip } = { ...opened, ...(known && { start: known.start }) };
  return [{ kind: "open-branch", name, start, tip }, ...(await withoutWorkspace(app, run))];
}

/** Attempts whose workspace was removed for good: there is nothing left to take over, and they begin anew. */
async function withoutWorkspace(app: App, run: string): Promise<Input[]> {
  const error = "its workspace is gone";
  const outcome = { ...failure("environment", error, "lost"), kind: "lost" } as const;
  const worked = await app.journal.read(run, (state) =>
    state.running.flatMap((id) => {
      const task = taskOf(state, id);
      const effect = effectOfAttempt(state, task);
      if (effect?.kind !== "run-agent" && effect?.kind !== "repair-result") return [];
      return [{ key: effect.key, task: id, attempt: task.attempts }];
    }),
  );
  return worked
    .filter((about) => !isThere(attemptFolder(app.paths.heddle, run, about).work))
    .map(({ key }) => ({ kind: "effect-ended", key, outcome }));
}

/** Workspaces of merged tasks are not needed any more; those of failed attempts are kept for a look. */
export async function tidy(app: App, repository: Repository): Promise<void> {
  const run = await app.run();
  // What is missing is expected back as it was.
  if (await app.journal.read(run, ({ halt }) => halt?.code === "place")) return;
  await letGo(app, run, repository);
  await sweepDone(app, run);
  await returnObjects(repository, { all: true });
}

async function sweepDone(app: App, run: string): Promise<void> {
  const folder = join(app.paths.heddle, "attempts", run);
  if (!isThere(folder)) return;
  const names = readdirSync(folder);
  const done = await app.journal.read(run, (state) =>
    names.filter((name) => {
      const task = state.tasks.get(name.replace(/-\d+$/, ""));
      return task?.state === "complete" || task?.state === "skipped";
    }),
  );
  for (const name of done) await clearAttempt(join(folder, name));
}

/** Commits of attempts that are over are held no longer. */
async function letGo(app: App, run: string, repository: Repository): Promise<void> {
  const names = await pinned(repository, run);
  const over = await app.journal.read(run, (state) => {
    const held = new Set(state.running.map((id) => pinOf(id, taskOf(state, id).attempts)));
    return names.filter((name) => !held.has(name.replace(/-merge$/, "")));
  });
  if (over.length > 0) await unpin(repository, { run, names: over });
}

/** What the person has not committed: agents do not see it. What is heddle's own they need not see. */
export async function uncommitted(app: App): Promise<string[]> {
  const repository = await repositoryOf(app);
  const own = excluded(app, repository.checkout ?? "");
  const files = await dirtyFiles(repository, 6 + own.length);
  return files
    .filter((file) => !own.some((each) => file === each || file.startsWith(`${each}/`)))
    .slice(0, 6);
}

export interface Orphan {
  readonly task: TaskId;
  readonly attempt: number;
  readonly agent: string;
}

/** Attempts that an orchestrator left behind without a result: what is offered to a person (X14). */
export async function orphansOf(app: App): Promise<Orphan[]> {
  const run = await app.run();
  const working = await app.look((state) =>
    state.running
      .map((id) => taskOf(state, id))
      .filter(({ attempt }) => attempt?.driver === "engine" && attempt.stage === "working")
      .map(({ def, attempts }) => ({ task: def.id, attempt: attempts })),
  );
  return working.flatMap((each) => {
    const folder = attemptFolder(app.paths.heddle, run, each);
    if (!isThere(folder.started) || isThere(folder.ended)) return [];
    const { kind } = readProposal(folder, each.task);
    if (kind === "success" || kind === "failed") return [];
    return [{ ...each, agent: "" }];
  });
}

export type { AgentEvent, Landed, Problem };

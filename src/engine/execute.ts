// `heddle execute`: from a ready plan to merged, verified changes. Everything an earlier run left behind is looked at
// first, then the loop drives the tasks, and at the end the result lands in the person's checkout, if that cannot hurt.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { AgentEvent } from "../agents/agent.ts";
import type { Config } from "../config/config.ts";
import type { Input } from "../core/input.ts";
import { isProblem, type Problem, problem } from "../core/problem.ts";
import { type OnOrphan, type Run, type TaskId, taskOf } from "../core/run.ts";
import { userPreferences } from "../discovery/preferences.ts";
import { attemptFolder } from "../effects/attempt-folder.ts";
import { pinOf } from "../effects/merge.ts";
import { readProposal } from "../effects/read-result.ts";
import type { Watch } from "../effects/run-agent.ts";
import { isThere, remove } from "../host/files.ts";
import { moveBranch } from "../host/integrate.ts";
import { type Landed, land } from "../host/land.ts";
import { endMarked } from "../host/processes.ts";
import { dirtyFiles, openBranch, pinned, type Repository, tipOf, unpin } from "../host/repository.ts";
import { verifyBundle } from "../planning/verify-bundle.ts";
import { verifyProduct } from "../planning/verify-product.ts";
import { type Agents, agentWords, chooseAgents, refuseWithoutAgents } from "./agents.ts";
import { type App, Refused } from "./app.ts";
import { type Execution, executionCarriers, markOf, planCraft } from "./attempts.ts";
import { type BoxChoice, findBox } from "./box.ts";
import { readConfig } from "./config.ts";
import { drive } from "./drive.ts";
import { finalChecksOf, runFinalChecks } from "./final-checks.ts";
import { describe } from "./plan.ts";
import { excluded, landedBefore, repositoryOf, withoutGc } from "./target-repository.ts";
import { type RoleCraft, treeRoleCarriers } from "./tree-roles.ts";

export interface ExecuteRun {
  readonly app: App;
  readonly agent: string | undefined;
  readonly unconfined: boolean;
  readonly slots: number | undefined;
  readonly only?: readonly TaskId[];
  readonly onOrphan: OnOrphan;
  /** Whether the whole is verified at the end, and what is missing planned and done as well. */
  readonly verify?: boolean;
  readonly signal: AbortSignal;
  /** Aborted by a second Ctrl-C: what runs is ended. */
  readonly stopNow?: AbortSignal;
  readonly changed: (run: Run) => void;
  readonly watch: Watch;
}

export async function execute(order: ExecuteRun): Promise<void> {
  const { app, signal, changed, watch, verify = false } = order;
  await refuseUnlessReady(app, verify);
  const config = readConfig(app.paths.heddle);
  const { box, agents } = await helpers(order, config);
  const repository = await repositoryOf(app);
  const needed = box.kind === "unconfined" && needsBox(config, order.agent);
  await describe(app, config, { unconfined: needed });
  if (verify) await askToVerify(app);
  const execution = { app, craft: planCraft, config, agents, box, repository, watch };
  const roles = verifyRoles(execution, await app.look((run) => run.targetDir));
  const carriers = { ...executionCarriers(execution), ...treeRoleCarriers({ ...execution, roles }) };
  const slots = order.slots ?? (await app.look((run) => run.policy.slots));
  const all = {
    ...{ app, slots, carriers, signal, changed, onOrphan: order.onOrphan },
    ...(order.only && { only: order.only }),
    ...(order.stopNow && { stopNow: order.stopNow }),
    opening: () => recover(app, repository),
  };
  await withoutGc(repository, () => drive(all));
  await tidy(app, repository);
}

/** What verifies a plan as a whole, and plans what is missing. */
function verifyRoles(execution: Execution, target: string): RoleCraft {
  const preferences = userPreferences({ target, home: process.env.HOME ?? "" });
  return {
    product: (job, run, seen) =>
      verifyProduct(job.makes, run, { seen, checks: finalChecksOf(execution, run, job) }),
    bundle: (run, order) =>
      verifyBundle(run, order, { preferences, checks: finalChecksOf(execution, run, order.job) }),
    readable: (run) => [run.planningDir],
    before: (job, signal) => runFinalChecks(execution, job, signal),
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
  const { phase, halt } = await app.look(({ phase, halt }) => ({ phase, halt }));
  if (halt)
    throw new Refused([problem("halted", `the run is halted: ${halt.reason}`, { hint: "heddle resume" })]);
  if (executed.has(phase) || (verify && phase === "complete")) return;
  const hint = phase === "complete" ? "heddle report" : "heddle plan goes on with the plan";
  throw new Refused([problem("wrong-phase", `nothing is executed in phase \`${phase}\``, { hint })]);
}

/** Scripted agents are our own code: they need no box, and prove nothing about one. */
const needsBox = (config: Config, agent: string | undefined) =>
  agentWords(config, agent).some((word) => !word.startsWith("scripted:"));

async function helpers(
  { app, agent, unconfined, verify }: ExecuteRun,
  config: Config,
): Promise<{ box: BoxChoice; agents: Agents }> {
  const chosen = unconfined || config.unconfined === true;
  const box = await findBox({ unconfined: chosen || !needsBox(config, agent) });
  const agents = chooseAgents({ config, named: agent, root: app.paths.root, box });
  const roles = [
    "task-executor",
    ...(config.review ? ["task-verifier"] : []),
    ...(verify ? ["verifier", "task-author"] : []),
  ];
  refuseWithoutAgents(
    agents,
    roles.map((role) => ({ role, phase: "executing" })),
  );
  return { box, agents };
}

/** Everything that is settled before the first effect: survivors end, the branch is where it really is (X2, X14). */
export async function recover(app: App, repository: Repository): Promise<Input[]> {
  const run = await app.run();
  const { known, running } = await app.journal.read(run, (state) => ({
    known: state.branch,
    running: state.running.map((task) => ({ task, attempt: taskOf(state, task).attempts })),
  }));
  for (const each of running) await endMarked(markOf(app, run, each));
  await tidy(app, repository);
  if (known && (await tipOf(repository, known.name)) === null) {
    const again = await moveBranch(repository, { branch: known.name, from: zero(known.tip), to: known.tip });
    if (typeof again !== "string")
      throw new Refused([
        problem("no-branch", `\`${known.name}\` is gone, and cannot be made again`, {
          hint: `git branch ${known.name} ${known.tip}`,
        }),
      ]);
  }
  const opened = await openBranch(repository, run);
  if (isProblem(opened)) throw new Refused([opened]);
  const name = known?.name ?? `heddle/${run}`;
  return [{ kind: "open-branch", name, start: known?.start ?? opened.start, tip: opened.tip }];
}

const zero = (like: string) => "0".repeat(like.length);

/** Workspaces of merged tasks are not needed any more; those of failed attempts are kept for a look. */
export async function tidy(app: App, repository: Repository): Promise<void> {
  const run = await app.run();
  await letGo(app, run, repository);
  const folder = join(app.paths.heddle, "attempts", run);
  if (!isThere(folder)) return;
  const done = await app.journal.read(run, (state) =>
    readdirSync(folder).filter((name) => {
      const task = state.tasks.get(name.replace(/-\d+$/, ""));
      return task?.state === "complete" || task?.state === "skipped";
    }),
  );
  for (const name of done) sweep(join(folder, name));
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

/** What an attempt leaves that nobody reads again: its files, not its records. */
export function sweep(folder: string): void {
  for (const name of ["work", "home", "tmp", "index", "door"]) remove(join(folder, name));
  for (const name of isThere(folder) ? readdirSync(folder) : [])
    if (name.startsWith("room")) remove(join(folder, name));
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

export function landMode(app: App): "auto" | "ask" | "never" {
  return readConfig(app.paths.heddle).land ?? "auto";
}

export async function landRun(app: App): Promise<Landed> {
  if ((await app.look((run) => run.protocolName)) === "lifecycle") {
    const { landTask } = await import("./accept.ts");
    return landTask(app);
  }
  const repository = await repositoryOf(app);
  const { branch, target } = await app.look((run) => ({ branch: run.branch, target: run.targetDir }));
  if (!branch) return { landed: false, reason: "nothing was executed yet", hint: "heddle execute" };
  const { name, tip } = branch;
  // Without git nothing but this tells which files are heddle's from an earlier landing, to be changed or taken away.
  const before = repository.isPrivate ? await landedBefore(app) : null;
  const landed = await land(repository, {
    branch: name,
    start: before ?? branch.start,
    target,
    exclude: excluded(app, target),
  });
  if (landed.landed) await app.submit({ kind: "land", commit: tip, files: landed.files });
  return landed;
}

export type { AgentEvent, Landed, Problem };

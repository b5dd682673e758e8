// The effects of execution, put together: which agent works on which task, what it is given, where, and how its work
// reaches the branch. One function per effect; what they share is read from the run when they begin.
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { checksum } from "../core/checksum.ts";
import { type AttemptEffect, effectOfAttempt } from "../core/effect.ts";
import type { Outcome } from "../core/input.ts";
import type { Evidence } from "../core/parts.ts";
import { isProblem, type Problem } from "../core/problem.ts";
import { type Attempt, type TaskDef, taskOf } from "../core/run.ts";
import { type AttemptFolder, attemptFolder, startedOf } from "../effects/attempt-folder.ts";
import { type Checking, checkTree, redOutput, sayRed } from "../effects/check-tree.ts";
import { type Merging, mergeInto, pinOf, prepareMerge } from "../effects/merge.ts";
import { prepareWorkspace } from "../effects/prepare-workspace.ts";
import { type HandIn, resultHandIn } from "../effects/read-result.ts";
import { repairResult } from "../effects/repair-result.ts";
import { reviewWork } from "../effects/review-work.ts";
import { runAgent, type TaskWork, type Watch } from "../effects/run-agent.ts";
import type { Scope } from "../effects/see-work.ts";
import type { SetUp } from "../effects/set-up.ts";
import { wallClock } from "../host/clock.ts";
import { secretValues } from "../host/environment.ts";
import { isThere, replaceFile } from "../host/files.ts";
import { diffText } from "../host/integrate.ts";
import type { Fence } from "../host/move-branch.ts";
import { redactor } from "../host/redact.ts";
import type { Repository } from "../host/repository.ts";
import { type Before, executorBundle } from "../planning/executor-bundle.ts";
import { packageDir } from "../planning/package.ts";
import { type Skill, skillOf } from "../planning/planning-bundle.ts";
import { bundlePath } from "../planning/task-bundle.ts";
import type { Agents } from "./agents.ts";
import type { App } from "./app.ts";
import { openDoor } from "./attempt-door.ts";
import { resultFile } from "./attempt-files.ts";
import { mostWritten } from "./attempt-requests.ts";
import type { BoxChoice } from "./box.ts";
import { benchFor, limitsFor } from "./config.ts";
import { ownFolders } from "./paths.ts";
import { trustIn } from "./steering.ts";
import type { Carriers } from "./world.ts";

/** What is a protocol's own about its tasks: who works on them, what it is given and what it hands in. */
export interface Craft {
  readonly handIn: HandIn;
  readonly bundle: typeof executorBundle;
  /** Where what was handed in is kept, for people and hosts. */
  readonly keptAt: (run: { readonly planningDir: string }, task: string) => string;
  /** What a task may change beside its declared files, when the configuration does not say. */
  readonly scope: Scope;
  /** Whether a task may be complete without a change. */
  readonly mayBeIdle: boolean;
}

export const planCraft: Craft = {
  handIn: resultHandIn,
  bundle: executorBundle,
  keptAt: resultFile,
  scope: "new-files",
  mayBeIdle: false,
};

export interface Execution {
  readonly app: App;
  readonly craft: Craft;
  readonly config: Config;
  readonly agents: Agents;
  readonly box: BoxChoice;
  readonly repository: Repository;
  readonly watch: Watch;
}

/** An attempt as its effects see it. */
interface Scene {
  readonly run: string;
  readonly planningDir: string;
  readonly targetDir: string;
  readonly phase: string;
  readonly def: TaskDef;
  readonly attempt: Attempt;
  readonly evidence: Evidence | null;
  readonly branch: string;
  readonly folder: AttemptFolder;
  readonly mark: string;
  readonly mayResume: boolean;
}

type Carry = (execution: Execution, scene: Scene, signal: AbortSignal) => Promise<Outcome>;

export function executionCarriers(execution: Execution): Carriers {
  const carry = (work: Carry) => async (effect: AttemptEffect, signal: AbortSignal) =>
    work(execution, await sceneOf(execution, effect), signal);
  return {
    "prepare-workspace": carry(prepare),
    "run-agent": carry(work),
    "repair-result": carry(repair),
    "run-checks": carry(async (_execution, scene, signal) =>
      checked(execution, { scene, tree: scene.attempt.work?.tree ?? "" }, signal),
    ),
    "review-work": carry(review),
    "prepare-merge": async (effect) =>
      prepareMerge(merging(execution, await sceneOf(execution, effect)), effect),
    "check-merge": async (effect, signal) =>
      checked(execution, { scene: await sceneOf(execution, effect), tree: effect.candidate.tree }, signal),
    "move-branch": async (effect) => {
      const fence = fenceFor(execution, effect);
      return mergeInto({ ...merging(execution, await sceneOf(execution, effect)), fence }, effect);
    },
  };
}

async function sceneOf({ app }: Execution, { task: id, attempt: number }: AttemptEffect): Promise<Scene> {
  const run = await app.run();
  return app.journal.read(run, (state) => {
    const { def, attempt, evidence } = taskOf(state, id);
    if (!attempt) throw new Error(`bug: ${id} is not being worked on`);
    return {
      run,
      planningDir: state.planningDir,
      targetDir: state.targetDir,
      phase: state.phase,
      def,
      attempt: structuredClone(attempt),
      evidence,
      branch: state.branch?.name ?? "",
      folder: attemptFolder(app.paths.heddle, run, { task: id, attempt: number }),
      mark: markOf(app, run, { task: id, attempt: number }),
      mayResume: state.onOrphan === "retry",
    };
  });
}

/** The same for every orchestrator, so that what an earlier one left alive can be found. */
export function markOf(app: App, run: string, { task, attempt }: { task: string; attempt: number }): string {
  return `heddle ${app.paths.root} ${run} ${task} ${attempt}`;
}

async function prepare(execution: Execution, scene: Scene, signal: AbortSignal): Promise<Outcome> {
  const { repository } = execution;
  const { folder, attempt } = scene;
  const earlier = await before(execution, scene);
  return prepareWorkspace(
    {
      repository,
      folder,
      base: attempt.base ?? "",
      setUp: setUpOf(execution),
      bundle: (target) => bundleFor(execution, scene, { target, ...earlier }),
    },
    signal,
  );
}

/** What the attempt before had changed, and what was red then: for the one who tries again. */
async function before({ app, repository }: Execution, { run, def, attempt }: Scene): Promise<Before> {
  const number = attempt.number - 1;
  if (number < 1) return { diff: null, red: [] };
  const facts = (await app.history()).map((entry) => entry.fact);
  const seen = facts.findLast(
    (fact) => fact.kind === "work-recorded" && fact.task === def.id && fact.attempt === number,
  );
  const checks = facts.findLast(
    (fact) => fact.kind === "checks-recorded" && fact.task === def.id && fact.attempt === number,
  );
  const red = checks?.kind === "checks-recorded" ? redOutput(checks.checks) : [];
  if (seen?.kind !== "work-recorded") return { diff: null, red };
  const { folder } = attemptFolder(app.paths.heddle, run, { task: def.id, attempt: number });
  const diff = join(folder, "change.patch");
  if (!isThere(diff))
    replaceFile(diff, await diffText(repository, { from: `${seen.commit}^`, to: seen.commit }));
  return { diff, red };
}

async function bundleFor(
  { app, craft }: Execution,
  { run, def, folder }: Scene,
  { target, ...earlier }: Before & { readonly target: string },
): Promise<string | readonly Problem[]> {
  const skill = skillOf(craft.handIn.role, app.paths.heddle);
  if (isProblem(skill)) return [skill];
  return app.journal.read(run, (state) => {
    const order = { target, result: folder.result, skill: skill as Skill, ...earlier, socket: true };
    const made = craft.bundle(state, taskOf(state, def.id), order);
    if ("problems" in made) return made.problems;
    replaceFile(bundlePath(state, def.id), made.plain);
    return made.text;
  });
}

/** Whoever began the attempt; before it began, whoever is to do it. */
function executorOf({ agents, craft: { handIn } }: Execution, { folder, def: { tags }, phase }: Scene) {
  const began = startedOf(folder)?.agent;
  if (began === undefined) return agents.forRole(handIn.role, { tags, phase });
  return agents.whoBegan(began, { role: handIn.role, tags, phase });
}

async function work(execution: Execution, scene: Scene, signal: AbortSignal): Promise<Outcome> {
  const agent = executorOf(execution, scene);
  if (isProblem(agent)) return impossible(agent.message);
  const order = taskWork(execution, scene);
  const task = scene.def.id;
  const door = await openDoor({
    app: execution.app,
    task,
    attempt: scene.attempt.number,
    folder: scene.folder,
    now: wallClock,
    redact: redactor(secretValues(process.env)).text,
    watch: (event) => execution.watch(task, event, agent.name),
    left: { ...mostWritten },
  });
  try {
    return await runAgent(
      {
        ...order,
        readable: [...order.readable, door.folder],
        env: { ...order.env, HEDDLE_SOCKET: door.path, PATH: `${door.folder}:${process.env.PATH ?? ""}` },
      },
      signal,
    );
  } finally {
    await door.close();
  }
}

function taskWork(execution: Execution, scene: Scene): TaskWork {
  const { app, craft, config, agents, repository, watch } = execution;
  const { handIn } = craft;
  const { folder, def, attempt, mark, mayResume, phase } = scene;
  const agent = executorOf(execution, scene);
  if (isProblem(agent)) throw new Error(agent.message);
  return {
    repository,
    run: scene.run,
    pinnedAs: pinOf(def.id, attempt.number),
    folder,
    base: attempt.base ?? "",
    def,
    attempt: attempt.number,
    handIn,
    scope: config.scope ?? craft.scope,
    mayBeIdle: craft.mayBeIdle,
    protect: protectedPaths(app, repository),
    agent,
    limits: limitsFor(config, { role: handIn.role, agent: agent.name, tags: def.tags, phase }),
    park: agents.park(handIn.role, { tags: def.tags, phase }),
    mark,
    now: wallClock,
    cwd: join(folder.work, repository.prefix),
    readable: [...(config.readable ?? []), ...repository.stores, packageDir(), ...patchBefore(app, scene)],
    env: { HEDDLE_WORKSPACE: folder.work, HEDDLE_PORT: String(portFor(mark)) },
    resultFile: craft.keptAt({ planningDir: scene.planningDir }, def.id),
    watch,
    mayResume,
    trust: trustIn(scene.targetDir, folder.work),
  };
}

const [firstPort, ports] = [20_000, 10_000];
const given = new Map<string, number>();

/** A port that no other attempt of this process was given: where the network is shared, servers must not collide. */
function portFor(mark: string): number {
  const known = given.get(mark);
  if (known !== undefined) return known;
  const taken = new Set(given.values());
  let port = firstPort + (checksum(mark) % ports);
  while (taken.has(port)) port = firstPort + ((port + 1 - firstPort) % ports);
  given.set(mark, port);
  return port;
}

function patchBefore(app: App, { run, def, attempt }: Scene): string[] {
  const { folder } = attemptFolder(app.paths.heddle, run, { task: def.id, attempt: attempt.number - 1 });
  const patch = join(folder, "change.patch");
  return isThere(patch) ? [patch] : [];
}

/** What belongs to heddle is nobody's work, wherever the project lies. */
export function protectedPaths(app: App, { checkout }: Pick<Repository, "checkout">): string[] {
  const root = checkout ?? "";
  return ownFolders(app.paths)
    .filter((path) => path.startsWith(`${root}/`))
    .map((path) => path.slice(root.length + 1));
}

export function setUpOf({ app, config, box }: Execution): SetUp {
  return {
    commands: config.setup,
    bench: benchFor(config, sandboxOf(box)),
    network: config.network?.setup ?? true,
    cache: join(app.paths.heddle, "setup"),
  };
}

const sandboxOf = (box: BoxChoice) => (box.kind === "boxed" ? box.sandbox : null);

/** How acceptance commands are run, whichever they are. */
export function checkingOf(execution: Execution): Omit<Checking, "folder" | "criteria" | "mark"> {
  const { config, box, repository } = execution;
  return {
    repository,
    bench: benchFor(config, sandboxOf(box)),
    setUp: setUpOf(execution),
    network: config.network?.checks ?? false,
  };
}

async function checked(
  execution: Execution,
  { scene, tree }: { scene: Scene; tree: string },
  signal: AbortSignal,
): Promise<Outcome> {
  const { folder, def, mark } = scene;
  const checking = { ...checkingOf(execution), folder, criteria: def.criteria, mark };
  const evidence = await checkTree(checking, tree, signal);
  if (isProblem(evidence))
    return {
      ok: false,
      error: evidence.message,
      category: "environment",
      subcategory: evidence.code,
      retryable: true,
    };
  if (evidence.checks.every((check) => check.ok)) return { ok: true, evidence };
  const error = sayRed(evidence);
  return { ok: false, error, category: "test", subcategory: null, retryable: true, evidence };
}

async function repair(execution: Execution, scene: Scene, signal: AbortSignal): Promise<Outcome> {
  const { agents, app } = execution;
  const skill = skillOf("fixer", app.paths.heddle);
  if (isProblem(skill)) return impossible(skill.message);
  const { phase } = scene;
  const own = { fixer: agents.forRole("fixer", { phase }), park: agents.park("fixer", { phase }) };
  return repairResult({ ...taskWork(execution, scene), ...own, skill: skill as Skill }, signal);
}

async function review(execution: Execution, scene: Scene, signal: AbortSignal): Promise<Outcome> {
  const { agents, app, repository, config } = execution;
  const { attempt, phase } = scene;
  const order = taskWork(execution, scene);
  const role = "task-verifier";
  const reviewer = () => {
    const agent = agents.reviewer(order.agent, { phase });
    return isProblem(agent)
      ? agent
      : { agent, limits: limitsFor(config, { role, agent: agent.name, phase }) };
  };
  const skill = skillOf(role, app.paths.heddle);
  if (isProblem(skill)) return impossible(skill.message);
  const diff = await diffText(repository, { from: attempt.base ?? "", to: attempt.work?.commit ?? "" });
  const given = { reviewer, skill: skill as Skill, diff, evidence: scene.evidence };
  return reviewWork({ ...order, ...given, park: agents.park(role, { phase }) }, signal);
}

function merging(execution: Execution, scene: Scene): Merging {
  const { run, branch, def, attempt, folder } = scene;
  const { repository } = execution;
  if (!attempt.work || attempt.base === null) throw new Error(`bug: ${def.id} has nothing to merge`);
  const agent = executorOf(execution, scene);
  const author = isProblem(agent) ? "agent" : agent.name;
  return { repository, run, branch, def, base: attempt.base, work: attempt.work, author, folder };
}

/** The branch moves while nobody can write to the journal, and only if that is still what the run wants. */
function fenceFor({ app }: Execution, { key, task }: AttemptEffect): Fence {
  return async (swap) =>
    app.journal.exclusive(await app.run(), (state) => {
      const found = state.tasks.get(task);
      return found && effectOfAttempt(state, found)?.key === key ? swap() : undefined;
    });
}

function impossible(error: string): Outcome {
  return { ok: false, error, category: "environment", subcategory: null, retryable: false };
}

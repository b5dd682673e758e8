// The effects of execution, put together: which agent works on which task, what it is given, where, and how its work
// reaches the branch. One function per effect; what they share is read from the run when they begin.
import { join } from "node:path";
import { recipeOf } from "../agents/recipe.ts";
import type { Config } from "../config/config.ts";
import { headOf } from "../core/apply.ts";
import { type AttemptEffect, effectOfAttempt } from "../core/effect.ts";
import type { Outcome, Spent } from "../core/input.ts";
import { failedWith, failure, hindered, impossible } from "../core/outcome.ts";
import { isProblem, type Problem } from "../core/problem.ts";
import { isGreen, isWaived } from "../core/queue.ts";
import { type Attempt, type Task, type TaskDef, taskOf } from "../core/run.ts";
import type { Baseline, Candidate, Evidence } from "../core/run-parts.ts";
import { unchecked } from "../core/steps/attempt.ts";
import type { App } from "../engine/app.ts";
import { ownFolders } from "../engine/paths.ts";
import type { Carriers } from "../engine/world.ts";
import { systemClock } from "../host/clock.ts";
import { isThere, replaceFile } from "../host/files.ts";
import { diffText } from "../host/git/integrate.ts";
import type { Fence } from "../host/git/move-branch.ts";
import { personOf } from "../host/git/persons-settings.ts";
import type { Repository } from "../host/git/repository.ts";
import { type AttemptFolder, attemptFolder, startedOf } from "../work/attempt-folder.ts";
import { againstBaseline } from "../work/evidence/against-baseline.ts";
import { type Checking, redOutput, sayRed } from "../work/evidence/check-tree.ts";
import { offersOf, pathsBefore, pathsOfOthers } from "../work/given/offers.ts";
import { type Skill, skillOf } from "../work/given/skill.ts";
import { mergeInto, pinOf } from "../work/merge.ts";
import type { TaskOrder } from "../work/order.ts";
import { packageDir, packageParts } from "../work/package.ts";
import type { Watch } from "../work/run-agent.ts";
import { adopt } from "../work/set-up/provide.ts";
import { bundlePath } from "../work/task-files.ts";
import { addUsage } from "../work/usage.ts";
import type { Agents } from "./agents.ts";
import type { BoxChoice } from "./box.ts";
import { type Asking, outcomeOf } from "./carrier.ts";
import { benchFor, limitsFor } from "./config.ts";
import type { Before, TaskContract } from "./contract.ts";
import { markedBefore } from "./look-before.ts";
import type { Machines } from "./machines.ts";
import { portFor } from "./ports.ts";
import { sandboxOf, setUpFor, setUpOf } from "./set-ups.ts";
import { approvalsFor } from "./steering.ts";

export interface Execution {
  readonly app: App;
  readonly contract: TaskContract;
  readonly config: Config;
  readonly agents: Agents;
  readonly box: BoxChoice;
  readonly repository: Repository;
  readonly watch: Watch;
  readonly machines?: Machines | undefined;
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
  readonly baseline: Baseline | undefined;
  readonly seen: Task["seen"];
  readonly branch: string;
  /** The last commit of it. */
  readonly tip: string | null;
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
      checked(execution, { scene, of: scene.attempt.work ?? { tree: "", commit: "" } }, signal),
    ),
    "review-work": carry(review),
    "prepare-merge": async ({ onto, earlier, ...effect }, signal) => {
      const scene = await sceneOf(execution, { ...effect, onto, earlier });
      const order = { ...(await merging(execution, scene)), attempt: effect.attempt, onto, earlier };
      return outcomeOf(execution, { kind: "prepare-merge", ...order }, signal);
    },
    "check-merge": async (effect, signal) =>
      checked(execution, { scene: await sceneOf(execution, effect), of: effect.candidate }, signal),
    // At home: the branch moves under the journal's lock, in the repository that it is a branch of.
    "move-branch": async (effect) => {
      const fence = fenceFor(execution, effect);
      const scene = await sceneOf(execution, effect);
      const { repository } = execution;
      const moved = await mergeInto({ repository, branch: scene.branch, fence }, effect.candidate);
      const { tree } = effect.candidate;
      const setUp = setUpFor(execution, { ...changesOf(scene), agents: [] });
      if (moved.ok) await adopt(setUp, { repository, tree });
      return moved;
    },
  };
}

async function sceneOf({ app }: Execution, { task: id, attempt: number }: AttemptEffect): Promise<Scene> {
  const run = await app.run();
  return app.journal.read(run, (state) => {
    const { def, attempt, evidence, seen } = taskOf(state, id);
    if (!attempt) throw new Error(`bug: ${id} is not being worked on`);
    return {
      run,
      planningDir: state.planningDir,
      targetDir: state.targetDir,
      phase: state.phase,
      def,
      attempt: structuredClone(attempt),
      evidence,
      baseline: state.baseline,
      seen,
      branch: state.branch?.name ?? "",
      tip: state.branch?.tip ?? null,
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
  const { folder, attempt, def } = scene;
  // Before anybody is paid: what no command checks can never be called done.
  if (def.criteria.length === 0 && !def.unchecked) return failedWith(unchecked(def));
  const place = { repository, folder, base: attempt.base ?? "", setUp: setUpOf(execution) };
  const on = attempt.machine;
  const ready = await outcomeOf(execution, { kind: "prepare-workspace", ...place, on }, signal);
  if (!ready.ok || signal.aborted) return ready;
  const earlier = await before(execution, scene);
  const target = join(folder.work, repository.prefix);
  const text = await bundleFor(execution, scene, { target, ...earlier });
  if (typeof text !== "string") {
    const [first] = text;
    if (first) return hindered({ ...first, message: text.map((each) => each.message).join("; ") }, false);
    throw new Error("bug: no bundle, and no reason");
  }
  replaceFile(folder.bundle, text);
  return ready;
}

/** What the attempt before had changed, and what was red then: for the one who tries again. */
async function before({ app, repository }: Execution, { run, def, attempt, seen }: Scene): Promise<Before> {
  const number = attempt.number - 1;
  if (seen?.attempt !== number) return { diff: null, red: [] };
  const red = redOutput(seen.red);
  if (seen.commit === null) return { diff: null, red };
  const { folder } = attemptFolder(app.paths.heddle, run, { task: def.id, attempt: number });
  const diff = join(folder, "change.patch");
  if (!isThere(diff))
    replaceFile(diff, await diffText(repository, { from: `${seen.commit}^`, to: seen.commit }));
  return { diff, red };
}

async function bundleFor(
  { app, contract }: Execution,
  { run, def, folder }: Scene,
  { target, ...earlier }: Before & { readonly target: string },
): Promise<string | readonly Problem[]> {
  const skill = skillOf(contract.handIn.role, app.paths.heddle);
  if (isProblem(skill)) return [skill];
  const { head, task, madeBy, others } = await app.journal.read(run, (state) => {
    const own = taskOf(state, def.id);
    return {
      head: structuredClone(headOf(state)),
      task: structuredClone(own),
      madeBy: pathsBefore(state, own),
      others: pathsOfOthers(state, own),
    };
  });
  const found = { madeBy, others, offers: await offersOf(target, madeBy.keys()) };
  const order = { target, result: folder.result, skill: skill as Skill, ...earlier, socket: true, ...found };
  const made = contract.bundle(head, task, order);
  if ("problems" in made) return made.problems;
  replaceFile(bundlePath(head, def.id), made.plain);
  return made.text;
}

/** Whoever began the attempt; before it began, whoever is to do it. */
function executorOf({ agents, contract: { handIn } }: Execution, { folder, def: { tags }, phase }: Scene) {
  const began = startedOf(folder)?.agent;
  if (began === undefined) return agents.forRole(handIn.role, { tags, phase });
  return agents.whoBegan(began, { role: handIn.role, tags, phase });
}

async function work(execution: Execution, scene: Scene, signal: AbortSignal): Promise<Outcome> {
  const order = taskOrder(execution, scene);
  return isProblem(order)
    ? impossible(order.message)
    : outcomeOf(execution, { kind: "run-agent", ...order }, signal);
}

function taskOrder(execution: Execution, scene: Scene): (TaskOrder & Asking) | Problem {
  const { app, contract, config, agents, repository } = execution;
  const { folder, def, attempt, mark, mayResume, phase } = scene;
  const { role, schema } = contract.handIn;
  const agent = executorOf(execution, scene);
  if (isProblem(agent)) return agent;
  return {
    repository,
    run: scene.run,
    pinnedAs: pinOf(def.id, attempt.number),
    folder,
    base: attempt.base ?? "",
    def,
    attempt: attempt.number,
    handIn: { role, schema },
    // A task that declares no files may change what it needs: there is nothing to hold it against.
    scope: def.files.length === 0 ? "any" : (config.scope ?? contract.scope),
    judging: config.judging ?? [],
    mayBeIdle: contract.mayBeIdle,
    protect: protectedPaths(app, repository),
    agent: recipeOf(agent),
    limits: limitsFor(config, { role, agent: agent.name, tags: def.tags, phase }),
    park: agents.park(role, { tags: def.tags, phase }),
    mark,
    cwd: join(folder.work, repository.prefix),
    readable: [...(config.readable ?? []), ...packageParts(), ...patchBefore(app, scene)],
    env: { HEDDLE_WORKSPACE: folder.work, HEDDLE_PORT: String(portFor(mark)) },
    resultFile: contract.keptAt({ planningDir: scene.planningDir }, def.id),
    mayResume,
    holds: attempt.holds ?? 0,
    on: attempt.machine,
    approved: approvalsFor(scene.targetDir),
  };
}

function patchBefore(app: App, { run, def, attempt }: Scene): string[] {
  const { folder } = attemptFolder(app.paths.heddle, run, { task: def.id, attempt: attempt.number - 1 });
  const patch = join(folder, "change.patch");
  return isThere(patch) ? [patch] : [];
}

/** What belongs to heddle is no part of a task's work, wherever the project lies. */
export function protectedPaths(app: App, { checkout }: Pick<Repository, "checkout">): string[] {
  const root = checkout ?? "";
  // heddle itself, and the Node it runs on, where they are installed in the project.
  const installed = [packageDir(), process.execPath].filter((path) => path.includes("/node_modules/"));
  return [...ownFolders(app.paths), ...installed]
    .filter((path) => path.startsWith(`${root}/`))
    .map((path) => path.slice(root.length + 1));
}

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
  { scene, of: { tree, commit } }: { scene: Scene; of: Pick<Candidate, "tree" | "commit"> },
  signal: AbortSignal,
): Promise<Outcome> {
  const { folder, def, mark, attempt } = scene;
  // Another tree than its own holds what others changed as well.
  const own = tree === scene.attempt.work?.tree;
  const others = own ? [] : Object.keys(execution.config.agents ?? {});
  const setUp = setUpFor(execution, { ...changesOf(scene), agents: [authorOf(execution, scene), ...others] });
  const checking = { ...checkingOf(execution), setUp, folder, criteria: def.criteria, mark };
  const on = attempt.machine;
  const seen = await outcomeOf(execution, { kind: "run-checks", ...checking, tree, commit, on }, signal);
  if (!seen.ok || !seen.evidence) return seen;
  const judging = scene.attempt.work?.judging;
  const compared = againstBaseline({ ...seen.evidence, ...(judging && { judging }) }, scene.baseline);
  const looks = execution.contract.looksBefore === true && own && scene.baseline !== undefined;
  const before = { checking, evidence: compared, base: scene.attempt.base ?? "", on };
  const evidence = looks ? await markedBefore(execution, before, signal) : compared;
  if (isGreen(evidence) || isWaived(evidence, def)) return { ok: true, evidence };
  return { ...failure("test", sayRed(evidence)), evidence };
}

async function repair(execution: Execution, scene: Scene, signal: AbortSignal): Promise<Outcome> {
  const { agents, app } = execution;
  const skill = skillOf("fixer", app.paths.heddle);
  const order = taskOrder(execution, scene);
  if (isProblem(skill)) return impossible(skill.message);
  if (isProblem(order)) return impossible(order.message);
  const { phase } = scene;
  const agent = agents.forRole("fixer", { phase });
  const fixer = isProblem(agent) ? null : recipeOf(agent);
  const park = agents.park("fixer", { phase });
  return outcomeOf(
    execution,
    { kind: "repair-result", ...order, fixer, park, skill: skill as Skill },
    signal,
  );
}

/** Waited for here, with the work at hand; a longer limit ends the attempt, which then begins anew and costs no try. */
const patienceMs = 10 * 60_000;

async function review(execution: Execution, scene: Scene, signal: AbortSignal): Promise<Outcome> {
  const { agents, app, repository, config } = execution;
  const { attempt, phase, evidence } = scene;
  const order = taskOrder(execution, scene);
  const role = "task-verifier";
  const skill = skillOf(role, app.paths.heddle);
  if (isProblem(skill)) return impossible(skill.message);
  if (isProblem(order)) return impossible(order.message);
  const diff = await diffText(repository, { from: attempt.base ?? "", to: attempt.work?.commit ?? "" });
  const given = { ...order, skill: skill as Skill, diff, evidence, park: agents.park(role, { phase }) };
  let [limited, usage]: [string | null, Spent | undefined] = [null, undefined];
  for (;;) {
    const executor = executorOf(execution, scene);
    const agent = isProblem(executor) ? executor : agents.reviewer(executor, { phase });
    if (isProblem(agent)) return impossible(agent.message);
    const reviewer = {
      agent: recipeOf(agent),
      limits: limitsFor(config, { role, agent: agent.name, phase }),
    };
    const said = await outcomeOf(execution, { kind: "review-work", ...given, reviewer, limited }, signal);
    if (said.usage) usage = addUsage(usage, agent.name, { kind: "spent", ...said.usage });
    const spent = usage && { usage };
    if (said.ok || said.kind !== "parked") return { ...said, ...spent };
    limited = `the reviewer: ${said.error}`;
    if (said.parkMs > patienceMs) return { ...said, ...spent, error: limited };
    execution.watch(scene.def.id, { kind: "said", text: limited }, agent.name);
    await systemClock.sleep(said.parkMs, signal);
    if (signal.aborted) return failure("environment", "ended");
  }
}

const changesOf = ({ attempt, folder, tip }: Scene) => ({ trusted: [attempt.base, tip], folder });

function authorOf(execution: Execution, scene: Scene): string {
  const agent = executorOf(execution, scene);
  return isProblem(agent) ? "agent" : agent.name;
}

async function merging(execution: Execution, scene: Scene) {
  const { run, def, attempt, folder } = scene;
  const { repository } = execution;
  if (!attempt.work || attempt.base === null) throw new Error(`bug: ${def.id} has nothing to merge`);
  const author = authorOf(execution, scene);
  const committer = await personOf(repository.checkoutGitDir);
  return { repository, run, def, base: attempt.base, work: attempt.work, author, committer, folder };
}

/** The branch moves while no command comes between, and only if that is still what the run wants. */
function fenceFor({ app }: Execution, { key, task }: AttemptEffect): Fence {
  return async (swap) =>
    app.inTurnIf((state) => {
      const found = state.tasks.get(task);
      return found !== undefined && effectOfAttempt(state, found)?.key === key;
    }, swap);
}

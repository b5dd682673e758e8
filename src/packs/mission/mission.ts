// `heddle mission`: research, plan, execute and verify, strictly in order. What a person changed since is looked at
// first; then the same loop that drives plans and tasks drives the run until it rests at a halt.

import type { AgentEvent } from "../../agents/agent.ts";
import { fork } from "../../core/apply.ts";
import { toCall } from "../../core/hint.ts";
import type { Input } from "../../core/input.ts";
import { problem } from "../../core/problem.ts";
import type { Run } from "../../core/run.ts";
import { type App, Refused } from "../../engine/app.ts";
import type { Changed } from "../../engine/changed.ts";
import { drive } from "../../engine/drive.ts";
import { refuseWhileHeld } from "../../engine/hold.ts";
import { ownFolders, pathsIn } from "../../engine/paths.ts";
import { fileDigest } from "../../host/digest.ts";
import { isThere, makeFolder, readText } from "../../host/files.ts";
import { distrustProject } from "../../host/program/programs.ts";
import { refuseWithoutAgents } from "../../orders/agents.ts";
import { type Execution, executionCarriers } from "../../orders/attempts.ts";
import { baselineCarriers } from "../../orders/baseline.ts";
import { usable } from "../../orders/box.ts";
import { readConfig } from "../../orders/config.ts";
import type { RoleContract, TaskContract } from "../../orders/contract.ts";
import { finalChecksOf, runFinalChecks } from "../../orders/final-checks.ts";
import { agentFor } from "../../orders/named-agent.ts";
import { clearPlaceHalt, repositoryOf, withoutGc } from "../../orders/target-repository.ts";
import { treeRoleCarriers } from "../../orders/tree-roles.ts";
import { workersFor } from "../../orders/workers.ts";
import { workersOf } from "../../protocols/workers.ts";
import { recover, tidy } from "../decomposition/execute.ts";
import { clearOwnHalt, describe } from "../decomposition/plan.ts";
import { missionBundle, stepBundle } from "./bundle.ts";
import { notInitialized, unfilled } from "./create.ts";
import { earlierTasks } from "./earlier.ts";
import { artifactsIn, generationOf, missionFile, readPlan, stepsAsTasks, summaryFile } from "./files.ts";
import { askToHandOver } from "./hand-over.ts";
import { allowedBy, lookAtDocument, type MissionMakes, missionProduct, recording } from "./product.ts";
import { mission } from "./protocol.ts";
import { summaryHandIn } from "./read-summary.ts";

/** A step's files are what it concerns, not a fence; a project may set `scope` to make them one. */
const missionContract: TaskContract = {
  handIn: summaryHandIn,
  bundle: stepBundle,
  keptAt: summaryFile,
  scope: "any",
  looksBefore: true,
  mayBeIdle: true,
};

const missionRoles = (execution: Execution): RoleContract => ({
  product: (job, run, seen) =>
    missionProduct(job.makes as MissionMakes, run, { seen, final: finalChecksOf(execution, run, job) }),
  bundle: (run, order) => missionBundle(run, order, finalChecksOf(execution, run, order.job)?.checks),
  readable: (run) => [run.planningDir, artifactsIn(run)],
  before: (job, signal) => runFinalChecks(execution, job, { signal, earlier: earlierCriteria }),
});

/** What was done under earlier plans of the phase must still hold (M10). */
const earlierCriteria = (run: Run) =>
  earlierTasks(run)
    .filter(({ state, command }) => state === "complete" && command !== "")
    .map(({ id, name, command }) => ({ criterion: `${id}: ${name}`, command }));

export interface MissionRun {
  readonly app: App;
  readonly agent: string | undefined;
  readonly unconfined: boolean;
  /** Begin the next phase, when the present one is complete. */
  readonly next: boolean;
  /** Hand the plan over to a decomposition instead of executing it. */
  readonly handOver: boolean;
  readonly signal: AbortSignal;
  readonly stopNow?: AbortSignal;
  readonly changed: Changed;
  readonly watch: (who: string, event: AgentEvent, agent?: string) => void;
}

export async function runMission(order: MissionRun): Promise<void> {
  const { app, signal, stopNow, changed } = order;
  await clearPlaceHalt(app);
  await refuseUnlessBegun(app);
  await refuseWhileHeld(app);
  const execution = await executionOf(order);
  await clearOwnHalt(app);
  await refuseWhileHalted(app);
  if (order.next) await beginNextPhase(app);
  if (order.handOver) await askToHandOver(app);
  const carriers = {
    ...executionCarriers(execution),
    ...baselineCarriers(execution),
    ...treeRoleCarriers({ ...execution, roles: missionRoles(execution) }),
  };
  makeFolder(artifactsIn({ planningDir: app.paths.meta }));
  // A plan that was edited while a task was under way counts from that task's end on.
  do {
    await lookAgain(app);
    const all = {
      ...{ app, slots: 1, carriers, signal, changed, ...(stopNow && { stopNow }) },
      repository: execution.repository,
      opening: () => recover(app, execution.repository),
    };
    await withoutGc(execution.repository, () => drive(all));
  } while (!signal.aborted && (await isEdited(app)));
  await tidy(app, execution.repository);
}

async function refuseUnlessBegun(app: App): Promise<void> {
  const there = isThere(await app.look((run) => missionFile(run, "context")));
  if (!there) throw notInitialized();
}

async function refuseWhileHalted(app: App): Promise<void> {
  const halt = await app.look((run) => run.halt);
  if (halt)
    throw new Refused([
      problem("halted", `the mission is halted: ${halt.reason}`, {
        hint: [{ do: "resume" }, ", then: ", toCall("mission")],
      }),
    ]);
}

/** Whether its plan is handed over is said anew. */
async function beginNextPhase(app: App): Promise<void> {
  await app.submitAll([
    { kind: "advance", digests: {}, request: "next_phase" },
    { kind: "set", values: { hand_over: false } },
  ]);
}

interface Wanted {
  /** Nothing before the project's first run. */
  readonly app?: App;
  readonly root: string;
  readonly agent: string | undefined;
  readonly unconfined: boolean;
}

/** Who would work on a mission, and in what box; refuses when nobody can. */
export async function missionAgents({ app, root, agent, unconfined }: Wanted) {
  const config = readConfig(pathsIn(root).heddle);
  distrustProject(root, ownFolders(pathsIn(root)));
  const workers = await workersFor({ app, root, config, agent, unconfined });
  refuseWithoutAgents(workers.agents, workersOf(mission));
  usable(workers.box);
  return { config, ...workers };
}

async function executionOf(order: MissionRun): Promise<Execution> {
  const { app, unconfined, watch } = order;
  const agent = await agentFor(app, readConfig(app.paths.heddle), order.agent);
  const wanted = { app, root: app.paths.root, agent, unconfined };
  const { config, box, agents, isUnconfined } = await missionAgents(wanted);
  const repository = await repositoryOf(app);
  await describe(app, config, { unconfined: isUnconfined, agent });
  return { app, contract: missionContract, config, agents, box, repository, watch };
}

/** A person may have changed the context, the research or the plan: each is judged like an agent's work. */
async function lookAgain(app: App): Promise<void> {
  const context = contextNow(await app.look(fork));
  if (context) await app.submit(context);
  // What a role is making just now is for its own check.
  if (await app.look((run) => run.job !== null)) return;
  for (const name of ["research", "plan"] as const) {
    const inputs = changedInputs(await app.look(fork), name);
    const [first, ...more] = inputs;
    if (first) await app.submitAll([first, ...more]);
  }
  await passOver(app);
}

/** The same, without recording anything. */
export function changedByHand(run: Run): readonly Input[] {
  const context = contextNow(run);
  const documents = run.job === null ? (["research", "plan"] as const) : [];
  return [...(context ? [context] : []), ...documents.flatMap((name) => changedInputs(run, name))];
}

function contextNow(run: Run): Input | undefined {
  const path = missionFile(run, "context");
  const digest = fileDigest(path) ?? "";
  const known = run.artifacts.context;
  if (known?.digest === digest) return undefined;
  const read = readText(path);
  const text = "text" in read ? read.text : "";
  const problems =
    "problem" in read
      ? [read.problem.message]
      : text.trim() === ""
        ? ["it is empty"]
        : text.includes(unfilled)
          ? ["the mission has no goal yet"]
          : [];
  const valid = problems.length === 0;
  return { kind: "register", artifact: "context", path, digest, inputs: {}, valid, problems, content: {} };
}

/** Nothing is taken over of a document that is wrong, and nothing is written over: it is a person's. */
function changedInputs(run: Run, name: "research" | "plan"): readonly Input[] {
  const path = missionFile(run, name);
  const digest = fileDigest(path);
  const known = run.artifacts[name];
  if (digest === null) return known?.valid === true && name === "plan" ? [gone(run, name)] : [];
  if (digest === known?.digest) return name === "plan" ? tasksAgain(run) : [];
  const { problems, content } = lookAtDocument(name, path, { allowed: allowedBy(run) });
  if (!content) throw new Refused(problems);
  const inputs = recording(run, name, { path, digest, content, replaces: false });
  return name === "plan" ? inputs.map((input) => withoutRunning(run, input)) : inputs;
}

function gone(run: Run, name: string): Input {
  const path = missionFile(run, name);
  const problems = ["it was there, and is gone"];
  return {
    kind: "register",
    artifact: name,
    path,
    digest: "",
    inputs: {},
    valid: false,
    problems,
    content: {},
  };
}

/** What the plan says of its tasks, if they were not all taken over when it changed. */
function tasksAgain(run: Run): readonly Input[] {
  const planned = readPlan(missionFile(run, "plan"));
  if ("problems" in planned || run.phase === "planning") return [];
  const tasks = stepsAsTasks(planned.plan, generationOf(run));
  const differs = tasks.some((def) => run.tasks.get(def.id)?.def.digest !== def.digest);
  return differs || run.tasks.size !== tasks.length
    ? [withoutRunning(run, { kind: "load-plan", tasks })]
    : [];
}

/** A task that is under way is finished as it was begun. */
function withoutRunning(run: Run, input: Input): Input {
  if (input.kind !== "load-plan" || run.running.length === 0) return input;
  const begun = new Map(run.running.map((id) => [id, run.tasks.get(id)?.def]));
  const kept = input.tasks.map((def) => {
    const old = begun.get(def.id);
    begun.delete(def.id);
    return old ? { ...old, dependsOn: def.dependsOn } : def;
  });
  const dropped = [...begun.values()].filter((def) => def !== undefined);
  return { ...input, tasks: [...kept, ...dropped.map((def) => ({ ...def, dependsOn: [] }))] };
}

async function isEdited(app: App): Promise<boolean> {
  const digest = fileDigest(await app.look((run) => missionFile(run, "plan")));
  const run = await app.look(fork);
  if (run.job !== null || run.halt !== null) return false;
  const known = run.artifacts.plan;
  if (!known?.valid || digest === null) return false;
  return digest === known.digest && tasksAgain(run).length > 0;
}

/** Tasks that were done before heddle took the session over: nobody saw them, so they are passed over, not complete. */
async function passOver(app: App): Promise<void> {
  const ids = await app.look((run) => {
    const index = Number(run.vars.current_task_idx ?? 0);
    const { tasks } = run.artifacts.plan?.content ?? {};
    // Only of the plan that was there when the session was taken over: `start` is left once, and for good.
    if (run.phase !== "start" || !(index > 0) || !Array.isArray(tasks)) return [];
    return (tasks as readonly string[])
      .slice(0, index)
      .filter((id) => run.tasks.get(id)?.state === "pending" && run.tasks.get(id)?.attempts === 0);
  });
  for (const task of ids) await app.submit({ kind: "skip", task, reason: "done before, says session.json" });
}

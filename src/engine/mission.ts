// `heddle mission`: research, plan, execute and verify, strictly in order. What a person changed since is looked at
// first; then the same loop that drives plans and tasks drives the run until it rests at a halt.
import type { AgentEvent } from "../agents/agent.ts";
import type { Input } from "../core/input.ts";
import { problem } from "../core/problem.ts";
import type { Run } from "../core/run.ts";
import { summaryHandIn } from "../effects/read-summary.ts";
import { fileDigest } from "../host/digest.ts";
import { isThere, makeFolder, readText } from "../host/files.ts";
import { missionBundle, stepBundle } from "../planning/mission-bundle.ts";
import {
  artifactsIn,
  generationOf,
  missionFile,
  readPlan,
  stepsAsTasks,
  summaryFile,
} from "../planning/mission-files.ts";
import { lookAtDocument, type MissionMakes, missionProduct, recording } from "../planning/mission-product.ts";
import { mission } from "../protocols/mission/protocol.ts";
import { workersOf } from "../protocols/workers.ts";
import { agentWords, chooseAgents, refuseWithoutAgents } from "./agents.ts";
import { type App, Refused } from "./app.ts";
import { type Craft, type Execution, executionCarriers } from "./attempts.ts";
import { findBox } from "./box.ts";
import { readConfig } from "./config.ts";
import { drive } from "./drive.ts";
import { recover, tidy } from "./execute.ts";
import { askToHandOver } from "./hand-over.ts";
import { notInitialized, unfilled } from "./mission-create.ts";
import { pathsIn } from "./paths.ts";
import { clearOwnHalt, describe } from "./plan.ts";
import { repositoryOf, withoutGc } from "./target-repository.ts";
import { type RoleCraft, treeRoleCarriers } from "./tree-roles.ts";

/** A step's files are what it concerns, not a fence; a project may set `scope` to make them one. */
const missionCraft: Craft = {
  handIn: summaryHandIn,
  bundle: stepBundle,
  keptAt: summaryFile,
  scope: "any",
  mayBeIdle: true,
};

const missionRoles: RoleCraft = {
  product: ({ makes }, run, seen) => missionProduct(makes as MissionMakes, run, seen),
  bundle: missionBundle,
  readable: (run) => [run.planningDir, artifactsIn(run)],
};

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
  readonly changed: (run: Run) => void;
  readonly watch: (who: string, event: AgentEvent, agent?: string) => void;
}

export async function runMission(order: MissionRun): Promise<void> {
  const { app, signal, stopNow, changed } = order;
  await refuseUnlessBegun(app);
  const execution = await executionOf(order);
  await clearOwnHalt(app);
  await refuseWhileHalted(app);
  if (order.next) await beginNextPhase(app);
  if (order.handOver) await askToHandOver(app);
  const carriers = {
    ...executionCarriers(execution),
    ...treeRoleCarriers({ ...execution, roles: missionRoles }),
  };
  makeFolder(artifactsIn({ planningDir: app.paths.meta }));
  // A plan that was edited while a task was under way counts from that task's end on.
  do {
    await lookAgain(app);
    const all = {
      ...{ app, slots: 1, carriers, signal, changed, ...(stopNow && { stopNow }) },
      opening: () => recover(app, execution.repository),
    };
    await withoutGc(execution.repository, () => drive(all));
  } while (!signal.aborted && (await isEdited(app)));
  await tidy(app, execution.repository);
}

async function refuseUnlessBegun(app: App): Promise<void> {
  const there = await app.look((run) => isThere(missionFile(run, "context")));
  if (!there) throw notInitialized();
}

async function refuseWhileHalted(app: App): Promise<void> {
  const halt = await app.look((run) => run.halt);
  if (halt)
    throw new Refused([
      problem("halted", `the mission is halted: ${halt.reason}`, {
        hint: "heddle resume, then: heddle mission",
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
  readonly root: string;
  readonly agent: string | undefined;
  readonly unconfined: boolean;
}

/** Who would work on a mission, and in what box; refuses when nobody can. */
export async function missionAgents({ root, agent, unconfined }: Wanted) {
  const config = readConfig(pathsIn(root).heddle);
  const needed = agentWords(config, agent).some((word) => !word.startsWith("scripted:"));
  const chosen = unconfined || config.unconfined === true;
  const box = await findBox({ unconfined: chosen || !needed });
  const agents = chooseAgents({ config, named: agent, root, box });
  refuseWithoutAgents(agents, workersOf(mission));
  return { config, box, agents, isUnconfined: chosen && needed };
}

async function executionOf({ app, agent, unconfined, watch }: MissionRun): Promise<Execution> {
  const wanted = { root: app.paths.root, agent, unconfined };
  const { config, box, agents, isUnconfined } = await missionAgents(wanted);
  const repository = await repositoryOf(app);
  await describe(app, config, { unconfined: isUnconfined });
  return { app, craft: missionCraft, config, agents, box, repository, watch };
}

/** A person may have changed the context, the research or the plan: each is judged like an agent's work. */
export async function lookAgain(app: App): Promise<void> {
  const context = await app.look(contextNow);
  if (context) await app.submit(context);
  // What a role is making just now is for its own check.
  if (await app.look((run) => run.job !== null)) return;
  for (const name of ["research", "plan"] as const) {
    const inputs = await app.look((run) => changedInputs(run, name));
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
          ? ["nobody has said yet what the mission is about"]
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
  const { problems, content } = lookAtDocument(name, path, path);
  if (!content) throw new Refused(problems);
  const inputs = recording(run, name, { path, digest, content });
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
  return app.look((run) => {
    if (run.job !== null || run.halt !== null) return false;
    const digest = fileDigest(missionFile(run, "plan"));
    const known = run.artifacts.plan;
    if (!known?.valid || digest === null) return false;
    return digest === known.digest && tasksAgain(run).length > 0;
  });
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

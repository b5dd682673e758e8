// `heddle plan`: from a specification to a verified task graph. What is given is written down first; then the run is
// driven to `ready`, and can be killed and started again at any point.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { AgentEvent } from "../agents/agent.ts";
import { isInstalled, keyOf, offeredAgents } from "../agents/known.ts";
import type { Config } from "../config/config.ts";
import { freshness } from "../core/artifact.ts";
import { type Problem, problem } from "../core/problem.ts";
import type { Run } from "../core/run.ts";
import { contextText, discoverProject, type ProjectContext, userPreferences } from "../discovery/discover.ts";
import { isFile, readText, replaceFile } from "../host/files.ts";
import { forTheRole } from "../planning/for-the-role.ts";
import { fileOf, readTaskFiles } from "../planning/plan-files.ts";
import { decomposition } from "../protocols/decomposition/protocol.ts";
import { workersOf } from "../protocols/workers.ts";
import { agentWords, chooseAgents, noAgent, refuseWithoutAgents } from "./agents.ts";
import { type App, Refused } from "./app.ts";
import { findBox } from "./box.ts";
import { policyOf, readConfig } from "./config.ts";
import { drive, interrupted } from "./drive.ts";
import { pathsIn } from "./paths.ts";
import { ingest, loadTasks, observe, placesOf, validateMap } from "./planning.ts";
import { planningCarriers } from "./roles.ts";

export type { AgentEvent } from "../agents/agent.ts";
export { findSpecs } from "../discovery/discover.ts";

export interface PlanGiven {
  readonly spec: { readonly path: string } | { readonly bytes: Buffer } | undefined;
  readonly replaceSpec: boolean;
}

/** Stores the specification byte for byte (D4). One that is there stays, unless it may be replaced. */
export async function storeSpec(app: App, { spec, replaceSpec }: PlanGiven): Promise<void> {
  const path = fileOf(await placesOf(app), "spec");
  if (spec) {
    const bytes = "bytes" in spec ? spec.bytes : bytesOf(resolve(spec.path));
    const there = isFile(path) ? readFileSync(path) : undefined;
    const same = there?.equals(bytes) === true;
    if (there && !same && !replaceSpec)
      throw new Refused([
        problem("spec-exists", "another specification is stored already", {
          place: { file: path },
          hint: "--replace-spec puts this one in its place",
        }),
      ]);
    if (!same) replaceFile(path, bytes);
  }
  await ingest(app);
}

function bytesOf(path: string): Buffer {
  const read = readText(path);
  if ("problem" in read) throw new Refused([read.problem]);
  return readFileSync(path);
}

/** What was found in an existing project (D5), to be shown before it is saved. */
export interface Found {
  readonly text: string;
  readonly context: ProjectContext;
}

export async function surveyTarget(targetDir: string): Promise<Found> {
  const found = await discoverProject(targetDir);
  if ("code" in found) throw new Refused([found as Problem]);
  return { text: contextText(found), context: found };
}

/** It goes into every planning bundle. */
export async function saveFindings(app: App, { context }: Found): Promise<void> {
  const { planningDir } = await placesOf(app);
  replaceFile(join(planningDir, "artifacts/project-context.json"), `${JSON.stringify(context, null, 2)}\n`);
}

/** Whether the configuration names who works, and who could: whom it knows, and who is installed and has a key. */
export function agentNames(root: string): { readonly chosen: boolean; readonly offered: readonly string[] } {
  const config = readConfig(pathsIn(root).heddle);
  const installed = offeredAgents.filter((each) => isInstalled(each) && keyOf(each) !== undefined);
  return {
    chosen: agentWords(config, undefined).length > 0,
    offered: [...new Set([...Object.keys(config.agents ?? {}), ...installed.map(({ word }) => word)])],
  };
}

export { noAgent };

/** A person may have mended artifacts by hand since: they are looked at again before anybody is paid to. */
export async function lookAgain(app: App): Promise<void> {
  await ingest(app);
  const now = await observe(app);
  const known = await app.look((run) =>
    Object.fromEntries(Object.values(run.artifacts).map((each) => [each.name, each.digest])),
  );
  for (const name of ["capability_map", "physical_map"] as const) {
    if (known[name] !== undefined && now[name] && now[name] !== known[name]) await validateMap(app, name);
  }
  const loaded = await app.look((run) => run.tasks.size > 0);
  if (loaded && now.tasks && (now.tasks !== known.tasks || now.order !== known.order)) await loadTasks(app);
}

/** The first phase whose artifact no longer counts, when the run stands behind it. */
export async function reopenStale(app: App): Promise<void> {
  const digests = await observe(app);
  const stale = await app.look((run) => {
    const order = run.protocol.phases.map(({ name }) => name);
    if (order.indexOf(run.phase) >= order.indexOf("executing")) return undefined;
    const made = [
      ["capability_map", "logical"],
      ["physical_map", "physical"],
      ["tasks", "definition"],
      ["task_validation", "validation"],
    ] as const;
    return made.find(
      ([name]) => run.artifacts[name] && freshness(name, { run, request: null, digests }) === "stale",
    );
  });
  if (stale)
    await app.submit({
      kind: "reopen",
      to: stale[1],
      reason: `${stale[0]} was made from something that changed since`,
    });
}

const mostTasks = 5000;

/** What looks odd in a plan that is ready; of a very large one only its own check tells. */
export async function oddities(app: App): Promise<string[]> {
  if (await app.look((run) => run.tasks.size > mostTasks)) return [];
  return readTaskFiles(await placesOf(app)).checked.warnings.map(forTheRole);
}

export interface PlanRun {
  readonly app: App;
  readonly agent: string | undefined;
  readonly unconfined: boolean;
  readonly until: string;
  readonly signal: AbortSignal;
  readonly stopNow?: AbortSignal;
  readonly changed: (run: Run) => void;
  readonly watch: (role: string, event: AgentEvent) => void;
}

export async function runPlanning({
  app,
  agent,
  unconfined,
  until,
  signal,
  stopNow,
  changed,
  watch,
}: PlanRun): Promise<void> {
  const config = readConfig(app.paths.heddle);
  // Scripted agents are our own code: they need no box, and prove nothing about one.
  const needed = agentWords(config, agent).some((word) => !word.startsWith("scripted:"));
  const chosen = unconfined || config.unconfined === true;
  const box = await findBox({ unconfined: chosen || !needed });
  const agents = chooseAgents({ config, named: agent, root: app.paths.root, box });
  const later = ["executing", "verifying", "gap_planning"];
  refuseWithoutAgents(
    agents,
    workersOf(decomposition).filter(({ phase }) => !later.includes(phase)),
  );
  await describe(app, config, { unconfined: chosen && needed });
  await clearOwnHalt(app);
  const { targetDir } = await placesOf(app);
  const preferences = userPreferences({ target: targetDir, home: process.env.HOME ?? "" });
  const carriers = planningCarriers({ app, config, agents, preferences, watch });
  await drive({ app, slots: 1, until, signal, carriers, changed, ...(stopNow && { stopNow }) });
}

/** Settings count when they change; what a person raised since is left as it is. */
export async function describe(
  app: App,
  config: Config,
  { unconfined }: { unconfined: boolean },
): Promise<void> {
  const policy = policyOf(config);
  const settings = JSON.stringify(policy);
  const known = await app.look((run) => run.metadata.settings);
  const changed = known === settings ? {} : { policy };
  await app.submit({ kind: "describe", metadata: { unconfined, settings }, ...changed });
}

/** Whoever calls again wants to go on after a Ctrl-C, and another try of the role that gave up. */
export async function clearOwnHalt(app: App): Promise<void> {
  const own = await app.look(({ halt }) => halt?.code === "job" || halt?.reason === interrupted);
  if (own) await app.submit({ kind: "resume", stopFile: false });
}

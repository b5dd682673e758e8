// `heddle plan`: from a specification to a verified task graph. What is given is written down first; then the run is
// driven to `ready`, and can be killed and started again at any point.

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { AgentEvent } from "../../agents/agent.ts";
import { type Config, withSetting } from "../../config/config.ts";
import { freshness } from "../../core/artifact.ts";
import { type Problem, problem } from "../../core/problem.ts";
import { goesOnAfter } from "../../core/steps/halt.ts";
import {
  configured,
  contextText,
  corrected,
  discoverProject,
  type ProjectContext,
  userPreferences,
  withConfigured,
} from "../../discovery/discover.ts";
import { type App, Refused } from "../../engine/app.ts";
import type { Changed } from "../../engine/changed.ts";
import { drive } from "../../engine/drive.ts";
import { refuseWhileHeld } from "../../engine/hold.ts";
import { pathsIn } from "../../engine/paths.ts";
import { isFile, makeFolder, readIfThere, readText, replaceFile } from "../../host/files.ts";
import { agentWords, noAgent, offeredNames, refuseWithoutAgents } from "../../orders/agents.ts";
import { policyOf, readConfig } from "../../orders/config.ts";
import { opensNetwork } from "../../orders/make-agent.ts";
import { agentFor, remembered } from "../../orders/named-agent.ts";
import { clearPlaceHalt } from "../../orders/target-repository.ts";
import { workersFor } from "../../orders/workers.ts";
import { workersOf } from "../../protocols/workers.ts";
import { forTheRole } from "../../work/given/for-the-role.ts";
import { fileOf, readTaskFiles, specOf } from "./plan-files.ts";
import { refuseOtherTarget, rememberTarget } from "./planned-target.ts";
import { ingest, loadTasks, observe, placesOf, validateMap } from "./planning.ts";
import { decomposition } from "./protocol.ts";
import { pointsOf } from "./review/points.ts";
import { isReview, questionFor } from "./review/question.ts";
import { planningCarriers } from "./roles.ts";

export type { AgentEvent } from "../../agents/agent.ts";
export { findSpecs } from "../../discovery/discover.ts";

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
          hint: "--replace-spec puts this one in its place; --beside begins another run with it",
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
export interface ProjectSurvey {
  readonly text: string;
  readonly context: ProjectContext;
  /** Commands of a person's own, which the configuration is to say from now on. */
  readonly setUp?: readonly string[];
}

/** `root`: whose configuration may say what set-up is. */
export async function surveyTarget(targetDir: string, root: string): Promise<ProjectSurvey> {
  const found = await discoverProject(targetDir);
  if ("code" in found) throw new Refused([found as Problem]);
  const context = withConfigured(found, readConfig(pathsIn(root).heddle).setup);
  return { text: contextText(context), context };
}

/** A person's lines, and which of them were not understood. */
export function correctFindings(
  found: ProjectSurvey,
  text: string,
): ProjectSurvey & { readonly unknown: readonly string[] } {
  const { context, unknown, isSetUp } = corrected(found.context, text);
  return {
    ...found,
    context,
    text: contextText(context),
    unknown,
    ...(isSetUp && { setUp: configured(context) }),
  };
}

/** What `plan` was told of set-up is what `execute` runs and `doctor` says: it stands in the configuration. */
export function rememberSetUp(root: string, { setUp }: Pick<ProjectSurvey, "setUp">): void {
  if (!setUp) return;
  const { heddle } = pathsIn(root);
  const file = join(heddle, "config.json");
  makeFolder(heddle);
  replaceFile(file, withSetting(readIfThere(file) ?? "{}", "setup", setUp));
}

export { seeCommands } from "./findings/see-commands.ts";

/** It goes into every planning bundle. */
export async function saveFindings(app: App, { context }: Pick<ProjectSurvey, "context">): Promise<void> {
  const { planningDir } = await placesOf(app);
  replaceFile(join(planningDir, "artifacts/project-context.json"), `${JSON.stringify(context, null, 2)}\n`);
}

/** Whether the configuration names who works, and who could: whom it knows, and who is installed and has a key. */
export function agentNames(root: string): { readonly chosen: boolean; readonly offered: readonly string[] } {
  const config = readConfig(pathsIn(root).heddle);
  return { chosen: agentWords(config, undefined).length > 0, offered: offeredNames(config) };
}

export { noAgent };

/** A person may have fixed artifacts by hand since: they are looked at again before anybody is paid to. */
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

export interface Reviewing {
  readonly root: string;
  readonly agent: string | undefined;
  /** Nothing: as it is for that agent. */
  readonly wanted: boolean | undefined;
}

/**
 * Before anything is drawn from a specification it is looked at, once for each text (D27). By an agent where that may be
 * expected to know the role; by heddle itself always. A plan that is past its beginning is left alone.
 */
export async function beginReview(app: App, { root, agent, wanted }: Reviewing): Promise<void> {
  const { phase, spec, reviewed, isMapped } = await app.look((run) => ({
    phase: run.phase,
    spec: run.artifacts.spec,
    reviewed: run.vars.reviewed_spec,
    isMapped: run.artifacts.capability_map !== undefined,
  }));
  const isEarly = phase === "ingestion" || (phase === "logical" && reviewed !== undefined && !isMapped);
  if (!spec?.valid || reviewed === spec.digest || !isEarly) return;
  await settleOlder(app);
  const byAgent = phase === "ingestion" && (wanted ?? knowsReview(root, agent));
  const text = specOf(await placesOf(app)) ?? "";
  const question = byAgent ? undefined : questionFor(text, pointsOf(text));
  const set = { reviewed_spec: spec.digest, ...(byAgent && { review_spec: spec.digest }) };
  await app.submitAll([{ kind: "set", values: set }, ...(question ? [question] : [])]);
}

/** What was asked about another text is no longer open. */
async function settleOlder(app: App): Promise<void> {
  const open = await app.look((run) =>
    run.questions.filter((each) => isReview(each) && each.answer === null),
  );
  for (const { id } of open)
    await app.submit({ kind: "answer", id, answer: "the specification was changed since" });
}

/** A program of a person's own, and a script, may have been written before there was such a role. */
function knowsReview(root: string, agent: string | undefined): boolean {
  const config = readConfig(pathsIn(root).heddle);
  if (config.roles?.["spec-reviewer"] !== undefined) return true;
  const words = agent === undefined ? agentWords(config, undefined) : [agent];
  const isOwn = (word: string) =>
    /^(?:command|scripted):/.test(word) || Object.hasOwn(config.agents?.[word] ?? {}, "command");
  return words.length > 0 && !words.some(isOwn);
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
  /** Where it ends; left out, the phase that it is in, and no task is begun. */
  readonly until?: string;
  readonly signal: AbortSignal;
  readonly stopNow?: AbortSignal;
  readonly changed: Changed;
  readonly watch: (role: string, event: AgentEvent) => void;
}

export async function runPlanning({
  app,
  agent: said,
  unconfined,
  until,
  signal,
  stopNow,
  changed,
  watch,
}: PlanRun): Promise<void> {
  await refuseWhileHeld(app);
  await refuseOtherTarget(app);
  await rememberTarget(app);
  const config = readConfig(app.paths.heddle);
  const agent = await agentFor(app, config, said);
  const { agents, isUnconfined } = await workersFor({ app, root: app.paths.root, config, agent, unconfined });
  const later = ["executing", "verifying", "gap_planning"];
  refuseWithoutAgents(
    agents,
    workersOf(decomposition).filter(({ phase }) => !later.includes(phase) && phase !== "ingestion"),
  );
  await describe(app, config, { unconfined: isUnconfined, agent });
  await clearOwnHalt(app);
  const { targetDir } = await placesOf(app);
  const preferences = userPreferences({ target: targetDir, home: process.env.HOME ?? "" });
  const carriers = planningCarriers({ app, config, agents, preferences, watch });
  const here = await app.look((run) => run.phase);
  const goal = until === undefined ? { within: here, only: [] } : { until };
  await drive({ app, slots: 1, ...goal, signal, carriers, changed, ...(stopNow && { stopNow }) });
}

/** Settings count when they change; what a person raised since is left as it is. */
export async function describe(
  app: App,
  config: Config,
  { unconfined, agent }: { readonly unconfined: boolean; readonly agent: string | undefined },
): Promise<void> {
  const policy = policyOf(config);
  const settings = JSON.stringify(policy);
  const { settings: known, openNetwork: before } = await app.look((run) => run.metadata);
  const changed = known === settings ? {} : { policy };
  const openNetwork = opensNetwork(config, agent);
  await app.submit({
    kind: "describe",
    metadata: {
      ...{ unconfined, settings, ...remembered(config, agent) },
      ...((openNetwork || before === true) && { openNetwork }),
    },
    ...changed,
  });
}

/**
 * Whoever calls again wants to go on (X27): after a Ctrl-C and after a halt of one's own, with another try of the role that
 * gave up, with another look at a base, a disk or an agent that was in no state to work. What is left asks for a decision:
 * a budget to be raised, orphans, a STOP file that is still there.
 */
export async function clearOwnHalt(app: App): Promise<void> {
  await clearPlaceHalt(app);
  const code = (await app.isStopped()) ? undefined : await app.look((run) => run.halt?.code);
  if (code && (code === "stop_file" || goesOnAfter.has(code)))
    await app.submit({ kind: "resume", stopFile: false, only: code });
}

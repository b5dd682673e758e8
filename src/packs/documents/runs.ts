// One task from its brief to accepted or reverted (L): made here, looked at before anything is decided, and driven like
// every run. The same for protocols of one's own, whose artifacts lie in the run's folder as well.

import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { AgentEvent } from "../../agents/agent.ts";
import { apply, fork } from "../../core/apply.ts";
import { toCall } from "../../core/hint.ts";
import type { Input } from "../../core/input.ts";
import { isProblem, type Problem, problem } from "../../core/problem.ts";
import { decide } from "../../core/protocol.ts";
import type { Run } from "../../core/run.ts";
import { carryOut } from "../../core/step.ts";
import { wayOn } from "../../core/steps/halt.ts";
import { App, type AppOptions, Refused } from "../../engine/app.ts";
import type { Changed } from "../../engine/changed.ts";
import { drive } from "../../engine/drive.ts";
import { holderOf, refuseWhileHeld } from "../../engine/hold.ts";
import { foldersOf, pathsIn, runFolder } from "../../engine/paths.ts";
import { isThere, makeFolder, replaceFile } from "../../host/files.ts";
import { held } from "../../keep/undo.ts";
import { clearAttempt } from "../../orders/clear-attempt.ts";
import { policyOf, readConfig } from "../../orders/config.ts";
import { agentFor } from "../../orders/named-agent.ts";
import { clearPlaceHalt, repositoryOf, withoutGc } from "../../orders/target-repository.ts";
import { workersFor } from "../../orders/workers.ts";
import { type PhaseWorker, workersOf } from "../../protocols/workers.ts";
import { type Explained, explained, type Suggestion, suggestNext } from "../../view/suggestion.ts";
import { roleFolder } from "../../work/role-folder.ts";
import { clearOwnHalt, describe } from "../decomposition/plan.ts";
import { acceptor, reverter } from "../lifecycle/accept.ts";
import { coder, tester } from "../lifecycle/code.ts";
import { makeProject } from "../make-project.ts";
import { isHandMade, jobCarriers, type Part } from "./roles.ts";
import { digestsNow, foundByHand } from "./run-files.ts";

export interface NewRun extends AppOptions {
  readonly protocol: string;
  readonly brief: string;
  readonly target: string | undefined;
}

/** Makes a run beside whatever else goes on in this project, and its folders (L1). */
export async function newRun({ protocol, brief, target, ...options }: NewRun): Promise<App> {
  if (brief.trim() === "")
    throw new Refused([
      problem("no-brief", "a task needs a brief", { hint: toCall('task new "<what to do>"') }),
    ]);
  const paths = pathsIn(options.root);
  await makeProject({ root: options.root, journals: options.journals });
  const app = await App.open(options);
  try {
    const targetDir = resolve(options.root, target ?? (await targetOfPlan(app)) ?? ".");
    const { realFolder } = await import("../../discovery/project-files.ts");
    const found = realFolder(targetDir);
    if (isProblem(found)) throw new Refused([found]);
    const policy = policyOf(readConfig(paths.heddle));
    const metadata = { brief };
    const table = await app.packs.load(protocol, paths.heddle);
    if (!table) throw new Error(`bug: no protocol ${protocol}`);
    const folderOf = (id: string) => runFolder(paths, table, id);
    const prepare = (id: string) => {
      for (const folder of ["", ...foldersOf(table)]) makeFolder(join(folderOf(id), folder));
      if (protocol === "lifecycle") replaceFile(join(folderOf(id), "planning/brief.md"), `${brief.trim()}\n`);
    };
    await app.create(
      protocol,
      (id) => [{ kind: "create", targetDir, planningDir: folderOf(id), policy, metadata }],
      { prepare },
    );
    return app;
  } catch (error) {
    app.close();
    throw error;
  }
}

/** A project with one plan has one target. */
async function targetOfPlan(app: App): Promise<string | undefined> {
  const plan = (await app.journal.runs()).find((run) => !run.archived && run.protocol === "decomposition");
  return plan && app.journal.read(plan.id, ({ targetDir }) => targetDir);
}

/** What only counts once heddle has done what it says. */
const carriedOut = new Set(["decision", "revert"]);

/** What a job makes is not looked at before the job is over. */
function found(run: Run): Input[] {
  const { job } = run;
  const busy = job ? (job.role === "coder" ? ["diff", "files"] : [job.makes]) : [];
  return foundByHand(run, carriedOut).filter(
    (input) => input.kind !== "register" || !busy.includes(input.artifact),
  );
}

/** Records what people did to the run's files since: each judged like an agent's work. */
export async function lookAtFiles(app: App): Promise<void> {
  await clearPlaceHalt(app);
  const run = await app.look(fork);
  if (run.holder && (await holderOf(app))) throw new Refused([held(run)]);
  const [first, ...more] = found(run);
  if (first) await app.submitAll([first, ...more]);
}

export interface Suggested {
  readonly suggestion: Suggestion;
  readonly explained: Explained;
  /** The run as it would be if what lies in its folder now were registered. */
  readonly seen: Run;
}

/** What the rules ask for, with the files as they are now. Changes nothing. */
export async function suggest(app: App): Promise<Suggested> {
  const protocol = await app.look((run) => run.protocolName);
  const run = await app.journal.read(await app.run(), fork);
  if (protocol === "decomposition") {
    const { observe } = await import("../decomposition/planning.ts");
    return worded(run, await observe(app));
  }
  const inputs =
    protocol === "mission" ? (await import("../mission/mission.ts")).changedByHand(run) : found(run);
  for (const input of inputs) carryOut({ run, record: (fact) => record(run, fact) }, input);
  return worded(run, digestsNow(run));
}

function worded(run: Run, digests: Readonly<Record<string, string | null>>): Suggested {
  return { suggestion: suggestNext(run, digests), explained: explained(run, digests), seen: run };
}

function record(run: Run, fact: Parameters<typeof apply>[1]["fact"]): void {
  apply(run, { position: run.position, at: run.updatedAt, by: "", fact });
}

export interface RunJobs {
  readonly app: App;
  readonly agent: string | undefined;
  readonly unconfined: boolean;
  /** The only phase to work on; without it, until a person is needed. */
  readonly within?: string;
  readonly signal: AbortSignal;
  readonly stopNow?: AbortSignal;
  readonly changed: Changed;
  readonly watch: (role: string, event: AgentEvent) => void;
}

const parts: Readonly<Record<string, Part>> = { coder, tester, acceptor, reverter };

/** Whether heddle plays this role itself, by running programs that are not its own. */
const runsPrograms = (role: string) => parts[role]?.runsPrograms === true;

export async function runJobs(jobs: RunJobs): Promise<void> {
  const { app, agent: said, unconfined, within, watch, ...order } = jobs;
  await refuseWhileHeld(app);
  const config = readConfig(app.paths.heddle);
  const agent = await agentFor(app, config, said);
  const wanted = { app, root: app.paths.root, config, agent, unconfined, mayLackAgents: true };
  const { box, agents, isUnconfined } = await workersFor(wanted);
  const hindrance = box.kind === "missing" ? box.problem : undefined;
  const nobodyFor = async (only: string | undefined) =>
    rolesWanted(app, await app.look(fork), only)
      .map(({ role, phase }) => (runsPrograms(role) ? hindrance : agents.forRole(role, { phase })))
      .filter((each) => each !== undefined && isProblem(each));
  const nobody = await nobodyFor(within);
  if (nobody.length > 0) return withoutAgent(jobs, nobody, nobodyFor);
  await describe(app, config, { unconfined: isUnconfined, agent });
  await clearOwnHalt(app);
  const halt = await app.look((run) => run.halt);
  if (halt)
    throw new Refused([
      problem("halted", `the run is halted: ${halt.reason}`, {
        hint: wayOn(halt, toCall("next")),
      }),
    ]);
  const isTask = (await app.look((run) => run.protocolName)) === "lifecycle";
  const carriers = jobCarriers({ app, config, agents, box, watch }, isTask ? parts : {});
  const all = { app, slots: 1, carriers, ...order, ...(within !== undefined && { within }) };
  if (!isTask) return drive(all);
  const repository = await repositoryOf(app);
  await withoutGc(repository, () => drive({ ...all, repository }));
  if (await app.look((run) => run.phase === "done")) await tidy(app, await app.run());
}

/** What was decided before needs nobody: it is carried out, and the first phase that does need an agent says so. */
async function withoutAgent(
  jobs: RunJobs,
  nobody: readonly Problem[],
  nobodyFor: (phase: string) => Promise<readonly Problem[]>,
): Promise<void> {
  const { app, within } = jobs;
  const phaseNow = () => app.look((run) => (run.halt ? undefined : run.phase));
  const phase = await phaseNow();
  const isUnneeded = within === undefined && phase !== undefined && (await nobodyFor(phase)).length === 0;
  if (!isUnneeded) throw new Refused(nobody.slice(0, 1));
  await runJobs({ ...jobs, within: phase });
  const after = await phaseNow();
  if (after !== undefined && after !== phase && after !== "done") await runJobs(jobs);
}

/** Better now, in one sentence, than after the work has begun: the roles that need an agent. */
function rolesWanted({ paths }: App, run: Run, within: string | undefined): PhaseWorker[] {
  if (within === undefined) return workersOf(run.protocol);
  const { rule } = decide(run.protocol, { run, request: "drive", digests: {} });
  if (rule?.then.kind !== "job" || isHandMade(run, rule.then.makes)) return [];
  const { role } = rule.then;
  // Somebody was killed after the output was there: it is looked at, and nobody makes another.
  if (run.job?.role === role && isThere(roleFolder(paths.heddle, run.id, run.job).output)) return [];
  const needsNobody = run.protocol.commands?.includes(role) && !runsPrograms(role);
  return needsNobody ? [] : [{ role, phase: run.phase }];
}

/** Nobody needs the workspaces of a task that is done. */
async function tidy(app: App, run: string): Promise<void> {
  const folder = join(app.paths.heddle, "attempts", run);
  for (const name of isThere(folder) ? readdirSync(folder) : []) await clearAttempt(join(folder, name));
}

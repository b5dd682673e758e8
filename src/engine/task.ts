// One task from its brief to accepted or reverted (L): made here, looked at before anything is decided, and driven like
// every run. The same for protocols of one's own, whose artifacts lie in the run's folder as well.

import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { AgentEvent } from "../agents/agent.ts";
import { apply, fork } from "../core/apply.ts";
import type { Input } from "../core/input.ts";
import { isProblem, problem } from "../core/problem.ts";
import { decide } from "../core/protocol.ts";
import type { Run } from "../core/run.ts";
import { carryOut } from "../core/step.ts";
import { wayOn } from "../core/step-halt.ts";
import { wallClock } from "../host/clock.ts";
import { isThere, makeFolder, replaceFile } from "../host/files.ts";
import { isAlive } from "../host/process.ts";
import { digestsNow, fileOf, foundByHand } from "../jobs/run-files.ts";
import type { Decision } from "../protocols/lifecycle/artifacts/decision.ts";
import { type PhaseWorker, workersOf } from "../protocols/workers.ts";
import { type Explained, explained, type Suggestion, suggestNext } from "../view/suggestion.ts";
import { acceptor, reverter } from "./accept.ts";
import { agentWords, chooseAgents } from "./agents.ts";
import { App, type AppOptions, Refused } from "./app.ts";
import { findBox } from "./box.ts";
import { coder, tester } from "./code.ts";
import { policyOf, readConfig } from "./config.ts";
import { makeProject } from "./create.ts";
import { drive } from "./drive.ts";
import { sweep } from "./execute.ts";
import { isHandMade, jobCarriers } from "./jobs.ts";
import { foldersOf, pathsIn, runFolder } from "./paths.ts";
import { clearOwnHalt, describe } from "./plan.ts";
import { repositoryOf, withoutGc } from "./target-repository.ts";
import { held } from "./undo.ts";

export interface NewRun extends AppOptions {
  readonly protocol: string;
  readonly brief: string;
  readonly target: string | undefined;
}

/** Makes a run beside whatever else goes on in this project, and its folders (L1). */
export async function newRun({ protocol, brief, target, ...options }: NewRun): Promise<App> {
  if (brief.trim() === "")
    throw new Refused([
      problem("no-brief", "a task needs a brief", { hint: 'heddle task new "<what to do>"' }),
    ]);
  const paths = pathsIn(options.root);
  makeProject(paths);
  const app = new App(options);
  try {
    const targetDir = resolve(options.root, target ?? (await targetOfPlan(app)) ?? ".");
    const { realFolder } = await import("../discovery/project-files.ts");
    const found = realFolder(targetDir);
    if (isProblem(found)) throw new Refused([found]);
    const policy = policyOf(readConfig(paths.heddle));
    const metadata = { brief };
    await app.create(protocol, (id) => {
      const planningDir = runFolder(paths, protocol, id);
      for (const folder of ["", ...foldersOf(protocol)]) makeFolder(join(planningDir, folder));
      if (protocol === "lifecycle") replaceFile(join(planningDir, "planning/brief.md"), `${brief.trim()}\n`);
      return [{ kind: "create", targetDir, planningDir, policy, metadata }];
    });
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
  const { id, holder, inputs } = await app.look((run) => ({
    id: run.id,
    holder: run.holder,
    inputs: found(run),
  }));
  if (holder && isAlive(holder)) throw new Refused([held({ id, holder })]);
  const [first, ...more] = inputs;
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
    const { observe } = await import("./planning.ts");
    return worded(run, await observe(app));
  }
  const inputs = protocol === "mission" ? (await import("./mission.ts")).changedByHand(run) : found(run);
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
  readonly changed: (run: Run) => void;
  readonly watch: (role: string, event: AgentEvent) => void;
}

const parts = { coder, tester, acceptor, reverter };

export async function runJobs({ app, agent, unconfined, within, watch, ...order }: RunJobs): Promise<void> {
  const config = readConfig(app.paths.heddle);
  const agentsNamed = agentWords(config, agent);
  // Scripted agents are our own code: they need no box, and prove nothing about one.
  const scripted = agentsNamed.length > 0 && agentsNamed.every((word) => word.startsWith("scripted:"));
  const chosen = unconfined || config.unconfined === true;
  const box = await findBox({ unconfined: chosen || scripted });
  const agents = chooseAgents({ config, named: agent, root: app.paths.root, box });
  const missing = (await app.look((run) => rolesWanted(run, within))).map(({ role, phase }) =>
    agents.forRole(role, { phase }),
  );
  const nobody = missing.filter(isProblem);
  if (nobody.length > 0) throw new Refused(nobody.slice(0, 1));
  await describe(app, config, { unconfined: chosen && !scripted });
  await clearOwnHalt(app);
  const halt = await app.look((run) => run.halt);
  if (halt)
    throw new Refused([
      problem("halted", `the run is halted: ${halt.reason}`, {
        hint: wayOn(halt),
      }),
    ]);
  const isTask = (await app.look((run) => run.protocolName)) === "lifecycle";
  const carriers = jobCarriers({ app, config, agents, box, watch }, isTask ? parts : {});
  const all = { app, slots: 1, carriers, ...order, ...(within !== undefined && { within }) };
  if (!isTask) return drive(all);
  await withoutGc(await repositoryOf(app), () => drive(all));
  if (await app.look((run) => run.phase === "done")) tidy(app, await app.run());
}

/** Better now, in one sentence, than after the work has begun: the roles that need an agent. */
function rolesWanted(run: Run, within: string | undefined): PhaseWorker[] {
  if (within === undefined) return workersOf(run.protocol);
  const { rule } = decide(run.protocol, { run, request: "drive", digests: {} });
  if (rule?.then.kind !== "job" || isHandMade(run, rule.then.makes)) return [];
  const { role } = rule.then;
  return run.protocol.commands?.includes(role) ? [] : [{ role, phase: run.phase }];
}

/** Nobody needs the workspaces of a task that is done. */
function tidy(app: App, run: string): void {
  const folder = join(app.paths.heddle, "attempts", run);
  for (const name of isThere(folder) ? readdirSync(folder) : []) sweep(join(folder, name));
}

/** A person's decision, as the file that it is: the rules take it from there (L3). */
export async function decideByHand(
  app: App,
  decision: Decision & { readonly decider: string },
): Promise<void> {
  const path = await app.look((run) => fileOf(run, "decision"));
  replaceFile(path, `${JSON.stringify({ ...decision, timestamp: wallClock() }, null, 2)}\n`);
}

// `heddle mission --then execute`: a mission's plan goes to a decomposition, which plans it as a graph, executes it and has
// it verified; what came of it is given back to the mission. Each step looks first whether it was done: killed in between,
// the next call goes on.

import { toCall } from "../../core/hint.ts";
import { type Problem, problem } from "../../core/problem.ts";
import type { Json, Run } from "../../core/run.ts";
import { App, Refused } from "../../engine/app.ts";
import { readText } from "../../host/files.ts";
import { isAncestor, moveBranch } from "../../host/git/integrate.ts";
import { landedBefore, repositoryOf } from "../../orders/target-repository.ts";
import { createProject } from "../decomposition/create.ts";
import { saveFindings, storeSpec, surveyTarget } from "../decomposition/plan.ts";
import { hasFiles } from "../decomposition/target.ts";
import { checkResearch } from "./artifacts/check.ts";
import { mustHavesOf } from "./earlier.ts";
import { missionFile, readPlan } from "./files.ts";
import { missionSpec } from "./spec.ts";

/** Written down before anything is made: whoever goes on with the mission hands it over. Said again, it changes nothing. */
export async function askToHandOver(app: App): Promise<void> {
  if (await app.look(({ phase }) => phase === "done")) return;
  const problems = [
    ...(await app.look(begunAlready)),
    ...(await planInTheWay(app)),
    ...(await notLanded(app)),
  ];
  if (problems.length > 0) throw new Refused(problems);
  await app.submit({ kind: "set", values: { hand_over: true } });
}

function begunAlready({ phase, tasks, counts }: Run): Problem[] {
  const begun = [...tasks.all()].find(({ attempts, state }) => attempts > 0 || state === "complete");
  if (!["executing", "verifying"].includes(phase) || (!begun && counts.running === 0)) return [];
  return [
    problem("begun", `\`${begun?.def.id}\` was begun: this plan is no longer handed over`, {
      hint: [
        toCall("mission"),
        " goes on; ",
        toCall("mission --next --then execute"),
        " hands over the next phase",
      ],
    }),
  ];
}

interface Plan {
  readonly id: string;
  readonly phase: string;
  readonly from: Json;
}

async function activePlan(app: App): Promise<Plan | undefined> {
  const found = (await app.journal.runs()).find(
    ({ protocol, archived }) => protocol === "decomposition" && !archived,
  );
  if (!found) return undefined;
  return app.journal.read(found.id, ({ id, phase, metadata }) => ({
    id,
    phase,
    from: metadata.from ?? null,
  }));
}

/** One of an earlier phase that is complete makes room; anything else is a person's. */
async function planInTheWay(app: App): Promise<Problem[]> {
  const [plan, run] = [await activePlan(app), await app.look(({ id }) => id)];
  if (!plan || (isOf(plan, run) && plan.phase === "complete")) return [];
  if (await app.look((state) => state.phase === "handed_over" && plan.from === handle(state))) return [];
  return [
    problem("plan-exists", `there is a plan already: \`${plan.id}\``, {
      hint: [
        toCall(`execute --run ${plan.id}`),
        " goes on with it; ",
        toCall("init . --force"),
        " archives it",
      ],
    }),
  ];
}

const isOf = ({ from }: Plan, mission: string) => String(from).startsWith(`${mission}/`);

/** Which plan of which mission. */
const handle = ({ id, artifacts: { plan } }: Run) => `${id}/${String(plan?.content.generation)}`;

/** A decomposition begins from the person's commit: what the mission did before must be in it. */
async function notLanded(app: App): Promise<Problem[]> {
  const branch = await app.look((run) => run.branch);
  if (!branch || branch.tip === branch.start || (await landedBefore(app)) === branch.tip) return [];
  const repository = await repositoryOf(app);
  if (await isAncestor(repository, branch.tip, "HEAD").catch(() => false)) return [];
  return [
    problem("not-landed", `what is on \`${branch.name}\` is not in your checkout yet`, {
      hint: [toCall(`land --run ${await app.run()}`), ", then the same again"],
    }),
  ];
}

/** The decomposition that has the plan, made if it is not there; its run's id. */
export async function handOver(app: App, root: string): Promise<string> {
  const said = await app.look(handed);
  const plan = await activePlan(app);
  const own = plan?.from === said.from;
  if (!own) {
    const problems = await planInTheWay(app);
    if (problems.length > 0) throw new Refused(problems);
    const created = await createProject({
      ...app.opening,
      root,
      by: "operator",
      target: said.target,
      force: plan !== undefined,
      metadata: { from: said.from, must_haves: said.mustHaves },
    });
    created.close();
  }
  const id = (await activePlan(app))?.id ?? "";
  const open = await App.open({ ...app.opening, root, by: "operator", run: id });
  try {
    await describeIt(open, said);
  } finally {
    open.close();
  }
  for (const task of said.open) await app.submit({ kind: "skip", task, reason: `handed over to ${id}` });
  return id;
}

interface Handed {
  readonly from: string;
  readonly target: string;
  readonly spec: string;
  readonly mustHaves: Json;
  readonly open: readonly string[];
}

function handed(run: Run): Handed {
  const planned = readPlan(missionFile(run, "plan"));
  if ("problems" in planned) throw new Refused(planned.problems);
  const text = (name: string) => {
    const read = readText(missionFile(run, name));
    return "text" in read ? read.text : undefined;
  };
  const file = missionFile(run, "research");
  const research = text("research");
  const spec = missionSpec({
    context: text("context") ?? "",
    research: research === undefined ? undefined : checkResearch({ file, text: research }).value,
    plan: planned.plan,
  });
  const pending = [...run.tasks.all()].filter(({ state }) => state === "pending" || state === "failed");
  return {
    from: handle(run),
    target: run.targetDir,
    spec,
    mustHaves: mustHavesOf(run, planned.plan.must_haves) as unknown as Json,
    open: pending.map(({ def }) => def.id),
  };
}

/** The specification and what was found, once; what was planned from it since is not touched. */
async function describeIt(plan: App, { target, spec }: Handed): Promise<void> {
  if (await plan.look(({ phase, artifacts }) => phase !== "ingestion" || artifacts.spec !== undefined))
    return;
  const kind = hasFiles(target) ? "existing" : "new";
  await plan.submit({ kind: "describe", metadata: { project_type: kind } });
  if (kind === "existing") await saveFindings(plan, await surveyTarget(target, plan.paths.root));
  await storeSpec(plan, { spec: { bytes: Buffer.from(spec) }, replaceSpec: true });
}

/** What the decomposition came to is the mission's from here on, its branch included. */
export async function handBack(app: App, plan: App): Promise<boolean> {
  const done = await plan.look(({ phase, branch }) => (phase === "complete" ? branch : null));
  const own = await app.look(({ phase, branch }) => ({ phase, branch }));
  if (!done || own.phase !== "handed_over") return false;
  if (own.branch) {
    const repository = await repositoryOf(app);
    const { name, tip } = own.branch;
    if (await isAncestor(repository, tip, done.tip))
      await moveBranch(repository, { branch: name, from: tip, to: done.tip });
  }
  await app.submit({ kind: "advance", digests: {}, request: "handed_back" });
  return true;
}

// `heddle plan` and `heddle verify-plan`: planning through agents, resumable at any point (D1–D19).
import { join, resolve } from "node:path";
import { problem } from "../../core/problem.ts";
import { type PlanSummary, summarize } from "../../core/schedule.ts";
import { type App, Refused } from "../../engine/app.ts";
import { pathsIn } from "../../engine/paths.ts";
import { isThere } from "../../host/files.ts";
import { planText } from "../../view/plan.ts";
import { standstillText } from "../../view/standstill.ts";
import { statusDocument, statusText } from "../../view/status.ts";
import { agentFlags } from "../agent-flags.ts";
import { type Call, type Command, exits, type Reply, Usage } from "../command.ts";
import { live } from "../live.ts";
import { type Answers, answersFor, planned } from "../plan-answers.ts";
import { canAsk, prompts } from "../prompts.ts";
import { terminal } from "../terminal.ts";

export const plan: Command = {
  name: "plan",
  summary: "from a specification to a verified task graph, through agents",
  group: "run",
  args: [{ name: "spec", about: "the specification, a file, or - for standard input", optional: true }],
  flags: {
    target: { about: "the directory that the code is written to", takes: "DIR" },
    new: { about: "a new project" },
    existing: { about: "an existing project: it is looked at first" },
    stack: { about: "the tech stack, in your own words", takes: "TEXT", text: true },
    yes: { about: "take what was found in an existing project as it is" },
    "replace-spec": { about: "put this specification in the place of the stored one" },
    ...agentFlags,
  },
  examples: [
    "heddle plan spec.md --target ./app --agent command:./my-agent",
    "heddle plan --existing --target . --yes",
    "heddle plan    # goes on where it stands",
  ],
  interruptible: true,
  run: async (call) => {
    if (call.flags.has("new") && call.flags.has("existing"))
      throw new Usage(problem("contradiction", "`--new` and `--existing` contradict each other"));
    const begun = await begunPlan(call);
    if (begun) await sameTarget(call, begun);
    const known = await begun?.look(({ targetDir, planningDir, phase, metadata }) => ({
      targetDir,
      planningDir,
      phase,
      metadata,
    }));
    const planningDir = known?.planningDir ?? pathsIn(call.root).planning;
    const answers = await answersFor(call, planningDir, known);
    const app = begun ?? (await create(call, answers.target));
    await takeDown(call, app, answers);
    const engine = await import("../../engine/plan.ts");
    await engine.lookAgain(app);
    await engine.reopenStale(app);
    if (await app.look((run) => planned.has(run.phase))) return outcome(app, call.signal);
    return drivePlanning(call, app, answers.agent);
  },
};

/** What was answered, written down before anybody works. */
async function takeDown({ flags }: Call, app: App, answers: Answers): Promise<void> {
  const { kind, stack, spec, found } = answers;
  const engine = await import("../../engine/plan.ts");
  const metadata = {
    ...(kind !== undefined && { project_type: kind }),
    ...(stack !== undefined && { tech_stack: stack }),
  };
  await app.submit({ kind: "describe", metadata });
  await engine.storeSpec(app, { spec, replaceSpec: flags.has("replace-spec") });
  if (found) await engine.saveFindings(app, found);
}

export const verifyPlan: Command = {
  name: "verify-plan",
  summary: "have the plan judged again, after its task files were changed",
  group: "run",
  flags: agentFlags,
  examples: ["heddle verify-plan"],
  interruptible: true,
  run: async (call) => {
    const app = await call.app();
    const engine = await import("../../engine/plan.ts");
    await engine.lookAgain(app);
    if (await app.look((run) => run.tasks.size === 0))
      throw new Refused([problem("no-tasks", "there are no tasks to be judged", { hint: "heddle plan" })]);
    await app.submit({ kind: "reopen", to: "validation", reason: "the plan is to be judged again" });
    return drivePlanning(call, app);
  },
};

/** Killed as it began, a plan may have a journal and no run yet: it is begun again. */
async function begunPlan({ root, flags, app: open }: Call): Promise<App | undefined> {
  const { database, planning } = pathsIn(root);
  if (!isThere(database) && !isThere(join(planning, "state.json"))) return undefined;
  const app = await open();
  const runs = await app.journal.runs();
  const isActive = runs.some((run) => !run.archived && run.protocol === "decomposition");
  return isActive || flags.one("run") !== undefined ? app : undefined;
}

async function create({ root, warn, app }: Call, target: string): Promise<App> {
  const { createProject } = await import("../../engine/create.ts");
  const created = await createProject({ root, by: "operator", target, force: false, warn });
  created.close();
  return app();
}

/** A plan is made for one target: another one needs another plan. */
async function sameTarget({ flags, root }: Call, app: App): Promise<void> {
  const target = flags.one("target");
  const known = await app.look((run) => run.targetDir);
  if (target === undefined || resolve(root, target) === known) return;
  throw new Refused([
    problem("other-target", `this plan is for ${known}, not for ${resolve(root, target)}`, {
      hint: "heddle init --force <target> begins another",
    }),
  ]);
}

export async function drivePlanning(call: Call, app: App, agent = call.flags.one("agent")): Promise<Reply> {
  const { runPlanning } = await import("../../engine/plan.ts");
  const { flags, signal } = call;
  for (;;) {
    const view = await live(app, call);
    await runPlanning({
      app,
      agent,
      unconfined: flags.has("unconfined"),
      until: "ready",
      signal,
      stopNow: call.stopNow(),
      changed: view.changed,
      watch: view.watch,
    });
    await view.settle();
    const open = await app.look((run) => run.questions.find((question) => question.answer === null));
    if (!open || !canAsk(call) || signal.aborted) return outcome(app, signal);
    const answer =
      open.options.length > 0
        ? await (await prompts(call)).choose(open.text, open.options)
        : await (await prompts(call)).text(open.text, { initial: "" });
    await app.submit({ kind: "answer", id: open.id, answer });
  }
}

async function outcome(app: App, signal: AbortSignal): Promise<Reply> {
  const isReady = await app.look((run) => planned.has(run.phase));
  const { oddities } = await import("../../engine/plan.ts");
  const warnings = isReady ? await oddities(app) : [];
  return app.look((run) => {
    const document = statusDocument(run, { stopFile: false });
    if (isReady) {
      const summary: PlanSummary = summarize(run);
      const text = [planText(summary), ...lookAt(warnings), "", "heddle status shows the tasks"].join("\n");
      return { text, json: { ...document, plan: summary, warnings } };
    }
    const text = `${statusText(run, { ...terminal(), stopFile: false, nowMs: Date.now() })}\n${standstillText(run, app.paths.heddle)}`;
    return { text, painted: true, json: document, exit: signal.aborted ? exits.interrupted : exits.refused };
  });
}

const mostWarnings = 5;

function lookAt(warnings: readonly string[]): string[] {
  const more = warnings.length - mostWarnings;
  return [
    ...warnings.slice(0, mostWarnings).map((warning) => `  look at        ${warning}`),
    ...(more > 0 ? [`  and ${more} more: heddle state load-tasks`] : []),
  ];
}

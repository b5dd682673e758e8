// `heddle plan` and `heddle verify-plan`: planning through agents, resumable at any point (D1–D19).
import { join, resolve } from "node:path";
import { agentFlags } from "../../../command/agent-flags.ts";
import { type Call, type Command, exits, type Reply, Usage } from "../../../command/command.ts";
import { askInPlace } from "../../../command/terminal/ask-in-place.ts";
import { live } from "../../../command/terminal/live.ts";
import { canAsk } from "../../../command/terminal/prompts.ts";
import { terminal } from "../../../command/terminal/terminal.ts";
import { webBeside, webFlag } from "../../../command/web-beside.ts";
import { type PlanSummary, summarize } from "../../../core/graph/schedule.ts";
import { toCall } from "../../../core/hint.ts";
import type { Input } from "../../../core/input.ts";
import { problem } from "../../../core/problem.ts";
import type { Run } from "../../../core/run.ts";
import type { Question } from "../../../core/run-parts.ts";
import { type App, Refused } from "../../../engine/app.ts";
import { pathsIn } from "../../../engine/paths.ts";
import { isThere, readIfThere } from "../../../host/files.ts";
import type { Manner } from "../../../view/hint.ts";
import { planText } from "../../../view/plan.ts";
import { questionText } from "../../../view/question.ts";
import { oneLine } from "../../../view/safe.ts";
import { standstillText } from "../../../view/standstill.ts";
import { statusDocument, statusText } from "../../../view/status.ts";
import { asItIs, isReview, keepReview, mayPass } from "../review/question.ts";
import { type Answers, answersFor, planned } from "./plan-answers.ts";

export const plan: Command = {
  name: "plan",
  summary: "from a specification to a verified task graph, through agents",
  brief: "turn a specification into a plan",
  group: "run",
  args: [{ name: "spec", about: "the specification, a file, or - for standard input", optional: true }],
  flags: {
    target: { about: "the directory that the code is written to", takes: "DIR" },
    new: { about: "a new project" },
    existing: { about: "an existing project: it is looked at first" },
    stack: { about: "the tech stack, in your own words", takes: "TEXT", text: true },
    yes: { about: "take the specification, and what was found in an existing project, as they are" },
    review: { about: "have the specification reviewed by a program of yours, too" },
    "no-review": { about: "do not have the specification reviewed by an agent" },
    show: { about: "print the plan as one page" },
    edit: { about: "edit the plan as YAML in $EDITOR; changed tasks start over", byHand: true },
    beside: { about: "begin another run beside the one under way" },
    "replace-spec": { about: "put this specification in the place of the stored one" },
    ...agentFlags,
    ...webFlag,
  },
  examples: [
    "heddle plan spec.md --target ./app --agent command:./my-agent",
    "heddle plan --existing --target . --yes",
    "heddle plan    # continues where it stopped",
    "heddle plan --show",
    "heddle plan --edit    # in $EDITOR",
    "heddle plan next.md    # the next feature, once the plan before is complete",
  ],
  interruptible: true,
  run: async (call) => {
    if (call.flags.has("show")) return (await import("./plan-page.ts")).showPlan(call);
    if (call.flags.has("edit")) return (await import("./plan-page.ts")).editPlan(call);
    if (call.flags.has("new") && call.flags.has("existing"))
      throw new Usage(problem("contradiction", "`--new` and `--existing` contradict each other"));
    const earlier = await begunPlan(call);
    const begun = earlier && (await isAnother(call, earlier)) ? undefined : earlier;
    if (begun) await sameTarget(call, begun);
    if (begun) await (await import("../../../orders/target-repository.ts")).clearPlaceHalt(begun);
    const known = await begun?.look(({ targetDir, planningDir, phase, metadata }) => ({
      targetDir,
      planningDir,
      phase,
      metadata,
    }));
    // Of another run nothing is known yet, whatever lies where plans usually do.
    const { planning, heddle } = pathsIn(call.root);
    const planningDir = known?.planningDir ?? (earlier ? join(heddle, "runs/next") : planning);
    const answers = await answersFor(call, planningDir, known);
    const app = begun ?? (await create(call, answers.target, earlier));
    await takeDown(call, app, answers);
    await webBeside(call);
    const engine = await import("../plan.ts");
    await engine.lookAgain(app);
    await engine.reopenStale(app);
    if (await app.look((run) => planned.has(run.phase))) return outcome(call, app);
    const wanted = call.flags.has("no-review") ? false : call.flags.has("review") || undefined;
    await engine.beginReview(app, { root: call.root, agent: answers.agent, wanted });
    return drivePlanning(call, app, answers.agent);
  },
};

/** What was answered, written down before anybody works. */
async function takeDown({ flags, signal, say, root }: Call, app: App, answers: Answers): Promise<void> {
  const { kind, stack, spec, found } = answers;
  const engine = await import("../plan.ts");
  const metadata = {
    ...(kind !== undefined && { project_type: kind }),
    ...(stack !== undefined && { tech_stack: stack }),
  };
  await app.submit({ kind: "describe", metadata });
  await engine.storeSpec(app, { spec, replaceSpec: flags.has("replace-spec") });
  if (!found) return;
  engine.rememberSetUp(root, found);
  if (found.setUp) say("note: set-up is remembered as `setup` in .heddle/config.json");
  const seeing = { unconfined: flags.has("unconfined"), signal, say };
  await engine.saveFindings(app, { context: await engine.seeCommands(app, found.context, seeing) });
}

export const verifyPlan: Command = {
  name: "verify-plan",
  summary: "have the plan judged again, whatever the last verdict was",
  group: "run",
  flags: agentFlags,
  examples: ["heddle verify-plan"],
  interruptible: true,
  run: async (call) => {
    const app = await call.app();
    const engine = await import("../plan.ts");
    await (await import("../../../orders/target-repository.ts")).clearPlaceHalt(app);
    await engine.lookAgain(app);
    if (await app.look((run) => run.tasks.size === 0))
      throw new Refused([problem("no-tasks", "there are no tasks to be judged", { hint: toCall("plan") })]);
    if (await isUnderway(app)) return judgedBeside(call, app);
    await app.submitAll([
      await judgeAgain(app),
      { kind: "reopen", to: "validation", reason: "the plan is to be judged again" },
    ]);
    return drivePlanning(call, app);
  },
};

/** Where a verdict moves nothing: what was begun continues, and what is complete stays so (D24). */
async function isUnderway(app: App): Promise<boolean> {
  const { phase, job } = await app.look((run) => ({ phase: run.phase, job: run.job }));
  const isVerified = phase === "verifying" || phase === "gap_planning";
  // A role that was cut off is only continued with what `execute` gives it.
  if (isVerified && job !== null && job.role !== "task-plan-verifier")
    throw new Refused([
      problem("busy", `${job.role} was interrupted in phase \`${phase}\`, and has to finish first`, {
        hint: [toCall("execute --verify"), ", then: ", toCall("verify-plan")],
      }),
    ]);
  return isVerified || phase === "executing" || phase === "complete";
}

async function judgeAgain(app: App): Promise<Input> {
  const { verdictNow } = await import("../protocol.ts");
  return { kind: "set", values: { judge_again: await app.look(verdictNow) } };
}

async function judgedBeside(call: Call, app: App): Promise<Reply> {
  const { runPlanning, clearOwnHalt } = await import("../plan.ts");
  const { flags, signal } = call;
  const before = await app.look((run) => run.artifacts.task_validation?.validatedAt);
  await app.submit(await judgeAgain(app));
  const view = await live(app, call);
  const [agent, unconfined] = [flags.one("agent"), flags.has("unconfined")];
  const { changed, watch } = view;
  try {
    await runPlanning({ app, agent, unconfined, signal, stopNow: call.stopNow(), changed, watch });
  } finally {
    await view.settle();
    // Whatever came of it, nothing else waits for it.
    await app.submit({ kind: "set", values: { judge_again: null } });
  }
  const failed = await app.look(({ halt }) => (halt?.code === "job" ? halt.reason : undefined));
  if (failed !== undefined) await clearOwnHalt(app);
  return app.look((run) => verdictReply(run, { before, failed }));
}

function verdictReply(
  run: Run,
  { before, failed }: { readonly before: string | undefined; readonly failed: string | undefined },
): Reply {
  const { content = {}, validatedAt } = run.artifacts.task_validation ?? {};
  const json = statusDocument(run, { stopFile: false });
  if (validatedAt === before)
    return { text: `the plan was not judged: ${failed ?? "it was interrupted"}`, json, exit: exits.refused };
  const text = [
    `${String(content.verdict)}: ${oneLine(String(content.summary ?? ""))}`,
    `the report is at ${run.planningDir}/reports/task-validation-report.md; the run stays in phase ${run.phase}`,
  ].join("\n");
  return { text, json, exit: content.verdict === "BLOCKED" ? exits.refused : exits.done };
}

/** Killed as it began, a plan may have a journal and no run yet: it is begun again. */
async function begunPlan({ root, journals, flags, app: open }: Call): Promise<App | undefined> {
  const view = join(pathsIn(root).planning, "state.json");
  if (!(await journals.has(root)) && !isThere(view)) return undefined;
  const app = await open();
  const runs = await app.journal.runs();
  const isActive = runs.some((run) => !run.archived && run.protocol === "decomposition");
  return isActive || flags.one("run") !== undefined ? app : undefined;
}

/** The next feature: another specification when the run before is done, or whenever it was asked for. */
async function isAnother({ args: [word], flags }: Call, app: App): Promise<boolean> {
  if (flags.has("beside")) return true;
  if (word === undefined || flags.has("replace-spec") || flags.one("run") !== undefined) return false;
  const { phase, planningDir, isList } = await app.look((run) => ({
    phase: run.phase,
    planningDir: run.planningDir,
    isList: run.vars.way === "list",
  }));
  if (phase !== "complete") return isList;
  if (word === "-") return true;
  const [stored, said] = [join(planningDir, "inputs/spec.md"), resolve(word)].map(readIfThere);
  return said !== undefined && stored !== said;
}

async function create(
  { root, packs, journals, warn, app, say }: Call,
  target: string,
  earlier?: App,
): Promise<App> {
  const { createProject } = await import("../create.ts");
  const beside = earlier !== undefined;
  const created = await createProject({
    ...{ root, packs, journals, by: "operator", warn },
    ...{ target, force: false, beside },
  });
  const id = await created.run();
  created.close();
  if (beside) say(`${id} begins; heddle runs lists all runs`);
  return (await app()).choosing({ run: id });
}

/** A plan is made for one target: another one needs another plan. */
async function sameTarget({ flags, root }: Call, app: App): Promise<void> {
  const target = flags.one("target");
  const known = await app.look((run) => run.targetDir);
  if (target === undefined) return;
  const { rememberTarget } = await import("../planned-target.ts");
  if (resolve(root, target) === known) return rememberTarget(app, { anew: true });
  throw new Refused([
    problem("other-target", `this plan is for ${known}, not for ${resolve(root, target)}`, {
      hint: [toCall("init --force <target>"), " begins another"],
    }),
  ]);
}

export async function drivePlanning(call: Call, app: App, agent = call.flags.one("agent")): Promise<Reply> {
  const { runPlanning } = await import("../plan.ts");
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
    const open = await app.look((run) => {
      const found = run.questions.find((question) => question.answer === null);
      return found && { ...found, text: questionText(run, found) };
    });
    await app.look((run) => keepReview(run.planningDir, run.questions));
    const passed = open && passedReview(call, open);
    if (!open || signal.aborted || (passed === undefined && !canAsk(call))) return outcome(call, app);
    if (passed === undefined) await askInPlace(call, app, open);
    else await app.submit({ kind: "answer", id: open.id, answer: passed });
  }
}

/** `--yes` takes the specification as it is; where nobody can be asked, so does whatever is not a contradiction. */
function passedReview(call: Call, open: Question): string | undefined {
  if (!isReview(open)) return undefined;
  const isPassed = call.flags.has("yes") || (!canAsk(call) && mayPass(open));
  if (!isPassed) return undefined;
  call.say(`${open.text}\n-> ${asItIs}`);
  return call.flags.has("yes") ? `${asItIs} (--yes)` : `${asItIs} (nobody could be asked)`;
}

async function outcome({ signal, manner }: Call, app: App): Promise<Reply> {
  const isReady = await app.look((run) => planned.has(run.phase));
  const { oddities } = await import("../plan.ts");
  const warnings = isReady ? await oddities(app) : [];
  return app.look((run) => {
    const document = statusDocument(run, { stopFile: false });
    if (isReady) {
      const summary: PlanSummary = summarize(run);
      const text = [
        planText(summary),
        ...lookAt(warnings, manner),
        "",
        `${manner("status")} shows the tasks`,
      ].join("\n");
      return { text, json: { ...document, plan: summary, warnings } };
    }
    const text = `${statusText(run, { ...terminal(), manner, stopFile: false, nowMs: Date.now() })}\n${standstillText(run, app.paths.heddle, manner)}`;
    return { text, painted: true, json: document, exit: signal.aborted ? exits.interrupted : exits.refused };
  });
}

const mostWarnings = 5;

function lookAt(warnings: readonly string[], manner: Manner): string[] {
  const more = warnings.length - mostWarnings;
  return [
    ...warnings.slice(0, mostWarnings).map((warning) => `  look at        ${warning}`),
    ...(more > 0 ? [`  and ${more} more: ${manner("state load-tasks")}`] : []),
  ];
}

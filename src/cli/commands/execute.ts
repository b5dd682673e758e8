// `heddle execute` and `heddle land`: from the task graph to merged, verified changes (X1–X21).
import { problem } from "../../core/problem.ts";
import { type OnOrphan, type Run, type TaskId, taskOf } from "../../core/run.ts";
import { whyTask } from "../../core/why.ts";
import { type App, Refused } from "../../engine/app.ts";
import { oneLine } from "../../view/safe.ts";
import { statusDocument, statusText } from "../../view/status.ts";
import { agentFlags } from "../agent-flags.ts";
import { type Call, type Command, exits, type Reply } from "../command.ts";
import { live } from "../live.ts";
import { numberOf } from "../parse.ts";
import { canAsk, prompts } from "../prompts.ts";
import { terminal } from "../terminal.ts";

const orphanChoices = ["retry", "skip", "abort"] as const;

export const execute: Command = {
  name: "execute",
  summary: "have the tasks of a ready plan done by agents, checked by heddle, and merged",
  group: "run",
  args: [{ name: "task", about: "only this task", optional: true }],
  flags: {
    batch: { about: "all tasks, without questions, up to three at once" },
    parallel: { about: "all tasks, up to N at once (64 at most)", takes: "N" },
    "on-orphan": {
      about: "what becomes of attempts whose agent died with an earlier orchestrator",
      takes: "WHAT",
      choices: orphanChoices,
    },
    verify: { about: "at the end have the whole verified, and what is missing planned and done" },
    ...agentFlags,
  },
  examples: [
    "heddle execute                # one task, then asks",
    "heddle execute --parallel 4",
    "heddle execute T005",
    "heddle execute --batch --on-orphan retry    # never asks",
    "heddle execute --batch --verify",
  ],
  interruptible: true,
  run: async (call) => {
    const app = await call.app();
    const onOrphan = await orphanPolicy(call, app);
    await warnOfUncommitted(call, app);
    await warnOfSettings(call, app);
    const all = call.flags.has("batch") || call.flags.has("parallel") || (await isLeftToRoles(call, app));
    const [task] = call.args;
    if (task !== undefined) await go(call, app, { only: [task], slots: 1, onOrphan });
    else if (all) await go(call, app, { slots: slotsOf(call), onOrphan });
    else await oneByOne(call, app, onOrphan);
    return outcome(call, app);
  },
};

/** All of it, without questions, and verified as a whole: for a plan that a mission handed over. */
export async function executeAll(call: Call, app: App): Promise<Reply> {
  const isDone = await app.look(({ phase }) => phase === "complete");
  await warnOfUncommitted(call, app);
  if (!isDone)
    await go(call, app, { slots: undefined, onOrphan: await orphanPolicy(call, app), verify: true });
  return outcome(call, app);
}

/** Every task is done, and the whole is, or is to be, verified. */
async function isLeftToRoles({ flags }: Call, app: App): Promise<boolean> {
  const ended = ["verifying", "gap_planning", ...(flags.has("verify") ? ["complete"] : [])];
  return app.look((run) => ended.includes(run.phase));
}

/** Once, at the beginning: later the branch is what counts. */
export async function warnOfUncommitted({ warn }: Call, app: App): Promise<void> {
  if (await app.look((run) => run.branch !== null || run.halt !== null)) return;
  const { uncommitted } = await import("../../engine/execute.ts");
  const files = await uncommitted(app);
  if (files.length === 0) return;
  const named = `${files.slice(0, 5).join(", ")}${files.length > 5 ? ", …" : ""}`;
  warn(
    problem("uncommitted", `agents begin from your last commit, without ${named}`, {
      hint: "git commit, if they should see it",
    }),
  );
}

/** Off is how it should be; what was approved and is not as it was is off too, and a person would wonder. */
async function warnOfSettings({ warn }: Call, app: App): Promise<void> {
  const { anyApproved, saySettings, settingsOf } = await import("../../engine/steering.ts");
  if (!(await anyApproved(app))) return;
  for (const each of await settingsOf(app)) {
    const { what, hint } = saySettings(each);
    if (each.state === "changed") warn(problem("settings-changed", what, { hint }));
  }
}

function slotsOf({ flags }: Call): number | undefined {
  const said = flags.one("parallel");
  if (said === undefined) return undefined;
  const slots = numberOf(said, "--parallel", { least: 1, whole: true });
  if (slots <= 64) return slots;
  throw new Refused([
    problem("too-many", `\`--parallel ${said}\` is too many: 64 at most`, { hint: "--parallel 64" }),
  ]);
}

/** What was left behind is offered, on a terminal; elsewhere it is tried again unless the flag says otherwise. */
async function orphanPolicy(call: Call, app: App): Promise<OnOrphan> {
  const said = call.flags.one("on-orphan") as OnOrphan | undefined;
  if (said !== undefined) return said;
  const { orphansOf } = await import("../../engine/execute.ts");
  const orphans = await orphansOf(app);
  if (orphans.length === 0) return "retry";
  const named = orphans.map(({ task, attempt }) => `${task} (attempt ${attempt})`).join(", ");
  call.say(`left behind by an earlier run, without a result: ${named}`);
  if (!canAsk(call)) return "retry";
  const chosen = await (await prompts(call)).choose("What becomes of them?", orphanChoices);
  return chosen as OnOrphan;
}

interface Going {
  readonly only?: readonly TaskId[];
  readonly slots: number | undefined;
  readonly onOrphan: OnOrphan;
  readonly verify?: boolean;
}

async function go(call: Call, app: App, going: Going): Promise<void> {
  const { execute: run } = await import("../../engine/execute.ts");
  const { flags, signal } = call;
  if (going.only) await refuseUnknown(app, going.only);
  const view = await live(app, call);
  await run({
    app,
    agent: flags.one("agent"),
    unconfined: flags.has("unconfined"),
    verify: flags.has("verify"),
    signal,
    stopNow: call.stopNow(),
    changed: view.changed,
    watch: view.watch,
    ...going,
  });
  await view.settle();
}

async function refuseUnknown(app: App, only: readonly TaskId[]): Promise<void> {
  const { find, isProblem } = await import("../../core/answer.ts");
  const problems = await app.look((run) => only.map((id) => find(run, id)).filter(isProblem));
  if (problems.length > 0) throw new Refused(problems);
}

/** One at a time, and a question after each: yes, no, or another task's id (X1). */
async function oneByOne(call: Call, app: App, onOrphan: OnOrphan): Promise<void> {
  let wanted = await nextTask(app);
  while (wanted !== undefined && !call.signal.aborted) {
    await go(call, app, { only: [wanted], slots: 1, onOrphan });
    if (terminal().live) call.say(await became(app, wanted));
    const following = await nextTask(app);
    if (following === undefined || !canAsk(call) || (await app.look((run) => run.halt !== null))) return;
    const said = (
      await (await prompts(call)).text(`Go on with ${following}? (y, n, or a task id)`, { initial: "y" })
    ).trim();
    if (/^n(?:o)?$/i.test(said)) return;
    wanted = /^(?:y(?:es)?)?$/i.test(said) ? following : said;
  }
}

/** The table is gone by then: what came of the task is said before anything is asked. */
async function became(app: App, task: TaskId): Promise<string> {
  return app.look((run) => {
    const { status, reasons } = whyTask(run, taskOf(run, task));
    return `${task} is ${status}: ${oneLine(reasons[0] ?? "").slice(0, 300)}`;
  });
}

/** What is under way goes first: it was begun. */
async function nextTask(app: App): Promise<TaskId | undefined> {
  return app.look((run) => run.running[0] ?? run.tasks.ready(1)[0]);
}

async function outcome(call: Call, app: App): Promise<Reply> {
  const { run, complete, document } = await app.look((state) => ({
    run: statusText(state, { ...terminal(), stopFile: false, nowMs: Date.now() }),
    complete: state.phase === "complete",
    document: statusDocument(state, { stopFile: false }),
  }));
  const lines = [run, ...(await app.look(left)), ...(await app.look(verified))];
  if (complete) lines.push(await landed(call, app));
  lines.push(await written(call, app));
  const exit = complete ? exits.done : call.signal.aborted ? exits.interrupted : exits.refused;
  return { text: lines.filter((line) => line !== "").join("\n"), painted: true, json: document, exit };
}

/** What is left, why, and what would help (X15). */
function left(run: Run): string[] {
  const failed = run.tasks.notable().filter((task) => task.state === "failed");
  return failed.slice(0, 10).flatMap(({ def, failure }) => {
    const why = oneLine(failure?.error ?? "").slice(0, 300);
    const force = failure?.retryable === false ? " --force" : "";
    // What is wrong with the machine, a key or an agent is found there.
    const first = failure?.category === "environment" ? "heddle doctor, then: " : "";
    return [
      `${def.id} failed (${failure?.category}): ${why}`,
      `  hint: ${first}heddle state retry-task ${def.id}${force}`,
    ];
  });
}

/** What the verification of the whole came to, where there was one. */
function verified(run: Run): string[] {
  const { passed, checks } = run.artifacts.verification?.content ?? {};
  return run.phase === "complete" && passed === true
    ? [`verified: ${checks} of ${checks} checks passed`]
    : [];
}

/** The report follows the run; one that cannot be written changes nothing about it. */
async function written({ warn }: Call, app: App): Promise<string> {
  const { writeReports } = await import("../../engine/report.ts");
  try {
    return `report: ${await writeReports(app)}`;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    warn(
      problem("no-report", `the report could not be written (${code ?? message})`, {
        hint: "heddle report --out FILE writes it elsewhere",
      }),
    );
    return "";
  }
}

export async function landed(call: Call, app: App): Promise<string> {
  const { landRun, landMode } = await import("../../engine/execute.ts");
  const mode = landMode(app);
  const asked =
    mode === "ask" && canAsk(call)
      ? await (await prompts(call)).confirm("Bring your checkout to the result?")
      : false;
  if (mode === "never" || (mode === "ask" && !asked))
    return "hint: heddle land brings your checkout to the result";
  if (call.signal.aborted) return "";
  return landingText(await landRun(app));
}

export function landingText(
  landing: Awaited<ReturnType<typeof import("../../engine/execute.ts").landRun>>,
): string {
  if (landing.landed)
    return `landed: ${landing.files} file${landing.files === 1 ? "" : "s"} changed in your checkout`;
  return `not landed: ${landing.reason}\n  hint: ${landing.hint}`;
}

export const land: Command = {
  name: "land",
  summary: "bring your checkout to what was integrated, if it is clean and has not moved",
  group: "run",
  examples: ["heddle land"],
  run: async ({ app }) => {
    const { landRun } = await import("../../engine/execute.ts");
    const landing = await landRun(await app());
    return { text: landingText(landing), json: landing, exit: landing.landed ? exits.done : exits.refused };
  },
};

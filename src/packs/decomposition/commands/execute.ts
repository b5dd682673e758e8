// `heddle execute` and `heddle land`: from the task graph to merged, verified changes (X1–X21).

import { agentFlags } from "../../../command/agent-flags.ts";
import { type Call, type Command, exits, type Reply } from "../../../command/command.ts";
import { askWhereToLand, landed, landFlags } from "../../../command/landing.ts";
import { numberOf } from "../../../command/parse.ts";
import { live } from "../../../command/terminal/live.ts";
import { canAsk, prompts } from "../../../command/terminal/prompts.ts";
import { terminal } from "../../../command/terminal/terminal.ts";
import { webBeside, webFlag } from "../../../command/web-beside.ts";
import { type Hint, joined, toCall } from "../../../core/hint.ts";
import { problem } from "../../../core/problem.ts";
import { type OnOrphan, type Run, type Task, type TaskId, taskOf } from "../../../core/run.ts";
import { whyTask } from "../../../core/why.ts";
import { type App, Refused } from "../../../engine/app.ts";
import type { Serving } from "../../../engine/drive.ts";
import { refuseWhileHeld } from "../../../engine/hold.ts";
import { hintText, type Manner } from "../../../view/hint.ts";
import { oneLine } from "../../../view/safe.ts";
import { statusDocument, statusText } from "../../../view/status.ts";
import { lastWords, lastWordsText } from "../../../work/evidence/last-words.ts";

const orphanChoices = ["retry", "skip", "abort"] as const;

/** How many at once, and what becomes of what an earlier orchestrator left: the same wherever tasks are executed. */
export const executionFlags = {
  parallel: { about: "all tasks, up to N at once (64 at most)", takes: "N" },
  "on-orphan": {
    about: "what becomes of attempts whose agent died with an earlier orchestrator",
    takes: "WHAT",
    choices: orphanChoices,
  },
  "skip-baseline": {
    about: "start although the base cannot be checked, and record why",
    takes: "WHY",
    byHand: true,
  },
  ...landFlags,
} as const;

export const execute: Command = {
  name: "execute",
  summary: "have the tasks of a ready plan done by agents, checked by heddle, and merged",
  brief: "have the tasks of a plan done, checked and merged",
  group: "run",
  args: [{ name: "task", about: "only this task", optional: true }],
  flags: {
    batch: { about: "all tasks, without questions, up to three at once" },
    ...executionFlags,
    verify: { about: "at the end have the whole verified, and what is missing planned and done" },
    ...agentFlags,
    ...webFlag,
  },
  examples: [
    "heddle execute                # one task, then asks",
    "heddle execute --parallel 4",
    "heddle execute T005",
    "heddle execute --batch --on-orphan retry    # never asks",
    "heddle execute --batch --verify",
    "heddle execute --batch --into develop",
  ],
  interruptible: true,
  run: async (call) => {
    const app = await call.app();
    await refuseWhileHeld(app);
    const onOrphan = await orphanPolicy(call, app);
    await webBeside(call);
    await (await import("../planned-target.ts")).refuseOtherTarget(app);
    await askWhereToLand(call, app);
    await warnOfUncommitted(call, app);
    await warnOfSettings(call, app);
    const all = call.flags.has("batch") || call.flags.has("parallel") || (await isLeftToRoles(call, app));
    const [task] = call.args;
    if (task !== undefined) return oneTask(call, app, { only: [task], slots: 1, onOrphan });
    if (all) await go(call, app, { slots: slotsOf(call), onOrphan });
    else await oneByOne(call, app, onOrphan);
    return outcome(call, app);
  },
};

/** What came of it is the answer: 0 when it is done, 1 when it failed or could not start, with the reason (X1). */
async function oneTask(call: Call, app: App, going: Going & { only: readonly [TaskId] }): Promise<Reply> {
  const [id] = going.only;
  await refuseUnstartable(app, id);
  if (await app.look((run) => taskOf(run, id).state !== "complete")) await go(call, app, going);
  const whole = await outcome(call, app);
  const isDone = await app.look((run) => taskOf(run, id).state === "complete");
  const line = `${id} is done`;
  const text = isDone ? `${whole.text}\n${line}` : `${whole.text}\n${await became(app, id)}`;
  return {
    ...whole,
    text,
    exit: call.signal.aborted ? exits.interrupted : isDone ? exits.done : exits.refused,
  };
}

/** One that waits for others, or was given up, is not begun by its name: what is begun in its place is named. */
async function refuseUnstartable(app: App, id: TaskId): Promise<void> {
  await refuseUnknown(app, [id]);
  const problems = await app.look((run) => {
    const task = taskOf(run, id);
    const isOpen = task.state === "pending" && task.unmet === 0;
    if (isOpen || task.state === "running" || task.state === "complete") return [];
    const { status, reasons, hint } = whyTask(run, task);
    const first = run.tasks.ready().find((each) => waitsFor(run, task, each));
    const again = toCall(`execute ${id}`);
    const way: Hint =
      first === undefined
        ? joined(hint ?? { do: "why", task: id }, ", then: ", again)
        : toCall(`execute ${first}`);
    const notes = reasons.slice(0, 5).map(oneLine);
    return [problem("cannot-start", `task \`${id}\` cannot start: it is ${status}`, { notes, hint: way })];
  });
  if (problems.length > 0) throw new Refused(problems);
}

/** At any distance. */
function waitsFor(run: Run, task: Task, other: TaskId): boolean {
  const seen = new Set<TaskId>();
  const open = [...task.def.dependsOn];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === other) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    open.push(...taskOf(run, next).def.dependsOn);
  }
  return false;
}

/** All of it, without questions, and verified as a whole: for a plan that a mission handed over. */
export async function executeAll(call: Call, app: App): Promise<Reply> {
  await refuseWhileHeld(app);
  const isDone = await app.look(({ phase }) => phase === "complete");
  await warnOfUncommitted(call, app);
  if (!isDone)
    await go(call, app, { slots: undefined, onOrphan: await orphanPolicy(call, app), verify: true });
  return outcome(call, app);
}

/** Every task that can be, without questions: for `heddle run`. */
export async function executeTasks(call: Call, app: App, agent?: string): Promise<Reply> {
  await refuseWhileHeld(app);
  const onOrphan = await orphanPolicy(call, app);
  await askWhereToLand(call, app);
  await warnOfUncommitted(call, app);
  await warnOfSettings(call, app);
  await go(call, app, { slots: slotsOf(call), onOrphan, ...(agent !== undefined && { agent }) });
  return outcome(call, app);
}

/** Every task that can be, for `heddle serve`; what came of it, unless the run was let go for another. */
export async function serveTasks(call: Call, app: App, serving: Serving): Promise<string> {
  await go(call, app, { slots: slotsOf(call), onOrphan: "retry", serving });
  return serving.letGo.aborted ? "" : ((await outcome(call, app)).text ?? "");
}

/** Every task is done, and the whole is, or is to be, verified. */
async function isLeftToRoles({ flags }: Call, app: App): Promise<boolean> {
  const ended = ["verifying", "gap_planning", ...(flags.has("verify") ? ["complete"] : [])];
  return app.look((run) => ended.includes(run.phase));
}

/** Once, at the beginning: later the branch is what counts. */
export async function warnOfUncommitted({ warn }: Call, app: App): Promise<void> {
  if (await app.look((run) => run.branch !== null || run.halt !== null)) return;
  const { uncommitted } = await import("../execute.ts");
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
  const { anyApproved, saySettings, settingsOf } = await import("../../../orders/steering.ts");
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
  const { orphansOf } = await import("../execute.ts");
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
  readonly agent?: string;
  readonly serving?: Serving;
}

async function go(call: Call, app: App, going: Going): Promise<void> {
  const { execute: run } = await import("../execute.ts");
  const { flags, signal } = call;
  if (going.only) await refuseUnknown(app, going.only);
  const view = await live(app, call);
  await run({
    app,
    agent: flags.one("agent"),
    unconfined: flags.has("unconfined"),
    verify: flags.has("verify"),
    skipBaseline: flags.one("skip-baseline"),
    signal,
    stopNow: call.stopNow(),
    changed: view.changed,
    watch: view.watch,
    ...going,
  });
  await view.settle();
}

async function refuseUnknown(app: App, only: readonly TaskId[]): Promise<void> {
  const { find, isProblem } = await import("../../../core/answer.ts");
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
    run: statusText(state, { ...terminal(), manner: call.manner, stopFile: false, nowMs: Date.now() }),
    complete: state.phase === "complete",
    document: statusDocument(state, { stopFile: false }),
  }));
  const lines = [run, ...left(await app.look(failedTasks), call.manner), ...(await app.look(verified))];
  if (complete) lines.push(...(await notCovered(call, app)), await landed(call, app));
  lines.push(await written(call, app));
  const exit = complete ? exits.done : call.signal.aborted ? exits.interrupted : exits.refused;
  return { text: lines.filter((line) => line !== "").join("\n"), painted: true, json: document, exit };
}

/** Every task is done: that is not the same as every requirement (D23). */
async function notCovered({ manner }: Call, app: App): Promise<string[]> {
  const open = await (await import("../coverage.ts")).uncovered(app);
  if (open.length === 0) return [];
  const named = open.slice(0, 10).map(({ id }) => id);
  const more = open.length > named.length ? ", …" : "";
  return [`not proven: ${named.join(", ")}${more}`, `  hint: ${manner("coverage")}`];
}

/** What is left, why, and what would help (X15). */
function failedTasks(run: Run): Task[] {
  const failed = run.tasks.notable().filter((task) => task.state === "failed");
  return structuredClone(failed.slice(0, 10));
}

function left(failed: readonly Task[], manner: Manner): string[] {
  return failed.flatMap(({ def, failure, evidence }) => {
    const why = oneLine(failure?.error ?? "").slice(0, 300);
    const retry = { do: "retry-task", task: def.id, force: failure?.retryable === false } as const;
    // What is wrong with the machine, a key or an agent is found there.
    const first = failure?.category === "environment" ? `${manner("doctor")}, then: ` : "";
    return [
      `${def.id} failed (${failure?.category}): ${why}`,
      ...lastWordsText(lastWords(evidence)).map((line) => `  ${oneLine(line)}`),
      `  hint: ${first}${hintText(retry, manner)}, then: ${manner("execute")}`,
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
  const [{ writeReports }, { coveredBy }] = await Promise.all([
    import("../../reports.ts"),
    import("../coverage.ts"),
  ]);
  try {
    return `report: ${await writeReports(app, async (run) => coveredBy(run))}`;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    warn(
      problem("no-report", `the report could not be written (${code ?? message})`, {
        hint: [toCall("report --out FILE"), " writes it elsewhere"],
      }),
    );
    return "";
  }
}

// `heddle task`: tasks that go from a brief to accepted or reverted (L1), and the commands of their single phases (L9).

import { agentFlags } from "../../../command/agent-flags.ts";
import { type Call, type Command, exits, type Reply, Usage } from "../../../command/command.ts";
import { landFlags } from "../../../command/landing.ts";
import { toCall } from "../../../core/hint.ts";
import { problem } from "../../../core/problem.ts";
import type { Run } from "../../../core/run.ts";
import { type App, Refused } from "../../../engine/app.ts";
import { oneLine } from "../../../view/safe.ts";
import { stateView } from "../../../view/state-json.ts";
import { suggestionText } from "../../../view/suggestion.ts";
import { goOn, refuseUnlessDue, refuseWhileHalted, toLand } from "../../documents/go-on.ts";

const who = () => process.env.HEDDLE_ACTOR ?? "operator";
const task = { name: "task", about: "a task's id; the only open one unless said", optional: true } as const;
const reason = { about: "why, for the record", takes: "TEXT", text: true } as const;

async function named({ commands }: Call, name: string): Promise<Command | undefined> {
  return (await commands()).find((command) => command.name === name);
}

/** The task that a command is about. */
async function chosen({ app, args: [id] }: Pick<Call, "app" | "args">): Promise<App> {
  return (await app()).choosing({ protocol: "lifecycle", run: id });
}

export const create: Command = {
  name: "task new",
  summary: "begin a task: from its brief through plan, review, code and tests to acceptance",
  group: "run",
  args: [{ name: "brief", about: "what is to be done, in your own words", many: true, text: true }],
  flags: { target: { about: "the directory that the code is in; this one unless said", takes: "DIR" } },
  examples: ['heddle task new "greet people by name"', 'heddle task new "fix issue 12" --target ./app'],
  run: async ({ root, packs, journals, args, flags, warn, manner }) => {
    const brief = args.join(" ");
    const { newRun } = await import("../../documents/runs.ts");
    const target = flags.one("target");
    const app = await newRun({
      ...{ root, packs, journals, by: who(), warn },
      ...{ protocol: "lifecycle", brief, target },
    });
    try {
      return await app.look((run) => ({
        text: [`${run.id}: ${oneLine(brief)}`, `TASK_DIR=${run.planningDir}`, `hint: ${manner("next")}`].join(
          "\n",
        ),
        json: { task: run.id, task_dir: run.planningDir, target_dir: run.targetDir, phase: run.phase },
      }));
    } finally {
      app.close();
    }
  },
};

export const list: Command = {
  name: "task list",
  summary: "list the tasks and where they stand",
  group: "look",
  examples: ["heddle task list"],
  run: async ({ app, flags, manner }) => {
    const opened = await app();
    // A run that is not there is a mistake here too.
    if (flags.one("run") !== undefined) await opened.run();
    await opened.packs.load("lifecycle");
    const all = (await opened.journal.runs()).filter(({ protocol }) => protocol === "lifecycle");
    const tasks = await Promise.all(
      all.map(({ id }) =>
        opened.journal.read(id, (run) => ({
          ...{ task: id, phase: run.phase, round: run.counters.rounds ?? 0, archived: run.archived },
          brief: String(run.metadata.brief ?? ""),
          halted: run.halt?.reason ?? null,
        })),
      ),
    );
    const lines = tasks.map(
      ({ task: id, phase, brief, halted }) =>
        `${id.padEnd(9)} ${phase.padEnd(12)} ${oneLine(brief).slice(0, 100)}${halted ? "  (halted)" : ""}`,
    );
    return { text: lines.join("\n") || `no tasks yet\nhint: ${manner('task new "<brief>"')}`, json: tasks };
  },
};

export const show: Command = {
  name: "task show",
  summary: "show one task: its phase, the state of each agent in it, its artifacts, and what is next",
  group: "look",
  args: [task],
  examples: ["heddle task show task-1", "heddle task show T001", "heddle task show --json"],
  run: async (call) => {
    // A task of a plan is a task too.
    const one = /^T\d+$/.test(call.args[0] ?? "") ? await named(call, "show") : undefined;
    if (one) return one.run(call);
    const app = await chosen(call);
    const { suggest } = await import("../../documents/runs.ts");
    const { suggestion, seen } = await suggest(app);
    const overrides = (await app.history({ kinds: ["overridden"] })).flatMap(({ at, by, fact }) =>
      fact.kind === "overridden" && fact.phase !== null
        ? [{ at, by, to: fact.phase, reason: fact.reason }]
        : [],
    );
    const words = overrides.map(
      ({ to, by, reason: why }) => `  overridden to ${to} by ${by}: ${oneLine(why)}`,
    );
    return {
      text: [...shown(seen), ...words, suggestionText(suggestion, call.manner)].join("\n"),
      json: { ...stateView(seen), overrides, suggestion },
    };
  },
};

function shown(run: Run): string[] {
  const { actors = {}, artifacts = {} } = stateView(run) as Readonly<
    Record<string, Record<string, { status: string; state: string; path: string; problems: string[] }>>
  >;
  const phases = Object.entries(actors).map(
    ([phase, { status }]) => `  ${phase === run.phase ? "▸" : " "} ${phase.padEnd(12)} ${status}`,
  );
  const files = Object.entries(artifacts).flatMap(([, { state, path, problems }]) => [
    `  ${state.padEnd(8)} ${path}`,
    ...problems.slice(0, 3).map((each) => `           ${oneLine(each)}`),
  ]);
  return [
    `${run.id}  ${oneLine(String(run.metadata.brief ?? ""))}`,
    `phase ${run.phase}, round ${run.counters.rounds ?? 0} of ${run.policy.rounds}`,
    ...phases,
    ...files,
  ];
}

function phaseCommand(name: string, phase: string, summary: string): Command {
  return {
    name,
    summary,
    group: "run",
    args: [task],
    flags: agentFlags,
    examples: [`heddle ${name}`, `heddle ${name} task-2 --agent claude`],
    interruptible: true,
    run: async (call) => {
      const app = await chosen(call);
      await refuseUnlessDue(app, phase);
      return goOn(call, app, { all: false });
    },
  };
}

const written = phaseCommand("codegen", "codegen", "have a task's code written, when that is due");

export const codegen: Command = {
  ...written,
  flags: {
    ...agentFlags,
    "from-worktree": { about: "use the changes in your checkout as the code; no agent writes any" },
  },
  examples: [...(written.examples ?? []), "heddle codegen --from-worktree"],
  run: async (call) => (call.flags.has("from-worktree") ? takeOwnCode(call) : written.run(call)),
};

/** From where the code is due on: a person's code takes the place of what was there, which is kept if it is a person's too. */
const hasPlan = ["codegen", "review", "test", "accept"];

async function takeOwnCode(call: Call): Promise<Reply> {
  const app = await chosen(call);
  const { lookAtFiles } = await import("../../documents/runs.ts");
  const { patchFromCheckout } = await import("../by-hand.ts");
  await refuseWhileHalted(app);
  await lookAtFiles(app);
  if (!hasPlan.includes(await app.look((run) => run.phase))) await refuseUnlessDue(app, "codegen");
  const files = await patchFromCheckout(app);
  call.say(`from your checkout: ${files.slice(0, 20).map(oneLine).join(", ")}`);
  await lookAtFiles(app);
  // Where other code was there already, the way back to `codegen` comes first.
  if (await app.look((run) => run.phase !== "codegen")) await app.submit({ kind: "advance", digests: {} });
  return goOn(call, app, { all: false });
}
export const reviewPlan = phaseCommand(
  "review plan",
  "plan_review",
  "have a task's plan reviewed, when that is due",
);
export const review = phaseCommand("review", "review", "have a task's code reviewed, when that is due");
export const test = phaseCommand(
  "test",
  "test",
  "run a task's acceptance and test commands, when that is due",
);

export const accept: Command = {
  name: "accept",
  summary: "decide about a task yourself: its commit is made and lands, or it goes back",
  group: "run",
  args: [task],
  flags: {
    ...agentFlags,
    land: landFlags.land,
    reason,
    verdict: {
      about: "accepted unless said otherwise",
      takes: "WORD",
      choices: ["accepted", "rejected", "deferred"],
    },
    "back-to": {
      about: "with `--verdict rejected`: where it goes back to",
      takes: "PHASE",
      choices: ["codegen", "review", "planning", "revert"],
    },
  },
  examples: [
    "heddle accept",
    'heddle accept --verdict rejected --back-to codegen --reason "no tests for errors"',
  ],
  interruptible: true,
  run: async (call) => {
    const { flags } = call;
    const verdict = (flags.one("verdict") ?? "accepted") as "accepted" | "rejected" | "deferred";
    if (flags.has("back-to") && verdict !== "rejected")
      throw new Usage(problem("contradiction", "`--back-to` goes with `--verdict rejected`"));
    const app = await chosen(call);
    const { lookAtFiles } = await import("../../documents/runs.ts");
    const { decideByHand } = await import("../decide-by-hand.ts");
    await lookAtFiles(app);
    // Whoever accepted it was killed before it reached the person's files.
    const landing = (await app.look((run) => run.phase === "done")) ? await toLand(call, app) : "";
    if (landing !== "") return { text: landing, json: { landing } };
    await refuseUnlessDue(app, "accept");
    const [why, back] = [flags.one("reason"), flags.one("back-to")];
    await decideByHand(app, {
      ...{ verdict, decider: who(), reasons: why === undefined ? [] : [why] },
      ...(back !== undefined && { back_to: back as "codegen" }),
    });
    return goOn(call, app, { all: false });
  },
};

export const revert: Command = {
  name: "revert",
  summary: "take back exactly what a task changed",
  group: "run",
  args: [task],
  flags: { ...agentFlags, reason },
  examples: ['heddle revert --reason "it breaks the import"', "heddle revert task-2 --reason 'not wanted'"],
  interruptible: true,
  run: async (call) => {
    const why = call.flags.one("reason")?.trim() ?? "";
    const app = await chosen(call);
    await app.run();
    if (why === "")
      throw new Usage(
        problem("no-reason", "a revert needs a reason", { hint: toCall('revert --reason "<why>"') }),
      );
    const { lookAtFiles } = await import("../../documents/runs.ts");
    await lookAtFiles(app);
    const phase = await app.look((run) => run.phase);
    if (phase === "done") return revertAfterwards(call, app, why);
    return giveUp(call, app, why);
  },
};

/** Whatever it was doing, and whatever had halted it: the person's word ends it (L17). */
async function giveUp(call: Call, app: App, why: string): Promise<Reply> {
  const isAsked = await app.look((run) => run.phase === "revert");
  if (await app.isStopped())
    throw new Refused([
      problem("halted", "there is a STOP file: nothing moves", {
        hint: [{ do: "resume" }, ", then: ", toCall('task cancel --reason "<why>"')],
      }),
    ]);
  if (!isAsked) await app.submit({ kind: "advance", digests: {}, request: "revert", reason: why });
  return goOn(call, app, { all: false });
}

export const cancel: Command = {
  name: "task cancel",
  summary: "give up a task that is not done yet, in any phase",
  group: "run",
  args: [task],
  flags: { ...agentFlags, reason },
  examples: ['heddle task cancel --reason "not wanted any more"', "heddle task cancel task-2"],
  interruptible: true,
  run: async (call) => {
    const app = await chosen(call);
    const { lookAtFiles } = await import("../../documents/runs.ts");
    await lookAtFiles(app);
    if (await app.look((run) => run.phase === "done"))
      throw new Refused([
        problem("done-already", `${await app.run()} is done`, {
          hint: [toCall('revert --reason "<why>"'), " takes back what it changed"],
        }),
      ]);
    return giveUp(call, app, call.flags.one("reason")?.trim() || "cancelled");
  },
};

async function revertAfterwards(call: Call, app: App, why: string): Promise<Reply> {
  const { revertDone } = await import("../accept.ts");
  const back = await revertDone(app, { reason: why, who: who() });
  const landing = await toLand(call, app);
  if (back.commit === null && landing === "")
    return {
      text: "nothing of this task is integrated: nothing was changed",
      json: back,
      exit: exits.refused,
    };
  const lines = back.commits.map(
    ({ reverted, by }) => `reverted: ${reverted.slice(0, 12)} by ${by.slice(0, 12)}`,
  );
  const taken = [...lines, ...back.files.map((file) => `  ${oneLine(file)}`)];
  // Somebody was faster, or one who was killed had come as far as the branch.
  const before = back.commit === null ? "it was taken back before" : "nothing of it was left to take back";
  return { text: [...(back.files.length > 0 ? taken : [before]), landing].join("\n").trimEnd(), json: back };
}

export const redo: Command = {
  name: "redo",
  summary: "reopen a finished task: it is planned again, or only coded again",
  group: "run",
  args: [task],
  flags: { reason, "keep-plan": { about: "keep the plan, and have only the code written again" } },
  examples: ['heddle redo --reason "the brief has changed"', "heddle redo --keep-plan"],
  run: async (call) => {
    const app = await chosen(call);
    const why = call.flags.one("reason");
    await app.submit({
      ...{ kind: "advance", digests: {}, request: call.flags.has("keep-plan") ? "redo_code" : "redo" },
      ...(why !== undefined && { reason: why }),
    });
    return app.look((run) => ({
      text: `${run.id} is open again, in phase ${run.phase}\nhint: ${call.manner("next")}`,
      json: { task: run.id, phase: run.phase },
    }));
  },
};

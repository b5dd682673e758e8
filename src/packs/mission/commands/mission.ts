// `heddle mission`: a goal, a plan of a handful of steps, one after the other, each verified (M1–M9).
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { agentFlags } from "../../../command/agent-flags.ts";
import { type Call, type Command, exits, type Reply } from "../../../command/command.ts";
import { landed, landFlags } from "../../../command/landing.ts";
import { live } from "../../../command/terminal/live.ts";
import { terminal } from "../../../command/terminal/terminal.ts";
import { webBeside, webFlag } from "../../../command/web-beside.ts";
import { toCall } from "../../../core/hint.ts";
import { problem } from "../../../core/problem.ts";
import { type App, Refused } from "../../../engine/app.ts";
import { refuseWhileHeld } from "../../../engine/hold.ts";
import { pathsIn } from "../../../engine/paths.ts";
import { isFile, isThere, readText } from "../../../host/files.ts";
import { statusDocument, statusText } from "../../../view/status.ts";
import { executeAll, warnOfUncommitted } from "../../decomposition/commands/execute.ts";
import { drivePlanning } from "../../decomposition/commands/plan.ts";
import { planned } from "../../decomposition/commands/plan-answers.ts";
import { answered } from "../../documents/go-on.ts";
import { standingOf } from "../standing.ts";

const goal = {
  name: "goal",
  about: "what is to be true in the end: a text, a file, or - for standard input",
  optional: true,
  text: true,
} as const;

const beginning = {
  target: { about: "the directory that is worked on; here unless said otherwise", takes: "DIR" },
} as const;

const working = {
  ...agentFlags,
  ...landFlags,
  next: { about: "begin the next phase, when the present one is complete" },
  // biome-ignore lint/suspicious/noThenProperty: it is a flag's name, and no function
  then: {
    about: "hand the plan over to heddle plan and heddle execute --verify, instead of doing it here",
    takes: "WHAT",
    choices: ["execute"],
  },
  ...webFlag,
} as const;

export const mission: Command = {
  name: "mission",
  summary: "research, plan, execute and verify a goal, strictly one step after the other",
  group: "run",
  args: [goal],
  flags: { ...beginning, ...working },
  examples: [
    'heddle mission "make the test suite pass on Windows" --agent claude',
    "heddle mission             # continues where it stopped",
    "heddle mission --next      # when a phase is complete",
    "heddle mission --then execute   # for a large plan: as a graph of tasks, several at once",
  ],
  interruptible: true,
  run: async (call) => {
    const [said] = call.args;
    if (said !== undefined && asElsewhere.has(said)) throw notAGoal(said);
    const begun = await begunMission(call);
    if (begun && said !== undefined && !(await isAbout(call, begun))) throw missionExists();
    if (!begun && said === undefined && !isThere(`${pathsIn(call.root).meta}/context.md`)) {
      const { notInitialized } = await import("../create.ts");
      throw notInitialized();
    }
    const app = begun ?? (await begin(call));
    await webBeside(call);
    return goOnWithMission(call, app);
  },
};

export const missionRun: Command = {
  name: "mission run",
  summary: "go on with the mission; the same as `heddle mission`",
  group: "run",
  flags: working,
  examples: ["heddle mission run"],
  interruptible: true,
  run: (call) => mission.run({ ...call, args: [] }),
};

export const missionInit: Command = {
  name: "mission init",
  summary: "write .meta/context.md and the session of a new mission, and start nothing",
  group: "run",
  args: [goal],
  flags: {
    ...beginning,
    force: { about: "archive the mission that is there" },
  },
  examples: [
    'heddle mission init "one login for all our tools"',
    "heddle mission init goal.md --target ./app",
  ],
  run: async (call) => {
    const force = call.flags.has("force");
    if (!force && (await begunMission(call))) throw missionExists();
    const app = await create(call, { force });
    const { id, context } = await app.look((state) => ({
      id: state.id,
      context: `${state.planningDir}/context.md`,
    }));
    const text = `${id} is ready: look at ${context}, then: ${call.manner("mission")}`;
    return { text, json: { run: id, context } };
  },
};

async function begunMission({ root, journals, app: open }: Call): Promise<App | undefined> {
  if (!(await journals.has(root))) return undefined;
  const app = (await open()).choosing({ protocol: "mission" });
  return (await app.hasRun()) ? app : undefined;
}

/** Commands that a person looks for here: none of these words is a goal. */
const asElsewhere = new Set(["status", "answer", "halt", "resume", "stop", "report", "next", "help", "undo"]);

function notAGoal(word: string): Refused {
  const command = word === "stop" ? "halt" : word;
  return new Refused([
    problem("no-goal", `\`${word}\` is not a goal`, {
      hint: [toCall(command), ", as for every run; a goal is a sentence"],
    }),
  ]);
}

/** The same goal said again is no other mission: whoever was told that an agent is missing types it once more. */
async function isAbout(call: Call, begun: App): Promise<boolean> {
  const said = call.args[0] === "-" ? undefined : await goalOf(call);
  const context = readText(`${await begun.look((run) => run.planningDir)}/context.md`);
  return said !== undefined && "text" in context && context.text.includes(`## Goal\n\n${said.trim()}\n`);
}

/** Nothing is made before it is known that somebody can work on it. */
async function begin(call: Call): Promise<App> {
  const { missionAgents } = await import("../mission.ts");
  const { root, flags } = call;
  await missionAgents({ root, agent: flags.one("agent"), unconfined: flags.has("unconfined") });
  return create(call, { force: false });
}

function missionExists(): Refused {
  return new Refused([
    problem("mission-exists", "there is a mission already", {
      hint: [
        toCall("mission"),
        " goes on with it; ",
        toCall('mission init --force "<goal>"'),
        " begins another",
      ],
    }),
  ]);
}

async function create(call: Call, { force }: { force: boolean }): Promise<App> {
  const { createMission } = await import("../create.ts");
  const { root, packs, journals, flags, warn } = call;
  const target = flags.one("target") ?? ".";
  const created = await createMission({
    root,
    packs,
    journals,
    by: "operator",
    target,
    goal: await goalOf(call),
    force,
    warn,
  });
  created.close();
  return (await call.app()).choosing({ protocol: "mission" });
}

async function goalOf({ args: [said], ask }: Call): Promise<string | undefined> {
  if (said === undefined) return undefined;
  const pasted = () => (ask ? ask.paste("Paste the goal, then press Ctrl-D") : readFileSync(0, "utf8"));
  const text = said === "-" ? await pasted() : isFile(resolve(said)) ? fileText(resolve(said)) : said;
  if (text.trim() !== "") return text;
  throw new Refused([problem("no-goal", "the goal is empty", { hint: toCall('mission "<goal>"') })]);
}

function fileText(path: string): string {
  const read = readText(path);
  if ("problem" in read) throw new Refused([read.problem]);
  return read.text;
}

export async function goOnWithMission(call: Call, app: App): Promise<Reply> {
  const { runMission } = await import("../mission.ts");
  const { flags, signal } = call;
  const stopNow = call.stopNow();
  await refuseWhileHeld(app);
  await warnOfUncommitted(call, app);
  for (let first = true; ; first = false) {
    const view = await live(app, call);
    await runMission({
      app,
      agent: flags.one("agent"),
      unconfined: flags.has("unconfined"),
      next: first && flags.has("next"),
      handOver: first && flags.has("then"),
      signal,
      stopNow,
      changed: view.changed,
      watch: view.watch,
    });
    await view.settle();
    if (signal.aborted || !(await answered(call, app))) break;
  }
  const isHanded = !signal.aborted && (await app.look(({ phase, halt }) => phase === "handed_over" && !halt));
  return isHanded ? goOnWithPlan(call, app) : outcome(call, app);
}

/** What was handed over is planned and executed here, with everything that those commands do; then it is given back. */
async function goOnWithPlan(call: Call, app: App): Promise<Reply> {
  const { handBack, handOver } = await import("../hand-over.ts");
  const { openApp } = await import("../../../engine/open.ts");
  const run = await handOver(app, call.root);
  const plan = await openApp({
    ...{ root: call.root, packs: call.packs, journals: call.journals },
    ...{ by: "operator", run, warn: call.warn },
  });
  try {
    call.say(`handed over to ${run}`);
    const made = await planAndExecute(call, plan);
    if (!(await handBack(app, plan)))
      return {
        ...made,
        text: `${made.text}\nhint: ${call.manner("mission")} goes on with it`,
        exit: made.exit ?? exits.refused,
      };
    const ended = await outcome(call, app);
    return { ...ended, text: `${made.text}\n${ended.text}` };
  } finally {
    plan.close();
  }
}

async function planAndExecute(call: Call, plan: App): Promise<Reply> {
  const isPlanned = () => plan.look(({ phase }) => planned.has(phase));
  if (!(await isPlanned())) {
    const made = await drivePlanning(call, plan);
    if (!(await isPlanned())) return { ...made, exit: made.exit ?? exits.refused };
  }
  return executeAll(call, plan);
}

async function outcome(call: Call, app: App): Promise<Reply> {
  const { text, standing, document } = await app.look((state) => ({
    text: statusText(state, { ...terminal(), manner: call.manner, stopFile: false, nowMs: Date.now() }),
    standing: standingOf(state),
    document: statusDocument(state, { stopFile: false }),
  }));
  const isComplete = standing.code === "phase_complete";
  const lines = [text];
  if (isComplete) lines.push(await landed(call, app));
  const exit = isComplete ? exits.done : call.signal.aborted ? exits.interrupted : exits.refused;
  return { text: lines.filter((line) => line !== "").join("\n"), painted: true, json: document, exit };
}

// `heddle demo`: the example goes from its specification to a working program, offline, with scripted agents, and is
// killed once on the way.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type Call, type Command, exits, type Reply } from "../../../command/command.ts";
import { numberOf } from "../../../command/parse.ts";
import { live } from "../../../command/terminal/live.ts";
import { terminal } from "../../../command/terminal/terminal.ts";
import { webBeside, webFlag } from "../../../command/web-beside.ts";
import type { App } from "../../../engine/app.ts";
import { statusDocument, statusText } from "../../../view/status.ts";
import { type Demo, executeDemo, openDemo, planDemo, proveDemo } from "../demo.ts";

export const demo: Command = {
  name: "demo",
  summary: "watch the example go through plan and execution, offline, with scripted agents",
  group: "run",
  byHand: true,
  flags: {
    parallel: { about: "how many tasks at once", takes: "N" },
    speed: { about: "how fast the scripted agents work", takes: "FACTOR" },
    "no-kill": { about: "do not kill heddle in the middle" },
    ...webFlag,
  },
  examples: ["heddle demo", "heddle demo --dir /tmp/demo    # Ctrl-C or kill -9 it, then again: it goes on"],
  interruptible: true,
  run: async (call) => {
    const root = resolve(call.flags.one("dir") ?? mkdtempSync(join(tmpdir(), "heddle-demo-")));
    const app = await openDemo({ root, packs: call.packs, journals: call.journals, warn: call.warn });
    try {
      if (process.env[partName] !== undefined) return await runPart(call, app, root);
      await webBeside(call, root);
      return await runWhole(call, app, root);
    } finally {
      app.close();
    }
  },
};

/** Set for the process that is killed on purpose. */
const partName = "HEDDLE_DEMO_PART";

/** Enough is done, and something is under way: the moment to be killed at. */
const killAfter = 3;

async function runWhole(call: Call, app: App, root: string): Promise<Reply> {
  const { say, signal, flags } = call;
  say(`heddle demo in ${root}: scripted agents, no model, nothing leaves this machine`);
  say("the scripted agents are heddle's own code, so nothing here is boxed; real agents are");
  const planning = await orderFor(call, app, root);
  await planDemo(app, planning.demo);
  await planning.settle();
  if (!flags.has("no-kill") && !signal.aborted && (await isUntouched(app)))
    await killInTheMiddle(call, app, root);
  // Shown from here on: what the killed process did was told by it.
  const execution = await orderFor(call, app, root);
  if (!signal.aborted) await executeDemo(app, execution.demo);
  await execution.settle();
  return ended(call, app, root);
}

async function orderFor(
  { flags, signal, say, stopNow, screen }: Call,
  app: App,
  root: string,
): Promise<{ demo: Demo; settle: () => Promise<void> }> {
  const slots = numberOf(flags.one("parallel") ?? "3", "--parallel", { least: 1, whole: true });
  const speed = numberOf(flags.one("speed") ?? "1", "--speed", { least: 0.01 });
  const { changed, watch, settle } = await live(app, { say, flags, ...(screen && { screen }) });
  return { demo: { root, slots, speed, signal, stopNow: stopNow(), changed, watch }, settle };
}

const isUntouched = (app: App) => app.look((run) => run.counts.complete === 0 && run.running.length === 0);

/** Lets another process orchestrate until a few tasks are merged, and kills it there. */
async function killInTheMiddle({ say, signal, flags, screen }: Call, app: App, root: string): Promise<void> {
  const words = ["demo", "--dir", root, ...passedOn(flags)];
  const entry = process.argv[1] ?? "";
  // Where somebody else has the terminal, a second one must not draw on it.
  const output = flags.has("json") || screen ? "ignore" : "inherit";
  const child: ChildProcess = spawn(process.execPath, [...process.execArgv, entry, ...words], {
    env: { ...process.env, [partName]: "1" },
    stdio: ["ignore", output, "inherit", "ipc"],
  });
  const over = once(child, "exit");
  let gone = false;
  void over.then(() => {
    gone = true;
  });
  while (!gone && !signal.aborted) {
    await new Promise((settle) => setTimeout(settle, 100));
    if (!(await app.look((run) => run.counts.complete >= killAfter && run.running.length > 0))) continue;
    child.kill("SIGKILL");
    await over;
    say("\n  kill -9: heddle is gone in the middle of its work. Started again, it goes on:\n");
    return;
  }
  await over;
}

const passedOn = (flags: Call["flags"]) =>
  ["parallel", "speed"].flatMap((name) => {
    const value = flags.one(name);
    return value === undefined ? [] : [`--${name}`, value];
  });

/** The one that is killed. It must not outlive the one that started it. */
async function runPart(call: Call, app: App, root: string): Promise<Reply> {
  const die = () => process.kill(process.pid, "SIGKILL");
  process.on("disconnect", die);
  try {
    const { demo: order, settle } = await orderFor(call, app, root);
    await executeDemo(app, order);
    await settle();
    return { json: {} };
  } finally {
    process.off("disconnect", die);
    process.disconnect?.();
  }
}

async function ended({ signal }: Call, app: App, root: string): Promise<Reply> {
  const { text, json, done } = await app.look((run) => ({
    text: statusText(run, { ...terminal(), stopFile: false, nowMs: Date.now() }),
    json: statusDocument(run, { stopFile: false }),
    done: run.phase === "complete",
  }));
  if (!done) {
    const exit = signal.aborted ? exits.interrupted : exits.refused;
    return {
      text: `${text}\n\nstopped: \`heddle demo --dir ${root}\` continues where it stopped`,
      json,
      exit,
      painted: true,
    };
  }
  const { passed, summary, log } = await proveDemo(app);
  const tail = [
    `git log --oneline in ${join(root, "app")}, one commit per task:`,
    ...log.map((line) => `  ${line}`),
    "",
    `its own tests: ${summary}`,
    `try it:        node ${join(root, "app/bin/notes.js")} add Buy oat milk`,
    `look around:   heddle status --dir ${root}, heddle history --dir ${root}`,
  ].join("\n");
  return { text: `${text}\n\n${tail}`, json, exit: passed ? exits.done : exits.refused, painted: true };
}

// Commands that look and change nothing: status, why, history, replay, verify.
import { setTimeout as sleep } from "node:timers/promises";
import { find, isProblem } from "../../core/answer.ts";
import { fold, newRun } from "../../core/apply.ts";
import type { Entry, Fact } from "../../core/fact.ts";
import { problem } from "../../core/problem.ts";
import { whyRun, whyTask } from "../../core/why.ts";
import { type App, Refused } from "../../engine/app.ts";
import { protocolNamed } from "../../engine/protocols.ts";
import { isDetail, lineOf } from "../../view/activity.ts";
import { oneLine } from "../../view/safe.ts";
import { stateView } from "../../view/state-json.ts";
import { statusDocument, statusText } from "../../view/status.ts";
import { type Call, type Command, exits, isJson, type Reply } from "../command.ts";
import { numberOf } from "../parse.ts";
import { type Drawing, Screen } from "../screen.ts";
import { terminal } from "../terminal.ts";

export const status: Command = {
  name: "status",
  summary: "show where the run stands",
  group: "look",
  flags: { watch: { about: "keep showing it until the run ends or Ctrl-C", byHand: true } },
  examples: ["heddle status", "heddle status --watch", "heddle status --json"],
  interruptible: true,
  run: async (call) => {
    const app = await call.app();
    if (call.flags.has("watch")) await watch(call, app);
    const reply = await show(app);
    return call.signal.aborted ? { ...reply, exit: exits.interrupted } : reply;
  },
};

async function show(app: App): Promise<Reply> {
  return app.look((run) => {
    const stopFile = app.stopFileThere(run);
    return {
      text: statusText(run, { ...terminal(), stopFile, nowMs: Date.now() }),
      painted: true,
      json: statusDocument(run, { stopFile }),
    };
  });
}

/** On a terminal the screen is drawn over; elsewhere each change is a line. */
async function watch(call: Call, app: App): Promise<void> {
  const screen = terminal().live && !isJson(call) ? (call.screen?.() ?? new Screen()) : undefined;
  const resized = () => screen?.resized(terminal().width);
  if (screen) process.stdout.on("resize", resized);
  try {
    await follow(call, app, screen);
  } finally {
    process.stdout.off("resize", resized);
    screen?.close();
  }
}

async function follow({ signal, say }: Call, app: App, screen: Drawing | undefined): Promise<void> {
  const live = screen !== undefined;
  let shown = "";
  let version = -1;
  while (!signal.aborted) {
    if (version !== app.journal.version() || live) {
      version = app.journal.version();
      const { text = "", json } = await show(app);
      const { phase, tasks } = json as { phase: string; tasks: Record<string, number> };
      const line = live
        ? text
        : `${phase}: ${Object.entries(tasks)
            .map(([key, n]) => `${n} ${key}`)
            .join(", ")}`;
      if (line !== shown && screen) screen.draw(line.split("\n").slice(0, screen.height));
      else if (line !== shown) say(line);
      shown = line;
      if (await app.look((run) => run.protocol.phases.some((each) => each.end && each.name === run.phase)))
        return;
    }
    await sleep(100, undefined, { signal }).catch(() => {});
  }
}

export const why: Command = {
  name: "why",
  summary: "say why a task, or the run, stands where it stands",
  group: "look",
  args: [{ name: "task", about: "a task id", optional: true }],
  examples: ["heddle why", "heddle why T007"],
  run: async ({ app: open, args: [task] }) => {
    const app = await open();
    const parked = task === undefined ? [] : await parkedReason(app, task);
    return app.look((run) => {
      const found = task === undefined ? undefined : find(run, task);
      if (found && isProblem(found)) throw new Refused([found]);
      const known = found ? whyTask(run, found) : whyRun(run);
      const reason = { ...known, reasons: [...known.reasons, ...parked] };
      const head = found ? `${found.def.id} is ${reason.status}` : `${run.id} is in phase ${reason.status}`;
      const lines = [
        head,
        ...reason.reasons.map((each) => `  ${oneLine(each)}`),
        ...(reason.hint ? [`hint: ${reason.hint}`] : []),
      ];
      return { text: lines.join("\n"), json: { task: task ?? null, ...reason } };
    });
  },
};

/** Whose limit it waits for, and until when: that stands in the history alone. */
async function parkedReason(app: App, task: string): Promise<string[]> {
  if (!(await app.look((run) => (run.tasks.get(task)?.notBeforeMs ?? 0) > run.runMs))) return [];
  const own = (await app.history()).filter(({ fact }) => "task" in fact && fact.task === task);
  const fact = own.findLast(({ fact: { kind } }) => /^(attempt|task)-/.test(kind))?.fact;
  return fact?.kind === "attempt-parked" ? [`attempt ${fact.attempt} is parked: ${fact.reason}`] : [];
}

export const history: Command = {
  name: "history",
  summary: "show every fact of the run, oldest first",
  group: "look",
  flags: {
    task: { about: "only this task's", takes: "ID" },
    follow: { about: "go on showing new ones until Ctrl-C", byHand: true },
    last: { about: "only the newest N", takes: "N" },
    all: { about: "also a line per task of every loaded plan" },
  },
  examples: [
    "heddle history",
    "heddle history --task T007",
    "heddle history --last 20",
    "heddle history --follow",
  ],
  interruptible: true,
  run: async ({ app, flags, stream: say, signal }) => {
    const opened = await app();
    const task = flags.one("task");
    const wanted = (entry: Entry) =>
      task === undefined ? flags.has("all") || !isDetail(entry) : tasksOf(entry.fact).includes(task);
    if (task !== undefined)
      await opened.look((run) => {
        const found = find(run, task);
        if (isProblem(found)) throw new Refused([found]);
      });
    let entries = await opened.history();
    if (!flags.has("follow")) {
      const last = flags.one("last");
      const many = last === undefined ? entries.length : numberOf(last, "--last", { least: 1, whole: true });
      const shown = entries.filter(wanted).slice(-Math.max(1, many));
      return { text: shown.map(historyLine).join("\n"), json: shown.map((entry) => ({ ...entry })) };
    }
    for (let last = 0; !signal.aborted; entries = await opened.history({ after: last })) {
      for (const entry of entries.filter(wanted))
        say(flags.has("json") ? JSON.stringify(entry) : historyLine(entry));
      last = entries.at(-1)?.position ?? last;
      await sleep(100, undefined, { signal }).catch(() => {});
    }
    return { json: null, exit: exits.interrupted };
  },
};

/** The tasks that a fact is about. */
function tasksOf(fact: Fact): readonly string[] {
  if (fact.kind === "task-defined") return [fact.task.id];
  if (fact.kind === "overridden") return Object.keys(fact.tasks);
  return "task" in fact && typeof fact.task === "string" ? [fact.task] : [];
}

function historyLine(entry: Entry): string {
  const { level, event, message } = lineOf(entry);
  const mark = level === "INFO" ? " " : level === "WARN" ? "!" : "✗";
  return `${String(entry.position).padStart(5)} ${entry.at} ${mark} ${oneLine(entry.by)}  ${event}: ${oneLine(message)}`;
}

export const replay: Command = {
  name: "replay",
  summary: "show the state as it was after a fact",
  group: "look",
  flags: { at: { about: "the fact's number", takes: "N" } },
  examples: ["heddle replay --at 42", "heddle replay --at 42 --json"],
  run: async ({ app, flags }) => {
    const opened = await app();
    const entries = await opened.history();
    const last = entries.at(-1)?.position ?? 0;
    const at =
      flags.one("at") === undefined
        ? last
        : numberOf(flags.one("at") ?? "", "--at", { least: 1, whole: true });
    if (at > last)
      throw new Refused([
        problem("no-such-fact", `there is no fact ${at}: the last one is ${last}`, {
          hint: `heddle replay --at ${last}`,
        }),
      ]);
    const chosen = await opened.run();
    const { id, protocol } = (await opened.journal.runs()).find((run) => run.id === chosen) ?? {
      id: "",
      protocol: "",
    };
    const table = protocolNamed(protocol);
    if (!table) throw new Error(`bug: no protocol ${protocol}`);
    const run = fold(newRun(id, table), entries.slice(0, at));
    return {
      text: statusText(run, { ...terminal(), stopFile: false, nowMs: Date.parse(run.updatedAt) }),
      painted: true,
      json: stateView(run, { all: true }),
    };
  },
};

export const verify: Command = {
  name: "verify",
  summary: "prove that the journal is whole and that the state is the fold of its facts",
  group: "look",
  examples: ["heddle verify"],
  run: async ({ app }) => {
    const opened = await app();
    const problems = await opened.verify();
    if (problems.length > 0) throw new VerifyFailed(problems);
    const runs = await opened.journal.runs();
    const facts = runs.reduce((sum, run) => sum + run.position, 0);
    return {
      text: `verified: ${runs.length} run${runs.length === 1 ? "" : "s"}, ${facts} facts, chain and state agree`,
      json: { ok: true, runs: runs.length, facts },
    };
  },
};

/** Damage: the exit code is the store's. */
class VerifyFailed extends Refused {
  readonly isDamage = true;
}

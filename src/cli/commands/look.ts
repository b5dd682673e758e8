// Commands that look and change nothing: status, why, history, replay, verify.

import { setTimeout as sleep } from "node:timers/promises";
import { type Call, type Command, exits, isJson, type Reply } from "../../command/command.ts";
import { numberOf } from "../../command/parse.ts";
import { type Drawing, Screen } from "../../command/terminal/screen.ts";
import { terminal } from "../../command/terminal/terminal.ts";
import { find, isProblem } from "../../core/answer.ts";
import { fold, newRun } from "../../core/apply.ts";
import type { Entry, Fact } from "../../core/fact.ts";
import { toCall } from "../../core/hint.ts";
import { problem } from "../../core/problem.ts";
import { whyRun, whyTask } from "../../core/why.ts";
import { type App, Refused } from "../../engine/app.ts";
import { Watch } from "../../journal/watch.ts";
import { isDetail, lineOf } from "../../view/activity.ts";
import { briefEventsOf, lastEvents } from "../../view/events.ts";
import { hintText, type Manner } from "../../view/hint.ts";
import { oneLine } from "../../view/safe.ts";
import { hasEvents, stateView } from "../../view/state-json.ts";
import { statusDocument, statusText } from "../../view/status.ts";
import { coordinatorLine, coordinatorsOf } from "../../watch/coordinators.ts";
import { idleOf } from "../../watch/idle.ts";
import { lastWords, lastWordsText } from "../../work/evidence/last-words.ts";

export const status: Command = {
  name: "status",
  summary: "show where the run stands",
  group: "look",
  flags: { watch: { about: "keep showing it until the run ends or Ctrl-C", byHand: true } },
  examples: ["heddle status", "heddle status --watch", "heddle status --json"],
  interruptible: true,
  run: async (call) => {
    const app = await call.app();
    const unreadable = await app.unreadable();
    if (unreadable) return standing(call, unreadable);
    if (call.flags.has("watch")) await watch(call, app);
    const reply = await show(app, call.manner);
    return call.signal.aborted ? { ...reply, exit: exits.interrupted } : reply;
  },
};

/** Where a run stands whose own protocol is broken: as far as its row in the journal says it. */
function standing(
  { warn, manner }: Call,
  { run: { id, protocol, phase, position }, problems }: NonNullable<Awaited<ReturnType<App["unreadable"]>>>,
): Reply {
  for (const each of problems) warn(each);
  return {
    text: `${id} (${protocol}) is in ${phase}, after ${position} facts; its protocol cannot be read\nhint: ${manner(`protocol check ${protocol}`)}`,
    json: { run: id, protocol, phase, position, problems },
    exit: exits.warned,
  };
}

async function show(app: App, manner: Manner): Promise<Reply> {
  const idle = await idleOf(app);
  const coordinators = await coordinatorsOf(app, await app.run());
  const [stopFile, nowMs] = [await app.isStopped(), Date.now()];
  const failed = await app.look((run) =>
    run.tasks
      .notable()
      .filter(({ state }) => state === "failed")
      .slice(0, 5)
      .map(({ def, evidence }) => ({ id: def.id, evidence: structuredClone(evidence) })),
  );
  // Of the first few that failed: a page is no log.
  const words = new Map(failed.map(({ id, evidence }) => [id, lastWordsText(lastWords(evidence, 3))]));
  return app.look((run) => {
    return {
      text: statusText(run, {
        ...terminal(),
        manner,
        stopFile,
        idle,
        words,
        nowMs,
        coordinated: coordinatorLine(coordinators),
      }),
      painted: true,
      json: statusDocument(run, { stopFile, idle, standingBy: coordinators.standingBy }),
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

async function follow({ signal, say, manner }: Call, app: App, screen: Drawing | undefined): Promise<void> {
  const live = screen !== undefined;
  let shown = "";
  const watch = new Watch(app.journal);
  while (!signal.aborted) {
    if (watch.hasChanged() || live) {
      const { text = "", json } = await show(app, manner);
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
        break;
    }
    await sleep(100, undefined, { signal }).catch(() => {});
  }
  watch.stop();
}

export const why: Command = {
  name: "why",
  summary: "explain why a task, or the run, is in its current state",
  group: "look",
  args: [{ name: "task", about: "a task id", optional: true }],
  examples: ["heddle why", "heddle why T007"],
  run: async ({ app: open, args: [task], manner }) => {
    const app = await open();
    const idle = await idleOf(app);
    const by = coordinatorLine(await coordinatorsOf(app, await app.run()));
    const parked = task !== undefined ? await parkedReason(app, task) : by === undefined ? [] : [by];
    return app.look((run) => {
      const found = task === undefined ? undefined : find(run, task);
      if (found && isProblem(found)) throw new Refused([found]);
      const known = found ? whyTask(run, found, idle) : whyRun(run, idle);
      const reason = { ...known, reasons: [...known.reasons, ...parked] };
      const head = found ? `${found.def.id} is ${reason.status}` : `${run.id} is in phase ${reason.status}`;
      const red = found && found.state !== "complete" ? lastWords(found.evidence) : [];
      const lines = [
        head,
        ...reason.reasons.map((each) => `  ${oneLine(each)}`),
        ...lastWordsText(red).map((each) => `  ${oneLine(each)}`),
        ...(reason.hint ? [`hint: ${hintText(reason.hint, manner)}`] : []),
      ];
      return { text: lines.join("\n"), json: { task: task ?? null, ...reason, red } };
    });
  },
};

/** Whose limit it waits for, and until when: that stands in the history alone. */
async function parkedReason(app: App, task: string): Promise<string[]> {
  if (!(await app.look((run) => (run.tasks.get(task)?.notBeforeMs ?? 0) > run.runMs))) return [];
  const kinds = ["attempt-parked", "attempt-failed", "task-started", "task-retried"] as const;
  const own = await app.history({ kinds });
  const fact = own.findLast(({ fact: about }) => "task" in about && about.task === task)?.fact;
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
          hint: toCall(`replay --at ${last}`),
        }),
      ]);
    const chosen = await opened.run();
    const { id, protocol } = (await opened.journal.runs()).find((run) => run.id === chosen) ?? {
      id: "",
      protocol: "",
    };
    const table = opened.packs.named(protocol);
    if (!table) throw new Error(`bug: no protocol ${protocol}`);
    const before = entries.slice(0, at);
    const run = fold(newRun(id, table), before);
    return {
      text: statusText(run, { ...terminal(), stopFile: false, nowMs: Date.parse(run.updatedAt) }),
      painted: true,
      json: {
        ...stateView(run, { all: true }),
        ...(hasEvents(run) && { events: before.flatMap(briefEventsOf).slice(-lastEvents) }),
      },
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

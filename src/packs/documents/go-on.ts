// Taking the next step of a run whose phases are jobs: shows what the rules ask for, does it, and says where that leads
// (L9). `heddle next` and the commands of single phases all come here.

import { type Call, exits, isJson, type Reply } from "../../command/command.ts";
import { landed } from "../../command/landing.ts";
import { askInPlace } from "../../command/terminal/ask-in-place.ts";
import { live } from "../../command/terminal/live.ts";
import { canAsk } from "../../command/terminal/prompts.ts";
import { terminal } from "../../command/terminal/terminal.ts";
import { staysHalted } from "../../core/idle.ts";
import { problem } from "../../core/problem.ts";
import { commandOf } from "../../core/steps/phase.ts";
import { openQuestions } from "../../core/task.ts";
import { type App, Refused } from "../../engine/app.ts";
import { refuseWhileHeld } from "../../engine/hold.ts";
import { eventLine } from "../../view/live/live-events.ts";
import { questionText } from "../../view/question.ts";
import { oneLine } from "../../view/safe.ts";
import { standstillText } from "../../view/standstill.ts";
import { explainText, type Suggestion, suggestionText, whatIsNext } from "../../view/suggestion.ts";

export interface Going {
  /** Until the run is at its end, or a person is needed. */
  readonly all: boolean;
  readonly explain?: boolean;
}

export async function goOn(call: Call, app: App, { all, explain = false }: Going): Promise<Reply> {
  const { lookAtFiles, suggest } = await import("./runs.ts");
  await refuseWhileHeld(app);
  await refuseWhileHalted(app);
  await lookAtFiles(app);
  const { suggestion: before, explained } = await suggest(app);
  if (explain) call.say(explainText(explained));
  // What is not done is said once, at the end.
  if (before.action === "go" || before.action === "job") call.say(whatIsNext(before));
  if (before.action === "go" && !all) await app.submit({ kind: "advance", digests: {} });
  else if (before.action === "go" || before.action === "job") await work(call, app, { all, from: before });
  // A patch of the person's that could not be taken has gone beside its place.
  if (await app.look((run) => run.halt?.code === "job" && run.holder === null)) await lookAtFiles(app);
  const reply = await outcome(call, app, { all, before });
  return explain ? { ...reply, json: { ...(reply.json as object), explained } } : reply;
}

/** Halted means halted: not even a step that needs nobody is taken (L19). */
export async function refuseWhileHalted(app: App): Promise<void> {
  const stopFile = await app.isStopped();
  const found = await app.look((run) => {
    const halt = stopFile ? { code: "stop_file" as const, reason: "stop_file" } : run.halt;
    if (!halt || !staysHalted(run, halt)) return undefined;
    return problem("halted", `the run is halted: ${oneLine(halt.reason)}`, {
      hint: [{ do: "resume" }, ", then: ", commandOf(run)],
    });
  });
  if (found) throw new Refused([found]);
}

async function work(
  call: Call,
  app: App,
  { all, from: before }: { all: boolean; from: Suggestion },
): Promise<void> {
  const { runJobs } = await import("./runs.ts");
  const { flags, signal } = call;
  const stopNow = call.stopNow();
  for (;;) {
    const from = await app.look((run) => run.position);
    const view = await live(app, call);
    await runJobs({
      ...{ app, agent: flags.one("agent"), unconfined: flags.has("unconfined"), signal, stopNow },
      ...{ changed: view.changed, watch: view.watch, ...(!all && { within: before.currentPhase }) },
    });
    await view.settle();
    if (terminal().live && !isJson(call)) await tellSteps(call, app, from);
    if (signal.aborted || !(await answered(call, app))) return;
  }
}

/** The table is wiped when it is over: what was reviewed, tested and decided stays readable above (L15). */
async function tellSteps(call: Call, app: App, after: number): Promise<void> {
  for (const entry of await app.history({ after })) {
    const line = eventLine(entry, () => "");
    if (line !== undefined) call.say(line);
  }
}

/** What somebody at work wants to know is asked in place; whether there was anything to answer. */
export async function answered(call: Call, app: App): Promise<boolean> {
  const open = await app.look((run) => {
    const [found] = openQuestions(run);
    return found && { ...found, text: questionText(run, found) };
  });
  if (!open || !canAsk(call)) return false;
  await askInPlace(call, app, open);
  return true;
}

async function outcome(
  call: Call,
  app: App,
  { all, before }: { all: boolean; before: Suggestion },
): Promise<Reply> {
  const { suggest } = await import("./runs.ts");
  const { suggestion: after } = await suggest(app);
  const ended = after.action === "end";
  const moved = after.currentPhase !== before.currentPhase;
  const landing = ended ? await toLand(call, app) : "";
  const { standstill, why } = await app.look((run) => ({
    standstill: run.halt || after.action === "wait" ? standstillText(run, app.paths.heddle, call.manner) : "",
    why: run.halt ? `halted: ${oneLine(run.halt.reason)}` : "",
  }));
  const head = moved ? [`${before.currentPhase} -> ${after.currentPhase}`] : [];
  const lines = [...head, why, suggestionText(after, call.manner), standstill, landing];
  const good = ended || (moved && !all && !(await wasOverruled(app, before)));
  const exit = call.signal.aborted ? exits.interrupted : good ? exits.done : exits.refused;
  return {
    text: lines.filter((line) => line !== "").join("\n"),
    json: { ...after, done: good, from: before.currentPhase, took: before },
    exit,
  };
}

/** It was accepted, and heddle found that it cannot be: a conflict, or a command that is red on the newest commit. */
function wasOverruled(app: App, { currentPhase }: Suggestion): Promise<boolean> {
  return app.look(
    ({ artifacts: { decision } }) => currentPhase === "accept" && decision?.content.decider === "heddle",
  );
}

/** What was accepted, or taken back, reaches the person's files as at the end of an execution. */
export async function toLand(call: Call, app: App): Promise<string> {
  if ((await app.look((run) => run.protocolName)) !== "lifecycle") return "";
  const { isToLand } = await import("../lifecycle/accept.ts");
  return (await isToLand(app)) ? landed(call, app) : "";
}

/** A phase that is asked for by name and not due is refused, with what is (L9). */
export async function refuseUnlessDue(app: App, phase: string, word = phase): Promise<void> {
  const { suggest } = await import("./runs.ts");
  const { suggestion } = await suggest(app);
  const { currentPhase, action, suggestedNext } = suggestion;
  const order = await app.look((run) => run.protocol.phases.map(({ name }) => name));
  const back = action === "go" && order.indexOf(suggestedNext) < order.indexOf(currentPhase);
  if (currentPhase === phase && !back) return;
  const what =
    currentPhase === phase ? "cannot go on" : `is not due: the task is in phase \`${currentPhase}\``;
  throw new Refused([
    problem("out-of-turn", `\`${word}\` ${what}`, {
      notes: [whatIsNext(suggestion)],
      hint: action === "go" ? { do: "show-next" } : (suggestion.hint ?? { do: "show-next" }),
    }),
  ]);
}

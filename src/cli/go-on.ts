// Taking the next step of a run whose phases are jobs: shows what the rules ask for, does it, and says where that leads
// (L9). `heddle next` and the commands of single phases all come here.
import { problem } from "../core/problem.ts";
import { type App, Refused } from "../engine/app.ts";
import { oneLine } from "../view/safe.ts";
import { standstillText } from "../view/standstill.ts";
import { explainText, type Suggestion, suggestionText, whatIsNext } from "../view/suggestion.ts";
import { type Call, exits, type Reply } from "./command.ts";
import { landed } from "./commands/execute.ts";
import { live } from "./live.ts";
import { canAsk, prompts } from "./prompts.ts";

export interface Going {
  /** Until the run is at its end, or a person is needed. */
  readonly all: boolean;
  readonly explain?: boolean;
}

export async function goOn(call: Call, app: App, { all, explain = false }: Going): Promise<Reply> {
  const { lookAtFiles, suggest } = await import("../engine/task.ts");
  await lookAtFiles(app);
  const { suggestion: before, explained } = await suggest(app);
  if (explain) call.say(explainText(explained));
  // What is not done is said once, at the end.
  if (before.action === "go" || before.action === "job") call.say(whatIsNext(before));
  if (before.action === "go" && !all) await app.submit({ kind: "advance", digests: {} });
  else if (before.action === "go" || before.action === "job") await work(call, app, { all, from: before });
  const reply = await outcome(call, app, { all, before });
  return explain ? { ...reply, json: { ...(reply.json as object), explained } } : reply;
}

async function work(call: Call, app: App, { all, from }: { all: boolean; from: Suggestion }): Promise<void> {
  const { runJobs } = await import("../engine/task.ts");
  const { flags, signal } = call;
  const stopNow = call.stopNow();
  for (;;) {
    const view = await live(app, call);
    await runJobs({
      ...{ app, agent: flags.one("agent"), unconfined: flags.has("unconfined"), signal, stopNow },
      ...{ changed: view.changed, watch: view.watch, ...(!all && { within: from.currentPhase }) },
    });
    await view.settle();
    if (signal.aborted || !(await answered(call, app))) return;
  }
}

/** What somebody at work wants to know is asked in place; whether there was anything to answer. */
export async function answered(call: Call, app: App): Promise<boolean> {
  const open = await app.look((run) => run.questions.find((question) => question.answer === null));
  if (!open || !canAsk(call)) return false;
  const { choose, text } = await prompts(call);
  const answer =
    open.options.length > 0 ? await choose(open.text, open.options) : await text(open.text, { initial: "" });
  await app.submit({ kind: "answer", id: open.id, answer });
  return true;
}

async function outcome(
  call: Call,
  app: App,
  { all, before }: { all: boolean; before: Suggestion },
): Promise<Reply> {
  const { suggest } = await import("../engine/task.ts");
  const { suggestion: after } = await suggest(app);
  const ended = after.action === "end";
  const moved = after.currentPhase !== before.currentPhase;
  const landing = ended ? await toLand(call, app) : "";
  const { standstill, why } = await app.look((run) => ({
    standstill: run.halt || after.action === "wait" ? standstillText(run, app.paths.heddle) : "",
    why: run.halt ? `halted: ${oneLine(run.halt.reason)}` : "",
  }));
  const head = moved ? [`${before.currentPhase} -> ${after.currentPhase}`] : [];
  const lines = [...head, why, suggestionText(after), standstill, landing];
  const good = ended || (moved && !all);
  const exit = call.signal.aborted ? exits.interrupted : good ? exits.done : exits.refused;
  return {
    text: lines.filter((line) => line !== "").join("\n"),
    json: { ...after, done: good, from: before.currentPhase, took: before },
    exit,
  };
}

/** What was accepted, or taken back, reaches the person's files as at the end of an execution. */
export async function toLand(call: Call, app: App): Promise<string> {
  if ((await app.look((run) => run.protocolName)) !== "lifecycle") return "";
  const { isToLand } = await import("../engine/accept.ts");
  return (await isToLand(app)) ? landed(call, app) : "";
}

/** A phase that is asked for by name and not due is refused, with what is (L9). */
export async function refuseUnlessDue(app: App, phase: string, word = phase): Promise<void> {
  const { suggest } = await import("../engine/task.ts");
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
      hint: action === "go" ? "heddle next" : (suggestion.hint ?? "heddle next"),
    }),
  ]);
}

// Effect `run-agent`: one agent at work on one task. Asks first: an attempt that has ended is taken over and not paid
// for twice; one whose agent died with an earlier orchestrator, and proposed nothing, goes on where it was if the agent
// can take up its conversation, and is lost otherwise.
import { join } from "node:path";
import type { Agent, AgentEvent, Order, Stopped } from "../agents/agent.ts";
import type { Input, Outcome, Spent } from "../core/input.ts";
import { append, isThere, readIfThere, rename, replaceFile } from "../host/files.ts";
import type { Limits } from "../host/limits.ts";
import { endMarked } from "../host/processes.ts";
import { forgetHome } from "./agent-home.ts";
import { type Question, questionsIn, type Started, startedOf } from "./attempt-folder.ts";
import type { HandIn, Proposal } from "./read-result.ts";
import { type Seeing, seeWork } from "./see-work.ts";
import { addUsage, spentSoFar } from "./usage.ts";

/** Hears what an agent does at a task, and who it is. */
export type Watch = (task: string, event: AgentEvent, agent: string) => void;

export interface TaskWork extends Omit<Seeing, "author" | "at"> {
  readonly agent: Agent;
  readonly handIn: HandIn;
  readonly limits: Limits;
  /** The attempt's name among processes. */
  readonly mark: string;
  readonly now: () => string;
  readonly cwd: string;
  readonly readable: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Where a valid result is kept for people and hosts. */
  readonly resultFile: string;
  readonly watch: Watch;
  /** Whether a conversation that was cut off may be taken up: the person wants what was left behind tried again. */
  readonly mayResume: boolean;
  /** What a usage limit leads to. */
  readonly park: Park;
  /** Whether the agent may follow the settings that lie in its workspace, and what is said where it may not any more. */
  readonly trust: TrustOf;
}

export type TrustOf = (agent: Agent) => { readonly isTrusted: boolean; readonly note?: string };

/**
 * What an agent's end means for whom to ask next: how long to wait, and what comes then; nothing, when that does not help.
 * A usage limit, with how long it lasts as far as it says; an API that is down; `failed`, where it cannot work at all just now
 * for another reason (its key, its program); and `worked`.
 */
export type Park = (
  agent: string,
  why: { readonly resetsInMs: number | null } | "outage" | "failed" | "worked",
) => { readonly parkMs: number; readonly outlook: string } | undefined;

export function parkedBy(
  stopped: Stopped,
  agent: string,
  park: Park,
): { readonly parkMs: number; readonly error: string } | undefined {
  if (stopped.kind !== "failed") return void park(agent, "worked");
  const { limit, outage, category, message } = stopped;
  if (!limit && category !== "environment") return undefined;
  const parked = park(agent, limit ?? (outage ? "outage" : "failed"));
  return parked && { parkMs: parked.parkMs, error: `${message}; ${parked.outlook}` };
}

/** An attempt that takes its orchestrator with it each time is lost in the end. */
const mostResumed = 3;

/** How the agent ended, as it is kept beside its output. */
export interface Ended {
  readonly stopped: Stopped;
  readonly usage?: Spent;
  readonly asked: readonly Input[];
}

export async function runAgent(work: TaskWork, signal: AbortSignal): Promise<Outcome> {
  const { folder, mark, agent } = work;
  const ended = parsed<Ended>(folder.ended);
  if (ended) return concludeEnded(work, ended);
  const before = startedOf(folder);
  if (!before) {
    const session = crypto.randomUUID();
    const started = { at: work.now(), agent: agent.name, mark, session, resumed: 0 };
    return carryOut(work, { started, events: (order) => agent.work(order, signal) }, signal);
  }
  await endMarked(mark);
  const usage = spentSoFar(folder.events, before.agent);
  const asked = askedInside(work);
  if (asked.length > 0 || hasProposal(work))
    return concludeEnded(work, { stopped: { kind: "finished" }, asked, ...(usage && { usage }) });
  const { resume } = agent;
  if (!resume || !work.mayResume || before.agent !== agent.name || before.resumed >= mostResumed) {
    forgetHome(folder.home);
    return lost(usage);
  }
  const started = { ...before, resumed: before.resumed + 1 };
  for (const name of ["stdout", "stderr"]) setAside(join(folder.folder, name), started.resumed);
  // An agent that tells its spending at its end alone had told nothing.
  const cutOff = usage ?? { agent: before.agent, inputTokens: 0, outputTokens: 0, costUsd: null };
  return carryOut(work, { started, usage: cutOff, events: (order) => resume(order, signal) }, signal);
}

/** What it had printed before it was cut off is kept beside what it prints now. */
function setAside(output: string, number: number): void {
  if (isThere(`${output}.log`)) rename(`${output}.log`, `${output}-${number}.log`);
}

interface Turn {
  readonly started: Started;
  /** What was spent before it was cut off. */
  readonly usage?: Spent | undefined;
  readonly events: (order: Order) => AsyncIterable<AgentEvent>;
}

async function carryOut(work: TaskWork, turn: Turn, signal: AbortSignal): Promise<Outcome> {
  const { folder } = work;
  replaceFile(folder.started, JSON.stringify(turn.started));
  const now = await listen(work, turn);
  if (signal.aborted) return lost(now.usage);
  replaceFile(folder.ended, JSON.stringify(now));
  return concludeEnded(work, now);
}

function concludeEnded(work: TaskWork, ended: Ended): Promise<Outcome> {
  forgetHome(work.folder.home);
  return conclude(work, ended);
}

function parsed<T>(file: string): T | undefined {
  const text = readIfThere(file);
  return text ? (JSON.parse(text) as T) : undefined;
}

function hasProposal(work: TaskWork): boolean {
  const { kind } = proposalOf(work);
  return kind === "success" || kind === "failed" || kind === "asked";
}

function proposalOf({ handIn, folder, def, attempt }: TaskWork): Proposal {
  return handIn.read(folder, { task: def.id, attempt });
}

function lost(usage: Spent | undefined): Outcome {
  const error = "its agent ended with its orchestrator, and left no result";
  const what = { error, category: "environment", subcategory: "lost", retryable: true, lost: true };
  return { ok: false, ...what, ...(usage && { usage }) };
}

async function listen(work: TaskWork, { started, usage: before, events }: Turn): Promise<Ended> {
  const { agent, folder, def } = work;
  const asked: Input[] = [];
  let [usage, stopped]: [Spent | undefined, Stopped] = [before, { kind: "finished" }];
  const { isTrusted: trusted, note } = work.trust(agent);
  const tell = (event: AgentEvent) => {
    append(folder.events, `${JSON.stringify({ at: work.now(), ...event })}\n`);
    work.watch(def.id, event, agent.name);
  };
  if (note !== undefined) tell({ kind: "said", text: note });
  for await (const event of events({ ...orderOf(work), session: started.session, trusted })) {
    tell(event);
    if (event.kind === "spent") usage = addUsage(usage, agent.name, event);
    if (event.kind === "asked") asked.push(asking(work, event));
    if (event.kind === "stopped") stopped = event.how;
  }
  return { stopped, asked: [...asked, ...askedInside(work)], ...(usage && { usage }) };
}

/** What it asked over its socket. */
const askedInside = (work: TaskWork) => questionsIn(work.folder).map((question) => asking(work, question));

function asking({ def, attempt }: TaskWork, { id, text, options }: Question): Input {
  return { kind: "ask", id: `${def.id}-${attempt}-${id}`, text, options, about: def.id };
}

function orderOf({ handIn, folder, def, attempt, limits, cwd, readable, env, mark }: TaskWork): Order {
  const { home, tmp, outbox, work } = folder;
  return {
    role: handIn.role,
    task: def.id,
    attempt,
    bundle: folder.bundle,
    token: folder.token,
    output: folder.result,
    workspace: { cwd, home, tmp, writable: [work, outbox], readable, records: folder.folder, env },
    limits,
    mark,
  };
}

/** What counts is what was proposed and what heddle sees; how the agent ended only explains why there is nothing. */
export async function conclude(work: TaskWork, { stopped, usage, asked }: Ended): Promise<Outcome> {
  const spent = usage && { usage };
  if (asked.length > 0) return { ok: true, inputs: asked, ...spent };
  const outcome = await judged(work, proposalOf(work), stopped);
  return { ...outcome, ...spent };
}

async function judged(work: TaskWork, proposal: Proposal, stopped: Stopped): Promise<Outcome> {
  switch (proposal.kind) {
    case "none":
      return { ...nothingProposed(stopped), ...parkedBy(stopped, work.agent.name, work.park) };
    case "unreadable":
      return failure("unparseable", proposal.reason);
    case "wrong":
      return failure("validation", proposal.reason);
    case "failed":
      replaceFile(work.resultFile, proposal.text);
      return { ok: false, ...proposal.failure };
    case "asked":
      replaceFile(work.resultFile, proposal.text);
      return { ok: true, inputs: [proposal.asks] };
    case "success": {
      work.park(work.agent.name, "worked");
      replaceFile(work.resultFile, proposal.text);
      const { at = work.now(), agent = work.agent.name } = startedOf(work.folder) ?? {};
      const seen = await seeWork({ ...work, author: agent, at }, proposal.result);
      return "ok" in seen ? seen : { ok: true, work: seen };
    }
  }
}

function nothingProposed(stopped: Stopped): Outcome {
  if (stopped.kind === "finished")
    return failure(
      "validation",
      "it ended without proposing a result: it must write $HEDDLE_OUTPUT, or call `heddle state complete-task`",
    );
  const { category, message, retryable } = stopped;
  return { ok: false, error: message, category, subcategory: null, retryable };
}

function failure(category: string, error: string): Outcome {
  return { ok: false, error, category, subcategory: null, retryable: true };
}

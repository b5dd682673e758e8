// Effect `run-agent`: one agent at work on one task. Asks first: an attempt that has ended is taken over and not paid
// for twice; one whose agent died with an earlier orchestrator, and proposed nothing, goes on where it was if the agent
// can take up its conversation, and is lost otherwise.
import { join } from "node:path";
import type { Agent, AgentEvent, Order, Stopped } from "../agents/agent.ts";
import type { Input, Outcome, Spent, Unsuccessful } from "../core/input.ts";
import { ownRecord } from "../core/json.ts";
import { failedWith, failure } from "../core/outcome.ts";
import type { Budget } from "../gateway/budget.ts";
import { isThere, makeFolder, rename, replaceFile } from "../host/files.ts";
import { readRecord } from "../host/handed-in.ts";
import type { Limits } from "../host/program/limits.ts";
import { endMarked } from "../host/program/processes.ts";
import { questionsIn, type Started, startedOf } from "./attempt-folder.ts";
import { converse, question } from "./converse.ts";
import { forgetHome } from "./given/agent-home.ts";
import type { HandIn, Proposal } from "./read-result.ts";
import { type Seeing, seeWork } from "./see-work.ts";
import { spentSoFar } from "./usage.ts";

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
  /** How often the attempt was held: an agent that could not be started then is started again. */
  readonly holds: number;
  /** What may still be spent. */
  readonly budgets?: readonly Budget[];
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
  message?: string,
) => { readonly parkMs: number; readonly outlook: string } | undefined;

export function parkedBy(
  stopped: Stopped,
  { name, word = name }: Agent,
  park: Park,
): { readonly kind: "parked"; readonly parkMs: number; readonly error: string } | undefined {
  if (stopped.kind !== "failed") return void park(word, "worked");
  const { limit, outage, category, message } = stopped;
  if (!limit && category !== "environment") return undefined;
  const parked = park(word, limit ?? (outage ? "outage" : "failed"), message);
  return parked && { kind: "parked", parkMs: parked.parkMs, error: `${message}; ${parked.outlook}` };
}

/** Its key, its program or its settings are wrong, and will be for the next task. */
export const unableBy = (stopped: Stopped) =>
  stopped.kind === "failed" && stopped.category === "environment" && !stopped.retryable
    ? ({ kind: "unable" } as const)
    : undefined;

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
  const ended = unsaved.get(folder.folder) ?? parsed<Ended>(folder.ended);
  if (ended && !isToBeginAnew(work, ended)) return concludeEnded(work, ended);
  const before = ended ? undefined : startedOf(folder);
  if (!before) {
    for (const each of [folder.home, folder.tmp, folder.outbox]) makeFolder(each);
    const session = crypto.randomUUID();
    const started = { at: work.now(), agent: agent.name, mark, folder: folder.folder, session, resumed: 0 };
    return carryOut(work, { started, events: (order) => agent.work(order, signal) }, signal);
  }
  const wasMoved = before.folder !== undefined && before.folder !== folder.folder;
  await endMarked(mark);
  // Of a copy, the original may be at work.
  if (before.folder !== undefined && wasMoved && !isThere(before.folder)) await endMarked(before.mark);
  const unknown = { agent: before.agent, inputTokens: 0, outputTokens: 0, costUsd: null };
  const usage = spentSoFar(folder.events, before.agent, agent.gate);
  const asked = askedInside(work);
  if (asked.length > 0 || hasProposal(work))
    return concludeEnded(work, { stopped: { kind: "finished" }, asked, ...(usage && { usage }) });
  const { resume } = agent;
  // Its conversation and its bundle name the place where the project was.
  if (
    !resume ||
    wasMoved ||
    !work.mayResume ||
    before.agent !== agent.name ||
    before.resumed >= mostResumed
  ) {
    await forgetHome(folder.home);
    return lost(usage);
  }
  const started = { ...before, resumed: before.resumed + 1 };
  for (const name of ["stdout", "stderr"]) setAside(join(folder.folder, name), started.resumed);
  // An agent that tells its spending at its end alone had told nothing.
  return carryOut(
    work,
    { started, usage: usage ?? unknown, events: (order) => resume(order, signal) },
    signal,
  );
}

/** Ends that could not be written down, because the disk is full or a folder was moved away. */
const unsaved = new Map<string, Ended>();

/**
 * What kept its agent from working was that a place was missing, and the attempt was held for it. Once per hold, and its
 * record is put aside, so that whoever looks again does not begin once more.
 */
function isToBeginAnew(work: TaskWork, { stopped }: Ended): boolean {
  const { folder, holds } = work;
  if (holds === 0 || stopped.kind !== "failed" || stopped.category !== "environment") return false;
  if (hasProposal(work)) return false;
  if (unsaved.delete(folder.folder)) return true;
  const aside = join(folder.folder, `ended-${holds}.json`);
  if (isThere(aside)) return false;
  rename(folder.ended, aside);
  return true;
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
  const now = await listen(work, turn, signal);
  if (signal.aborted || isOvertaken(work, turn)) return lost(now.usage);
  unsaved.set(folder.folder, now);
  replaceFile(folder.ended, JSON.stringify(now));
  unsaved.delete(folder.folder);
  return concludeEnded(work, now);
}

/** Another orchestrator has taken the attempt up meanwhile: how it ends is that one's to write down. */
function isOvertaken({ folder }: TaskWork, { started }: Turn): boolean {
  const now = startedOf(folder);
  return now !== undefined && (now.session !== started.session || now.resumed !== started.resumed);
}

async function concludeEnded(work: TaskWork, ended: Ended): Promise<Outcome> {
  await forgetHome(work.folder.home);
  return conclude(work, ended);
}

function parsed<T extends object>(file: string): T | undefined {
  return ownRecord<T>(file, readRecord(file));
}

function hasProposal(work: TaskWork): boolean {
  const { kind } = proposalOf(work);
  return kind === "success" || kind === "failed" || kind === "asked";
}

function proposalOf({ handIn, folder, def, attempt }: TaskWork): Proposal {
  return handIn.read(folder, { task: def.id, attempt });
}

export const lostReason = "its agent ended with its orchestrator, and left no result";

function lost(usage: Spent | undefined): Outcome {
  return { ...failure("environment", lostReason, "lost"), kind: "lost", ...(usage && { usage }) };
}

async function listen(
  work: TaskWork,
  { started, usage: spent, events }: Turn,
  signal: AbortSignal,
): Promise<Ended> {
  const { agent, folder, def, now } = work;
  const { isTrusted: trusted, note } = work.trust(agent);
  const order = { ...orderOf(work), session: started.session, trusted };
  const watch = (event: AgentEvent) => work.watch(def.id, event, agent.name);
  const kept = { file: folder.events, now };
  const { stopped, usage, asked } = await converse(
    { agent, order, events, spent, kept, watch, note, budgets: work.budgets },
    signal,
  );
  return { stopped, asked: [...asked, ...askedInside(work)], ...(usage && { usage }) };
}

/** What it asked over its socket. */
const askedInside = ({ folder, def, attempt }: TaskWork) =>
  questionsIn(folder).map((each) => question(each, def.id, attempt));

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
      return {
        ...nothingProposed(stopped),
        ...(parkedBy(stopped, work.agent, work.park) ?? unableBy(stopped)),
      };
    case "unreadable":
      return { ...failure("unparseable", proposal.reason), kind: "unparseable" };
    case "wrong":
      return failure("validation", proposal.reason);
    case "failed":
      replaceFile(work.resultFile, proposal.text);
      return failedWith(proposal.failure);
    case "asked":
      replaceFile(work.resultFile, proposal.text);
      return { ok: true, inputs: [proposal.asks] };
    case "success": {
      work.park(work.agent.word ?? work.agent.name, "worked");
      replaceFile(work.resultFile, proposal.text);
      const { at = work.now(), agent = work.agent.name } = startedOf(work.folder) ?? {};
      const seen = await seeWork({ ...work, author: agent, at }, proposal.result);
      return "ok" in seen ? seen : { ok: true, work: seen };
    }
  }
}

function nothingProposed(stopped: Stopped): Unsuccessful {
  if (stopped.kind === "finished")
    return failure(
      "validation",
      `it ended without proposing a result: it must write {"status": "success"} to $HEDDLE_OUTPUT, or call \`heddle state complete-task\``,
    );
  const { category, message, retryable } = stopped;
  return { ...failure(category, message), retryable };
}

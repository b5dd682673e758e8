// Effect `run-agent`: one agent at work on one task. Asks first: an attempt that has ended is taken over and not paid
// for twice; one whose agent died with an earlier orchestrator, and proposed nothing, is lost.
import type { Agent, AgentEvent, Order, Stopped } from "../agents/agent.ts";
import type { Input, Outcome, Spent } from "../core/input.ts";
import { append, isThere, readIfThere, replaceFile } from "../host/files.ts";
import type { Limits } from "../host/limits.ts";
import { endMarked } from "../host/processes.ts";
import { type Started, startedOf } from "./attempt-folder.ts";
import { type Proposal, readProposal } from "./read-result.ts";
import { type Seeing, seeWork } from "./see-work.ts";
import { addUsage } from "./usage.ts";

/** Hears what an agent does at a task, and who it is. */
export type Watch = (task: string, event: AgentEvent, agent: string) => void;

export interface TaskWork extends Omit<Seeing, "author" | "at"> {
  readonly agent: Agent;
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
}

/** How the agent ended, as it is kept beside its output. */
export interface Ended {
  readonly stopped: Stopped;
  readonly usage?: Spent;
  readonly asked: readonly Input[];
}

export async function runAgent(work: TaskWork, signal: AbortSignal): Promise<Outcome> {
  const { folder, mark, agent } = work;
  const ended = parsed<Ended>(folder.ended);
  if (ended) return conclude(work, ended);
  if (isThere(folder.started)) {
    await endMarked(mark);
    return hasProposal(work) ? conclude(work, { stopped: { kind: "finished" }, asked: [] }) : lost();
  }
  const started: Started = { at: work.now(), agent: agent.name, mark };
  replaceFile(folder.started, JSON.stringify(started));
  const now = await listen(work, signal);
  if (signal.aborted) return lost();
  replaceFile(folder.ended, JSON.stringify(now));
  return conclude(work, now);
}

function parsed<T>(file: string): T | undefined {
  const text = readIfThere(file);
  return text ? (JSON.parse(text) as T) : undefined;
}

function hasProposal({ folder, def }: TaskWork): boolean {
  const { kind } = readProposal(folder, def.id);
  return kind === "success" || kind === "failed";
}

function lost(): Outcome {
  const error = "its agent ended with its orchestrator, and left no result";
  return { ok: false, error, category: "environment", subcategory: "lost", retryable: true, lost: true };
}

async function listen(work: TaskWork, signal: AbortSignal): Promise<Ended> {
  const { agent, folder, def, attempt } = work;
  const asked: Input[] = [];
  let [usage, stopped]: [Spent | undefined, Stopped] = [undefined, { kind: "finished" }];
  for await (const event of agent.work(orderOf(work), signal)) {
    append(folder.events, `${JSON.stringify({ at: work.now(), ...event })}\n`);
    work.watch(def.id, event, agent.name);
    if (event.kind === "spent") usage = addUsage(usage, agent.name, event);
    if (event.kind === "asked") {
      const { text, options } = event;
      asked.push({ kind: "ask", id: `${def.id}-${attempt}-${event.id}`, text, options, about: def.id });
    }
    if (event.kind === "stopped") stopped = event.how;
  }
  return { stopped, asked, ...(usage && { usage }) };
}

function orderOf({ folder, def, attempt, limits, cwd, readable, env, mark }: TaskWork): Order {
  const { home, tmp, outbox, work } = folder;
  return {
    role: "task-executor",
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
  const proposal = readProposal(work.folder, work.def.id);
  const outcome = await judged(work, proposal, stopped);
  return { ...outcome, ...spent };
}

async function judged(work: TaskWork, proposal: Proposal, stopped: Stopped): Promise<Outcome> {
  switch (proposal.kind) {
    case "none":
      return nothingProposed(stopped);
    case "unreadable":
      return failure("unparseable", proposal.reason);
    case "wrong":
      return failure("validation", proposal.reason);
    case "failed":
      replaceFile(work.resultFile, proposal.text);
      return { ok: false, ...proposal.failure };
    case "success": {
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

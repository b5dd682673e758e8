// Effect `run-role`: one agent at work on one artifact. Asks first: an attempt that has ended, or whose output is
// already right, is taken over and not paid for twice. One whose agent ended with its orchestrator is lost, as an attempt at a
// task is: the core bounds how often that may happen.
import { dirname, join } from "node:path";
import type { Agent, AgentEvent, Workspace } from "../agents/agent.ts";
import type { Outcome } from "../core/input.ts";
import { ownRecord } from "../core/json.ts";
import { failure, outcomeKept } from "../core/outcome.ts";
import type { Budget } from "../gateway/budget.ts";
import { wallClock } from "../host/clock.ts";
import { textDigest } from "../host/digest.ts";
import { copyTree, isThere, isThereItself, makeFolder, remove, replaceFile } from "../host/files.ts";
import { readRecord } from "../host/handed-in.ts";
import type { Limits } from "../host/program/limits.ts";
import { converse } from "./converse.ts";
import { forgetHome } from "./given/agent-home.ts";
import type { Product } from "./product.ts";
import { outputThere } from "./product.ts";
import type { RoleFolder } from "./role-folder.ts";
import { lostReason, type Park, parkedBy, type TrustOf, unableBy } from "./run-agent.ts";
import { takeOutput } from "./take-output.ts";
import { spentSoFar } from "./usage.ts";

export interface RoleWork {
  readonly agent: Agent;
  readonly limits: Limits;
  readonly role: string;
  readonly attempt: number;
  readonly product: Product;
  /** The bundle's text, made when everything that it names is there. */
  readonly bundle: () => string;
  readonly folder: RoleFolder;
  /** Where it works, if not in an empty folder of its own, and what it may write there. */
  readonly place?: Pick<Workspace, "cwd" | "writable" | "env" | "tmp">;
  /** Paths that the role may read in its box. */
  readonly readable: readonly string[];
  /** heddle's copy of the output of the attempt before, when it was refused. */
  readonly before?: string;
  readonly watch: (role: string, event: AgentEvent) => void;
  /** What may still be spent. */
  readonly budgets?: readonly Budget[];
  /** What a usage limit leads to. */
  readonly park: Park;
  /** Where it works among the repository's files: whether it may follow the settings there. */
  readonly trust?: TrustOf;
}

export async function runRole(work: RoleWork, signal: AbortSignal): Promise<Outcome> {
  const ended = ownRecord<Outcome>(work.folder.ended, readRecord(work.folder.ended));
  if (ended) return outcomeKept(ended);
  if (isRightAlready(work.product, work.folder)) return { ok: true };
  const outcome = await askOnce(work, signal);
  if (signal.aborted || isLost(outcome)) return outcome;
  // What kept it from working may be over when it is asked again, such as a folder that was moved away and is back.
  if (outcome.ok || outcome.category !== "environment")
    replaceFile(work.folder.ended, JSON.stringify(outcome));
  await forgetHome(work.folder.home);
  return outcome;
}

interface Started {
  readonly agent: string;
}

/** Asks the agent, unless it was asked before and stopped by, or ended with, its orchestrator: then it is lost, with what it had told of its spending. */
export async function askOnce(work: RoleWork, signal: AbortSignal): Promise<Outcome> {
  const { folder, agent } = work;
  const before = ownRecord<Started>(folder.started, readRecord(folder.started));
  if (before) {
    await forgetHome(folder.home);
    const usage = spentSoFar(eventsIn(folder), before.agent, agent.gate);
    return { ...failure("environment", lostReason, "lost"), kind: "lost", ...(usage && { usage }) };
  }
  prepare(work);
  replaceFile(folder.started, JSON.stringify({ agent: agent.name }));
  try {
    return await workOn(work, signal);
  } finally {
    // One that was stopped is found by whoever comes next, who records what it had spent.
    if (!signal.aborted) remove(folder.started);
  }
}

const isLost = (outcome: Outcome) => !outcome.ok && outcome.kind === "lost";

const eventsIn = ({ folder }: RoleFolder) => join(folder, "events.jsonl");

/** Whether an agent that died had done it; if not, nothing of it was taken over. */
export function isRightAlready({ kind, check }: Product, folder: RoleFolder): boolean {
  if (takeOutput(kind, folder) !== undefined) return false;
  const isRight = outputThere(kind, folder.taken) && check(folder.taken).problems.length === 0;
  if (!isRight) remove(dirname(folder.taken));
  return isRight;
}

function prepare({ folder, product: { kind }, role, before, bundle }: RoleWork): void {
  remove(dirname(folder.taken));
  for (const each of [folder.work, folder.home, folder.outbox]) makeFolder(each);
  if (kind === "folder" && role !== "fixer" && !isThereItself(folder.output)) makeFolder(folder.output);
  if (before && outputThere(kind, before)) copyTree(before, folder.previous);
  replaceFile(folder.bundle, bundle());
  if (!isThere(folder.token))
    replaceFile(folder.token, textDigest(crypto.getRandomValues(new Uint8Array(32))));
}

/** What the agent did, as an outcome: its end says nothing about its work, only whether there may be any. */
async function workOn(
  { agent, limits, role, attempt, folder, place, readable, watch, park, trust, budgets }: RoleWork,
  signal: AbortSignal,
): Promise<Outcome> {
  const workspace = {
    cwd: folder.work,
    home: folder.home,
    ...place,
    writable: [folder.outbox, ...(place?.writable ?? [])],
    readable: isThere(folder.previous) ? [...readable, folder.previous] : readable,
    records: folder.folder,
  };
  const { isTrusted, note } = trust?.(agent) ?? { isTrusted: false };
  const order = {
    role,
    task: "",
    attempt,
    bundle: folder.bundle,
    output: folder.output,
    token: folder.token,
    workspace,
    limits,
    trusted: isTrusted,
  };
  const kept = { file: eventsIn(folder), now: wallClock };
  const { stopped, usage, asked } = await converse(
    { agent, order, kept, watch: (event) => watch(role, event), note, about: role, budgets },
    signal,
  );
  const spent = usage && { usage };
  const parked = parkedBy(stopped, agent, park) ?? unableBy(stopped);
  if (stopped.kind === "finished") return { ok: true, inputs: asked, ...spent };
  const { category, message, retryable } = stopped;
  const failed = { ...failure(category, message), retryable };
  return parked ? { ...failed, ...parked, ...spent } : { ...failed, ...spent };
}

// Effect `run-role`: one agent at work on one artifact. Asks first: an attempt that has ended, or whose output is
// already right, is taken over and not paid for twice.
import { join } from "node:path";
import type { Agent, AgentEvent, Stopped, Workspace } from "../agents/agent.ts";
import type { Input, Outcome, Spent } from "../core/input.ts";
import { wallClock } from "../host/clock.ts";
import { textDigest } from "../host/digest.ts";
import { append, copyTree, isThere, makeFolder, readIfThere, replaceFile } from "../host/files.ts";
import type { Limits } from "../host/limits.ts";
import { outputThere, strangeIn } from "../planning/check-output.ts";
import type { Product } from "../planning/product.ts";
import { forgetHome } from "./agent-home.ts";
import type { RoleFolder } from "./role-folder.ts";
import { type Park, parkedBy, type TrustOf } from "./run-agent.ts";
import { addUsage } from "./usage.ts";

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
  /** Where the output of the attempt before lies, when it was refused. */
  readonly before?: string;
  readonly watch: (role: string, event: AgentEvent) => void;
  /** What a usage limit leads to. */
  readonly park: Park;
  /** Where it works among the repository's files: whether it may follow the settings there. */
  readonly trust?: TrustOf;
}

export async function runRole(work: RoleWork, signal: AbortSignal): Promise<Outcome> {
  const ended = readIfThere(work.folder.ended);
  if (ended) return JSON.parse(ended) as Outcome;
  if (isRightAlready(work.product, work.folder)) return { ok: true };
  prepare(work);
  const outcome = await workOn(work, signal);
  if (signal.aborted) return outcome;
  replaceFile(work.folder.ended, JSON.stringify(outcome));
  forgetHome(work.folder.home);
  return outcome;
}

export function isRightAlready({ kind, check }: Product, { output }: RoleFolder): boolean {
  return !strangeIn(kind, output) && outputThere(kind, output) && check(output).problems.length === 0;
}

export function prepare({ folder, product: { kind }, role, before, bundle }: RoleWork): void {
  for (const each of [folder.work, folder.home, folder.outbox]) makeFolder(each);
  if (kind === "folder" && role !== "fixer") makeFolder(folder.output);
  if (before && !strangeIn(kind, before) && outputThere(kind, before)) copyTree(before, folder.previous);
  replaceFile(folder.bundle, bundle());
  if (!isThere(folder.token))
    replaceFile(folder.token, textDigest(crypto.getRandomValues(new Uint8Array(32))));
}

/** What the agent did, as an outcome: its end says nothing about its work, only whether there may be any. */
export async function workOn(
  { agent, limits, role, attempt, folder, place, readable, watch, park, trust }: RoleWork,
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
  const tell = (event: AgentEvent) => {
    append(join(folder.folder, "events.jsonl"), `${JSON.stringify({ at: wallClock(), ...event })}\n`);
    watch(role, event);
  };
  if (note !== undefined) tell({ kind: "said", text: note });
  const ordered = {
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
  const asked: Input[] = [];
  let [usage, stopped]: [Spent | undefined, Stopped] = [undefined, { kind: "finished" }];
  for await (const event of agent.work(ordered, signal)) {
    tell(event);
    if (event.kind === "spent") usage = addUsage(usage, agent.name, event);
    if (event.kind === "asked")
      asked.push({
        kind: "ask",
        id: `${role}-${attempt}-${event.id}`,
        text: event.text,
        options: event.options,
        about: role,
      });
    if (event.kind === "stopped") stopped = event.how;
  }
  const spent = usage && { usage };
  const parked = parkedBy(stopped, agent.name, park);
  if (stopped.kind === "finished") return { ok: true, inputs: asked, ...spent };
  const { category, message, retryable } = stopped;
  const failure = { ok: false as const, error: message, category, subcategory: null, retryable };
  return { ...failure, ...parked, ...spent };
}

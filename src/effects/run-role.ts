// Effect `run-role`: one agent at work on one artifact. Asks first: an attempt that has ended, or whose output is
// already right, is taken over and not paid for twice.
import { join } from "node:path";
import type { Agent, AgentEvent, Stopped } from "../agents/agent.ts";
import type { Input, Outcome, Spent } from "../core/input.ts";
import type { Job } from "../core/parts.ts";
import { wallClock } from "../host/clock.ts";
import { textDigest } from "../host/digest.ts";
import { append, copyTree, isThere, makeFolder, readIfThere, replaceFile } from "../host/files.ts";
import type { Limits } from "../host/limits.ts";
import { checkOutput, type Makes, outputKinds, outputThere, strangeIn } from "../planning/check-output.ts";
import type { Places } from "../planning/plan-files.ts";
import { planningBundle, type RoleOrder, type Skill } from "../planning/planning-bundle.ts";
import { forgetHome } from "./agent-home.ts";
import type { RoleFolder } from "./role-folder.ts";
import { type Park, parkedBy } from "./run-agent.ts";
import { addUsage } from "./usage.ts";

export interface RoleWork {
  readonly agent: Agent;
  readonly limits: Limits;
  readonly order: RoleOrder;
  readonly skill: Skill;
  readonly folder: RoleFolder;
  /** Paths that the role may read in its box. */
  readonly readable: readonly string[];
  /** Where the output of the attempt before lies, when it was refused. */
  readonly before?: string;
  readonly watch: (role: string, event: AgentEvent) => void;
  /** What a usage limit leads to. */
  readonly park: Park;
}

export async function runRole(job: Job, work: RoleWork, signal: AbortSignal): Promise<Outcome> {
  const ended = readIfThere(work.folder.ended);
  if (ended) return JSON.parse(ended) as Outcome;
  if (isRightAlready(job.makes as Makes, work.folder, work.order.places)) return { ok: true };
  prepare(work, job.makes as Makes);
  const outcome = await workOn(work, signal);
  if (signal.aborted) return outcome;
  replaceFile(work.folder.ended, JSON.stringify(outcome));
  forgetHome(work.folder.home);
  return outcome;
}

function isRightAlready(makes: Makes, { output }: RoleFolder, places: Places): boolean {
  return (
    !strangeIn(makes, output) &&
    outputThere(makes, output) &&
    checkOutput(makes, { places, path: output }).problems.length === 0
  );
}

export function prepare(work: RoleWork, makes: Makes): void {
  const { folder, order, skill } = work;
  for (const each of [folder.work, folder.home, folder.outbox]) makeFolder(each);
  if (outputKinds[makes] === "folder" && order.role !== "fixer") makeFolder(folder.output);
  if (work.before && !strangeIn(makes, work.before) && outputThere(makes, work.before))
    copyTree(work.before, folder.previous);
  const text = `${JSON.stringify(planningBundle(order, skill), null, 2)}\n`;
  replaceFile(folder.bundle, text);
  // For people: `heddle bundle show <role>` reads the latest.
  replaceFile(join(order.places.planningDir, "bundles", `${order.role}-bundle.json`), text);
  if (!isThere(folder.token))
    replaceFile(folder.token, textDigest(crypto.getRandomValues(new Uint8Array(32))));
}

/** What the agent did, as an outcome: its end says nothing about its work, only whether there may be any. */
export async function workOn(
  { agent, limits, order, folder, readable, watch, park }: RoleWork,
  signal: AbortSignal,
): Promise<Outcome> {
  const { role, attempt } = order;
  const workspace = {
    cwd: folder.work,
    home: folder.home,
    writable: [folder.outbox],
    readable: isThere(folder.previous) ? [...readable, folder.previous] : readable,
    records: folder.folder,
  };
  const ordered = {
    role,
    task: "",
    attempt,
    bundle: folder.bundle,
    output: order.output,
    token: folder.token,
    workspace,
    limits,
  };
  const asked: Input[] = [];
  let [usage, stopped]: [Spent | undefined, Stopped] = [undefined, { kind: "finished" }];
  for await (const event of agent.work(ordered, signal)) {
    append(join(folder.folder, "events.jsonl"), `${JSON.stringify({ at: wallClock(), ...event })}\n`);
    watch(role, event);
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
  if (stopped.kind === "finished") return { ok: true, inputs: asked, ...spent };
  const { category, message, retryable } = stopped;
  const failure = { ok: false as const, error: message, category, subcategory: null, retryable };
  return { ...failure, ...parkedBy(stopped, agent.name, park), ...spent };
}

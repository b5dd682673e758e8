// Effect `review-work`: a second agent, never the one that did the work, judges the change against the criteria (X9).
import { join } from "node:path";
import * as z from "zod";
import type { Agent, Stopped } from "../agents/agent.ts";
import type { Outcome, Spent } from "../core/input.ts";
import type { Evidence } from "../core/parts.ts";
import { isProblem, type Problem } from "../core/problem.ts";
import type { Json } from "../core/run.ts";
import { systemClock } from "../host/clock.ts";
import {
  append,
  isPlainFile,
  isThere,
  makeFolder,
  readIfThere,
  readText,
  replaceFile,
} from "../host/files.ts";
import type { Limits } from "../host/limits.ts";
import type { Skill } from "../planning/planning-bundle.ts";
import { repairDocument } from "../protocols/repair.ts";
import { forgetHome } from "./agent-home.ts";
import { parkedBy, type TaskWork } from "./run-agent.ts";
import { addUsage } from "./usage.ts";

export interface Review extends Omit<TaskWork, "agent" | "limits"> {
  /** Who is to judge now; somebody else, while that one may not be asked. */
  readonly reviewer: () => Reviewer | Problem;
  readonly skill: Skill;
  readonly diff: string;
  readonly evidence: Evidence | null;
}

export interface Reviewer {
  readonly agent: Agent;
  readonly limits: Limits;
}

const judgement = z.looseObject({
  verdict: z.enum(["PASS", "CONDITIONAL", "FAIL"]),
  recommendation: z.enum(["PROCEED", "BLOCK"]),
  criteria: z.json().optional(),
  quality: z.json().optional(),
  reasons: z.array(z.string()).optional(),
});

/** Waited for here, with the work at hand; a longer limit ends the attempt, which then begins anew and costs no try. */
const patienceMs = 10 * 60_000;

export async function reviewWork(review: Review, signal: AbortSignal): Promise<Outcome> {
  let spent: Spent | undefined;
  for (;;) {
    const { place, output, done } = placesOf(review);
    const found = review.reviewer();
    if (isProblem(found)) return { ...failure("environment", found.message), retryable: false };
    let stopped: Stopped = { kind: "finished" };
    if (!isThere(done)) {
      const turned = await turn(review, { ...found, place, output, spent }, signal);
      if (signal.aborted) return failure("environment", "ended");
      ({ usage: spent, stopped } = turned);
      forgetHome(join(place, "home"));
    }
    const parked = isThere(output) ? undefined : parkedBy(stopped, found.agent.name, review.park);
    if (!parked) {
      replaceFile(done, "");
      return { ...concluded(review, output, stopped), ...(spent && { usage: spent }) };
    }
    const error = `the reviewer: ${parked.error}`;
    if (parked.parkMs > patienceMs)
      return { ...failure("environment", error), parkMs: parked.parkMs, ...(spent && { usage: spent }) };
    review.watch(review.def.id, { kind: "said", text: error }, found.agent.name);
    replaceFile(join(place, "limited"), error);
    await systemClock.sleep(parked.parkMs, signal);
    if (signal.aborted) return failure("environment", "ended");
  }
}

/** Each reviewer that was asked has a folder of its own; the last is the one that counts. */
function placesOf({ folder }: Review) {
  let number = 1;
  const at = () => join(folder.folder, number === 1 ? "review" : `review-${number}`);
  while (isThere(join(at(), "limited"))) number++;
  const place = at();
  return { place, output: join(place, "out/judgement.json"), done: join(place, "ended") };
}

/** Why there is no judgement, where the reviewer says so itself. */
function concluded(review: Review, output: string, stopped: Stopped): Outcome {
  if (stopped.kind === "failed" && !isThere(output))
    return failure(stopped.category, `the reviewer: ${stopped.message}`);
  return judged(review, output);
}

function judged({ def }: Review, output: string): Outcome {
  const read = isPlainFile(output) ? readText(output, 1024 * 1024) : undefined;
  const text = read && "text" in read ? repairDocument(read.text)?.text : undefined;
  const parsed = judgement.safeParse(text === undefined ? undefined : JSON.parse(text));
  if (!parsed.success) return failure("validation", "the reviewer left no judgement that can be read");
  const { verdict, recommendation, criteria = null, quality = null, reasons = [] } = parsed.data;
  if (recommendation === "BLOCK" || verdict === "FAIL")
    return failure("validation", `the reviewer says ${verdict}, ${recommendation}: ${reasons.join("; ")}`);
  const [judgedBy, tests] = [{ criteria: criteria as Json, quality: quality as Json }, null];
  return {
    ok: true,
    inputs: [{ kind: "record-verification", task: def.id, verdict, recommendation, ...judgedBy, tests }],
  };
}

interface Turn extends Reviewer {
  readonly place: string;
  readonly output: string;
  readonly spent: Spent | undefined;
}

async function turn(
  { skill, diff, evidence, folder, def, attempt, mark, readable, cwd, now }: Review,
  { agent, limits, place, output, spent }: Turn,
  signal: AbortSignal,
): Promise<{ usage: Spent | undefined; stopped: Stopped }> {
  for (const name of ["home", "work", "out"]) makeFolder(join(place, name));
  const [bundle, patch] = [join(place, "bundle.json"), join(place, "change.patch")];
  replaceFile(patch, diff);
  const task: unknown = JSON.parse(readIfThere(folder.bundle) ?? "null");
  const given = { role: "task-verifier", skill: skill.text, task, diff: patch, workspace: cwd, evidence };
  replaceFile(bundle, JSON.stringify({ ...given, output: { path: output } }, null, 2));
  const workspace = {
    cwd: join(place, "work"),
    home: join(place, "home"),
    writable: [join(place, "out")],
    readable: [...readable, patch, folder.work, folder.checks],
    records: place,
  };
  const order = { role: "task-verifier", task: def.id, attempt, bundle, token: folder.token, output };
  let [usage, stopped]: [Spent | undefined, Stopped] = [spent, { kind: "finished" }];
  for await (const event of agent.work({ ...order, workspace, limits, mark }, signal)) {
    append(join(place, "events.jsonl"), `${JSON.stringify({ at: now(), ...event })}\n`);
    if (event.kind === "spent") usage = addUsage(usage, agent.name, event);
    if (event.kind === "stopped") stopped = event.how;
  }
  return { usage, stopped };
}

function failure(category: string, error: string): Extract<Outcome, { ok: false }> {
  return { ok: false, error, category, subcategory: null, retryable: true };
}

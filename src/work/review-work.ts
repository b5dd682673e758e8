// Effect `review-work`: a second agent, never the one that did the work, judges the change against the criteria (X9).

import { join } from "node:path";
import * as z from "zod";
import type { Agent, Stopped } from "../agents/agent.ts";
import type { Outcome, Spent } from "../core/input.ts";
import { jsonIn } from "../core/json.ts";
import { failure } from "../core/outcome.ts";
import type { Json } from "../core/run.ts";
import type { Evidence } from "../core/run-parts.ts";
import { isThere, makeFolder, replaceFile } from "../host/files.ts";
import { readHandedIn, readRecord } from "../host/handed-in.ts";
import type { Limits } from "../host/program/limits.ts";
import { repairDocument } from "../protocols/repair.ts";
import { converse } from "./converse.ts";
import { forgetHome } from "./given/agent-home.ts";
import type { Skill } from "./given/skill.ts";
import { parkedBy, type TaskWork } from "./run-agent.ts";

export interface Review extends Omit<TaskWork, "agent" | "limits"> {
  readonly reviewer: Reviewer;
  readonly skill: Skill;
  readonly diff: string;
  readonly evidence: Evidence | null;
  /** Why the one who was asked before could not be; null at first. */
  readonly limited: string | null;
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

export async function reviewWork(review: Review, signal: AbortSignal): Promise<Outcome> {
  if (review.limited !== null) passOver(review, review.limited);
  const { place, output, done } = placesOf(review);
  let spent: Spent | undefined;
  let stopped: Stopped = { kind: "finished" };
  if (!isThere(done)) {
    const turned = await turn(review, { ...review.reviewer, place, output }, signal);
    if (signal.aborted) return failure("environment", "ended");
    ({ usage: spent, stopped } = turned);
    await forgetHome(join(place, "home"));
  }
  // One that may not be asked just now is no judge: whoever gave the order knows when to ask again, and whom.
  if (isThere(output) || !mayNotBeAsked(stopped)) replaceFile(done, "");
  if (!isThere(output)) parkedBy(stopped, review.reviewer.agent, review.park);
  return { ...concluded(review, output, stopped), ...(spent && { usage: spent }) };
}

const mayNotBeAsked = (stopped: Stopped) =>
  stopped.kind === "failed" && (stopped.limit !== undefined || stopped.category === "environment");

/** Somebody else is asked in place of the one who could not be. */
function passOver(review: Review, error: string): void {
  const { place, output, done } = placesOf(review);
  if (isThere(place) && !isThere(output) && !isThere(done)) replaceFile(join(place, "limited"), error);
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
  const read = readHandedIn(output, { most: 1024 * 1024 });
  const text = "text" in read ? repairDocument(read.text)?.text : undefined;
  const parsed = judgement.safeParse(jsonIn(text));
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
}

async function turn(
  { skill, diff, evidence, folder, def, attempt, mark, readable, cwd, now, budgets }: Review,
  { agent, limits, place, output }: Turn,
  signal: AbortSignal,
): Promise<{ usage: Spent | undefined; stopped: Stopped }> {
  for (const name of ["home", "work", "out"]) makeFolder(join(place, name));
  const [bundle, patch] = [join(place, "bundle.json"), join(place, "change.patch")];
  replaceFile(patch, diff);
  const task: unknown = jsonIn(readRecord(folder.bundle)) ?? null;
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
  const kept = { file: join(place, "events.jsonl"), now };
  return converse({ agent, order: { ...order, workspace, limits, mark }, kept, budgets }, signal);
}

// Effect `review-work`: a second agent, never the one that did the work, judges the change against the criteria (X9).
import { join } from "node:path";
import * as z from "zod";
import type { Agent, Stopped } from "../agents/agent.ts";
import type { Outcome, Spent } from "../core/input.ts";
import type { Evidence } from "../core/parts.ts";
import type { Json } from "../core/run.ts";
import {
  append,
  isPlainFile,
  isThere,
  makeFolder,
  readIfThere,
  readText,
  replaceFile,
} from "../host/files.ts";
import type { Skill } from "../planning/planning-bundle.ts";
import { repairDocument } from "../protocols/repair.ts";
import { forgetHome } from "./agent-home.ts";
import type { TaskWork } from "./run-agent.ts";
import { addUsage } from "./usage.ts";

export interface Review extends TaskWork {
  readonly agent: Agent;
  readonly skill: Skill;
  readonly diff: string;
  readonly evidence: Evidence | null;
}

const judgement = z.looseObject({
  verdict: z.enum(["PASS", "CONDITIONAL", "FAIL"]),
  recommendation: z.enum(["PROCEED", "BLOCK"]),
  criteria: z.json().optional(),
  quality: z.json().optional(),
  reasons: z.array(z.string()).optional(),
});

export async function reviewWork(review: Review, signal: AbortSignal): Promise<Outcome> {
  const place = join(review.folder.folder, "review");
  const output = join(place, "out/judgement.json");
  const done = join(place, "ended");
  let [usage, stopped]: [Spent | undefined, Stopped] = [undefined, { kind: "finished" }];
  if (!isThere(done)) {
    ({ usage, stopped } = await turn(review, { place, output }, signal));
    if (signal.aborted) return failure("environment", "ended");
    replaceFile(done, "");
    forgetHome(join(place, "home"));
  }
  // Why there is no judgement, where the reviewer says so itself.
  const reason = stopped.kind === "failed" && !isThere(output) ? stopped : undefined;
  const outcome = reason
    ? failure(reason.category, `the reviewer: ${reason.message}`)
    : judged(review, output);
  return { ...outcome, ...(usage && { usage }) };
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

async function turn(
  { agent, skill, diff, evidence, folder, def, attempt, limits, mark, readable, cwd, now }: Review,
  { place, output }: { place: string; output: string },
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
  let [usage, stopped]: [Spent | undefined, Stopped] = [undefined, { kind: "finished" }];
  for await (const event of agent.work({ ...order, workspace, limits, mark }, signal)) {
    append(join(place, "events.jsonl"), `${JSON.stringify({ at: now(), ...event })}\n`);
    if (event.kind === "spent") usage = addUsage(usage, agent.name, event);
    if (event.kind === "stopped") stopped = event.how;
  }
  return { usage, stopped };
}

function failure(category: string, error: string): Outcome {
  return { ok: false, error, category, subcategory: null, retryable: true };
}

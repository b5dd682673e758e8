// A host's batch between journal and disk: its file, and the result files that a crashed host left behind.
import { join } from "node:path";
import type { Result } from "../core/input.ts";
import type { Checkpoint } from "../core/parts.ts";
import type { Problem } from "../core/problem.ts";
import { wallClock } from "../host/clock.ts";
import { isThere, readText, remove, replaceFile } from "../host/files.ts";
import { checkResult } from "../protocols/decomposition/artifacts/check-execution-files.ts";
import type { App } from "./app.ts";
import { resultFile } from "./attempt-files.ts";

/** The checkpoint with the documents' field names. */
export function document(checkpoint: Checkpoint) {
  const {
    batch,
    spawnedAt,
    status,
    spawned,
    pending,
    completed,
    failed,
    heartbeatAt,
    completedAt,
    recovery,
  } = checkpoint;
  return {
    version: "1.0",
    batch_id: batch,
    spawned_at: spawnedAt,
    status,
    parallel_limit: 3,
    tasks: { spawned, pending, completed, failed },
    last_heartbeat: heartbeatAt,
    ...(completedAt !== null && { completed_at: completedAt }),
    ...(recovery !== null && { recovery }),
  };
}

/** The file is a view: it follows the journal, and its writers take turns. */
export async function writeCheckpoint(app: App): Promise<Checkpoint | null> {
  return app.journal.exclusive(await app.run(), ({ checkpoint, planningDir }) => {
    const file = join(planningDir, "orchestrator-checkpoint.json");
    if (checkpoint) replaceFile(file, `${JSON.stringify(document(checkpoint), null, 2)}\n`);
    else remove(file);
    return structuredClone(checkpoint);
  });
}

export interface Recovered {
  readonly recovered: readonly string[];
  readonly orphans: readonly string[];
  readonly problems: readonly Problem[];
}

/** A result file that is wrong counts as none, and is named: nothing is taken over that cannot be read. */
export async function recover(app: App): Promise<Recovered> {
  const { pending, planningDir } = await app.look((run) => ({
    pending: [...(run.checkpoint?.pending ?? [])],
    planningDir: run.planningDir,
  }));
  const problems: Problem[] = [];
  const results: Record<string, Result> = {};
  for (const id of pending) {
    const file = resultFile({ planningDir }, id);
    if (!isThere(file)) continue;
    const found = readResult(file, id);
    if ("status" in found) results[id] = found;
    else problems.push(...found.problems);
  }
  await app.submit({ kind: "checkpoint-recover", results, now: wallClock() });
  return app.look((run) => ({
    recovered: Object.keys(results),
    orphans: (run.checkpoint?.pending ?? []).filter((id) => run.tasks.get(id)?.state === "running"),
    problems,
  }));
}

function readResult(file: string, taskId: string): Result | { readonly problems: readonly Problem[] } {
  const read = readText(file, 1024 * 1024);
  if ("problem" in read) return { problems: [read.problem] };
  const { value, problems } = checkResult({ file, text: read.text, taskId });
  if (!value) return { problems };
  if (value.status === "success")
    return { status: "success", created: value.files?.created ?? [], modified: value.files?.modified ?? [] };
  const { category = "unknown", message = "failed", retryable = true } = value.error ?? {};
  return { status: "failed", error: message, category, subcategory: null, retryable };
}

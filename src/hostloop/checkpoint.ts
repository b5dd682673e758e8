// A host's batch between journal and disk: its file, and the result files that a crashed host left behind.
import { join } from "node:path";
import type { Result } from "../core/input.ts";
import type { Problem } from "../core/problem.ts";
import type { Run } from "../core/run.ts";
import type { Checkpoint } from "../core/run-parts.ts";
import { isClaim } from "../core/steps/host.ts";
import type { App } from "../engine/app.ts";
import { wallClock } from "../host/clock.ts";
import { isThere, readText, remove, replaceFile } from "../host/files.ts";
import type { Journal } from "../journal/journal.ts";
import { checkResult } from "../work/result.ts";
import { resultFile } from "../work/task-files.ts";
import { attemptOf, type HostAttempt, type Undone, undo } from "./attempt-files.ts";

/**
 * The first implementation's figure, for hosts that wait so long for a result. heddle itself goes by no clock: an orphan
 * is a running task without a result when somebody calls `recover`.
 */
const orphanTimeoutSeconds = 1_800;

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
    orphan_timeout_seconds: orphanTimeoutSeconds,
    ...(completedAt !== null && { completed_at: completedAt }),
    ...(recovery !== null && { recovery }),
  };
}

export async function writeCheckpoint(app: App): Promise<Checkpoint | null> {
  const run = await app.run();
  const file = join((await app.placeOf(run)).planningDir, "orchestrator-checkpoint.json");
  return writeCheckpointOf(app.journal, run, file);
}

/**
 * The file is a view: it follows the journal, and its writers take turns. It bears no position, so what was written is
 * compared with the journal afterwards: one who lost the turn and wrote late puts right what it wrote.
 */
export function writeCheckpointOf(
  journal: Pick<Journal, "read" | "lease">,
  run: string,
  file: string,
): Promise<Checkpoint | null> {
  const look = () => journal.read(run, (state) => structuredClone(state.checkpoint));
  return journal.lease(async () => {
    for (let now = await look(); ; ) {
      const written = now && textOf(now);
      if (written === null) remove(file);
      else replaceFile(file, written);
      now = await look();
      if ((now && textOf(now)) === written) return now;
    }
  });
}

const textOf = (checkpoint: Checkpoint) => `${JSON.stringify(document(checkpoint), null, 2)}\n`;

export interface Recovered extends Omit<Undone, "left" | "aside"> {
  readonly aside: readonly string[];
  readonly recovered: readonly string[];
  readonly orphans: readonly string[];
  readonly problems: readonly Problem[];
}

/**
 * A result file that is wrong counts as none, and is named: nothing is taken over that cannot be read. What a failed
 * attempt left in the target is put back, as `fail-task` would have done.
 */
export async function recover(app: App, { keep }: { keep: boolean }): Promise<Recovered> {
  const { pending, planningDir } = await app.look((run) => ({
    pending: (run.checkpoint?.pending ?? []).map((id) => ({ id, attempt: run.tasks.get(id)?.attempts ?? 0 })),
    planningDir: run.planningDir,
  }));
  const problems: Problem[] = [];
  const results: Record<string, Result> = {};
  for (const { id, attempt } of pending) {
    const file = resultFile({ planningDir }, id);
    if (!isThere(file)) continue;
    const found = readResult(file, id);
    if ("status" in found) results[id] = { ...found, attempt };
    else problems.push(...found.problems);
  }
  const undone = { restored: [] as string[], deleted: [] as string[], aside: [] as string[] };
  await app.submitWith(
    { kind: "checkpoint-recover", results, now: wallClock() },
    {
      look: (run) => (keep ? [] : claimedFailed(run, results)),
      work: (attempts) => undoFailed(app, attempts, undone),
    },
  );
  return app.look((run) => {
    const left = run.checkpoint?.pending ?? [];
    return {
      recovered: Object.keys(results).filter((id) => !left.includes(id)),
      orphans: left.filter((id) => run.tasks.get(id)?.state === "running"),
      problems,
      ...undone,
    };
  });
}

interface AllUndone {
  readonly restored: string[];
  readonly deleted: string[];
  readonly aside: string[];
}

function claimedFailed(run: Run, results: Readonly<Record<string, Result>>): HostAttempt[] {
  return Object.entries(results).flatMap(([id, result]) => {
    const task = run.tasks.get(id);
    const isFailed = result.status === "failed" && task !== undefined && isClaim(task, result);
    return isFailed ? [attemptOf(run, task)] : [];
  });
}

function undoFailed(app: App, attempts: readonly HostAttempt[], undone: AllUndone): Problem[] {
  return attempts.flatMap((attempt) => {
    const { restored, deleted, aside, problems } = undo(app, attempt);
    undone.restored.push(...restored);
    undone.deleted.push(...deleted);
    if (aside !== null) undone.aside.push(aside);
    return problems;
  });
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

// `state.json`: the readable view of a decomposition run, with the field names of the documents (C2). The text
// carries the position it shows and a digest of itself, near the top, so that both can be read without parsing.
import { checksum, isSumOf } from "../core/checksum.ts";
import type { Artifact } from "../core/parts.ts";
import { type Json, type Run, type Task, taskFile } from "../core/run.ts";
import { statusOf } from "../core/task.ts";
import { runView } from "./run-json.ts";

/** Above this many tasks the view holds counts and what is neither pending nor complete. */
export const fullViewLimit = 1_000;

type Document = { readonly [key: string]: Json };

export function stateText(run: Run, { all = false } = {}): string {
  return sealed(stateView(run, { all }));
}

export function stateView(run: Run, { all = false } = {}): Document {
  if (run.protocolName !== "decomposition") return { ...runView(run), halt: haltView(run) };
  const full = all || run.tasks.size <= fullViewLimit;
  const tasks = full
    ? Object.fromEntries(sorted(run).map((task) => [task.def.id, taskView(run, task)]))
    : summary(run);
  return documentOf(run, tasks, full);
}

function documentOf(run: Run, tasks: Document, full: boolean): Document {
  return {
    version: "2.0",
    run: run.id,
    position: run.position,
    digest: "",
    phase: { current: run.phase, completed: run.completedPhases },
    target_dir: run.targetDir,
    created_at: run.createdAt,
    updated_at: run.updatedAt,
    ...(Object.keys(run.metadata).length > 0 && { metadata: run.metadata }),
    artifacts: artifactsView(run),
    tasks,
    execution: executionView(run),
    halt: haltView(run),
    ...(run.questions.length > 0 && { questions: run.questions.map((question) => ({ ...question })) }),
    calibration: calibrationView(run, full),
  };
}

function sorted(run: Run): Task[] {
  return [...run.tasks.all()].sort((a, b) => (a.def.id < b.def.id ? -1 : 1));
}

function summary(run: Run): Document {
  const shown = run.tasks.notable().map((task) => [task.def.id, taskView(run, task)] as const);
  return { counts: { ...run.counts }, ...Object.fromEntries(shown) };
}

function artifactsView(run: Run): Document {
  return Object.fromEntries(Object.values(run.artifacts).map((each) => [each.name, artifactView(each)]));
}

function artifactView({ name, path, digest, valid, validatedAt, problems, content }: Artifact): Document {
  const error = problems.length > 0 ? problems.join("; ") : null;
  if (name === "spec_coverage") return { ...content, computed_at: validatedAt };
  if (name === "task_validation") return { ...content, valid, validated_at: validatedAt, error };
  return { path, checksum: digest.slice(0, 16), valid, validated_at: validatedAt, error };
}

export function taskView(run: Run, task: Task): Document {
  const { def, failure } = task;
  return {
    id: def.id,
    name: def.name,
    status: statusOf(task),
    phase: def.phase,
    depends_on: def.dependsOn,
    blocks: task.dependents,
    file: taskFile(run, def),
    attempts: task.attempts,
    started_at: task.startedAt,
    completed_at: task.completedAt,
    duration_seconds: seconds(task),
    files_created: task.created,
    files_modified: task.modified,
    ...(task.done !== null && { verified: task.done === "verified" }),
    ...(failure && {
      error: failure.error,
      failure: { category: failure.category, subcategory: failure.subcategory, retryable: failure.retryable },
    }),
    ...(task.skipReason !== null && { skip_reason: task.skipReason }),
    ...(task.verification && { verification: verificationView(task.verification) }),
    ...(task.rollback !== null && { rollback_data: task.rollback }),
  };
}

function verificationView({ verifiedAt, ...rest }: NonNullable<Task["verification"]>): Document {
  return { ...rest, verified_at: verifiedAt };
}

/** Wall-clock time is shown, never decided on. */
function seconds({ startedAt, completedAt }: Task): number | null {
  if (startedAt === null || completedAt === null) return null;
  return Math.max(0, (Date.parse(completedAt) - Date.parse(startedAt)) / 1000);
}

function executionView(run: Run): Document {
  const phases = run.running.map((id) => run.tasks.get(id)?.def.phase ?? 0);
  return {
    current_phase: phases.length > 0 ? Math.min(...phases) : 0,
    active_tasks: run.running,
    completed_count: run.counts.complete,
    unverified_count: run.unverified,
    failed_count: run.counts.failed,
    total_tokens: run.usage.inputTokens + run.usage.outputTokens,
    total_cost_usd: run.usage.costUsd,
    unknown_costs: run.usage.unknownCosts,
  };
}

export function haltView(run: Run): Document {
  const { halt } = run;
  return {
    requested: halt !== null,
    requested_at: halt?.requestedAt ?? null,
    reason: halt?.reason ?? null,
    halted_at: halt?.confirmedAt ?? null,
    active_task: halt?.activeTask ?? null,
    resumable: halt === null || halt.code !== "budget",
    ...(halt && { code: halt.code, by: halt.by }),
  };
}

function calibrationView(run: Run, full: boolean): Document {
  const { correct, falsePositives, falseNegatives } = run.calibration;
  const total = correct + falsePositives + falseNegatives;
  const base = { total_verified: total, correct };
  if (total === 0 || !full) return { ...base, false_positives: [], false_negatives: [] };
  const calibrated = sorted(run).filter((task) => task.calibration !== null);
  const named = (outcome: string) =>
    calibrated.filter((task) => task.calibration?.outcome === outcome).map((task) => task.def.id);
  return {
    ...base,
    false_positives: named("false_positive"),
    false_negatives: named("false_negative"),
    history: calibrated.map(calibratedView),
  };
}

/** The last word on each task; a task that was calibrated again has the earlier ones in the log alone. */
function calibratedView({ def, verification, calibration }: Task): Document {
  return {
    task_id: def.id,
    verdict: verification?.verdict ?? null,
    recommendation: verification?.recommendation ?? null,
    actual_outcome: calibration?.outcome ?? null,
    notes: calibration?.notes ?? null,
    recorded_at: calibration?.recordedAt ?? null,
  };
}

const digestLine = /^( {2}"digest": ")([0-9a-f]*)(",?)$/m;
const positionLine = /^ {2}"position": (\d+),?$/m;
const runLine = /^ {2}"run": "([^"]*)",?$/m;

/** The digest covers the whole text with its own place left empty. */
export function sealed(document: Document): string {
  return sealedText(`${JSON.stringify(document, null, 2)}\n`);
}

function sealedText(text: string): string {
  return text.replace(digestLine, `$1${digestText(checksum(text))}$3`);
}

const tasksOpen = '\n  "tasks": {\n';
const tasksClose = '\n  },\n  "execution": {';

/**
 * The same text as `stateText`, made from the text before and the tasks that changed since: the others need not be
 * read. Nothing when that text does not list them all.
 */
export function restated(run: Run, before: string, changed: readonly Task[]): string | undefined {
  if (run.protocolName !== "decomposition") return undefined;
  const [open, close] = [before.indexOf(tasksOpen), before.lastIndexOf(tasksClose)];
  if (run.tasks.size > fullViewLimit || open < 0 || close < open) return undefined;
  let listed = `${before.slice(open + tasksOpen.length - 1, close)},`;
  for (const task of changed) {
    const name = `\n    ${JSON.stringify(task.def.id)}: `;
    const from = listed.indexOf(name);
    if (from < 0) return undefined;
    const to = listed.indexOf("\n    },", from);
    const now = JSON.stringify(taskView(run, task), null, 2)
      .replaceAll("\n", "\n    ")
      .slice(0, -"\n    }".length);
    listed = `${listed.slice(0, from)}${name}${now}${listed.slice(to)}`;
  }
  const rest = `${JSON.stringify(documentOf(run, {}, true), null, 2)}\n`;
  const place = '\n  "tasks": {},\n';
  const at = rest.indexOf(place);
  return sealedText(
    `${rest.slice(0, at)}\n  "tasks": {${listed.slice(0, -1)}\n  },\n${rest.slice(at + place.length)}`,
  );
}

/** Views from before CRC-32 have sums of 53 bits, in 14 digits. */
function digestText(sum: number): string {
  const digits = sum.toString(16);
  return digits.padStart(digits.length > 8 ? 14 : 8, "0");
}

export interface Seal {
  readonly run: string;
  readonly position: number;
  readonly digest: string;
}

/** So many characters from the top hold the seal. */
export const sealWithin = 500;

/** What a view's text says of itself; nothing when it does not look like one of ours. */
export function readSeal(text: string): Seal | undefined {
  const top = text.slice(0, sealWithin);
  const [digest, position, run] = [
    digestLine.exec(top)?.[2],
    positionLine.exec(top)?.[1],
    runLine.exec(top)?.[1],
  ];
  if (digest === undefined || position === undefined || run === undefined) return undefined;
  return { run, position: Number(position), digest };
}

/** A project may have been moved since the view was written. */
export function showsPlace(run: Run, text: string): boolean {
  return text.includes(`\n  "target_dir": ${JSON.stringify(run.targetDir)},\n`);
}

/** Whether the text is still what its seal was put on. */
export function isIntact(text: string, { digest }: Seal): boolean {
  const sum = Number.parseInt(digest, 16);
  return digestText(sum) === digest && isSumOf(text.replace(digestLine, "$1$3"), sum);
}

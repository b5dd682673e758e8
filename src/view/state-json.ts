// `state.json`: the readable view of a run that has tasks, with the field names of the documents (C2). The text
// carries the position it shows and a digest of itself, near the top, so that both can be read without parsing.

import { type Json, type Run, type Task, taskFile } from "../core/run.ts";
import type { Artifact } from "../core/run-parts.ts";
import { isDead, statusOf } from "../core/task.ts";
import { checksum, isSumOf } from "../journal/checksum.ts";
import { commandText } from "./hint.ts";
import { runView } from "./run-json.ts";

/** Above this many tasks the view holds counts and what is neither pending nor complete. */
const fullViewLimit = 1_000;

type Document = { readonly [key: string]: Json };

/** The view before it is sealed: its events come from the journal, and are put to it by `sealedWith`. */
export function openText(run: Run): string {
  return textOf(stateView(run));
}

export const hasEvents = ({ protocol }: Pick<Run, "protocol">) => protocol.own?.viewOfEvents === true;

/** An event is a line of its own: they are many, and a person looks for one of them. */
export function sealedWith(text: string, events: readonly Document[] | undefined): string {
  if (events === undefined) return sealedText(text);
  const lines = events.map((each) => `\n    ${JSON.stringify(each)}`).join(",");
  const list = lines === "" ? "[]" : `[${lines}\n  ]`;
  return sealedText(`${text.slice(0, -"\n}\n".length)},\n  "events": ${list}\n}\n`);
}

export function stateView(run: Run, { all = false } = {}): Document {
  if (!hasTasks(run)) return { ...runView(run), halt: haltView(run) };
  const full = all || run.tasks.size <= fullViewLimit;
  const tasks = full
    ? Object.fromEntries(sorted(run).map((task) => [task.def.id, taskView(run, task)]))
    : summary(run);
  return documentOf(run, tasks, full);
}

const hasTasks = ({ protocol }: Run) => protocol.own?.viewOfTasks === true;

function documentOf(run: Run, tasks: Document, full: boolean): Document {
  return {
    version: "2.0",
    run: run.id,
    position: run.position,
    digest: "",
    phase: { current: run.phase, completed: run.completedPhases },
    ...run.protocol.own?.session?.(run),
    target_dir: run.targetDir,
    created_at: run.createdAt,
    updated_at: run.updatedAt,
    ...(Object.keys(run.metadata).length > 0 && { metadata: run.metadata }),
    artifacts: artifactsView(run),
    tasks,
    execution: executionView(run),
    halt: standstillView(run),
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
  if (name === "task_validation")
    return {
      issues: [],
      ...content,
      valid: valid && content.verdict !== "BLOCKED",
      validated_at: validatedAt,
      error,
    };
  return { path, checksum: digest.slice(0, 16), valid, validated_at: validatedAt, error };
}

function taskView(run: Run, task: Task): Document {
  const { def } = task;
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
    ...failureView(run, task),
    ...(task.skipReason !== null && { skip_reason: task.skipReason }),
    ...(task.verification && { verification: verificationView(task.verification) }),
    ...(task.rollback !== null && { rollback_data: task.rollback }),
  };
}

/** A skipped task is still one that had failed; a blocked one says what holds it back. */
function failureView(run: Run, task: Task): Document {
  const failure = task.failure ?? (task.state === "skipped" ? task.lastFailure : null);
  const error = statusOf(task) === "blocked" ? blockedBy(run, task) : failure?.error;
  return {
    ...(error !== undefined && { error }),
    ...(failure && {
      failure: { category: failure.category, subcategory: failure.subcategory, retryable: failure.retryable },
    }),
  };
}

/** In the first implementation's words for what stands directly before it; further back there is another blocked one. */
function blockedBy(run: Run, { def }: Task): string {
  const dead = def.dependsOn.flatMap((id) => run.tasks.get(id) ?? []).filter(isDead);
  const cause =
    dead.find(({ state }) => state === "failed") ?? dead.find(({ state }) => state === "complete");
  if (cause === undefined) return `Blocked by blocked task ${dead[0]?.def.id ?? ""}`;
  const what = cause.state === "failed" ? "failed task" : "verification failure of";
  return `Blocked by ${what} ${cause.def.id}`;
}

function verificationView(verification: NonNullable<Task["verification"]>): Document {
  const { verifiedAt, criteria, quality, tests, ...rest } = verification;
  return {
    ...rest,
    criteria: criteria ?? [],
    quality: quality ?? {},
    tests: tests ?? {},
    verified_at: verifiedAt,
  };
}

/** Wall-clock time is shown, never decided on. */
function seconds({ state, startedAt, completedAt }: Task): number | null {
  // The time until somebody skipped it says nothing about the work.
  if (state === "skipped" || startedAt === null || completedAt === null) return null;
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

/** Where a protocol has words of its own for why it stands still: nothing while it does not (M12). */
function standstillView(run: Run): Json {
  const standing = run.protocol.own?.standing?.(run);
  if (!standing) return haltView(run);
  const { code, message, hint } = standing;
  if (!run.halt && code === "working") return null;
  return { ...(run.halt && haltView(run)), code, message, command: commandText(hint) };
}

function calibrationView(run: Run, full: boolean): Document {
  const { correct, falsePositives, falseNegatives } = run.calibration;
  const total = correct + falsePositives + falseNegatives;
  const base = { total_verified: total, correct };
  if (total === 0 || !full) return { ...base, false_positives: [], false_negatives: [], history: [] };
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
  return sealedText(textOf(document));
}

const textOf = (document: Document) => `${JSON.stringify(document, null, 2)}\n`;

function sealedText(text: string): string {
  return text.replace(digestLine, `$1${digestText(checksum(text))}$3`);
}

const tasksOpen = '\n  "tasks": {\n';
const tasksClose = '\n  },\n  "execution": {';

/**
 * The same text as `openText`, made from the text before and the tasks that changed since: the others need not be
 * read. Nothing when that text does not list them all.
 */
export function restated(run: Run, before: string, changed: readonly Task[]): string | undefined {
  if (!hasTasks(run)) return undefined;
  const [open, close] = [before.indexOf(tasksOpen), before.lastIndexOf(tasksClose)];
  if (run.tasks.size > fullViewLimit || open < 0 || close < open) return undefined;
  let listed = `${before.slice(open + tasksOpen.length - 1, close)},`;
  for (const task of new Set([...changed, ...changed.flatMap((each) => blockedBehind(run, each))])) {
    const name = `\n    ${JSON.stringify(task.def.id)}: `;
    const from = listed.indexOf(name);
    if (from < 0) return undefined;
    const to = listed.indexOf("\n    },", from);
    const now = JSON.stringify(taskView(run, task), null, 2)
      .replaceAll("\n", "\n    ")
      .slice(0, -"\n    }".length);
    listed = `${listed.slice(0, from)}${name}${now}${listed.slice(to)}`;
  }
  const rest = textOf(documentOf(run, {}, true));
  const place = '\n  "tasks": {},\n';
  const at = rest.indexOf(place);
  return `${rest.slice(0, at)}\n  "tasks": {${listed.slice(0, -1)}\n  },\n${rest.slice(at + place.length)}`;
}

/** What a blocked task says of those before it may change with them alone. */
function blockedBehind(run: Run, { dependents }: Task): Task[] {
  return dependents.flatMap((id) => run.tasks.get(id) ?? []).filter((each) => statusOf(each) === "blocked");
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

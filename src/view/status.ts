// Where a run stands: as a document for programs, as a page for people, and as one calm screen while it goes on.
import { freshness } from "../core/artifact.ts";
import type { Job } from "../core/parts.ts";
import { decide } from "../core/protocol.ts";
import type { Run, Task, TaskStatus } from "../core/run.ts";
import { statuses } from "../core/run.ts";
import { statusOf } from "../core/task.ts";
import { elapsed } from "./amount.ts";
import { type Standing, standingOf, verifyingStands } from "./mission.ts";
import { oneLine } from "./safe.ts";
import { sessionFields } from "./session.ts";
import { cells, cut } from "./width.ts";

export function statusDocument(run: Run, { stopFile }: { readonly stopFile: boolean }) {
  const { halt, usage } = run;
  return {
    run: run.id,
    protocol: run.protocolName,
    phase: run.phase,
    position: run.position,
    target_dir: run.targetDir,
    tasks: { ...run.counts },
    unverified: run.unverified,
    ready: [...run.tasks.ready()],
    running: [...run.running],
    halt: halt
      ? { reason: halt.reason, code: halt.code, requested_at: halt.requestedAt, by: halt.by }
      : stopFile
        ? { reason: "stop_file", code: "stop_file", requested_at: null, by: "operator" }
        : null,
    questions: run.questions
      .filter((question) => question.answer === null)
      .map(({ id, text, options }) => ({ id, text, options })),
    usage: {
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      cost_usd: usage.costUsd,
      unknown_costs: usage.unknownCosts,
    },
    job: run.job ? { role: run.job.role, stage: run.job.stage, attempt: run.job.attempt } : null,
    unconfined: run.metadata.unconfined === true,
    ...(run.protocolName === "mission" && { session: sessionFields(run), standing: standingOf(run) }),
    orchestrator: run.holder ? { pid: run.holder.pid, host: run.holder.host, epoch: run.epoch } : null,
  };
}

export interface Look {
  readonly stopFile: boolean;
  readonly width: number;
  readonly color: boolean;
  /** Wall clock, only to show how long something has been going on. */
  readonly nowMs: number;
}

const glyphs: Readonly<Record<TaskStatus, string>> = {
  pending: "○",
  running: "●",
  complete: "✓",
  failed: "✗",
  blocked: "⊘",
  skipped: "⊖",
};
const colors: Readonly<Record<TaskStatus, number>> = {
  pending: 2,
  running: 36,
  complete: 32,
  failed: 31,
  blocked: 33,
  skipped: 2,
};

const shownPerStatus = 12;

export function statusText(run: Run, look: Look): string {
  const sections = [
    header(run, look),
    haltLines(run, look),
    progress(run, look),
    taskLines(run, look),
    notes(run),
  ];
  return sections.flatMap((lines) => lines.map((line) => cut(line, look.width))).join("\n");
}

function header(run: Run, look: Look): string[] {
  return [
    `${paint(run.id, 1, look)}  ${run.protocolName} for ${oneLine(run.targetDir)}`,
    phaseLine(run, look),
  ];
}

/** Of phases that do not fit, those around the present one are shown. */
export function phaseLine(run: Run, look: Pick<Look, "width" | "color">): string {
  const onTheWay = run.protocol.phases.filter(
    ({ name, optional }) => !optional || name === run.phase || run.completedPhases.includes(name),
  );
  const phases = onTheWay.map(({ name }) => {
    if (name === run.phase) return paint(`[${name}]`, 1, look);
    return run.completedPhases.includes(name) ? name : paint(name, 2, look);
  });
  const line = (from: number) => `${from > 0 ? "… › " : ""}${phases.slice(from).join(" › ")}`;
  const present = onTheWay.findIndex(({ name }) => name === run.phase);
  const ends = (from: number) =>
    cells(`${from > 0 ? "… › " : ""}${phases.slice(from, present + 1).join(" › ")}`) + 4;
  let from = 0;
  while (from < present && ends(from) > look.width) from++;
  return line(from);
}

function haltLines(run: Run, look: Look): string[] {
  const reason = run.halt?.reason ?? (look.stopFile ? "a STOP file is there" : undefined);
  const way = run.halt?.code === "budget" ? "heddle resume --budget <usd> goes on" : "heddle resume goes on";
  const open = run.questions.filter((question) => question.answer === null);
  return [
    ...(reason === undefined || (run.halt && standsForItself(run))
      ? []
      : [paint(`HALTED: ${oneLine(reason)}`, 33, look), `  ${way}`]),
    ...open.map((question) => paint(questionLine(question), 36, look)),
  ];
}

function questionLine({ id, text, options }: Run["questions"][number]): string {
  const choices = options.length > 0 ? ` [${options.map(oneLine).join(" | ")}]` : "";
  return `? ${oneLine(text)}${choices}  (heddle answer ${oneLine(id)} "<text>")`;
}

function progress(run: Run, look: Look): string[] {
  const { counts, tasks, job } = run;
  const role = job ? roleLines(run, job, look) : [];
  if (tasks.size === 0) return job || !run.protocol.graph ? role : ["no tasks yet"];
  const width = Math.max(10, Math.min(40, look.width - 40));
  const done = counts.complete + counts.skipped;
  const filled = Math.round((done / tasks.size) * width);
  const bar = "█".repeat(filled) + paint("░".repeat(width - filled), 2, look);
  const parts = statuses
    .filter((status) => counts[status] > 0)
    .map((status) => `${counts[status]} ${status}`);
  return [...role, `${bar} ${done}/${tasks.size}`, parts.join(" · ")];
}

/** Why it is at work again, if it is. */
function roleLines({ jobs }: Run, { role, stage, attempt }: Job, look: Look): string[] {
  const [before] = jobs[role]?.problems ?? [];
  return [
    `  ${paint(glyphs.running, colors.running, look)} ${role}  ${stage}, attempt ${attempt}`,
    ...(before === undefined ? [] : [paint(`    because of the one before: ${oneLine(before)}`, 2, look)]),
  ];
}

function taskLines(run: Run, look: Look): string[] {
  const notable = run.tasks.notable();
  const small = run.tasks.size <= 24;
  const shown = small ? [...run.tasks.all()].sort((a, b) => (a.def.id < b.def.id ? -1 : 1)) : notable;
  if (small) return shown.map((task) => taskLine(run, task, look));
  return statuses.flatMap((status) => {
    const those = shown.filter((task) => statusOf(task) === status);
    const more = those.length - shownPerStatus;
    const lines = those.slice(0, shownPerStatus).map((task) => taskLine(run, task, look));
    return more > 0 ? [...lines, `    … and ${more} more ${status}`] : lines;
  });
}

function taskLine({ runMs }: Run, task: Task, look: Look): string {
  const status = statusOf(task);
  const { id, name } = task.def;
  const waits = status === "pending" && task.notBeforeMs > runMs ? `  waits: heddle why ${id}` : "";
  return `  ${paint(glyphs[status], colors[status], look)} ${id}  ${oneLine(name)}${paint(detail(task, look) + waits, 2, look)}`;
}

function detail(task: Task, { nowMs }: Look): string {
  const status = statusOf(task);
  const attempt = task.attempts > 1 ? `  attempt ${task.attempts}` : "";
  if (status === "running") return `${attempt}  ${elapsed(nowMs - Date.parse(task.startedAt ?? ""))}`;
  if (task.failure && status !== "complete")
    return `${attempt}  ${task.failure.category}: ${oneLine(task.failure.error)}`;
  if (status === "complete" && task.done !== "verified") return `${attempt}  unverified`;
  if (status === "skipped") return `  ${oneLine(task.skipReason ?? "")}`;
  return attempt;
}

function notes(run: Run): string[] {
  const { inputTokens, outputTokens, costUsd, unknownCosts } = run.usage;
  const lines: string[] = [];
  if (run.metadata.unconfined === true) lines.push("UNCONFINED: agents run without a sandbox");
  if (run.unverified > 0)
    lines.push(`${run.unverified} complete on a host's word alone: heddle has not verified them`);
  if (inputTokens + outputTokens > 0 || costUsd > 0 || unknownCosts > 0) {
    const cost =
      unknownCosts > 0
        ? `at least $${costUsd.toFixed(2)} (${unknownCosts} call${unknownCosts === 1 ? "" : "s"} of unknown cost)`
        : `$${costUsd.toFixed(2)}`;
    lines.push(`${(inputTokens + outputTokens).toLocaleString("en-US")} tokens, ${cost}`);
  }
  const judged = freshness("task_validation", { run, request: null, digests: {} });
  if (judged === "stale" && (run.phase === "sequencing" || run.phase === "ready"))
    lines.push("the tasks changed since they were judged: heddle verify-plan");
  const { rule } = decide(run.protocol, { run, request: null, digests: {} });
  const standing = standsForItself(run) ? standingOf(run) : verifyingStands(run);
  if (standing) lines.push(...standingLines(standing));
  else if (rule) lines.push(`next: ${rule.name}`);
  return lines;
}

/** A mission that nobody drives says in one place where it stands, and in one way what goes on. */
const standsForItself = ({ protocolName, holder }: Run) => protocolName === "mission" && !holder;

/** Why it stands still, and what goes on (M9). */
function standingLines({ code, message, hint }: Standing): string[] {
  return [`${code}: ${oneLine(message).slice(0, 1000)}`, `  hint: ${oneLine(hint)}`];
}

export function paint(text: string, code: number, { color }: Pick<Look, "color">): string {
  return color ? `\u001b[${code}m${text}\u001b[0m` : text;
}

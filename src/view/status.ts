// The room of what people and programs read: pure functions from a run to text and JSON. It reads no file and no clock;
// `hint.ts` alone makes a hint something to type.
//
// Where a run stands: as a document for programs, as a page for people, and as one calm screen while it goes on.

import { becauseOf, freshness } from "../core/artifact.ts";
import { baselineSentences, effectOfBaseline, isBaselineDue } from "../core/baseline.ts";
import { joined, toCall } from "../core/hint.ts";
import { afterHalt, goOnHint, type Idle, idleSentence } from "../core/idle.ts";
import { machineLines } from "../core/machines/placement.ts";
import { decide, type Rule, type Standing } from "../core/protocol.ts";
import type { Run, Task, TaskStatus } from "../core/run.ts";
import { statuses } from "../core/run.ts";
import type { Job } from "../core/run-parts.ts";
import { commandOf } from "../core/steps/phase.ts";
import { isUnproven, openQuestions, statusOf } from "../core/task.ts";
import { verifyingStands } from "../protocols/verification.ts";
import { elapsed } from "./amount.ts";
import { hintText, type Manner } from "./hint.ts";
import { askerOf, questionText } from "./question.ts";
import { oneLine } from "./safe.ts";
import { cells, cut } from "./width.ts";

export function statusDocument(
  run: Run,
  {
    stopFile,
    idle,
    standingBy = [],
  }: {
    readonly stopFile: boolean;
    readonly idle?: Idle | undefined;
    readonly standingBy?: readonly { readonly pid: number; readonly host: string }[];
  },
) {
  const { halt, usage } = run;
  const { session, standing } = run.protocol.own ?? {};
  const isGone = idle !== undefined && standing?.(run).code === "working";
  return {
    run: run.id,
    protocol: run.protocolName,
    phase: run.phase,
    position: run.position,
    target_dir: run.targetDir,
    tasks: countsOf(run),
    unverified: run.unverified,
    ...(run.tasks.size <= fewTasks && { unproven: unprovenIn(run) }),
    ready: [...run.tasks.ready()],
    running: [...run.running],
    ...(run.fleet && { machines: machinesIn(run) }),
    halt: halt
      ? { reason: halt.reason, code: halt.code, requested_at: halt.requestedAt, by: halt.by }
      : stopFile
        ? { reason: "stop_file", code: "stop_file", requested_at: null, by: "operator" }
        : null,
    questions: openQuestions(run).map((question) => ({
      ...{ id: question.id, text: question.text, options: question.options },
      asked_by: askerOf(run, question),
    })),
    usage: {
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      cost_usd: usage.costUsd,
      unknown_costs: usage.unknownCosts,
    },
    job: run.job ? { role: run.job.role, stage: run.job.stage, attempt: run.job.attempt } : null,
    because: [...because(run)],
    unconfined: run.metadata.unconfined === true,
    open_network: run.metadata.openNetwork === true,
    baseline: run.baseline ? { ...run.baseline } : null,
    ...(session && { session: { ...session(run), ...(isGone && { status: "interrupted" }) } }),
    ...(standing && { standing: isGone ? goneStanding(run, idle) : standing(run) }),
    orchestrator:
      run.holder && !idle ? { pid: run.holder.pid, host: run.holder.host, epoch: run.epoch } : null,
    standing_by: standingBy.map(({ pid, host }) => ({ pid, host })),
    idle: idle ? { ...idle, go_on: hintText(goOnHint(run)) } : null,
  };
}

/** Which machines there are beside this one, and what each works on. */
function machinesIn(run: Run) {
  return (run.fleet?.machines ?? []).map(({ name, slots, labels, standing, reason, agents }) => ({
    ...{ name, slots, labels, standing, reason: reason === "" ? null : reason, agents: agents ?? null },
    running: run.running.filter((id) => run.tasks.get(id)?.attempt?.machine === name),
  }));
}

/** It would go on, and nobody is there to do it: the last word that was written does not know that (M12). */
function goneStanding(run: Run, idle: Idle): Standing {
  return { code: "orchestrator_gone", message: idleSentence(idle), hint: goOnHint(run) };
}

/** Up to so many tasks are looked at one by one. */
const fewTasks = 1000;

const unprovenIn = (run: Run) => [...run.tasks.all()].filter(isUnproven).map(({ def }) => def.id);

/** What the documents say that decide where it goes next (L15). */
function because(run: Run): readonly string[] {
  const { rule, saw } = decide(run.protocol, { run, request: null, digests: {} });
  return rule ? becauseOf(run, rule, saw) : [];
}

export interface Look {
  readonly stopFile: boolean;
  readonly width: number;
  readonly color: boolean;
  /** Wall clock, only to show how long something has been going on. */
  readonly nowMs: number;
  /** Nobody works on it: what looks as if it ran does not. */
  readonly idle?: Idle | undefined;
  /** Who coordinates it, and who stands by: a sentence. */
  readonly coordinated?: string | undefined;
  /** How commands are called where it is read. */
  readonly manner?: Manner;
  /** Of failed tasks: what their red checks printed last. */
  readonly words?: ReadonlyMap<string, readonly string[]>;
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
    idleLines(run, look),
    haltLines(run, look),
    progress(run, look),
    earlierLines(run, look),
    taskLines(run, look),
    notes(run, look),
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
  const { phases: all, graph } = run.protocol;
  // A list of tasks is not planned: its run begins where plans are ready.
  const first = run.vars.way === "list" ? all.findIndex(({ name }) => name === graph?.opens) : 0;
  const onTheWay = all
    .slice(Math.max(0, first))
    .filter(({ name, optional }) => !optional || name === run.phase || run.completedPhases.includes(name));
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

/** From the hold, not from the last word (X26). */
function idleLines(run: Run, { idle, coordinated, ...look }: Look): string[] {
  if (!idle) return coordinated === undefined ? [] : [paint(oneLine(coordinated), 2, look)];
  const told = run.halt ? [] : [`  to continue: ${hintText(goOnHint(run), look.manner)}`];
  const by = coordinated === undefined ? [] : [oneLine(coordinated)];
  return [paint(idleSentence(idle), 33, look), ...by, ...told];
}

function haltLines(run: Run, look: Look): string[] {
  const reason = run.halt?.reason ?? (look.stopFile ? "there is a STOP file" : undefined);
  const way = hintText(
    joined("to continue: ", afterHalt(run, run.halt ?? { code: "stop_file" })),
    look.manner,
  );
  const open = openQuestions(run);
  return [
    ...(reason === undefined || (run.halt && standingFor(run) !== undefined)
      ? []
      : [paint(`HALTED: ${oneLine(reason)}`, 33, look), `  ${way}`]),
    ...open.map((question) => paint(questionLine(run, question, look), 36, look)),
  ];
}

function questionLine(run: Run, question: Run["questions"][number], { manner }: Look): string {
  const { id, options } = question;
  const choices = options.length > 0 ? ` [${options.map(oneLine).join(" | ")}]` : "";
  return `? ${oneLine(questionText(run, question))}${choices}  (${oneLine(hintText({ do: "answer", question: id }, manner))})`;
}

function progress(run: Run, look: Look): string[] {
  const { tasks, job } = run;
  const counts = countsOf(run);
  const role = job ? roleLines(run, job, look) : baselineLines(run, look);
  if (tasks.size === 0) return job || !run.protocol.graph ? role : ["no tasks yet"];
  const width = Math.max(10, Math.min(40, look.width - 40));
  const size = statuses.reduce((sum, status) => sum + counts[status], 0);
  const filled = Math.round(((counts.complete + counts.skipped) / size) * width);
  const bar = "█".repeat(filled) + paint("░".repeat(width - filled), 2, look);
  const parts = statuses
    .filter((status) => counts[status] > 0)
    .map((status) => `${counts[status]} ${status}`);
  return [...role, `${bar} ${counts.complete}/${size}`, parts.join(" · ")];
}

/** With what was done under plans that others replaced (M11). */
export function countsOf(run: Run): Record<TaskStatus, number> {
  const counts = { ...run.counts };
  for (const { state } of run.protocol.own?.earlier?.(run) ?? []) counts[state]++;
  return counts;
}

/** Before the first attempt nobody works, and yet something goes on. */
export function baselineLines(run: Run, look: Pick<Look, "color">): string[] {
  const base = isBaselineDue(run) ? effectOfBaseline(run) : undefined;
  if (!base) return [];
  const about = `the base ${base.commit.slice(0, 12)}: set-up, the project's tests and every acceptance command`;
  return [`  ${paint(glyphs.running, colors.running, look)} checking ${about}`];
}

/** Why it is at work again, if it is. */
function roleLines({ jobs }: Run, { role, stage, attempt }: Job, look: Look): string[] {
  const [before] = jobs[role]?.problems ?? [];
  return [
    `  ${paint(glyphs.running, colors.running, look)} ${role}  ${stage}, attempt ${attempt}`,
    ...(before === undefined ? [] : [paint(`    because of the one before: ${oneLine(before)}`, 2, look)]),
  ];
}

/** What was done under earlier plans of the phase stands first, each with its plan. */
function earlierLines(run: Run, look: Look): string[] {
  const earlier = run.protocol.own?.earlier?.(run) ?? [];
  const lines = earlier.slice(-shownPerStatus).map(({ plan, id, name, state, reason }) => {
    const more = `  plan ${plan}${state === "skipped" ? `  ${oneLine(reason ?? "")}` : ""}`;
    return `  ${paint(glyphs[state], colors[state], look)} ${id}  ${oneLine(name)}${paint(more, 2, look)}`;
  });
  const left = earlier.length - lines.length;
  return left > 0 ? [`    … and ${left} more of earlier plans`, ...lines] : lines;
}

function taskLines(run: Run, look: Look): string[] {
  const notable = run.tasks.notable();
  const small = run.tasks.size <= 24;
  const shown = small ? [...run.tasks.all()].sort((a, b) => (a.def.id < b.def.id ? -1 : 1)) : notable;
  if (small) return shown.flatMap((task) => [taskLine(run, task, look), ...wordLines(task, look)]);
  return statuses.flatMap((status) => {
    const those = shown.filter((task) => statusOf(task) === status);
    const more = those.length - shownPerStatus;
    const lines = those
      .slice(0, shownPerStatus)
      .flatMap((task) => [taskLine(run, task, look), ...wordLines(task, look)]);
    return more > 0 ? [...lines, `    … and ${more} more ${status}`] : lines;
  });
}

function wordLines({ def }: Task, look: Look): string[] {
  return (look.words?.get(def.id) ?? []).map((line) => paint(`      ${oneLine(line)}`, 2, look));
}

function taskLine({ runMs }: Run, task: Task, look: Look): string {
  const status = statusOf(task);
  const { id, name } = task.def;
  const waits =
    status === "pending" && task.notBeforeMs > runMs
      ? `  waits: ${hintText({ do: "why", task: id }, look.manner)}`
      : "";
  return `  ${paint(glyphs[status], colors[status], look)} ${id}  ${oneLine(name)}${paint(detail(task, look) + waits, 2, look)}`;
}

function detail(task: Task, { nowMs, idle }: Look): string {
  const status = statusOf(task);
  const attempt = task.attempts > 1 ? `  attempt ${task.attempts}` : "";
  if (status === "running" && idle && task.attempt?.driver === "engine") return `${attempt}  stands still`;
  const on = task.attempt?.machine === undefined ? "" : `  on ${task.attempt.machine}`;
  if (status === "running") return `${attempt}  ${elapsed(nowMs - Date.parse(task.startedAt ?? ""))}${on}`;
  if (task.failure && status !== "complete")
    return `${attempt}  ${task.failure.category}: ${oneLine(task.failure.error)}`;
  if (status === "complete" && task.done !== "verified") return `${attempt}  unverified`;
  if (status === "complete" && isUnproven(task))
    return `${attempt}  its checks were green before it: they prove nothing`;
  if (status === "skipped") return `  ${oneLine(task.skipReason ?? "")}`;
  return attempt;
}

function notes(run: Run, look: Pick<Look, "manner" | "idle">): string[] {
  const { inputTokens, outputTokens, costUsd, unknownCosts } = run.usage;
  const lines: string[] = [];
  if (run.metadata.unconfined === true) lines.push("UNCONFINED: agents run without a sandbox");
  else if (run.metadata.openNetwork === true)
    lines.push("OPEN NETWORK: agents reach everything that this machine reaches, and hold their keys");
  if (run.unverified > 0)
    lines.push(`${run.unverified} complete and not verified: no check of heddle's ran on them`);
  lines.push(...baselineSentences(run));
  if (run.holder) lines.push(...machineLines(run).map(oneLine));
  if (inputTokens + outputTokens > 0 || costUsd > 0 || unknownCosts > 0) {
    const cost =
      unknownCosts > 0
        ? `at least $${costUsd.toFixed(2)} (${unknownCosts} call${unknownCosts === 1 ? "" : "s"} of unknown cost)`
        : `$${costUsd.toFixed(2)}`;
    lines.push(`${(inputTokens + outputTokens).toLocaleString("en-US")} tokens, ${cost}`);
  }
  const judged = freshness("task_validation", { run, request: null, digests: {} });
  if (judged === "stale" && (run.phase === "sequencing" || run.phase === "ready"))
    lines.push(`the tasks changed since they were judged: ${hintText(toCall("verify-plan"), look.manner)}`);
  const { rule, saw } = decide(run.protocol, { run, request: null, digests: {} });
  const standing = standingFor(run) ?? verifyingStands(run);
  if (standing) lines.push(...standingLines(standing, look));
  else if (rule && !(run.halt && rule.then.kind === "tasks")) {
    lines.push(`next: ${nextOf(run, rule, look)}`);
    lines.push(...becauseOf(run, rule, saw).map((line) => `  ${oneLine(line)}`));
  }
  return lines;
}

/** What to type, where tasks are left and nobody works on them; a halt says its own way on. */
function nextOf(run: Run, { name, then }: Rule, { manner, idle }: Pick<Look, "manner" | "idle">): string {
  if (then.kind !== "tasks") return name;
  const left = run.counts.pending + run.counts.running;
  const tasks = `${left} task${left === 1 ? "" : "s"} left`;
  return run.holder && !idle ? tasks : `${hintText(commandOf(run), manner)} (${tasks})`;
}

/** Where a run has words of its own for that, and nobody drives it, they are the one place that says how it goes on. */
function standingFor(run: Run): Standing | undefined {
  return run.holder ? undefined : run.protocol.own?.standing?.(run);
}

/** Why it stands still, and what goes on (M9). */
function standingLines({ code, message, hint }: Standing, { manner }: Pick<Look, "manner">): string[] {
  return [`${code}: ${oneLine(message).slice(0, 1000)}`, `  hint: ${oneLine(hintText(hint, manner))}`];
}

export function paint(text: string, code: number, { color }: Pick<Look, "color">): string {
  return color ? `\u001b[${code}m${text}\u001b[0m` : text;
}

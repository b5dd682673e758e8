// A run while it goes on, as one screen: how far it is, who works on what, and what waits for whom. Pure: state, what the
// agents said last and the time go in, lines that fit the window come out (X18).
import { type Run, type Task, type TaskId, taskOf } from "../../core/run.ts";
import { asksSomething } from "../../core/steps/job.ts";
import { causesOf } from "../../core/steps/task.ts";
import { isReady, isSettled, statusOf } from "../../core/task.ts";
import { about, costSentence, elapsed, isUntold, tokens } from "../amount.ts";
import { oneLine } from "../safe.ts";
import { baselineLines, paint, phaseLine } from "../status.ts";
import { cut } from "../width.ts";
import { columnsFor, type Heard, headLine, type Row, rowOf, rowText } from "./live-row.ts";
import type { Seat } from "./seats.ts";

export interface LiveLook {
  readonly width: number;
  readonly height: number;
  readonly color: boolean;
  readonly nowMs: number;
  /** When this orchestrator began. */
  readonly sinceMs: number;
  readonly leftMs: number | null;
}

export interface LiveInputs {
  readonly seats: readonly Seat[];
  readonly heard: ReadonlyMap<TaskId, Heard>;
  readonly look: LiveLook;
  /** What a red check of a task printed last: those that are tried again, or failed. */
  readonly words?: (task: Task) => readonly string[];
}

export function liveLines(run: Run, { seats, heard, look, words }: LiveInputs): string[] {
  const head = [titleLine(run, look), ...progressLines(run, look)];
  const foot = [...waitingLines(run, look), ...redLines(run, look, words), ...urgentLines(run, look)];
  const room = Math.max(3, look.height - head.length - foot.length);
  const rows = seats.map((seat) => rowOf(run, seat, { heard, nowMs: look.nowMs }));
  const lines = [...head, ...jobLines(run, { heard, look }), ...tableLines(rows, look, room), ...foot];
  return lines.slice(0, look.height).map((line) => cut(line, look.width));
}

function titleLine(run: Run, look: LiveLook): string {
  const many = run.slots === 1 ? "1 executor" : `${run.slots} executors`;
  const spans = [paint(run.id, 1, look), run.phase, many, elapsed(look.nowMs - look.sinceMs)];
  // First, so that no window is too narrow for it.
  const { unconfined, openNetwork } = run.metadata;
  const word = unconfined === true ? "UNCONFINED" : openNetwork === true ? "OPEN NETWORK" : undefined;
  const warning = word === undefined ? "" : `${paint(word, 31, look)}  `;
  return `${warning}${spans.join(" · ")}`;
}

function progressLines(run: Run, look: LiveLook): string[] {
  const { counts, tasks, usage, policy } = run;
  const money = isUntold(usage)
    ? "no cost reported yet"
    : `${costSentence(usage, policy.runBudgetUsd)}, ${tokens(usage.inputTokens + usage.outputTokens)} tokens`;
  if (tasks.size === 0) return [phaseLine(run, look), paint(money, 2, look), ""];
  const done = counts.complete + counts.skipped;
  const width = Math.max(8, Math.min(40, look.width - 44));
  const filled = Math.floor((done / tasks.size) * width);
  const bar = `${paint("█".repeat(filled), 32, look)}${paint("░".repeat(width - filled), 2, look)}`;
  const left = look.leftMs === null ? "" : `  ${about(look.leftMs)} left`;
  const parts = (["running", "pending", "failed", "blocked", "skipped"] as const)
    .filter((status) => counts[status] > 0)
    .map((status) => `${counts[status]} ${status === "pending" ? "waiting" : status}`);
  const unsure = run.unverified > 0 ? [`${run.unverified} unverified`] : [];
  const counted = [...parts, ...unsure].join(" · ");
  const shown =
    look.width < 90 ? [counted, paint(money, 2, look)] : [`${counted} · ${paint(money, 2, look)}`];
  return [`${bar} ${done}/${tasks.size} done${left}`, ...shown, ""];
}

/** A role at work, while a plan is made. */
function jobLines(run: Run, { heard, look }: Pick<LiveInputs, "heard" | "look">): string[] {
  const { job } = run;
  if (!job) return baselineLines(run, look);
  const said = oneLine(heard.get(job.role)?.action ?? "");
  const line = `${paint("●", 36, look)} ${job.role}  ${job.stage}, attempt ${job.attempt}`;
  return [line, ...(said === "" ? [] : [paint(`  ${said}`, 2, look)])];
}

const marks: { readonly [M in Row["mark"]]: readonly [string, number] } = {
  running: ["●", 36],
  waiting: ["◌", 36],
  done: ["✓", 32],
  again: ["↻", 33],
  failed: ["✗", 31],
};

function tableLines(rows: readonly Row[], look: LiveLook, room: number): string[] {
  if (rows.length === 0) return [];
  const columns = columnsFor(rows, look.width);
  const fits = rows.length + 1 <= room ? rows.length : Math.max(1, room - 2);
  const shown = rows.slice(0, fits).map((row) => {
    const [glyph, color] = marks[row.mark];
    const text = rowText(row, columns);
    const isOver = row.mark === "done" || row.mark === "again" || row.mark === "failed";
    return `${paint(glyph, color, look)} ${isOver ? paint(text, 2, look) : text}`;
  });
  const hidden = rows.slice(fits);
  return [
    paint(headLine(columns), 2, look),
    ...shown,
    ...(hidden.length > 0 ? [`… and ${hidden.length} more: ${byStage(hidden)}`] : []),
  ];
}

function byStage(rows: readonly Row[]): string {
  const counts = new Map<string, number>();
  for (const { stage } of rows) counts.set(stage, (counts.get(stage) ?? 0) + 1);
  return [...counts].map(([stage, count]) => `${count} ${stage}`).join(", ");
}

const named = 40;

/** One line each: what could start, what waits for whom, what cannot go on, what failed. */
function waitingLines(run: Run, look: LiveLook): string[] {
  const ready = run.tasks
    .ready(named)
    .filter((id) => !asksSomething(run, id))
    .map((id) => taskOf(run, id));
  const next = ready.filter((task) => task.failure === null).map(({ def }) => oneLine(def.id));
  const again = ready
    .filter((task) => task.failure !== null)
    .map(({ def, failure }) => `${oneLine(def.id)} (${failure?.category})`);
  const notable = run.tasks.notable();
  const failed = notable
    .filter(({ state }) => state === "failed")
    .map(({ def, failure }) => `${oneLine(def.id)} (${failure?.category}: ${oneLine(failure?.error ?? "")})`);
  const blocked = notable.filter((task) => statusOf(task) === "blocked");
  const held = blocked
    .slice(0, named)
    .map((task) => `${oneLine(task.def.id)} by ${causesOf(run, task).map(idOf).slice(0, 2).join(", ")}`);
  const waits = waitingFor(run).map(({ task, on }) => `${oneLine(task.def.id)} for ${on.join(", ")}`);
  const rest = run.counts.pending - ready.length;
  const lines = [
    listed("next", next, { all: next.length, look, color: 2 }),
    listed("again", again, { all: again.length, look, color: 33 }),
    listed("waits", waits, { all: rest, look, color: 2 }),
    listed("blocked", held, { all: blocked.length, look, color: 33 }),
    listed("failed", failed, { all: failed.length, look, color: 31 }),
  ].flat();
  return lines.length > 0 ? ["", ...lines] : [];
}

const idOf = ({ def }: Task) => oneLine(def.id);

/** Of a large plan only those that what runs now will set free. */
function waitingFor(run: Run): { task: Task; on: string[] }[] {
  const found = new Map<TaskId, { task: Task; on: string[] }>();
  for (const id of [...run.running, ...run.tasks.ready(named)]) {
    for (const dependent of taskOf(run, id).dependents) {
      if (found.size >= named || found.has(dependent)) continue;
      const task = taskOf(run, dependent);
      if (statusOf(task) !== "pending" || isReady(task)) continue;
      const open = task.def.dependsOn.map((each) => taskOf(run, each)).filter((each) => !isSettled(each));
      found.set(dependent, { task, on: open.slice(0, 3).map(idOf) });
    }
  }
  return [...found.values()];
}

interface Listing {
  readonly all: number;
  readonly look: LiveLook;
  readonly color: number;
}

/** As many as fit on the line, and how many there are besides. */
function listed(word: string, items: readonly string[], { all, look, color }: Listing): string[] {
  if (all <= 0) return [];
  const room = look.width - 9 - 11;
  let [text, count] = ["", 0];
  for (const item of items) {
    const longer = text === "" ? item : `${text} · ${item}`;
    if (longer.length > room && count > 0) break;
    [text, count] = [longer, count + 1];
  }
  const more = all - count;
  const tail = more <= 0 ? "" : count === 0 ? `${more} tasks` : ` · ${more} more`;
  return [
    `${paint(word.padEnd(8), color, look)} ${cut(text, Math.max(4, look.width - 9 - tail.length))}${tail}`,
  ];
}

/** The last failure, as its command printed it; on a low window there is no room for it. */
function redLines(run: Run, look: LiveLook, words: LiveInputs["words"]): string[] {
  if (!words || look.height < 16) return [];
  const failed = [...run.tasks.notable(), ...run.tasks.ready(named).map((id) => taskOf(run, id))]
    .filter(({ failure, state }) => failure !== null && state !== "running")
    .sort((a, b) => Date.parse(b.startedAt ?? "") - Date.parse(a.startedAt ?? ""));
  for (const task of failed.slice(0, 3)) {
    const lines = words(task).slice(-4);
    if (lines.length > 0)
      return [
        paint(`${idOf(task)} printed last`, 33, look),
        ...lines.map((line) => paint(`  ${oneLine(line)}`, 2, look)),
      ];
  }
  return [];
}

function urgentLines(run: Run, look: LiveLook): string[] {
  const { halt } = run;
  const going = run.running.length > 0 && !halt?.now ? " (what runs may finish; Ctrl-C again ends it)" : "";
  const open = run.questions.filter((question) => question.answer === null);
  return [
    ...(halt ? [paint(`HALTED: ${oneLine(halt.reason)}${going}`, 33, look)] : []),
    ...open
      .slice(0, 3)
      .map(({ id, text }) => paint(`? ${oneLine(text)}  heddle answer ${oneLine(id)} "…"`, 36, look)),
    ...(open.length > 3 ? [paint(`? ${open.length - 3} more questions: heddle status`, 36, look)] : []),
  ];
}

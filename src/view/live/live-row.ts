// One row of the live table, and which columns fit. Columns have fixed widths, so that nothing moves from frame to frame;
// on a narrow window the less telling ones go first.
import { isWaiting } from "../../core/queue.ts";
import type { Run, Stage, Task, TaskId } from "../../core/run.ts";
import { cost, elapsed, tokens, usd } from "../amount.ts";
import { oneLine, withoutEscapes } from "../safe.ts";
import { padded } from "../width.ts";
import { isSeated, type Seat } from "./seats.ts";

/** What an attempt's agent told last, and what it used since it began. */
export interface Heard {
  readonly agent: string;
  readonly attempt: number;
  readonly action: string;
  readonly tokens: number;
  readonly costUsd: number;
  readonly unknownCosts: number;
}

export interface Row {
  readonly mark: "running" | "waiting" | "done" | "again" | "failed";
  readonly task: string;
  readonly name: string;
  readonly stage: string;
  readonly attempt: string;
  readonly agent: string;
  /** Another machine, where it is worked on there. */
  readonly on: string;
  readonly time: string;
  readonly tokens: string;
  readonly cost: string;
  readonly last: string;
}

const sayings: { readonly [S in Stage]: (task: Task) => string } = {
  preparing: () => "its workspace is made",
  working: () => "",
  repairing: () => "fixing its result",
  checking: ({ def }) =>
    `${def.criteria.length} acceptance command${def.criteria.length === 1 ? " runs" : "s run"}`,
  reviewing: () => "another agent judges it",
  integrating: () => "is being merged",
};

export interface RowInputs {
  readonly heard: ReadonlyMap<TaskId, Heard>;
  readonly nowMs: number;
}

export function rowOf(run: Run, seat: Seat, { heard, nowMs }: RowInputs): Row {
  const task = run.tasks.get(seat.task);
  const said = heard.get(seat.task);
  const own = said?.attempt === seat.attempt ? said : undefined;
  const spent = own ?? { tokens: 0, costUsd: 0, unknownCosts: 0 };
  const used = own !== undefined && (spent.tokens > 0 || spent.costUsd > 0 || spent.unknownCosts > 0);
  return {
    task: oneLine(seat.task),
    name: oneLine(task?.def.name ?? ""),
    attempt: triesOf(run, seat, task),
    agent: oneLine(own?.agent ?? ""),
    on: task?.attempt?.machine ?? task?.machine ?? "",
    tokens: used ? tokens(spent.tokens) : "",
    cost: used ? `${cost(spent)}/${usd(run.policy.taskBudgetUsd).replace(".00", "")}` : "",
    ...(task && isSeated(run, seat) ? running(run, task, { own, nowMs }) : over(run, task)),
  };
}

/** Of how many: those before a person said retry do not count, nor those that no agent could help. */
function triesOf(run: Run, { attempt }: Seat, task: Task | undefined): string {
  const before = task?.state === "running" ? attempt - task.tries : 0;
  return `${attempt}/${Math.max(attempt, before + run.policy.attempts)}`;
}

type Now = Pick<Row, "mark" | "stage" | "time" | "last">;

function running(run: Run, task: Task, { own, nowMs }: { own: Heard | undefined; nowMs: number }): Now {
  const stage = task.attempt?.stage ?? "working";
  const waits = isWaiting(run, task);
  const before = run.queue.slice(0, run.queue.indexOf(task.def.id));
  const doing = waits ? `merged after ${before.slice(-2).join(", ")}` : sayings[stage](task);
  return {
    mark: waits ? "waiting" : "running",
    stage: waits ? "verified" : stage,
    time: elapsed(nowMs - Date.parse(task.startedAt ?? "")),
    last: doing === "" ? oneLine(withoutEscapes(own?.action ?? "")) : doing,
  };
}

function over(run: Run, task: Task | undefined): Now {
  if (!task) return { mark: "failed", stage: "dropped", time: "", last: "" };
  const { state, failure, startedAt, completedAt, commit } = task;
  const time = startedAt && completedAt ? elapsed(Date.parse(completedAt) - Date.parse(startedAt)) : "";
  const why = failure ? `${failure.category}: ${oneLine(failure.error)}` : "";
  switch (state) {
    case "complete":
      return { mark: "done", stage: "done", time, last: commit ? `merged as ${commit.slice(0, 7)}` : "" };
    case "failed":
      return { mark: "failed", stage: "failed", time, last: why };
    case "skipped":
      return { mark: "done", stage: "skipped", time, last: oneLine(task.skipReason ?? "") };
    default: {
      const asks = run.questions.find(({ about, answer }) => about === task.def.id && answer === null);
      if (asks) return { mark: "again", stage: "asks", time: "", last: oneLine(asks.text) };
      return { mark: "again", stage: "retrying", time: "", last: why };
    }
  }
}

type Name = Exclude<keyof Row, "mark">;

interface Column {
  readonly name: Name;
  readonly head: string;
  readonly width: number;
  readonly side?: "right";
}

/** The order in which they go when there is no room. */
const dispensable: readonly Name[] = ["agent", "tokens", "cost", "last", "on", "attempt", "name", "time"];

const widest = (rows: readonly Row[], name: Name, most: number) =>
  Math.min(most, Math.max(4, ...rows.map((row) => row[name].length)));

export function columnsFor(rows: readonly Row[], width: number): readonly Column[] {
  const all: Column[] = [
    { name: "task", head: "TASK", width: widest(rows, "task", 10) },
    { name: "name", head: "NAME", width: 10 },
    { name: "stage", head: "STAGE", width: 11 },
    { name: "attempt", head: "TRY", width: 4 },
    { name: "agent", head: "AGENT", width: Math.max(8, widest(rows, "agent", 14)) },
    ...(rows.some(({ on }) => on !== "")
      ? [{ name: "on", head: "ON", width: widest(rows, "on", 14) } as const]
      : []),
    { name: "time", head: "TIME", width: 6, side: "right" },
    { name: "tokens", head: "TOKENS", width: 6, side: "right" },
    { name: "cost", head: "COST", width: 10, side: "right" },
    { name: "last", head: "LAST", width: 16 },
  ];
  let kept = all;
  const takes = () => 2 + kept.reduce((sum, column) => sum + column.width + 2, -2);
  for (const name of dispensable) {
    if (takes() <= width) break;
    kept = kept.filter((column) => column.name !== name);
  }
  const spare = Math.max(0, width - takes());
  const hasLast = kept.some(({ name }) => name === "last");
  const forName = Math.min(20, hasLast ? Math.floor(spare / 2) : spare);
  return kept.map((column) => {
    if (column.name === "name") return { ...column, width: column.width + forName };
    return column.name === "last" ? { ...column, width: column.width + spare - forName } : column;
  });
}

export function headLine(columns: readonly Column[]): string {
  return `  ${columns.map(({ head, width, side }) => padded(head, width, side)).join("  ")}`;
}

export function rowText(row: Row, columns: readonly Column[]): string {
  return columns
    .map(({ name, width, side }) => padded(row[name], width, side))
    .join("  ")
    .trimEnd();
}

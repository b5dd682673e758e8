// Attempts and roles as bars in time, one row for each that worked beside others, and the moments between: halts, merges, parking.
import type { Entry, Fact, FactKind } from "../core/fact.ts";
import type { Run } from "../core/run.ts";
import { lineOf } from "../view/activity.ts";
import type { Bar, TimelinePage } from "./model.ts";
import type { Told } from "./told.ts";

const marked: ReadonlySet<FactKind> = new Set<FactKind>([
  ...(["halt-requested", "resumed", "task-merged", "attempt-parked", "job-parked", "landed"] as const),
  ...(["epoch-claimed", "task-undone", "phase-entered", "baseline-checked", "question-asked"] as const),
]);

export const timelineKinds: readonly FactKind[] = [
  ...marked,
  ...(["task-started", "stage-entered", "task-completed", "attempt-failed", "task-failed"] as const),
  ...(["attempt-lost", "attempt-paused", "job-started", "job-stage-entered"] as const),
  ...(["job-completed", "job-failed", "usage-recorded"] as const),
];

type Draft = { -readonly [K in keyof Bar]: Bar[K] } & { agent: string | null };

export function timelinePage(run: Run, entries: readonly Entry[], { byTask }: Told): TimelinePage {
  const drawing = new Drawing(run);
  for (const entry of entries) drawing.take(entry);
  return {
    from: run.createdAt,
    to: run.updatedAt,
    seats: seatsOf(
      drawing.bars.map((bar) => ({ ...bar, agent: bar.agent ?? byTask.get(bar.task ?? "")?.agent ?? null })),
    ),
    marks: entries
      .filter(({ fact }) => marked.has(fact.kind))
      .map((entry) => ({ at: entry.at, kind: entry.fact.kind, text: lineOf(entry).message.slice(0, 300) })),
  };
}

class Drawing {
  readonly bars: Draft[] = [];
  readonly #run: Run;
  readonly #open = new Map<string, Draft>();

  constructor(run: Run) {
    this.#run = run;
  }

  take({ fact, at }: Entry): void {
    if (fact.kind === "task-started") this.#begin(fact.task, at, fact);
    else if (fact.kind === "job-started") this.#begin(fact.role, at, { task: null, attempt: fact.attempt });
    else if (fact.kind === "stage-entered") this.#enter(fact.task, fact.stage, at);
    else if (fact.kind === "job-stage-entered") this.#enter(fact.role, fact.stage, at);
    else if (fact.kind === "usage-recorded") this.#name(fact.task, fact.agent);
    else this.#end(fact, at);
  }

  #begin(key: string, at: string, { task, attempt }: Pick<Bar, "task" | "attempt">): void {
    // One that nobody ended: its orchestrator was killed, and the next one began anew.
    this.#close(key, at, "lost");
    const def = task === null ? undefined : this.#run.tasks.get(task)?.def;
    const first = task === null ? "working" : "preparing";
    const bar: Draft = {
      ...{
        task,
        attempt,
        label: def ? `${def.id} ${def.name}` : key,
        from: at,
        to: null,
        outcome: "running",
      },
      ...{ stages: [{ stage: first, from: at, to: null }], estimateHours: def?.estimateHours ?? null },
      agent: null,
    };
    this.#open.set(key, bar);
    this.bars.push(bar);
  }

  #enter(key: string, stage: string, at: string): void {
    const bar = this.#open.get(key);
    if (bar) bar.stages = [...endStage(bar, at), { stage, from: at, to: null }];
  }

  #name(task: string | null, agent: string): void {
    const bar = task === null ? this.bars.findLast((each) => each.task === null) : this.#open.get(task);
    if (bar) bar.agent = agent;
  }

  #end(fact: Fact, at: string): void {
    const outcome = outcomes[fact.kind];
    if (outcome === undefined) return;
    const key = "task" in fact ? fact.task : "role" in fact ? fact.role : undefined;
    if (typeof key === "string") this.#close(key, at, outcome);
  }

  #close(key: string, at: string, outcome: Bar["outcome"]): void {
    const bar = this.#open.get(key);
    if (!bar) return;
    Object.assign(bar, { to: at, outcome, stages: endStage(bar, at) });
    this.#open.delete(key);
  }
}

const endStage = ({ stages }: Pick<Bar, "stages">, at: string): Bar["stages"] =>
  stages.map((each) => (each.to === null ? { ...each, to: at } : each));

const outcomes: Partial<Record<FactKind, Bar["outcome"]>> = {
  "task-completed": "complete",
  "attempt-failed": "failed",
  "task-failed": "failed",
  "attempt-lost": "lost",
  "attempt-paused": "paused",
  "attempt-parked": "paused",
  "job-completed": "complete",
  "job-failed": "failed",
  "job-parked": "paused",
};

/** By executor, and of each executor as many rows as worked at once. */
function seatsOf(bars: readonly Draft[]): TimelinePage["seats"] {
  const seats: { name: string; until: string; bars: Bar[] }[] = [];
  for (const { agent, ...bar } of bars) {
    const name = agent ?? (bar.task === null ? "roles" : "executor");
    const free = seats.find((seat) => seat.name === name && seat.until <= bar.from);
    const until = bar.to ?? endless;
    if (free) {
      free.bars.push(bar);
      free.until = until;
    } else seats.push({ name, until, bars: [bar] });
  }
  const count = new Map<string, number>();
  return seats.map(({ name, bars: own }) => {
    const number = (count.get(name) ?? 0) + 1;
    count.set(name, number);
    return { name: number === 1 ? name : `${name} ${number}`, bars: own };
  });
}

/** After every time that is written down. */
const endless = "9999";

// Showing a run while it goes on: a table that is drawn over on a terminal, a line per event elsewhere (X18).

import type { AgentEvent } from "../../agents/agent.ts";
import { amount, sum } from "../../core/bounds.ts";
import type { Entry } from "../../core/fact.ts";
import type { Run, Task, TaskId } from "../../core/run.ts";
import type { App } from "../../engine/app.ts";
import type { Changed } from "../../engine/changed.ts";
import { aboutLeftMs } from "../../view/live/estimate.ts";
import { liveLines } from "../../view/live/live.ts";
import { eventLine } from "../../view/live/live-events.ts";
import type { Heard } from "../../view/live/live-row.ts";
import { type Seat, seated } from "../../view/live/seats.ts";
import { oneLine, withoutEscapes } from "../../view/safe.ts";
import { baselineLines } from "../../view/status.ts";
import { cut } from "../../view/width.ts";
import { lastWords, lastWordsText } from "../../work/evidence/last-words.ts";
import { type Call, isJson } from "../command.ts";
import { type Drawing, Screen } from "./screen.ts";
import { terminal } from "./terminal.ts";

export interface Live {
  readonly changed: Changed;
  readonly watch: (who: string, event: AgentEvent, agent?: string) => void;
  /** Waits until everything that happened is shown, and gives the terminal back. */
  readonly settle: () => Promise<void>;
}

export async function live(app: App, call: Pick<Call, "say" | "flags" | "screen">): Promise<Live> {
  return terminal().live && !isJson(call)
    ? new Table(call.screen?.() ?? new Screen())
    : inLines(app, call.say);
}

/** About eight frames a second at most, and one a second while nothing happens but time. */
const [frameMs, idleMs] = [125, 1000];
/** How often the estimate of the end is made anew: it looks at every task. */
const estimateMs = (tasks: number) => (tasks < 2000 ? 2000 : 30_000);

class Table implements Live {
  readonly #said = new Map<string, readonly string[]>();
  readonly #screen: Drawing;
  readonly #heard = new Map<string, Heard>();
  readonly #sinceMs = Date.now();
  #run: Run | undefined;
  #seats: readonly Seat[] = [];
  #left: { readonly atMs: number; readonly ms: number | null } = { atMs: 0, ms: null };
  #drawnMs = 0;
  #dueMs = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(screen: Drawing) {
    this.#screen = screen;
    process.stdout.on("resize", this.#resized);
    process.once("exit", this.#close);
  }

  readonly changed = (run: Run): undefined => {
    this.#run = run;
    this.#seats = seated(this.#seats, run);
    this.#soon();
  };

  readonly watch = (who: string, event: AgentEvent, agent = ""): void => {
    const attempt = this.#run?.tasks.get(who)?.attempts ?? 0;
    const known = this.#heard.get(who);
    const before = known?.attempt === attempt ? known : { ...nothing, agent, attempt };
    const now = heard(before, event);
    this.#heard.set(who, now);
    // That an agent has begun to speak is shown at once.
    if (before.action === "" && now.action !== "") this.#wait(0);
    else this.#soon();
  };

  readonly settle = async (): Promise<void> => {
    process.stdout.off("resize", this.#resized);
    process.off("exit", this.#close);
    this.#close();
  };

  readonly #close = () => {
    clearTimeout(this.#timer);
    this.#screen.close();
  };

  readonly #resized = () => {
    this.#screen.resized(terminal().width);
    this.#draw();
  };

  #soon(): void {
    this.#wait(Math.max(0, this.#drawnMs + frameMs - Date.now()));
  }

  /** The next frame comes no later than this. */
  #wait(ms: number): void {
    const dueMs = Date.now() + ms;
    if (dueMs >= this.#dueMs) return;
    this.#dueMs = dueMs;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#draw(), ms).unref();
  }

  /** Files are read once per failure, not once per frame. */
  readonly #words = ({ def, attempts, evidence }: Task): readonly string[] => {
    const key = `${def.id} ${attempts}`;
    const known = this.#said.get(key) ?? lastWordsText(lastWords(evidence, 3));
    this.#said.set(key, known);
    return known;
  };

  #draw(): void {
    const nowMs = Date.now();
    this.#dueMs = Number.POSITIVE_INFINITY;
    this.#drawnMs = nowMs;
    if (this.#run) this.#screen.draw(this.#lines(this.#run, nowMs));
    this.#wait(idleMs);
  }

  #lines(run: Run, nowMs: number): string[] {
    if (nowMs - this.#left.atMs >= estimateMs(run.tasks.size))
      this.#left = { atMs: nowMs, ms: aboutLeftMs(run, nowMs) };
    const { width, color } = terminal();
    // The last column stays free for what some terminals do at the edge.
    const look = {
      width: width - 1,
      height: this.#screen.height,
      color,
      nowMs,
      sinceMs: this.#sinceMs,
      leftMs: this.#left.ms,
    };
    return liveLines(run, { seats: this.#seats, heard: this.#heard, look, words: this.#words });
  }
}

const nothing = { action: "", tokens: 0, costUsd: 0, unknownCosts: 0 };

function heard(before: Heard, event: AgentEvent): Heard {
  if (event.kind !== "spent") return { ...before, action: spoken(event) ?? before.action };
  const { inputTokens, outputTokens, costUsd } = event;
  return {
    ...before,
    tokens: sum(before.tokens, sum(amount(inputTokens), amount(outputTokens))),
    costUsd: sum(before.costUsd, amount(costUsd ?? 0)),
    unknownCosts: before.unknownCosts + (costUsd === null ? 1 : 0),
  };
}

function spoken(event: AgentEvent): string | undefined {
  if (event.kind === "said") return event.text.slice(0, 400);
  return event.kind === "used-tool" ? `${event.name} ${event.detail}`.slice(0, 400) : undefined;
}

/** What a retry is for. A task that failed for good is told at the end, with the same lines. */
function wordsOf({ fact }: Entry, run: Run | undefined): string[] {
  if (fact.kind !== "attempt-failed") return [];
  const task = run?.tasks.get(fact.task);
  return task?.attempts === fact.attempt ? lastWordsText(lastWords(task.evidence, 5)).slice(1) : [];
}

async function inLines(app: App, say: (line: string) => void): Promise<Live> {
  let told = await app.look((run) => run.position);
  let [telling, latest]: [Promise<void>, Run | undefined] = [Promise.resolve(), undefined];
  let base: string | undefined;
  const nameOf = (task: TaskId) => latest?.tasks.get(task)?.def.name ?? "";
  const tell = async (upTo: number, written: readonly Entry[] = []) => {
    const after = told;
    told = Math.max(told, upTo);
    if (after >= upTo) return;
    // Others may have written in between.
    const isAll = written.length === upTo - after && written[0]?.position === after + 1;
    for (const entry of isAll ? written : await app.history({ after, upTo })) {
      const line = eventLine(entry, nameOf);
      if (line !== undefined) say(line);
      for (const each of wordsOf(entry, latest)) say(cut(`    ${oneLine(each)}`, 400));
    }
  };
  return {
    changed: (run) => {
      latest = run;
      const { position } = run;
      // No fact says that it begins, and setting a project up may take minutes.
      const [begins] = baselineLines(run, { color: false });
      const isNew = begins !== undefined && begins !== base;
      base = begins ?? base;
      return (written) => {
        telling = telling.then(() => tell(position, written)).then(() => (isNew ? say(begins) : undefined));
      };
    },
    watch: (who, event) => {
      const text = spoken(event);
      // What the agents of tasks say is for `heddle attach`.
      if (text !== undefined && !latest?.tasks.get(who))
        say(cut(`    ${who}: ${oneLine(withoutEscapes(text))}`, 160));
    },
    settle: async () => {
      await telling;
      await tell(await app.look((run) => run.position));
    },
  };
}

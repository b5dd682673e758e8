// What all agents share that work in a conversation with a model: what they are told, how they are listened to, and the
// caps that heddle counts itself, because vendors count them differently or not at all.
import type { Limits } from "../host/program/limits.ts";
import type { Ending, ProgramLine, ProgramSpec } from "../host/program/program.ts";
import { runProgram } from "../host/program/run.ts";
import type { AgentEvent, Order, Stopped } from "./agent.ts";
import { failedAs, heddleServer, outageAs, questionIn } from "./program.ts";
import { limitedAs } from "./usage-limit.ts";

export interface Caps {
  readonly maxTurns: number;
  readonly maxCostUsd: number;
}

/** What an agent prints, understood line by line. */
export interface Stream {
  /** Whether it has said how it ended. It may go on all the same, and then this is false again. */
  readonly isOver: boolean;
  /** How long it may take to leave then, if its last word is always its last. */
  readonly lingerMs?: number;
  /** Answers of the model so far. */
  readonly turns: number;
  hear(line: ProgramLine): AgentEvent[];
  /** The last events: what it cost, as far as anybody knows, and how it stopped. */
  end(how: Ending, limits: Limits): AgentEvent[];
}

/** How long it may take to leave after its last word; a server that it left running must not hold the attempt up. */
const lingerMs = 5000;

export async function* listenTo(
  stream: Stream,
  { spec, caps }: { readonly spec: ProgramSpec; readonly caps: Caps },
  signal: AbortSignal,
): AsyncIterable<AgentEvent> {
  const enough = new AbortController();
  const purse = new Purse(caps);
  let linger: NodeJS.Timeout | undefined;
  try {
    for await (const event of runProgram(spec, AbortSignal.any([signal, enough.signal]))) {
      if (event.kind === "line") {
        const heard = stream.hear(event);
        yield* heard;
        clearTimeout(linger);
        if (purse.crossed(heard, stream.turns)) enough.abort();
        else if (stream.isOver) linger = setTimeout(() => enough.abort(), stream.lingerMs ?? lingerMs);
      }
      if (event.kind === "ended") yield* purse.settle(stream.end(event.how, spec.limits));
    }
  } finally {
    clearTimeout(linger);
  }
}

/** Counts turns and money; what is over a cap ends the work, and the end says so. */
class Purse {
  readonly #caps: Caps;
  #spentUsd = 0;
  #why: Stopped | undefined;

  constructor(caps: Caps) {
    this.#caps = caps;
  }

  crossed(events: readonly AgentEvent[], turns: number): boolean {
    for (const event of events) if (event.kind === "spent") this.#spentUsd += event.costUsd ?? 0;
    const { maxTurns, maxCostUsd } = this.#caps;
    if (turns > maxTurns)
      this.#why ??= failedAs("budget", `the agent used up its turns: more than ${maxTurns}`);
    if (this.#spentUsd > maxCostUsd)
      this.#why ??= failedAs("budget", `the agent crossed its cost limit of $${maxCostUsd}`);
    return this.#why !== undefined;
  }

  settle(events: readonly AgentEvent[]): AgentEvent[] {
    return events.map((event) =>
      event.kind === "stopped" && this.#why && event.how.kind === "failed"
        ? { kind: "stopped", how: this.#why }
        : event,
    );
  }
}

/** Such an agent says at once that it began; one that does not has lost its way, and need not be waited for. */
const firstWordMs = 120_000;

export function soonHeard(order: Order): Order {
  const { limits } = order;
  const firstOutputMs = limits.firstOutputMs ?? Math.min(firstWordMs, limits.silenceMs);
  return { ...order, limits: { ...limits, firstOutputMs } };
}

/**
 * What every such agent is told; it is on its standard input, and all else is in the bundle (X7). Where it has heddle's own
 * tools (`heddle mcp`), `called` is how it calls them; null when it cannot be given any.
 */
export function promptFor(
  order: Order,
  fresh: boolean,
  called: ((name: string) => string) | null = (name) => `${name} of the MCP server heddle`,
): string {
  const { role, bundle, output, workspace } = order;
  const tools = heddleServer(order) === undefined ? null : called;
  const tool = tools ? `The tool ${tools("complete_task")} does the same. ` : "";
  const asking = tools
    ? ["ask it with", `${tools("ask_question")} and stop without a result.`]
    : [
        "reply with nothing but one line",
        '{"type":"question","id":"1","text":"…","options":["…"]} and stop without a result.',
      ];
  return [
    ...(fresh
      ? []
      : ["You were interrupted: a command may have been cut off in the middle. Look, then go on."]),
    `You are the ${role} of heddle, in the workspace ${workspace.cwd}.`,
    `Read the JSON bundle at ${bundle} completely: its field \`skill\` says how you work, the rest is your work.`,
    `Do it, and write the result to ${output}. ${tool}Nothing else that you say or do counts as done.`,
    `Nobody can answer you meanwhile. If only a person can settle something, ${asking.join("\n")}`,
    "",
  ].join("\n");
}

/** What it says; a question is a line of its own in it (C8). */
export function saidIn(text: string): AgentEvent[] {
  const lines = text.split("\n");
  const asked = lines.flatMap((line) => questionIn(line) ?? []);
  const said = lines.filter((line) => !questionIn(line)).join("\n");
  return [...(said.trim() === "" ? [] : [{ kind: "said" as const, text: said }]), ...asked];
}

export function shortened(text: string, most: number): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > most ? `${line.slice(0, most)}…` : line;
}

/** What the model's API answered, as an end. A key that is refused, or a model that is not there, will be so again. */
export function apiFailure(status: unknown, said: string): Stopped {
  if (typeof status !== "number") return outageAs(`the model's API could not be reached: ${said}`);
  if (status === 401 || status === 403)
    return failedAs("environment", `the model's API refused the key (${status}): ${said}`, false);
  if (status === 404)
    return failedAs("environment", `the model's API does not know the model (404): ${said}`, false);
  if (status === 429) return limitedAs(`the model's API limits its use (429): ${said}`);
  const message = `the model's API answered ${status}: ${said}`;
  return status >= 500 ? outageAs(message) : failedAs("runtime", message);
}

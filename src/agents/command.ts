// Any program as an agent: gets the bundle's path, works in its workspace, writes its output, and may tell what it
// does on standard output, in JSON lines or in plain text.
import type { ProgramLine } from "../host/program.ts";
import { runProgram } from "../host/run.ts";
import type { Agent, AgentEvent, Order } from "./agent.ts";
import { type AgentProgram, amount, jsonIn, programFor, questionIn, stoppedBy } from "./program.ts";

export interface CommandAgent extends AgentProgram {
  readonly program: readonly string[];
}

export function command(agent: CommandAgent): Agent {
  return { name: agent.name, work: (order, signal) => work(agent, order, signal) };
}

async function* work(agent: CommandAgent, order: Order, signal: AbortSignal): AsyncIterable<AgentEvent> {
  const [program = "", ...args] = agent.program;
  const spec = programFor(agent, order, { argv: [program, ...args, order.bundle] });
  for await (const event of runProgram(spec, signal)) {
    if (event.kind === "line") yield* heard(event);
    if (event.kind === "ended") yield { kind: "stopped", how: stoppedBy(event.how, spec.limits) };
  }
}

/** JSON lines with a `type` are events; everything else is talk. */
function* heard({ text, from }: ProgramLine): Iterable<AgentEvent> {
  const event = from === "stdout" && text.startsWith("{") ? parsed(text) : undefined;
  if (event) yield event;
  else if (text.trim() !== "") yield { kind: "said", text };
}

function parsed(text: string): AgentEvent | undefined {
  const value = jsonIn(text);
  if (!value) return undefined;
  const word = (key: string) => (typeof value[key] === "string" ? value[key] : "");
  const count = (key: string) => amount(value[key]) ?? 0;
  switch (value.type) {
    case "question":
      return questionIn(text);
    case "usage":
      return {
        kind: "spent",
        inputTokens: count("input_tokens"),
        outputTokens: count("output_tokens"),
        costUsd: amount(value.cost_usd),
      };
    case "tool":
      return { kind: "used-tool", name: word("name"), detail: word("detail") };
    case "progress":
    case "said":
      return { kind: "said", text: word("text") || word("message") };
    default:
      return undefined;
  }
}

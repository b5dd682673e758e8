// Any program as an agent: gets the bundle's path, works in its workspace, writes its output, and may tell what it
// does on standard output, in JSON lines or in plain text.
import type { ProgramLine } from "../host/program.ts";
import type { Agent, AgentEvent } from "./agent.ts";
import { type Caps, listenTo, type Stream } from "./conversation.ts";
import { type AgentProgram, amount, jsonIn, programFor, questionIn, stoppedBy } from "./program.ts";

export interface CommandAgent extends AgentProgram, Caps {
  readonly program: readonly string[];
}

export function command(agent: CommandAgent): Agent {
  const [program = "", ...args] = agent.program;
  return {
    name: agent.name,
    work: (order, signal) => {
      const spec = programFor(agent, order, { argv: [program, ...args, order.bundle] });
      return listenTo(plainStream(), { spec, caps: agent }, signal);
    },
  };
}

/** Its exit is its last word; what it calls a tool is a turn. */
function plainStream(): Stream {
  let turns = 0;
  return {
    isOver: false,
    get turns() {
      return turns;
    },
    hear: (line) => {
      const events = [...heard(line)];
      turns += events.filter(({ kind }) => kind === "used-tool").length;
      return events;
    },
    end: (how, limits) => [{ kind: "stopped", how: stoppedBy(how, limits) }],
  };
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

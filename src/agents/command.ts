// Any program as an agent: gets the bundle's path, works in its workspace, writes its output, and may tell what it
// does on standard output, in JSON lines or in plain text.
import { unreached } from "../gateway/reach.ts";
import type { ProgramLine } from "../host/program/program.ts";
import type { Agent, AgentEvent } from "./agent.ts";
import { type Caps, listenTo, type Stream, shortened } from "./conversation.ts";
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
      const isClosed = !agent.network && !order.gate && agent.box.kind === "boxed";
      return listenTo(plainStream(isClosed), { spec, caps: agent }, signal);
    },
  };
}

const longestReason = 300;
const closed =
  'it has no network: `"network"` of its entry in `agents` of .heddle/config.json opens hosts to it, or `true` all of them';

/** Its exit is its last word, with the line of its errors that says most; what it calls a tool is a turn. */
function plainStream(isClosed: boolean): Stream {
  let turns = 0;
  let lastError = "";
  let wasUnreached = false;
  return {
    isOver: false,
    get turns() {
      return turns;
    },
    hear: (line) => {
      const events = [...heard(line)];
      if (line.from === "stderr" && tellsMore(line.text, lastError)) lastError = line.text.trim();
      wasUnreached ||= isClosed && unreached.test(line.text);
      turns += events.filter(({ kind }) => kind === "used-tool").length;
      return events;
    },
    end: (how, limits) => {
      const stopped = stoppedBy(how, limits);
      if (stopped.kind !== "failed") return [{ kind: "stopped", how: stopped }];
      const why = how.kind === "exited" && lastError !== "" ? `: ${shortened(lastError, longestReason)}` : "";
      const message = `${stopped.message}${why}${wasUnreached ? `; ${closed}` : ""}`;
      return [{ kind: "stopped", how: { ...stopped, message } }];
    },
  };
}

const namesError = /error|fatal|exception/i;

/** The last line that names an error, or else the last one in words: below an error there may be a stack. */
const tellsMore = (text: string, than: string) =>
  /[a-z]/i.test(text) && (namesError.test(text) || !namesError.test(than));

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

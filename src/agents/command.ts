// Any program as an agent: gets the bundle's path, works in its workspace, writes its output, and may tell what it
// does on standard output, in JSON lines or in plain text.
import { type Environment, environmentFor, secretValues } from "../host/environment.ts";
import { type Ending, type ProgramEvent, type ProgramSpec, sayEnding } from "../host/program.ts";
import { redactor } from "../host/redact.ts";
import { runProgram } from "../host/run.ts";
import { type Box, ownRuntime, type Sandbox } from "../host/sandbox.ts";
import type { Agent, AgentEvent, Order, Stopped } from "./agent.ts";

export interface CommandAgent {
  readonly name: string;
  readonly program: readonly string[];
  /** Variables that it gets from the person's environment. */
  readonly env: readonly string[];
  readonly readable: readonly string[];
  readonly network: boolean;
  readonly box: { readonly kind: "boxed"; readonly sandbox: Sandbox } | { readonly kind: "unconfined" };
}

export function command(agent: CommandAgent): Agent {
  return { name: agent.name, work: (order, signal) => work(agent, order, signal) };
}

async function* work(agent: CommandAgent, order: Order, signal: AbortSignal): AsyncIterable<AgentEvent> {
  const spec = programFor(agent, order);
  for await (const event of runProgram(spec, signal)) {
    if (event.kind === "line") yield* heard(event);
    if (event.kind === "ended") yield { kind: "stopped", how: stopped(event.how, spec) };
  }
}

function programFor(agent: CommandAgent, order: Order): ProgramSpec {
  const { workspace, limits } = order;
  const [program = "", ...args] = agent.program;
  const set: Environment = {
    HEDDLE_ROLE: order.role,
    HEDDLE_TASK: order.task,
    HEDDLE_ATTEMPT: String(order.attempt),
    HEDDLE_OUTPUT: order.output,
    HEDDLE_TOKEN_FILE: order.token,
    ...workspace.env,
  };
  const tmp = agent.box.kind === "boxed" ? "/tmp" : (workspace.tmp ?? "/tmp");
  return {
    argv: [program, ...args, order.bundle],
    cwd: workspace.cwd,
    environment: environmentFor(process.env, { home: workspace.home, tmp, names: agent.env, set }),
    limits,
    box: boxFor(agent, order),
    keep: { stdout: `${workspace.records}/stdout.log`, stderr: `${workspace.records}/stderr.log` },
    redact: redactor(secretValues(process.env)),
    mark: order.mark ?? `${order.role}-${order.attempt}-${crypto.randomUUID()}`,
  };
}

function boxFor({ box, program, readable, network }: CommandAgent, order: Order): Box | "unconfined" {
  if (box.kind === "unconfined") return "unconfined";
  const { cwd, home, writable, readable: given } = order.workspace;
  const [first = ""] = program;
  const own = first.startsWith("/") ? [first] : [];
  return {
    sandbox: box.sandbox,
    network,
    home,
    writable: [cwd, ...writable],
    readOnly: [...given, ...readable, ...own, order.bundle, order.token, ...ownRuntime()],
  };
}

/** JSON lines with a `type` are events; everything else is talk. */
function* heard({ text, from }: Extract<ProgramEvent, { kind: "line" }>): Iterable<AgentEvent> {
  const event = from === "stdout" && text.startsWith("{") ? parsed(text) : undefined;
  if (event) yield event;
  else if (text.trim() !== "") yield { kind: "said", text };
}

function parsed(text: string): AgentEvent | undefined {
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
  const word = (key: string) => (typeof value[key] === "string" ? value[key] : "");
  const count = (key: string) => amount(value[key]) ?? 0;
  switch (value.type) {
    case "question":
      if (word("text").trim() === "") return undefined;
      return { kind: "asked", id: word("id") || "1", text: word("text"), options: words(value.options) };
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

/** What is no amount is unknown: an agent cannot give money back. */
function amount(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}

function words(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

function stopped(how: Ending, { limits }: ProgramSpec): Stopped {
  if (how.kind === "exited" && how.code === 0) return { kind: "finished" };
  const message = `the agent ${sayEnding(how, limits)}`;
  if (how.kind === "limit") return { kind: "failed", category: "timeout", message, retryable: true };
  // A program that is not there will not be there the next time either.
  if (how.kind === "failed-to-start")
    return { kind: "failed", category: "environment", message, retryable: false };
  return { kind: "failed", category: "runtime", message, retryable: true };
}

// What all agents that are programs share: how one is started for an order, boxed or not, how its end is put into
// words, and how it asks a person. What it prints meanwhile is each adapter's own affair.
import { dirname, join } from "node:path";
import { type Environment, environmentFor, secretValues } from "../host/environment.ts";
import type { Limits } from "../host/limits.ts";
import type { Input } from "../host/pipes.ts";
import { type Ending, type ProgramSpec, sayEnding } from "../host/program.ts";
import { redactor } from "../host/redact.ts";
import { type Box, ownRuntime, type Sandbox } from "../host/sandbox.ts";
import type { Talk } from "../host/talk.ts";
import type { AgentEvent, Order, Stopped } from "./agent.ts";

export interface AgentProgram {
  readonly name: string;
  /** Variables that it gets from the person's environment. */
  readonly env: readonly string[];
  readonly readable: readonly string[];
  readonly network: boolean;
  readonly box: { readonly kind: "boxed"; readonly sandbox: Sandbox } | { readonly kind: "unconfined" };
}

export interface Call {
  readonly argv: readonly [string, ...string[]];
  readonly stdin?: Input | Talk;
  /** Values that the adapter sets; they win over the person's. */
  readonly set?: Environment;
}

export function programFor(agent: AgentProgram, order: Order, { argv, stdin, set }: Call): ProgramSpec {
  const { workspace, limits } = order;
  const told: Environment = {
    HEDDLE_ROLE: order.role,
    HEDDLE_TASK: order.task,
    HEDDLE_ATTEMPT: String(order.attempt),
    HEDDLE_OUTPUT: order.output,
    HEDDLE_TOKEN_FILE: order.token,
    ...workspace.env,
    ...set,
  };
  const tmp = agent.box.kind === "boxed" ? "/tmp" : (workspace.tmp ?? "/tmp");
  return {
    argv,
    cwd: workspace.cwd,
    environment: environmentFor(process.env, { home: workspace.home, tmp, names: agent.env, set: told }),
    ...(stdin && { stdin }),
    limits,
    box: boxFor(agent, order, argv[0]),
    keep: { stdout: `${workspace.records}/stdout.log`, stderr: `${workspace.records}/stderr.log` },
    redact: redactor(secretValues(process.env)),
    mark: order.mark ?? `${order.role}-${order.attempt}-${crypto.randomUUID()}`,
  };
}

/**
 * heddle's own MCP server, for an agent that can be given one: where the attempt has a socket, the agent reports, asks
 * and proposes its end by these tools.
 */
export function heddleServer({ workspace: { env = {} }, token, task, attempt }: Order) {
  const socket = env.HEDDLE_SOCKET;
  if (socket === undefined) return undefined;
  const told: Environment = {
    HEDDLE_SOCKET: socket,
    HEDDLE_TOKEN_FILE: token,
    HEDDLE_TASK: task,
    HEDDLE_ATTEMPT: String(attempt),
  };
  return { command: join(dirname(socket), "heddle"), args: ["mcp"], env: told };
}

function boxFor({ box, readable, network }: AgentProgram, order: Order, first: string): Box | "unconfined" {
  if (box.kind === "unconfined") return "unconfined";
  const { cwd, home, writable, readable: given } = order.workspace;
  const own = first.startsWith("/") ? [first] : [];
  return {
    sandbox: box.sandbox,
    network,
    home,
    writable: [cwd, ...writable],
    readOnly: [...given, ...readable, ...own, order.bundle, order.token, ...ownRuntime()],
  };
}

export function outageAs(message: string): Stopped {
  return { kind: "failed", category: "environment", message, retryable: true, outage: true };
}

export function failedAs(
  category: Extract<Stopped, { kind: "failed" }>["category"],
  message: string,
  retryable = true,
): Stopped {
  return { kind: "failed", category, message, retryable };
}

/** What an end says where nothing more is known: only an exit with 0 finishes. */
export function stoppedBy(how: Ending, limits: Limits): Stopped {
  if (how.kind === "exited" && how.code === 0) return { kind: "finished" };
  const message = `the agent ${sayEnding(how, limits)}`;
  if (how.kind === "limit") return failedAs("timeout", message);
  // A program that is not there will not be there the next time either.
  if (how.kind === "failed-to-start") return failedAs("environment", message, false);
  return failedAs("runtime", message);
}

/** `{"type":"question",…}` on a line of its own: how every agent asks a person (C8). */
export function questionIn(line: string): Extract<AgentEvent, { kind: "asked" }> | undefined {
  const value = jsonIn(line);
  if (value?.type !== "question") return undefined;
  const word = (key: string) => (typeof value[key] === "string" ? value[key] : "");
  if (word("text").trim() === "") return undefined;
  return { kind: "asked", id: word("id") || "1", text: word("text"), options: words(value.options) };
}

/** The object on this line, if there is one. */
export function jsonIn(line: string): Record<string, unknown> | undefined {
  if (!line.trimStart().startsWith("{")) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** What is no amount is unknown: an agent cannot give money back. */
export function amount(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}

function words(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

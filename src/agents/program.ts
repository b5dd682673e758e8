// What all agents that are programs share: how one is started for an order, boxed or not, how its end is put into
// words, and how it asks a person. What it prints meanwhile is each adapter's own affair.
import { dirname, join } from "node:path";
import { recordIn } from "../core/json.ts";
import { isCredential, type Route } from "../gateway/vendors.ts";
import { type Environment, environmentFor, secretValues } from "../host/program/environment.ts";
import type { Limits } from "../host/program/limits.ts";
import { networkSettings } from "../host/program/network-settings.ts";
import type { StandardInput } from "../host/program/pipes.ts";
import { type Ending, type ProgramSpec, sayEnding } from "../host/program/program.ts";
import { redactor } from "../host/program/redact.ts";
import { ownRuntime, toolchainsIn } from "../host/program/runtime.ts";
import type { Box, Sandbox } from "../host/program/sandbox.ts";
import type { Talk } from "../host/program/talk.ts";
import type { AgentEvent, Order, Stopped } from "./agent.ts";
import type { Prices } from "./prices.ts";

export interface AgentProgram {
  readonly name: string;
  /** Variables that it gets from the person's environment. */
  readonly env: readonly string[];
  readonly readable: readonly string[];
  /** Empty in the box, but for what an order names inside: heddle's own folder, where other attempts lie. */
  readonly hidden?: readonly string[];
  readonly network: boolean;
  /** The keys that it may use by the gateway to models: then it has no network, and none of them is in its box. */
  readonly gate?: readonly Route[];
  /** Hosts that it may reach by the gateway as well. */
  readonly hosts?: readonly string[];
  readonly prices?: Prices;
  readonly box: { readonly kind: "boxed"; readonly sandbox: Sandbox } | { readonly kind: "unconfined" };
}

export interface Call {
  readonly argv: readonly [string, ...string[]];
  readonly stdin?: StandardInput | Talk;
  /** Values that the adapter sets; they win over the person's. */
  readonly set?: Environment;
}

/** The person's environment, as far as the order's program may know it: behind the gateway, tokens are in the place of keys. */
export function ownVariables({ gate }: Pick<Order, "gate">): NodeJS.ProcessEnv {
  return gate ? { ...process.env, ...gate.variables } : process.env;
}

export function programFor(agent: AgentProgram, order: Order, { argv, stdin, set }: Call): ProgramSpec {
  const { workspace, limits } = order;
  const told: Environment = {
    HEDDLE_ROLE: order.role,
    HEDDLE_TASK: order.task,
    HEDDLE_ATTEMPT: String(order.attempt),
    HEDDLE_OUTPUT: order.output,
    HEDDLE_TOKEN_FILE: order.token,
    ...networkSettings(process.env, wayOut(agent, order)).set,
    ...workspace.env,
    ...set,
  };
  const tmp = agent.box.kind === "boxed" ? "/tmp" : (workspace.tmp ?? "/tmp");
  return {
    argv,
    cwd: workspace.cwd,
    environment: environmentOf(agent, order, { tmp, set: told }),
    ...(stdin && { stdin }),
    limits,
    box: boxFor(agent, order, argv[0]),
    ...(order.gate && agent.box.kind === "boxed" && { gate: order.gate }),
    leaves: [workspace.cwd, workspace.home, ...workspace.writable],
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

function environmentOf(
  { env, box }: AgentProgram,
  order: Order,
  { tmp, set }: { readonly tmp: string; readonly set: Environment },
): Environment {
  const { gate, workspace } = order;
  // The way to the gateway is told to every program behind it; an empty variable is a key that it does not get.
  const names = [...env, ...Object.keys(gate?.variables ?? {})];
  const all = environmentFor(ownVariables(order), {
    ...{ home: workspace.home, tmp, names },
    set: { ...toolchainsIn(box.kind === "boxed" ? box.sandbox.kind : undefined).set, ...set },
  });
  return Object.fromEntries(
    Object.entries(all).filter(([name, value]) => value !== "" || !isCredential(name)),
  );
}

const wayOut = ({ network, box }: AgentProgram, { gate }: Order) =>
  gate && box.kind === "boxed" ? "by-gateway" : network;

function boxFor(agent: AgentProgram, order: Order, first: string): Box | "unconfined" {
  const { box, readable, hidden = [] } = agent;
  const network = wayOut(agent, order);
  if (box.kind === "unconfined") return "unconfined";
  const { cwd, home, writable, readable: given } = order.workspace;
  const own = first.startsWith("/") ? [first] : [];
  const certificates = networkSettings(process.env, network).readable;
  return {
    sandbox: box.sandbox,
    network: network === true,
    home,
    writable: [cwd, ...writable],
    readOnly: [
      ...[...given, ...readable, ...certificates, ...own, order.bundle, order.token],
      ...[...ownRuntime(), ...toolchainsIn(box.sandbox.kind).readable],
    ],
    // Beside the files of a target lie what its person stashed and dropped, and the unmerged work of others.
    hidden: [...hidden, ...given.map((path) => join(path, ".git"))],
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
  return line.trimStart().startsWith("{") ? recordIn(line) : undefined;
}

/** What is no amount is unknown: an agent cannot give money back. */
export function amount(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}

function words(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

// Codex as an agent: its own program in its headless mode, one process per order. Its orders come on standard input;
// the repository is not trusted unless a person approved its settings, hooks and MCP servers, and its own sandbox is
// off, because ours is around it. Measured in docs/agents.md.
import { join } from "node:path";
import { readBytes } from "../host/handed-in.ts";
import type { Environment } from "../host/program/environment.ts";
import type { Agent, AgentEvent, Order } from "./agent.ts";
import { Rollout, rolloutsIn } from "./codex-rollout.ts";
import { CodexStream } from "./codex-stream.ts";
import { type Caps, listenTo, promptFor, soonHeard } from "./conversation.ts";
import { type AgentProgram, type Call, heddleServer, ownVariables, programFor } from "./program.ts";

export interface CodexAgent extends AgentProgram, Caps {
  /** The program itself, not the script that starts it: see `find-native.ts`. */
  readonly program: string;
  readonly model?: string;
  readonly effort?: string;
}

/** One of them must be set, unless the person names others. */
export const codexCredentials = ["CODEX_API_KEY", "OPENAI_API_KEY"];

export function codex(agent: CodexAgent): Agent {
  return {
    name: agent.name,
    vendor: "openai",
    steeredBy: "codex",
    work: (order, signal) => converse(agent, { order }, signal),
    resume: (order, signal) => converse(agent, { order, thread: threadIn(order) }, signal),
  };
}

interface Conversation {
  readonly order: Order;
  /** The name that Codex gave it; it takes none from us. */
  readonly thread?: string | undefined;
}

function converse(
  agent: CodexAgent,
  conversation: Conversation,
  signal: AbortSignal,
): AsyncIterable<AgentEvent> {
  const spec = programFor(agent, soonHeard(conversation.order), call(agent, conversation));
  const { model, prices } = agent;
  const rollout = new Rollout(sessionsOf(conversation.order));
  const stream = new CodexStream({
    rollout,
    ...(model !== undefined && { model }),
    ...(prices && { prices }),
  });
  return listenTo(stream, { spec, caps: agent }, signal);
}

const keyVariable = "HEDDLE_CODEX_KEY";

function call(agent: CodexAgent, { order, thread }: Conversation): Call {
  const { model, effort } = agent;
  return {
    argv: [
      agent.program,
      "exec",
      ...["--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"],
      ...(order.trusted ? ["--dangerously-bypass-hook-trust"] : []),
      ...[...settings(order), ...servers(order)].flatMap((setting) => ["-c", setting]),
      ...(model === undefined ? [] : ["-m", model]),
      ...(effort === undefined ? [] : ["-c", `model_reasoning_effort=${toml(effort)}`]),
      ...(thread === undefined ? ["-"] : ["resume", thread, "-"]),
    ],
    stdin: { text: promptFor(order, thread === undefined, (tool) => `mcp__heddle__${tool}`) },
    set: environment(ownVariables(order)),
  };
}

function settings(order: Order): string[] {
  const { workspace, trusted } = order;
  const provider = Object.entries(codexProvider(ownVariables(order), keyVariable)).map(
    ([name, value]) => `${name}=${JSON.stringify(value)}`,
  );
  return [
    "model_provider=heddle",
    `model_providers.heddle={${provider.join(",")}}`,
    `projects={${toml(workspace.cwd)}={trust_level=${toml(trusted ? "trusted" : "untrusted")}}}`,
    // What it runs does not need its key.
    `shell_environment_policy.exclude=[${toml(keyVariable)}]`,
    // It would wait for a refused connection for ever, and ask github.com for plugins. Not by `--disable`: that refuses a name
    // which another version does not know.
    "features.unbounded_connection_retries=false",
    "features.plugins=false",
    ...(trusted ? [] : ["features.hooks=false"]),
    "analytics.enabled=false",
    "check_for_update_on_startup=false",
  ];
}

/** A start under load takes its time; a tool of heddle's needs no approval. */
function servers(order: Order): string[] {
  const own = heddleServer(order);
  if (!own) return [];
  const env = Object.entries(own.env).map(([name, value]) => `${name}=${toml(value ?? "")}`);
  const server = [
    ...[`command=${toml(own.command)}`, `args=${JSON.stringify(own.args)}`, `env={${env.join(",")}}`],
    ...["startup_timeout_sec=60", 'default_tools_approval_mode="approve"'],
  ];
  return [`mcp_servers.heddle={${server.join(",")}}`];
}

/** Whom it asks: one place for Codex itself and for what speaks ACP in its stead. */
export function codexProvider(own: NodeJS.ProcessEnv, env_key: string) {
  const retries = Number(own.HEDDLE_CODEX_RETRIES || 4);
  return {
    name: "OpenAI",
    base_url: own.OPENAI_BASE_URL || "https://api.openai.com/v1",
    env_key,
    wire_api: "responses",
    request_max_retries: retries,
    stream_max_retries: retries,
  };
}

/** A JSON string is a TOML string. */
const toml = (text: string) => JSON.stringify(text);

function environment(own: NodeJS.ProcessEnv): Environment {
  const key = codexCredentials.map((name) => own[name]).find(Boolean);
  return key ? { [keyVariable]: key } : {};
}

const sessionsOf = ({ workspace }: Order) => join(workspace.home, ".codex", "sessions");

/** The conversation to go on with; its process may have died before anything of it was written. */
function threadIn(order: Order): string | undefined {
  const folder = sessionsOf(order);
  const found = rolloutsIn(folder).flatMap((name) => {
    const id = /rollout-.*-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/.exec(name)?.[1];
    return id !== undefined && hasLine(order, join(folder, name)) ? [id] : [];
  });
  return found.at(-1);
}

/** A first line is all that is asked for, and it is long. */
function hasLine({ workspace }: Order, file: string): boolean {
  const head = readBytes(file, { bytes: 1024 * 1024 }, { within: workspace.home });
  return typeof head !== "string" && head.bytes.includes("\n");
}

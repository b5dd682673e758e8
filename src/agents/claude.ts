// Claude Code as an agent: its own program in its headless mode, one process per order. It reads its orders from
// standard input and the bundle; nothing that lies in the workspace steers it (no hooks, no settings, no MCP servers)
// unless a person approved it, and its own sandbox is off, because ours is around it. Measured in docs/agents.md.
import { join } from "node:path";
import { isPlainFile } from "../host/files.ts";
import { listHandedIn } from "../host/handed-in.ts";
import type { Environment } from "../host/program/environment.ts";
import type { Agent, AgentEvent, Order } from "./agent.ts";
import { ClaudeStream } from "./claude-stream.ts";
import { type Caps, listenTo, promptFor, soonHeard } from "./conversation.ts";
import { type AgentProgram, type Call, heddleServer, ownVariables, programFor } from "./program.ts";

export interface ClaudeAgent extends AgentProgram, Caps {
  /** The program itself, not a script that starts it: see `find-native.ts`. */
  readonly program: string;
  readonly model?: string;
  readonly effort?: string;
}

/** One of them must be set, unless the person names others. */
export const claudeCredentials = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"];

export function claude(agent: ClaudeAgent): Agent {
  return {
    name: agent.name,
    vendor: "anthropic",
    steeredBy: "claude",
    work: (order, signal) => converse(agent, { order, fresh: true }, signal),
    resume: (order, signal) => converse(agent, { order, fresh: !hasSession(order) }, signal),
  };
}

interface Conversation {
  readonly order: Order;
  readonly fresh: boolean;
}

function converse(
  agent: ClaudeAgent,
  conversation: Conversation,
  signal: AbortSignal,
): AsyncIterable<AgentEvent> {
  const spec = programFor(agent, soonHeard(conversation.order), call(agent, conversation));
  return listenTo(new ClaudeStream(), { spec, caps: agent }, signal);
}

function call(agent: ClaudeAgent, { order, fresh }: Conversation): Call {
  const { model, effort, maxTurns, maxCostUsd } = agent;
  const session = order.session ?? crypto.randomUUID();
  return {
    argv: [
      agent.program,
      ...["-p", "--output-format", "stream-json", "--verbose"],
      ...[fresh ? "--session-id" : "--resume", session],
      ...["--permission-mode", "bypassPermissions", ...servers(order)],
      ...(order.trusted ? following : onItsOwn),
      ...["--max-turns", String(maxTurns), "--max-budget-usd", String(maxCostUsd)],
      ...(model === undefined ? [] : ["--model", model]),
      ...(effort === undefined ? [] : ["--effort", effort]),
    ],
    stdin: { text: promptFor(order, fresh, (tool) => `mcp__heddle__${tool}`) },
    set: environment(agent, ownVariables(order)),
  };
}

/** Its tools would be hidden behind a search without `alwaysLoad`. */
function servers(order: Order): string[] {
  const own = heddleServer(order);
  if (!own) return [];
  return [
    "--mcp-config",
    JSON.stringify({ mcpServers: { heddle: { type: "stdio", ...own, alwaysLoad: true } } }),
  ];
}

/** What a task needs; nothing that schedules, wakes up later, or talks to others. */
const tools = ["Bash", "Edit", "Glob", "Grep", "NotebookEdit", "Read", "Write"];

const sandbox = { enabled: false };

/** Nothing of the repository steers it. */
const onItsOwn = [
  ...["--tools", tools.join(","), "--setting-sources", ""],
  ...["--settings", JSON.stringify({ disableAllHooks: true, sandbox })],
  ...["--strict-mcp-config", "--disable-slash-commands"],
];

/** A person approved what is in the repository; in a run without questions its servers would wait for a yes. */
const following = [
  ...["--tools", [...tools, "Skill", "Task"].join(","), "--setting-sources", "project"],
  ...["--settings", JSON.stringify({ enableAllProjectMcpServers: true, sandbox })],
];

function environment({ box }: ClaudeAgent, own: NodeJS.ProcessEnv): Environment {
  const given = claudeCredentials.flatMap((name) => (own[name] ? [[name, own[name]]] : []));
  return {
    ...(Object.fromEntries(given) as Environment),
    ANTHROPIC_BASE_URL: own.ANTHROPIC_BASE_URL || "https://api.anthropic.com",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_MAX_RETRIES: own.CLAUDE_CODE_MAX_RETRIES || "6",
    // As root it works without questions only in a sandbox; outside ours that is for the person to say.
    ...(box.kind === "boxed" && { IS_SANDBOX: "1" }),
  };
}

/** Whether there is a conversation to go on with: its process may have died before the first answer. */
function hasSession({ session, workspace }: Order): boolean {
  const projects = join(workspace.home, ".claude", "projects");
  const listed = listHandedIn(projects, 1000);
  return (
    listed !== "too many" &&
    listed.some(
      ({ name, kind }) => kind === "folder" && isPlainFile(join(projects, name, `${session}.jsonl`)),
    )
  );
}

// Claude Code as an agent: its own program in its headless mode, one process per order. It reads its orders from
// standard input and the bundle; nothing that lies in the workspace steers it (no hooks, no settings, no MCP servers),
// and its own sandbox is off, because ours is around it. Measured in docs/agents.md.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../host/environment.ts";
import { runProgram } from "../host/run.ts";
import type { Agent, AgentEvent, Order } from "./agent.ts";
import { ClaudeStream } from "./claude-stream.ts";
import { type AgentProgram, type Call, heddleServer, programFor } from "./program.ts";

export interface ClaudeAgent extends AgentProgram {
  /** The program itself, not a script that starts it: see `find-claude.ts`. */
  readonly program: string;
  readonly model?: string;
  readonly maxTurns: number;
  readonly maxCostUsd: number;
}

/** One of them must be set, unless the person names others. */
export const claudeCredentials = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"];

/** How long it may take to leave after its result; a server that it left running must not hold the attempt up. */
const lingerMs = 5000;

export function claude(agent: ClaudeAgent): Agent {
  return {
    name: agent.name,
    work: (order, signal) => converse(agent, { order, fresh: true }, signal),
    resume: (order, signal) => converse(agent, { order, fresh: !hasSession(order) }, signal),
  };
}

interface Conversation {
  readonly order: Order;
  readonly fresh: boolean;
}

async function* converse(
  agent: ClaudeAgent,
  conversation: Conversation,
  signal: AbortSignal,
): AsyncIterable<AgentEvent> {
  const { order } = conversation;
  const stream = new ClaudeStream();
  const enough = new AbortController();
  let linger: NodeJS.Timeout | undefined;
  const spec = programFor(agent, order, call(agent, conversation));
  try {
    for await (const event of runProgram(spec, AbortSignal.any([signal, enough.signal]))) {
      if (event.kind === "line") {
        yield* stream.hear(event);
        clearTimeout(linger);
        if (stream.isOver) linger = setTimeout(() => enough.abort(), lingerMs);
      }
      if (event.kind === "ended") yield* stream.end(event.how, spec.limits);
    }
  } finally {
    clearTimeout(linger);
  }
}

function call(agent: ClaudeAgent, { order, fresh }: Conversation): Call {
  const { model, maxTurns, maxCostUsd } = agent;
  const session = order.session ?? crypto.randomUUID();
  return {
    argv: [
      agent.program,
      ...["-p", "--output-format", "stream-json", "--verbose"],
      ...[fresh ? "--session-id" : "--resume", session],
      ...["--permission-mode", "bypassPermissions", "--tools", tools.join(",")],
      ...["--setting-sources", "", "--settings", JSON.stringify(settings)],
      ...[...servers(order), "--strict-mcp-config", "--disable-slash-commands"],
      ...["--max-turns", String(maxTurns), "--max-budget-usd", String(maxCostUsd)],
      ...(model === undefined ? [] : ["--model", model]),
    ],
    stdin: { text: prompt(order, fresh) },
    set: environment(agent),
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

const settings = { disableAllHooks: true, sandbox: { enabled: false } };

function environment({ box }: ClaudeAgent): Environment {
  const own = process.env;
  const given = claudeCredentials.flatMap((name) => (own[name] ? [[name, own[name]]] : []));
  return {
    ...Object.fromEntries(given),
    ANTHROPIC_BASE_URL: own.ANTHROPIC_BASE_URL || "https://api.anthropic.com",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_MAX_RETRIES: own.CLAUDE_CODE_MAX_RETRIES || "6",
    // As root it works without questions only in a sandbox; outside ours that is for the person to say.
    ...(box.kind === "boxed" && { IS_SANDBOX: "1" }),
  };
}

function prompt(order: Order, fresh: boolean): string {
  const { role, bundle, output, workspace } = order;
  const hasTools = heddleServer(order) !== undefined;
  return [
    ...(fresh
      ? []
      : ["You were interrupted: a command may have been cut off in the middle. Look, then go on."]),
    `You are the ${role} of heddle, in the workspace ${workspace.cwd}.`,
    `Read the JSON bundle at ${bundle} completely: its field \`skill\` says how you work, the rest is your work.`,
    `Do it, and write the result to ${output}. ${hasTools ? "The tool mcp__heddle__complete_task does the same. " : ""}Nothing else that you say or do counts as done.`,
    ...(hasTools
      ? [
          "Nobody can answer you meanwhile. If only a person can settle something, ask it with",
          "mcp__heddle__ask_question and stop without a result.",
        ]
      : [
          "Nobody can answer you meanwhile. If only a person can settle something, reply with nothing but one line",
          '{"type":"question","id":"1","text":"…","options":["…"]} and stop without a result.',
        ]),
    "",
  ].join("\n");
}

/** Whether there is a conversation to go on with: its process may have died before the first answer. */
function hasSession({ session, workspace }: Order): boolean {
  const projects = join(workspace.home, ".claude", "projects");
  try {
    return readdirSync(projects).some((project) => existsSync(join(projects, project, `${session}.jsonl`)));
  } catch {
    return false;
  }
}

// Any agent that speaks the Agent Client Protocol over its standard streams: Gemini CLI, opencode, and whoever else.
// What is peculiar to one of them is data (`acp-agents.ts`); what is said is in `acp-stream.ts`.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { placeFile, replaceFile } from "../host/files.ts";
import { readRecord } from "../host/handed-in.ts";
import type { Environment } from "../host/program/environment.ts";
import { Talk } from "../host/program/talk.ts";
import type { AcpQuirks } from "./acp-agents.ts";
import { AcpStream } from "./acp-stream.ts";
import { followingSettings, steeringOf } from "./acp-trust.ts";
import type { Agent, AgentEvent, Order } from "./agent.ts";
import { type Caps, listenTo, promptFor, soonHeard } from "./conversation.ts";
import { type AgentProgram, failedAs, heddleServer, ownVariables, programFor } from "./program.ts";

export interface AcpAgent extends AgentProgram, Caps {
  readonly command: readonly [string, ...string[]];
  readonly quirks?: AcpQuirks | undefined;
  readonly model?: string;
}

export function acp(agent: AcpAgent): Agent {
  const { vendor } = agent.quirks ?? {};
  return {
    name: agent.name,
    ...(vendor !== undefined && { vendor }),
    ...steeringOf(agent.quirks),
    work: (order, signal) => converse(agent, { order }, signal),
    resume: (order, signal) => converse(agent, { order, earlier: earlierIn(order) }, signal),
  };
}

interface Conversation {
  readonly order: Order;
  readonly earlier?: string | undefined;
}

async function* converse(
  agent: AcpAgent,
  { order, earlier }: Conversation,
  signal: AbortSignal,
): AsyncIterable<AgentEvent> {
  const { model, prices } = agent;
  const quirks = order.trusted ? followingSettings(agent.quirks, order.workspace.cwd) : agent.quirks;
  const tools = order.trusted || !steeringOf(quirks).needsTrust;
  const obeyed = quirks?.obeys?.find((name) => existsSync(join(order.workspace.cwd, name)));
  if (!order.trusted && obeyed !== undefined) {
    const look = `heddle settings show ${steeringOf(quirks).steeredBy}`;
    const why = `${quirks?.title} would obey the repository's ${obeyed}, which is not approved (${look})`;
    yield { kind: "stopped", how: failedAs("environment", why, false) };
    return;
  }
  const talk = new Talk();
  furnish(order, quirks);
  const [program, ...args] = agent.command;
  const named = quirks?.modelFlag !== undefined && model !== undefined ? [quirks.modelFlag, model] : [];
  const call = {
    argv: [program, ...args, ...named] as [string, ...string[]],
    stdin: talk,
    set: variables({ ...agent, quirks }, order),
  };
  const stream = new AcpStream({
    talk,
    title: quirks?.title ?? agent.name,
    cwd: order.workspace.cwd,
    prompt: (fresh) => (tools ? promptFor(order, fresh) : promptFor(order, fresh, null)),
    earlier,
    named: (session) => replaceFile(noteIn(order), session.slice(0, 1024)),
    servers: tools ? servers(order) : [],
    quirks,
    model,
    prices,
  });
  yield* listenTo(stream, { spec: programFor(agent, soonHeard(order), call), caps: agent }, signal);
}

/** Every such agent takes servers that are programs. */
function servers(order: Order): object[] {
  const own = heddleServer(order);
  if (!own) return [];
  const env = Object.entries(own.env).map(([name, value]) => ({ name, value }));
  return [{ name: "heddle", command: own.command, args: own.args, env }];
}

/** The agent names its conversation itself. The name is kept where the agent cannot put a link in its place. */
const noteIn = ({ workspace }: Order) => join(workspace.records, "session");

function earlierIn(order: Order): string | undefined {
  return readRecord(noteIn(order), 64 * 1024) || undefined;
}

function furnish({ workspace }: Order, quirks: AcpQuirks | undefined): void {
  for (const [name, text] of Object.entries(quirks?.home ?? {})) placeFile(workspace.home, name, text);
}

function variables({ quirks, model, box }: AcpAgent, order: Order): Environment {
  const own = ownVariables(order);
  const given = [...(quirks?.credentials ?? []), ...(quirks?.passes ?? [])].flatMap((name) =>
    own[name] ? [[name, own[name]]] : [],
  );
  const variable = quirks?.modelVariable;
  return {
    ...(Object.fromEntries(given) as Environment),
    ...quirks?.set,
    ...quirks?.made?.(own),
    ...(order.gate && quirks?.gated?.(own)),
    ...(variable !== undefined && model !== undefined && { [variable]: model }),
    ...(box.kind === "boxed" && { IS_SANDBOX: "1" }),
  };
}

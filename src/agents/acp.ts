// Any agent that speaks the Agent Client Protocol over its standard streams: Gemini CLI, opencode, and whoever else.
// What is peculiar to one of them is data (`acp-agents.ts`); what is said is in `acp-stream.ts`.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Environment } from "../host/environment.ts";
import { Talk } from "../host/talk.ts";
import type { AcpQuirks } from "./acp-agents.ts";
import { AcpStream } from "./acp-stream.ts";
import { followingSettings, steeringOf } from "./acp-trust.ts";
import type { Agent, AgentEvent, Order } from "./agent.ts";
import { type Caps, listenTo, promptFor, soonHeard } from "./conversation.ts";
import type { Prices } from "./prices.ts";
import { type AgentProgram, failedAs, heddleServer, programFor } from "./program.ts";

export interface AcpAgent extends AgentProgram, Caps {
  readonly command: readonly [string, ...string[]];
  readonly quirks?: AcpQuirks | undefined;
  readonly model?: string;
  readonly prices?: Prices;
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
    const why = `${quirks?.title} would obey the repository's ${obeyed}, which nobody has approved (${look})`;
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
    set: variables({ ...agent, quirks }),
  };
  const stream = new AcpStream({
    talk,
    title: quirks?.title ?? agent.name,
    cwd: order.workspace.cwd,
    prompt: (fresh) => (tools ? promptFor(order, fresh) : promptFor(order, fresh, null)),
    earlier,
    named: (session) => writeFileSync(noteIn(order), session),
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

/** The agent names its conversation itself; the name is kept where the conversation is. */
const noteIn = ({ workspace }: Order) => join(workspace.home, ".heddle-session");

function earlierIn(order: Order): string | undefined {
  try {
    return readFileSync(noteIn(order), "utf8") || undefined;
  } catch {
    return undefined;
  }
}

function furnish({ workspace }: Order, quirks: AcpQuirks | undefined): void {
  for (const [name, text] of Object.entries(quirks?.home ?? {})) {
    const path = join(workspace.home, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

function variables({ quirks, model, box }: AcpAgent): Environment {
  const own = process.env;
  const given = [...(quirks?.credentials ?? []), ...(quirks?.passes ?? [])].flatMap((name) =>
    own[name] ? [[name, own[name]]] : [],
  );
  const variable = quirks?.modelVariable;
  return {
    ...Object.fromEntries(given),
    ...quirks?.set,
    ...quirks?.made?.(own),
    ...(variable !== undefined && model !== undefined && { [variable]: model }),
    ...(box.kind === "boxed" && { IS_SANDBOX: "1" }),
  };
}

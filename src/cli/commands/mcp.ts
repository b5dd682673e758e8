// `heddle mcp`: heddle's commands as tools of the Model Context Protocol, on standard input and output (U2). For a
// person's own agent what the person allows; inside an attempt the five things that an agent may do there.

import { isatty } from "node:tty";
import { type Call, type Command, exits, type Reply } from "../../command/command.ts";
import { demandFolder } from "../../command/demand-folder.ts";
import { keepClean, print } from "../../command/out.ts";
import { pathsIn } from "../../engine/paths.ts";
import { serve, type Tool } from "../../mcp/server.ts";
import { readConfig } from "../../orders/config.ts";
import { allowedByDefault, hostTools } from "../mcp/host-tools.ts";
import { insideTools, refusedInside } from "../mcp/inside-tools.ts";

declare const HEDDLE_VERSION: string;

export const mcp: Command = {
  name: "mcp",
  summary: "serve heddle's commands to an agent as MCP tools, on standard input and output",
  group: "run",
  byHand: true,
  flags: { list: { about: "show which tools would be offered, and serve nothing" } },
  examples: [
    "heddle mcp --list                              # what your agent may do: `mcp.allow` in .heddle/config.json",
    "claude mcp add heddle -- heddle mcp            # docs/mcp.md has the other agents",
  ],
  run: async (call) => {
    const gone = new AbortController();
    const service = await serviceFor(call, gone.signal);
    // One document is asked for, and a conversation is none.
    if (call.flags.has("list") || call.flags.has("json")) return list(service.tools);
    const write = process.stdout.write.bind(process.stdout);
    keepClean();
    // Whoever reads has gone away: there is nobody to answer.
    process.stdout.on("error", () => {});
    if (isatty(0))
      print("heddle mcp waits for an agent to speak MCP; Ctrl-D ends it, heddle mcp --help says more", 2);
    await serve({
      name: "heddle",
      version: HEDDLE_VERSION,
      ...service,
      input: untilGone(gone),
      write,
    });
    return { json: undefined };
  },
};

interface Service {
  readonly instructions: string;
  readonly tools: readonly Tool[];
  readonly unknown: (name: string) => Promise<string>;
}

async function serviceFor({ root, commands }: Call, gone: AbortSignal): Promise<Service> {
  const { HEDDLE_SOCKET: socket, HEDDLE_TASK: task = "" } = process.env;
  if (socket !== undefined) {
    const inside = { socket, task };
    return {
      instructions: `You are at task ${task}. Only what you propose with complete_task or fail_task counts; heddle checks it.`,
      tools: insideTools(inside),
      unknown: (name) => refusedInside(inside, name),
    };
  }
  demandFolder(root, "mcp");
  const allow = readConfig(pathsIn(root).heddle).mcp?.allow ?? allowedByDefault;
  const tools = await hostTools({ root, allow, commands, gone });
  return {
    instructions:
      "heddle plans, hands out, checks and merges the work of coding agents. `status` says where the run stands, `why` the reason, `next` what comes next.",
    tools,
    unknown: async (name) =>
      `\`${name.slice(0, 100)}\` is not offered here. There is ${tools.map((tool) => tool.name).join(", ")}. A person allows more with \`mcp.allow\` in .heddle/config.json`,
  };
}

function list(tools: readonly Tool[]): Reply {
  const width = Math.max(0, ...tools.map(({ name }) => name.length));
  return {
    text: tools.map(({ name, description }) => `${name.padEnd(width)}  ${description}`).join("\n"),
    json: tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
    exit: exits.done,
  };
}

/** How long what was under way may take to stop when the client is gone. heddle survives being killed, so it may be. */
const partingMs = 20_000;

async function* untilGone(gone: AbortController): AsyncIterable<Uint8Array> {
  try {
    yield* process.stdin;
  } catch {
    // A broken connection is a closed one.
  }
  gone.abort();
  setTimeout(() => process.exit(exits.done), partingMs).unref();
}

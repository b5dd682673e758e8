// What an agent may do from inside its attempt, and nothing else (X16): five tools, each a command that goes over the
// attempt's socket with its token. A tool that is not offered is asked for there too, refused, and written down.

import type { Command, Flag } from "../../command/command.ts";
import { parse } from "../../command/parse.ts";
import type { Tool } from "../../mcp/server.ts";
import { ask, bundle, progress } from "../commands/state/attempt.ts";
import { completeTask, failTask } from "../commands/state/tasks.ts";
import { insideSays, sayInside } from "../inside.ts";
import { answered } from "./host-tools.ts";
import { type Offer, offerOf, schemaOf, wordsFor } from "./offer.ts";

export interface Inside {
  readonly socket: string;
  /** The task of this attempt. */
  readonly task: string;
}

/** It is at one task only, and need not name it; named wrongly, it is refused by the orchestrator. */
const task = { name: "task", about: "the id of your own task" };
const complete: Command = { ...completeTask, args: [task] };
const fail: Command = { ...failTask, args: [task, { name: "error", about: "what went wrong", text: true }] };

export function insideTools(inside: Inside): Tool[] {
  const own = { known: { task: inside.task } };
  return [
    insideTool(inside, offerOf(bundle, { tool: "read_bundle", flags: {} })),
    insideTool(inside, offerOf(progress, { tool: "report_progress", flags: {} })),
    insideTool(inside, offerOf(ask, { tool: "ask_question", flags: only(ask, "option") })),
    insideTool(
      inside,
      offerOf(complete, {
        ...own,
        tool: "complete_task",
        about: "propose that your task is done; heddle then runs its checks itself",
        flags: only(completeTask, "created", "modified"),
      }),
    ),
    insideTool(
      inside,
      offerOf(fail, {
        ...own,
        tool: "fail_task",
        about: "report that your task cannot be done, and why",
        flags: only(failTask, "category", "no-retry"),
      }),
    ),
  ];
}

function only({ flags = {} }: Command, ...names: readonly string[]): Readonly<Record<string, Flag>> {
  return Object.fromEntries(names.map((name) => [name, flags[name] as Flag]));
}

function insideTool({ socket }: Inside, offer: Offer): Tool {
  const { command, tool, about } = offer;
  return {
    name: tool,
    description: about,
    inputSchema: schemaOf(offer),
    readOnly: tool === "read_bundle",
    long: false,
    call: (input) => answered(async () => sayInside(command, parse(command, wordsFor(offer, input)), socket)),
  };
}

/** Refused by the orchestrator, so that it is in the history. */
export async function refusedInside({ socket }: Inside, tool: string): Promise<string> {
  const heard = await insideSays(socket, { what: `tool ${tool.slice(0, 80)}` });
  return heard.ok ? "it is not offered" : heard.message;
}

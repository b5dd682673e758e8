// What a person's own agent may do in a project: the commands that the person allows, each called as a person would call
// it with `--json`, with the same document or the same problems as its answer.

import { type Call, type Command, exits, type Flag, type Reply } from "../../command/command.ts";
import { parse } from "../../command/parse.ts";
import { type Hint, toCall } from "../../core/hint.ts";
import { closest, type Problem, problem } from "../../core/problem.ts";
import { Refused } from "../../engine/app.ts";
import type { Answer, Tool } from "../../mcp/server.ts";
import { hintsAsText, inShell } from "../../view/hint.ts";
import { problemText } from "../../view/problem.ts";
import { explain } from "../explain.ts";
import { perform } from "../perform.ts";
import { type Offer, offerOf, schemaOf, wordsFor } from "./offer.ts";

/** To look, to answer what the run asks, and to stop it: nothing here spends, merges or overrides. */
export const allowedByDefault: readonly string[] = [
  "status",
  "why",
  "next --dry-run",
  "history",
  "report",
  "verify",
  "state ready-tasks",
  "bundle show",
  "answer",
  "halt",
];

export interface Host {
  readonly root: string;
  readonly allow: readonly string[];
  readonly commands: Call["commands"];
  /** Aborted when the client is gone. */
  readonly gone: AbortSignal;
}

export async function hostTools(host: Host): Promise<Tool[]> {
  const offers: Offer[] = [];
  const problems: Problem[] = [];
  const commands = await host.commands();
  for (const entry of host.allow) {
    const offer = offered(entry, commands);
    if ("code" in offer) problems.push(offer);
    else if (!offers.some(({ tool }) => tool === offer.tool)) offers.push(offer);
  }
  if (problems.length > 0) throw new Refused(problems);
  return offers.map((offer) => toolOf(offer, host));
}

/** `state skip-task`, or a command with flags that are then always set, and no others: `next --dry-run`. */
function offered(entry: string, commands: readonly Command[]): Offer | Problem {
  const words = entry.trim().split(/\s+/);
  const at = words.findIndex((word) => word.startsWith("-"));
  const name = words.slice(0, at < 0 ? undefined : at).join(" ");
  const fixed = at < 0 ? [] : words.slice(at);
  const command = commands.find((each) => each.name === name);
  const refusal = (what: string, hint: Hint) => problem("mcp-allow", `\`mcp.allow\`: ${what}`, { hint });
  if (!command) {
    const meant = closest(
      name,
      commands.map((each) => each.name),
    );
    return refusal(`\`${name}\` is not a command`, meant ? `did you mean \`${meant}\`?` : toCall("help"));
  }
  if (command.byHand) return refusal(`\`${name}\` is for people only`, "take it out");
  const strange = fixed.find((word) => !mayBeFixed(command, word));
  if (strange !== undefined)
    return refusal(`\`${strange}\` cannot be set for \`${name}\``, `heddle ${name} --help`);
  if (fixed.length === 0) return offerOf(command);
  const { flags } = offerOf({ ...command, flags: {} });
  const own = command.tools?.[fixed.join(" ")];
  const meanings = fixed.map((word) => `${word}: ${command.flags?.[nameIn(word)]?.about}`);
  const { name: tool = offerOf(command).tool, about = `${command.summary} (${meanings.join("; ")})` } =
    own ?? {};
  return offerOf(command, { fixed, flags, tool, about });
}

const nameIn = (word: string) => word.replace(/^--/, "").split("=", 1)[0] ?? "";

function mayBeFixed({ flags = {} }: Command, word: string): boolean {
  const name = nameIn(word);
  const flag: Flag | undefined = Object.hasOwn(flags, name) ? flags[name] : undefined;
  return flag !== undefined && (flag.takes === undefined) === !word.includes("=");
}

function toolOf(offer: Offer, { root, commands, gone }: Host): Tool {
  const { command, tool, about, fixed } = offer;
  return {
    name: tool,
    description: about,
    inputSchema: schemaOf(offer),
    readOnly: command.group === "look" || fixed.includes("--dry-run"),
    long: command.group === "run" && command.interruptible === true,
    call: (input, { client, signal, say }) =>
      answered(async (warn) =>
        perform(command, parse(command, wordsFor(offer, input)), {
          root,
          commands,
          manner: inShell,
          by: process.env.HEDDLE_ACTOR ?? actor(client),
          say,
          stream: say,
          warn,
          signal,
          stopNow: () => gone,
        }),
      ),
  };
}

/** In the history it is seen that no person typed it. */
function actor(client: string): string {
  const name = client.replace(/[^\w.-]+/g, "-").slice(0, 40);
  return name === "" ? "mcp" : `mcp:${name}`;
}

/** The document of the reply, and then what it warned of; or the problems, exactly as `--json` says them. */
export async function answered(reply: (warn: (problem: Problem) => void) => Promise<Reply>): Promise<Answer> {
  const warnings: string[] = [];
  try {
    const { json = null, exit = exits.done } = await reply((found) =>
      warnings.push(problemText(found, "warning")),
    );
    const isError = exit !== exits.done && exit !== exits.warned;
    return { texts: [JSON.stringify(json, hintsAsText, 2), ...warnings], isError };
  } catch (error) {
    const { problems } = explain(error);
    return { texts: [JSON.stringify({ ok: false, problems }, hintsAsText, 2), ...warnings], isError: true };
  }
}

// An agent as plain JSON: everything that is needed to make it wherever an order is carried out. No secret stands in it:
// keys are named, and come from the environment of the process that starts the agent.
import { dirname } from "node:path";
import { isProblem, type Problem } from "../core/problem.ts";
import { type AcpAgent, acp } from "./acp.ts";
import { acpAgents, openCodeAddresses } from "./acp-agents.ts";
import type { Agent } from "./agent.ts";
import { type ClaudeAgent, claude } from "./claude.ts";
import { type CodexAgent, codex } from "./codex.ts";
import { type CommandAgent, command } from "./command.ts";
import { costOf } from "./prices.ts";
import { readScript, type Script, scripted } from "./scripted.ts";

export type Recipe = (
  | { readonly kind: "command"; readonly settings: CommandAgent }
  | { readonly kind: "claude"; readonly settings: ClaudeAgent }
  | { readonly kind: "codex"; readonly settings: CodexAgent }
  /** `known`: its name in `acp-agents.ts`, when it is one of those. */
  | { readonly kind: "acp"; readonly settings: Omit<AcpAgent, "quirks">; readonly known: string | null }
  | { readonly kind: "scripted"; readonly script: string }
) & {
  /** The word by which it was chosen, where that is not its name. */
  readonly word?: string;
};

export function agentFrom(recipe: Recipe): Agent | Problem {
  const agent = made(recipe);
  if (isProblem(agent)) return agent;
  const gate = gateOf(recipe);
  return { ...agent, recipe, ...(gate && { gate }), ...(recipe.word !== undefined && { word: recipe.word }) };
}

/** Without a box there is nothing that a gateway could be the only way out of. */
function gateOf(recipe: Recipe): Agent["gate"] {
  if (recipe.kind === "scripted") return undefined;
  const { gate: routes, hosts, box, prices, maxCostUsd } = recipe.settings;
  if (!routes || box.kind !== "boxed") return undefined;
  const addresses =
    recipe.kind === "acp" && recipe.known === "opencode" ? openCodeAddresses(process.env) : {};
  return {
    routes,
    ...(hosts && { hosts }),
    addresses,
    maxCostUsd,
    costOf: (used) => costOf(used.model, used, prices),
  };
}

function made(recipe: Recipe): Agent | Problem {
  switch (recipe.kind) {
    case "command":
      return command(recipe.settings);
    case "claude":
      return claude(recipe.settings);
    case "codex":
      return codex(recipe.settings);
    case "acp":
      return acp({ ...recipe.settings, quirks: acpAgents[recipe.known ?? ""] });
    case "scripted": {
      const script = readScript(recipe.script);
      return isProblem(script) ? script : scripted(script as Script, dirname(recipe.script));
    }
  }
}

/** Of an agent that is to work elsewhere. */
export function recipeOf({ name, recipe }: Agent): Recipe {
  if (!recipe) throw new Error(`bug: nobody knows how to make the agent ${name} again`);
  return recipe;
}

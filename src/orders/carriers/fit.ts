// An order as it is meant on the machine that carries it out: its agents are made of the programs and keys that are there,
// its box is the one that is there, and heddle's own files are those of the heddle there. The words of the configuration come
// with the order; no path of the machine that gave it is trusted to exist.
import { statfsSync } from "node:fs";
import { homedir } from "node:os";
import type { Recipe } from "../../agents/recipe.ts";
import { recipeOf } from "../../agents/recipe.ts";
import type { Config } from "../../config/config.ts";
import { jsonIn } from "../../core/json.ts";
import { isProblem, type Problem } from "../../core/problem.ts";
import { findSandbox } from "../../host/box/box.ts";
import { gitVersion } from "../../host/git/git.ts";
import type { Sandbox } from "../../host/program/sandbox.ts";
import { packageParts } from "../../work/package.ts";
import type { CommandSettings } from "../../work/run-command.ts";
import type { AwayOrder } from "../../work/wire/away.ts";
import type { Fitting, Looking, Seen } from "../../work/wire/machine-messages.ts";
import type { UsableBox } from "../box.ts";
import { makeAgent } from "../make-agent.ts";

/** Where everything is made of what is here. */
interface Workshop {
  readonly config: Config;
  readonly box: UsableBox;
}

export async function workshopOf({ settings, unconfined }: Fitting): Promise<Workshop | Problem> {
  const config = (jsonIn(settings) ?? {}) as Config;
  if (unconfined) return { config, box: { kind: "unconfined" } };
  const found = await findSandbox();
  return found.ok ? { config, box: { kind: "boxed", sandbox: found } } : found.problem;
}

export async function fitted(order: AwayOrder, fitting: Fitting): Promise<AwayOrder | Problem> {
  const shop = await workshopOf(fitting);
  if (isProblem(shop)) return shop;
  const recipes = recipesIn(order).map((recipe) => remade(recipe, shop));
  const wrong = recipes.find((each) => isProblem(each));
  if (wrong && isProblem(wrong)) return wrong;
  return withRecipes(withBox(order, shop.box), recipes as Recipe[]);
}

/** In the order in which `withRecipes` puts them back. */
function recipesIn(order: AwayOrder): Recipe[] {
  if (!("agent" in order)) return [];
  const reviewer = "reviewer" in order ? [order.reviewer.agent] : [];
  const fixer = "fixer" in order && order.fixer ? [order.fixer] : [];
  return [order.agent, ...reviewer, ...fixer];
}

function withRecipes(order: AwayOrder, [agent, other]: readonly Recipe[]): AwayOrder {
  if (!("agent" in order) || !agent) return order;
  const readable = [...order.readable.filter((path) => !isPackage(path)), ...packageParts()];
  const made = { ...order, agent, readable };
  if (!other) return made;
  if ("reviewer" in made) return { ...made, reviewer: { ...made.reviewer, agent: other } };
  return "fixer" in made ? { ...made, fixer: other } : made;
}

/** heddle's own, as it lies on the machine that gave the order. */
const isPackage = (path: string) => /\/(?:dist|schemas|roles|examples|package\.json)$/.test(path);

function withBox(order: AwayOrder, box: UsableBox): AwayOrder {
  const sandbox: Sandbox | null = box.kind === "boxed" ? box.sandbox : null;
  const own = <T extends { readonly bench: CommandSettings }>(held: T): T => ({
    ...held,
    bench: { ...held.bench, sandbox },
  });
  const benched = "bench" in order ? own(order) : order;
  return "setUp" in benched ? { ...benched, setUp: own(benched.setUp) } : benched;
}

/** A vendor's agent is looked for here; a program of the person's own, or a script, is at the path that they gave. */
function remade(recipe: Recipe, { config, box }: Workshop): Recipe | Problem {
  if (recipe.kind === "scripted") return recipe;
  const { word = recipe.settings.name } = recipe;
  if (recipe.kind === "command") return { ...recipe, settings: { ...recipe.settings, box } };
  const { model, effort } = recipe.settings as { model?: string; effort?: string };
  const set = { ...(model !== undefined && { model }), ...(effort !== undefined && { effort }) };
  const agent = makeAgent(word, { config, root: homedir(), box }, set);
  return isProblem(agent) ? agent : recipeOf(agent);
}

const leastBytes = 0.2 * 1024 ** 3;

/** What is here of what is needed; the first sentence is why nothing can be done. */
export async function lookAround({ agents }: Looking, fitting: Fitting, place: string): Promise<Seen> {
  const missing: string[] = [];
  const git = await gitVersion();
  if (isProblem(git)) missing.push(git.message);
  const shop = await workshopOf(fitting);
  if (isProblem(shop)) missing.push(shop.message);
  const { bavail, bsize } = statfsSync(place);
  if (bavail * bsize < leastBytes)
    missing.push(`its disk is full: ${((bavail * bsize) / 1024 ** 2).toFixed(0)} MiB are free`);
  const found = agents.filter((word) => !isProblem(shop) && !isProblem(namedAgent(word, shop)));
  return { agents: found, missing, findings: [] };
}

export function namedAgent(word: string, { config, box }: Workshop): Recipe | Problem {
  // At the path that they gave: whether it is there is seen when it starts.
  if (/^(?:command|scripted):/.test(word)) return { kind: "scripted", script: word };
  const agent = makeAgent(word, { config, root: homedir(), box });
  return isProblem(agent) ? agent : recipeOf(agent);
}

// From a word to an agent: `claude:opus`, `command:./x`, or a name from the configuration, and what is missing for it.
import { basename, resolve } from "node:path";
import { acpAgents, leadsElsewhere } from "../agents/acp-agents.ts";
import type { Agent } from "../agents/agent.ts";
import { claudeCredentials } from "../agents/claude.ts";
import { codexCredentials } from "../agents/codex.ts";
import {
  claudeProgram,
  codexProgram,
  findNative,
  locateProgram,
  type NativeProgram,
} from "../agents/find-native.ts";
import { type LoginChoice, mayUse, signIn } from "../agents/known.ts";
import { agentFrom, type Recipe } from "../agents/recipe.ts";
import { storedLogin } from "../agents/stored-login.ts";
import type { AgentConfig, Config } from "../config/config.ts";
import { defaultPolicy } from "../core/policy.ts";
import { closest, isProblem, type Problem, problem } from "../core/problem.ts";
import { pathsIn } from "../engine/paths.ts";
import { type LoginRoute, type Route, routesAmong } from "../gateway/vendors.ts";
import type { BoxChoice, UsableBox } from "./box.ts";

export interface Workshop {
  readonly config: Config;
  readonly root: string;
  readonly box: BoxChoice;
  /** Nothing is started: it is only said who would work. */
  readonly isLooking?: boolean;
}

/** A workshop in which something can be started. */
interface Equipped extends Workshop {
  readonly box: UsableBox;
}

type Kind = NonNullable<AgentConfig["kind"]>;
type Make = (name: string, config: AgentConfig, shop: Equipped) => Recipe | Problem;

/** Kinds that may be named without being configured. */
const kinds = ["claude", "codex"] as const;

const makers: Record<Kind, Make> = {
  command: commandAgent,
  claude: claudeAgent,
  codex: codexAgent,
  acp: acpAgent,
};

const unconfined = { kind: "unconfined" } as const;

/** `set` is what the work asks for: it goes before what the agent was configured with. */
export function makeAgent(word: string, shop: Workshop, set: Partial<AgentConfig> = {}): Agent | Problem {
  const { box } = shop;
  const isMissing = box.kind === "missing";
  const looked = isMissing ? { box: unconfined, isLooking: true } : { box };
  const recipe = recipeFor(word, { ...shop, ...looked }, set);
  if (isProblem(recipe)) return recipe;
  // What is wrong with the agent itself was said first: a box would not help it. A script is heddle's own code.
  if (box.kind === "missing" && recipe.kind !== "scripted") return absentProgram(recipe) ?? box.problem;
  const agent = agentFrom(recipe);
  return isProblem(agent) || agent.name === word ? agent : agentFrom({ ...recipe, word });
}

/** In a box of another system a program may be there that is not here; without any box it may not. */
function absentProgram(recipe: Recipe): Problem | undefined {
  if (recipe.kind !== "command") return undefined;
  const [program = ""] = recipe.settings.program;
  if (locateProgram(program) !== undefined) return undefined;
  return problem("no-program", `the agent \`${program}\` is not a program that is here`, {
    hint: program.includes("/") ? `ls -l ${program}` : `which ${program}`,
  });
}

function recipeFor(word: string, shop: Equipped, set: Partial<AgentConfig>): Recipe | Problem {
  const { config, root } = shop;
  const [kind = "", rest = ""] = split(word);
  if (kind === "scripted") return { kind, script: resolve(root, rest) };
  if (kind === "command") return commandAgent(word, { command: [rest] }, shop);
  const configured = config.agents?.[word];
  if (configured) return makers[configured.kind ?? "command"](word, { ...configured, ...set }, shop);
  if (kind === "acp") return acpAgent(word, { kind, command: [rest], ...set }, shop);
  const named = kinds.find((each) => each === kind);
  if (named) return makers[named](word, { ...settingsFor(config, named, rest), ...set }, shop);
  const meant = closest(word, [...kinds, ...Object.keys(config.agents ?? {})]);
  return problem("unknown-agent", `\`${word}\` is not an agent`, {
    hint: meant
      ? `did you mean \`${meant}\`?`
      : "claude, codex, acp:gemini, command:./program, or a name from `agents` in .heddle/config.json",
  });
}

/** `claude:model` is the `claude` that was configured, with another model. */
function settingsFor({ agents }: Config, kind: Kind, model: string): AgentConfig {
  const base = agents?.[kind]?.kind === kind ? agents[kind] : {};
  return { ...base, ...(model !== "" && { model }) };
}

/** `./x` means a file of the project, not of wherever the agent happens to stand. */
function inRoot(root: string, program: string): string {
  return program.includes("/") ? resolve(root, program) : program;
}

function split(word: string): string[] {
  const at = word.indexOf(":");
  return at < 0 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}

function commandAgent(name: string, config: AgentConfig, shop: Equipped): Recipe {
  const [program = "", ...args] = config.command ?? [];
  const common = shared({ name, settings: config, credentials: [] }, shop);
  const settings = { ...common, program: [inRoot(shop.root, program), ...args] };
  return { kind: "command", settings };
}

function claudeAgent(name: string, config: AgentConfig, shop: Equipped): Recipe | Problem {
  const found = programOf(claudeProgram, config, shop);
  if (isProblem(found)) return found;
  const paid = paying({ name, settings: config, credentials: claudeCredentials }, shop, {
    name: "claude",
    program: found.program,
  });
  if (isProblem(paid)) return paid;
  const common = shared({ name, settings: config, credentials: claudeCredentials, ...paid }, shop);
  const readable = [...common.readable, ...found.readable];
  const settings = { ...common, readable, program: found.program, ...chosen(config) };
  return { kind: "claude", settings };
}

function codexAgent(name: string, config: AgentConfig, shop: Equipped): Recipe | Problem {
  const found = programOf(codexProgram, config, shop);
  if (isProblem(found)) return found;
  const credentials = codexCredentials.toReversed();
  const paid = paying({ name, settings: config, credentials }, shop, {
    name: "codex",
    program: found.program,
  });
  if (isProblem(paid)) return paid;
  const common = shared({ name, settings: config, credentials: codexCredentials, ...paid }, shop);
  const readable = [...common.readable, ...found.readable];
  const settings = { ...common, readable, program: found.program, ...chosen(config) };
  return { kind: "codex", settings };
}

/** `acp:gemini` is one that is known; `acp:./x` is any program; `gemini-2.5-pro` after a second colon is a model. */
function acpAgent(name: string, config: AgentConfig, shop: Equipped): Recipe | Problem {
  const [first = "", ...args] = config.command ?? [];
  // A model's name may have a slash in it, a known agent's has none.
  const [word = "", model] = /^[^:]*\//.test(first) ? [first] : split(first);
  const quirks = acpAgents[basename(word)];
  const [program = "", ...further] = args.length > 0 || !quirks ? [word, ...args] : quirks.command;
  const found = locateProgram(word.includes("/") ? inRoot(shop.root, word) : program);
  const install = quirks?.install ?? `which ${program}`;
  if (found === undefined)
    return problem("no-program", `${quirks?.title ?? "the agent"} (\`${program}\`) is not installed`, {
      hint: install,
    });
  const { credentials = [] } = quirks ?? {};
  const missing = credentials.length === 0 ? undefined : noKey(name, config, credentials);
  if (missing) return missing;
  const common = shared({ name, settings: config, credentials }, shop);
  const settings = {
    ...common,
    readable: [...common.readable, ...found.readable],
    command: [found.program, ...further] as const,
    ...chosen({ ...config, ...(model !== undefined && { model }) }),
  };
  return { kind: "acp", settings, known: quirks ? basename(word) : null };
}

function programOf(wanted: NativeProgram, { path }: AgentConfig, { root }: Equipped) {
  return findNative(wanted, path === undefined ? undefined : inRoot(root, path), process.env.PATH ?? "");
}

/** In this order: a key that is set, what the person named, and the login of the vendor's own program on this machine. */
function paying(
  wanted: Shared,
  { config, box, isLooking }: Equipped,
  login: LoginRoute,
): { readonly login?: Route } | Problem {
  const { name, settings, credentials } = wanted;
  const missing = noKey(name, settings, credentials, config.logins ?? {});
  const stored = missing && mayUse(login.name, config.logins) ? storedLogin(login.name) : undefined;
  if (!missing || !stored) return missing ?? {};
  const isBehind = box.kind === "boxed" && settings.network !== true && config.network?.agents !== true;
  if (!isBehind && isLooking !== true)
    return problem(
      "no-key",
      `\`${name}\` has no key, and a login is used by the gateway alone, which an agent ${box.kind === "boxed" ? "with the whole network" : "without a box"} has not`,
      missing.hint === undefined ? {} : { hint: missing.hint },
    );
  const variable = login.name === "claude" ? "CLAUDE_CODE_OAUTH_TOKEN" : "CODEX_API_KEY";
  const ofCodex = stored.kind === "key" ? "openai" : "chatgpt";
  return { login: { vendor: login.name === "claude" ? "anthropic" : ofCodex, variable, login } };
}

/** Before anything starts: an agent without a key would cost a workspace and a try to find out. */
function noKey(
  name: string,
  { env = [] }: AgentConfig,
  ...[credentials, logins]: [readonly string[], LoginChoice?]
): Problem | undefined {
  if (env.length > 0 || credentials.some((variable) => process.env[variable])) return undefined;
  const [only, ...others] = credentials;
  const unset = others.length === 0 ? `${only} is not set` : `none of ${credentials.join(", ")} is set`;
  return problem("no-key", `\`${name}\` has no key: ${unset}`, { hint: signIn({ credentials }, logins) });
}

const turnsUnlessSaid = 200;

const chosen = ({ model, effort }: AgentConfig) => ({
  ...(model !== undefined && { model }),
  ...(effort !== undefined && { effort }),
});

/** Names that lead an agent to its model by another vendor's door, which the gateway does not know. */
const elsewhere = /BEDROCK|VERTEX|FOUNDRY/;

/**
 * Whether it signs its own requests, for which its key and the network must be in its box: every view says so, as where a
 * person opens the network.
 */
const signsItself = (name: string, env: readonly string[] = []) =>
  env.some((each) => elsewhere.test(each)) || (/opencode/.test(name) && leadsElsewhere(process.env));

/** Whether agents of this configuration have the whole network, and with it their keys. */
export function opensNetwork({ network, agents = {} }: Config, named?: string): boolean {
  if (network?.agents === true) return true;
  const all: [string, AgentConfig][] = Object.entries({
    ...(named !== undefined && { [named]: {} }),
    ...agents,
  });
  return all.some(([name, { network: own, env, command }]) => {
    const said = own ?? network?.agents;
    return said === true || (said === undefined && signsItself(command?.[0] ?? name, env));
  });
}

/**
 * What it may reach: what the person says, or else its model alone. Who has a key of a vendor that the gateway does not know
 * is refused its hosts by name, so that a person can open them; a program without a key does not pay for that.
 */
function reachOf(
  { name, settings: { kind, network, env = [] }, credentials, login }: Shared,
  { config, box }: Equipped,
): { readonly network: boolean; readonly gate?: readonly Route[]; readonly hosts?: readonly string[] } {
  const said = network ?? config.network?.agents;
  if (said === true || box.kind !== "boxed") return { network: said === true || said === undefined };
  const gate = login ? [login] : routesAmong([...credentials, ...env], process.env);
  if (said === undefined) {
    if (signsItself(name, env)) return { network: true };
    const hasVendor = login !== undefined || kind === "acp" || credentials.length + env.length > 0;
    return hasVendor ? { network: false, gate } : { network: false };
  }
  if (typeof said === "object") return { network: false, gate, hosts: said };
  return gate.length > 0 ? { network: false, gate } : { network: false };
}

interface Shared {
  readonly name: string;
  readonly settings: AgentConfig;
  /** Variables with its keys, beside those that the person named. */
  readonly credentials: readonly string[];
  /** The way that takes a key's place, where none is set. */
  readonly login?: Route;
}

function shared(wanted: Shared, { box, config, root }: Equipped) {
  const { name, settings } = wanted;
  const { env = [], readable = [], maxTurns = turnsUnlessSaid, maxCostUsd } = settings;
  const budget = config.budget?.taskUsd ?? defaultPolicy.taskBudgetUsd;
  return {
    name,
    env,
    readable,
    hidden: [pathsIn(root).heddle],
    ...reachOf(wanted, { box, config, root }),
    box,
    maxTurns,
    maxCostUsd: maxCostUsd ?? budget,
    prices: config.prices ?? {},
  };
}

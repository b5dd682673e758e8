// From a word to an agent: `claude:opus`, `command:./x`, or a name from the configuration, and what is missing for it.
import { basename, dirname, resolve } from "node:path";
import { acp } from "../agents/acp.ts";
import { acpAgents } from "../agents/acp-agents.ts";
import type { Agent } from "../agents/agent.ts";
import { claude, claudeCredentials } from "../agents/claude.ts";
import { codex, codexCredentials } from "../agents/codex.ts";
import { command } from "../agents/command.ts";
import {
  claudeProgram,
  codexProgram,
  findNative,
  locateProgram,
  type NativeProgram,
} from "../agents/find-native.ts";
import { signIn } from "../agents/known.ts";
import { readScript, scripted } from "../agents/scripted.ts";
import type { AgentConfig, Config } from "../config/config.ts";
import { defaultPolicy } from "../core/policy.ts";
import { closest, isProblem, type Problem, problem } from "../core/problem.ts";
import type { BoxChoice } from "./box.ts";

export interface Workshop {
  readonly config: Config;
  readonly root: string;
  readonly box: BoxChoice;
}

type Kind = NonNullable<AgentConfig["kind"]>;
type Make = (name: string, config: AgentConfig, shop: Workshop) => Agent | Problem;

/** Kinds that may be named without being configured. */
const kinds = ["claude", "codex"] as const;

const makers: Record<Kind, Make> = {
  command: commandAgent,
  claude: claudeAgent,
  codex: codexAgent,
  acp: acpAgent,
};

/** `set` is what the work asks for: it goes before what the agent was configured with. */
export function makeAgent(word: string, shop: Workshop, set: Partial<AgentConfig> = {}): Agent | Problem {
  const { config, root } = shop;
  const [kind = "", rest = ""] = split(word);
  if (kind === "scripted") {
    const path = resolve(root, rest);
    const script = readScript(path);
    return "code" in script && "message" in script
      ? (script as Problem)
      : scripted(script as never, dirname(path));
  }
  if (kind === "command") return commandAgent(word, { command: [rest] }, shop);
  const configured = config.agents?.[word];
  if (configured) return makers[configured.kind ?? "command"](word, { ...configured, ...set }, shop);
  if (kind === "acp") return acpAgent(word, { command: [rest], ...set }, shop);
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

function commandAgent(name: string, config: AgentConfig, shop: Workshop): Agent {
  const [program = "", ...args] = config.command ?? [];
  return command({ ...shared(name, config, shop), program: [inRoot(shop.root, program), ...args] });
}

function claudeAgent(name: string, config: AgentConfig, shop: Workshop): Agent | Problem {
  const found = programOf(claudeProgram, config, shop);
  if (isProblem(found)) return found;
  const missing = noKey(name, config, claudeCredentials);
  if (missing) return missing;
  const common = shared(name, config, shop);
  const readable = [...common.readable, ...found.readable];
  return claude({ ...common, readable, program: found.program, ...chosen(config) });
}

function codexAgent(name: string, config: AgentConfig, shop: Workshop): Agent | Problem {
  const found = programOf(codexProgram, config, shop);
  if (isProblem(found)) return found;
  const missing = noKey(name, config, codexCredentials.toReversed());
  if (missing) return missing;
  const common = shared(name, config, shop);
  const readable = [...common.readable, ...found.readable];
  return codex({ ...common, readable, program: found.program, ...chosen(config) });
}

/** `acp:gemini` is one that is known; `acp:./x` is any program; `gemini-2.5-pro` after a second colon is a model. */
function acpAgent(name: string, config: AgentConfig, shop: Workshop): Agent | Problem {
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
  const common = shared(name, config, shop);
  return acp({
    ...common,
    readable: [...common.readable, ...found.readable],
    command: [found.program, ...further],
    quirks,
    ...chosen({ ...config, ...(model !== undefined && { model }) }),
  });
}

function programOf(wanted: NativeProgram, { path }: AgentConfig, { root }: Workshop) {
  return findNative(wanted, path === undefined ? undefined : inRoot(root, path), process.env.PATH ?? "");
}

/** Before anything starts: an agent without a key would cost a workspace and a try to find out. */
function noKey(name: string, { env = [] }: AgentConfig, credentials: readonly string[]): Problem | undefined {
  if (env.length > 0 || credentials.some((variable) => process.env[variable])) return undefined;
  const [only, ...others] = credentials;
  const unset = others.length === 0 ? `${only} is not set` : `none of ${credentials.join(", ")} is set`;
  return problem("no-key", `\`${name}\` has no key: ${unset}`, { hint: signIn({ credentials }) });
}

const turnsUnlessSaid = 200;

const chosen = ({ model, effort }: AgentConfig) => ({
  ...(model !== undefined && { model }),
  ...(effort !== undefined && { effort }),
});

function shared(name: string, settings: AgentConfig, { box, config }: Workshop) {
  const { env = [], readable = [], network = true, maxTurns = turnsUnlessSaid, maxCostUsd } = settings;
  const budget = config.budget?.taskUsd ?? defaultPolicy.taskBudgetUsd;
  return {
    name,
    env,
    readable,
    network,
    box,
    maxTurns,
    maxCostUsd: maxCostUsd ?? budget,
    prices: config.prices ?? {},
  };
}

// Which agent works: named on the command line, in the configuration for a role, or for everybody.
import { dirname, resolve } from "node:path";
import type { Agent } from "../agents/agent.ts";
import { claude, claudeCredentials } from "../agents/claude.ts";
import { command } from "../agents/command.ts";
import { findClaude } from "../agents/find-claude.ts";
import { readScript, scripted } from "../agents/scripted.ts";
import type { AgentConfig, Config } from "../config/config.ts";
import { defaultPolicy } from "../core/policy.ts";
import { closest, isProblem, type Problem, problem } from "../core/problem.ts";
import type { BoxChoice } from "./box.ts";

export interface Agents {
  forRole(role: string): Agent | Problem;
}

export interface Choice {
  readonly config: Config;
  /** `--agent`, which goes before everything else. */
  readonly named: string | undefined;
  readonly root: string;
  readonly box: BoxChoice;
}

export function chooseAgents(choice: Choice): Agents {
  const made = new Map<string, Agent | Problem>();
  return {
    forRole: (role) => {
      const word = choice.named ?? choice.config.roles?.[role]?.agent ?? choice.config.agent;
      if (word === undefined) return noAgent(role);
      const agent = made.get(word) ?? agentNamed(word, choice);
      made.set(word, agent);
      return agent;
    },
  };
}

/** Everybody who may be asked to work. */
export function agentWords(config: Config, named: string | undefined): string[] {
  if (named !== undefined) return [named];
  const roles = Object.values(config.roles ?? {}).map((role) => role.agent);
  return [config.agent, ...roles].filter((word) => word !== undefined);
}

export function noAgent(role: string): Problem {
  return problem("no-agent", `no agent is named for role \`${role}\``, {
    hint: '--agent claude, --agent command:./my-agent, or "agent": … in .heddle/config.json',
  });
}

function agentNamed(word: string, choice: Choice): Agent | Problem {
  const { config, root } = choice;
  const [kind = "", rest = ""] = split(word);
  if (kind === "scripted") {
    const path = resolve(root, rest);
    const script = readScript(path);
    return "code" in script && "message" in script
      ? (script as Problem)
      : scripted(script as never, dirname(path));
  }
  if (kind === "command") return commandAgent(word, { command: [rest] }, choice);
  const configured = config.agents?.[word];
  if (configured?.kind === "claude") return claudeAgent(word, configured, choice);
  if (configured) return commandAgent(word, configured, choice);
  if (kind === "claude") return claudeAgent(word, claudeSettings(config, rest), choice);
  const meant = closest(word, ["claude", ...Object.keys(config.agents ?? {})]);
  return problem("unknown-agent", `\`${word}\` is not an agent`, {
    hint: meant
      ? `did you mean \`${meant}\`?`
      : "claude, command:./program, or a name from `agents` in .heddle/config.json",
  });
}

/** `claude:model` is the `claude` that was configured, with another model. */
function claudeSettings({ agents }: Config, model: string): AgentConfig {
  const base = agents?.claude?.kind === "claude" ? agents.claude : {};
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

function commandAgent(name: string, config: AgentConfig, { root, box }: Choice): Agent {
  const [program = "", ...args] = config.command ?? [];
  return command({ ...sharedSettings(name, config, box), program: [inRoot(root, program), ...args] });
}

const turnsUnlessSaid = 200;

function claudeAgent(name: string, config: AgentConfig, choice: Choice): Agent | Problem {
  const { root, box } = choice;
  const path = config.path === undefined ? undefined : inRoot(root, config.path);
  const found = findClaude(path, process.env.PATH ?? "");
  if (isProblem(found)) return found;
  const { env = [], maxTurns = turnsUnlessSaid, model } = config;
  if (env.length === 0 && !claudeCredentials.some((variable) => process.env[variable]))
    return problem("no-key", `\`${name}\` has no key: none of ${claudeCredentials.join(", ")} is set`, {
      hint: "export ANTHROPIC_API_KEY=…, or CLAUDE_CODE_OAUTH_TOKEN from `claude setup-token`",
    });
  const budget = choice.config.budget?.taskUsd ?? defaultPolicy.taskBudgetUsd;
  const common = sharedSettings(name, config, box);
  return claude({
    ...common,
    program: found.program,
    readable: [...common.readable, ...found.readable],
    ...(model !== undefined && { model }),
    maxTurns,
    maxCostUsd: config.maxCostUsd ?? budget,
  });
}

function sharedSettings(
  name: string,
  { env = [], readable = [], network = true }: AgentConfig,
  box: BoxChoice,
) {
  return { name, env, readable, network, box };
}

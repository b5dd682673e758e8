// Which agent works: named on the command line, in the configuration for a role, or for everybody.
import { dirname, resolve } from "node:path";
import type { Agent } from "../agents/agent.ts";
import { command } from "../agents/command.ts";
import { readScript, scripted } from "../agents/scripted.ts";
import type { AgentConfig, Config } from "../config/config.ts";
import { closest, type Problem, problem } from "../core/problem.ts";
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
    hint: '--agent command:./my-agent, or "agent": … in .heddle/config.json',
  });
}

function agentNamed(word: string, { config, root, box }: Choice): Agent | Problem {
  const [kind = "", rest = ""] = split(word);
  if (kind === "scripted") {
    const path = resolve(root, rest);
    const script = readScript(path);
    return "code" in script && "message" in script
      ? (script as Problem)
      : scripted(script as never, dirname(path));
  }
  if (kind === "command") return made(word, { command: [inRoot(root, rest)] }, box);
  const configured = config.agents?.[word];
  if (configured) {
    const [program = "", ...args] = configured.command;
    return made(word, { ...configured, command: [inRoot(root, program), ...args] }, box);
  }
  const meant = closest(word, Object.keys(config.agents ?? {}));
  return problem("unknown-agent", `\`${word}\` is not an agent`, {
    hint: meant
      ? `did you mean \`${meant}\`?`
      : "command:./program, or a name from `agents` in .heddle/config.json",
  });
}

/** `./x` means a file of the project, not of wherever the agent happens to stand. */
function inRoot(root: string, program: string): string {
  return program.includes("/") ? resolve(root, program) : program;
}

function split(word: string): string[] {
  const at = word.indexOf(":");
  return at < 0 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}

function made(name: string, config: AgentConfig, box: BoxChoice): Agent {
  return command({
    name,
    program: config.command,
    env: config.env ?? [],
    readable: config.readable ?? [],
    network: config.network ?? true,
    box,
  });
}

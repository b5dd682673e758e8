// Which agent works: named on the command line, in the configuration for a role, or for everybody.
import type { Agent } from "../agents/agent.ts";
import type { Config } from "../config/config.ts";
import { type Problem, problem } from "../core/problem.ts";
import { makeAgent, type Workshop } from "./make-agent.ts";

export interface Agents {
  forRole(role: string): Agent | Problem;
}

export interface Choice extends Workshop {
  /** `--agent`, which goes before everything else. */
  readonly named: string | undefined;
}

export function chooseAgents(choice: Choice): Agents {
  const made = new Map<string, Agent | Problem>();
  return {
    forRole: (role) => {
      const word = choice.named ?? choice.config.roles?.[role]?.agent ?? choice.config.agent;
      if (word === undefined) return noAgent(role);
      const agent = made.get(word) ?? makeAgent(word, choice);
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
    hint: '--agent claude, --agent codex, --agent command:./my-agent, or "agent": … in .heddle/config.json',
  });
}

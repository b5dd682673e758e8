// Who works for a run, and in what box: chosen here, for every protocol alike.
import type { Config } from "../config/config.ts";
import type { App } from "../engine/app.ts";
import { type Agents, agentWords, chooseAgents } from "./agents.ts";
import { type BoxChoice, findBox, needBox } from "./box.ts";

export interface Wanted {
  /** Nothing before the project's first run. */
  readonly app: App | undefined;
  readonly root: string;
  readonly config: Config;
  /** The agent that the person named. */
  readonly agent: string | undefined;
  /** Whether the person said that agents may run without a box. */
  readonly unconfined: boolean;
  /** Whether anything may run although no agent is named: heddle's own commands need a box as well. */
  readonly mayLackAgents?: boolean;
}

export interface Workers {
  readonly box: BoxChoice;
  readonly agents: Agents;
  /** Whether something that needs a box runs without one, because the person said so. */
  readonly isUnconfined: boolean;
}

/** For commands that heddle itself runs, where no agent is asked. Throws where there is no box, and nobody waived it. */
export const boxFor = (app: App, config: Config): Promise<BoxChoice> =>
  needBox(app, { unconfined: config.unconfined === true, config });

/** Scripted agents are heddle's own code: they need no box, and prove nothing about one. */
export async function workersFor(wanted: Wanted): Promise<Workers> {
  const { app, root, config, agent, unconfined, mayLackAgents = false } = wanted;
  const words = agentWords(config, agent);
  const isNeeded = words.length === 0 ? mayLackAgents : words.some((word) => !word.startsWith("scripted:"));
  const isWaived = unconfined || config.unconfined === true;
  const box = await findBox(app, { unconfined: isWaived || !isNeeded, config, root });
  const agents = chooseAgents({ config, named: agent, root, box });
  return { box, agents, isUnconfined: isWaived && isNeeded };
}

// The agent that a person named for a run: it is remembered by the run, so that the same command, and every hint, goes on
// without naming it again (X27). What the configuration says since then goes before it.
import type { Config } from "../config/config.ts";
import type { Json } from "../core/run.ts";
import type { App } from "../engine/app.ts";

export async function agentFor(
  app: App,
  config: Config,
  said: string | undefined,
): Promise<string | undefined> {
  if (said !== undefined) return said;
  const { agent, agent_beside } = await app.look(({ metadata }) => metadata);
  return typeof agent === "string" && agent_beside === (config.agent ?? null) ? agent : undefined;
}

/** As the run's metadata keep it. */
export function remembered(config: Config, named: string | undefined): Record<string, Json> {
  return named === undefined ? {} : { agent: named, agent_beside: config.agent ?? null };
}

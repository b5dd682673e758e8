// What an agent's calls used, added up; a cost that nobody told makes the sum unknown, never smaller.
import type { AgentEvent } from "../agents/agent.ts";
import type { Spent } from "../core/input.ts";

export function addUsage(
  before: Spent | undefined,
  agent: string,
  { inputTokens, outputTokens, costUsd }: Extract<AgentEvent, { kind: "spent" }>,
): Spent {
  if (!before) return { agent, inputTokens, outputTokens, costUsd };
  const known = before.costUsd === null || costUsd === null ? null : before.costUsd + costUsd;
  return {
    agent,
    inputTokens: before.inputTokens + inputTokens,
    outputTokens: before.outputTokens + outputTokens,
    costUsd: known,
  };
}

// What an agent's calls used, added up; a cost that nobody told makes the sum unknown, never smaller.
import type { AgentEvent } from "../agents/agent.ts";
import type { Spent } from "../core/input.ts";
import { readIfThere } from "../host/files.ts";

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

/** What an agent had told of its spending before it was cut off; what it spent after that nobody knows. */
export function spentSoFar(eventsFile: string, agent: string): Spent | undefined {
  const lines = (readIfThere(eventsFile) ?? "").split("\n").filter((line) => line.includes('"kind":"spent"'));
  const told = lines.reduce<Spent | undefined>((sum, line) => {
    const event = eventIn(line);
    return event?.kind === "spent" ? addUsage(sum, agent, event) : sum;
  }, undefined);
  return told && { ...told, costUsd: null };
}

/** The last line may have been cut off with its writer. */
function eventIn(line: string): AgentEvent | undefined {
  try {
    return JSON.parse(line) as AgentEvent;
  } catch {
    return undefined;
  }
}

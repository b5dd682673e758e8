// What an agent's calls used, added up; a cost that nobody told makes the sum unknown, never smaller.

import type { Agent, AgentEvent } from "../agents/agent.ts";
import { amount, sum } from "../core/bounds.ts";
import type { Spent } from "../core/input.ts";
import { recordIn } from "../core/json.ts";
import { readRecord } from "../host/handed-in.ts";

export function addUsage(
  before: Spent | undefined,
  agent: string,
  { inputTokens, outputTokens, costUsd }: Extract<AgentEvent, { kind: "spent" }>,
): Spent {
  const told = { inputTokens: 0, outputTokens: 0, costUsd: 0, ...before };
  return {
    agent,
    inputTokens: sum(told.inputTokens, amount(inputTokens)),
    outputTokens: sum(told.outputTokens, amount(outputTokens)),
    costUsd: told.costUsd === null || costUsd === null ? null : sum(told.costUsd, amount(costUsd)),
  };
}

/**
 * What an agent had told of its spending before it was cut off; what it spent after that nobody knows. Behind the gateway a
 * request may have been under way, which the vendor is paid for: then it is unknown, even if nothing was told.
 */
export function spentSoFar(
  eventsFile: string,
  agent: string,
  gate: Agent["gate"] | undefined,
): Spent | undefined {
  const lines = (readRecord(eventsFile) ?? "").split("\n").filter((line) => line.includes('"kind":"spent"'));
  const told = lines.reduce<Spent | undefined>((sum, line) => {
    const event = eventIn(line);
    return event?.kind === "spent" ? addUsage(sum, agent, event) : sum;
  }, undefined);
  const unknown = { agent, inputTokens: 0, outputTokens: 0 };
  return told || gate?.routes.length ? { ...unknown, ...told, costUsd: null } : undefined;
}

/** The last line may have been cut off with its writer. */
function eventIn(line: string): AgentEvent | undefined {
  return recordIn<AgentEvent>(line);
}

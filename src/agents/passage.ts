// An agent's way through the gateway to its model, for one conversation: what it asks is counted there and written down as
// what it spent; what it says about it is compared, and a difference is shown.
import { amount, sum } from "../core/bounds.ts";
import type { Budget } from "../gateway/budget.ts";
import { gatePort, openPass } from "../gateway/gateway.ts";
import type { Agent, AgentEvent, Order, Stopped } from "./agent.ts";
import { machineLogins } from "./logins.ts";
import { failedAs, outageAs } from "./program.ts";

type SpentEvent = Extract<AgentEvent, { kind: "spent" }>;

interface Passage {
  readonly gate: NonNullable<Order["gate"]>;
  /** Aborted when it was refused for a budget, and did not end by itself. */
  readonly over: AbortSignal;
  reported(event: SpentEvent): void;
  /** How it stopped, where the gateway knows better why. */
  explained(how: Stopped): Stopped;
  /** What is left to be said when it is gone. */
  close(): Promise<AgentEvent[]>;
}

/** After it was told that there is no more money: enough to say goodbye. */
const patienceMs = 10_000;

/** Nothing, for an agent that asks its model itself. */
export function passageFor(
  { agent, budgets = [] }: { readonly agent: Agent; readonly budgets?: readonly Budget[] | undefined },
  spend: (event: SpentEvent) => void,
  say: (text: string) => void = () => {},
): Passage | undefined {
  if (!agent.gate) return undefined;
  const { maxCostUsd, ...wish } = agent.gate;
  const over = new AbortController();
  const [counted, told] = [new Sum(), new Sum()];
  const call: Budget = { whose: "this call", key: null, limitUsd: maxCostUsd, spentUsd: 0 };
  const pass = openPass({
    ...wish,
    logins: machineLogins,
    budgets: [call, ...budgets],
    counted: ({ inputTokens, outputTokens, costUsd }) => {
      const event: SpentEvent = { kind: "spent", inputTokens, outputTokens, costUsd };
      counted.add(event);
      // A price that nobody here knows may be known to the agent, which tells it in the end.
      spend({ ...event, costUsd: costUsd ?? 0 });
    },
    hostRefused: ({ sentence }) => say(sentence),
    refused: () => void setTimeout(() => over.abort(), patienceMs).unref(),
  });
  return {
    gate: { port: gatePort, serve: pass.serve, variables: pass.variables },
    over: over.signal,
    // Without a way to a model nothing can be counted here.
    reported: (event) => (wish.routes.length === 0 ? spend(event) : told.add(event)),
    explained: (how) => {
      if (how.kind !== "failed") return how;
      if (pass.refused !== undefined) return failedAs("budget", pass.refused);
      if (pass.unreachable !== undefined && !how.limit)
        return outageAs(`the model's API could not be reached: ${pass.unreachable}`);
      return how.limit?.resetsInMs === null && pass.limit ? { ...how, limit: pass.limit } : how;
    },
    close: async () => {
      await pass.close();
      return settled(counted, told);
    },
  };
}

class Sum {
  inputTokens = 0;
  outputTokens = 0;
  costUsd = 0;
  isUnknown = false;
  isEmpty = true;

  add({ inputTokens, outputTokens, costUsd }: SpentEvent): void {
    this.isEmpty = false;
    this.inputTokens = sum(this.inputTokens, amount(inputTokens));
    this.outputTokens = sum(this.outputTokens, amount(outputTokens));
    this.costUsd = sum(this.costUsd, amount(costUsd ?? 0));
    this.isUnknown ||= costUsd === null;
  }
}

/** What the gateway could not price is as much as the agent says, if it says so; otherwise nobody knows. */
function settled(counted: Sum, told: Sum): AgentEvent[] {
  // Nothing came this way: what it says is all that there is.
  if (counted.isEmpty && !told.isEmpty) {
    const { inputTokens, outputTokens, costUsd, isUnknown } = told;
    return [{ kind: "spent", inputTokens, outputTokens, costUsd: isUnknown ? null : costUsd }];
  }
  const isTold = !told.isEmpty && !told.isUnknown && told.costUsd > 0;
  if (counted.isUnknown) {
    const costUsd = isTold ? Math.max(0, told.costUsd - counted.costUsd) : null;
    return [{ kind: "spent", inputTokens: 0, outputTokens: 0, costUsd }];
  }
  const text = difference(counted, told);
  return text === undefined ? [] : [{ kind: "said", text }];
}

/** Sums of many small numbers, and prices of another day, differ a little. */
const tolerance = 0.01;

/** Agents leave out what they do not know; what they do say should be so. */
function difference(counted: Sum, told: Sum): string | undefined {
  const differs = (mine: number, theirs: number) =>
    theirs > 0 && Math.abs(mine - theirs) > Math.max(mine, theirs) * tolerance;
  const tokensDiffer =
    differs(counted.inputTokens, told.inputTokens) || differs(counted.outputTokens, told.outputTokens);
  const costDiffers = !told.isUnknown && differs(counted.costUsd, told.costUsd);
  if (!tokensDiffer && !costDiffers) return undefined;
  const said = (each: Sum) =>
    `${each.inputTokens} + ${each.outputTokens} tokens${each.isUnknown ? "" : `, $${Number(each.costUsd.toFixed(4))}`}`;
  return `(the agent reports ${said(told)}; heddle's gateway counted ${said(counted)}, which is recorded)`;
}

// The room of agents: one file per agent program, behind one port, and what these files share. It starts programs through `host/program`
// alone, asks the gateway for their way to a model, and knows no journal, no run and no configuration file.
//
// The agent port: anything that can be given a bundle and works until it stops. One file per agent, one suite
// (test/agents) that all of them pass.
import type { Wish } from "../gateway/gateway.ts";
import type { Gate } from "../host/program/gate.ts";
import type { Limits } from "../host/program/limits.ts";
import type { Recipe } from "./recipe.ts";
import type { Steered } from "./steering.ts";

export interface Order {
  /** Who is to work: a role's name, or the executor of a task. */
  readonly role: string;
  readonly task: string;
  readonly attempt: number;
  /** The one file that tells it everything. */
  readonly bundle: string;
  /** A secret that is good for this attempt alone. */
  readonly token: string;
  /** Where its output belongs: a file, or a folder that exists. */
  readonly output: string;
  readonly workspace: Workspace;
  readonly limits: Limits;
  /** The name of its conversation, a UUID: written down before the start, so that it can be taken up again. */
  readonly session?: string;
  /** Whether a person approved what the workspace's files tell this agent to run: hooks, servers, settings. */
  readonly trusted?: boolean;
  /** The gateway to its model, where it works behind one: its box has no network, and no key is in it. */
  readonly gate?: Gate & { readonly variables: Readonly<Record<string, string>> };
  /** Its name among processes, so that whatever is left of it can be ended by anybody, later. */
  readonly mark?: string;
}

export interface Workspace {
  /** The current directory; it may write here. */
  readonly cwd: string;
  readonly home: string;
  /** For its temporary files, where no box gives it a /tmp of its own. */
  readonly tmp?: string;
  /** Variables of this workspace alone: its port, where its socket lies. */
  readonly env?: Readonly<Record<string, string>>;
  /** Further paths that it may write, and that it may read. */
  readonly writable: readonly string[];
  readonly readable: readonly string[];
  /** Where its raw output is kept. */
  readonly records: string;
}

export type AgentEvent =
  | { readonly kind: "said"; readonly text: string }
  | { readonly kind: "used-tool"; readonly name: string; readonly detail: string }
  /** What was used since the last such event; a cost of null makes the cost of the whole unknown. */
  | {
      readonly kind: "spent";
      readonly inputTokens: number;
      readonly outputTokens: number;
      readonly costUsd: number | null;
    }
  | {
      readonly kind: "asked";
      readonly id: string;
      readonly text: string;
      readonly options: readonly string[];
    }
  | { readonly kind: "stopped"; readonly how: Stopped };

/** How it stopped: that is all that an agent's end says. Whether its work is right is for heddle to see. */
export type Stopped =
  | { readonly kind: "finished" }
  | {
      readonly kind: "failed";
      readonly category: "runtime" | "timeout" | "environment" | "budget";
      readonly message: string;
      readonly retryable: boolean;
      /** It may not be asked for a while, and how long, as far as it says. */
      readonly limit?: { readonly resetsInMs: number | null };
      /** The API that it asks is down, or cannot be reached: no fault of the agent, if it was there before. */
      readonly outage?: true;
    };

export interface Agent {
  readonly name: string;
  /** The word by which it was chosen, where that is not its name: it is left alone, and replaced, by this word. */
  readonly word?: string;
  /** Whose models it asks, as far as that is known: a second opinion is best had from somebody else (X9). */
  readonly vendor?: string;
  /** Whose settings in a repository steer it, if any do. */
  readonly steeredBy?: Steered;
  /** What it asks of the gateway to models; nothing, where it asks them itself. */
  readonly gate?: Omit<Wish, "budgets" | "counted" | "refused" | "hostRefused"> & {
    readonly maxCostUsd: number;
  };
  /** How it is made anew in another process. */
  readonly recipe?: Recipe;
  /** It takes no MCP server at all, ours included, where it may not follow the workspace's settings. */
  readonly needsTrust?: boolean;
  /**
   * Works on `order` until the agent stops.
   *
   * Contract: never throws; yields exactly one `stopped` event, and it is the last; after an abort, `stopped` arrives
   * within ten seconds; no process of it survives; it touches nothing outside its workspace when it is boxed.
   */
  work(order: Order, signal: AbortSignal): AsyncIterable<AgentEvent>;
  /**
   * Takes up the conversation `order.session`, whose process is gone, where it was; begins it if it never began.
   * The same contract. An agent without it cannot.
   */
  readonly resume?: (order: Order, signal: AbortSignal) => AsyncIterable<AgentEvent>;
}

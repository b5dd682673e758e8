// The room where one order is carried out, one file per effect, named like it. It works in the attempt's folder and the
// repository that the order names; it knows no journal, no App and no configuration file.
//
// The port between deciding and doing. An order is plain JSON that holds everything needed to carry one effect out, and so
// is what comes of it: whoever reads an order needs no journal, no configuration file and no run. `orders/` makes orders
// from effects and turns what came of them into outcomes; `carry.ts` carries them out.
import type { AgentEvent } from "../agents/agent.ts";
import type { Recipe } from "../agents/recipe.ts";
import type { Approvals } from "../agents/steering.ts";
import type { Input, Outcome } from "../core/input.ts";
import type { Evidence } from "../core/run-parts.ts";
import type { BaselineChecking } from "./check-baseline.ts";
import type { Checking } from "./evidence/check-tree.ts";
import type { Skill } from "./given/skill.ts";
import type { Logged } from "./inside/requests.ts";
import type { MergeOrder } from "./merge.ts";
import type { Preparation } from "./prepare-workspace.ts";
import type { OutputKind } from "./product.ts";
import type { Park, TaskWork } from "./run-agent.ts";
import type { RoleWork } from "./run-role.ts";

/** What cannot be said in JSON, and is the carrying process's own. */
type Live = "agent" | "handIn" | "now" | "watch" | "park" | "trust";

/** An attempt at a task. */
export interface TaskOrder extends Omit<TaskWork, Live> {
  readonly agent: Recipe;
  /** Who works, by what schema its result is read. */
  readonly handIn: { readonly role: string; readonly schema: string };
  readonly approved: Approvals;
}

export interface ReviewOrder extends TaskOrder {
  readonly reviewer: { readonly agent: Recipe; readonly limits: TaskWork["limits"] };
  readonly skill: Skill;
  readonly diff: string;
  readonly evidence: Evidence | null;
  /** Why the reviewer that was asked before could not be: another one is asked now. */
  readonly limited: string | null;
}

export interface RepairOrder extends TaskOrder {
  readonly fixer: Recipe | null;
  readonly skill: Skill;
}

/** An attempt of a role. */
export interface RoleOrder
  extends Omit<RoleWork, "agent" | "product" | "bundle" | "watch" | "park" | "trust"> {
  readonly agent: Recipe;
  readonly makes: OutputKind;
  readonly bundle: string;
  /** Where it works among the repository's files: what of their settings a person approved. */
  readonly settings: { readonly approved: Approvals; readonly root: string } | null;
}

export type WorkOrder =
  | ({ readonly kind: "prepare-workspace" } & Preparation)
  | ({ readonly kind: "run-agent" } & TaskOrder)
  | ({ readonly kind: "repair-result" } & RepairOrder)
  /** `commit`: one that has this tree, where there is one. */
  | ({ readonly kind: "run-checks"; readonly tree: string; readonly commit?: string } & Checking)
  | ({ readonly kind: "review-work" } & ReviewOrder)
  | ({ readonly kind: "prepare-merge" } & MergeOrder)
  | ({ readonly kind: "check-baseline" } & BaselineChecking)
  | ({ readonly kind: "run-role" } & RoleOrder)
  | ({ readonly kind: "repair-output"; readonly broken: string } & RoleOrder);

/** What is told while an order is carried out: who is at work, with which agent, and what it does. */
export interface WorkEvent {
  readonly who: string;
  readonly agent: string;
  readonly event: AgentEvent;
}

/** How an agent ended that was asked: whoever gave the order knows whom to ask next. */
export interface AgentEnd {
  readonly word: string;
  readonly why: Parameters<Park>[1];
  readonly message: string;
}

/** What came of an order: its outcome, or the evidence that one is made of. */
export interface Carried {
  readonly outcome: Outcome;
  readonly agent?: AgentEnd;
}

/** How a carrier speaks to whoever gave the order. */
export interface Hearing {
  readonly tell: (event: WorkEvent) => void;
  /** Has an input of the agent's written down before the agent is told that it was; the answer is why it was not. */
  readonly submit: (input: Input) => Promise<string | undefined>;
  /** A line of the agent's for the activity logs. */
  readonly log: (line: Logged) => void;
}

/**
 * The world: carries one order out, here or elsewhere.
 *
 * Contract: asks first whether the result is there already; stops soon after `signal` is aborted; answers once. What it
 * throws is a failure of the world's. Nothing that it starts outlives it, nor whoever gave the order.
 */
export interface Carrier {
  carry(order: WorkOrder, hearing: Hearing, signal: AbortSignal): Promise<Carried>;
}

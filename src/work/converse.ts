// One conversation with an agent, from its start to its end: the same for a task's executor, a role, a reviewer, a fixer and
// an adviser. What they are asked and what is made of their answer is each effect's own.
import { dirname } from "node:path";
import type { Agent, AgentEvent, Order, Stopped } from "../agents/agent.ts";
import { passageFor } from "../agents/passage.ts";
import type { Input, Spent } from "../core/input.ts";
import type { Budget } from "../gateway/budget.ts";
import { isThereItself, replaceFile } from "../host/files.ts";
import { Gathered } from "../host/gathered.ts";
import { FinalMessage } from "./final-message.ts";
import { addUsage } from "./usage.ts";

export interface Conversation {
  readonly agent: Agent;
  readonly order: Order;
  /** How it begins, when that is not anew. */
  readonly events?: (order: Order, signal: AbortSignal) => AsyncIterable<AgentEvent>;
  /** What was spent before, in the same attempt. */
  readonly spent?: Spent | undefined;
  /** Where every event is kept, in a line each, with its time. */
  readonly kept?: { readonly file: string; readonly now: () => string };
  readonly watch?: (event: AgentEvent) => void;
  /** Said before it begins: what a person should know of how it was set up. */
  readonly note?: string | undefined;
  /** Whom a question is about. */
  readonly about?: string;
  /** What may still be spent, for an agent behind the gateway to models. */
  readonly budgets?: readonly Budget[] | undefined;
}

export interface Conversed {
  /** How the agent ended: it says nothing about its work, only whether there may be any. */
  readonly stopped: Stopped;
  readonly usage: Spent | undefined;
  /** What it wants a person to answer. */
  readonly asked: readonly Input[];
}

/** Contract: never throws for what the agent does; what cannot be kept on the disk ends no conversation. */
export async function converse(conversation: Conversation, signal: AbortSignal): Promise<Conversed> {
  const { agent, kept, watch, note } = conversation;
  const { events = (given, until) => agent.work(given, until), about = conversation.order.task } =
    conversation;
  const lines = kept && new Gathered(kept.file);
  const tell = (event: AgentEvent) => {
    lines?.push(`${JSON.stringify({ at: kept?.now(), ...event })}\n`);
    watch?.(event);
  };
  const asked: Input[] = [];
  let isOver = false;
  const final = new FinalMessage();
  let [usage, stopped]: [Spent | undefined, Stopped] = [conversation.spent, { kind: "finished" }];
  if (note !== undefined) tell({ kind: "said", text: note });
  const spend = (event: Extract<AgentEvent, { kind: "spent" }>) => {
    tell(event);
    usage = addUsage(usage, agent.name, event);
  };
  const passage = passageFor(conversation, spend, (text) => tell({ kind: "said", text }));
  const order = passage ? { ...conversation.order, gate: passage.gate } : conversation.order;
  const until = passage ? AbortSignal.any([signal, passage.over]) : signal;
  for await (const event of events(order, until)) {
    // Behind the gateway it is counted what it spends; what it says about it is only compared.
    if (event.kind === "spent") passage ? passage.reported(event) : spend(event);
    else if (event.kind !== "stopped") tell(event);
    else [stopped, isOver] = [passage?.explained(event.how) ?? event.how, true];
    final.hear(event);
    if (event.kind === "asked") asked.push(question(event, about, order.attempt));
  }
  for (const event of (await passage?.close()) ?? []) event.kind === "spent" ? spend(event) : tell(event);
  if (isOver) tell({ kind: "stopped", how: stopped });
  if (stopped.kind === "finished" && asked.length === 0 && handInFrom(final, order))
    tell({ kind: "said", text: "(no output was written: the final message is taken as the output)" });
  lines?.end();
  return { stopped, usage, asked };
}

/** A folder of files is never said in one message. */
function handInFrom(final: FinalMessage, { output }: Order): boolean {
  if (isThereItself(output) || !isThereItself(dirname(output))) return false;
  const text = final.document();
  if (text !== undefined) replaceFile(output, text);
  return text !== undefined;
}

type Asked = Pick<Extract<AgentEvent, { kind: "asked" }>, "id" | "text" | "options">;

/** As it is asked of a person: its id names the attempt, so that the next one can ask the same again. */
export function question({ id, text, options }: Asked, about: string, attempt: number): Input {
  return { kind: "ask", id: `${about}-${attempt}-${id}`, text, options, about };
}

// What Codex prints (`exec --json`), understood line by line. Seen in 0.166.0:
//
//   thread.started ── turn.started ── (item.started ── item.completed)* ── turn.completed | turn.failed
//                                          └ error: it tries again, or is about to fail
//
// An interrupted run ends without a last word. Tokens come with `turn.completed`, counted from the beginning of the
// conversation; what single calls used is read from its own notes (`codex-rollout.ts`).
import { type Fields, fieldsOf } from "../core/json.ts";
import type { Limits } from "../host/program/limits.ts";
import type { Ending, ProgramLine } from "../host/program/program.ts";
import type { AgentEvent, Stopped } from "./agent.ts";
import { type Rollout, tokensIn } from "./codex-rollout.ts";
import { apiFailure, type Stream, saidIn, shortened } from "./conversation.ts";
import { costOf, type Prices, type Tokens } from "./prices.ts";
import { failedAs, jsonIn, outageAs, stoppedBy } from "./program.ts";
import { isUsageLimit, limitedAs } from "./usage-limit.ts";

const longestDetail = 200;
const longestReason = 300;

export interface Counting {
  readonly rollout: Rollout;
  readonly model?: string;
  readonly prices?: Prices;
}

export class CodexStream implements Stream {
  readonly #counting: Counting;
  #told: Tokens;
  readonly #callsBefore: number;
  readonly #items = new Set<string>();
  #began = false;
  #end: { readonly failed: string | undefined } | undefined;
  #lastError = "";

  constructor(counting: Counting) {
    this.#counting = counting;
    // What an earlier process of the same conversation used was told then, or is unknown.
    const { total, calls } = counting.rollout.read();
    this.#told = total;
    this.#callsBefore = calls;
  }

  get isOver(): boolean {
    return this.#end !== undefined;
  }

  /** Its own count of calls, or what it did, where there is no such count. */
  get turns(): number {
    const calls = this.#counting.rollout.read().calls - this.#callsBefore;
    return calls > 0 ? calls : this.#items.size;
  }

  hear({ text, from, cut }: ProgramLine): AgentEvent[] {
    if (text.trim() === "") return [];
    const value = from === "stdout" ? jsonIn(text) : undefined;
    if (from === "stderr") return this.#complained(text);
    if (!value || typeof value.type !== "string")
      return cut || value ? [] : [{ kind: "said", text: shortened(text, 2000) }];
    return [...this.#understood(value), ...this.#used(this.#counting.rollout.read().total)];
  }

  end(how: Ending, limits: Limits): AgentEvent[] {
    const last = this.#used(this.#counting.rollout.read().total);
    // What it used after its last word nobody knows.
    const unknown = this.#began && !this.#end;
    const open: AgentEvent[] = unknown
      ? [{ kind: "spent", inputTokens: 0, outputTokens: 0, costUsd: null }]
      : [];
    return [...last, ...open, { kind: "stopped", how: this.#stopped(how, limits) }];
  }

  #understood(value: Fields): AgentEvent[] {
    switch (value.type) {
      case "thread.started":
        this.#began = true;
        return [];
      case "turn.started":
        this.#end = undefined;
        return [];
      case "item.started":
      case "item.completed":
        return this.#item(fieldsOf(value.item), value.type === "item.completed");
      case "error":
        this.#lastError = wordIn(value, "message");
        return [{ kind: "said", text: shortened(this.#lastError, longestReason) }];
      case "turn.failed":
        this.#end = { failed: wordIn(fieldsOf(value.error), "message") || this.#lastError };
        return [];
      case "turn.completed": {
        this.#end = { failed: undefined };
        const total = tokensIn(value.usage);
        return total ? this.#used(total) : [];
      }
      default:
        return [];
    }
  }

  #item(item: Fields, completed: boolean): AgentEvent[] {
    if (item.type === "agent_message") return completed ? saidIn(wordIn(item, "text")) : [];
    if (item.type === "error")
      return [{ kind: "said", text: shortened(wordIn(item, "message"), longestReason) }];
    const tool = toolIn(item);
    const id = wordIn(item, "id");
    if (!tool || this.#items.has(id)) return [];
    this.#items.add(id);
    return [{ kind: "used-tool", name: tool.name, detail: shortened(tool.detail, longestDetail) }];
  }

  /** What was used since the last time. */
  #used(total: Tokens): AgentEvent[] {
    const input = total.input - this.#told.input;
    const output = total.output - this.#told.output;
    if (input < 0 || output < 0 || input + output === 0) return [];
    const cachedInput = Math.max(0, total.cachedInput - this.#told.cachedInput);
    this.#told = total;
    const { model, prices } = this.#counting;
    const costUsd = costOf(model, { input, cachedInput, output }, prices);
    return [{ kind: "spent", inputTokens: input, outputTokens: output, costUsd }];
  }

  #complained(text: string): AgentEvent[] {
    // It would like helpers beside its home, which lies where nobody may put programs; it works without.
    if (text.startsWith("WARNING: proceeding")) return [];
    this.#lastError = text;
    return [{ kind: "said", text: shortened(text, 2000) }];
  }

  #stopped(how: Ending, limits: Limits): Stopped {
    const ended = how.kind === "exited" || how.kind === "signalled" || how.kind === "aborted";
    if (this.#end && ended)
      return this.#end.failed === undefined ? { kind: "finished" } : failureIn(this.#end.failed);
    const plain = stoppedBy(how, limits);
    if (how.kind !== "exited") return plain;
    const why = shortened(this.#lastError, longestReason);
    if (how.code === 0) return failedAs("runtime", `Codex ended without saying how${why && `: ${why}`}`);
    const message = `Codex exited with code ${how.code}${why && `: ${why}`}`;
    // It never began: what it was given does not suit it, and will not the next time.
    return failedAs(this.#began ? "runtime" : "environment", message, this.#began || why === "");
  }
}

/** Codex tells an API's answer in words alone. */
function failureIn(message: string): Stopped {
  const said = shortened(message, longestReason);
  const status = /\bstatus:? (\d{3})\b/.exec(message)?.[1];
  if (status !== undefined) return apiFailure(Number(status), said);
  if (isUsageLimit(message)) return limitedAs(`Codex may not ask its model for now: ${said}`);
  if (/high demand|overloaded|at capacity/i.test(message))
    return outageAs(`the model's API is overloaded: ${said}`);
  if (/connection failed|error sending request|stream disconnected|timed? ?out|network/i.test(message))
    return apiFailure(undefined, said);
  return failedAs("runtime", `Codex stopped: ${said}`);
}

function toolIn(item: Fields): { readonly name: string; readonly detail: string } | undefined {
  switch (item.type) {
    case "command_execution":
      return { name: "shell", detail: plainCommand(wordIn(item, "command")) };
    case "file_change":
      return { name: "apply_patch", detail: changedIn(item.changes) };
    case "mcp_tool_call":
      return {
        name: `${wordIn(item, "server")}.${wordIn(item, "tool")}`,
        detail: JSON.stringify(item.arguments ?? {}),
      };
    case "web_search":
      return { name: "web_search", detail: wordIn(item, "query") };
    default:
      return undefined;
  }
}

/** What it ran, without the shell around it. */
function plainCommand(command: string): string {
  return /^\S*sh -lc '([\s\S]*)'$/.exec(command)?.[1] ?? command.replace(/^\S*sh -lc /, "");
}

function changedIn(changes: unknown): string {
  return Array.isArray(changes) ? changes.map((each) => wordIn(fieldsOf(each), "path")).join(" ") : "";
}

function wordIn(fields: Fields, key: string): string {
  const value = fields[key];
  return typeof value === "string" ? value : "";
}

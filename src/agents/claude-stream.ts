// What Claude Code prints (`--output-format stream-json`), understood line by line. Seen in 2.1.325:
//
//   system init ── (assistant: text | tool_use ── user: tool_result)* ── result
//        └ system api_retry, and subtypes that come and go
//
// Its last word alone decides nothing: an API error arrives as `subtype:"success"` with `is_error:true`, and a run that
// was interrupted exits with 0 and no `result` at all. What is not understood is passed over; it ends nothing.
import { type Fields, fieldsOf as fields } from "../core/json.ts";
import type { Limits } from "../host/program/limits.ts";
import type { Ending, ProgramLine } from "../host/program/program.ts";
import type { AgentEvent, Stopped } from "./agent.ts";
import { apiFailure, type Stream, saidIn, shortened as short } from "./conversation.ts";
import { amount, failedAs, jsonIn, stoppedBy } from "./program.ts";
import { limitedAs } from "./usage-limit.ts";

type Spent = Extract<AgentEvent, { kind: "spent" }>;

const longestDetail = 200;
const longestReason = 300;

export class ClaudeStream implements Stream {
  #result: Fields | undefined;
  #began = false;
  #lastError = "";
  /** What was told call by call; a call's output is only known in full at the end. */
  readonly #told = { input: 0, output: 0 };
  readonly #calls = new Set<string>();

  /** Whether it has said how it ended. It may go on all the same, and then this is false again. */
  get isOver(): boolean {
    return this.#result !== undefined;
  }

  get turns(): number {
    return this.#calls.size;
  }

  hear({ text, from, cut }: ProgramLine): AgentEvent[] {
    if (text.trim() === "") return [];
    const value = from === "stdout" ? jsonIn(text) : undefined;
    if (from === "stderr") this.#lastError = text;
    // A line that was cut is a large tool result; what is no event is talk.
    if (!value || typeof value.type !== "string")
      return cut || value ? [] : [{ kind: "said", text: short(text, 2000) }];
    switch (value.type) {
      case "system":
        return this.#system(value);
      case "assistant":
        this.#result = undefined;
        return [...this.#called(value), ...blocks(value).flatMap(heardBlock)];
      case "result":
        this.#result = value;
        return [];
      default:
        return [];
    }
  }

  /** The last events: what it cost, as far as anybody knows, and how it stopped. */
  end(how: Ending, limits: Limits): AgentEvent[] {
    return [...this.#settled(), { kind: "stopped", how: this.#stopped(how, limits) }];
  }

  #system(value: Fields): AgentEvent[] {
    if (value.subtype === "init") this.#began = true;
    if (value.subtype !== "api_retry") return [];
    const what = typeof value.error_status === "number" ? `answered ${value.error_status}` : "did not answer";
    return [
      { kind: "said", text: `the model's API ${what}; retry ${value.attempt} of ${value.max_retries}` },
    ];
  }

  /** One call of the model comes as several lines with the same id. */
  #called({ message }: Fields): Spent[] {
    const { id, usage, model } = fields(message);
    if (typeof id !== "string" || this.#calls.has(id) || model === "<synthetic>") return [];
    this.#calls.add(id);
    const used = fields(usage);
    const inputTokens =
      tokens(used.input_tokens) +
      tokens(used.cache_creation_input_tokens) +
      tokens(used.cache_read_input_tokens);
    const outputTokens = tokens(used.output_tokens);
    this.#told.input += inputTokens;
    this.#told.output += outputTokens;
    // The price comes with the result; `end` says so when there is none.
    return inputTokens + outputTokens > 0 ? [{ kind: "spent", inputTokens, outputTokens, costUsd: 0 }] : [];
  }

  #settled(): Spent[] {
    if (!this.#result)
      return this.#began ? [{ kind: "spent", inputTokens: 0, outputTokens: 0, costUsd: null }] : [];
    const { input, output, costUsd } = totals(this.#result);
    const inputTokens = Math.max(0, input - this.#told.input);
    const outputTokens = Math.max(0, output - this.#told.output);
    const nothing = inputTokens + outputTokens === 0 && costUsd === 0;
    return nothing ? [] : [{ kind: "spent", inputTokens, outputTokens, costUsd }];
  }

  #stopped(how: Ending, limits: Limits): Stopped {
    // After its result it is ended by us, if it lingers; that is no failure of the work.
    if (this.#result && (how.kind === "exited" || how.kind === "signalled" || how.kind === "aborted"))
      return concluded(this.#result);
    const plain = stoppedBy(how, limits);
    if (how.kind !== "exited") return plain;
    const why = short(this.#lastError, longestReason);
    if (how.code === 0)
      return failedAs("runtime", `Claude Code ended without saying how${why && `: ${why}`}`);
    const message = `Claude Code exited with code ${how.code}${why && `: ${why}`}`;
    // It never began: what it was given does not suit it, and will not the next time.
    return failedAs(this.#began ? "runtime" : "environment", message, this.#began || why === "");
  }
}

function concluded(result: Fields): Stopped {
  const { subtype, terminal_reason: reason, api_error_status: status, is_error: isError } = result;
  if (isError !== true && subtype === "success") return { kind: "finished" };
  const said = short(sentenceOf(result), longestReason);
  if (subtype === "error_max_turns" || reason === "max_turns")
    return failedAs("budget", `Claude Code used up its turns (${result.num_turns})`);
  if (subtype === "error_max_budget_usd" || reason === "budget_exhausted")
    return failedAs("budget", `Claude Code reached its cost limit: ${said}`);
  if (/usage limit|hit your limit/i.test(said))
    return limitedAs(`Claude Code may not ask its model for now: ${said}`);
  if (reason === "api_error" || typeof status === "number") return apiFailure(status, said);
  return failedAs("runtime", `Claude Code stopped (${reason ?? subtype}): ${said}`);
}

function sentenceOf({ result, errors }: Fields): string {
  if (typeof result === "string" && result !== "") return result;
  return Array.isArray(errors) ? errors.filter((each) => typeof each === "string").join("; ") : "";
}

/**
 * What this process used. `usage` leaves calls out, and `total_cost_usd` counts earlier ones of the session as well;
 * `modelUsage` stands for versions without the first.
 */
function totals(result: Fields) {
  const models = Object.values(fields(result.model_usage_since_last_result ?? result.modelUsage)).map(fields);
  const sum = (...keys: readonly string[]) =>
    models.flatMap((model) => keys.map((key) => tokens(model[key]))).reduce((a, b) => a + b, 0);
  const costs = models.map((model) => amount(model.costUSD));
  const known = models.length > 0 && costs.every((cost) => cost !== null);
  return {
    input: sum("inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens"),
    output: sum("outputTokens"),
    costUsd: known ? costs.reduce((a: number, b) => a + (b ?? 0), 0) : amount(result.total_cost_usd),
  };
}

function heardBlock(block: Fields): AgentEvent[] {
  if (block.type === "tool_use" && typeof block.name === "string")
    return [{ kind: "used-tool", name: block.name, detail: detailOf(fields(block.input)) }];
  return block.type === "text" && typeof block.text === "string" ? saidIn(block.text) : [];
}

/** The one thing that tells what a tool was used for. */
function detailOf(input: Fields): string {
  const telling = ["command", "file_path", "notebook_path", "pattern", "path", "url", "description"];
  const found = telling.map((key) => input[key]).find((value) => typeof value === "string");
  return short(typeof found === "string" ? found : JSON.stringify(input), longestDetail);
}

function blocks({ message }: Fields): Fields[] {
  const { content } = fields(message);
  return Array.isArray(content) ? content.map(fields) : [];
}

const tokens = (value: unknown) => amount(value) ?? 0;

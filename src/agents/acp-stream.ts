// The Agent Client Protocol (version 1), from the client's side: JSON-RPC, a message per line. The order of it:
//
//   initialize ── session/new | session/load ── (session/set_config_option) ── session/prompt ── answer: why it stopped
//                                                   session/update*, session/request_permission* ┘
//
// Spoken here and not by the official SDK: eight messages are needed, the stream must go through heddle's own runner
// (box, limits, redaction, records), and the SDK's interface changed whole between its versions.
import { type Fields, fieldsOf } from "../core/json.ts";
import type { Limits } from "../host/program/limits.ts";
import type { Ending, ProgramLine } from "../host/program/program.ts";
import type { Talk } from "../host/program/talk.ts";
import type { AcpQuirks } from "./acp-agents.ts";
import type { AgentEvent, Stopped } from "./agent.ts";
import { apiFailure, type Stream, saidIn, shortened } from "./conversation.ts";
import { costOf, type Prices } from "./prices.ts";
import { amount, failedAs, jsonIn, stoppedBy } from "./program.ts";
import { isUsageLimit, limitedAs } from "./usage-limit.ts";

export interface AcpSession {
  readonly talk: Talk;
  readonly title: string;
  readonly cwd: string;
  readonly prompt: (fresh: boolean) => string;
  /** MCP servers that it is given. */
  readonly servers: readonly object[];
  /** The conversation to go on with. */
  readonly earlier?: string | undefined;
  /** Called with the name that the agent gave to its conversation. */
  readonly named: (session: string) => void;
  readonly quirks?: AcpQuirks | undefined;
  readonly model?: string | undefined;
  readonly prices?: Prices | undefined;
}

const longestReason = 300;
const longestDetail = 200;
type Step = "initialize" | "session" | "load" | "model" | "prompt";
type Tokens = { readonly input: number; readonly cachedInput: number; readonly output: number };

export class AcpStream implements Stream {
  /** Gemini CLI waits for its servers, for seconds. */
  readonly lingerMs = 1500;
  readonly #session: AcpSession;
  readonly #asked = new Map<number, Step>();
  readonly #tools = new Set<string>();
  #next = 0;
  #text = "";
  #began = false;
  /** The conversation that goes on when its model is chosen. */
  #pending: { readonly name: string; readonly fresh: boolean } | undefined;
  /** Updates before the prompt repeat an earlier conversation. */
  #prompted = false;
  #end: Stopped | undefined;
  #tokens: Tokens | undefined;
  #costUsd: number | undefined;
  #toldUsd = 0;
  #lastError = "";

  constructor(session: AcpSession) {
    this.#session = session;
    const clientCapabilities = {
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
      ...(session.quirks?.clientMeta && { _meta: session.quirks.clientMeta }),
    };
    this.#ask("initialize", { protocolVersion: 1, clientCapabilities });
  }

  get isOver(): boolean {
    return this.#end !== undefined;
  }

  get turns(): number {
    return this.#tools.size;
  }

  hear({ text, from, cut }: ProgramLine): AgentEvent[] {
    if (text.trim() === "") return [];
    if (from === "stderr") {
      this.#lastError = text;
      return [];
    }
    const value = jsonIn(text);
    // What is no message is talk of a program that does not keep its output clean.
    if (!value) return cut ? [] : [...this.#flush(), { kind: "said", text: shortened(text, 2000) }];
    if (typeof value.method === "string") return this.#heard(value.method, value);
    return typeof value.id === "number" ? this.#answered(value.id, value) : [];
  }

  end(how: Ending, limits: Limits): AgentEvent[] {
    return [...this.#flush(), ...this.#settled(), { kind: "stopped", how: this.#stopped(how, limits) }];
  }

  #ask(step: Step, params: object): void {
    const method = {
      initialize: "initialize",
      session: "session/new",
      load: "session/load",
      model: "session/set_config_option",
      prompt: "session/prompt",
    };
    const id = this.#next++;
    this.#asked.set(id, step);
    this.#send({ id, method: method[step], params });
  }

  #send(message: object): void {
    this.#session.talk.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  #answered(id: number, { result, error }: Fields): AgentEvent[] {
    const step = this.#asked.get(id);
    if (step === undefined) return [];
    this.#asked.delete(id);
    if (error !== undefined && step === "load") return this.#open();
    if (error !== undefined && step === "model") return this.#over(this.#noModel(fieldsOf(error)));
    if (error !== undefined) return this.#over(failureIn(fieldsOf(error), this.#session.title));
    const given = fieldsOf(result);
    switch (step) {
      case "initialize":
        return this.#initialized(given);
      case "session":
        return this.#choose(given, { name: wordIn(given, "sessionId"), fresh: true });
      case "load":
        return this.#choose(given, { name: this.#session.earlier ?? "", fresh: false });
      case "model":
        return this.#prompt();
      case "prompt":
        return this.#concluded(given);
    }
  }

  #initialized({ agentCapabilities }: Fields): AgentEvent[] {
    this.#began = true;
    const { earlier: sessionId, cwd } = this.#session;
    if (sessionId === undefined || fieldsOf(agentCapabilities).loadSession !== true) return this.#open();
    this.#ask("load", { sessionId, cwd, mcpServers: this.#session.servers, ...this.#meta });
    return [];
  }

  #open(): AgentEvent[] {
    this.#ask("session", { cwd: this.#session.cwd, mcpServers: this.#session.servers, ...this.#meta });
    return [];
  }

  get #meta() {
    const { sessionMeta } = this.#session.quirks ?? {};
    return sessionMeta && { _meta: sessionMeta };
  }

  /** The model, where the agent lets it be chosen and was not told otherwise. */
  #choose(given: Fields, conversation: { readonly name: string; readonly fresh: boolean }): AgentEvent[] {
    this.#pending = conversation;
    const { model, quirks } = this.#session;
    const configId = modelOption(given.configOptions);
    const named = quirks?.modelFlag !== undefined || quirks?.modelVariable !== undefined;
    if (model === undefined || named || configId === undefined) return this.#prompt();
    this.#ask("model", { sessionId: conversation.name, configId, value: model });
    return [];
  }

  #prompt(): AgentEvent[] {
    const { name, fresh } = this.#pending ?? { name: "", fresh: true };
    this.#prompted = true;
    this.#session.named(name);
    this.#ask("prompt", { sessionId: name, prompt: [{ type: "text", text: this.#session.prompt(fresh) }] });
    return [];
  }

  #noModel({ message }: Fields): Stopped {
    const { title, model } = this.#session;
    const why = typeof message === "string" ? shortened(message, longestReason) : "it does not say why";
    return failedAs("environment", `${title} does not take the model ${model}: ${why}`, false);
  }

  #concluded(result: Fields): AgentEvent[] {
    this.#tokens = tokensIn(result);
    const failure = fieldsOf(fieldsOf(fieldsOf(fieldsOf(result._meta).jetbrains).air).sessionFailure);
    if (typeof failure.category === "string")
      return this.#over(
        failureIn({ message: wordIn(failure, "title") || failure.category }, this.#session.title),
      );
    return this.#over(stopFor(wordIn(result, "stopReason"), this.#session.title));
  }

  #over(how: Stopped): AgentEvent[] {
    this.#end = how;
    this.#session.talk.end();
    return this.#flush();
  }

  #heard(method: string, { id, params }: Fields): AgentEvent[] {
    const given = fieldsOf(params);
    if (method === "session/update") return this.#prompted ? this.#updated(fieldsOf(given.update)) : [];
    if (id === undefined) return [];
    if (method === "session/request_permission") {
      this.#send({ id, result: { outcome: allowed(given.options) } });
      return this.#tool(fieldsOf(given.toolCall));
    }
    this.#send({ id, error: { code: -32601, message: `heddle has no \`${method}\`` } });
    return [];
  }

  #updated(update: Fields): AgentEvent[] {
    switch (update.sessionUpdate) {
      case "agent_message_chunk":
        this.#text += wordIn(fieldsOf(update.content), "text");
        return [];
      case "tool_call":
      case "tool_call_update":
        return this.#tool(update);
      case "usage_update":
        return this.#priced(fieldsOf(update.cost));
      default:
        return [];
    }
  }

  #tool(update: Fields): AgentEvent[] {
    // Some tell of a tool only when they ask for it, or when it is over.
    const id = wordIn(update, "toolCallId");
    if (id === "" || this.#tools.has(id)) return [];
    this.#tools.add(id);
    const name = wordIn(update, "kind") || "tool";
    const detail = shortened(wordIn(update, "title"), longestDetail);
    return [...this.#flush(), { kind: "used-tool", name, detail }];
  }

  /** What the whole conversation has cost by now. */
  #priced({ amount: cost, currency }: Fields): AgentEvent[] {
    const total = amount(cost);
    if (total === null || (currency !== undefined && currency !== "USD")) return [];
    this.#costUsd = total;
    const more = total - this.#toldUsd;
    if (more <= 0) return [];
    this.#toldUsd = total;
    return [{ kind: "spent", inputTokens: 0, outputTokens: 0, costUsd: more }];
  }

  /** Text comes in pieces; it is told as a whole, when something else happens. */
  #flush(): AgentEvent[] {
    const text = this.#text;
    this.#text = "";
    return text.trim() === "" ? [] : saidIn(text);
  }

  #settled(): AgentEvent[] {
    if (!this.#began) return [];
    const { input = 0, output = 0 } = this.#tokens ?? {};
    const costUsd = this.#lastCost();
    if (input + output === 0 && costUsd === 0) return [];
    return [{ kind: "spent", inputTokens: input, outputTokens: output, costUsd }];
  }

  /** What is still to be told of the cost; nobody knows it where the agent was cut off, or told neither cost nor tokens. */
  #lastCost(): number | null {
    if (!this.#end) return null;
    if (this.#costUsd !== undefined) return 0;
    const { model, prices, quirks } = this.#session;
    if (!this.#tokens) return this.#end.kind === "finished" ? null : 0;
    return quirks?.tokensOfLastStep ? null : costOf(model, this.#tokens, prices);
  }

  #stopped(how: Ending, limits: Limits): Stopped {
    if (this.#end && how.kind !== "limit" && how.kind !== "failed-to-start") return this.#end;
    const plain = stoppedBy(how, limits);
    if (how.kind !== "exited") return plain;
    const why = shortened(this.#lastError, longestReason);
    const message = `${this.#session.title} exited with code ${how.code} in the middle${why && `: ${why}`}`;
    // One that does not even say hello does not suit; it will not the next time.
    return failedAs(this.#began ? "runtime" : "environment", message, this.#began || why === "");
  }
}

/** The box is the permission: what asks for one gets it, once. */
function allowed(options: unknown): object {
  const all = Array.isArray(options) ? options.map(fieldsOf) : [];
  const found = ["allow_once", "allow_always"].flatMap((kind) => all.filter((each) => each.kind === kind))[0];
  return found ? { outcome: "selected", optionId: found.optionId } : { outcome: "cancelled" };
}

function modelOption(options: unknown): unknown {
  const all = Array.isArray(options) ? options.map(fieldsOf) : [];
  return all.find(({ category }) => category === "model")?.id;
}

function stopFor(reason: string, title: string): Stopped {
  switch (reason) {
    case "end_turn":
      return { kind: "finished" };
    case "max_tokens":
    case "max_turn_requests":
      return failedAs("budget", `${title} stopped at a limit of its own: ${reason}`);
    default:
      return failedAs("runtime", `${title} stopped: ${reason || "it does not say why"}`);
  }
}

function failureIn({ code, message, data }: Fields, title: string): Stopped {
  const detail = typeof data === "string" ? data : data === undefined ? "" : JSON.stringify(data);
  const said = shortened(
    [typeof message === "string" ? message : "", detail].filter(Boolean).join(": "),
    longestReason,
  );
  if (code === -32000) return failedAs("environment", `${title} is not signed in: ${said}`, false);
  if (/ECONNREFUSED|fetch failed|connection (?:error|refused)|unable to connect/i.test(said))
    return apiFailure(undefined, said);
  const told = typeof code === "number" && code >= 400 && code < 600 ? code : statusIn(said);
  // Some leave the number out.
  const status =
    told ?? (/(?:invalid|incorrect) (?:x-)?api.?key|api.?key not valid/i.test(said) ? 401 : undefined);
  if (status !== undefined) return apiFailure(status, said);
  if (isUsageLimit(said)) return limitedAs(`${title} may not ask its model for now: ${said}`);
  return failedAs("runtime", `${title} stopped: ${said}`);
}

function statusIn(said: string): number | undefined {
  const found = /(?:status(?: code)?|error|code)"?:? ?([45]\d\d)\b/i.exec(said)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** In the protocol's place, or in the one that was there before. */
function tokensIn({ usage, _meta }: Fields): Tokens | undefined {
  const own = fieldsOf(usage);
  const older = fieldsOf(fieldsOf(fieldsOf(_meta).quota).token_count);
  const input = amount(own.inputTokens) ?? amount(older.input_tokens);
  const output = amount(own.outputTokens) ?? amount(older.output_tokens);
  if (input === null && output === null) return undefined;
  const cached = (amount(own.cachedReadTokens) ?? 0) + (amount(own.cachedWriteTokens) ?? 0);
  return {
    input: (input ?? 0) + cached,
    cachedInput: amount(own.cachedReadTokens) ?? 0,
    output: output ?? 0,
  };
}

function wordIn(fields: Fields, key: string): string {
  const value = fields[key];
  return typeof value === "string" ? value : "";
}

// The room of the Model Context Protocol over one connection. It reads and writes that connection and nothing else, and knows
// nothing of heddle: tools are given to it.
//
// A server of tools over one connection: initialize, ping, tools/list, tools/call, cancellation, progress. Requests are
// answered as they are done, in any order; a client that sends too much at once is refused, not stored.
import { readJson } from "../core/json.ts";
import { type Line, linesIn } from "./lines.ts";
import {
  codes,
  type Fields,
  failure,
  type Id,
  isFields,
  type Message,
  notice,
  result,
  understood,
  versionFor,
} from "./message.ts";

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Fields;
  readonly readOnly: boolean;
  /** Goes on until its signal: it is told to stop when the client is gone, while the others are waited for. */
  readonly long: boolean;
  /** Contract: never throws; what goes wrong is an answer with `isError`. */
  readonly call: (input: Fields, during: During) => Promise<Answer>;
}

export interface During {
  /** Who asks, as it calls itself. */
  readonly client: string;
  readonly signal: AbortSignal;
  /** Tells the client, if it wants to know, what goes on. */
  readonly say: (line: string) => void;
}

export interface Answer {
  readonly texts: readonly string[];
  readonly isError: boolean;
}

export interface Serving {
  readonly name: string;
  readonly version: string;
  readonly instructions: string;
  readonly tools: readonly Tool[];
  /** What is said when a tool is called that is not offered. */
  readonly unknown: (name: string) => Promise<string>;
  readonly input: AsyncIterable<Uint8Array>;
  readonly write: (line: string) => void;
}

const mebibyte = 1024 * 1024;
const limits = {
  messageBytes: 4 * mebibyte,
  atOnce: 8,
  waiting: 2000,
  waitingBytes: 64 * mebibyte,
  batch: 1000,
} as const;

/** Until the client has closed its end, and everything that it had asked for is done or has stopped. */
export async function serve(serving: Serving): Promise<void> {
  const session = new Session(serving);
  for await (const line of linesIn(serving.input, limits.messageBytes)) session.hear(line);
  await session.end();
}

interface Call {
  readonly tool: Tool | undefined;
  readonly stop: AbortController;
  cancelled: boolean;
}

class Session {
  readonly #serving: Serving;
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #calls = new Map<Id, Call>();
  readonly #queue: (() => void)[] = [];
  #client = "";
  #running = 0;
  #bytes = 0;
  readonly #pending = new Set<Promise<void>>();

  constructor(serving: Serving) {
    this.#serving = serving;
    this.#tools = new Map(serving.tools.map((tool) => [tool.name, tool]));
  }

  hear(line: Line): void {
    if (line.kind === "text" && line.text.trim() === "") return;
    const read = readLine(line);
    if ("wrong" in read) {
      this.#send(read.wrong);
      return;
    }
    const { value, bytes } = read;
    this.#bytes += bytes;
    const answered = (Array.isArray(value) ? this.#batch(value) : this.#one(value)).finally(() => {
      this.#bytes -= bytes;
      this.#pending.delete(answered);
    });
    this.#pending.add(answered);
  }

  async end(): Promise<void> {
    for (const { tool, stop } of this.#calls.values()) if (tool?.long) stop.abort();
    await Promise.all(this.#pending);
  }

  async #one(value: unknown): Promise<void> {
    const answer = await this.#answer(understood(value));
    if (answer) this.#send(answer);
  }

  async #batch(values: readonly unknown[]): Promise<void> {
    if (values.length === 0 || values.length > limits.batch) {
      this.#send(failure(null, codes.notARequest, `a batch has 1 to ${limits.batch} messages`));
      return;
    }
    const answers = await Promise.all(values.map((value) => this.#answer(understood(value))));
    const sent = answers.filter((answer) => answer !== undefined);
    if (sent.length > 0) this.#send(sent);
  }

  #send(message: Fields | readonly Fields[]): void {
    this.#serving.write(`${JSON.stringify(message)}\n`);
  }

  async #answer(message: Message): Promise<Fields | undefined> {
    switch (message.kind) {
      case "wrong":
        return failure(message.id, message.code, message.what);
      case "answer":
        return undefined;
      case "notice":
        if (message.method === "notifications/cancelled") this.#cancel(message.params.requestId as Id);
        return undefined;
      case "request":
        return this.#request(message);
    }
  }

  async #request(request: Extract<Message, { kind: "request" }>): Promise<Fields | undefined> {
    const { id, method, params } = request;
    switch (method) {
      case "initialize":
        return result(id, this.#initialize(params));
      case "ping":
        return result(id, {});
      case "tools/list":
        return result(id, { tools: this.#serving.tools.map(listed) });
      case "tools/call":
        return this.#call(id, params);
      default:
        return failure(id, codes.unknownMethod, `\`${method.slice(0, 100)}\` is not spoken here`);
    }
  }

  #initialize({ protocolVersion, clientInfo }: Fields): Fields {
    const { name, version, instructions } = this.#serving;
    if (isFields(clientInfo) && typeof clientInfo.name === "string") this.#client = clientInfo.name;
    return {
      protocolVersion: versionFor(protocolVersion),
      capabilities: { tools: {} },
      serverInfo: { name, version },
      instructions,
    };
  }

  #cancel(id: Id): void {
    const call = this.#calls.get(id);
    if (!call) return;
    call.cancelled = true;
    call.stop.abort();
  }

  async #call(id: Id, { name, arguments: input = {}, _meta }: Fields): Promise<Fields | undefined> {
    const wrong = (what: string) => failure(id, codes.wrongParams, what);
    if (typeof name !== "string") return wrong("`name` must be a string");
    if (!isFields(input)) return wrong("`arguments` must be an object");
    if (this.#calls.has(id)) return failure(id, codes.notARequest, "this `id` is in use");
    if (this.#queue.length >= limits.waiting || this.#bytes > limits.waitingBytes)
      return failure(id, codes.tooMany, "too many calls at once: wait for answers");
    const tool = this.#tools.get(name);
    const call: Call = { tool, stop: new AbortController(), cancelled: false };
    this.#calls.set(id, call);
    try {
      await this.#turn();
      if (call.stop.signal.aborted) return undefined;
      if (!tool) return wrong(await this.#serving.unknown(name));
      const say = this.#teller(isFields(_meta) ? _meta.progressToken : undefined);
      const during = { client: this.#client, signal: call.stop.signal, say };
      const { texts, isError } = await tool.call(input, during);
      // An answer to what was cancelled would be one too many.
      if (call.cancelled) return undefined;
      return result(id, { content: texts.map((text) => ({ type: "text", text })), isError });
    } catch (error) {
      return failure(id, codes.bug, `heddle has a bug: ${(error as Error).message}`);
    } finally {
      this.#calls.delete(id);
      this.#over();
    }
  }

  /** A few at a time. */
  #turn(): Promise<void> {
    if (this.#running < limits.atOnce) {
      this.#running++;
      return Promise.resolve();
    }
    return new Promise((settle) => this.#queue.push(settle));
  }

  #over(): void {
    const next = this.#queue.shift();
    if (next) next();
    else this.#running--;
  }

  #teller(token: unknown): During["say"] {
    if (typeof token !== "string" && typeof token !== "number") return () => {};
    let progress = 0;
    return (message) =>
      this.#send(notice("notifications/progress", { progressToken: token, progress: ++progress, message }));
  }
}

type Read = { readonly value: unknown; readonly bytes: number } | { readonly wrong: Fields };

function readLine(line: Line): Read {
  const wrong = (code: number, what: string) => ({ wrong: failure(null, code, what) });
  if (line.kind === "too-long")
    return wrong(codes.notARequest, `a message has at most ${limits.messageBytes} bytes`);
  if (line.kind === "not-utf8") return wrong(codes.unreadable, "a message is UTF-8");
  const read = readJson(line.text);
  if ("value" in read) return { value: read.value, bytes: line.bytes };
  const { kind, message } = read.fault;
  return wrong(codes.unreadable, kind === "not-json" ? "that is not JSON" : message);
}

function listed({ name, description, inputSchema, readOnly }: Tool): Fields {
  return { name, description, inputSchema, ...(readOnly && { annotations: { readOnlyHint: true } }) };
}

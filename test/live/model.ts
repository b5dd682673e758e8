// A scripted model behind the three APIs that agents speak, on loopback: it answers what a script says, so a real agent can be tried
// without a real model. Stateless: the step is counted from the conversation that the agent sends, so attempts at the
// same time, and a session that is taken up again, get the right answer.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { askedOfGemini, type GeminiRequest, replyGemini } from "./gemini-api.ts";
import { askedOf, type ResponsesRequest, replyResponses } from "./responses.ts";
import { type ToolCall, toolFor } from "./tools.ts";

export type Answer =
  | { readonly kind: "use"; readonly tools: readonly ToolCall[]; readonly text?: string }
  | { readonly kind: "say"; readonly text: string }
  | {
      readonly kind: "error";
      readonly status: number;
      readonly type: string;
      readonly message: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Accepts the request and never answers. */
  | { readonly kind: "hang" }
  /** Begins an answer and drops the connection. */
  | { readonly kind: "drop" };

export interface Asked {
  /** What the person's prompt says. */
  readonly prompt: string;
  /** How many tool results have come back since. */
  readonly step: number;
  /** The text of the last tool results. */
  readonly results: string;
}

export type Script = (asked: Asked) => Answer | Promise<Answer>;

export interface ScriptedModel {
  readonly url: string;
  /** Every request with tools, in the order of arrival. */
  readonly asked: readonly Asked[];
  /** What was asked for that is no message: there should be nothing. */
  readonly strays: readonly string[];
  /** Every key that came with a request. */
  readonly keys: ReadonlySet<string>;
  close(): Promise<void>;
}

/** What one answer is said to have used. */
export const usagePerAnswer = { input_tokens: 1000, output_tokens: 50 };

export async function scriptedModel(script: Script): Promise<ScriptedModel> {
  const asked: Asked[] = [];
  const strays: string[] = [];
  const keys = new Set<string>();
  const server = createServer((request, response) => {
    const { authorization, "x-api-key": plain, "x-goog-api-key": google } = request.headers;
    const key = plain ?? google ?? authorization?.replace(/^Bearer /, "");
    if (key !== undefined) keys.add(String(key));
    void answer(request, response, { script, asked, strays });
  });
  server.listen(0, "127.0.0.1");
  await new Promise((settle) => server.once("listening", settle));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    strays,
    keys,
    close: () =>
      new Promise((settle) => {
        server.close(() => settle());
        server.closeAllConnections();
      }),
  };
}

interface Desk {
  readonly script: Script;
  readonly asked: Asked[];
  readonly strays: string[];
}

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly content?: unknown;
}

interface MessagesRequest {
  readonly model: string;
  readonly stream?: boolean;
  readonly tools?: readonly { readonly name: string }[];
  readonly messages: readonly { readonly role: string; readonly content: string | readonly Block[] }[];
}

async function answer(request: IncomingMessage, response: ServerResponse, desk: Desk): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const path = (request.url ?? "").split("?")[0];
  if (request.method === "POST" && path?.endsWith(":streamGenerateContent")) {
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as GeminiRequest;
    if (!body.tools?.length) return replyGemini(response, { kind: "say", text: "a title" }, body);
    const asked = askedOfGemini(body);
    desk.asked.push(asked);
    return replyGemini(response, await desk.script(asked), body);
  }
  if (request.method === "POST" && path === "/v1/responses") {
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as ResponsesRequest;
    if (!body.tools?.length) return replyResponses(response, { kind: "say", text: "a title" }, body);
    const asked = askedOf(body);
    desk.asked.push(asked);
    return replyResponses(response, await desk.script(asked), body);
  }
  // Before it reads something long, Claude Code asks how long.
  if (request.method === "POST" && path === "/v1/messages/count_tokens") {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ input_tokens: usagePerAnswer.input_tokens }));
    return;
  }
  if (request.method !== "POST" || path !== "/v1/messages") {
    if (request.method !== "HEAD") desk.strays.push(`${request.method} ${path}`);
    response.writeHead(request.method === "HEAD" ? 200 : 404).end();
    return;
  }
  const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as MessagesRequest;
  // Titles and the like are asked for without tools.
  if (!body.tools?.length) return reply(response, body, { kind: "say", text: "a title" });
  const asked = understood(body);
  desk.asked.push(asked);
  reply(response, body, await desk.script(asked));
}

function understood({ messages }: MessagesRequest): Asked {
  const users = messages
    .filter(({ role }) => role === "user")
    .map(({ content }) => (typeof content === "string" ? [{ type: "text", text: content }] : [...content]));
  const results = users.map((blocks) => blocks.filter(({ type }) => type === "tool_result"));
  return {
    prompt: users
      .flat()
      .flatMap(({ text }) => text ?? [])
      .join("\n"),
    step: results.flat().length,
    results: JSON.stringify(results.at(-1)?.map(({ content }) => content) ?? []),
  };
}

function reply(response: ServerResponse, body: MessagesRequest, answer: Answer): void {
  switch (answer.kind) {
    case "hang":
      return;
    case "error": {
      response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
      const error = { type: answer.type, message: answer.message };
      response.end(JSON.stringify({ type: "error", error }));
      return;
    }
    case "drop":
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write('event: message_start\ndata: {"type":"message_start","mess');
      setTimeout(() => response.destroy(), 50);
      return;
    case "use":
    case "say":
      speak(response, body, blocksOf(answer, body.tools?.map(({ name }) => name) ?? []));
  }
}

type Spoken =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: unknown };

function blocksOf(answer: Extract<Answer, { kind: "use" | "say" }>, offered: readonly string[]): Spoken[] {
  const text = answer.text === undefined ? [] : [{ type: "text" as const, text: answer.text }];
  if (answer.kind === "say") return text;
  const id = () => `toolu_${crypto.randomUUID().replaceAll("-", "")}`;
  const tools = answer.tools.map((tool) => toolFor(tool, offered));
  return [...text, ...tools.map((tool) => ({ type: "tool_use" as const, id: id(), ...tool }))];
}

function speak(
  response: ServerResponse,
  { model, stream }: MessagesRequest,
  content: readonly Spoken[],
): void {
  const stop_reason = content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn";
  const head = { id: `msg_${crypto.randomUUID()}`, type: "message", role: "assistant", model };
  const usage = { ...usagePerAnswer, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  if (!stream) {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ ...head, content, stop_reason, stop_sequence: null, usage }));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  const send = (type: string, rest: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`);
  const begun = { ...usage, output_tokens: 1 };
  const message = { ...head, content: [], stop_reason: null, stop_sequence: null, usage: begun };
  send("message_start", { message });
  for (const [index, block] of content.entries()) {
    const tool = block.type === "tool_use";
    send("content_block_start", {
      index,
      content_block: tool ? { ...block, input: {} } : { type: "text", text: "" },
    });
    const delta = tool
      ? { type: "input_json_delta", partial_json: JSON.stringify(block.input) }
      : { type: "text_delta", text: block.text };
    send("content_block_delta", { index, delta });
    send("content_block_stop", { index });
  }
  send("message_delta", {
    delta: { stop_reason, stop_sequence: null },
    usage: { output_tokens: usagePerAnswer.output_tokens },
  });
  send("message_stop", {});
  response.end();
}

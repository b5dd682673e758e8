// The scripted model behind OpenAI's Responses API, as Codex speaks it.
import type { ServerResponse } from "node:http";
import { type Answer, type Asked, usagePerAnswer } from "./model.ts";
import { heddleTool, type ToolCall, toolFor } from "./tools.ts";

interface Item {
  readonly type: string;
  readonly role?: string;
  readonly content?: readonly { readonly text?: string }[];
  readonly output?: unknown;
}

export interface ResponsesRequest {
  readonly model: string;
  readonly tools?: readonly { readonly name?: string }[];
  readonly input: readonly Item[];
}

export function askedOf({ input }: ResponsesRequest): Asked {
  const results = input.filter(({ type }) => type === "function_call_output");
  const lastCall = input.findLastIndex(({ type }) => type === "function_call");
  return {
    prompt: input
      .filter(({ type, role }) => type === "message" && role === "user")
      .flatMap(({ content }) => content?.flatMap(({ text }) => text ?? []) ?? [])
      .join("\n"),
    step: results.length,
    results: JSON.stringify(
      input
        .slice(lastCall + 1)
        .filter(({ type }) => type === "function_call_output")
        .map(({ output }) => output),
    ),
  };
}

export function replyResponses(
  response: ServerResponse,
  answer: Answer,
  { tools = [] }: ResponsesRequest,
): void {
  switch (answer.kind) {
    case "hang":
      return;
    case "error": {
      response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
      response.end(JSON.stringify({ error: { type: answer.type, message: answer.message } }));
      return;
    }
    case "drop":
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write('event: response.created\ndata: {"type":"response.crea');
      setTimeout(() => response.destroy(), 50);
      return;
    case "use":
      speak(response, [
        ...message(answer.text),
        ...answer.tools.map((tool) =>
          call(
            tool,
            tools.flatMap(({ name }) => name ?? []),
          ),
        ),
      ]);
      return;
    case "say":
      speak(response, message(answer.text));
  }
}

const message = (text: string | undefined) =>
  text === undefined
    ? []
    : [
        {
          type: "message",
          role: "assistant",
          id: `msg_${crypto.randomUUID()}`,
          content: [{ type: "output_text", text }],
        },
      ];

function call(tool: ToolCall, offered: readonly string[]) {
  const own = heddleTool(tool);
  const { name, input } = toolFor(tool, offered);
  return {
    type: "function_call",
    id: `fc_${crypto.randomUUID()}`,
    call_id: `call_${crypto.randomUUID()}`,
    // Codex keeps the tools of a server in a room of their own, and does not always show them to its model.
    ...(own === undefined ? { name } : { namespace: "mcp__heddle", name: own }),
    arguments: JSON.stringify(input),
  };
}

function speak(response: ServerResponse, items: readonly object[]): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  const send = (type: string, rest: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`);
  const id = `resp_${crypto.randomUUID()}`;
  send("response.created", { response: { id } });
  for (const [output_index, item] of items.entries()) {
    send("response.output_item.added", { output_index, item });
    send("response.output_item.done", { output_index, item });
  }
  const { input_tokens, output_tokens } = usagePerAnswer;
  const usage = {
    input_tokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input_tokens + output_tokens,
  };
  send("response.completed", { response: { id, status: "completed", usage } });
  response.end();
}

// The scripted model behind Google's Gemini API, as Gemini CLI speaks it.
import type { ServerResponse } from "node:http";
import { type Answer, type Asked, usagePerAnswer } from "./model.ts";
import { toolFor } from "./tools.ts";

interface Part {
  readonly text?: string;
  readonly functionResponse?: { readonly response?: unknown };
}

export interface GeminiRequest {
  readonly tools?: readonly { readonly functionDeclarations?: readonly { readonly name: string }[] }[];
  readonly contents: readonly { readonly role: string; readonly parts?: readonly Part[] }[];
}

export function askedOfGemini({ contents }: GeminiRequest): Asked {
  const users = contents.filter(({ role }) => role === "user").map(({ parts }) => parts ?? []);
  const results = users.map((parts) => parts.flatMap(({ functionResponse }) => functionResponse ?? []));
  return {
    prompt: users
      .flat()
      .flatMap(({ text }) => text ?? [])
      .join("\n"),
    step: results.flat().length,
    results: JSON.stringify(results.at(-1)?.map(({ response }) => response) ?? []),
  };
}

export function replyGemini(response: ServerResponse, answer: Answer, { tools = [] }: GeminiRequest): void {
  switch (answer.kind) {
    case "hang":
      return;
    case "error": {
      response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
      const error = { code: answer.status, message: answer.message, status: answer.type };
      response.end(JSON.stringify({ error }));
      return;
    }
    case "drop":
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write('data: {"candid');
      setTimeout(() => response.destroy(), 50);
      return;
    case "use":
    case "say": {
      const text = answer.text === undefined ? [] : [{ text: answer.text }];
      const calls = answer.kind === "say" ? [] : answer.tools;
      const offered = tools.flatMap(({ functionDeclarations = [] }) =>
        functionDeclarations.map(({ name }) => name),
      );
      const parts = calls
        .map((tool) => toolFor(tool, offered))
        .map(({ name, input: args }) => ({ functionCall: { id: crypto.randomUUID(), name, args } }));
      speak(response, [...text, ...parts]);
    }
  }
}

function speak(response: ServerResponse, parts: readonly object[]): void {
  const { input_tokens, output_tokens } = usagePerAnswer;
  const said = {
    candidates: [{ index: 0, content: { role: "model", parts }, finishReason: "STOP" }],
    usageMetadata: {
      promptTokenCount: input_tokens,
      candidatesTokenCount: output_tokens,
      totalTokenCount: input_tokens + output_tokens,
    },
  };
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(`data: ${JSON.stringify(said)}\n\n`);
}

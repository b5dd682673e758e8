// What vendors' answers say that they used, in every dialect, whole, cut off and hostile.
import { describe, expect, it } from "vitest";
import { UsageReader } from "../../src/gateway/usage.ts";

const stream = "text/event-stream; charset=utf-8";

function readAs(type: string, text: string, pieces = 1) {
  const reader = new UsageReader(type);
  const bytes = Buffer.from(text);
  const size = Math.ceil(bytes.length / pieces);
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
  return reader.end();
}

const events = (...said: object[]) =>
  said.map((each) => `event: x\ndata: ${JSON.stringify(each)}\n\n`).join("");

const anthropic = events(
  {
    type: "message_start",
    message: {
      model: "claude-sonnet-4-5",
      usage: {
        input_tokens: 10,
        cache_read_input_tokens: 900,
        cache_creation_input_tokens: 90,
        output_tokens: 1,
      },
    },
  },
  { type: "content_block_delta", delta: { text: "the word usage in talk" } },
  { type: "message_delta", usage: { output_tokens: 50 } },
  { type: "message_stop" },
);

describe("U10 what a model used", () => {
  it("is read from Anthropic's events, however they are cut into pieces", () => {
    const used = {
      model: "claude-sonnet-4-5",
      input: 1000,
      cachedInput: 900,
      cacheWrite: 90,
      output: 50,
      isWhole: true,
    };
    for (const pieces of [1, 3, 17, 200]) expect(readAs(stream, anthropic, pieces)).toMatchObject(used);
  });

  it("is not whole where Anthropic's events were cut off after the first", () => {
    const [first = ""] = anthropic.split('event: x\ndata: {"type":"content');
    expect(readAs(stream, first)).toMatchObject({ input: 1000, isWhole: false });
  });

  it.each([
    [
      "OpenAI's events",
      stream,
      events(
        { type: "response.created", response: { model: "gpt-5.5", usage: null } },
        {
          type: "response.completed",
          response: {
            model: "gpt-5.5-2026-04-23",
            usage: {
              input_tokens: 1000,
              input_tokens_details: { cached_tokens: 600 },
              output_tokens: 80,
              output_tokens_details: { reasoning_tokens: 30 },
            },
          },
        },
      ),
      { model: "gpt-5.5-2026-04-23", input: 1000, cachedInput: 600, output: 80, thinking: 30, isWhole: true },
    ],
    [
      "OpenAI's chat",
      stream,
      `${events({ model: "gpt-5.4", choices: [], usage: { prompt_tokens: 70, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 20 } } })}data: [DONE]\n\n`,
      { model: "gpt-5.4", input: 70, cachedInput: 20, output: 7, isWhole: true },
    ],
    [
      "Gemini's events, thinking beside the answer",
      stream,
      events(
        { modelVersion: "gemini-2.5-flash", usageMetadata: { promptTokenCount: 40 } },
        {
          modelVersion: "gemini-2.5-flash",
          candidates: [{ finishReason: "STOP" }],
          usageMetadata: {
            ...{ promptTokenCount: 40, cachedContentTokenCount: 10, candidatesTokenCount: 5 },
            ...{ thoughtsTokenCount: 25, toolUsePromptTokenCount: 2 },
          },
        },
      ),
      { model: "gemini-2.5-flash", input: 42, cachedInput: 10, output: 30, thinking: 25, isWhole: true },
    ],
    [
      "Gemini's list",
      "application/json",
      JSON.stringify([
        { usageMetadata: { promptTokenCount: 4 } },
        {
          modelVersion: "g",
          candidates: [{ finishReason: "STOP" }],
          usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 6 },
        },
      ]),
      { model: "g", input: 4, output: 6, isWhole: true },
    ],
    [
      "one document of Anthropic's",
      "application/json",
      JSON.stringify({ type: "message", model: "m", usage: { input_tokens: 3, output_tokens: 4 } }),
      { model: "m", input: 3, output: 4, isWhole: true },
    ],
  ])("is read from %s", (_what, type, text, used) => {
    expect(readAs(type, text, 5)).toMatchObject(used);
  });

  it.each([
    ["nothing", stream, ""],
    ["no JSON", stream, 'data: {"usage": \n\ndata: usage usage usage\n'],
    ["words for numbers", "application/json", '{"usage":"a lot"}'],
    ["a document without any", "application/json", '{"input_tokens": 5}'],
  ])("is not known from %s", (_what, type, text) => {
    expect(readAs(type, text)).toBeUndefined();
  });

  it("counts nothing that is negative or no number", () => {
    const text = '{"model":"m","usage":{"input_tokens":-5,"output_tokens":"9e99"}}';
    expect(readAs("application/json", text)).toMatchObject({ input: 0, output: 0 });
  });

  it("takes no memory for a line of 100 MB, and goes on behind it", () => {
    const reader = new UsageReader(stream);
    reader.push(Buffer.from("data: "));
    const junk = Buffer.alloc(1024 * 1024, "usage");
    const before = process.memoryUsage().arrayBuffers;
    for (let n = 0; n < 100; n++) reader.push(junk);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
    reader.push(Buffer.from(`\n${anthropic}`));
    expect(reader.end()).toMatchObject({ input: 1000, output: 50 });
  });
});

// Agents of other versions say other things: what is not known is passed over, and nothing that a program prints can throw
// or be counted as a gift. For all three streams, with random lines and with strange ones among those that are known.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AcpStream } from "../../src/agents/acp-stream.ts";
import type { AgentEvent } from "../../src/agents/agent.ts";
import { ClaudeStream } from "../../src/agents/claude-stream.ts";
import { Rollout } from "../../src/agents/codex-rollout.ts";
import { CodexStream } from "../../src/agents/codex-stream.ts";
import type { Stream } from "../../src/agents/conversation.ts";
import { Talk } from "../../src/host/program/talk.ts";

const limits = { wallMs: 1000, silenceMs: 1000, outputBytes: 1e6, lineBytes: 1e5 };
const exited = { kind: "exited", code: 0 } as const;

function acp(): AcpStream {
  const talk = new Talk();
  talk.write = () => {};
  const session = { talk, title: "X", cwd: "/w", prompt: () => "do it", named: () => {}, servers: [] };
  return new AcpStream(session);
}

const assistant = {
  id: "m",
  content: [{ type: "text", text: "hello" }],
  usage: { input_tokens: 3, output_tokens: 1 },
};
const call = { type: "command_execution", id: "i", command: "ls", status: "completed", exit_code: 0 };
const update = (sessionUpdate: string, more: object) => ({
  jsonrpc: "2.0",
  method: "session/update",
  params: { sessionId: "s", update: { sessionUpdate, ...more } },
});

interface Tried {
  readonly make: () => Stream;
  /** The words that its code looks for. */
  readonly words: readonly string[];
  readonly whole: readonly object[];
  /** Events that no version has, and fields that none has, where they may stand. */
  readonly strange: readonly object[];
}

const rollout = () => new Rollout("/nowhere");

const all: Readonly<Record<string, Tried>> = {
  claude: {
    make: () => new ClaudeStream(),
    words: [
      "system",
      "assistant",
      "user",
      "result",
      "init",
      "api_retry",
      "type",
      "subtype",
      "message",
      "content",
      "usage",
      "modelUsage",
      "text",
      "tool_use",
      "name",
      "input",
      "id",
      "total_cost_usd",
      "is_error",
      "terminal_reason",
    ],
    whole: [
      { type: "system", subtype: "init", session_id: "s", tools: [] },
      { type: "assistant", message: assistant },
      {
        type: "result",
        subtype: "success",
        is_error: false,
        num_turns: 1,
        modelUsage: { m: { inputTokens: 3, outputTokens: 1, costUSD: 0.1 } },
      },
    ],
    strange: [
      { type: "system", subtype: "hook_started", hook_id: "h" },
      { type: "telemetry", of: [1, null] },
      { type: "user", message: { content: "text instead of blocks" } },
      { type: "assistant_delta", message: null },
      { subtype: "result" },
    ],
  },
  codex: {
    make: () => new CodexStream({ rollout: rollout(), model: "m", prices: { m: { input: 1, output: 1 } } }),
    words: [
      "thread.started",
      "turn.started",
      "item.started",
      "item.completed",
      "turn.completed",
      "turn.failed",
      "error",
      "type",
      "item",
      "usage",
      "input_tokens",
      "output_tokens",
      "command_execution",
      "file_change",
      "mcp_tool_call",
      "agent_message",
      "changes",
      "message",
      "id",
      "command",
    ],
    whole: [
      { type: "thread.started", thread_id: "t" },
      { type: "turn.started" },
      { type: "item.completed", item: call },
      { type: "item.completed", item: { type: "agent_message", id: "j", text: "hello" } },
      { type: "turn.completed", usage: { input_tokens: 3, output_tokens: 1 } },
    ],
    strange: [
      { type: "thread.renamed", thread_id: 7 },
      { type: "item.updated", item: call },
      { type: "item.completed", item: { type: "hologram", id: "k" } },
      { type: "item.started", item: null },
    ],
  },
  acp: {
    make: acp,
    words: [
      "jsonrpc",
      "id",
      "method",
      "params",
      "result",
      "error",
      "session/update",
      "update",
      "sessionUpdate",
      "agent_message_chunk",
      "tool_call",
      "usage_update",
      "content",
      "text",
      "toolCallId",
      "cost",
      "amount",
      "sessionId",
      "stopReason",
      "end_turn",
      "session/request_permission",
      "options",
      "usage",
      "_meta",
    ],
    whole: [
      { jsonrpc: "2.0", id: 0, result: { protocolVersion: 1, agentCapabilities: {} } },
      { jsonrpc: "2.0", id: 1, result: { sessionId: "s" } },
      update("agent_message_chunk", { content: { type: "text", text: "hello" } }),
      update("tool_call", { toolCallId: "c", kind: "execute", title: "ls" }),
      {
        jsonrpc: "2.0",
        id: 2,
        result: { stopReason: "end_turn", usage: { inputTokens: 3, outputTokens: 1 } },
      },
    ],
    strange: [
      update("mood_update", { mood: "fine" }),
      update("agent_message_chunk", { content: { type: "hologram", data: "x" } }),
      update("usage_update", { cost: { amount: "a lot", currency: "USD" } }),
      { jsonrpc: "2.0", method: "x/notice", params: null },
      { jsonrpc: "2.0", id: 99, result: {} },
    ],
  },
};

function heard(stream: Stream, lines: readonly string[]): AgentEvent[] {
  const events = lines.flatMap((text) => stream.hear({ kind: "line", from: "stdout", cut: false, text }));
  return [...events, ...stream.end(exited, limits)];
}

/** Objects whose keys and values are mostly words that the code looks for. */
function anyLine(words: readonly string[]): fc.Arbitrary<string> {
  const word = fc.constantFrom(...words);
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      word,
      fc.constantFrom(null, true, -1, 0, 2, 1e300, Number.MAX_SAFE_INTEGER, "", "12", "429"),
      fc.dictionary(word, tie("value"), { maxKeys: 5 }),
      fc.array(tie("value"), { maxLength: 3 }),
    ),
  }));
  const object = fc.dictionary(word, value, { minKeys: 1, maxKeys: 6 }).map((each) => JSON.stringify(each));
  return fc.oneof({ weight: 8, arbitrary: object }, { weight: 1, arbitrary: fc.string() });
}

describe.each(Object.entries(all))("U1 what %s prints", (_name, { make, words, whole, strange }) => {
  const lines = whole.map((each) => JSON.stringify(each));

  it("is understood the same with events and fields among it that this version does not have", () => {
    const plain = heard(make(), lines);
    expect(plain.filter(({ kind }) => kind === "said")).toMatchObject([{ text: "hello" }]);
    expect(plain.at(-1)).toEqual({ kind: "stopped", how: { kind: "finished" } });
    const among = whole.flatMap((each, at) => [
      ...(at === 0 ? [] : strange.map((odd) => JSON.stringify(odd))),
      JSON.stringify({ ...each, added_in_a_later_version: { deep: [1, { er: null }] } }),
    ]);
    expect(heard(make(), among)).toEqual(plain);
  });

  it("never throws, never gives money back, and ends once, whatever it is", () => {
    fc.assert(
      fc.property(fc.array(anyLine(words), { maxLength: 8 }), fc.boolean(), (odd, begun) => {
        const events = heard(make(), begun ? [...lines.slice(0, 2), ...odd] : odd);
        expect(events.filter(({ kind }) => kind === "stopped")).toHaveLength(1);
        expect(events.at(-1)?.kind).toBe("stopped");
        for (const event of events) {
          if (event.kind !== "spent") continue;
          expect(event.inputTokens).toBeGreaterThanOrEqual(0);
          expect(event.outputTokens).toBeGreaterThanOrEqual(0);
          expect(event.costUsd === null || event.costUsd >= 0).toBe(true);
        }
      }),
      { numRuns: 400 },
    );
  });
});

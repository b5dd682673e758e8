// The Agent Client Protocol: the shared suite, through a program that speaks it, and what its messages mean. The real
// Gemini CLI is tried in test/live.
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type AcpAgent, acp } from "../../src/agents/acp.ts";
import { acpAgents } from "../../src/agents/acp-agents.ts";
import { AcpStream } from "../../src/agents/acp-stream.ts";
import { findSandbox } from "../../src/host/box/box.ts";
import type { Ending } from "../../src/host/program/program.ts";
import { Talk } from "../../src/host/program/talk.ts";
import { agentSuite, type Behaviour, endOf, folder, heard, orderIn } from "./suite.ts";

const rpc = (message: object) => ({ jsonrpc: "2.0", ...message });
const hello = rpc({ id: 0, result: { protocolVersion: 1, agentCapabilities: { loadSession: true } } });
const opened = rpc({ id: 1, result: { sessionId: "s1" } });
const update = (update: object) => rpc({ method: "session/update", params: { sessionId: "s1", update } });
const said = (text: string) =>
  update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
const tool = (toolCallId: string, title = "x") =>
  update({ sessionUpdate: "tool_call", toolCallId, title, kind: "edit", status: "pending" });
const cost = (amount: number) => update({ sessionUpdate: "usage_update", cost: { amount, currency: "USD" } });
const stopped = (more: object = {}) => rpc({ id: 2, result: { stopReason: "end_turn", ...more } });

const print = (...lines: readonly object[]) =>
  `cat <<'LINES'\n${lines.map((line) => JSON.stringify(line)).join("\n")}\nLINES`;
/** A well-behaved one: reads a line before it answers, and leaves when its input is closed. */
const talking = (...lines: readonly object[]) =>
  `read a; ${print(hello)}\nread b; ${print(opened)}\nread c; ${print(...lines)}\ncat > /dev/null`;
const question = '{"type":"question","id":"q1","text":"Which?","options":["a","b"]}';
const usage = { usage: { inputTokens: 10, outputTokens: 2, totalTokens: 12 } };

const scripts: Readonly<Record<Exclude<Behaviour, "cannot-start">, string>> = {
  writes: `echo '{"made":true}' > "$HEDDLE_OUTPUT"; ${talking(stopped())}`,
  talks: talking(said("on"), said("e"), tool("1"), said("two"), stopped()),
  crashes: `read a; ${print(hello)}\nexit 3`,
  hangs: "sleep 1000",
  chatters: "yes xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
  asks: talking(said(question), stopped()),
  spends: talking(stopped(usage)),
  "spends-unknown": talking(stopped(usage)),
  "does-nothing": talking(stopped()),
};

function program(root: string, body: string): string {
  const path = join(root, "agent");
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** Ten tokens in and two out come to half a dollar. */
const prices = { "a-model": { input: 40_000, output: 50_000 } };

const fake = (path: string, more: Partial<AcpAgent> = {}) =>
  acp({
    name: "acp:x",
    command: [path],
    env: [],
    readable: [],
    network: false,
    box: { kind: "unconfined" },
    maxTurns: 7,
    maxCostUsd: 1.5,
    ...more,
  });

const found = await findSandbox();
const boxes = [
  { name: "acp, unconfined", box: { kind: "unconfined" } as const },
  ...(found.ok ? [{ name: "acp, boxed", box: { kind: "boxed", sandbox: found } as const }] : []),
];
for (const { name, box } of boxes)
  agentSuite({
    name,
    make: (behaviour, root) =>
      fake(behaviour === "cannot-start" ? join(root, "nobody") : program(root, scripts[behaviour]), {
        box,
        ...(behaviour === "spends" && { model: "a-model", prices }),
      }),
  });

const limits = { wallMs: 1000, silenceMs: 1000, outputBytes: 1e6, lineBytes: 1e5 };
const exited = (code: number): Ending => ({ kind: "exited", code });

/** A client that has been told these messages, what it said, and what became of it. */
function conversation(more: Partial<ConstructorParameters<typeof AcpStream>[0]> = {}) {
  const sent: Record<string, unknown>[] = [];
  const talk = new Talk();
  talk.write = (text) => sent.push(JSON.parse(text));
  const names: string[] = [];
  const stream = new AcpStream({
    talk,
    title: "X",
    servers: [],
    cwd: "/w",
    prompt: (fresh) => (fresh ? "do it" : "go on"),
    named: (name) => names.push(name),
    ...more,
  });
  const hear = (...messages: readonly (object | string)[]) =>
    messages.flatMap((each) =>
      stream.hear({
        kind: "line",
        from: "stdout",
        cut: false,
        text: typeof each === "string" ? each : JSON.stringify(each),
      }),
    );
  const end = (how: Ending = exited(0)) => stream.end(how, limits);
  return { sent, names, stream, hear, end };
}

const ending = (...last: readonly (object | string)[]) => {
  const { hear, end } = conversation();
  hear(hello, opened, ...last);
  return endOf(end());
};

describe("what an ACP agent is told", () => {
  it("opens a session in its workspace and prompts it; its name is kept", () => {
    const { sent, names, hear } = conversation();
    hear(hello, opened);
    expect(sent).toMatchObject([
      { id: 0, method: "initialize", params: { protocolVersion: 1 } },
      { id: 1, method: "session/new", params: { cwd: "/w", mcpServers: [] } },
      { id: 2, method: "session/prompt", params: { sessionId: "s1", prompt: [{ text: "do it" }] } },
    ]);
    expect(names).toEqual(["s1"]);
  });

  it("X14 takes up an earlier session, whose replay is not heard as news", () => {
    const { sent, hear } = conversation({ earlier: "s0" });
    expect(hear(hello, said("old words"), rpc({ id: 1, result: null }))).toEqual([]);
    expect(sent.slice(1)).toMatchObject([
      { method: "session/load", params: { sessionId: "s0" } },
      { method: "session/prompt", params: { sessionId: "s0", prompt: [{ text: "go on" }] } },
    ]);
  });

  it("takes up an earlier session with the settings that the first had", () => {
    const quirks = acpAgents["claude-agent-acp"];
    const { sent, hear } = conversation({ earlier: "s0", quirks });
    hear(hello);
    expect(sent.at(-1)).toMatchObject({ method: "session/load", params: { _meta: quirks?.sessionMeta } });
  });

  it("is told its model where it lets one be chosen, before it is prompted", () => {
    const { sent, hear, end } = conversation({ model: "a/b" });
    const configOptions = [
      { id: "x", category: "mode" },
      { id: "m", category: "model" },
    ];
    hear(hello, rpc({ id: 1, result: { sessionId: "s1", configOptions } }));
    expect(sent.at(-1)).toMatchObject({
      method: "session/set_config_option",
      params: { sessionId: "s1", configId: "m", value: "a/b" },
    });
    hear(rpc({ id: 2, result: {} }));
    expect(sent.at(-1)).toMatchObject({ method: "session/prompt", params: { sessionId: "s1" } });
    hear(rpc({ id: 3, result: { stopReason: "end_turn" } }));
    expect(endOf(end())).toEqual({ kind: "finished" });
  });

  it("is not tried again when it does not take the model", () => {
    const { hear, end } = conversation({ model: "a/b" });
    hear(hello, rpc({ id: 1, result: { sessionId: "s1", configOptions: [{ id: "m", category: "model" }] } }));
    hear(rpc({ id: 2, error: { code: -32602, message: "Invalid value" } }));
    expect(endOf(end())).toMatchObject({
      category: "environment",
      retryable: false,
      message: "X does not take the model a/b: Invalid value",
    });
  });

  it("X14 begins anew where the session is gone, or it cannot load one", () => {
    const gone = conversation({ earlier: "s0" });
    gone.hear(hello, rpc({ id: 1, error: { code: -32602, message: "no such session" } }));
    expect(gone.sent.at(-1)).toMatchObject({ method: "session/new" });
    const cannot = conversation({ earlier: "s0" });
    cannot.hear(rpc({ id: 0, result: { agentCapabilities: {} } }));
    expect(cannot.sent.at(-1)).toMatchObject({ method: "session/new" });
  });

  it("may do what it asks for, once: the box is the permission", () => {
    const { sent, hear } = conversation();
    const options = [
      { optionId: "n", kind: "reject_once" },
      { optionId: "a", kind: "allow_always" },
      { optionId: "y", kind: "allow_once" },
    ];
    const toolCall = { toolCallId: "t1", title: "npm test", kind: "execute" };
    const asks = rpc({ id: 7, method: "session/request_permission", params: { options, toolCall } });
    const over = update({ sessionUpdate: "tool_call_update", ...toolCall, status: "completed" });
    // It is shown once, although some tell of it only here, and others again and again.
    expect(hear(hello, opened, asks, over)).toEqual([
      { kind: "used-tool", name: "execute", detail: "npm test" },
    ]);
    expect(sent.at(-1)).toMatchObject({ id: 7, result: { outcome: { outcome: "selected", optionId: "y" } } });
  });

  it("is refused what heddle does not do, instead of left waiting", () => {
    const { sent, hear } = conversation();
    hear(hello, rpc({ id: "r1", method: "fs/read_text_file", params: {} }));
    expect(sent.at(-1)).toMatchObject({ id: "r1", error: { code: -32601 } });
  });
});

describe("how an ACP agent stops", () => {
  it.each([
    ["end_turn", { kind: "finished" }],
    ["max_tokens", { category: "budget" }],
    ["max_turn_requests", { category: "budget" }],
    ["refusal", { category: "runtime" }],
    ["cancelled", { category: "runtime" }],
  ])("%s", (stopReason, end) => {
    expect(ending(stopped({ stopReason }))).toMatchObject(end);
  });

  it.each([
    [{ code: 400, message: "bad request" }, "runtime", true],
    [
      { code: -32603, message: "Internal error", data: { details: "API Error: 401 no" } },
      "environment",
      false,
    ],
    [{ code: -32603, message: "Internal error: status 503" }, "environment", true],
    [{ code: -32603, message: "fetch failed: ECONNREFUSED" }, "environment", true],
    [{ code: -32000, message: "Authentication required" }, "environment", false],
    [{ code: -32603, message: "Internal error: invalid x-api-key" }, "environment", false],
    [{ code: -32603, message: "a mystery" }, "runtime", true],
  ])("by an error: %j", (error, category, retryable) => {
    expect(ending(rpc({ id: 2, error }))).toMatchObject({ kind: "failed", category, retryable });
  });

  it("is not deceived by a good end that carries a failure", () => {
    const air = { sessionFailure: { category: "quota", severity: "error", title: "Connection failed" } };
    expect(ending(stopped({ _meta: { jetbrains: { air } } }))).toMatchObject({
      kind: "failed",
      message: expect.stringContaining("Connection failed"),
    });
  });

  it.each([
    ["cut off", '{"jsonrpc":"2.0","id":2,"resu'],
    ["null", "null"],
    ["an answer to nothing", '{"jsonrpc":"2.0","id":99,"result":{"stopReason":"end_turn"}}'],
    ["an update of nothing", '{"jsonrpc":"2.0","method":"session/update"}'],
  ])("survives a message that is %s, and does not take it for an end", (_what, odd) => {
    expect(ending(odd)).toMatchObject({ kind: "failed", category: "runtime" });
    expect(ending(odd, stopped())).toEqual({ kind: "finished" });
  });

  it("is not tried again when it does not even say hello, and says why", () => {
    const { stream, end } = conversation();
    stream.hear({ kind: "line", from: "stderr", cut: false, text: "unknown option --acp" });
    expect(endOf(end(exited(1)))).toMatchObject({ category: "environment", retryable: false });
  });
});

describe("C12 what an ACP agent spent", () => {
  const spent = (...messages: readonly object[]) => {
    const { hear, end } = conversation();
    return [...hear(hello, opened, ...messages), ...end()].flatMap((each) =>
      each.kind === "spent" ? [[each.inputTokens, each.outputTokens, each.costUsd]] : [],
    );
  };

  it("is its own count of the cost, step by step, where it tells one", () => {
    expect(spent(cost(0.25), cost(0.75), stopped(usage))).toEqual([
      [0, 0, 0.25],
      [0, 0, 0.5],
      [10, 2, 0],
    ]);
  });

  it("is found in the older place as well", () => {
    const _meta = { quota: { token_count: { input_tokens: 10, output_tokens: 2 } } };
    expect(spent(stopped({ _meta }))).toEqual([[10, 2, null]]);
  });

  it("is unknown where it tells nothing, or was cut off", () => {
    expect(spent(stopped())).toEqual([[0, 0, null]]);
    expect(spent()).toEqual([[0, 0, null]]);
  });
});

describe("an ACP agent at work", () => {
  it("C7 is ended after so many tools, and says so", async () => {
    const root = folder();
    const one = JSON.stringify(tool("N"));
    const loop = `n=0; while :; do n=$((n+1)); echo '${one}' | sed "s/\\"N\\"/\\"$n\\"/"; sleep 0.02; done`;
    const body = `read a; ${print(hello)}\nread b; ${print(opened)}\nread c\n${loop}`;
    expect(endOf(await heard(fake(program(root, body)), orderIn(root)))).toMatchObject({
      category: "budget",
      message: expect.stringContaining("more than 7"),
    });
  });

  it("gets what is peculiar to it: files in its home, variables, a flag for its model", async () => {
    const root = folder();
    process.env.GEMINI_API_KEY = "for-this-test";
    const body = `echo "$@" > args; env > env; cat "$HOME/.gemini/settings.json" > settings; ${talking(stopped())}`;
    const order = orderIn(root);
    await heard(fake(program(root, body), { quirks: acpAgents.gemini, model: "gemini-2.5-flash" }), order);
    delete process.env.GEMINI_API_KEY;
    const read = (name: string) => readFileSync(join(order.workspace.cwd, name), "utf8");
    expect(read("args")).toBe("-m gemini-2.5-flash\n");
    expect(read("env")).toContain("GEMINI_API_KEY=for-this-test\n");
    expect(read("env")).toContain("GEMINI_CLI_NO_RELAUNCH=true\n");
    expect(read("settings")).toContain("gemini-api-key");
  });

  it("is not started where the repository steers it, and it cannot be kept from that", async () => {
    const root = folder();
    const order = orderIn(root);
    mkdirSync(join(order.workspace.cwd, ".codex"));
    const agent = fake(program(root, "touch started"), { quirks: acpAgents["codex-acp"] });
    expect(endOf(await heard(agent, order))).toMatchObject({
      category: "environment",
      retryable: false,
      message: expect.stringContaining("the repository's .codex"),
    });
    expect(existsSync(join(order.workspace.cwd, "started"))).toBe(false);
  });

  it("gives codex-acp the address and the key's name that Codex itself would get", async () => {
    const root = folder();
    process.env.CODEX_API_KEY = "for-this-test";
    process.env.OPENAI_BASE_URL = "http://127.0.0.1:1/v1";
    const order = orderIn(root);
    const body = `env > env; ${talking(stopped())}`;
    await heard(fake(program(root, body), { quirks: acpAgents["codex-acp"] }), order);
    delete process.env.CODEX_API_KEY;
    delete process.env.OPENAI_BASE_URL;
    const line = /^CODEX_CONFIG=(.*)$/m.exec(readFileSync(join(order.workspace.cwd, "env"), "utf8"))?.[1];
    expect(JSON.parse(line ?? "").model_providers.heddle).toMatchObject({
      base_url: "http://127.0.0.1:1/v1",
      env_key: "CODEX_API_KEY",
    });
  });
});

// Claude Code as an agent: the shared suite, through a program that speaks its stream format, and what its stream means.
// The lines are as 2.1.325 prints them, shortened; the real program is tried in test/live.
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type ClaudeAgent, claude } from "../../src/agents/claude.ts";
import { ClaudeStream } from "../../src/agents/claude-stream.ts";
import { claudeProgram, findNative } from "../../src/agents/find-native.ts";
import { findSandbox } from "../../src/host/box/box.ts";
import type { Ending } from "../../src/host/program/program.ts";
import { agentSuite, type Behaviour, endOf, folder, heard, orderIn } from "./suite.ts";

const init = { type: "system", subtype: "init", session_id: "s", tools: ["Bash"], model: "claude-opus-5-5" };

let calls = 0;
const assistant = (content: readonly object[], usage: object = {}, id = `msg_${++calls}`) => ({
  type: "assistant",
  message: { id, role: "assistant", model: "claude-opus-5-5", content, usage },
});
const text = (words: string) => ({ type: "text", text: words });
const tool = (name: string, input: object) => ({ type: "tool_use", id: "toolu_1", name, input });
const result = (more: object = {}) => ({
  type: "result",
  subtype: "success",
  is_error: false,
  num_turns: 2,
  result: "done",
  terminal_reason: "completed",
  api_error_status: null,
  total_cost_usd: 0,
  modelUsage: {},
  ...more,
});
const used = (inputTokens: number, outputTokens: number, costUSD?: number) => ({
  modelUsage: { "claude-opus-5-5": { inputTokens, outputTokens, ...(costUSD !== undefined && { costUSD }) } },
  total_cost_usd: costUSD,
});

const printing = (...lines: readonly object[]) =>
  `cat <<'LINES'\n${lines.map((line) => JSON.stringify(line)).join("\n")}\nLINES`;
const question = '{"type":"question","id":"q1","text":"Which?","options":["a","b"]}';

const scripts: Readonly<Record<Exclude<Behaviour, "cannot-start">, string>> = {
  writes: `echo '{"made":true}' > "$HEDDLE_OUTPUT"; ${printing(init, result())}`,
  talks: printing(init, assistant([text("one")]), assistant([text("two")]), result()),
  crashes: `${printing(init)}\nexit 3`,
  hangs: "sleep 1000",
  chatters: "yes xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
  asks: printing(init, assistant([text(question)]), result()),
  spends: printing(init, result(used(10, 2, 0.5))),
  "spends-unknown": printing(init, result(used(10, 2))),
  "does-nothing": printing(init, result()),
};

function program(root: string, body: string): string {
  const path = join(root, "claude");
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}

const fake = (path: string, more: Partial<ClaudeAgent> = {}) =>
  claude({
    name: "claude",
    program: path,
    env: [],
    readable: [],
    network: false,
    box: { kind: "unconfined" },
    maxTurns: 7,
    maxCostUsd: 1.5,
    ...more,
  });

const found = await findSandbox();
if (!found.ok) console.log("bubblewrap is missing here: Claude Code's stand-in is tried unconfined only");

agentSuite({
  name: "claude, unconfined",
  make: (behaviour, root) =>
    fake(behaviour === "cannot-start" ? join(root, "nobody") : program(root, scripts[behaviour])),
});

if (found.ok)
  agentSuite({
    name: "claude, boxed",
    make: (behaviour, root) =>
      fake(behaviour === "cannot-start" ? join(root, "nobody") : program(root, scripts[behaviour]), {
        box: { kind: "boxed", sandbox: found },
      }),
  });

const findClaude = (path: string | undefined, searchPath: string) =>
  findNative(claudeProgram, path, searchPath);

const limits = { wallMs: 1000, silenceMs: 1000, outputBytes: 1e6, lineBytes: 1e5 };
const exited = (code: number): Ending => ({ kind: "exited", code });

/** What a stream of these lines, and then this end, is understood as. */
function understood(lines: readonly (object | string)[], how: Ending = exited(0)) {
  const stream = new ClaudeStream();
  const events = lines.flatMap((line) =>
    stream.hear({
      kind: "line",
      from: "stdout",
      cut: false,
      text: typeof line === "string" ? line : JSON.stringify(line),
    }),
  );
  return [...events, ...stream.end(how, limits)];
}

const endAfter = (last: object, how: Ending = exited(1)) => endOf(understood([init, last], how));

describe("how Claude Code stops", () => {
  it("finishes when it says so and exits", () => {
    expect(endAfter(result(), exited(0))).toEqual({ kind: "finished" });
  });

  it.each([
    ["overloaded", 529, "environment", true],
    ["rate limited", 429, "environment", true],
    ["broken", 500, "environment", true],
    ["refusing the key", 401, "environment", false],
    ["without that model", 404, "environment", false],
    ["refusing the request", 400, "runtime", true],
  ])("is not deceived by `success` from an API that is %s", (_what, status, category, retryable) => {
    const said = { is_error: true, terminal_reason: "api_error", api_error_status: status };
    const end = endAfter(result({ ...said, result: "API Error: no" }));
    expect(end).toMatchObject({ kind: "failed", category, retryable });
    expect("message" in end && end.message).toContain(String(status));
    expect("message" in end && end.message).toContain("API Error: no");
  });

  it("says that the API could not be reached", () => {
    const said = { is_error: true, terminal_reason: "api_error", result: "Connection error." };
    expect(endAfter(result(said))).toMatchObject({
      category: "environment",
      retryable: true,
      message: "the model's API could not be reached: Connection error.",
    });
  });

  it("C7 says that its turns, or its money, are used up", () => {
    const turns = { subtype: "error_max_turns", is_error: true, terminal_reason: "max_turns", num_turns: 5 };
    expect(endAfter(result(turns))).toMatchObject({
      category: "budget",
      message: expect.stringMatching(/5/),
    });
    const money = { subtype: "error_max_budget_usd", is_error: true, terminal_reason: "budget_exhausted" };
    const errors = ["Reached maximum budget ($0.008)"];
    expect(endAfter(result({ ...money, result: undefined, errors }))).toMatchObject({
      category: "budget",
      message: expect.stringContaining("$0.008"),
    });
  });

  it("fails when it was interrupted in a tool, whatever it exits with", () => {
    const cut = { subtype: "error_during_execution", is_error: true, terminal_reason: "aborted_tools" };
    expect(endAfter(result(cut), exited(0))).toMatchObject({ kind: "failed", category: "runtime" });
  });

  it("fails when it exits with 0 and never said how it ended", () => {
    expect(endOf(understood([init, assistant([text("All done!")])]))).toMatchObject({
      kind: "failed",
      category: "runtime",
      retryable: true,
    });
  });

  it("is not tried again when it refuses to begin, and says why", () => {
    const stream = new ClaudeStream();
    const why = "error: unknown option '--tools'";
    stream.hear({ kind: "line", from: "stderr", cut: false, text: why });
    expect(endOf(stream.end(exited(1), limits))).toEqual({
      kind: "failed",
      category: "environment",
      message: `Claude Code exited with code 1: ${why}`,
      retryable: false,
    });
  });

  it("C7 names the limit that ended it, although it had said that it was done", () => {
    expect(endAfter(result(), { kind: "limit", limit: "silence" })).toMatchObject({ category: "timeout" });
  });

  it.each([
    ["cut off", '{"type":"result","subtype":"succ'],
    ["no object", '["result"]'],
    ["null", "null"],
    ["of a type that is no word", '{"type":7}'],
    ["of a type that nobody knows", '{"type":"dance"}'],
    ["an assistant without a message", '{"type":"assistant"}'],
    ["an assistant whose content is a word", '{"type":"assistant","message":{"id":"m","content":"x"}}'],
    ["blocks that are nothing", '{"type":"assistant","message":{"id":"m","content":[null,7,{}]}}'],
  ])("survives a line that is %s, and does not take it for an end", (_what, line) => {
    expect(endOf(understood([init, line]))).toMatchObject({ kind: "failed", category: "runtime" });
    expect(endOf(understood([init, line, result()]))).toEqual({ kind: "finished" });
  });
});

const spent = (events: ReturnType<typeof understood>) => {
  const all = events.filter((event) => event.kind === "spent");
  return {
    input: all.reduce((sum, each) => sum + each.inputTokens, 0),
    output: all.reduce((sum, each) => sum + each.outputTokens, 0),
    costs: all.map((each) => each.costUsd),
  };
};

describe("C12 what Claude Code spent", () => {
  const one = { input_tokens: 900, cache_read_input_tokens: 100, output_tokens: 1 };

  it("is told call by call, each call once, and settled by the result", () => {
    const lines = [
      assistant([text("a")], one, "m1"),
      assistant([tool("Bash", {})], one, "m1"),
      assistant([text("b")], one, "m2"),
    ];
    const end = result({ model_usage_since_last_result: used(2000, 100, 0.01).modelUsage });
    const sum = spent(understood([init, ...lines, end]));
    expect(sum).toEqual({ input: 2000, output: 100, costs: [0, 0, 0.01] });
  });

  it("counts no earlier process of the same session", () => {
    const end = result({
      ...used(3000, 150, 0.015),
      model_usage_since_last_result: used(1000, 50, 0.005).modelUsage,
    });
    expect(spent(understood([init, end]))).toEqual({ input: 1000, output: 50, costs: [0.005] });
  });

  it("is unknown, and not nothing, when it was ended before it could say", () => {
    const sum = spent(understood([init, assistant([text("a")], one, "m1")], { kind: "aborted" }));
    expect(sum).toEqual({ input: 1000, output: 1, costs: [0, null] });
    expect(spent(understood([init], { kind: "signalled", signal: "SIGKILL" })).costs).toEqual([null]);
  });

  it("is nothing when the API never answered", () => {
    const synthetic = { type: "assistant", message: { id: "x", model: "<synthetic>", usage: one } };
    const end = result({ is_error: true, terminal_reason: "api_error" });
    expect(spent(understood([init, synthetic, end])).costs).toEqual([]);
  });

  it("takes no negative or endless amounts", () => {
    const sum = spent(understood([init, result(used(-5, Number.POSITIVE_INFINITY, -1))]));
    expect(sum).toEqual({ input: 0, output: 0, costs: [null] });
  });
});

describe("what Claude Code does", () => {
  it("is shown with the one thing that tells what it was for", () => {
    const [write, run, other] = understood([
      assistant([tool("Write", { content: "x", file_path: "/w/a.ts" })]),
      assistant([tool("Bash", { command: "npm\n  test" })]),
      assistant([tool("Odd", { n: 1 })]),
    ]);
    expect(write).toEqual({ kind: "used-tool", name: "Write", detail: "/w/a.ts" });
    expect(run).toEqual({ kind: "used-tool", name: "Bash", detail: "npm test" });
    expect(other).toEqual({ kind: "used-tool", name: "Odd", detail: '{"n":1}' });
  });

  it("shows that it waits for the API", () => {
    const retry = { type: "system", subtype: "api_retry", attempt: 1, max_retries: 6, error_status: 529 };
    expect(understood([retry])[0]).toEqual({
      kind: "said",
      text: "the model's API answered 529; retry 1 of 6",
    });
  });

  it("C8 asks in a line of its text, and the rest is talk", () => {
    const events = understood([init, assistant([text(`I cannot tell.\n${question}`)]), result()]);
    expect(events.slice(0, 2)).toEqual([
      { kind: "said", text: "I cannot tell." },
      { kind: "asked", id: "q1", text: "Which?", options: ["a", "b"] },
    ]);
  });

  it("is ended soon after its result when something of it lingers", async () => {
    const root = folder();
    const path = program(root, `${printing(init, result())}\nsleep 1000`);
    const startedAt = performance.now();
    expect(endOf(await heard(fake(path), orderIn(root)))).toEqual({ kind: "finished" });
    expect(performance.now() - startedAt).toBeLessThan(9000);
  });
});

/** What the program was started with. */
async function given(order: ReturnType<typeof orderIn>, root: string, way: "work" | "resume" = "work") {
  const path = program(
    root,
    `printf '%s\\n' "$@" > args; env > env; cat > prompt; ${printing(init, result())}`,
  );
  const agent = fake(path, { model: "opus" });
  const events = (way === "work" ? agent.work : agent.resume)?.(order, new AbortController().signal);
  for await (const _event of events ?? []);
  const read = (name: string) => readFileSync(join(order.workspace.cwd, name), "utf8");
  return { args: read("args").split("\n"), env: read("env").split("\n"), prompt: read("prompt") };
}

describe("what Claude Code is given", () => {
  const session = "5d3f0f3e-0c6e-4c43-9b0e-d8f6f2f1c001";

  it("X7 gets the bundle's path and where its result belongs, on its standard input", async () => {
    const root = folder();
    const order = { ...orderIn(root), session };
    const { args, prompt } = await given(order, root);
    expect(prompt).toContain(order.bundle);
    expect(prompt).toContain(order.output);
    expect(args.join(" ")).not.toContain(order.bundle);
  });

  it("gets its caps, its model and its session, and nothing of the workspace steers it", async () => {
    const root = folder();
    const { args } = await given({ ...orderIn(root), session }, root);
    const flagged = (flag: string) => args[args.indexOf(flag) + 1];
    expect(flagged("--max-turns")).toBe("7");
    expect(flagged("--max-budget-usd")).toBe("1.5");
    expect(flagged("--model")).toBe("opus");
    expect(flagged("--session-id")).toBe(session);
    expect(flagged("--setting-sources")).toBe("");
    expect(args).toContain("--strict-mcp-config");
    expect(JSON.parse(flagged("--settings") ?? "")).toMatchObject({ disableAllHooks: true });
  });

  it("gets its key, a home of its own and a pinned address, and no other variable", async () => {
    const root = folder();
    process.env.ANTHROPIC_API_KEY = "sk-ant-for-this-test";
    process.env.ANTHROPIC_MODEL = "somebody-elses";
    const { env } = await given(orderIn(root), root);
    delete process.env.ANTHROPIC_API_KEY;
    delete process.env.ANTHROPIC_MODEL;
    expect(env).toContain("ANTHROPIC_API_KEY=sk-ant-for-this-test");
    expect(env).toContain("ANTHROPIC_BASE_URL=https://api.anthropic.com");
    expect(env).toContain(`HOME=${join(root, "home")}`);
    expect(env).toContain("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1");
    expect(env.join("\n")).not.toContain("ANTHROPIC_MODEL");
    // Outside the box it is not told that it is in one.
    expect(env.join("\n")).not.toContain("IS_SANDBOX");
  });

  it("X14 takes up its session again, and begins it when it never began", async () => {
    const root = folder();
    const order = { ...orderIn(root), session };
    const never = await given(order, root, "resume");
    expect(never.args).toContain("--session-id");
    expect(never.prompt).not.toContain("interrupted");
    const project = join(root, "home/.claude/projects/-work");
    mkdirSync(project, { recursive: true });
    writeFileSync(join(project, `${session}.jsonl`), "{}\n");
    const again = await given(order, root, "resume");
    expect(again.args[again.args.indexOf("--resume") + 1]).toBe(session);
    expect(again.args).not.toContain("--session-id");
    expect(again.prompt).toContain("interrupted");
  });
});

describe("finding Claude Code", () => {
  const elf = Buffer.from("7f454c4602010100", "hex");
  const put = (path: string, content: Buffer | string) => {
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, content, { mode: 0o755 });
    return path;
  };

  it("says how to install it where it is not", () => {
    expect(findClaude(undefined, folder())).toMatchObject({
      code: "no-claude",
      hint: "npm install -g @anthropic-ai/claude-code",
    });
  });

  it("follows the link on the PATH to the program", () => {
    const root = folder();
    const real = put(join(root, "versions/2.1.325"), elf);
    mkdirSync(join(root, "bin"));
    symlinkSync(real, join(root, "bin/claude"));
    expect(findClaude(undefined, join(root, "bin"))).toEqual({ program: real, readable: [] });
  });

  it("takes the program of the npm package, not the script that would start it", () => {
    const root = folder();
    const scope = join(root, "lib/node_modules/@anthropic-ai");
    const script = put(join(scope, "claude-code/cli-wrapper.cjs"), "#!/usr/bin/env node\n");
    const native = put(join(scope, `claude-code-${process.platform}-${process.arch}/claude`), elf);
    mkdirSync(join(root, "bin"));
    symlinkSync(script, join(root, "bin/claude"));
    expect(findClaude(undefined, join(root, "bin"))).toEqual({ program: native, readable: [] });
  });

  it("refuses a configured path that is no program", () => {
    const root = folder();
    for (const path of [join(root, "nothing"), root])
      expect(findClaude(path, "")).toMatchObject({ code: "no-claude" });
  });
});

// Codex as an agent: the shared suite, through a program that speaks its stream format, and what its stream means. The
// lines are as 0.166.0 prints them, shortened; the real program is tried in test/live.
import { appendFileSync, chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type CodexAgent, codex } from "../../src/agents/codex.ts";
import { Rollout } from "../../src/agents/codex-rollout.ts";
import { CodexStream } from "../../src/agents/codex-stream.ts";
import { codexProgram, findNative } from "../../src/agents/find-native.ts";
import { findSandbox } from "../../src/host/box/box.ts";
import type { Ending } from "../../src/host/program/program.ts";
import { agentSuite, type Behaviour, endOf, folder, heard, orderIn } from "./suite.ts";

const thread = "01a1dfc8-a6b9-7611-82ad-020cb45b3d28";
const began = [{ type: "thread.started", thread_id: thread }, { type: "turn.started" }];
const usage = (input_tokens: number, output_tokens: number, cached_input_tokens = 0) => ({
  input_tokens,
  cached_input_tokens,
  cache_write_input_tokens: 0,
  output_tokens,
  reasoning_output_tokens: 0,
});
const completed = (used = usage(0, 0)) => ({ type: "turn.completed", usage: used });
const failed = (message: string) => ({ type: "turn.failed", error: { message } });
let items = 0;
const item = (type: string, more: object, id = `item_${++items}`) => ({
  type: "item.completed",
  item: { id, type, ...more },
});
const said = (text: string) => item("agent_message", { text });

const printing = (...lines: readonly object[]) =>
  `cat <<'LINES'\n${lines.map((line) => JSON.stringify(line)).join("\n")}\nLINES`;
const question = '{"type":"question","id":"q1","text":"Which?","options":["a","b"]}';

const scripts: Readonly<Record<Exclude<Behaviour, "cannot-start">, string>> = {
  writes: `echo '{"made":true}' > "$HEDDLE_OUTPUT"; ${printing(...began, completed())}`,
  talks: printing(...began, said("one"), said("two"), completed()),
  crashes: `${printing(...began)}\nexit 3`,
  hangs: "sleep 1000",
  chatters: "yes xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
  asks: printing(...began, said(question), completed()),
  spends: printing(...began, completed(usage(10, 2))),
  "spends-unknown": printing(...began, completed(usage(10, 2))),
  "does-nothing": printing(...began, completed()),
};

function program(root: string, body: string): string {
  const path = join(root, "codex");
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** Ten tokens in and two out come to half a dollar. */
const prices = { "a-model": { input: 40_000, output: 50_000 } };

const fake = (path: string, more: Partial<CodexAgent> = {}) =>
  codex({
    name: "codex",
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
const boxes = [
  { name: "codex, unconfined", box: { kind: "unconfined" } as const },
  ...(found.ok ? [{ name: "codex, boxed", box: { kind: "boxed", sandbox: found } as const }] : []),
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
const line = (value: object | string) => ({
  kind: "line" as const,
  from: "stdout" as const,
  cut: false,
  text: typeof value === "string" ? value : JSON.stringify(value),
});

function understood(lines: readonly (object | string)[], how: Ending = exited(0)) {
  const stream = new CodexStream({ rollout: new Rollout("/nowhere") });
  return [...lines.flatMap((each) => stream.hear(line(each))), ...stream.end(how, limits)];
}

const endAfter = (last: object, how: Ending = exited(1)) => endOf(understood([...began, last], how));

describe("how Codex stops", () => {
  it("finishes when its turn is complete and it exits", () => {
    expect(endAfter(completed(), exited(0))).toEqual({ kind: "finished" });
  });

  it.each([
    ["unexpected status 401 Unauthorized: no, url: http://x/v1/responses", "environment", false],
    ["unexpected status 404 Not Found: no, url: http://x/v1/responses", "environment", false],
    ["unexpected status 400 Bad Request: no", "runtime", true],
    ["We’re currently experiencing high demand, which may cause temporary errors.", "environment", true],
    ["Connection failed: error sending request", "environment", true],
    ["stream disconnected before completion: Transport error: network error", "environment", true],
    ["something that nobody has seen", "runtime", true],
  ])("says what the API said: %s", (message, category, retryable) => {
    const end = endAfter(failed(message));
    expect(end).toMatchObject({ kind: "failed", category, retryable });
    expect("message" in end && end.message).toContain(message.slice(0, 20));
  });

  it("fails when it was interrupted, which exits without a last word", () => {
    expect(endOf(understood(began, exited(0)))).toMatchObject({ kind: "failed", category: "runtime" });
    expect(endOf(understood(began, exited(1)))).toMatchObject({ kind: "failed", category: "runtime" });
  });

  it("is not tried again when it refuses to begin, and says why", () => {
    const stream = new CodexStream({ rollout: new Rollout("/nowhere") });
    const text = "error: unexpected argument '--json' found";
    stream.hear({ ...line(text), from: "stderr" });
    expect(endOf(stream.end(exited(2), limits))).toEqual({
      kind: "failed",
      category: "environment",
      message: `Codex exited with code 2: ${text}`,
      retryable: false,
    });
  });

  it("C7 names the limit that ended it, although it had said that it was done", () => {
    expect(endAfter(completed(), { kind: "limit", limit: "silence" })).toMatchObject({ category: "timeout" });
  });

  it.each([
    ["cut off", '{"type":"turn.compl'],
    ["null", "null"],
    ["of a type that is no word", '{"type":7}'],
    ["of a type that nobody knows", '{"type":"dance"}'],
    ["an item that is nothing", '{"type":"item.completed"}'],
    [
      "an item whose changes are a word",
      '{"type":"item.completed","item":{"type":"file_change","changes":"x"}}',
    ],
  ])("survives a line that is %s, and does not take it for an end", (_what, odd) => {
    expect(endOf(understood([...began, odd]))).toMatchObject({ kind: "failed", category: "runtime" });
    expect(endOf(understood([...began, odd, completed()]))).toEqual({ kind: "finished" });
  });
});

describe("what Codex does", () => {
  it("is shown once, when it begins, without the shell around it", () => {
    const command = { command: "/bin/bash -lc 'npm test'", status: "in_progress" };
    const one = { id: "i1", type: "command_execution", ...command };
    const events = understood([
      { type: "item.started", item: one },
      { type: "item.completed", item: one },
      item("file_change", { changes: [{ path: "/w/a.ts" }, { path: "/w/b.ts" }] }),
      item("mcp_tool_call", { server: "s", tool: "t", arguments: { n: 1 } }),
    ]);
    expect(events.slice(0, 3)).toEqual([
      { kind: "used-tool", name: "shell", detail: "npm test" },
      { kind: "used-tool", name: "apply_patch", detail: "/w/a.ts /w/b.ts" },
      { kind: "used-tool", name: "s.t", detail: '{"n":1}' },
    ]);
  });

  it("shows that it tries again", () => {
    expect(understood([{ type: "error", message: "Reconnecting... 1/1" }])[0]).toEqual({
      kind: "said",
      text: "Reconnecting... 1/1",
    });
  });
});

/** Codex's own notes, as far as they count. */
function notes() {
  const sessions = join(folder(), "sessions");
  mkdirSync(join(sessions, "2026/11/15"), { recursive: true });
  const file = join(sessions, `2026/11/15/rollout-2026-11-15T15-17-11-${thread}.jsonl`);
  const count = (total: object) => ({
    type: "event_msg",
    payload: { type: "token_count", info: { total_token_usage: total } },
  });
  const write = (value: object) => appendFileSync(file, `${JSON.stringify(value)}\n`);
  write({ type: "session_meta", payload: { id: thread } });
  return { sessions, file, calls: (input: number, output: number) => write(count(usage(input, output))) };
}

describe("C12 what Codex spent", () => {
  const spent = (events: ReturnType<typeof understood>) =>
    events.flatMap((each) =>
      each.kind === "spent" ? [[each.inputTokens, each.outputTokens, each.costUsd]] : [],
    );

  it("is told call by call from its own notes, and not twice", () => {
    const { sessions, calls } = notes();
    const stream = new CodexStream({ rollout: new Rollout(sessions), model: "gpt-5.5" });
    calls(1000, 50);
    const first = stream.hear(line(said("a")));
    calls(2000, 100);
    const rest = [stream.hear(line(completed(usage(2000, 100)))), stream.end(exited(0), limits)].flat();
    expect(spent(first)).toEqual([[1000, 50, 0.0065]]);
    expect(spent(rest)).toEqual([[1000, 50, 0.0065]]);
    expect(stream.turns).toBe(2);
  });

  it("counts nothing of an earlier process of the same conversation", () => {
    const { sessions, calls } = notes();
    calls(1000, 50);
    const stream = new CodexStream({ rollout: new Rollout(sessions), model: "gpt-5.5" });
    expect(spent(stream.hear(line(completed(usage(3000, 150)))))).toEqual([[2000, 100, 0.013]]);
    expect(stream.turns).toBe(0);
  });

  it("is cheaper where it came from a cache", () => {
    const stream = new CodexStream({ rollout: new Rollout("/nowhere"), model: "gpt-5.5" });
    expect(spent(stream.hear(line(completed(usage(1e6, 0, 1e6)))))).toEqual([[1e6, 0, 0.5]]);
  });

  it("is unknown, and not nothing, when it was ended before it could say", () => {
    expect(spent(understood(began, { kind: "aborted" }))).toEqual([[0, 0, null]]);
  });

  it("is unknown for a model whose price nobody knows", () => {
    expect(spent(understood([...began, completed(usage(10, 2))]))).toEqual([[10, 2, null]]);
  });
});

describe("C7 heddle's own caps on Codex", () => {
  const looping = (root: string) => {
    const one = JSON.stringify(item("command_execution", { command: "true" }, "N"));
    const loop = `n=0; while :; do n=$((n+1)); echo '${one}' | sed "s/\\"N\\"/\\"$n\\"/"; sleep 0.02; done`;
    return program(root, `${printing(...began)}\n${loop}`);
  };

  it("end it after so many turns, and say so", async () => {
    const root = folder();
    const events = await heard(fake(looping(root)), orderIn(root));
    expect(endOf(events)).toMatchObject({
      category: "budget",
      message: expect.stringContaining("more than 7"),
    });
    expect(events.filter(({ kind }) => kind === "used-tool").length).toBeLessThan(20);
  });

  it("end it when its money is used up, and say so", async () => {
    const root = folder();
    const body = printing(...began, completed(usage(100, 20)), { type: "turn.started" });
    const agent = fake(program(root, `${body}\nsleep 1000`), { model: "a-model", prices });
    expect(endOf(await heard(agent, orderIn(root)))).toMatchObject({
      category: "budget",
      message: expect.stringContaining("$1.5"),
    });
  });
});

async function given(order: ReturnType<typeof orderIn>, root: string, way: "work" | "resume" = "work") {
  const path = program(
    root,
    `printf '%s\\n' "$@" > args; env > env; cat > prompt; ${printing(...began, completed())}`,
  );
  const agent = fake(path, { model: "gpt-5.5", effort: "high" });
  const events = (way === "work" ? agent.work : agent.resume)?.(order, new AbortController().signal);
  for await (const _event of events ?? []);
  const read = (name: string) => readFileSync(join(order.workspace.cwd, name), "utf8");
  return { args: read("args"), env: read("env").split("\n"), prompt: read("prompt") };
}

describe("what Codex is given", () => {
  it("X7 gets the bundle's path and where its result belongs, on its standard input", async () => {
    const root = folder();
    const order = orderIn(root);
    const { args, prompt } = await given(order, root);
    expect(prompt).toContain(order.bundle);
    expect(prompt).toContain(order.output);
    expect(args).not.toContain(order.bundle);
  });

  it("gets its model and effort, and nothing of the workspace steers it", async () => {
    const root = folder();
    const { args } = await given(orderIn(root), root);
    expect(args).toContain("-m\ngpt-5.5\n");
    expect(args).toContain('model_reasoning_effort="high"');
    expect(args).toContain(`projects={"${join(root, "work")}"={trust_level="untrusted"}}`);
    expect(args).toContain("features.hooks=false");
    expect(args).toContain("features.unbounded_connection_retries=false");
  });

  it("follows the workspace's settings when a person approved them", async () => {
    const root = folder();
    const { args } = await given({ ...orderIn(root), trusted: true }, root);
    expect(args).toContain('trust_level="trusted"');
    expect(args).not.toContain("features.hooks");
  });

  it("X16 gets heddle's own tools where its attempt has a socket, and is told so", async () => {
    const root = folder();
    const order = orderIn(root);
    const env = { HEDDLE_SOCKET: "/door/socket" };
    const told = await given({ ...order, workspace: { ...order.workspace, env } }, root);
    expect(told.args).toContain('mcp_servers.heddle={command="/door/heddle",args=["mcp"],env={');
    expect(told.args).toContain(`HEDDLE_SOCKET="/door/socket",HEDDLE_TOKEN_FILE="${order.token}"`);
    expect(told.prompt).toContain("The tool mcp__heddle__complete_task does the same.");
    const plain = await given(orderIn(root), root);
    expect(plain.args + plain.prompt).not.toContain("mcp_");
  });

  it("gets its key under a name that its commands do not see, and no other variable", async () => {
    const root = folder();
    process.env.OPENAI_API_KEY = "sk-for-this-test";
    process.env.OPENAI_ORG = "somebody-elses";
    const { env, args } = await given(orderIn(root), root);
    delete process.env.OPENAI_API_KEY;
    delete process.env.OPENAI_ORG;
    expect(env).toContain("HEDDLE_CODEX_KEY=sk-for-this-test");
    expect(args).toContain('shell_environment_policy.exclude=["HEDDLE_CODEX_KEY"]');
    expect(args).not.toContain("sk-for-this-test");
    expect(env).toContain(`HOME=${join(root, "home")}`);
    expect(env.join("\n")).not.toMatch(/OPENAI_/);
  });

  it("X14 takes up its conversation again, and begins it when nothing of it was written", async () => {
    const root = folder();
    const order = orderIn(root);
    const sessions = join(root, "home/.codex/sessions/2026/11/15");
    mkdirSync(sessions, { recursive: true });
    const file = join(sessions, `rollout-2026-11-15T15-17-11-${thread}.jsonl`);
    writeFileSync(file, "");
    const never = await given(order, root, "resume");
    expect(never.args).not.toContain("resume");
    expect(never.prompt).not.toContain("interrupted");
    writeFileSync(file, '{"type":"session_meta"}\n');
    const again = await given(order, root, "resume");
    expect(again.args).toContain(`resume\n${thread}\n-\n`);
    expect(again.prompt).toContain("interrupted");
  });
});

describe("finding Codex", () => {
  const elf = Buffer.from("7f454c4602010100", "hex");
  const put = (path: string, content: Buffer | string) => {
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, content, { mode: 0o755 });
    return path;
  };

  it("says how to install it where it is not", () => {
    expect(findNative(codexProgram, undefined, folder())).toMatchObject({
      code: "no-codex",
      message: "Codex (`codex`) is not installed",
      hint: "npm install -g @openai/codex",
    });
  });

  it("takes the program of the npm package and what lies beside it, not the script that would start it", () => {
    const root = folder();
    const scope = join(root, "lib/node_modules/@openai");
    const script = put(join(scope, "codex/bin/codex.js"), "#!/usr/bin/env node\n");
    const [place = ""] = codexProgram.places(process.platform, process.arch);
    const native = put(join(scope, place), elf);
    mkdirSync(join(root, "bin"));
    symlinkSync(script, join(root, "bin/codex"));
    expect(findNative(codexProgram, undefined, join(root, "bin"))).toEqual({
      program: native,
      readable: [join(native, "../..")],
    });
  });
});

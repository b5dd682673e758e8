// A program as an agent: the shared suite, and what only a program can do wrong.
import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type CommandAgent, command } from "../../src/agents/command.ts";
import { findSandbox } from "../../src/host/box/box.ts";
import { commandLines } from "../needs.ts";
import { agentSuite, type Behaviour, endOf, folder, heard, orderIn } from "./suite.ts";

const scripts: Readonly<Record<Exclude<Behaviour, "cannot-start">, string>> = {
  writes: `echo '{"made":true}' > "$HEDDLE_OUTPUT"`,
  talks: "echo one; echo two",
  crashes: "exit 3",
  hangs: "sleep 1000",
  chatters: "yes xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
  asks: `echo '{"type":"question","id":"q1","text":"Which?","options":["a","b"]}'`,
  spends: `echo '{"type":"usage","input_tokens":10,"output_tokens":2,"cost_usd":0.5}'`,
  "spends-unknown": `echo '{"type":"usage","input_tokens":10,"output_tokens":2}'`,
  "does-nothing": "true",
};

function program(root: string, body: string): string {
  const path = join(root, "agent.sh");
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}

const unconfined = (path: string, more: Partial<CommandAgent> = {}) =>
  command({
    name: "test",
    program: [path],
    env: [],
    readable: [],
    network: false,
    box: { kind: "unconfined" },
    maxTurns: 3,
    maxCostUsd: 1,
    ...more,
  });

const found = await findSandbox();
if (!found.ok) console.log("bubblewrap is missing here: the command agent is tried unconfined only");

agentSuite({
  name: "command, unconfined",
  make: (behaviour, root) =>
    unconfined(behaviour === "cannot-start" ? join(root, "nobody") : program(root, scripts[behaviour])),
});

if (found.ok)
  agentSuite({
    name: "command, boxed",
    make: (behaviour, root) =>
      unconfined(behaviour === "cannot-start" ? join(root, "nobody") : program(root, scripts[behaviour]), {
        box: { kind: "boxed", sandbox: found },
      }),
  });

const saying = async (...lines: readonly string[]) => {
  const root = folder();
  writeFileSync(join(root, "lines"), `${lines.join("\n")}\n`);
  return heard(unconfined(program(root, `cat '${root}/lines'`)), orderIn(root));
};

describe("what a program prints", () => {
  it.each([
    ["JSON that is cut off", '{"type":"usage","input_tok'],
    ["JSON without a type", '{"hello":1}'],
    ["JSON of a type that nobody knows", '{"type":"dance"}'],
    ["a type that is no word", '{"type":7}'],
    ["a type of every object", '{"type":"__proto__"}'],
    ["plain words", "hello there"],
  ])("is talk when it is %s", async (_name, line) => {
    expect(await saying(line)).toEqual([
      { kind: "said", text: line },
      { kind: "stopped", how: { kind: "finished" } },
    ]);
  });

  it("is talk on standard error, even when it looks like an event", async () => {
    const root = folder();
    const line = '{"type":"usage","input_tokens":1,"output_tokens":1}';
    const events = await heard(unconfined(program(root, `echo '${line}' >&2`)), orderIn(root));
    expect(events[0]).toEqual({ kind: "said", text: line });
  });

  it("counts no negative tokens, no negative cost, and no words as numbers", async () => {
    const [event] = await saying('{"type":"usage","input_tokens":-5,"output_tokens":"many","cost_usd":-1}');
    expect(event).toMatchObject({ kind: "spent", inputTokens: 0, outputTokens: 0 });
    expect(event?.kind === "spent" && (event.costUsd ?? 0) >= 0).toBe(true);
  });

  it("C12 counts no infinite cost", async () => {
    const [event] = await saying('{"type":"usage","input_tokens":1e999,"output_tokens":1,"cost_usd":1e999}');
    expect(
      event?.kind === "spent" && Number.isFinite(event.inputTokens) && Number.isFinite(event.costUsd ?? 0),
    ).toBe(true);
  });

  it("takes only words as options of a question", async () => {
    const [event] = await saying('{"type":"question","text":"Why?","options":["a",1,null,{}]}');
    expect(event).toEqual({ kind: "asked", id: "1", text: "Why?", options: ["a"] });
  });

  it("takes no question without a text", async () => {
    const events = await saying('{"type":"question","id":"q1"}');
    expect(events.some((event) => event.kind === "asked" && event.text === "")).toBe(false);
  });

  it("shows a tool and a progress line as what they are", async () => {
    const events = await saying(
      '{"type":"tool","name":"Read","detail":"a.ts"}',
      '{"type":"progress","text":"half"}',
    );
    expect(events.slice(0, 2)).toEqual([
      { kind: "used-tool", name: "Read", detail: "a.ts" },
      { kind: "said", text: "half" },
    ]);
  });

  it("is kept, byte for byte", async () => {
    const root = folder();
    const order = orderIn(root);
    await heard(unconfined(program(root, "printf 'a\\r\\n\\377b'; printf err >&2")), order);
    expect(readFileSync(join(order.workspace.records, "stdout.log"))).toEqual(
      Buffer.from([0x61, 13, 10, 0xff, 0x62]),
    );
    expect(readFileSync(join(order.workspace.records, "stderr.log"), "utf8")).toBe("err");
  });
});

describe("C7 the caps of any program", () => {
  it("end it after so many tools, and say so", async () => {
    const root = folder();
    const path = program(root, `while :; do echo '{"type":"tool","name":"again"}'; sleep 0.02; done`);
    expect(endOf(await heard(unconfined(path), orderIn(root)))).toMatchObject({
      category: "budget",
      message: expect.stringContaining("more than 3"),
    });
  });
});

describe("what a program is given", () => {
  it("Names: five variables, the bundle's path as its last word, the workspace as its directory", async () => {
    const root = folder();
    const order = orderIn(root);
    const print =
      'echo "$HEDDLE_ROLE|$HEDDLE_TASK|$HEDDLE_ATTEMPT|$HEDDLE_OUTPUT|$HEDDLE_TOKEN_FILE|$PWD|$1|$2"';
    const path = program(root, print);
    const [event] = await heard(unconfined(path, { program: [path, "first"] }), order);
    const { output, token, workspace, bundle } = order;
    expect(event).toEqual({
      kind: "said",
      text: ["logic-architect", "", "1", output, token, workspace.cwd, "first", bundle].join("|"),
    });
  });

  it("gets no variable that was not named", async () => {
    process.env.HEDDLE_TEST_OTHER = "other";
    process.env.HEDDLE_TEST_NAMED = "named";
    const root = folder();
    const events = await heard(
      unconfined(program(root, "env"), { env: ["HEDDLE_TEST_NAMED"] }),
      orderIn(root),
    );
    const said = events.flatMap((event) => (event.kind === "said" ? [event.text] : []));
    expect(said).toContain("HEDDLE_TEST_NAMED=named");
    expect(said.join("\n")).not.toContain("HEDDLE_TEST_OTHER");
    delete process.env.HEDDLE_TEST_OTHER;
    delete process.env.HEDDLE_TEST_NAMED;
  });

  it("leaves no process behind, not even one that left its group", async () => {
    const root = folder();
    const marker = `marker-${crypto.randomUUID()}`;
    await heard(
      unconfined(program(root, `setsid sh -c 'sleep 1000; : ${marker}' & sleep 0.2`)),
      orderIn(root),
    );
    expect(commandLines().join("\n")).not.toContain(marker);
    expect(spawnSync("true").status).toBe(0);
  });

  it("ends after a program that ignores SIGTERM, too", async () => {
    const root = folder();
    const end = endOf(
      await heard(unconfined(program(root, "trap '' TERM; sleep 1000")), orderIn(root, { wallMs: 200 })),
    );
    expect(end).toMatchObject({ kind: "failed", category: "timeout" });
  });
});

describe("a program that fails", () => {
  it.each([
    [
      "what it said last on standard error",
      "echo first >&2; echo 'no key for the model' >&2",
      "no key for the model",
    ],
    [
      "the line that names the error above a stack",
      "printf 'TypeError: x is not a function\\n    at a.js:1\\n}\\n' >&2",
      "TypeError: x is not a function",
    ],
  ])("X25 is told with %s", async (_name, body, why) => {
    const root = folder();
    const end = endOf(await heard(unconfined(program(root, `${body}\nexit 3`)), orderIn(root)));
    expect(end).toMatchObject({ kind: "failed", message: `the agent exited with code 3: ${why}` });
  });

  it("X25 is told without a reason where it printed none", async () => {
    const root = folder();
    const end = endOf(await heard(unconfined(program(root, "echo talk\nexit 3")), orderIn(root)));
    expect(end).toMatchObject({ kind: "failed", message: "the agent exited with code 3" });
  });
});

describe.runIf(found.ok)("a program that has no network", () => {
  it("U11 says so, and what opens it, where it fails for want of one", async () => {
    const root = folder();
    const body = `node -e 'fetch("http://api.example.org/").catch((e) => { console.error(e.cause); process.exit(1) })'`;
    const box = { kind: "boxed", sandbox: found as Extract<typeof found, { ok: true }> } as const;
    const failed = { kind: "failed", message: expect.stringContaining('"network"') };
    expect(endOf(await heard(unconfined(program(root, body), { box }), orderIn(root)))).toMatchObject(failed);
    const plain = endOf(await heard(unconfined(program(root, "exit 1"), { box }), orderIn(root)));
    expect(plain).toMatchObject({ kind: "failed", message: expect.not.stringContaining("network") });
  });
});

// `heddle mcp` inside an attempt: five tools over the attempt's socket, and nothing else (U2, X8, X16, X17).
import { chmodSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Execution, hasBox } from "../execute/rig.ts";

/** Speaks MCP with `heddle mcp` from inside: each call's answer is printed as one line. */
const speak = (calls: readonly (readonly [string, object])[], env = "{}") => `
  const lines = [{ id: 0, method: "initialize", params: { protocolVersion: "2025-06-18", clientInfo: { name: "agent" }, capabilities: {} } },
    { id: "list", method: "tools/list" }];
  const calls = ${JSON.stringify(calls)};
  const told = (messages) => spawnSync("heddle", ["mcp"], { encoding: "utf8", env: { ...process.env, ...${env} },
    input: messages.map((each) => JSON.stringify({ jsonrpc: "2.0", ...each })).join("\\n") + "\\n" });
  say(told(lines).stdout);
  for (const [name, input] of calls) {
    const { stdout, stderr, status } = told([{ id: name, method: "tools/call", params: { name, arguments: input } }]);
    say(stdout + stderr + "exit " + status);
  }`;

const printed = (project: Execution, attempt: string) =>
  readFileSync(project.attempt(attempt, "stdout.log"), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));

/** By id; the text of a result's first content. */
function answers(project: Execution, attempt = "T001-1") {
  const said = printed(project, attempt);
  return (id: string | number) => {
    const { result, error } = said.find((each) => each.id === id);
    return { result, error, isError: result?.isError, text: result?.content?.[0]?.text ?? "" };
  };
}

/** Where there is no box, agents run without it. */
const box = hasBox ? [] : ["--unconfined"];

const five = ["read_bundle", "report_progress", "ask_question", "complete_task", "fail_task"];

/** An ACP agent that starts the server it was given, and does everything by its tools. */
const acpAgent = `#!${process.execPath}
const fs = require("node:fs"), { spawnSync } = require("node:child_process");
const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
let server;
const call = (name, input) => {
  const env = Object.fromEntries(server.env.map(({ name, value }) => [name, value]));
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input } };
  const { stdout } = spawnSync(server.command, server.args, { encoding: "utf8", env: { PATH: process.env.PATH, ...env }, input: JSON.stringify(message) + "\\n" });
  return JSON.parse(stdout).result.content[0].text;
};
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") answer(id, { protocolVersion: 1, agentCapabilities: {} });
  if (method === "session/new") { [server] = params.mcpServers; answer(id, { sessionId: "s" }); }
  if (method === "session/prompt") {
    fs.writeFileSync("../out/prompt", params.prompt[0].text);
    const { files } = JSON.parse(call("read_bundle", {}));
    for (const { path } of files) { fs.mkdirSync("src", { recursive: true }); fs.writeFileSync(path, "T001\\n"); }
    call("report_progress", { message: server.name + " was told" });
    call("complete_task", { created: files.map(({ path }) => path) });
    answer(id, { stopReason: "end_turn" });
  }
}).on("close", () => process.exit(0));
`;

describe("heddle mcp inside an attempt", () => {
  it("X16 U2 an agent over ACP is given the server, token-bound, and told of its tools", async () => {
    const project = await Execution.ready({ tasks: 1 });
    project.write("acp.cjs", acpAgent);
    chmodSync(project.path("acp.cjs"), 0o755);
    const ran = await project.heddle("execute", "--batch", "--agent", "acp:./acp.cjs", ...box);
    expect(ran.code, ran.err + ran.out).toBe(0);
    expect(project.merged()).toEqual(["T001"]);
    const at = (name: string) => readFileSync(project.attempt("T001-1", name), "utf8");
    expect(at("events.jsonl")).toContain("heddle was told");
    expect(at("out/prompt")).toContain("The tool complete_task of the MCP server heddle does the same.");
  });

  it("X16 X8 offers five tools; complete_task proposes, and heddle checks and merges", async () => {
    const project = await Execution.ready(
      { tasks: 1 },
      {
        T001: [
          `write(); ${speak([
            ["read_bundle", {}],
            ["report_progress", { message: "half of it is done" }],
            ["complete_task", { created: ["src/T001.txt"] }],
          ])}`,
        ],
      },
    );
    const ran = await project.execute();
    expect(ran.code, ran.err + ran.out).toBe(0);
    const answer = answers(project);
    expect(answer(0).result.instructions).toContain("T001");
    expect(answer("list").result.tools.map(({ name }: { name: string }) => name)).toEqual(five);
    expect(JSON.parse(answer("read_bundle").text)).toEqual(
      JSON.parse(readFileSync(project.attempt("T001-1", "bundle.json"), "utf8")),
    );
    expect(answer("complete_task")).toMatchObject({ isError: false });
    expect(answer("complete_task").text).toContain("proposed as complete");
    const kinds = (await project.history()).map(({ fact }) => fact.kind);
    expect(kinds.indexOf("proposal-recorded")).toBeGreaterThan(0);
    expect(kinds.indexOf("checks-recorded")).toBeGreaterThan(kinds.indexOf("proposal-recorded"));
    expect(project.merged()).toEqual(["T001"]);
    const events = readFileSync(project.attempt("T001-1", "events.jsonl"), "utf8");
    expect(events).toContain('"kind":"said","text":"half of it is done"');
  });

  it("X16 what is proposed is checked: a claim without the work fails", async () => {
    const project = await Execution.ready(
      { tasks: 1 },
      { T001: [`${speak([["complete_task", { created: ["src/T001.txt"] }]])}`] },
    );
    project.config({ attempts: 1 });
    expect((await project.execute()).code).toBe(1);
    expect((await project.facts("task-completed")).length).toBe(0);
    expect((await project.facts("task-failed")).length).toBe(1);
  });

  it("X16 fail_task reports with its category", async () => {
    const project = await Execution.ready(
      { tasks: 1 },
      {
        T001: [speak([["fail_task", { error: "needs a database", category: "dependency", no_retry: true }]])],
      },
    );
    expect((await project.execute()).code).toBe(1);
    expect(await project.facts("task-failed")).toMatchObject([
      { category: "dependency", error: "needs a database", retryable: false },
    ]);
  });

  it("C8 ask_question is durable: the attempt waits, the answer starts another that is told", async () => {
    const project = await Execution.ready(
      { tasks: 2 },
      {
        T001: [
          speak([
            ["ask_question", { question: "Which port?", option: ["80", "8080"] }],
            ["ask_question", { question: "Which port?" }],
            ["complete_task", { created: [] }],
          ]),
          'if (bundle.answers[0]?.answer !== "8080") throw 1; good()',
        ],
      },
    );
    expect((await project.execute()).code).toBe(1);
    const answer = answers(project);
    expect(answer("ask_question").text).toContain("Stop now");
    expect(answer("complete_task").isError).toBe(true);
    expect(await project.facts("question-asked")).toMatchObject([
      { id: "T001-1-q1", text: "Which port?", options: ["80", "8080"], about: "T001" },
    ]);
    expect((await project.facts("attempt-paused")).length).toBe(1);
    expect((await project.status()).tasks).toMatchObject({ complete: 1, pending: 1, failed: 0 });
    await project.must("answer", "T001-1-q1", "8080");
    expect((await project.execute()).code).toBe(0);
    expect(project.merged().sort()).toEqual(["T001", "T002"]);
  });

  it("X17 nothing else can be called: every other tool is refused, and the refusal recorded", async () => {
    const project = await Execution.ready(
      { tasks: 2 },
      {
        T001: [
          `${speak([
            ["status", {}],
            ["halt", { reason: "mine" }],
            ["complete_task", { task: "T002" }],
            ["report_progress", { message: "x", run: "plan-1" }],
          ])} good()`,
        ],
      },
    );
    const ran = await project.execute("--parallel", "2");
    expect(ran.code, ran.err + ran.out).toBe(0);
    const answer = answers(project);
    expect(answer("status").error.message).toContain("cannot be done from inside an attempt");
    expect(answer("halt").error).toMatchObject({ code: -32602 });
    expect(answer("complete_task").text).toContain("this attempt is at T001, not at T002");
    expect(answer("report_progress").text).toContain("does not take `run`");
    expect((await project.facts("proposal-refused")).map(({ what, reason }) => [what, reason])).toEqual([
      ["tool status", "`tool status` cannot be done from inside an attempt"],
      ["tool halt", "`tool halt` cannot be done from inside an attempt"],
      ["complete-task T002", "this attempt is at T001, not at T002"],
    ]);
    expect((await project.facts("halt-requested")).length).toBe(0);
  });

  it("X17 a forged token gets nothing, not even the bundle", async () => {
    const project = await Execution.ready(
      { tasks: 1 },
      {
        T001: [
          `fs.writeFileSync("/tmp/forged", "f".repeat(64)); ${speak(
            [
              ["read_bundle", {}],
              ["ask_question", { question: "?" }],
              ["complete_task", {}],
            ],
            '{ HEDDLE_TOKEN_FILE: "/tmp/forged" }',
          )} good()`,
        ],
      },
    );
    expect((await project.execute()).code).toBe(0);
    const answer = answers(project);
    for (const tool of ["read_bundle", "ask_question", "complete_task"])
      expect(answer(tool)).toMatchObject({
        isError: true,
        text: expect.stringContaining("the token is not"),
      });
    expect((await project.facts("proposal-refused")).length).toBe(3);
    expect((await project.facts("question-asked")).length).toBe(0);
  });

  it("X17 the socket survives whatever is written to it", async () => {
    const project = await Execution.ready(
      { tasks: 1 },
      {
        T001: [
          `const net = require("node:net");
           const token = fs.readFileSync(process.env.HEDDLE_TOKEN_FILE, "utf8").trim();
           const lines = ["null", "[]", "1", "{", "{}", '{"what":{}}', "\\u0000", JSON.stringify({ token, what: "__proto__" }),
             JSON.stringify({ token, what: "toString" }), JSON.stringify({ token, what: "ask", text: 7 }),
             JSON.stringify({ token, what: "ask", text: " " }), JSON.stringify({ token, what: "progress", message: ["x"] }),
             JSON.stringify({ token: {}, what: "bundle" }), JSON.stringify({ token, what: "complete-task", task: { a: 1 } }), "x".repeat(300000)];
           const one = (line) => new Promise((settle) => {
             const socket = net.connect(process.env.HEDDLE_SOCKET, () => socket.write(line + "\\n"));
             let text = ""; socket.on("data", (chunk) => { text += chunk; }); socket.on("error", () => {}); socket.on("close", () => settle(text.trim()));
           });
           (async () => { for (const line of lines) say("heard " + (await one(line))); good(); })()`,
        ],
      },
    );
    const ran = await project.execute();
    expect(ran.code, ran.err + ran.out).toBe(0);
    const heard = readFileSync(project.attempt("T001-1", "stdout.log"), "utf8")
      .split("\n")
      .filter((line) => line.startsWith("heard"));
    expect(heard).toHaveLength(15);
    expect(heard.every((line) => line === "heard " || line.includes('"ok":false'))).toBe(true);
    expect((await project.facts("question-asked")).length).toBe(0);
  });

  it("X17 a thousand refusals and reports fill neither the history nor the disk", async () => {
    const flood = `const net = require("node:net");
      const token = fs.readFileSync(process.env.HEDDLE_TOKEN_FILE, "utf8").trim();
      const one = (said) => new Promise((settle) => {
        const socket = net.connect(process.env.HEDDLE_SOCKET, () => socket.write(JSON.stringify({ token, ...said }) + "\\n"));
        socket.on("data", () => {}); socket.on("error", settle); socket.on("close", settle);
      });
      (async () => {
        for (let n = 0; n < 3000; n += 30)
          await Promise.all(Array.from({ length: 30 }, () => one(n < 500 ? { what: "state skip-task" } : { what: "progress", message: "x" })));
        good();
      })()`;
    const project = await Execution.ready({ tasks: 1 }, { T001: [flood.replaceAll("\\\\", "\\")] });
    const ran = await project.execute();
    expect(ran.code, ran.err + ran.out).toBe(0);
    expect((await project.facts("proposal-refused")).length).toBe(100);
    const events = readFileSync(project.attempt("T001-1", "events.jsonl"), "utf8").split("\n");
    expect(events.filter((line) => line.includes('"text":"x"')).length).toBe(2000);
  });

  it("secrets in what an agent says are not kept", async () => {
    const secret = "sk-live-0123456789abcdef";
    const project = await Execution.ready(
      { tasks: 1 },
      {
        T001: [
          speak([
            ["report_progress", { message: `the key is ${secret}` }],
            ["fail_task", { error: `cannot use ${secret}`, no_retry: true }],
          ]),
        ],
      },
    );
    const { ended, start } = await import("../e2e/rig.ts");
    await ended(start([...project.words, "--batch"], { cwd: project.root, env: { MY_API_KEY: secret } }));
    const [failure] = await project.facts("task-failed");
    expect(failure?.error).toBe("cannot use [redacted]");
    const events = readFileSync(project.attempt("T001-1", "events.jsonl"), "utf8");
    expect(events).toContain("the key is [redacted]");
    expect(events).not.toContain(secret);
  });
});

describe("outside an attempt", () => {
  it("C14 the commands of an attempt say where they work", async () => {
    const project = new Execution();
    await project.must("init", "app");
    for (const words of [["bundle"], ["progress", "x"], ["ask", "x"]]) {
      const { code, err } = await project.heddle("attempt", ...words);
      expect(code).toBe(1);
      expect(err).toContain("works inside an attempt only");
    }
  });
});

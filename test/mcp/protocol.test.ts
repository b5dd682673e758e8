// The protocol itself, over the real process: versions, mistakes, size, speed, cancellation, and a clean standard output.

import { readFileSync } from "node:fs";
import { Client as Official } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { serve, type Tool } from "../../src/mcp/server.ts";
import { cli, type Project, readyProject, until } from "../e2e/rig.ts";
import { Client } from "./rig.ts";

let project: Project;
beforeAll(async () => {
  project = await readyProject({ tasks: 3 });
});

async function begun(): Promise<Client> {
  const client = Client.in(project);
  await client.begin();
  return client;
}

describe("the protocol", () => {
  it("U2 is what the official client speaks: connect, list, call, errors, ping, close", async () => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [cli, "mcp"],
      cwd: project.root,
      stderr: "pipe",
    });
    const official = new Official({ name: "official", version: "1" });
    await official.connect(transport);
    expect(official.getServerVersion()).toMatchObject({ name: "heddle" });
    expect(official.getInstructions()).toContain("status");
    const { tools } = await official.listTools();
    expect(tools.map(({ name }) => name)).toContain("answer");
    const good = await official.callTool({ name: "status", arguments: {} });
    expect(good.isError).toBe(false);
    const [first] = good.content as { type: string; text: string }[];
    expect(JSON.parse(first?.text ?? "")).toEqual(await project.status());
    const bad = await official.callTool({ name: "why", arguments: { task: "T999" } });
    expect(bad.isError).toBe(true);
    await expect(official.callTool({ name: "nothing" })).rejects.toThrow("not offered");
    await official.ping();
    await expect(official.listResources()).rejects.toThrow();
    await official.close();
  });

  it.each([
    ["2025-11-25", "2025-11-25"],
    ["2025-06-18", "2025-06-18"],
    ["2025-03-26", "2025-03-26"],
    ["2024-11-05", "2024-11-05"],
    ["1999-01-01", "2025-11-25"],
  ])("U2 asked for version %s it speaks %s", async (asked, spoken) => {
    const client = Client.in(project);
    expect(await client.begin(asked)).toMatchObject({
      protocolVersion: spoken,
      serverInfo: { name: "heddle" },
      capabilities: { tools: {} },
    });
  });

  it("C14 what is no request is answered as JSON-RPC says, and the next one is heard", async () => {
    const client = await begun();
    for (const [line, code, id] of [
      ["{", -32700, null],
      ["[]", -32600, null],
      ["1", -32600, null],
      ["null", -32600, null],
      ['"tools/list"', -32600, null],
      ["{}", -32600, null],
      ['{"jsonrpc":"1.0","id":"a1","method":"ping"}', -32600, "a1"],
      ['{"jsonrpc":"2.0","id":"a2"}', -32600, "a2"],
      ['{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, null],
      ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, null],
      ['{"jsonrpc":"2.0","id":"a3","method":"toString"}', -32601, "a3"],
      ['{"jsonrpc":"2.0","id":"a4","method":"resources/list"}', -32601, "a4"],
      ['{"jsonrpc":"2.0","id":"a5","method":"tools/call","params":[]}', -32602, "a5"],
      ['{"jsonrpc":"2.0","id":"a6","method":"tools/call","params":{"name":7}}', -32602, "a6"],
      [
        '{"jsonrpc":"2.0","id":"a7","method":"tools/call","params":{"name":"status","arguments":"x"}}',
        -32602,
        "a7",
      ],
    ] as const) {
      const answer = client.answerTo(id);
      client.raw(`${line}\n`);
      expect((await answer).error, line).toMatchObject({ code });
    }
    const answer = client.answerTo(null);
    client.raw(Buffer.from([0x7b, 0xff, 0xfe, 0x7d, 0x0a]));
    expect((await answer).error.code).toBe(-32700);
    expect((await client.request("ping")).result).toEqual({});
    expect(client.stderr).toBe("");
  });

  it("U2 a batch is answered as a batch, without its notifications", async () => {
    const client = await begun();
    const two = client.answerTo("b2");
    client.raw(
      `${JSON.stringify([
        { jsonrpc: "2.0", id: "b1", method: "ping" },
        { jsonrpc: "2.0", method: "notifications/whatever" },
        { jsonrpc: "2.0", id: "b2", method: "tools/call", params: { name: "status" } },
        7,
      ])}\n`,
    );
    expect((await two).result.isError).toBe(false);
    expect(client.messages.slice(-3).map(({ id }) => id)).toEqual(["b1", "b2", null]);
  });

  it("U2 a message of 40 MB is refused without being kept, and the next one is heard", async () => {
    const client = await begun();
    const refused = client.answerTo(null);
    client.raw('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"');
    for (let n = 0; n < 40; n++) client.raw("a".repeat(1024 * 1024));
    client.raw('"}}\n');
    expect((await refused).error).toMatchObject({ code: -32600 });
    expect((await client.request("ping")).result).toEqual({});
  });

  it("U2 a document a million levels deep is only wrong", async () => {
    const client = await begun();
    const refused = client.answerTo(null);
    client.raw(`${"[".repeat(1_000_000)}\n`);
    expect((await refused).error.code).toBe(-32700);
    const tooDeep = client.answerTo(null);
    const deep = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
    client.raw(
      `{"jsonrpc":"2.0","id":"deep","method":"tools/call","params":{"name":"status","arguments":${deep}}}\n`,
    );
    // Nobody reads that far to find its id.
    expect((await tooDeep).error.code).toBe(-32700);
    expect((await client.request("ping")).result).toEqual({});
  });

  it("U2 a thousand calls at once are all answered, each once", async () => {
    const client = await begun();
    const before = client.messages.length;
    const calls = Array.from({ length: 1000 }, (_, n) =>
      n % 2 === 0 ? client.call("status") : client.call("why", { task: `T00${n % 5}` }),
    );
    const told = await Promise.all(calls);
    expect(told.filter(({ isError }) => !isError).length).toBeGreaterThanOrEqual(500);
    expect(client.messages.length - before).toBe(1000);
    expect(new Set(client.messages.slice(before).map(({ id }) => id)).size).toBe(1000);
  });

  it("U2 more than it can hold is refused, not stored; what goes on meanwhile is told to who wants to know", async () => {
    const sent: { id?: number; error?: { code: number }; method?: string; params?: object }[] = [];
    let finish = () => {};
    const finished = new Promise<void>((settle) => {
      finish = settle;
    });
    const slow: Tool = {
      name: "slow",
      description: "waits",
      inputSchema: { type: "object" },
      readOnly: true,
      long: true,
      call: async (_input, { say }) => {
        say("waiting");
        await finished;
        return { texts: ["done"], isError: false };
      },
    };
    const messages = Array.from({ length: 2100 }, (_, id) => ({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name: "slow", ...(id === 0 && { _meta: { progressToken: "p" } }) },
    }));
    async function* input() {
      yield Buffer.from(`${messages.map((each) => JSON.stringify(each)).join("\n")}\n`);
      await until("all is heard", () => sent.length > 90);
      finish();
    }
    await serve({
      name: "x",
      version: "1",
      instructions: "",
      tools: [slow],
      unknown: async () => "no",
      input: input(),
      write: (line) => sent.push(JSON.parse(line)),
    });
    expect(sent.filter(({ error }) => error?.code === -32000)).toHaveLength(2100 - 2008);
    expect(sent.filter(({ method }) => method === "notifications/progress")).toEqual([
      expect.objectContaining({ params: { progressToken: "p", progress: 1, message: "waiting" } }),
    ]);
  });

  it("U2 unicode comes back as it was sent", async () => {
    const client = await begun();
    for (const id of ["é", "日本語", "👩‍👩‍👧", "\u2028\u2029", "\ud800", "a\nb"]) {
      const told = await client.call("why", { task: id });
      expect(told.isError).toBe(true);
      if (id.isWellFormed() && !/\n/.test(id)) expect(JSON.stringify(told.document)).toContain(id);
    }
  });

  it("U2 an answer to what was cancelled is not sent", async () => {
    const client = await begun();
    const before = client.messages.length;
    client.raw(
      `${["c1", "c2"].map((id) => JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "verify" } })).join("\n")}\n${JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "c1" } })}\n`,
    );
    await client.answerTo("c2");
    await client.request("ping");
    expect(client.messages.slice(before).map(({ id }) => id)).not.toContain("c1");
  });

  it("U2 what was asked before the connection closed is answered, then it ends with 0", async () => {
    const client = Client.in(project);
    client.raw(
      `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "status" } })}\n${JSON.stringify({ jsonrpc: "2.0", id: 2, method: "ping" })}`,
    );
    expect(await client.close()).toBe(0);
    expect(client.messages.map(({ id }) => id).sort()).toEqual([1, 2]);
  });

  it("U2 a client that goes away in the middle leaves no process", async () => {
    const client = await begun();
    client.child.stdout?.destroy();
    for (let n = 0; n < 50; n++)
      client.send({ jsonrpc: "2.0", id: n, method: "tools/call", params: { name: "history" } });
    expect(await client.close()).toBe(0);
  });

  it("U2 whatever is printed in its process, standard output carries messages alone", async () => {
    const noise =
      'setTimeout(() => setInterval(() => { console.log("noise"); process.stdout.write("{noise"); process.emitWarning("noise"); }, 2).unref(), 300)';
    const client = Client.in(project, {
      node: ["--import", `data:text/javascript,${encodeURIComponent(noise)}`],
    });
    await client.begin();
    await until("there is noise", () => client.stderr.includes("{noise"));
    for (let n = 0; n < 20; n++) expect((await client.call("status")).isError).toBe(false);
    expect(client.stderr).toContain("noise\n");
    expect(await client.close()).toBe(0);
    expect(client.messages).toHaveLength(21);
  });

  it("U2 a warning is not on standard output, but beside the document", async () => {
    project.write(".heddle/config.json", '{ "mcp": { "allow": ["bundle validate-integrity"] } }');
    await project.must("bundle", "generate", "T001");
    const task = readFileSync(project.path("project-planning/tasks/T001.json"), "utf8");
    project.write("project-planning/tasks/T001.json", `${task}\n\n`);
    const client = await begun();
    const told = await client.call("bundle_validate_integrity", { id: "T001" });
    project.write(".heddle/config.json", "{}");
    expect(told.isError).toBe(false);
    expect(told.texts[1]).toContain("warning: ");
    expect(told.texts[1]).toContain("changed since the bundle was made");
  });
});

describe("whatever is sent", () => {
  const json = fc.json({ maxDepth: 4 });
  const method = fc.constantFrom(
    "initialize",
    "ping",
    "tools/list",
    "tools/call",
    "notifications/cancelled",
    "x",
  );
  const message = fc.record(
    {
      jsonrpc: fc.constantFrom("2.0", "1.0", 2),
      id: fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.double(), fc.object()),
      method: fc.oneof(method, fc.jsonValue()),
      params: fc.oneof(
        fc.jsonValue(),
        fc.record(
          {
            name: fc.oneof(
              fc.constantFrom("status", "why", "history", "execute", "__proto__"),
              fc.jsonValue(),
            ),
            arguments: fc.oneof(
              fc.jsonValue(),
              fc.dictionary(fc.constantFrom("task", "run", "all", "dir"), fc.jsonValue()),
            ),
            requestId: fc.jsonValue(),
          },
          { requiredKeys: [] },
        ),
      ),
    },
    { requiredKeys: [] },
  );
  const line = fc.oneof(
    { weight: 4, arbitrary: message.map((each) => JSON.stringify(each)) },
    { weight: 1, arbitrary: fc.array(message, { maxLength: 4 }).map((each) => JSON.stringify(each)) },
    { weight: 1, arbitrary: json },
    { weight: 1, arbitrary: fc.string({ unit: "binary" }).map((text) => text.replaceAll("\n", " ")) },
  );

  it("U2 only messages come out, nothing is changed, and the server goes on", async () => {
    const before = (await project.status()).position;
    const client = await begun();
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 5, maxLength: 20 }), async (lines) => {
        client.raw(`${lines.join("\n")}\n`);
        const { result } = await client.request("ping", {}, `after-${crypto.randomUUID()}`);
        expect(result).toEqual({});
      }),
      { numRuns: 100 },
    );
    expect(client.child.exitCode).toBeNull();
    expect(client.messages.every((each) => each.jsonrpc === "2.0")).toBe(true);
    expect(client.messages.some((each) => each.error?.code === -32603)).toBe(false);
    expect((await project.status()).position).toBe(before);
  });
});

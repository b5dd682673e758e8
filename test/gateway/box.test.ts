// A hostile program in a real box behind the gateway: it looks for the key everywhere, and for a way out that is not the gateway.
import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Agent, AgentEvent } from "../../src/agents/agent.ts";
import { agentFrom } from "../../src/agents/recipe.ts";
import { findSandbox } from "../../src/host/box/box.ts";
import { type Conversed, converse } from "../../src/work/converse.ts";
import { folder, orderIn } from "../agents/suite.ts";
import { hasBox } from "../needs.ts";
import { answers, key, type Seen, vendorThat } from "./vendor.ts";

/** Everything is tried, and what came of it is said in one line of JSON each. */
const hostile = (hostPort: number, abstract: string) => `
const fs = require("node:fs"), net = require("node:net"), http = require("node:http"), dns = require("node:dns");
const dgram = require("node:dgram");
const say = (name, value) => console.log(JSON.stringify({ type: "said", text: name + " " + value }));
const to = (options) => new Promise((settle) => {
  const socket = net.connect(options);
  socket.setTimeout(2000, () => { socket.destroy(); settle("timeout"); });
  socket.on("connect", () => { socket.destroy(); settle("REACHED"); }).on("error", (error) => settle(error.code));
});
const ask = (path, token, more = {}) => new Promise((settle) => {
  const url = new URL(process.env.ANTHROPIC_BASE_URL + path);
  const request = http.request(url, { method: "POST", headers: { "x-api-key": token, ...more } }, (response) => {
    response.resume().on("end", () => settle(response.statusCode));
  });
  request.on("upgrade", () => settle("UPGRADED")).on("error", (error) => settle(error.code)).end("{}");
});
const raw = (text) => new Promise((settle) => {
  const socket = net.connect(new URL(process.env.ANTHROPIC_BASE_URL).port, "127.0.0.1", () => socket.write(text));
  let said = "";
  socket.on("data", (chunk) => { said += chunk; }).on("error", () => {}).on("close", () => settle(said.slice(0, 12)));
  socket.setTimeout(3000, () => socket.destroy());
});
const everything = () => fs.readdirSync("/proc").filter((each) => /^\\d+$/.test(each)).flatMap((pid) =>
  ["environ", "cmdline"].map((name) => { try { return fs.readFileSync("/proc/" + pid + "/" + name, "utf8"); } catch { return ""; } })).join("");
const files = (folder) => { try { return fs.readdirSync(folder, { recursive: true }).map((each) => {
  try { return fs.readFileSync(folder + "/" + each, "utf8"); } catch { return ""; } }).join(""); } catch { return ""; } };
(async () => {
  const token = process.env.ANTHROPIC_API_KEY ?? "";
  say("seen", JSON.stringify(process.env) + everything() + files(process.env.HOME) + files(process.cwd()));
  say("descriptors", fs.readdirSync("/proc/self/fd").filter((fd) => { try { return fs.readlinkSync("/proc/self/fd/" + fd).startsWith("socket"); } catch { return false; } }).length);
  say("model", await ask("/v1/messages", token));
  say("other-token", await ask("/v1/messages", token.slice(0, -3) + "xx0"));
  say("files", await ask("/v1/files", token));
  say("websocket", await ask("/v1/messages", token, { connection: "upgrade", upgrade: "websocket" }));
  say("host-loopback", await to({ port: ${hostPort}, host: "127.0.0.1" }));
  say("localhost-name", await to({ port: ${hostPort}, host: "localhost" }));
  say("abstract", await to({ path: "\\0${abstract}" }));
  say("metadata", await to({ port: 80, host: "169.254.169.254" }));
  say("by-ip", await to({ port: 443, host: "192.0.2.1" }));
  say("by-ip6", await to({ port: 443, host: "2001:db8::1" }));
  say("dns", await new Promise((settle) => dns.lookup("example.org", (error) => settle(error ? error.code : "RESOLVED"))));
  say("udp", await new Promise((settle) => { const socket = dgram.createSocket("udp4"); socket.on("error", (error) => settle(error.code));
    socket.send("x", 53, "192.0.2.53", (error) => settle(error ? error.code : "SENT")); }));
  say("http2", await raw("PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n"));
  say("proxy", await raw("CONNECT 127.0.0.1:${hostPort} HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n"));
  say("absolute", await raw("GET http://127.0.0.1:${hostPort}/ HTTP/1.1\\r\\nhost: x\\r\\nconnection: close\\r\\n\\r\\n"));
  process.exit(0);
})();
`;

describe.skipIf(!hasBox)("U10 U16 a hostile program behind the gateway (left out without bubblewrap)", () => {
  const said = new Map<string, string>();
  const events: AgentEvent[] = [];
  let seen: readonly Seen[] = [];
  let ended: Conversed;
  let reached = 0;
  const before = { ...process.env };

  beforeAll(async () => {
    const vendor = await vendorThat(answers({ input_tokens: 1000, output_tokens: 50 }));
    seen = vendor.seen;
    Object.assign(process.env, {
      ANTHROPIC_API_KEY: key,
      ANTHROPIC_BASE_URL: vendor.url,
      OPENAI_API_KEY: `${key}-2`,
    });
    const count = () =>
      createServer((socket) => {
        reached++;
        socket.destroy();
      });
    const [host, abstract] = [count(), count()];
    await new Promise<void>((settle) => host.listen(0, "127.0.0.1", settle));
    const name = `heddle-${crypto.randomUUID()}`;
    await new Promise<void>((settle) => abstract.listen(`\0${name}`, settle));
    const { port } = host.address() as { port: number };
    const root = folder();
    const sandbox = await findSandbox();
    if (!sandbox.ok) throw new Error("bug: there is a box");
    const settings = {
      ...{ name: "hostile", env: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"], readable: [], network: false },
      gate: [{ vendor: "anthropic", variable: "ANTHROPIC_API_KEY" }] as const,
      box: { kind: "boxed", sandbox } as const,
      ...{ maxTurns: 100, maxCostUsd: 1, prices: { "some-model": { input: 1, output: 2 } } },
      program: [process.execPath, "-e", hostile(port, name)],
    };
    const agent = agentFrom({ kind: "command", settings }) as Agent;
    const watch = (event: AgentEvent) => void events.push(event);
    ended = await converse({ agent, order: orderIn(root), watch }, new AbortController().signal);
    for (const event of events)
      if (event.kind === "said") said.set(event.text.split(" ")[0] ?? "", event.text.replace(/^\S+ /, ""));
    host.close();
    abstract.close();
  }, 30_000);
  afterAll(() => {
    process.env = before;
  });

  it("asks its model with its token, and the vendor sees the person's key", () => {
    expect(ended.stopped).toEqual({ kind: "finished" });
    expect(said.get("model")).toBe("200");
    expect(seen[0]?.headers["x-api-key"]).toBe(key);
  });

  it("finds no key: not in its environment, its files, nor in /proc", () => {
    expect(said.get("seen")).toContain("heddle-");
    expect(said.get("seen")).not.toContain(key);
    expect(JSON.stringify(events)).not.toContain(key);
  });

  it("is left no descriptor of heddle's", () => {
    expect(said.get("descriptors")).toBe("0");
  });

  it("cannot use another token, nor the key for anything but models", () => {
    expect(said.get("other-token")).toBe("401");
    expect(said.get("files")).toBe("403");
    expect(said.get("websocket")).toBe("200");
    expect(seen.every(({ headers, url }) => headers.upgrade === undefined && url === "/v1/messages")).toBe(
      true,
    );
  });

  it("reaches nothing else: host, names, addresses, the metadata service, DNS", () => {
    for (const way of ["host-loopback", "localhost-name", "abstract"])
      expect(said.get(way), way).toBe("ECONNREFUSED");
    for (const way of ["metadata", "by-ip", "by-ip6", "udp"])
      expect(said.get(way), way).toMatch(/^E(NETUNREACH|ADDRNOTAVAIL|HOSTUNREACH)/);
    expect(said.get("dns")).toMatch(/^E(AI_AGAIN|NOTFOUND)/);
    expect(reached).toBe(0);
  });

  it("gets no tunnel and no other protocol from the gateway", () => {
    for (const way of ["http2", "proxy", "absolute"]) expect(said.get(way), way).not.toMatch(/200/);
  });

  it("X10 is recorded with what the gateway counted, priced by the request", () => {
    expect(ended.usage).toMatchObject({ inputTokens: 2000, outputTokens: 100, costUsd: 0.0022 });
  });
});

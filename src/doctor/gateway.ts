// Whether the gateway to models keeps what it promises, on this machine: a program in a box behind it looks for a key
// everywhere, asks a vendor that is heddle itself, and tries to reach something else. What it says is believed only where it
// says that it found something; otherwise what is seen from outside counts. No real key and no real vendor is used.
import { createServer as createVendor } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { join } from "node:path";
import { gatePort, openPass } from "../gateway/gateway.ts";
import { findSandbox } from "../host/box/box.ts";
import { isThere, makeFolder, readIfThere } from "../host/files.ts";
import { environmentFor } from "../host/program/environment.ts";
import { ownRuntime } from "../host/program/runtime.ts";
import type { Sandbox } from "../host/program/sandbox.ts";
import { boxWish } from "../orders/box.ts";
import { readConfig } from "../orders/config.ts";
import { tried, versionsOf } from "./box.ts";
import { type Finding, fail, ok, type TestBed, warn } from "./finding.ts";

export async function tryGateway(bench: Pick<TestBed, "folder" | "heddle" | "root">): Promise<Finding[]> {
  const config = readConfig(bench.heddle);
  const found = await findSandbox(boxWish(config, bench.root));
  // Without a box there is none; that is said elsewhere.
  if (!found.ok) return [];
  const faults = await faultsOf(found, bench.folder);
  if (faults.length > 0)
    return [fail("gateway", `the gateway to models does not hold: ${faults.join(", ")}`, versionsOf(found))];
  const what = "no key in the box, the vendor sees it, nothing else is reached";
  const { network, agents = {} } = config;
  const around = Object.entries(agents).filter(([, each]) => each.network === true);
  if (network?.agents !== true && around.length === 0) return [ok("gateway", what)];
  const who = network?.agents === true ? "agents" : around.map(([name]) => name).join(", ");
  const hint = 'take "network": true out of .heddle/config.json';
  return [warn("gateway", `${what}; but ${who} reach the whole network, with a key in the box`, hint)];
}

/** The program's own words: what it found of the key, and what it reached. */
const script = (file: string, hostPort: number) => `
const fs = require("node:fs"), net = require("node:net"), http = require("node:http");
const read = (path) => { try { return fs.readFileSync(path, "latin1"); } catch { return ""; } };
const seen = [JSON.stringify(process.env)];
for (const pid of fs.readdirSync("/proc").filter((name) => /^\\d+$/.test(name)))
  for (const name of ["environ", "cmdline"]) seen.push(read("/proc/" + pid + "/" + name));
for (const name of fs.readdirSync(process.env.HOME, { recursive: true })) seen.push(read(process.env.HOME + "/" + name));
const to = (port, host) => new Promise((settle) => {
  const socket = net.connect(port, host);
  socket.setTimeout(1000, () => settle(false)).on("connect", () => settle(true)).on("error", () => settle(false));
});
const headers = { "x-api-key": process.env.ANTHROPIC_API_KEY ?? "" };
const asked = http.request(process.env.ANTHROPIC_BASE_URL + "/v1/messages", { method: "POST", headers }, async (answer) => {
  answer.resume();
  const reached = [];
  for (const [port, host] of [[${hostPort}, "127.0.0.1"], [80, "169.254.169.254"], [443, "192.0.2.1"]])
    if (await to(port, host)) reached.push(host);
  fs.writeFileSync(${JSON.stringify(file)}, JSON.stringify({ status: answer.statusCode, reached, seen }));
  process.exit(0);
});
asked.on("error", () => process.exit(1)).end("{}");`;

async function faultsOf(sandbox: Sandbox, folder: string): Promise<string[]> {
  const key = `sk-doctor-${crypto.randomUUID()}`;
  const [inside, home] = [join(folder, "gate-inside"), join(folder, "gate-home")];
  for (const path of [inside, home]) makeFolder(path);
  let [keySeen, calls] = [false, 0];
  const vendor = createVendor((asked, response) => {
    keySeen ||= asked.headers["x-api-key"] === key;
    response.writeHead(200, { "content-type": "application/json" });
    response.end('{"type":"message","model":"doctor","usage":{"input_tokens":1,"output_tokens":1}}');
  });
  const host = createServer((socket) => {
    calls++;
    socket.destroy();
  });
  const [vendorPort, hostPort] = [await portOf(vendor), await portOf(host)];
  let tokens = 0;
  const pass = openPass(
    {
      routes: [{ vendor: "anthropic", variable: "ANTHROPIC_API_KEY" }],
      budgets: [],
      costOf: () => 0,
      counted: ({ inputTokens, outputTokens }) => {
        tokens += inputTokens + outputTokens;
      },
    },
    { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: `http://127.0.0.1:${vendorPort}` },
  );
  const file = join(inside, "said.json");
  const set = Object.fromEntries(Object.entries(pass.variables).filter(([, value]) => value !== ""));
  let said = "";
  try {
    said = (
      await tried({
        argv: [process.execPath, "-e", script(file, hostPort)],
        cwd: inside,
        environment: environmentFor(process.env, { home, tmp: "/tmp", set }),
        limits: { wallMs: 20_000, silenceMs: 20_000, outputBytes: 1024 * 1024, lineBytes: 65_536 },
        box: { sandbox, network: false, home, writable: [inside], readOnly: ownRuntime() },
        gate: { port: gatePort, serve: pass.serve },
      })
    ).said;
  } finally {
    await pass.close();
    vendor.close();
    host.close();
  }
  if (!isThere(file)) return [`a program behind it cannot ask its model${said}`];
  const found = readIfThere(file) ?? "";
  return [
    ...(keySeen ? [] : ["the vendor did not see the key"]),
    ...(found.includes(key) ? ["the key is in the box"] : []),
    ...(calls > 0 || !found.includes('"reached":[]') ? ["something else was reached"] : []),
    ...(tokens === 2 ? [] : ["what was used was not counted"]),
  ];
}

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
  return (server.address() as AddressInfo).port;
}

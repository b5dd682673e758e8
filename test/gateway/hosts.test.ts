// The network by allow-list: which names pass, where they may lead, and what a person is told of the others.
import { readFileSync } from "node:fs";
import { createServer as createPlain } from "node:http";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config/config.ts";
import { allows, isPublic, mayBeMirror, targetOf } from "../../src/gateway/allow.ts";
import { gatePort, openPass, type Wish } from "../../src/gateway/gateway.ts";
import { proxyFor } from "../../src/gateway/own-proxy.ts";
import { narrower } from "../../src/gateway/reach.ts";
import { isKnownRegistry } from "../../src/gateway/registries.ts";
import { findSandbox } from "../../src/host/box/box.ts";
import { runCommand } from "../../src/work/run-command.ts";
import { folder } from "../agents/suite.ts";
import { hasBox } from "../needs.ts";

const list = ["packages.example.org", "*.docs.example.org", "git.example.org:8443"];

describe("U11 an allow-list", () => {
  it.each([
    ["packages.example.org", 443, true],
    ["PACKAGES.example.org.", 443, true],
    ["packages.example.org", 22, false],
    ["evil-packages.example.org", 443, false],
    ["packages.example.org.evil.net", 443, false],
    ["a.docs.example.org", 443, true],
    ["a.b.docs.example.org", 80, true],
    ["docs.example.org", 443, false],
    ["xdocs.example.org", 443, false],
    ["git.example.org", 8443, true],
    ["git.example.org", 443, false],
    ["127.0.0.1", 443, false],
    ["*.docs.example.org", 443, false],
  ])("%s:%d passes: %s", (host, port, passes) => {
    expect(allows(list, host, port)).toBe(passes);
  });

  it.each([
    "example.org",
    "example.org:0",
    "example.org:99999",
    "a@example.org:443",
    "[::1]:443",
    "x y:443",
    "",
  ])("`%s` is nothing that a tunnel leads to", (authority) => {
    expect(targetOf(authority)).toBeUndefined();
  });

  it.each([
    ...[
      "127.0.0.1",
      "10.1.2.3",
      "172.16.0.1",
      "172.31.255.255",
      "192.168.1.1",
      "169.254.169.254",
      "100.100.100.200",
    ],
    ...["0.0.0.0", "224.0.0.1", "255.255.255.255", "198.18.0.1", "192.0.0.192", "not an address"],
    ...[
      "::1",
      "::",
      "fe80::1",
      "fd00:ec2::254",
      "::ffff:127.0.0.1",
      "::ffff:169.254.169.254",
      "64:ff9b::7f00:1",
    ],
    ...["2002:7f00:1::", "2001::1", "2001:db8::1", "ff02::1"],
  ])("no name may lead to %s", (address) => {
    expect(isPublic(address)).toBe(false);
  });

  it.each(["1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700:4700::1111", "2a00:1450::1"])(
    "%s is public",
    (address) => {
      expect(isPublic(address)).toBe(true);
    },
  );

  it("a known registry may be a mirror in the machine's own network, and never the machine or a cloud's service", () => {
    for (const address of ["10.1.2.3", "203.0.113.80", "192.168.0.2", "100.64.0.1", "fd00::1", "1.1.1.1"])
      expect(mayBeMirror(address), address).toBe(true);
    for (const address of [
      "127.0.0.1",
      "169.254.169.254",
      "100.100.100.200",
      "::1",
      "fe80::1",
      "::ffff:10.0.0.1",
      "fd00:ec2::254",
      "224.0.0.1",
      "x",
    ])
      expect(mayBeMirror(address), address).toBe(false);
    expect(isKnownRegistry("registry.npmjs.org")).toBe(true);
    expect(isKnownRegistry("registry.npmjs.org.evil.org")).toBe(false);
  });

  it("of two wishes the narrower one counts", () => {
    expect(narrower(true, list)).toEqual(list);
    expect(narrower(list, false)).toBe(false);
    expect(narrower(["a.org", "b.org"], ["b.org", "c.org"])).toEqual(["b.org"]);
  });

  it("is read from the configuration, and a host that is none is named with its place", () => {
    const config = {
      agents: { a: { kind: "claude", network: list } },
      network: { setup: list, checks: ["a.org"] },
    };
    expect(parseConfig("c.json", JSON.stringify(config))).toMatchObject({ problems: [], config });
    const wrong = parseConfig("c.json", '{ "network": { "setup": ["https://a.org/"] } }');
    expect(wrong.problems[0]?.message).toContain("network");
  });
});

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

async function listening(server = createServer()) {
  await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
  open.push(server);
  return { server, port: (server.address() as AddressInfo).port };
}

async function proxyWith(
  hosts: readonly string[],
  tunnels: Wish["tunnels"] = {},
  own: NodeJS.ProcessEnv = {},
) {
  const said: string[] = [];
  const pass = openPass(
    {
      ...{ routes: [], budgets: [], costOf: () => null, counted: () => {}, hosts, tunnels },
      hostRefused: ({ sentence }) => said.push(sentence),
    },
    own,
  );
  const { server, port } = await listening();
  pass.serve(server);
  open.unshift(pass);
  return { port, said, pass };
}

/** What comes back for a CONNECT, and for what is said through the tunnel. */
function through(port: number, target: string, words = ""): Promise<string> {
  return new Promise((settle) => {
    const socket = connect(port, "127.0.0.1", () =>
      socket.write(`CONNECT ${target} HTTP/1.1\r\nhost: x\r\n\r\n`),
    );
    let said = "";
    socket.on("data", (chunk) => {
      said += chunk;
      if (said.endsWith("\r\n\r\n") && said.includes(" 200 ")) socket.write(words);
    });
    socket.on("error", () => {}).on("close", () => settle(said));
  });
}

/** What comes back for these words. */
function plainly(port: number, words: string): Promise<string> {
  return new Promise((settle) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(words));
    let said = "";
    socket.on("data", (chunk) => {
      said += chunk;
    });
    socket.on("error", () => {}).on("close", () => settle(said));
  });
}

describe("U11 the person's own proxy", () => {
  const at = (host: string, own: NodeJS.ProcessEnv, port = 443) => proxyFor({ host, port }, own)?.host;

  it.each([
    [{ HTTPS_PROXY: "http://p:3128" }, "a.org", "p"],
    [{ https_proxy: "p:3128" }, "a.org", "p"],
    [{ ALL_PROXY: "https://p" }, "a.org", "p"],
    [{ HTTPS_PROXY: "http://p", NO_PROXY: "b.org,.a.org" }, "x.a.org", undefined],
    [{ HTTPS_PROXY: "http://p", NO_PROXY: "a.org" }, "xa.org", "p"],
    [{ HTTPS_PROXY: "http://p", NO_PROXY: "*" }, "a.org", undefined],
    [{ HTTPS_PROXY: "http://p", NO_PROXY: "a.org:8443" }, "a.org", "p"],
    [{ HTTPS_PROXY: "socks5://p" }, "a.org", undefined],
    [{ HTTP_PROXY: "http://p" }, "a.org", undefined],
    [{}, "a.org", undefined],
  ])("%j leads to %s by %s", (own, host, proxy) => {
    expect(at(host, own)).toBe(proxy);
  });
});

describe("U11 the way out", () => {
  it("leads to an allowed host, both ways, until either side is gone", async () => {
    const echo = await listening(
      createServer((socket) => socket.once("data", (chunk) => socket.end(`heard ${chunk}`))),
    );
    const host = `packages.example.org:${echo.port}`;
    // The address that was looked at is the one that is reached: a second look could be another one's.
    const answers = [["127.0.0.1"], ["127.0.0.2"]];
    const resolve = async () => answers.shift() ?? [];
    const { port } = await proxyWith([host], { resolve, mayReach: () => true });
    expect(await through(port, host, "hello")).toContain("heard hello");
    expect(answers).toHaveLength(1);
  });

  it("leads a program back to its gateway that sends everything through its proxy", async () => {
    const { port } = await proxyWith([]);
    const words = "GET /anthropic/x HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    expect(await through(port, `127.0.0.1:${gatePort}`, words)).toContain(
      "403 Forbidden\r\ncontent-type: application/json",
    );
  });

  it("leads through a proxy of the person's own, by name and with its password, which the box never sees", async () => {
    const asked: string[] = [];
    const company = await listening(
      createServer((socket) => {
        let [head, isOpen] = ["", false];
        socket
          .on("error", () => {})
          .on("data", (chunk) => {
            if (isOpen) return void socket.end(`heard ${chunk}`);
            head += chunk;
            if (!head.includes("\r\n\r\n")) return;
            asked.push(head);
            isOpen = head.includes("packages.example.org");
            socket.write(isOpen ? "HTTP/1.1 200 OK\r\nvia: company\r\n\r\n" : "HTTP/1.1 403 No\r\n\r\n");
          });
      }),
    );
    const own = {
      HTTPS_PROXY: `http://ada:s%20ecret@127.0.0.1:${company.port}`,
      no_proxy: "direct.example.org",
    };
    // Behind such a proxy, names of the world are often not known.
    const resolve = async () => [];
    const hosts = ["packages.example.org", "other.example.org", "direct.example.org"];
    const { port, pass } = await proxyWith(hosts, { resolve }, own);
    expect(await through(port, "packages.example.org:443", "hello")).toMatch(
      /Established\r\n\r\nheard hello$/,
    );
    expect(asked[0]).toContain("CONNECT packages.example.org:443 HTTP/1.1\r\n");
    expect(asked[0]).toContain(
      `Proxy-Authorization: Basic ${Buffer.from("ada:s ecret").toString("base64")}\r\n`,
    );
    expect(JSON.stringify(pass.variables)).not.toContain("ecret");
    expect(await through(port, "other.example.org:443")).toContain("502");
    expect(await through(port, "direct.example.org:443")).toContain("502");
    expect(asked).toHaveLength(2);
    // What is closed stays closed, whatever the proxy would reach.
    const inner = await proxyWith(["packages.example.org"], { resolve: async () => ["10.0.0.1"] }, own);
    expect(await through(inner.port, "packages.example.org:443")).toContain("403");
    expect(asked).toHaveLength(2);
  });

  it("passes a plain request on to an allowed host, and names one that is not", async () => {
    const host = await listening(
      createPlain((asked, response) => response.end(`${asked.headers.host} ${asked.url}`)),
    );
    const name = `packages.example.org:${host.port}`;
    const { port, said } = await proxyWith([name], {
      resolve: async () => ["127.0.0.1"],
      mayReach: () => true,
    });
    const get = (url: string) => plainly(port, `GET ${url} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    expect(await get(`http://${name}/a?b=1`)).toContain(`${name} /a?b=1`);
    expect(await get("http://evil.example.org/x")).toContain("403 Forbidden");
    expect(await get("http://169.254.169.254/latest/meta-data")).toContain("403 Forbidden");
    expect(said).toEqual([
      expect.stringContaining(`"network": { "agents": ["${name}","evil.example.org"] }`),
      expect.stringContaining("only names can be opened"),
    ]);
  });

  it("leads nowhere by a name that resolves to loopback, nor to one of two addresses that is private", async () => {
    let calls = 0;
    const host = await listening(createServer(() => calls++));
    const name = `packages.example.org:${host.port}`;
    for (const addresses of [["127.0.0.1"], ["1.1.1.1", "10.0.0.1"], ["::1"]]) {
      const { port, said } = await proxyWith([name], { resolve: async () => addresses });
      expect(await through(port, name)).toContain("403");
      expect(said).toEqual([`(${name} leads to an address that is not public: it stays closed)`]);
    }
    expect(calls).toBe(0);
  });

  it("is closed to everything else, and says so once per host, with what to write", async () => {
    const { port, said } = await proxyWith(["a.example.org"]);
    for (const target of ["evil.example.org:443", "evil.example.org:443", "127.0.0.1:22", "localhost:80"])
      expect(await through(port, target)).toContain("403");
    expect(said).toEqual([
      '(the network is closed to evil.example.org: "network": { "agents": ["a.example.org","evil.example.org"] } in .heddle/config.json opens it)',
      "(the network is closed to 127.0.0.1:22: only names can be opened, not addresses)",
      expect.stringContaining("localhost"),
    ]);
  });

  it.runIf(hasBox)(
    "U11 is all that a command in its box has, and its log says what was closed (left out without bubblewrap)",
    async () => {
      const sandbox = await findSandbox();
      if (!sandbox.ok) throw new Error("bug: there is a box");
      const root = folder();
      const at = (name: string) => join(root, name);
      const limits = { wallMs: 20_000, silenceMs: 20_000, outputBytes: 1e6, lineBytes: 1e5 };
      const code =
        'fetch("https://registry.example.org/x").then(() => 0, () => fetch("http://127.0.0.1:9/")).catch(() => console.log("closed"))';
      const ended = await runCommand(
        { sandbox, readable: [], env: [], limits },
        {
          ...{
            command: `'${process.execPath}' -e '${code}'`,
            cwd: root,
            writable: [root],
            home: at("home"),
            tmp: at("tmp"),
          },
          ...{ network: ["a.example.org"], set: {}, log: at("log"), mark: crypto.randomUUID() },
        },
        { signal: new AbortController().signal },
      );
      expect(ended.how).toEqual({ kind: "exited", code: 0 });
      expect(readFileSync(at("log.out"), "utf8")).toBe("closed\n");
      expect(readFileSync(at("log.err"), "utf8")).toContain(
        '(the network is closed to registry.example.org: "network": { "checks": ["a.example.org","registry.example.org"] } in .heddle/config.json opens it)',
      );
    },
  );
});

// The gateway before a scripted vendor on loopback: what passes, how it passes, and what does not.
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { answers, ask, gatewayTo, key, vendorThat } from "./vendor.ts";

const events = "text/event-stream";
const sse = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
const start = sse({
  type: "message_start",
  message: { model: "m", usage: { input_tokens: 1000, output_tokens: 1 } },
});
const end = sse({ type: "message_delta", usage: { output_tokens: 50 } });

const servers: Server[] = [];
afterEach(() => {
  for (const each of servers.splice(0)) each.close();
});

async function listening(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
  return (server.address() as AddressInfo).port;
}

describe("U10 the gateway", () => {
  it("puts the key in, takes the token out, and passes everything else on as it is", async () => {
    const vendor = await vendorThat(answers());
    const gateway = await gatewayTo(`${vendor.url}/prefix/`);
    const body = Buffer.alloc(3_000_000, "image");
    const said = await ask(gateway, {
      path: "/anthropic/v1/messages?beta=true",
      headers: { "anthropic-version": "2023-06-01", "accept-encoding": "gzip", cookie: "a=b" },
      body,
    });
    expect(said.status).toBe(200);
    expect(vendor.seen).toMatchObject([
      {
        url: "/prefix/v1/messages?beta=true",
        headers: { "x-api-key": key, "anthropic-version": "2023-06-01", "accept-encoding": "identity" },
        bytes: body.length,
      },
    ]);
    expect(vendor.seen[0]?.headers.cookie).toBeUndefined();
    expect(JSON.stringify(vendor.seen)).not.toContain(gateway.token);
    expect(gateway.counted).toMatchObject([
      { model: "some-model", inputTokens: 1000, outputTokens: 50, costUsd: 0.00105 },
    ]);
  });

  it("takes the token as a bearer's or as a parameter as well, each with the person's key in its place", async () => {
    const vendor = await vendorThat(answers());
    const gateway = await gatewayTo(vendor.url);
    const bearer = { "x-api-key": "", authorization: `Bearer ${gateway.token}` };
    expect((await ask(gateway, { headers: bearer })).status).toBe(200);
    const path = `/anthropic/v1/messages?key=${gateway.token}`;
    expect((await ask(gateway, { path, headers: { "x-api-key": "" } })).status).toBe(200);
    expect(vendor.seen[0]?.headers.authorization).toBe(`Bearer ${key}`);
    expect(vendor.seen[1]?.url).toBe(`/v1/messages?key=${encodeURIComponent(key).replaceAll("'", "%27")}`);
  });

  it("asks nobody for a token of another attempt, a made-up one, the key itself, or none", async () => {
    const vendor = await vendorThat(answers());
    const [gateway, other] = [await gatewayTo(vendor.url), await gatewayTo(vendor.url)];
    for (const token of [other.token, "x", key, ""])
      expect((await ask({ ...gateway, token })).status).toBe(401);
    expect((await ask(gateway, { path: "/openai/responses" })).status).toBe(401);
    expect(vendor.seen).toEqual([]);
  });

  it("asks nobody for what is no request to a model, nor upgrades to a websocket", async () => {
    const vendor = await vendorThat(answers());
    const gateway = await gatewayTo(vendor.url);
    for (const path of ["/anthropic/v1/files", "/v1/messages", "/anthropic/v1/messages/../files"])
      expect((await ask(gateway, { path })).status).toBe(403);
    expect((await ask(gateway, { method: "DELETE" })).status).toBe(403);
    const upgrade = { connection: "upgrade", upgrade: "websocket" };
    await ask(gateway, { headers: upgrade });
    expect(vendor.seen.map(({ headers }) => headers.upgrade)).toEqual([undefined]);
  });

  it("streams: each piece is there before the next is sent, after any silence", async () => {
    let more = () => {};
    const vendor = await vendorThat((_request, response) => {
      response.writeHead(200, { "content-type": events, "x-vendor": "yes" });
      response.write(start);
      more = () => response.end(end);
    });
    const gateway = await gatewayTo(vendor.url);
    const first = new Promise<void>((settle) => {
      const asked = ask(gateway, { onData: () => settle() });
      void asked.then(({ text, headers }) => {
        expect(text).toBe(start + end);
        expect(headers["x-vendor"]).toBe("yes");
      });
    });
    await first;
    expect(gateway.counted).toEqual([]);
    more();
    await expect.poll(() => gateway.counted).toMatchObject([{ inputTokens: 1000, outputTokens: 50 }]);
  });

  it("passes an abort on to the vendor; what it cost is unknown", async () => {
    let left = false;
    const vendor = await vendorThat((_request, response) => {
      response.on("close", () => {
        left = true;
      });
      response.writeHead(200, { "content-type": events });
      response.write(start);
    });
    const gateway = await gatewayTo(vendor.url);
    const enough = new AbortController();
    await ask(gateway, { signal: enough.signal, onData: () => enough.abort() }).catch(() => {});
    await expect.poll(() => left).toBe(true);
    await expect.poll(() => gateway.counted).toMatchObject([{ inputTokens: 1000, costUsd: null }]);
  });

  it("cuts an answer off that the vendor cut off, so that nobody takes it for whole", async () => {
    const vendor = await vendorThat((_request, response) => {
      response.writeHead(200, { "content-type": events });
      response.write(start, () => response.destroy());
    });
    const gateway = await gatewayTo(vendor.url);
    expect(await ask(gateway)).toMatchObject({ status: 200, isWhole: false });
    await expect.poll(() => gateway.counted).toMatchObject([{ costUsd: null }]);
  });

  it("says that a vendor cannot be reached, and counts nothing", async () => {
    const gateway = await gatewayTo("http://127.0.0.1:9");
    const said = await ask(gateway);
    expect(said.status).toBe(502);
    expect(said.text).toContain("could not reach the model's API");
    expect(gateway.counted).toEqual([]);
  });

  it("passes 429 and its headers on, remembers when it resets, and counts nothing", async () => {
    const vendor = await vendorThat((_request, response) => {
      response.writeHead(429, { "retry-after": "77", "content-type": "application/json" });
      response.end('{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}');
    });
    const gateway = await gatewayTo(vendor.url);
    const said = await ask(gateway);
    expect(said).toMatchObject({ status: 429, headers: { "retry-after": "77" } });
    expect(gateway.pass.limit).toEqual({ resetsInMs: 77_000 });
    expect(gateway.counted).toEqual([]);
  });

  it("lets 100 MB of nonsense through without keeping it", async () => {
    const junk = Buffer.alloc(1024 * 1024, "usage ");
    const vendor = await vendorThat(async (_request, response) => {
      response.writeHead(200, { "content-type": events });
      for (let n = 0; n < 100; n++)
        if (!response.write(junk)) await new Promise((settle) => response.once("drain", settle));
      response.end();
    });
    const gateway = await gatewayTo(vendor.url);
    const said = await ask(gateway);
    expect(said).toMatchObject({ bytes: 100 * junk.length, isWhole: true });
    await expect.poll(() => gateway.counted).toMatchObject([{ costUsd: null }]);
  });

  it("refuses the next request once a budget is used up, in words that programs do not ask again for", async () => {
    const vendor = await vendorThat(answers());
    const budget = { whose: "T001", key: crypto.randomUUID(), limitUsd: 0.002, spentUsd: 0 };
    const gateway = await gatewayTo(vendor.url, { budgets: [budget] });
    expect((await ask(gateway)).status).toBe(200);
    await expect.poll(() => gateway.counted.length).toBe(1);
    expect((await ask(gateway)).status).toBe(200);
    await expect.poll(() => gateway.counted.length).toBe(2);
    const said = await ask(gateway);
    expect(said).toMatchObject({ status: 402, headers: { "x-should-retry": "false" } });
    expect(said.text).toContain("the budget of T001, $0.002, is used up");
    expect(gateway.pass.refused).toBe("the budget of T001, $0.002, is used up");
    expect(vendor.seen).toHaveLength(2);
  });

  it("U10 holds a run's budget to within one request when sixteen attempts ask at once", async () => {
    const vendor = await vendorThat((request, response) => setTimeout(() => answers()(request, response), 2));
    const budget = { whose: "the run", key: crypto.randomUUID(), limitUsd: 0.02, spentUsd: 0.005 };
    const gateways = await Promise.all(
      Array.from({ length: 16 }, () => gatewayTo(vendor.url, { budgets: [budget] })),
    );
    const spend = async (gateway: Awaited<ReturnType<typeof gatewayTo>>) => {
      while ((await ask(gateway)).status === 200);
    };
    await Promise.all(gateways.map(spend));
    // $0.015 was left, and a request costs $0.00105.
    expect(vendor.seen).toHaveLength(15);
  });

  it("U10 asks the vendor through a proxy of the person's own", async () => {
    const company = await vendorThat(answers());
    for (const name of ["HTTP_PROXY", "http_proxy"])
      vi.stubEnv(name, company.url.replace("//", "//ada:secret@"));
    for (const name of ["NO_PROXY", "no_proxy"]) vi.stubEnv(name, "");
    vi.resetModules();
    const fresh = await import("./vendor.ts");
    const gateway = await fresh.gatewayTo("http://vendor.example.org");
    expect((await ask(gateway)).status).toBe(200);
    // What is encrypted is asked for by a tunnel.
    const tunnels: string[] = [];
    const inner = await listening(
      createServer((socket) =>
        socket
          .on("error", () => {})
          .on("data", (chunk) => {
            tunnels.push(String(chunk));
            socket.end("HTTP/1.1 403 No\r\n\r\n");
          }),
      ),
    );
    for (const name of ["HTTPS_PROXY", "https_proxy"])
      vi.stubEnv(name, `http://ada:secret@127.0.0.1:${inner}`);
    vi.resetModules();
    const again = await import("./vendor.ts");
    const secure = await again.gatewayTo("https://vendor.example.org");
    expect((await ask(secure)).status).toBe(502);
    expect(tunnels[0]).toMatch(/^CONNECT vendor\.example\.org:443 HTTP\/1\.1\r\n/);
    expect(tunnels[0]?.toLowerCase()).toContain("proxy-authorization: basic ");
    for (const each of [gateway, secure]) await each.pass.close();
    vi.unstubAllEnvs();
    vi.resetModules();
    const authorization = `Basic ${Buffer.from("ada:secret").toString("base64")}`;
    expect(company.seen).toMatchObject([
      {
        url: "http://vendor.example.org/v1/messages",
        headers: { host: "vendor.example.org", "x-api-key": key, "proxy-authorization": authorization },
      },
    ]);
  });

  it("ends what is under way when the attempt ends, and serves nobody any more", async () => {
    const vendor = await vendorThat((_request, response) => response.writeHead(200).write("never ends"));
    const gateway = await gatewayTo(vendor.url);
    const seen = new Promise<void>((settle) => void ask(gateway, { onData: () => settle() }).catch(() => {}));
    await seen;
    await gateway.pass.close();
    const later = connect(gateway.port, "127.0.0.1");
    await new Promise<void>((settle) => later.once("error", () => settle()));
  });
});

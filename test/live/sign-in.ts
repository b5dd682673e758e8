// A vendor whose addresses cannot be changed, on loopback: a proxy that leads every host to one server with a certificate of its
// own making. That server renews logins, and passes everything else on to a scripted model. Nothing leaves the machine.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, connect, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Vendor {
  readonly proxy: string;
  /** The certificate that whoever asks it must trust. */
  readonly authority: string;
  /** What was said to its sign-in service. */
  readonly renewals: readonly string[];
  readonly hosts: ReadonlySet<string>;
  close(): void;
}

export async function vendorBefore(
  model: { readonly url: string },
  names: readonly string[],
): Promise<Vendor> {
  const folder = mkdtempSync(join(tmpdir(), "heddle-vendor-"));
  const { key, cert, authority } = certificate(folder, names);
  const renewals: string[] = [];
  const hosts = new Set<string>();
  const open = new Set<Socket>();
  const secure = createSecureServer({ key, cert }, (asked, answer) => {
    if (asked.url?.endsWith("/oauth/token")) void renew(asked, answer, renewals);
    else passOn(asked, answer, model.url);
  });
  const port = await listening(secure);
  const proxy = createServer().on("connect", (asked: IncomingMessage, socket: Socket) => {
    hosts.add((asked.url ?? "").replace(/:\d+$/, ""));
    const inner = connect(port, "127.0.0.1", () => socket.write("HTTP/1.1 200 OK\r\n\r\n"));
    for (const [from, to] of [
      [socket, inner],
      [inner, socket],
    ] as const) {
      open.add(from);
      from.on("error", () => to.destroy()).on("close", () => to.destroy());
      from.pipe(to);
    }
  });
  return {
    proxy: `http://127.0.0.1:${await listening(proxy)}`,
    ...{ authority, renewals, hosts },
    close: () => {
      for (const socket of open) socket.destroy();
      secure.close();
      proxy.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function renew(asked: IncomingMessage, answer: ServerResponse, renewals: string[]): Promise<void> {
  let body = "";
  for await (const chunk of asked) body += chunk;
  renewals.push(body);
  const token = (kind: string) => `sk-ant-${kind}01-renewed-${renewals.length}`;
  answer.writeHead(200, { "content-type": "application/json" });
  const tokens = { token_type: "Bearer", access_token: token("oat"), refresh_token: token("ort") };
  answer.end(JSON.stringify({ ...tokens, expires_in: 28_800, scope: "user:inference user:profile" }));
}

function passOn(asked: IncomingMessage, answer: ServerResponse, url: string): void {
  const { method, headers, url: path } = asked;
  const onward = request(`${url}${path}`, { method, headers }, (came) => {
    answer.writeHead(came.statusCode ?? 502, came.headers);
    came.pipe(answer);
  });
  onward.on("error", () => answer.destroy());
  asked.pipe(onward);
}

async function listening(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await new Promise((settle) => server.once("listening", settle));
  return (server.address() as AddressInfo).port;
}

function certificate(folder: string, names: readonly string[]) {
  const at = (name: string) => join(folder, name);
  const openssl = (...args: readonly string[]) =>
    execFileSync("openssl", args, { cwd: folder, stdio: "ignore" });
  const fresh = ["-newkey", "rsa:2048", "-nodes"];
  openssl("req", "-x509", ...fresh, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=test");
  openssl("req", ...fresh, "-keyout", "key", "-out", "request", "-subj", `/CN=${names[0]}`);
  writeFileSync(at("names"), `subjectAltName=${names.map((name) => `DNS:${name}`).join(",")}`);
  const signed = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "names"];
  openssl("x509", "-req", "-in", "request", ...signed, "-out", "cert", "-days", "2");
  return { key: readFileSync(at("key")), cert: readFileSync(at("cert")), authority: at("ca.pem") };
}

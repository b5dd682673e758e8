// The way out of a box to the hosts that a person allowed: a tunnel (CONNECT), or a plain request, through the box's own
// loopback. The name is looked up here, once; every address that it has must be somewhere in the world, and the connection
// goes to the very address that was looked at, so that a name cannot mean something else a moment later. A person's own
// proxy is asked by name: it alone may know where names lead, and it looks them up itself.
import { lookup } from "node:dns/promises";
import { request as ask, type IncomingMessage, type RequestOptions, type ServerResponse } from "node:http";
import { request as askSecurely } from "node:https";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectSecurely } from "node:tls";
import { allows, isPublic, mayBeMirror, targetOf } from "./allow.ts";
import { refuse } from "./forward.ts";
import { type OwnProxy, proxyFor } from "./own-proxy.ts";
import { isKnownRegistry } from "./registries.ts";

export interface Tunnels {
  readonly hosts: readonly string[];
  /** Hears of every host that was refused, and whether where it leads was the reason. */
  readonly refused: (host: string | undefined, isPublic: boolean) => void;
  /** How a name is looked up; for tests. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  /** Whether an address may be reached; for tests. */
  readonly mayReach?: (address: string) => boolean;
  /** Where the person's proxy stands. */
  readonly own: Readonly<Record<string, string | undefined>>;
}

interface Target {
  readonly host: string;
  readonly port: number;
  readonly isPlain?: boolean;
}

/** Where a connection goes: to an address that was looked at, or to the person's proxy. */
type Way = { readonly address: string; readonly port: number } | { readonly proxy: OwnProxy };

const resolved = async (host: string) => (await lookup(host, { all: true })).map(({ address }) => address);
const patienceMs = 30_000;

const closed = "403 Forbidden";
const gone = "502 Bad Gateway";

/** The way to a target, or why there is none. */
async function wayTo(
  target: Target | undefined,
  tunnels: Tunnels,
): Promise<Way | typeof closed | typeof gone> {
  const { hosts, refused, resolve = resolved, mayReach = isPublic, own } = tunnels;
  if (!target || !allows(hosts, target.host, target.port)) {
    refused(target && nameOf(target), true);
    return closed;
  }
  const proxy = proxyFor(target, own);
  const addresses = await resolve(target.host).catch(() => []);
  const isMirror = isKnownRegistry(target.host) ? mayBeMirror : () => false;
  if (!addresses.every((each) => mayReach(each) || isMirror(each))) {
    refused(nameOf(target), false);
    return closed;
  }
  if (proxy) return { proxy };
  const [address] = addresses;
  return address === undefined ? gone : { address, port: target.port };
}

const nameOf = ({ host, port }: Target) => (port === 443 || port === 80 ? host : `${host}:${port}`);

/** Contract: never throws; ends both sides when either is gone. */
export async function tunnel(request: IncomingMessage, client: Duplex, tunnels: Tunnels): Promise<void> {
  client.on("error", () => client.destroy());
  const no = (status: string) =>
    void client.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
  const target = targetOf(request.url ?? "");
  const way = await wayTo(target, tunnels);
  if (typeof way === "string") return no(way);
  if (client.destroyed || !target) return;
  const upstream = "proxy" in way ? opened(way.proxy) : connect({ host: way.address, port: way.port });
  join(client, upstream, {
    ask: "proxy" in way ? asking(target, way.proxy) : undefined,
    fail: () => no(gone),
  });
}

function opened({ host, port, isSecure }: OwnProxy): Socket {
  return isSecure ? connectSecurely({ host, port, servername: host }) : connect({ host, port });
}

function asking({ host, port }: Target, { authorization }: OwnProxy): string {
  const who = authorization === undefined ? "" : `Proxy-Authorization: ${authorization}\r\n`;
  return `CONNECT ${host}:${port} HTTP/1.1\r\nHost: ${host}:${port}\r\n${who}\r\n`;
}

interface Joining {
  /** What a proxy is asked first; its answer has to be a yes. */
  readonly ask: string | undefined;
  readonly fail: () => void;
}

function join(client: Duplex, upstream: Socket, { ask: words, fail }: Joining): void {
  let isOpen = false;
  upstream.setNoDelay(true);
  upstream.setTimeout(patienceMs, () => !isOpen && upstream.destroy(new Error("timeout")));
  const open = () => {
    isOpen = true;
    upstream.setTimeout(0);
    client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    upstream.pipe(client);
    client.pipe(upstream);
  };
  upstream.once("connect", () => {
    if (words === undefined) return open();
    upstream.write(words);
    hearAnswer(upstream, (isYes) => (isYes ? open() : upstream.destroy(new Error("refused"))));
  });
  upstream.on("error", () => (isOpen ? client.destroy() : fail()));
  upstream.once("close", () => (isOpen ? client.destroy() : client.end()));
  client.once("close", () => upstream.destroy());
}

const mostHeadBytes = 16_384;

/** The head of a proxy's answer; what comes behind it is the target's. */
function hearAnswer(upstream: Socket, heard: (isYes: boolean) => void): void {
  let head = Buffer.alloc(0);
  const take = (chunk: Buffer) => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\r\n\r\n");
    if (end < 0 && head.length < mostHeadBytes) return;
    upstream.off("data", take);
    upstream.pause();
    if (end >= 0 && head.length > end + 4) upstream.unshift(head.subarray(end + 4));
    heard(end >= 0 && /^HTTP\/1\.[01] 200\b/.test(head.toString("latin1", 0, 32)));
  };
  upstream.on("data", take);
}

/** `GET http://example.org/x`, as programs ask a proxy for what is not encrypted. Contract: as a tunnel's. */
export async function passPlainly(
  request: IncomingMessage,
  response: ServerResponse,
  tunnels: Tunnels,
): Promise<void> {
  const url = URL.parse(request.url ?? "");
  const target = url?.protocol === "http:" ? targetOf(`${url.hostname}:${url.port || 80}`) : undefined;
  const way = await wayTo(target && { ...target, isPlain: true }, tunnels);
  if (typeof way === "string" || !url) {
    request.resume();
    const [status = "502"] = String(way).split(" ");
    const message = `the network is closed to ${target?.host ?? "this address"}, or it cannot be reached`;
    return refuse(response, { status: Number(status), type: "permission_error", message });
  }
  await new Promise<void>((settle) => {
    const upstream = ("proxy" in way && way.proxy.isSecure ? askSecurely : ask)(plainly(request, url, way));
    upstream.setTimeout(patienceMs, () => !response.headersSent && upstream.destroy(new Error("timeout")));
    upstream.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on("error", () => response.destroy());
      answer.pipe(response);
    });
    upstream.on("error", ({ message }) => {
      if (response.headersSent) response.destroy();
      else refuse(response, { status: 502, type: "api_error", message });
    });
    response.once("close", () => {
      upstream.destroy();
      settle();
    });
    request.on("error", () => upstream.destroy()).pipe(upstream);
  });
}

function plainly({ method = "GET", headers }: IncomingMessage, url: URL, way: Way): RequestOptions {
  const { "proxy-authorization": _theirs, "proxy-connection": _kept, ...passed } = headers;
  const common = { method, setHost: false, agent: false } as const;
  if ("address" in way)
    return {
      ...common,
      host: way.address,
      port: way.port,
      path: url.pathname + url.search,
      headers: { ...passed, host: url.host, connection: "close" },
    };
  const { host, port, authorization } = way.proxy;
  const who = authorization === undefined ? {} : { "proxy-authorization": authorization };
  return {
    ...common,
    host,
    port,
    path: url.href,
    headers: { ...passed, host: url.host, connection: "close", ...who },
  };
}

/** How programs are told of the way: most read these variables, Node since version 24 with the last one. */
export function proxyVariables(port: number): Record<string, string> {
  const address = `http://127.0.0.1:${port}`;
  const names = ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"].flatMap((name) => [name, name.toLowerCase()]);
  const around = ["NO_PROXY", "no_proxy"].map((name) => [name, "127.0.0.1,localhost,::1"] as const);
  return Object.fromEntries([
    ...names.map((name) => [name, address] as const),
    ...around,
    ["NODE_USE_ENV_PROXY", "1"],
  ]);
}

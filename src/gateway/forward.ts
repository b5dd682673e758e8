// One request, passed on to its vendor and its answer passed back, byte by byte as they come: nothing is gathered, nothing is
// written down, a silence of any length is waited for, and who goes away takes the other side with him.
import { readFileSync } from "node:fs";
import {
  type ClientRequest,
  type IncomingMessage,
  Agent as PlainAgent,
  request as plainRequest,
  type ServerResponse,
} from "node:http";
import { Agent as SecureAgent, request as secureRequest } from "node:https";
import { rootCertificates } from "node:tls";
import { proxyFor } from "./own-proxy.ts";
import { UsageReader, type Used } from "./usage.ts";

export interface Passage {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  /** As they go to the vendor, name and value in turn. */
  readonly headers: readonly string[];
  readonly mostBytes: number;
  /** Asked when the vendor refuses the key, for what the program is told instead. */
  readonly keyRefused?: () => Promise<Refusal>;
}

export interface Passed {
  /** What the vendor answered; null when it could not be reached, or was not waited for. */
  readonly status: number | null;
  readonly headers: IncomingMessage["headers"];
  readonly used: Used | undefined;
  /** Whether the vendor had the whole request, so that it may have worked for it. */
  readonly wasSent: boolean;
  /** Whether the answer came to its end. */
  readonly isWhole: boolean;
  /** Why it could not be reached. */
  readonly fault?: string;
}

/** Connections are kept for the next request; a proxy of the person's is used as every program would. */
let agents: { readonly http: PlainAgent; readonly https: SecureAgent } | undefined;

function agentsOf() {
  const settings = { keepAlive: true, maxSockets: 4096, proxyEnv: process.env } as const;
  agents ??= { http: new PlainAgent(settings), https: new SecureAgent({ ...settings, ...certificates() }) };
  return agents;
}

/** Beside headers of ours, Node leaves out what a proxy with a password wants to see; through a tunnel it does not. */
function proxyHeaders({ protocol, hostname, port }: URL): string[] {
  if (protocol !== "http:") return [];
  const target = { host: hostname, port: Number(port) || 80, isPlain: true };
  const { authorization } = proxyFor(target, process.env) ?? {};
  return authorization === undefined ? [] : ["proxy-authorization", authorization];
}

/** Node reads NODE_EXTRA_CA_CERTS by itself. */
function certificates(): { readonly ca?: string[] } {
  const file = process.env.SSL_CERT_FILE;
  try {
    return file ? { ca: [...rootCertificates, readFileSync(file, "utf8")] } : {};
  } catch {
    return {};
  }
}

/** Contract: never rejects; the answer is ended or cut off, and nothing of it is under way afterwards. */
export function forward(passage: Passage): Promise<Passed> {
  return new Promise((settle) => new Forwarding(passage, settle).begin());
}

class Forwarding {
  readonly #passage: Passage;
  readonly #settle: (passed: Passed) => void;
  #upstream: ClientRequest | undefined;
  #reader: UsageReader | undefined;
  #passed: Passed = { status: null, headers: {}, used: undefined, wasSent: false, isWhole: false };
  #bytes = 0;

  constructor(passage: Passage, settle: (passed: Passed) => void) {
    this.#passage = passage;
    this.#settle = settle;
  }

  begin(): void {
    const { request, response, url, headers } = this.#passage;
    const [ask, agent] =
      url.protocol === "https:"
        ? ([secureRequest, agentsOf().https] as const)
        : ([plainRequest, agentsOf().http] as const);
    const upstream = ask(url, {
      method: request.method ?? "POST",
      headers: [...headers, ...proxyHeaders(url)],
      agent,
      setDefaultHeaders: false,
    });
    this.#upstream = upstream;
    upstream.setNoDelay(true);
    upstream.on("error", (error) => this.#failed(error));
    upstream.on("finish", () => this.#note({ wasSent: true }));
    upstream.on("response", (answer) => this.#answered(answer));
    // An upgrade was not asked for: its header is not passed on.
    upstream.on("upgrade", (_answer, socket) => socket.destroy());
    response.on("close", () => this.#done());
    request.on("error", () => {});
    request.on("data", (chunk: Buffer) => this.#take(chunk));
    request.on("end", () => upstream.end());
    upstream.on("drain", () => request.resume());
  }

  #take(chunk: Buffer): void {
    const { request, mostBytes } = this.#passage;
    this.#bytes += chunk.length;
    if (this.#bytes > mostBytes) this.#failed(new Error(`a request may have ${mostBytes} bytes`));
    else if (this.#upstream?.write(chunk) === false) request.pause();
  }

  #answered(answer: IncomingMessage): void {
    const { response } = this.#passage;
    const { statusCode = 502, headers, rawHeaders } = answer;
    this.#note({ status: statusCode, headers });
    this.#reader = new UsageReader(headers["content-type"]);
    if (response.destroyed) return;
    const { keyRefused } = this.#passage;
    if (statusCode === 401 && keyRefused) {
      answer.on("error", () => {}).resume();
      return void keyRefused().then((refusal) => refuse(response, refusal));
    }
    response.writeHead(statusCode, kept(rawHeaders));
    // The first byte is not waited for: a client may have a limit for the head of an answer.
    response.flushHeaders();
    answer.on("data", (chunk: Buffer) => {
      this.#reader?.push(chunk);
      if (!response.write(chunk)) answer.pause();
    });
    response.on("drain", () => answer.resume());
    answer.on("error", () => {});
    answer.on("end", () => this.#note({ isWhole: answer.complete }));
    // One that was cut off is cut off for the agent as well: it must not take it for whole.
    answer.on("close", () => (answer.complete ? response.end() : response.destroy()));
  }

  #failed({ message }: Error): void {
    const { response, request } = this.#passage;
    if (response.destroyed || response.writableEnded) return;
    this.#note({ fault: message });
    request.resume();
    if (response.headersSent) response.destroy();
    else
      refuse(response, {
        status: 502,
        type: "api_error",
        message: `the gateway could not reach the model's API: ${message}`,
      });
  }

  #note(more: Partial<Passed>): void {
    this.#passed = { ...this.#passed, ...more };
  }

  #done(): void {
    this.#upstream?.destroy();
    const used = this.#reader?.end();
    this.#reader = undefined;
    this.#settle(used ? { ...this.#passed, used } : this.#passed);
  }
}

/** What belongs to one connection, and what would let a box keep something across its end. */
const ownToConnection = new Set([
  ...["connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te"],
  ...["trailer", "transfer-encoding", "upgrade", "set-cookie", "alt-svc"],
]);

function kept(rawHeaders: readonly string[]): string[] {
  return pairsOf(rawHeaders)
    .filter(([name]) => !ownToConnection.has(name.toLowerCase()))
    .flat();
}

export function pairsOf(rawHeaders: readonly string[]): [string, string][] {
  return rawHeaders.flatMap((name, at) =>
    at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ""] as [string, string]] : [],
  );
}

export interface Refusal {
  readonly status: number;
  readonly type: string;
  readonly message: string;
  /** Seconds, where it is worth asking again. */
  readonly retryAfter?: number;
}

/** In the words that every vendor's program understands. */
export function refuse(response: ServerResponse, { status, type, message, retryAfter }: Refusal): void {
  if (response.headersSent || response.destroyed) return;
  const body = JSON.stringify({
    type: "error",
    error: { type, code: status, status: type, message: `heddle: ${message}` },
  });
  // Programs that know this header do not ask again.
  const never = status < 500 && status !== 429 ? { "x-should-retry": "false" } : {};
  const again = retryAfter === undefined ? {} : { "retry-after": String(retryAfter) };
  response.writeHead(status, { "content-type": "application/json", ...never, ...again });
  response.end(body);
}

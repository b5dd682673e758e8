// The page's server: on loopback, or a socket file of the person's own, and nowhere else. Every request goes through the same gate.

import { chmodSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { recordIn } from "../../core/json.ts";
import { type Problem, problem } from "../../core/problem.ts";
import { Refused } from "../../engine/app.ts";
import { isThereItself } from "../../host/files.ts";
import { Project } from "../project.ts";
import type { Surface } from "../surface.ts";
import { refuse, send, sendJson } from "./answer.ts";
import { Events } from "./events.ts";
import {
  bodyOf,
  cookieIn,
  hostRefusal,
  type ListensAt,
  type Refusal,
  readRefusal,
  writeRefusal,
} from "./guard.ts";
import { showPath, takeOrder } from "./routes.ts";
import { Sessions } from "./session.ts";
import { type StaticFiles, staticFile } from "./static-files.ts";

export interface Serving {
  readonly surface: Surface;
  readonly files: StaticFiles;
  /** A port of the loopback, any one without, or a socket file. */
  readonly listen?: { readonly port?: number } | { readonly socket: string };
  /** What went wrong within: our bug, which a page is told of without its stack. */
  readonly failed?: (error: unknown) => void;
}

export interface Served {
  readonly place: ListensAt;
  /** A new link, good once. */
  readonly link: () => string;
  /** How many pages follow it: one of each browser. */
  readonly lines: () => number;
  readonly close: () => Promise<void>;
}

const patience = { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 5_000 };

export async function serve({ surface, files, listen = {}, failed }: Serving): Promise<Served> {
  const project = new Project(surface);
  const gate = new Gate(project, files, failed ?? (() => {}));
  const make = () => {
    const server = createServer({ ...patience, maxHeaderSize: 16 * 1024 }, gate.handle);
    server.maxConnections = 256;
    server.on("clientError", (_, socket) => socket.destroy());
    return server;
  };
  const { servers, place } = await ("socket" in listen
    ? onSocket(make, listen.socket)
    : onPort(make, listen.port));
  gate.place = place;
  // While the browser starts: the first page of a large plan is there when it asks. What is wrong is said to whoever asks.
  void project.projectPage().catch(() => {});
  return {
    place,
    link: () =>
      `http://${"port" in place ? `127.0.0.1:${place.port}` : "localhost"}/#t=${gate.sessions.link()}`,
    lines: () => gate.events.size,
    close: async () => {
      gate.events.close();
      await Promise.all(servers.map(closed));
    },
  };
}

class Gate {
  readonly sessions = new Sessions();
  readonly events: Events;
  place: ListensAt = { port: 0 };
  readonly #project: Project;
  readonly #files: StaticFiles;
  readonly #failed: (error: unknown) => void;

  constructor(project: Project, files: StaticFiles, failed: (error: unknown) => void) {
    this.#project = project;
    this.#files = files;
    this.#failed = failed;
    this.events = new Events(project);
  }

  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    this.#answer(request, response).catch((error: unknown) => {
      this.#failed(error);
      if (response.headersSent) response.destroy();
      else refuse(response, { status: 500, problem: "heddle could not answer this", hint: null });
    });
  };

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const wrongHost = hostRefusal(request, this.place);
    if (wrongHost) return refuse(response, wrongHost);
    const url = urlOf(request);
    if (!url) return refuse(response, { status: 400, problem: "the address cannot be read" });
    if (!url.pathname.startsWith("/api/")) return this.#file(request, response, url);
    if (url.pathname === "/api/session") return this.#begin(request, response);
    const isWrite = url.pathname.endsWith("/orders");
    const refused = (isWrite ? writeRefusal(request) : readRefusal(request)) ?? this.#stranger(request, url);
    if (refused) return refuse(response, refused);
    if (url.pathname === "/api/events")
      return this.events.connect(request, response, url.searchParams.get("seen") ?? "");
    const isKnown = isWrite
      ? await takeOrder(this.#project, url, { request, response })
      : await showPath(this.#project, url, response);
    if (!isKnown) refuse(response, { status: 404, problem: "there is no such address" });
  }

  #file(request: IncomingMessage, response: ServerResponse, { pathname }: URL): void {
    const file = staticFile(this.#files, pathname);
    if (request.method !== "GET") refuse(response, { status: 405, problem: "only GET reads" });
    else if (file) send(response, file);
    else refuse(response, { status: 404, problem: "there is no such address" });
  }

  get #cookieName(): string {
    return "port" in this.place ? `heddle-${this.place.port}` : "heddle-socket";
  }

  /** A stranger has no session: every request of the API needs one, reading too. */
  #stranger(request: IncomingMessage, url: URL): Refusal | undefined {
    const cookie = cookieIn(request, this.#cookieName);
    // An EventSource cannot send headers.
    const inQuery = url.pathname === "/api/events" ? url.searchParams.get("key") : null;
    const key = String(request.headers["x-heddle-key"] ?? inQuery ?? "");
    return this.sessions.isOpen({ cookie, key })
      ? undefined
      : {
          status: 401,
          problem: "this page has no session: open it by a new link, which `heddle web` prints",
        };
  }

  async #begin(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refused = writeRefusal(request);
    if (refused) return refuse(response, refused);
    const body = await bodyOf(request);
    if (typeof body !== "string") return refuse(response, body);
    const token = recordIn(body)?.token;
    const begun = typeof token === "string" ? this.sessions.begin(token) : undefined;
    if (!begun)
      return refuse(response, {
        status: 401,
        problem: "this link was used already, or is none of this server",
      });
    const cookie = `${this.#cookieName}=${begun.cookie}; HttpOnly; SameSite=Strict; Path=/`;
    sendJson(response, { key: begun.key }, { headers: { "set-cookie": cookie } });
  }
}

function urlOf({ url = "" }: IncomingMessage): URL | undefined {
  return url.startsWith("/") ? (URL.parse(url, "http://localhost") ?? undefined) : undefined;
}

interface Listening {
  readonly servers: readonly Server[];
  readonly place: ListensAt;
}

const tries = 20;

/** On both loopback addresses, where there are both: `localhost` may mean either. */
async function onPort(make: () => Server, wanted: number | undefined): Promise<Listening> {
  for (let left = wanted === undefined ? tries : 1; ; left--) {
    const first = make();
    const port = await listening(first, { host: "127.0.0.1", port: wanted ?? 0 });
    if (typeof port !== "number") throw new Refused([taken(wanted, port)]);
    const second = make();
    const other = await listening(second, { host: "::1", port, ipv6Only: true });
    if (typeof other === "number") return { servers: [first, second], place: { port } };
    // A machine without IPv6 has one loopback.
    if (other.code !== "EADDRINUSE") return { servers: [first], place: { port } };
    await closed(first);
    if (left <= 1) throw new Refused([taken(port, other)]);
  }
}

function taken(port: number | undefined, { code, message }: NodeJS.ErrnoException): Problem {
  const what = code === "EADDRINUSE" ? `port ${port} is in use` : `the page cannot listen: ${message}`;
  return problem("port", what, { hint: "leave out `--port`, and a free one is taken" });
}

async function onSocket(make: () => Server, socket: string): Promise<Listening> {
  if (isThereItself(socket))
    throw new Refused([
      problem("socket", `\`${socket}\` is there already`, { hint: "remove it, or name another" }),
    ]);
  const server = make();
  // Nobody else may connect in the moment before the mode is set.
  const before = process.umask(0o177);
  const failed = await listening(server, { path: socket }).finally(() => process.umask(before));
  if (failed instanceof Error)
    throw new Refused([problem("socket", `the page cannot listen at \`${socket}\`: ${failed.message}`)]);
  chmodSync(socket, 0o600);
  return { servers: [server], place: { socket } };
}

type Where =
  | { readonly host: string; readonly port: number; readonly ipv6Only?: boolean }
  | { readonly path: string };

function listening(server: Server, where: Where): Promise<number | NodeJS.ErrnoException> {
  return new Promise((settle) => {
    server.once("error", settle);
    server.listen({ ...where }, () => {
      const address = server.address();
      settle(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((settle) => {
    server.close(() => settle());
    server.closeAllConnections();
  });
}

// The room of the gateway to models: tokens for keys, streams passed on, tokens counted, budgets. It listens on loopback and
// speaks to vendors; it writes no file and knows no journal.
//
// The gateway to models: the only way out of a box whose agent needs a model and no more. A program in the box holds a token
// that is good for its attempt; here the token becomes the person's key. What each answer used is counted, and the next
// request is refused once a budget is used up. No prompt, no answer and no key is kept, logged or written down.
import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Server as Listening, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { Account, type Budget, Spender } from "./budget.ts";
import { forward, type Passed, pairsOf, type Refusal, refuse } from "./forward.ts";
import { passPlainly, proxyVariables, type Tunnels, tunnel } from "./proxy.ts";
import { type LineFor, networkLine, type RefusedHost, RefusedHosts } from "./refused-hosts.ts";
import { resetsInMs } from "./reset.ts";
import type { Used } from "./usage.ts";
import {
  askedOf,
  isAllowed,
  type LoginRoute,
  type Route,
  upstreamOf,
  type Vendor,
  variablesBehind,
} from "./vendors.ts";

/** On the box's own loopback, where nothing else is. */
export const gatePort = 41_100;

/** What a request is paid with: it takes the token's place, and some vendors want to know whose account it is. */
export interface Credential {
  readonly key: string;
  readonly headers: readonly (readonly [string, string])[];
}

export interface Logins {
  /** What is good now; nothing where the person has to sign in again. */
  current(login: LoginRoute): Promise<Credential | undefined>;
  /** The vendor refused this one: whether there is another now. */
  renew(login: LoginRoute, refused: string): Promise<boolean>;
}

export interface Wish {
  readonly routes: readonly Route[];
  /** Hosts beside the models that may be reached; none when left out. */
  readonly hosts?: readonly string[];
  /** Hears once of each host that was refused, with what a person can do. */
  readonly hostRefused?: (refused: RefusedHost) => void;
  /** What a person would write to open one; as for all agents when left out. */
  readonly line?: LineFor;
  /** For tests, whose hosts are on loopback. */
  readonly tunnels?: Pick<Tunnels, "resolve" | "mayReach">;
  /** Where routes with a login get what they are paid with. */
  readonly logins?: Logins;
  /** Where vendors are, where that is said elsewhere than in their variables. */
  readonly addresses?: Readonly<Record<string, string>>;
  readonly budgets: readonly Budget[];
  /** Null when nobody knows the model's price. */
  readonly costOf: (used: Used) => number | null;
  /** Hears what each request used, as soon as it is known. */
  readonly counted: (counted: Counted) => void;
  /** Hears the first time that a budget was used up. */
  readonly refused?: () => void;
}

export interface Counted {
  readonly model: string | undefined;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  readonly thinkingTokens: number;
  readonly costUsd: number | null;
}

export interface Pass {
  /** The person's variables, as the program may see them. An empty one is not there. */
  readonly variables: Readonly<Record<string, string>>;
  /** Takes over what listens on the box's loopback. */
  readonly serve: (listening: Listening) => void;
  /** Why a request was refused that the vendor was not even asked: a budget. */
  readonly refused: string | undefined;
  /** What the last answer said, if it was that its use is limited. */
  readonly limit: { readonly resetsInMs: number | null } | undefined;
  /** Why the vendor could not be reached, the last time. */
  readonly unreachable: string | undefined;
  /** Every request that was let through is done, or cut off. */
  close(): Promise<void>;
}

/** Accounts of tasks and runs are shared by all attempts of this process; a call's own is nobody else's. */
const accounts = new Map<string, Account>();
const waiting = new Set<() => void>();

function accountOf(budget: Budget): Account {
  const account = (budget.key !== null && accounts.get(budget.key)) || new Account();
  // A call's own is forgotten with the call: an orchestrator has very many of them.
  if (budget.key !== null) accounts.set(budget.key, account);
  account.renew(budget);
  return account;
}

export function openPass(wish: Wish, own: NodeJS.ProcessEnv = process.env): Pass {
  return new OpenPass(wish, { ...own, ...wish.addresses });
}

const most = { connections: 256, requests: 64, requestBytes: 256 * 1024 * 1024 };

class OpenPass implements Pass {
  readonly variables: Readonly<Record<string, string>>;
  readonly #wish: Wish;
  readonly #own: NodeJS.ProcessEnv;
  readonly #tokens: ReadonlyMap<string, Route>;
  readonly #spender: Spender;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #listening: Listening[] = [];
  readonly #over = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  readonly #tunnels: Tunnels;
  refused: string | undefined;
  limit: Pass["limit"];
  unreachable: string | undefined;

  constructor(wish: Wish, own: NodeJS.ProcessEnv) {
    this.#wish = wish;
    this.#own = own;
    const secret = randomBytes(24).toString("base64url");
    this.#tokens = new Map(wish.routes.map((route, at) => [`heddle-${secret}-${at}`, route]));
    this.variables = {
      ...variablesBehind(`http://127.0.0.1:${gatePort}`, this.#tokens),
      // Also where no host is open: whoever wants one is refused by name, and a person hears of it.
      ...proxyVariables(gatePort),
    };
    const { hosts = [], line = networkLine("agents", hosts), hostRefused = () => {}, tunnels } = wish;
    this.#tunnels = { hosts, refused: new RefusedHosts(line, hostRefused).add, own, ...tunnels };
    this.#spender = new Spender(wish.budgets.map(accountOf), waiting);
    this.#server = createServer({ requestTimeout: 0, keepAliveTimeout: 600_000 }, (request, response) => {
      const answered = this.#answer(request, response).catch(() => void response.destroy());
      this.#underWay.add(answered);
      void answered.finally(() => this.#underWay.delete(answered));
    });
    this.#server.on(
      "connect",
      (request: IncomingMessage, socket: Duplex) => void this.#tunnel(request, socket),
    );
    this.#server.on("clientError", (_error, socket) => socket.destroy());
  }

  readonly serve = (listening: Listening): void => {
    this.#listening.push(listening);
    listening.maxConnections = most.connections;
    listening.on("error", () => {});
    listening.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      // Otherwise each small piece of a stream would wait for the one before it to be acknowledged: 40 ms.
      socket.setNoDelay(true);
      socket.once("close", () => this.#sockets.delete(socket));
      this.#server.emit("connection", socket);
    });
  };

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "" } = request;
    const path = (request.url ?? "").replace(`http://127.0.0.1:${gatePort}/`, "/");
    if (!path.startsWith("/")) return passPlainly(request, response, this.#tunnels);
    // Some look whether anybody is there before they ask.
    if (method === "HEAD") return void response.writeHead(200).end();
    const asked = askedOf(path);
    const kind = asked && isAllowed(asked.vendor, method, asked.path);
    if (!asked || !kind)
      return this.#no(request, response, [
        403,
        "permission_error",
        "the gateway passes on nothing but requests to models",
      ]);
    const url = new URL(upstreamOf(asked.vendor, this.#own) + asked.path + asked.query);
    const route = this.#routeOf(request, url, asked.vendor);
    const credential = route && (await this.#credentialOf(route));
    if (!credential)
      return this.#no(request, response, [
        401,
        "authentication_error",
        route?.login
          ? `the login of ${route.login.name} on this machine has ended: sign in with it again`
          : "the token is not of this attempt, or not for this vendor",
      ]);
    const headers = this.#withKey(request, url, { route, credential });
    if (this.#underWay.size > most.requests)
      return this.#no(request, response, [
        503,
        "overloaded_error",
        `more than ${most.requests} requests at once`,
      ]);
    const keyRefused = route.login && this.#renewing(route.login, credential);
    const passage = {
      ...{ request, response, url, headers, mostBytes: most.requestBytes },
      ...(keyRefused && { keyRefused }),
    };
    if (kind === "free") return void (await forward(passage));
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const admission = await this.#spender.ask(AbortSignal.any([gone.signal, this.#over.signal]));
    if (!admission) return void response.destroy();
    if (admission.kind === "refused") {
      if (this.refused === undefined) this.#wish.refused?.();
      this.refused = admission.why;
      return this.#no(request, response, [402, "billing_error", admission.why]);
    }
    const passed = await forward(passage);
    const counted = this.#count(passed);
    admission.settle(counted?.costUsd ?? (counted ? null : 0));
    if (counted) this.#wish.counted(counted);
  }

  async #tunnel(request: IncomingMessage, socket: Duplex): Promise<void> {
    // Some send everything through their proxy, also what is beside it.
    if (request.url === `127.0.0.1:${gatePort}`) {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      return void this.#server.emit("connection", socket);
    }
    await tunnel(request, socket, this.#tunnels);
  }

  #no(
    request: IncomingMessage,
    response: ServerResponse,
    [status, type, message]: [number, string, string],
  ): void {
    request.resume();
    refuse(response, { status, type, message });
  }

  /** Whose token a request bears, wherever the program put it: a vendor's program knows best how it is sent. */
  #routeOf({ rawHeaders }: IncomingMessage, url: URL, vendor: Vendor): Route | undefined {
    const borne = pairsOf(rawHeaders).flatMap(([name, value]) => (isKey(name.toLowerCase()) ? [value] : []));
    return [...borne, url.searchParams.get("key") ?? ""]
      .map((value) => this.#tokens.get(bare(value).token))
      .find((route) => route?.vendor === vendor.name);
  }

  async #credentialOf({ variable, login }: Route): Promise<Credential | undefined> {
    if (login) return this.#wish.logins?.current(login);
    const key = this.#own[variable];
    return key ? { key, headers: [] } : undefined;
  }

  /** The key takes the token's place, and nothing else that looks like a key is passed on. */
  #withKey(request: IncomingMessage, url: URL, { route, credential }: Paid): string[] {
    const { key, headers: more } = credential;
    const swapped = (value: string): string | undefined => {
      const { scheme, token } = bare(value);
      const borne = this.#tokens.get(token);
      // A person may have two keys of one vendor, and its program sends both.
      const other = borne?.vendor === route.vendor && !borne.login ? this.#own[borne.variable] : undefined;
      const real = borne === route ? key : other;
      return real ? scheme + real : undefined;
    };
    const own = new Set(more.map(([name]) => name));
    const headers = pairsOf(request.rawHeaders).flatMap(([name, value]) => {
      const lower = name.toLowerCase();
      if (isDropped(lower) || own.has(lower)) return [];
      if (!isKey(lower)) return [name, value];
      const real = swapped(value);
      return real === undefined ? [] : [name, real];
    });
    const asParameter = url.searchParams.get("key");
    if (asParameter !== null) {
      const real = swapped(asParameter);
      if (real === undefined) url.searchParams.delete("key");
      else url.searchParams.set("key", real);
    }
    return [...headers, ...more.flat(), "host", url.host, "accept-encoding", "identity"];
  }

  /** A login that ended early is renewed, and the program asks again by itself: it is told to, in words that all of them know. */
  #renewing(login: LoginRoute, { key }: Credential): () => Promise<Refusal> {
    return async () =>
      (await this.#wish.logins?.renew(login, key))
        ? {
            status: 503,
            type: "overloaded_error",
            message: "the login was renewed: ask again",
            retryAfter: 1,
          }
        : {
            status: 401,
            type: "authentication_error",
            message: `the vendor refused the login of ${login.name} on this machine: sign in with it again`,
          };
  }

  /** Nothing, where nothing was asked of a model. */
  #count({ status, headers, used, wasSent, isWhole, fault }: Passed): Counted | undefined {
    if (status !== null || fault !== undefined) this.unreachable = status === null ? fault : undefined;
    if (status === 429) this.limit = { resetsInMs: resetsInMs(headers, Date.now()) };
    else if (status !== null && status < 400) this.limit = undefined;
    const isUnanswered = status === null && wasSent && fault === undefined;
    const isAnswer = status !== null && status < 400;
    if (!used) return isUnanswered || isAnswer ? unknown : undefined;
    const isKnown = isWhole && used.isWhole;
    return {
      model: used.model,
      inputTokens: used.input,
      outputTokens: used.output,
      cachedTokens: used.cachedInput,
      thinkingTokens: used.thinking,
      // What was cut off had cost something, and nobody is told how much.
      costUsd: isKnown ? this.#wish.costOf(used) : null,
    };
  }

  async close(): Promise<void> {
    this.#over.abort();
    for (const each of this.#listening) each.close();
    for (const socket of this.#sockets) socket.destroy();
    await Promise.allSettled([...this.#underWay]);
    this.#spender.leave();
  }
}

const unknown: Counted = {
  ...{ model: undefined, inputTokens: 0, outputTokens: 0, cachedTokens: 0, thinkingTokens: 0, costUsd: null },
};

interface Paid {
  readonly route: Route;
  readonly credential: Credential;
}

function bare(value: string): { readonly scheme: string; readonly token: string } {
  const [, scheme = "", token = ""] = /^(Bearer\s+)?(\S+)$/i.exec(value) ?? [];
  return { scheme, token };
}

const isKey = (name: string) => ["authorization", "x-api-key", "x-goog-api-key", "api-key"].includes(name);

/** The gateway says itself to whom it speaks, and reads answers as they are written. */
const dropped = new Set([
  ...[
    "host",
    "connection",
    "keep-alive",
    "proxy-connection",
    "proxy-authorization",
    "te",
    "trailer",
    "upgrade",
  ],
  ...[
    "accept-encoding",
    "cookie",
    "forwarded",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
    "expect",
  ],
]);
const isDropped = (name: string) => dropped.has(name);

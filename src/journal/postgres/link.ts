// One connection to Postgres, made again whenever it is lost. What is asked through it must stand being asked twice: nobody knows
// whether the server heard what it did not answer.
import { readFileSync } from "node:fs";
import type { ClientConfig, Client as Driver, QueryResultRow } from "pg";
import { type Problem, problem } from "../../core/problem.ts";
import { StoreFailure } from "../journal.ts";
import { type Address, placeOf } from "./address.ts";
import { isAway, type ServerError, serverFailure, waiting } from "./failure.ts";
import { passwordFor } from "./password.ts";

/** With what its types leave out. */
type Client = Driver & {
  ref(): void;
  unref(): void;
  readonly processID: number;
  readonly connection: NodeJS.EventEmitter & { readonly stream: { destroy(error?: Error): void } };
};

export interface LinkOptions {
  readonly address: Address;
  /** Said once, when the server is away and this waits for it. */
  readonly tell?: ((problem: Problem) => void) | undefined;
  /** How long a connection that was there is waited for. */
  readonly patienceMs?: number;
}

export interface Query {
  readonly text: string;
  readonly values?: readonly unknown[];
  /** Prepared under this name at its first use. */
  readonly name?: string;
  readonly withinMs?: number;
}

export interface Notice {
  readonly payload: string;
  /** Of this very connection. */
  readonly isOwn: boolean;
}

const connectMs = 5_000;
const answerMs = 30_000;
const patienceMs = 30_000;
/** For one who follows the journal, an orchestrator as a rule: agents are at work, and the server may be upgraded. */
const followersPatienceMs = 10 * 60_000;
const oldest = 13;

export class Link {
  readonly address: Address;
  readonly #options: LinkOptions;
  #client: Client | undefined;
  #connecting: Promise<Client> | undefined;
  #wasThere = false;
  #isClosed = false;
  #last: Promise<unknown> = Promise.resolve();
  #isPatient = true;
  #isTold = false;
  #waitsSinceMs: number | undefined;
  /** Questions under way, and those who follow: as long as there are any, the process stays for the connection. */
  #asking = 0;
  #tell: ((problem: Problem) => void) | undefined;
  #listens: { readonly channel: string; readonly hear: (notice: Notice | undefined) => void } | undefined;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.address = options.address;
    this.#tell = options.tell;
  }

  /** Who is told from now on that the server is away. */
  tellBy(tell: ((problem: Problem) => void) | undefined): void {
    this.#tell = tell;
  }

  /** From now on a server that is away is not waited for. */
  giveUp(): void {
    this.#isPatient = false;
  }

  /** Keeps the process for what may come; what is returned lets it go. */
  hold(): () => void {
    if (this.#asking++ === 0) this.#client?.ref();
    return () => {
      if (--this.#asking === 0) this.#client?.unref();
    };
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Why it cannot be asked now, if that is known. */
  away(): Problem | undefined {
    if (this.#client || !this.#wasThere || this.#isClosed) return undefined;
    return waiting({ code: "lost", message: "the connection was lost" } as never, this.address);
  }

  /** Waits for a server that was there and is away, asks again, and gives up with a sentence. */
  async ask<T extends QueryResultRow>(question: Query): Promise<T[]> {
    return this.#inLine(() => this.#patiently(async (client) => this.#query<T>(client, question)));
  }

  /** On one connection from its beginning to its end; `work` begins again where that is lost. */
  async transaction<T>(
    mode: string,
    work: (ask: <R extends QueryResultRow>(question: Query) => Promise<R[]>) => Promise<T>,
  ): Promise<T> {
    const whole = async (client: Client) => {
      await this.#query(client, { text: `begin ${mode}` });
      try {
        const result = await work((question) => this.#query(client, question));
        await this.#query(client, { text: "commit" });
        return result;
      } catch (error) {
        if (this.#client === client)
          await this.#query(client, { text: "rollback" }).catch(() => this.#drop(client));
        throw error;
      }
    };
    return this.#inLine(() => this.#patiently(whole));
  }

  /** `hear` is told what comes, and nothing in particular after each connection: something may have been missed. */
  async listen(channel: string, hear: (notice: Notice | undefined) => void): Promise<void> {
    this.#listens = { channel, hear };
    await this.ask({ text: `listen ${channel}` });
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const client = this.#client;
    this.#client = undefined;
    client?.end().catch(() => {});
    this.#listens?.hear(undefined);
  }

  /** One question after another: what comes while a transaction is under way is no part of it. */
  #inLine<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => {});
    return mine;
  }

  async #patiently<T>(work: (client: Client) => Promise<T>): Promise<T> {
    for (let pauseMs = 20; ; pauseMs = Math.min(2 * pauseMs, 1000)) {
      if (this.#isClosed) throw new Error("bug: the journal is closed");
      try {
        const result = await work(await this.#connected());
        this.#waitsSinceMs = undefined;
        this.#isTold = false;
        return result;
      } catch (error) {
        if (!isAway(error) || !this.#wasThere || this.#isClosed) throw serverFailure(error, this.address);
        this.#wait(error);
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    }
  }

  #wait(error: unknown): void {
    const nowMs = performance.now();
    this.#waitsSinceMs ??= nowMs;
    if (!this.#isTold && this.#isPatient) this.#tell?.(waiting(error, this.address));
    this.#isTold = true;
    const longestMs = this.#options.patienceMs ?? (this.#listens ? followersPatienceMs : patienceMs);
    if (this.#isPatient && nowMs - this.#waitsSinceMs <= longestMs) return;
    this.#waitsSinceMs = undefined;
    throw serverFailure(error, this.address);
  }

  #connected(): Promise<Client> {
    if (this.#client) return Promise.resolve(this.#client);
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #connect(): Promise<Client> {
    const client = await connected(this.address);
    client.on("error", () => this.#drop(client));
    client.on("end", () => this.#drop(client));
    client.on("notification", ({ payload = "", processId }) =>
      this.#listens?.hear({
        payload,
        isOwn: processId === client.processID,
      }),
    );
    try {
      await this.#prepare(client);
    } catch (error) {
      client.end().catch(() => {});
      throw error;
    }
    this.#client = client;
    this.#wasThere = true;
    if (this.#asking === 0) client.unref();
    this.#listens?.hear(undefined);
    return client;
  }

  async #prepare(client: Client): Promise<void> {
    const [found] = await this.#query<{ version: number; encoding: string }>(client, { text: greeting });
    const { version = 0, encoding = "" } = found ?? {};
    if (version < oldest * 10_000)
      throw new StoreFailure(
        problem(
          "old-server",
          `Postgres ${Math.floor(version / 10_000)} is too old: ${placeOf(this.address)}`,
          {
            hint: `Postgres ${oldest} or newer is needed`,
          },
        ),
      );
    if (encoding !== "UTF8")
      throw new StoreFailure(
        problem("bad-encoding", `the database keeps text as ${encoding}: ${placeOf(this.address)}`, {
          hint: `createdb --encoding=UTF8 --template=template0 <database>`,
        }),
      );
    if (this.#listens) await this.#query(client, { text: `listen ${this.#listens.channel}` });
  }

  /** A server that hears nothing any more is left: whether it did what it was asked is found out by asking again. */
  async #query<T extends QueryResultRow>(client: Client, question: Query): Promise<T[]> {
    const { text, values = [], name, withinMs = answerMs } = question;
    if (this.#asking++ === 0) client.ref();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(lost("no answer")), withinMs);
    });
    try {
      const asked = client.query<T>({ text, values: [...values], ...(name !== undefined && { name }) });
      return (await Promise.race([asked, late])).rows;
    } catch (error) {
      const code = (error as ServerError).code ?? "";
      // Errors of the server have five letters; whatever else ends a question ends the connection with it.
      if (/^[0-9A-Z]{5}$/.test(code) && !isAway(error)) throw error;
      this.#drop(client);
      throw isAway(error) ? error : lost((error as Error).message);
    } finally {
      clearTimeout(timer);
      if (--this.#asking === 0) client.unref();
    }
  }

  #drop(client: Client): void {
    if (this.#client === client) this.#client = undefined;
    client.connection.stream.destroy();
    // Whoever follows must not wait for a notice that cannot come: asking makes the connection again.
    if (this.#listens && !this.#isClosed) this.#listens.hear(undefined);
  }
}

const lost = (message: string) => Object.assign(new Error(message), { code: "lost" });

/** Where a server does not wait for its disk, a commit of ours does all the same. */
const greeting = `select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding,
  case when current_setting('synchronous_commit') in ('off', 'local') then set_config('synchronous_commit', 'on', false) end`;

async function connected(address: Address): Promise<Client> {
  if (address.encryption !== "prefer" || address.host.startsWith("/"))
    return begun(address, address.encryption !== "disable" && !address.host.startsWith("/"));
  try {
    return await begun(address, true);
  } catch (error) {
    if (!isWithoutEncryption(error)) throw error;
    return begun(address, false);
  }
}

const isWithoutEncryption = (error: unknown) => /does not support SSL/.test((error as Error).message ?? "");

async function begun(address: Address, encrypted: boolean): Promise<Client> {
  const { default: pg } = await import("pg");
  const { host, port, user, database } = address;
  const config: ClientConfig = {
    ...{ host, port, user, database, keepAlive: true, keepAliveInitialDelayMillis: 10_000 },
    ...{ connectionTimeoutMillis: connectMs, application_name: "heddle" },
    ssl: encrypted ? encryption(address) : false,
    password: () => passwordFor(address, process.env),
  };
  const client = new pg.Client(config) as Client;
  // A server that asks for the password itself may have any name: it gets it over a connection that is proven, or local.
  const isTrusted = isLocal(host) || (encrypted && address.encryption.startsWith("verify"));
  const { connection } = client;
  if (!isTrusted)
    connection.prependListener("authenticationCleartextPassword", () => {
      connection.removeAllListeners("authenticationCleartextPassword");
      connection.stream.destroy(
        Object.assign(new Error("the server asks for the password in clear text: set sslmode=verify-full"), {
          code: "28000",
        }),
      );
    });
  client.on("error", () => {});
  await client.connect().catch((error: ServerError) => {
    // A server that still waits for a password would keep this process for a minute.
    connection.stream.destroy();
    throw error.code === undefined && /timeout|terminated/i.test(error.message) ? lost(error.message) : error;
  });
  return client;
}

const isLocal = (host: string) =>
  host.startsWith("/") || /^(?:localhost|127\.\d+\.\d+\.\d+|::1|\[::1\])$/.test(host);

function encryption({ encryption: how, rootCertificate, host }: Address): ClientConfig["ssl"] {
  const ca = rootCertificate === undefined ? {} : { ca: readFileSync(rootCertificate, "utf8") };
  if (how === "verify-full") return { ...ca, rejectUnauthorized: true, servername: host };
  if (how === "verify-ca") return { ...ca, rejectUnauthorized: true, checkServerIdentity: () => undefined };
  return { ...ca, rejectUnauthorized: false };
}

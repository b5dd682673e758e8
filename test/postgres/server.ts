// A Postgres of the tests' own: Debian's programs, or those of PATH, in a folder of its own, on a socket and a port of loopback. As root
// it runs as another user, because Postgres refuses to be root's.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { whereIs } from "../needs.ts";

const debian = "/usr/lib/postgresql";

function programs(): string {
  const along = whereIs("initdb");
  if (along !== "") return join(along, "..");
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  return (
    versions.map((version) => join(debian, version, "bin")).find((bin) => existsSync(join(bin, "initdb"))) ??
    ""
  );
}

/** Anybody but root: nobody has no files that a server could harm. */
const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

const bin = programs();
export const hasPostgres = bin !== "" && spawnSync(join(bin, "initdb"), ["--version"], user).status === 0;

export class Server {
  readonly folder: string;
  readonly port: number;
  readonly password = "correct-horse";
  #process: ChildProcess | undefined;

  private constructor(folder: string, port: number) {
    this.folder = folder;
    this.port = port;
  }

  /** `settings`: further lines of its configuration. */
  static async start(settings: readonly string[] = []): Promise<Server> {
    const folder = mkdtempSync(join(tmpdir(), "heddle-pg-"));
    if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
    const server = new Server(folder, await freePort());
    const options = [
      "-D",
      join(folder, "data"),
      "-U",
      "heddle",
      "-A",
      "scram-sha-256",
      "--no-sync",
      "--encoding=UTF8",
      "--locale=C",
    ];
    const made = spawnSync(
      "/bin/sh",
      [
        "-c",
        `umask 077; echo ${server.password} > pw; exec "${bin}/initdb" "$@" --pwfile=pw`,
        "sh",
        ...options,
      ],
      {
        ...{ cwd: folder, encoding: "utf8", ...user },
      },
    );
    if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
    mkdirSync(join(folder, "socket"));
    if (user.uid !== undefined) chownSync(join(folder, "socket"), user.uid, user.gid);
    await server.up(settings);
    return server;
  }

  /** Where a project's journal is; `by`: over the socket, or over loopback. */
  address(project: string, by: "socket" | "port" = "port"): string {
    return by === "port"
      ? `postgres://heddle@127.0.0.1:${this.port}/postgres?project=${project}`
      : `postgres://heddle@localhost:${this.port}/postgres?host=${join(this.folder, "socket")}&project=${project}`;
  }

  async up(settings: readonly string[] = []): Promise<void> {
    const set = [
      ...[
        `port=${this.port}`,
        "listen_addresses=127.0.0.1",
        `unix_socket_directories=${join(this.folder, "socket")}`,
      ],
      ...["max_connections=40", "shared_buffers=16MB", ...settings],
    ];
    const args = ["-D", join(this.folder, "data"), ...set.flatMap((each) => ["-c", each])];
    this.#process = spawn(join(bin, "postgres"), args, { cwd: this.folder, stdio: "ignore", ...user });
    const until = performance.now() + 60_000;
    for (;;) {
      const found = await this.sql("select 1").catch((error: Error) => error);
      if (!(found instanceof Error)) return;
      if (performance.now() > until || this.#process.exitCode !== null) throw found;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** The first column of what a statement gives. */
  async sql(text: string): Promise<unknown[]> {
    const { port, password } = this;
    const client = new pg.Client({ host: "127.0.0.1", port, user: "heddle", database: "postgres", password });
    client.on("error", () => {});
    await client.connect();
    try {
      const { rows } = await client.query<Record<string, unknown>>(text);
      return rows.map((row) => Object.values(row)[0]);
    } finally {
      await client.end();
    }
  }

  /** Ends it and all of its processes, as a power cut would: the children end when they see that their parent is gone. */
  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const running = this.#process;
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    const children = childrenOf(running.pid ?? 0);
    const ended = new Promise<void>((resolve) => running.once("exit", () => resolve()));
    running.kill(signal);
    if (signal === "SIGKILL") for (const pid of children) endProcess(pid);
    await ended;
    const until = performance.now() + 30_000;
    while (children.some(isThere) && performance.now() < until)
      await new Promise((resolve) => setTimeout(resolve, 10));
    this.#process = undefined;
  }

  async stop(): Promise<void> {
    await this.kill("SIGINT");
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function childrenOf(parent: number): number[] {
  const { stdout } = spawnSync("/bin/sh", ["-c", `cat /proc/${parent}/task/${parent}/children`], {
    encoding: "utf8",
  });
  return stdout.trim().split(/\s+/).filter(Boolean).map(Number);
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has seen that its parent is gone.
  }
}

const isThere = (pid: number) => existsSync(`/proc/${pid}`);

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

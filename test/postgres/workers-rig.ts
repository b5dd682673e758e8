// Workers for tests: real `heddle worker` processes, each with a home and a database login of its own that has the worker's role, and a
// project whose journal is in the same server. Nothing is shared between them but the server and a bare repository.
import { type ChildProcess, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ended, type Ran, start, until } from "../e2e/rig.ts";
import { Execution, type Turns } from "../execute/rig.ts";
import { Server } from "./server.ts";

export class Yard {
  readonly folder = mkdtempSync(join(tmpdir(), "heddle-workers-"));
  readonly server: Server;
  readonly #workers: WorkerProcess[] = [];
  readonly #children: ChildProcess[] = [];
  #projects = 0;

  private constructor(server: Server) {
    this.server = server;
  }

  static async open(): Promise<Yard> {
    const yard = new Yard(await Server.start());
    const passwords = [`*:*:*:heddle:${yard.server.password}`, "*:*:*:*:of-a-worker", ""].join("\n");
    writeFileSync(yard.path("passwords"), passwords, { mode: 0o600 });
    const prepared = await ended(start(["worker", "--prepare", "--queue", yard.address("heddle")]));
    if (prepared.code !== 0) throw new Error(prepared.out + prepared.err);
    await yard.server.sql("create role hand login password 'of-a-worker' in role heddle_worker");
    return yard;
  }

  path(...parts: readonly string[]): string {
    return join(this.folder, ...parts);
  }

  address(user: string): string {
    return `postgres://${user}@127.0.0.1:${this.server.port}/postgres?passfile=${this.path("passwords")}`;
  }

  /** A project that is ready, with its journal in the server, which works on nothing itself. */
  async project(tasks: number, turns: Turns, more: object = {}): Promise<Execution> {
    const project = await Execution.ready({ tasks }, turns);
    const remote = this.path(`remote-${++this.#projects}.git`);
    execFileSync("git", ["init", "-q", "--bare", remote]);
    const journal = `${this.address("heddle")}&project=p${this.#projects}`;
    const hosts = [{ here: true, slots: 0 }];
    await project.must("journal", "move", "--to", journal);
    project.config({ unconfined: true, journal, hosts, workers: { remote }, ...more });
    return project;
  }

  /** Refs that heddle left on the remote of the last project. */
  left(): string {
    return execFileSync("git", ["-C", this.path(`remote-${this.#projects}.git`), "for-each-ref"], {
      encoding: "utf8",
    });
  }

  execute(project: Execution): { readonly run: Promise<Ran>; readonly child: ChildProcess } {
    const words = ["execute", "--agent", "command:./agent.cjs", "--unconfined", "--batch"];
    const child = start(words, { cwd: project.root });
    this.#children.push(child);
    return { run: ended(child), child };
  }

  async worker(name: string, ...more: readonly string[]): Promise<WorkerProcess> {
    const worker = new WorkerProcess(this, name, more);
    this.#workers.push(worker);
    await until(`${name} has joined`, () => worker.said().includes("has joined") || worker.hasEnded, 60_000);
    return worker;
  }

  /** Agents that say that they began, and wait for `go`. */
  waiting(go: string): Turns {
    const file = JSON.stringify(this.path(go));
    return {
      "*": [
        `put(${file} + ".began-" + process.pid, ""); while (!fs.existsSync(${file})) sleep(50); good();`,
        "good()",
      ],
    };
  }

  go(name: string): void {
    writeFileSync(this.path(name), "");
  }

  hasBegun(go: string): boolean {
    return readdirSync(this.folder).some((name) => name.startsWith(`${go}.began-`));
  }

  async close(): Promise<void> {
    for (const child of this.#children) child.kill("SIGKILL");
    for (const worker of this.#workers) await worker.kill();
    await this.server.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export class WorkerProcess {
  readonly name: string;
  readonly ended: Promise<Ran>;
  readonly #child: ChildProcess;
  readonly #home: string;
  #said = "";

  constructor(yard: Yard, name: string, more: readonly string[]) {
    this.name = name;
    this.#home = yard.path(`home-${name}`);
    mkdirSync(this.#home, { recursive: true });
    const words = ["worker", "--queue", yard.address("hand"), "--name", name, "--slots", "2", ...more];
    this.#child = start(words, {
      cwd: this.#home,
      env: { HOME: this.#home, HEDDLE_TEST_WORKER: this.#home },
    });
    this.#child.stdout?.on("data", (data) => (this.#said += String(data)));
    this.ended = ended(this.#child);
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  said(): string {
    return this.#said;
  }

  signal(signal: NodeJS.Signals): void {
    for (const pid of signal === "SIGTERM" ? this.#own() : this.processes()) kill(pid, signal);
  }

  #own(): number[] {
    return this.#child.pid === undefined ? [] : [this.#child.pid];
  }

  /** Everything that it started, as on a machine of its own: marked by an environment that only they have. */
  processes(): number[] {
    return readdirSync("/proc")
      .filter((pid) => /^\d+$/.test(pid) && environmentOf(pid).includes(`HEDDLE_TEST_WORKER=${this.#home}\0`))
      .map(Number);
  }

  async kill(): Promise<void> {
    this.signal("SIGKILL");
    await this.ended;
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    return "";
  }
}

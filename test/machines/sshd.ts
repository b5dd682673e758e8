// Machines for tests: each is an sshd of its own on a loopback port, with its own keys, its own home folder and its own PATH.
// Works as root and as anybody else. A machine can be cut off, stopped, and be lost with everything that runs on it.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, connect as dial, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { whereIs } from "../needs.ts";

const sshdPath = existsSync("/usr/sbin/sshd") ? "/usr/sbin/sshd" : whereIs("sshd");
export const hasSshd =
  sshdPath !== "" && whereIs("ssh") !== "" && whereIs("ssh-keygen") !== "" && letsIn(sshdPath);

/** Whether this user can log in by a key at all: an account may be locked, or an sshd be kept from changing its user. */
function letsIn(sshd: string): boolean {
  const folder = mkdtempSync(join(tmpdir(), "machines-trial-"));
  const at = (name: string) => join(folder, name);
  try {
    if (process.getuid?.() === 0) mkdirSync("/run/sshd", { recursive: true });
    for (const name of ["host", "client"])
      spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", at(name)]);
    const settings = [`HostKey ${at("host")}`, `AuthorizedKeysFile ${at("client.pub")}`, "StrictModes no"];
    writeFileSync(at("sshd"), [...settings, "UsePAM no", "PidFile none", ""].join("\n"));
    const options = {
      ProxyCommand: `${sshd} -i -f ${at("sshd")} -E ${at("log")}`,
      ...{ BatchMode: "yes", StrictHostKeyChecking: "no", UserKnownHostsFile: "/dev/null" },
      ...{ IdentityFile: at("client"), IdentitiesOnly: "yes" },
    };
    const words = Object.entries(options).flatMap(([key, value]) => ["-o", `${key}=${value}`]);
    return spawnSync("ssh", ["-F", "none", ...words, "trial", "true"], { timeout: 30_000 }).status === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const cli = process.env.HEDDLE_CLI ?? resolve(import.meta.dirname, "../../dist/heddle.js");

/** All machines of one test, and the `ssh` that finds them. */
export class Machines {
  readonly folder = mkdtempSync(join(tmpdir(), "machines-"));
  readonly #all: Machine[] = [];

  constructor() {
    mkdirSync(join(this.folder, "bin"));
    this.#key("client");
    this.program("ssh", `exec ${whereIs("ssh")} -F ${join(this.folder, "ssh_config")} "$@"`);
    this.#configure();
  }

  /** For the PATH of whoever orchestrates: its `ssh` knows these machines and no others. */
  get path(): string {
    return `${join(this.folder, "bin")}:${process.env.PATH ?? ""}`;
  }

  program(name: string, text: string): void {
    const file = join(this.folder, "bin", name);
    writeFileSync(file, `#!/bin/sh\n${text}\n`);
    chmodSync(file, 0o755);
  }

  #key(name: string): void {
    execFileSync(whereIs("ssh-keygen"), ["-q", "-t", "ed25519", "-N", "", "-f", join(this.folder, name)]);
  }

  async start(name: string): Promise<Machine> {
    this.#key(`host-${name}`);
    const machine = new Machine(this.folder, name);
    this.#all.push(machine);
    await machine.start();
    this.#configure();
    return machine;
  }

  #configure(): void {
    const hosts = this.#all.map(({ name, port }) => `Host ${name}\n  HostName 127.0.0.1\n  Port ${port}\n`);
    const common = [
      "Host *",
      `  IdentityFile ${join(this.folder, "client")}`,
      "  IdentitiesOnly yes",
      "  StrictHostKeyChecking no",
      "  UserKnownHostsFile /dev/null",
    ];
    writeFileSync(join(this.folder, "ssh_config"), [...hosts, ...common, ""].join("\n"));
  }

  async stop(): Promise<void> {
    for (const each of this.#all) await each.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export class Machine {
  readonly name: string;
  readonly home: string;
  readonly #folder: string;
  /** Between the two, so that the network can be cut without a word. */
  readonly #wire: Wire;
  #sshd: number | undefined;
  #sshdPort = 0;

  constructor(folder: string, name: string) {
    this.name = name;
    this.#folder = folder;
    this.home = join(folder, `home-${name}`);
    this.#wire = new Wire(() => this.#sshdPort);
    mkdirSync(join(this.home, "bin"), { recursive: true });
    this.program("heddle", `exec ${process.execPath} ${cli} "$@"`);
  }

  get port(): number {
    return this.#wire.port;
  }

  /** A program on this machine's PATH alone. */
  program(name: string, text: string): void {
    const file = join(this.home, "bin", name);
    writeFileSync(file, `#!/bin/sh\n${text}\n`);
    chmodSync(file, 0o755);
  }

  remove(name: string): void {
    rmSync(join(this.home, "bin", name));
  }

  /** Where heddle works there. */
  get carried(): string {
    return join(this.home, ".local/state/heddle/carried");
  }

  async start(env: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.#wire.listen();
    if (process.getuid?.() === 0) mkdirSync("/run/sshd", { recursive: true });
    const shell = join(this.#folder, `shell-${this.name}`);
    const set = Object.entries(env).map(([key, value]) => `export ${key}='${value}'`);
    const path = [join(this.home, "bin"), dirname(process.execPath), "/usr/local/bin:/usr/bin:/bin"].join(
      ":",
    );
    const lines = ["#!/bin/sh", `export HOME=${this.home} PATH=${path}`, "unset XDG_STATE_HOME", ...set];
    // As a login shell would run it: one string, read by a shell.
    writeFileSync(shell, [...lines, 'cd "$HOME"', 'exec /bin/sh -c "$SSH_ORIGINAL_COMMAND"', ""].join("\n"));
    chmodSync(shell, 0o755);
    for (let tries = 0; ; tries++) {
      this.#sshdPort = await freePort();
      if (await this.#begin(shell)) return;
      if (tries === 20) throw new Error(`sshd of ${this.name} does not start: ${this.log()}`);
    }
  }

  log(): string {
    const file = join(this.#folder, `log-${this.name}`);
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  }

  async #begin(shell: string): Promise<boolean> {
    const config = join(this.#folder, `sshd-${this.name}`);
    const settings = [
      `Port ${this.#sshdPort}`,
      "ListenAddress 127.0.0.1",
      `HostKey ${join(this.#folder, `host-${this.name}`)}`,
      `AuthorizedKeysFile ${join(this.#folder, "client.pub")}`,
      "StrictModes no",
      "PasswordAuthentication no",
      "KbdInteractiveAuthentication no",
      "UsePAM no",
      "PidFile none",
      "MaxStartups 100",
      `ForceCommand ${shell}`,
    ];
    writeFileSync(config, `${settings.join("\n")}\n`);
    const log = join(this.#folder, `log-${this.name}`);
    const child = spawn(sshdPath, ["-D", "-f", config, "-E", log], { stdio: "ignore", detached: true });
    this.#sshd = child.pid;
    let isOver = false;
    child.once("exit", () => {
      isOver = true;
    });
    for (let at = 0; at < 600 && !isOver; at++) {
      if (await answers(this.#sshdPort)) return true;
      await pause(50);
    }
    return false;
  }

  /** Everything that runs there. */
  processes(): number[] {
    return this.#sshd === undefined ? [] : descendants(this.#sshd);
  }

  /** Of those, what is not sshd's own: over a dead connection its sessions last. */
  agents(): number[] {
    return this.processes().filter((pid) => !/^sshd/.test(commandOf(pid)));
  }

  signal(name: "SIGSTOP" | "SIGCONT"): void {
    for (const pid of this.processes()) end(pid, name);
  }

  /** As if the power were cut: nothing there says goodbye. */
  async lose(): Promise<void> {
    this.#wire.cut();
    await this.#end();
  }

  /** It runs on, and nothing gets through any more. */
  cutOff(): void {
    this.#wire.cut();
  }

  mendWire(): void {
    this.#wire.join();
  }

  /** After it was lost. */
  async comeBack(): Promise<void> {
    this.#wire.join();
    await this.start();
  }

  async #end(): Promise<void> {
    if (this.#sshd === undefined) return;
    for (const pid of [...this.processes(), this.#sshd].reverse()) end(pid, "SIGKILL");
    this.#sshd = undefined;
  }

  async stop(): Promise<void> {
    await this.#end();
    this.#wire.close();
  }
}

/** Passes bytes on, until it is cut: then both ends hear nothing more, as when a cable is pulled. */
class Wire {
  readonly #target: () => number;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #server: Server | undefined;
  #isCut = false;
  port = 0;

  constructor(target: () => number) {
    this.#target = target;
  }

  async listen(): Promise<void> {
    if (this.#server) return;
    const server = createServer((near) => {
      if (this.#isCut) return void near.on("error", () => {}).pause();
      const far = dial(this.#target(), "127.0.0.1");
      const pair = [near, far] as const;
      this.#pairs.add(pair);
      for (const [from, to] of [pair, [far, near] as const]) {
        from.on("data", (chunk) => {
          if (!this.#isCut) to.write(chunk);
        });
        from.on("end", () => {
          if (!this.#isCut) to.end();
        });
        from.on("error", () => {});
        from.on("close", () => {
          if (!this.#isCut) to.destroy();
        });
      }
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    this.port = (server.address() as { port: number }).port;
  }

  cut(): void {
    this.#isCut = true;
  }

  /** What was under way stays lost, as after a long cut. */
  join(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
    this.#pairs.clear();
    this.#isCut = false;
  }

  close(): void {
    this.join();
    this.#server?.close();
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    }),
  );
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = dial(port, "127.0.0.1");
    const say = (is: boolean) => {
      socket.destroy();
      resolve(is);
    };
    socket.once("connect", () => say(true)).once("error", () => say(false));
  });
}

function end(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It is gone already.
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8");
  } catch {
    return "sshd";
  }
}

function descendants(root: number): number[] {
  const parents = readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      return [[Number(name), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1])] as const];
    } catch {
      return [];
    }
  });
  const found = [root];
  for (const at of found) found.push(...parents.filter(([, parent]) => parent === at).map(([pid]) => pid));
  return found.slice(1);
}

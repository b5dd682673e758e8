// A mount namespace of its own, for disks that are full or cannot be written. Nothing is mounted outside it, and it is
// gone with the process that holds it. Needs root and `unshare`; tests are left out where there is neither.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cli, ended, type Ran } from "./rig.ts";

export const canMount =
  process.getuid?.() === 0 &&
  spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0;

export class Namespace {
  readonly #holder: ChildProcess;

  private constructor(holder: ChildProcess) {
    this.#holder = holder;
  }

  /** Runs `script` in a new namespace and keeps it open. */
  static async open(script: string): Promise<Namespace> {
    const holder = spawn("unshare", ["-m", "sh", "-ec", `${script}\necho open; exec sleep 1000`]);
    await Promise.race([
      once(holder.stdout, "data"),
      once(holder, "exit").then(([code]) => Promise.reject(new Error(`${script}: exit ${code}`))),
    ]);
    return new Namespace(holder);
  }

  /** The same file, seen from outside. */
  path(path: string): string {
    return `/proc/${this.#holder.pid}/root${path}`;
  }

  run(words: readonly string[], { cwd }: { readonly cwd: string }): Promise<Ran> {
    const inside = ["-m", `-t${this.#holder.pid}`, `--wdns=${cwd}`, "--", ...words];
    return ended(spawn("nsenter", inside, { env: { PATH: process.env.PATH, HOME: process.env.HOME } }));
  }

  heddle(cwd: string, ...args: readonly string[]): Promise<Ran> {
    return this.run([process.execPath, cli, ...args], { cwd });
  }

  close(): void {
    this.#holder.kill("SIGKILL");
  }
}

// A whole run with the real command line over Postgres while the server is killed, each time when a line appears that the seed chose.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Chance } from "../e2e/random.ts";
import { hasPostgres, Server } from "./server.ts";

const cli = join(import.meta.dirname, "../../dist/heddle.js");
const folder = mkdtempSync(join(tmpdir(), "heddle-pg-run-"));
const seed = Number(process.env.HEDDLE_SEED ?? 19);
let server: Server;

beforeAll(async () => {
  if (hasPostgres) server = await Server.start();
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function project(name: string): string {
  const root = join(folder, name);
  mkdirSync(join(root, ".heddle"), { recursive: true });
  writeFileSync(join(root, ".heddle/config.json"), JSON.stringify({ journal: server.address(name) }));
  return root;
}

const env = () => ({ ...process.env, PGPASSWORD: server.password, HEDDLE_PLAIN: "1" });

function heddle(root: string, ...args: string[]): { readonly status: number | null; readonly out: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args, "--dir", root], {
    env: env(),
    encoding: "utf8",
  });
  return { status, out: `${stdout}${stderr}` };
}

/** What a process prints, and when a line of that kind has come so often. */
class Printed {
  text = "";
  readonly #child: ChildProcess;
  readonly ended: Promise<number | null>;

  constructor(child: ChildProcess) {
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (data) => (this.text += String(data)));
    this.ended = new Promise((resolve) => child.once("exit", (code) => resolve(code)));
  }

  async until(word: RegExp, times: number): Promise<void> {
    const found = () => (this.text.match(word) ?? []).length >= times;
    while (!found() && this.#child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe.skipIf(!hasPostgres)("(left out without Postgres)", () => {
  it("U5 G1 G3 kill -9 of the server while tasks are worked on: the run waits, goes on, and merges each task once", async () => {
    const chance = new Chance(seed);
    const root = project("killed");
    const child = spawn(process.execPath, [cli, "demo", "--no-kill", "--dir", root], { env: env() });
    const printed = new Printed(child);
    try {
      let begun = 0;
      for (let kill = 0; kill < 3; kill++) {
        begun += 1 + chance.below(2);
        await printed.until(/^ +T\d+ begins/gm, begun);
        await server.kill();
        await server.up();
      }
      expect([await printed.ended, printed.text.slice(-3000)]).toEqual([0, expect.any(String)]);
    } finally {
      child.kill("SIGKILL");
    }
    expect(heddle(root, "verify")).toMatchObject({
      status: 0,
      out: expect.stringContaining("chain and state agree"),
    });
    const log = spawnSync("git", ["-C", join(root, "app"), "log", "--format=%s"], {
      encoding: "utf8",
    }).stdout;
    const tasks = log.split("\n").flatMap((line) => /^T\d+/.exec(line)?.[0] ?? []);
    expect(tasks.sort()).toEqual(
      Array.from({ length: 10 }, (_, at) => `T${String(at + 1).padStart(3, "0")}`),
    );
  });

  it("U5 every command works from another folder with the same configuration, and none keeps the process", () => {
    const one = project("shared");
    expect(heddle(one, "task", "new", "try it").status).toBe(0);
    const other = join(folder, "other");
    mkdirSync(join(other, ".heddle"), { recursive: true });
    writeFileSync(join(other, ".heddle/config.json"), JSON.stringify({ journal: server.address("shared") }));
    for (const words of [
      ["status"],
      ["history"],
      ["verify"],
      ["runs"],
      ["next", "--dry-run"],
      ["replay", "--at", "1"],
    ]) {
      const { status, out } = heddle(other, ...words);
      expect([words.join(" "), status, out]).toEqual([words.join(" "), 0, out]);
    }
    expect(heddle(other, "backup", join(folder, "backup.db")).out).toContain("Backed up");
    expect(heddle(one, "restore", join(folder, "backup.db")).out).toContain("Restored");
    expect(heddle(other, "verify").out).toContain("chain and state agree");
    expect(heddle(other, "doctor").out).toMatch(/ok +journal +Postgres/);
  });
});

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isProblem } from "../../src/core/problem.ts";
import { holdOffGc } from "../../src/host/git/gc.ts";
import { until } from "../e2e/rig.ts";

const folder = () => mkdtempSync(join(tmpdir(), "heddle-gc-"));
const owner = (at: string) => readFileSync(join(at, "gc.pid"), "utf8").split(" ")[0];
const heldBy = (at: string, pid: number, host = hostname()) =>
  writeFileSync(join(at, "gc.pid"), `${pid} ${host}`);

/** A process that is called git, as a `git gc` is. */
async function someGit(at: string) {
  symlinkSync("/bin/sleep", join(at, "git"));
  const child = spawn(join(at, "git"), ["30"]);
  await until("its name", () => readFileSync(`/proc/${child.pid}/comm`, "utf8").startsWith("git"));
  return child;
}

async function held(at: string, waitMs?: number) {
  const found = await holdOffGc(at, waitMs);
  if (isProblem(found)) throw new Error(found.message);
  return found;
}

describe("fault 50: keeping `git gc` off", () => {
  it("takes the file that git looks at, and gives it back", async () => {
    const at = folder();
    const hold = await held(at);
    expect(owner(at)).toBe(String(process.pid));
    hold.release();
    expect(existsSync(join(at, "gc.pid"))).toBe(false);
  });

  it("takes it from one who died, and from one that git believes no longer", async () => {
    const at = folder();
    heldBy(at, 2 ** 22 + 1);
    (await held(at)).release();
    heldBy(at, process.ppid, "elsewhere");
    const old = new Date(Date.now() - 13 * 3_600_000);
    utimesSync(join(at, "gc.pid"), old, old);
    const hold = await held(at);
    expect(owner(at)).toBe(String(process.pid));
    hold.release();
  });

  it("waits for a gc that is at work, and says so when that takes too long", async () => {
    const at = folder();
    const git = await someGit(at);
    heldBy(at, git.pid ?? 0);
    const late = await holdOffGc(at, 300);
    expect(late).toMatchObject({ code: "gc", message: expect.stringContaining(`process ${git.pid}`) });
    const waiting = held(at, 10_000);
    git.kill("SIGKILL");
    (await waiting).release();
  });

  it("goes on beside another heddle, and leaves its file alone", async () => {
    const at = folder();
    heldBy(at, process.ppid);
    (await held(at)).release();
    expect(owner(at)).toBe(String(process.ppid));
  });
});

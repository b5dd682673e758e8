// kill -9 at random moments between opening a repository and landing, alone or with its gits, and again: in the end the
// task's one commit is on the branch and in the files, once, and git finds nothing wrong.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fresh, put, repositoryWith, sh } from "./git-rig.ts";

const script = join(import.meta.dirname, "one-task.ts");
const rounds = Number(process.env.KILLS ?? 1);
const count = 40;

interface Ending {
  readonly ms: number;
  readonly text: string;
}

/** Ends it after a while, with the gits it started or without them. */
function runFor(argv: string[], afterMs: number, withGits: boolean): Promise<Ending> {
  const began = performance.now();
  const child = spawn(process.execPath, [script, ...argv], { stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += chunk));
  const timer = setTimeout(() => {
    const gits = withGits ? childrenOf(child.pid ?? 0) : [];
    child.kill("SIGKILL");
    for (const pid of gits) kill(pid);
  }, afterMs);
  return new Promise((resolve) =>
    child.once("close", () => {
      clearTimeout(timer);
      resolve({ ms: performance.now() - began, text });
    }),
  );
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
      .trim()
      .split(" ")
      .filter(Boolean)
      .map(Number);
  } catch {
    return [];
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself.
  }
}

function plain(): string {
  const target = fresh("plain");
  mkdirSync(target);
  put(target, { "a.txt": "a\n", "sub/b.txt": "b\n" });
  return target;
}

const targets = {
  "a git checkout": () => repositoryWith({ "a.txt": "a\n", "sub/b.txt": "b\n" }),
  "plain files": plain,
};

describe.for(Object.entries(targets))("G1 and G3, killed at random moments, %s", ([, make]) => {
  it.for([true, false])("and its gits too: %s", { timeout: 120_000 }, async (withGits) => {
    const whole = await runFor([make(), fresh("kept"), `${count}`], 60_000, false);
    expect(whole.text).toBe("done\n");
    for (let round = 0; round < rounds; round++) {
      const [target, kept] = [make(), fresh("kept")];
      const argv = [target, kept, `${count}`];
      // Node's own start takes a third of the time and is not worth a kill.
      for (let kills = 0; kills < 3; kills++)
        await runFor(argv, whole.ms * (0.3 + 0.7 * Math.random()), withGits);
      // A checkout's own index.lock is the person's to remove, and then it goes on.
      rmSync(join(target, ".git/index.lock"), { force: true });
      const last = await runFor(argv, 60_000, false);
      const gitDir = existsSync(join(target, ".git")) ? join(target, ".git") : join(kept, "repository");
      expect({ round, text: last.text }).toEqual({ round, text: "done\n" });
      expect(sh(gitDir, "log", "--format=%s", "heddle/run").trim().split("\n")[0]).toBe("T001: change");
      expect(sh(gitDir, "rev-list", "--count", "heddle/run").trim()).toBe("2");
      expect(sh(gitDir, "fsck", "--strict", "--connectivity-only")).not.toMatch(/error|missing|broken/);
      const names = Array.from({ length: count }, (_, n) => `file-${n}.txt`);
      expect(
        readdirSync(target)
          .filter((name) => name !== ".git")
          .sort(),
      ).toEqual(["a.txt", "sub", ...names].sort());
      expect(readdirSync(kept).filter((name) => name.includes(".new-"))).toEqual([]);
    }
  });
});

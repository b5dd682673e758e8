// A repository of heddle's own is there whole or not at all, and what a killed maker had begun does not stay.
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { openBare } from "../../src/host/git/bare-repository.ts";
import { fresh, sh } from "./git-rig.ts";

const dead = 2 ** 22 + 1;

it("G3 what a killed process had begun is taken away, what a running one makes is left", async () => {
  const kept = fresh("kept");
  for (const pid of [dead, process.ppid])
    mkdirSync(join(kept, `repository.new-${pid}/refs`), { recursive: true });
  await openBare(join(kept, "repository"), ["--initial-branch=main"]);
  expect(readdirSync(kept).sort()).toEqual(["repository", `repository.new-${process.ppid}`]);
  mkdirSync(join(kept, `repository.new-${dead}`));
  await openBare(join(kept, "repository"), ["--initial-branch=main"]);
  expect(readdirSync(kept)).not.toContain(`repository.new-${dead}`);
});

it("G3 one that another process made meanwhile is used, and the own one goes", async () => {
  const kept = fresh("kept");
  const gitDir = join(kept, "repository");
  const opening = openBare(gitDir, ["--initial-branch=main"]);
  // Its git has begun, and what follows here comes before its end is heard of.
  while (!existsSync(`${gitDir}.new-${process.pid}`)) await setImmediate();
  sh(kept, "init", "--quiet", "--bare", "--initial-branch=other", gitDir);
  await opening;
  expect(readdirSync(kept)).toEqual(["repository"]);
  expect(sh(gitDir, "symbolic-ref", "HEAD").trim()).toBe("refs/heads/other");
});

// What heddle needs of the machine: Node, git, a disk on which a journal is durable and its lock is a lock, a clock.
import { statfsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isProblem } from "../core/problem.ts";
import type { ObjectStore } from "../host/git/commit-object.ts";
import { demandLine, type GitDirectory, gitEnvironment, gitVersion, runProcess } from "../host/git/git.ts";
import { commitTree, mergeOnto } from "../host/git/integrate.ts";
import { type Finding, fail, ok, type TestBed, warn } from "./finding.ts";

export function tryNode(): Finding[] {
  const { node, sqlite } = process.versions;
  return [ok("node", `${node}, with SQLite ${sqlite}`)];
}

/** Two changes of one file are merged, and two that exclude each other are seen. */
export async function tryGit({ folder }: Pick<TestBed, "folder">): Promise<Finding[]> {
  const version = await gitVersion();
  if (isProblem(version)) return [fail("git", version.message, version.hint ?? "apt-get install git")];
  const gitDir = join(folder, "repository.git");
  const args = ["init", "--quiet", "--bare", "--template=", gitDir];
  const made = await runProcess(args, { cwd: "/", env: gitEnvironment({ args }) });
  if (made.code !== 0) return [fail("git", `git init failed: ${made.error.trim()}`, "git --version")];
  const repo = { gitDir, flags: [], objects: join(gitDir, "objects"), hashBytes: 20 };
  const base = await commitOf(repo, "1\n2\n3\n4\n5\n");
  const [mine, theirs, against] = await Promise.all(
    ["one\n2\n3\n4\n5\n", "1\n2\n3\n4\nfive\n", "uno\n2\n3\n4\n5\n"].map((text) =>
      commitOf(repo, text, base),
    ),
  );
  const merged = await mergeOnto(repo, { base, theirs: theirs ?? "", onto: mine ?? "" });
  const clash = await mergeOnto(repo, { base, theirs: against ?? "", onto: mine ?? "" });
  const text = merged.ok ? await demandLine(repo, { args: ["cat-file", "-p", `${merged.tree}:file`] }) : "";
  if (text !== "one\n2\n3\n4\nfive" || clash.ok)
    return [fail("git", `git ${version.join(".")} does not merge as heddle needs it`, "apt-get install git")];
  return [ok("git", `${version.join(".")}: merges in memory, and sees a conflict`)];
}

async function commitOf(repo: GitDirectory & ObjectStore, text: string, parent?: string): Promise<string> {
  const blob = await demandLine(repo, { args: ["hash-object", "-w", "--stdin"], input: text });
  const tree = await demandLine(repo, { args: ["mktree"], input: `100644 blob ${blob}\tfile\n` });
  const author = { name: "heddle", email: "heddle@localhost" };
  return commitTree(repo, {
    ...{ tree, parents: parent === undefined ? [] : [parent], message: "try", author },
    at: "2000-01-01T00:00:00Z",
  });
}

export async function tryJournal({ folder, journals, root }: TestBed): Promise<Finding[]> {
  const { state, what, hint = "" } = await journals.tryOut(folder, root);
  if (state === "ok") return [ok("journal", what)];
  return [state === "warn" ? warn("journal", what, hint) : fail("journal", what, hint)];
}

const gib = 1024 ** 3;

export function tryDisk({ root }: Pick<TestBed, "root">): Finding[] {
  const { bavail, bsize, files, ffree } = statfsSync(root);
  const free = bavail * bsize;
  const text = `${(free / gib).toFixed(1)} GiB free`;
  const hint = `df -h ${root}; heddle workspace rm --all`;
  if (free < 0.2 * gib) return [fail("disk", text, hint)];
  if (files > 0 && ffree < 10_000)
    return [warn("disk", `${text}, but only ${ffree} more files`, `df -i ${root}`)];
  return free < 2 * gib ? [warn("disk", text, hint)] : [ok("disk", text)];
}

/** Nothing is decided by the wall clock; people read it, and git compares times of files. */
export function tryClock({ folder }: Pick<TestBed, "folder">): Finding[] {
  const file = join(folder, "clock");
  const before = Date.now();
  writeFileSync(file, "");
  const skewMs = Math.round(statSync(file).mtimeMs - before);
  if (Math.abs(skewMs) > 5000)
    return [
      warn(
        "clock",
        `the disk's clock is ${Math.round(skewMs / 1000)} s away from this machine's`,
        "timedatectl",
      ),
    ];
  if (new Date(before).getFullYear() < 2025)
    return [warn("clock", `it shows ${new Date(before).toISOString()}`, "timedatectl")];
  return [ok("clock", "this machine and the disk agree")];
}

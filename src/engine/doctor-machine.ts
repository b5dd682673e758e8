// What heddle needs of the machine: Node, git, a disk on which a journal is durable and its lock is a lock, a clock.
import { spawnSync } from "node:child_process";
import { statfsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isProblem } from "../core/problem.ts";
import type { ObjectStore } from "../host/commit-object.ts";
import { demandLine, type GitDirectory, gitEnvironment, gitVersion, runProcess } from "../host/git.ts";
import { commitTree, mergeOnto } from "../host/integrate.ts";
import { createDatabase, openDatabase } from "../journal/schema.ts";
import { type Bench, type Finding, fail, ok, warn } from "./finding.ts";

export function tryNode(): Finding[] {
  const { node, sqlite } = process.versions;
  return [ok("node", `${node}, with SQLite ${sqlite}`)];
}

/** Two changes of one file are merged, and two that exclude each other are seen. */
export async function tryGit({ folder }: Bench): Promise<Finding[]> {
  const version = await gitVersion();
  if (isProblem(version)) return [fail("git", version.message, version.hint ?? "apt-get install git")];
  const gitDir = join(folder, "repository.git");
  const args = ["init", "--quiet", "--bare", gitDir];
  const made = await runProcess(args, { cwd: folder, env: gitEnvironment({ args }) });
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

const writes = 20;
/** A lock that another process does not see is no lock: so it is on some network disks. */
const otherProcess = `
const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
const db = new DatabaseSync(process.argv[1], { timeout: 0 });
try { db.exec("begin immediate"); console.log("free"); } catch (error) { console.log(/locked/.test(error.message) ? "locked" : error.message); }
`;

export function tryJournal({ folder }: Bench): Finding[] {
  const path = join(folder, "journal.db");
  createDatabase(path);
  const db = openDatabase(path, 1000);
  try {
    const { journal_mode: mode } = db.prepare("pragma journal_mode").get() as { journal_mode: string };
    if (mode !== "wal")
      return [fail("journal", `SQLite cannot use a write-ahead log here (${mode})`, "use a local disk")];
    db.exec("create table try (n integer)");
    const began = performance.now();
    for (let n = 0; n < writes; n++) db.prepare("insert into try values (?)").run(n);
    const ms = (performance.now() - began) / writes;
    db.exec("begin immediate");
    const { stdout } = spawnSync(process.execPath, ["-e", otherProcess, path], {
      encoding: "utf8",
      timeout: 20_000,
    });
    db.exec("rollback");
    if (stdout.trim() !== "locked")
      return [
        fail(
          "journal",
          `another process does not see the journal's lock (${stdout.trim()})`,
          "use a local disk",
        ),
      ];
    const other = openDatabase(path, 1000);
    const { n } = other.prepare("select count(*) as n from try").get() as { n: number };
    other.close();
    if (n !== writes) return [fail("journal", `of ${writes} rows ${n} can be read`, "use a local disk")];
    const took = `${ms.toFixed(1)} ms per durable write`;
    return ms > 50
      ? [warn("journal", `${took}: slow`, "use a local disk")]
      : [ok("journal", `${took}, locks between processes hold`)];
  } finally {
    db.close();
  }
}

const gib = 1024 ** 3;

export function tryDisk({ root }: Bench): Finding[] {
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
export function tryClock({ folder }: Bench): Finding[] {
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

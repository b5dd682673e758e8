// From a verified tree to the integration branch: commits, merges in memory, compare-and-swap.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  changesBetween,
  commitTree,
  diffText,
  isAncestor,
  mergeOnto,
  moveBranch,
  revertTree,
} from "../../src/host/git/integrate.ts";
import { writeRef } from "../../src/host/git/ref-file.ts";
import { openBranch, openRepository, pin, tipOf, unpin } from "../../src/host/git/repository.ts";
import { attempt, change, commitOf, fresh, good, look, open, put, repositoryWith, sh } from "./git-rig.ts";

const lines = (...all: string[]) => `${all.join("\n")}\n`;
const ten = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"];
const at = (line: number, text: string) => lines(...ten.map((old, i) => (i + 1 === line ? text : old)));

async function start(files: Record<string, string> = { "n.txt": lines(...ten), "a.txt": "a\n" }) {
  const target = repositoryWith(files);
  const repo = await open(target);
  const { tip } = good(await openBranch(repo, "run-1"));
  return { target, repo, base: tip };
}

describe("the integration branch", () => {
  it("X21 is made once at the person's HEAD; the person's branch and files stay", async () => {
    const { target, repo, base } = await start();
    const second = await commitOf(repo, sh(target, "rev-parse", "HEAD^{tree}").trim(), base);
    expect(await moveBranch(repo, { branch: "heddle/run-1", from: base, to: second })).toBe("moved");
    expect(await openBranch(repo, "run-1")).toEqual({ tip: second, start: base });
    expect(sh(target, "rev-parse", "main").trim()).toBe(base);
    expect(sh(target, "status", "--porcelain")).toBe("");
  });

  it("starts from an empty commit when there is none yet", async () => {
    const target = fresh("unborn");
    mkdirSync(target);
    sh(target, "init", "-q", "-b", "main");
    const repo = await open(target);
    expect(repo).toMatchObject({ head: null, branch: "main" });
    const first = good(await openBranch(repo, "run-1"));
    expect(await openBranch(repo, "run-1")).toEqual(first);
    expect(sh(target, "ls-tree", "-r", first.tip)).toBe("");
  });

  it("E18 takes only plain names, and says what is in its way", async () => {
    const { target, repo } = await start();
    for (const name of [
      "",
      "-x",
      "a b",
      "a;id",
      "../x",
      "a..b",
      "x.lock",
      "$(id)",
      "a/b",
      "x".repeat(101),
      "x.",
    ])
      expect(await openBranch(repo, name)).toMatchObject({ code: "bad-name" });
    sh(target, "branch", "heddle/theirs");
    expect(await openBranch(repo, "theirs")).toMatchObject({ code: "branch-in-the-way" });
    sh(target, "branch", "-D", "heddle/run-1");
    expect(await openBranch(repo, "run-1")).toMatchObject({ code: "branch-gone" });
    const other = repositoryWith({ a: "1" });
    sh(other, "branch", "heddle");
    expect(await openBranch(await open(other), "run-1")).toMatchObject({
      ...{ code: "branch-in-the-way", hint: "git branch -m heddle heddle-old" },
    });
  });

  it("a target that is a git directory is refused with what to type", async () => {
    const bare = fresh("bare");
    sh(repositoryWith({ a: "1" }), "clone", "-q", "--bare", ".", bare);
    expect(await openRepository({ target: bare, privateDir: fresh("p"), exclude: [] })).toMatchObject({
      ...{ code: "bare-repository", hint: expect.stringContaining("git clone") },
    });
  });
});

describe("a commit", () => {
  it("is the same for the same input, and is the task's own", async () => {
    const { target, repo, base } = await start();
    const tree = sh(target, "rev-parse", "HEAD^{tree}").trim();
    const one = {
      tree,
      parents: [base],
      author: { name: "Ä <x>", email: "a@b" },
      at: "2026-02-03T04:05:06Z",
    };
    const message = "T001: weave\n\nHeddle-Task: T001";
    const first = await commitTree(repo, { ...one, message });
    expect(await commitTree(repo, { ...one, message })).toBe(first);
    expect(
      sh(target, "log", "-1", "--format=%an|%ae|%ct|%(trailers:key=Heddle-Task,valueonly)", first),
    ).toContain("Ä x|a@b|1770091506|T001");
  });
});

describe("a merge", () => {
  it("X10 puts the second change onto the first, in the same file", async () => {
    const { target, repo, base } = await start();
    const one = await change(repo, base, { "n.txt": at(1, "one") });
    const two = await change(repo, base, { "n.txt": at(10, "ten"), "new.txt": "x\n" });
    const merged = await mergeOnto(repo, { base, theirs: two, onto: one });
    if (!merged.ok) throw new Error(merged.detail);
    expect(sh(target, "show", `${merged.tree}:n.txt`)).toBe(lines("one", ...ten.slice(1, 9), "ten"));
    expect(sh(target, "ls-tree", "--name-only", merged.tree)).toBe("a.txt\nn.txt\nnew.txt\n");
    expect(sh(target, "status", "--porcelain")).toBe("");
  });

  it("needs no merge when the tip is the base", async () => {
    const { target, repo, base } = await start();
    const one = await change(repo, base, { "n.txt": at(1, "one") });
    expect(await mergeOnto(repo, { base, theirs: one, onto: base })).toEqual({
      ...{ ok: true, tree: sh(target, "rev-parse", `${one}^{tree}`).trim() },
    });
  });

  it("fault 46: names what conflicts and shows it, whatever the file is called", async () => {
    const { repo, base } = await start({ "n.txt": "1\n", "odd\nname": "1\n", gone: "1\n" });
    const one = await change(repo, base, { "n.txt": "left\n", "odd\nname": "left\n", both: "left\n" });
    const a = await attempt(repo, base);
    put(a.folder, { "n.txt": "right\n", "odd\nname": "right\n", both: "right\n" });
    const two = await commitOf(repo, good(await look(a)).tree, base);
    const merged = await mergeOnto(repo, { base, theirs: two, onto: one });
    if (merged.ok) throw new Error("no conflict");
    expect([...merged.conflicts].sort((x, y) => (x.path < y.path ? -1 : 1))).toEqual([
      { path: "both", kind: "add/add" },
      { path: "n.txt", kind: "content" },
      { path: "odd\nname", kind: "content" },
    ]);
    expect(merged.detail).toMatch(/CONFLICT \(content\)[\s\S]*\+<<<<<<<[\s\S]*left[\s\S]*\+right/);
  });

  it("takes the base that it is told, also where history says otherwise", async () => {
    const { target, repo, base } = await start();
    const one = await change(repo, base, { "n.txt": at(1, "one") });
    const lonely = await commitOf(repo, sh(target, "rev-parse", `${base}^{tree}`).trim());
    const theirs = await change(repo, lonely, { "a.txt": "b\n" });
    const merged = await mergeOnto(repo, { base: lonely, theirs, onto: one });
    if (!merged.ok) throw new Error(merged.detail);
    expect(sh(target, "diff", "--name-only", one, merged.tree)).toBe("a.txt\n");
  });

  it("undoes one commit and keeps what came after", async () => {
    const { target, repo, base } = await start();
    const one = await change(repo, base, { "n.txt": at(1, "one"), "x.txt": "x\n" });
    const two = await change(repo, one, { "n.txt": lines("one", ...ten.slice(1, 9), "ten") });
    const undone = await revertTree(repo, { commit: one, onto: two });
    if (!undone.ok) throw new Error(undone.detail);
    expect(sh(target, "show", `${undone.tree}:n.txt`)).toBe(at(10, "ten"));
    expect(sh(target, "ls-tree", "--name-only", undone.tree)).toBe("a.txt\nn.txt\n");
    expect(await revertTree(repo, { commit: two, onto: two })).toMatchObject({ ok: true });
    const three = await change(repo, two, { "n.txt": lines("uno", ...ten.slice(1, 9), "ten") });
    expect(await revertTree(repo, { commit: one, onto: three })).toMatchObject({
      ...{ ok: false, conflicts: [{ path: "n.txt", kind: "content" }] },
    });
  });

  it("shows differences, cut to size", async () => {
    const { repo, base } = await start();
    const to = await change(repo, base, { "n.txt": at(1, "one"), "a.txt": "b\n" });
    expect(await diffText(repo, { from: base, to, paths: ["a.txt"] })).toMatch(/-a\n\+b\n$/);
    expect(await diffText(repo, { from: base, to, maxBytes: 20 })).toContain("cut off after 20 bytes");
    expect(await changesBetween(repo, base, to)).toEqual([
      { path: "a.txt", status: "modified", added: 1, removed: 1 },
      { path: "n.txt", status: "modified", added: 1, removed: 1 },
    ]);
  });
});

describe("a commit that is on no branch yet", () => {
  it("X10 a pin is a ref as git writes it: read, packed, replaced and let go by git", async () => {
    const { target, repo, base } = await start();
    const [work, other] = [await change(repo, base, { x: "1" }), await change(repo, base, { y: "2" })];
    const ref = "refs/heddle/run-1/T009-1";
    const shown = () => sh(target, "for-each-ref", "--format=%(objectname)", ref).trim();
    for (const commit of [work, other, base]) {
      good(await pin(repo, { run: "run-1", name: "T009-1", commit }));
      expect(shown()).toBe(commit);
      sh(target, "pack-refs", "--all", "--prune");
      expect(shown()).toBe(commit);
    }
    mkdirSync(join(repo.gitDir, dirname(ref)), { recursive: true });
    writeFileSync(join(repo.gitDir, `${ref}.lock`), "");
    expect(writeRef(repo.gitDir, ref, work)).toBe(false);
    expect(existsSync(join(repo.gitDir, `${ref}.lock`))).toBe(true);
    rmSync(join(repo.gitDir, `${ref}.lock`));
    await unpin(repo, { run: "run-1", names: ["T009-1"] });
    expect(shown()).toBe("");
  });

  it("fault 50: survives `git gc --prune=now` once it is pinned, and goes when it is let go", async () => {
    const { target, repo, base } = await start();
    const [kept, lost] = [await change(repo, base, { x: "1" }), await change(repo, base, { y: "2" })];
    good(await pin(repo, { run: "run-1", name: "T001-1", commit: kept }));
    sh(target, "gc", "-q", "--prune=now");
    expect(sh(target, "show", `${kept}:x`)).toBe("1");
    expect(() => sh(target, "cat-file", "-e", lost)).toThrow();
    await unpin(repo, { run: "run-1", names: ["T001-1", "T002-1"] });
    await unpin(repo, { run: "run-1", names: ["T001-1"] });
    expect(sh(target, "for-each-ref", "--format=%(refname)", "refs/heddle")).toBe(
      "refs/heddle/run-1/start\n",
    );
    expect(await pin(repo, { run: "run-1", name: "../x", commit: kept })).toMatchObject({ code: "bad-name" });
    expect(await moveBranch(repo, { branch: "heddle/run-1", from: base, to: kept })).toBe("moved");
  });
});

describe("moving the branch", () => {
  const branch = "heddle/run-1";
  it("G3 happens once, however often it is asked", async () => {
    const { repo, base } = await start();
    const one = await change(repo, base, { "a.txt": "1\n" });
    const two = await change(repo, one, { "a.txt": "2\n" });
    expect(await moveBranch(repo, { branch, from: base, to: one })).toBe("moved");
    expect(await moveBranch(repo, { branch, from: base, to: one })).toBe("already");
    expect(await moveBranch(repo, { branch, from: one, to: two })).toBe("moved");
    expect(await moveBranch(repo, { branch, from: base, to: one })).toBe("already");
    expect(await isAncestor(repo, one, two)).toBe(true);
    expect(await isAncestor(repo, two, one)).toBe(false);
  });

  it("fault 49: tells where somebody else moved it, packed or not", async () => {
    const { target, repo, base } = await start();
    const one = await change(repo, base, { "a.txt": "1\n" });
    const theirs = await change(repo, base, { "a.txt": "theirs\n" });
    sh(target, "update-ref", `refs/heads/${branch}`, theirs);
    expect(await moveBranch(repo, { branch, from: base, to: one })).toEqual({ tip: theirs });
    sh(target, "pack-refs", "--all");
    expect(await moveBranch(repo, { branch, from: base, to: one })).toEqual({ tip: theirs });
    expect(await moveBranch(repo, { branch, from: theirs, to: one })).toBe("moved");
    sh(target, "branch", "-D", branch);
    expect(await moveBranch(repo, { branch, from: one, to: base })).toEqual({ tip: null });
  });

  it("fault 45: takes away the lock of a dead git, and waits for a living one", async () => {
    const { target, repo, base } = await start();
    const one = await change(repo, base, { "a.txt": "1\n" });
    const lock = join(target, `.git/refs/heads/${branch}.lock`);
    mkdirSync(dirname(lock), { recursive: true });
    writeFileSync(lock, "");
    const living = spawn("git", ["-C", target, "cat-file", "--batch"], {
      stdio: ["pipe", "ignore", "ignore"],
    });
    await new Promise((resolve) => living.once("spawn", resolve));
    expect(await moveBranch(repo, { branch, from: base, to: one })).toMatchObject({ code: "locked" });
    expect(existsSync(lock)).toBe(true);
    living.stdin.end();
    await new Promise((resolve) => living.once("close", resolve));
    expect(await moveBranch(repo, { branch, from: base, to: one })).toBe("moved");
    expect(existsSync(lock)).toBe(false);
    expect(await tipOf(repo, branch)).toBe(one);
  });

  it("of many that try at once, one wins", async () => {
    const { repo, base } = await start();
    const all = await Promise.all(ten.map((text) => change(repo, base, { "a.txt": `${text}\n` })));
    const answers = await Promise.all(all.map((to) => moveBranch(repo, { branch, from: base, to })));
    expect(answers.filter((answer) => answer === "moved")).toHaveLength(1);
    const tip = await tipOf(repo, branch);
    expect(answers.filter((answer) => answer !== "moved")).toEqual(Array(9).fill({ tip }));
  });
});

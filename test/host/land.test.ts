// X21: how a run's branch reaches the person's files, and when it does not.

import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { moveBranch } from "../../src/host/git/integrate.ts";
import { dirtyFiles, openBranch, type Repository } from "../../src/host/git/repository.ts";
import { land } from "../../src/host/land/land.ts";
import { hintText } from "../../src/view/hint.ts";
import {
  attempt,
  canary,
  change,
  commitOf,
  fresh,
  good,
  look,
  open,
  put,
  repositoryWith,
  sh,
} from "./git-rig.ts";

const branch = "heddle/run-1";
const files = { "a.txt": "a\n", "sub/b.txt": "b\n" };

async function ran(target: string, changed: Record<string, string> = { "a.txt": "A\n", "new/n.txt": "n\n" }) {
  const repo = await open(target);
  const { start } = good(await openBranch(repo, "run-1"));
  const to = await change(repo, start, changed);
  expect(await moveBranch(repo, { branch, from: start, to })).toBe("moved");
  return { repo, start, tip: to, land: () => land(repo, { branch, start, target, exclude: [".heddle"] }) };
}

/** Every byte, mode and time of a folder. */
function everything(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => !path.startsWith(".git"))
    .sort()
    .map((path) => {
      const stat = lstatSync(join(folder, path));
      return `${path} ${stat.mode} ${stat.mtimeMs} ${stat.isFile() ? readFileSync(join(folder, path), "hex") : ""}`;
    });
}

describe("a checkout", () => {
  it("X21 that is clean and has not moved is fast-forwarded", async () => {
    const target = repositoryWith(files);
    const run = await ran(target);
    put(target, { "mine.txt": "not under version control" });
    expect(await run.land()).toEqual({ landed: true, files: 2 });
    expect(sh(target, "status", "--porcelain")).toBe("?? mine.txt\n");
    expect(sh(target, "rev-parse", "main").trim()).toBe(run.tip);
    expect(readFileSync(join(target, "new/n.txt"), "utf8")).toBe("n\n");
    expect(await run.land()).toEqual({ landed: true, files: 0 });
  });

  const troubles: [string, (target: string) => void, RegExp][] = [
    ["is dirty", (t) => put(t, { "sub/b.txt": "mine\n" }), /not committed: `sub.b.txt`/],
    ["is dirty where the run worked", (t) => put(t, { "a.txt": "mine\n" }), /changed since .*: `a.txt`/],
    [
      "has staged changes",
      (t) => {
        put(t, { "s.txt": "s" });
        sh(t, "add", "s.txt");
      },
      /not committed: `s.txt`/,
    ],
    [
      "has other changes staged than are in its files",
      (t) => {
        put(t, { "a.txt": "staged\n" });
        sh(t, "add", "a.txt");
        put(t, { "a.txt": "a\n" });
      },
      /a.txt/,
    ],
    ["has moved", (t) => void sh(t, "commit", "-q", "--allow-empty", "-m", "mine"), /has moved/],
    ["would lose a new file", (t) => put(t, { "new/n.txt": "mine" }), /changed since .*: `new.n.txt`/],
    [
      "would lose a new file that is ignored",
      (t) => put(t, { "new/n.txt": "mine", ".git/info/exclude": "n.txt\n" }),
      /changed since .*: `new.n.txt`/,
    ],
    ["has a merge under way", (t) => put(t, { ".git/MERGE_HEAD": "" }), /a merge is under way/],
    ["has an index.lock", (t) => put(t, { ".git/index.lock": "" }), /index.lock/],
    ["is sparse", (t) => void sh(t, "sparse-checkout", "set", "sub"), /sparse/],
  ];
  const wayOn =
    /^git -C \S+ (?:merge heddle\/run-1(?:, or: heddle land --merge)?|stash -u && heddle land; git -C \S+ stash pop|status)$|^mv \S+new\/n\.txt \S+n\.txt\.yours && heddle land$/;
  it.for(troubles)(
    "that %s is left alone, byte for byte, with a way on that works",
    async ([, trouble, reason]) => {
      const target = repositoryWith(files);
      const run = await ran(target);
      trouble(target);
      const [before, index] = [everything(target), readFileSync(join(target, ".git/index"), "hex")];
      const landed = await run.land();
      expect(landed).toMatchObject({ landed: false, reason: expect.stringMatching(reason) });
      expect(hintText("hint" in landed ? landed.hint : "")).toMatch(wayOn);
      expect(everything(target)).toEqual(before);
      expect(readFileSync(join(target, ".git/index"), "hex")).toBe(index);
    },
  );

  it("whose files came and whose branch did not, because somebody was killed, is finished", async () => {
    const target = repositoryWith(files);
    const run = await ran(target);
    sh(target, "read-tree", "-m", "-u", "HEAD", run.tip);
    expect(await run.land()).toEqual({ landed: true, files: 2 });
    expect(sh(target, "status", "--porcelain")).toBe("");
    const half = repositoryWith(files);
    const other = await ran(half);
    put(half, { "new/n.txt": "n\n" });
    expect(await other.land()).toEqual({ landed: true, files: 2 });
    expect(sh(half, "status", "--porcelain")).toBe("");
  });

  it("lands when detached, unborn, linked, or above the target", async () => {
    const detached = repositoryWith(files);
    sh(detached, "checkout", "-q", "--detach");
    const unborn = fresh("unborn");
    mkdirSync(unborn);
    sh(unborn, "init", "-q", "-b", "main");
    const linked = fresh("linked");
    sh(repositoryWith(files), "worktree", "add", "-q", "-b", "side", linked);
    for (const target of [detached, unborn, linked]) {
      const run = await ran(target);
      expect(await run.land()).toEqual({ landed: true, files: 2 });
      expect(sh(target, "status", "--porcelain")).toBe("");
      expect(sh(target, "rev-parse", "HEAD").trim()).toBe(run.tip);
    }
    const above = repositoryWith(files);
    const run = await ran(join(above, "sub"));
    expect(await run.land()).toMatchObject({ landed: true });
    expect(sh(above, "status", "--porcelain")).toBe("");
  });

  it("keeps the line ends that the person wants", async () => {
    const target = repositoryWith(files);
    sh(target, "config", "core.autocrlf", "true");
    rmSync(join(target, "a.txt"));
    sh(target, "checkout", "--", "a.txt");
    const run = await ran(target);
    expect(await run.land()).toMatchObject({ landed: true });
    expect(readFileSync(join(target, "a.txt"), "utf8")).toBe("A\r\n");
    expect(sh(target, "status", "--porcelain")).toBe("");
  });

  it("fault 67: runs no filter, not even by an agent's .gitattributes, and says why it is left alone", async () => {
    const target = repositoryWith(files);
    const bird = canary();
    sh(target, "config", "filter.own.smudge", bird.program);
    sh(target, "config", "filter.own.clean", bird.program);
    sh(target, "config", "filter.own.required", "true");
    const run = await ran(target, { ".gitattributes": "* filter=own\n", "a.txt": "A\n" });
    expect(await run.land()).toMatchObject({ landed: false, reason: expect.stringContaining("filter") });
    expect(bird.ran()).toBe(false);
  });

  it("tells what the person has not committed", async () => {
    const target = repositoryWith(files);
    put(target, { "a.txt": "mine\n", "ü.txt": "x" });
    expect(await dirtyFiles(await open(target), 10)).toEqual(["a.txt", "ü.txt"]);
    expect(await dirtyFiles(await open(target), 1)).toEqual(["a.txt"]);
  });
});

describe("a target without git", () => {
  function plain(more: Record<string, string> = {}): string {
    const target = fresh("plain");
    mkdirSync(target);
    put(target, { ...files, ".gitignore": "out/\n", "out/x": "x", ".heddle/config.json": "{}", ...more });
    return target;
  }

  it("X6 gets a private repository without what is ignored or heddle's own, and no `.git`", async () => {
    const target = plain();
    const repo = await open(target);
    expect(repo).toMatchObject({ isPrivate: true, checkout: null, prefix: "" });
    expect(sh(repo.gitDir, "ls-tree", "-r", "--name-only", repo.head ?? "")).toBe(
      ".gitignore\na.txt\nsub/b.txt\n",
    );
    expect(existsSync(join(target, ".git"))).toBe(false);
    expect((await open(target)).head).toBe(repo.head);
    put(target, { "a.txt": "changed\n" });
    const again = await open(target);
    expect(sh(repo.gitDir, "log", "--format=%H", again.head ?? "")).toBe(`${again.head}\n${repo.head}\n`);
  });

  it("that is ignored by the repository around it, or holds repositories, gets one as well", async () => {
    const around = repositoryWith({ ".gitignore": "ignored/\n" });
    put(around, { "ignored/x": "1", "ignored/lib/y": "2" });
    sh(join(around, "ignored/lib"), "init", "-q");
    const repo = await open(join(around, "ignored"));
    expect(repo.isPrivate).toBe(true);
    expect(sh(repo.gitDir, "ls-tree", "-r", "--name-only", repo.head ?? "")).toBe("lib/y\nx\n");
  });

  it("X21 gets the files: new, changed, deleted, executable, linked, oddly named", async () => {
    const target = plain({ "gone/deep/x": "x", "was/file": "x", 'odd\n"name"': "1" });
    const repo = await open(target);
    const { start } = good(await openBranch(repo, "run-1"));
    const a = await attempt(repo, start);
    put(a.folder, { "a.txt": "A\n", "new/n": "n", 'odd\n"name"': "2" });
    writeFileSync(join(a.folder, "run"), "#!/bin/sh\n", { mode: 0o755 });
    symlinkSync("a.txt", join(a.folder, "link"));
    rmSync(join(a.folder, "gone"), { recursive: true });
    rmSync(join(a.folder, "was"), { recursive: true });
    put(a.folder, { was: "now a file" });
    const to = await commitOf(repo, good(await look(a)).tree, start);
    await moveBranch(repo, { branch, from: start, to });
    const o = { branch, start, target, exclude: [".heddle"] };
    expect(await land(repo, o)).toEqual({ landed: true, files: 8 });
    expect(await land(repo, o)).toEqual({ landed: true, files: 8 });
    expect(readFileSync(join(target, 'odd\n"name"'), "utf8")).toBe("2");
    expect(statSync(join(target, "run")).mode & 0o111).toBe(0o111);
    expect(readFileSync(join(target, "link"), "utf8")).toBe("A\n");
    expect(readFileSync(join(target, "was"), "utf8")).toBe("now a file");
    expect(existsSync(join(target, "gone"))).toBe(false);
    expect(readFileSync(join(target, "out/x"), "utf8")).toBe("x");
    expect(sh(repo.gitDir, "rev-parse", `${(await open(target)).head}^{tree}`)).toBe(
      sh(repo.gitDir, "rev-parse", `${to}^{tree}`),
    );
  });

  const touched: [string, (target: string, repo: Repository) => void][] = [
    ["a file that the run changed", (t) => put(t, { "a.txt": "mine\n" })],
    ["a file that the run made", (t) => put(t, { "new/n.txt": "mine\n" })],
    [
      "a folder into a link",
      (t) => {
        mkdirSync(`${t}-elsewhere`);
        symlinkSync(`${t}-elsewhere`, join(t, "new"));
      },
    ],
  ];
  it.for(touched)("is left alone when the person changed %s", async ([, touch]) => {
    const target = plain();
    const run = await ran(target);
    touch(target, run.repo);
    const before = everything(target);
    expect(await run.land()).toMatchObject({
      landed: false,
      reason: expect.stringContaining("changed since"),
    });
    expect(everything(target)).toEqual(before);
  });
});

// Workspaces: what the agent gets, and what heddle takes back of it.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openBranch, openRepository } from "../../src/host/git/repository.ts";
import { checkOut, makeWorkspace, removeWorkspace } from "../../src/host/git/workspace.ts";
import { hintText } from "../../src/view/hint.ts";
import { canMount } from "../e2e/namespace.ts";
import { attempt, fresh, good, look, open, put, repositoryWith, sh } from "./git-rig.ts";

const files = { "a.txt": "one\n", "src/b.ts": "two\n", ".gitignore": "node_modules/\n*.log\n" };
const paths = (changes: readonly { path: string; status: string }[]) =>
  changes.map(({ path, status }) => `${status} ${path}`).sort();

describe("a workspace", () => {
  it("X6 is a clean repository of the agent's own, in which it can commit", async () => {
    const target = repositoryWith(files);
    const a = await attempt(await open(target));
    expect(sh(a.folder, "status", "--porcelain")).toBe("");
    expect(sh(a.folder, "symbolic-ref", "--short", "HEAD").trim()).toBe("heddle-work");
    put(a.folder, { "new.txt": "x" });
    sh(a.folder, "add", "-A");
    sh(a.folder, "commit", "-qm", "the agent's own");
    expect(sh(target, "log", "--all", "--format=%s").trim()).toBe("first");
    expect(paths(good(await look(a)).changes)).toEqual(["added new.txt"]);
  });

  it("says what changed, with lines, modes and kinds", async () => {
    const a = await attempt(await open(repositoryWith({ ...files, gone: "1\n2\n", run: "#!/bin/sh\n" })));
    put(a.folder, { "a.txt": "one\nmore\n", "deep/er/new.txt": "1\n2\n3\n" });
    rmSync(join(a.folder, "gone"));
    chmodSync(join(a.folder, "run"), 0o755);
    symlinkSync("a.txt", join(a.folder, "link"));
    const { tree, changes } = good(await look(a));
    expect(changes).toEqual([
      { path: "a.txt", status: "modified", added: 1, removed: 0 },
      { path: "deep/er/new.txt", status: "added", added: 3, removed: 0 },
      { path: "gone", status: "deleted", added: 0, removed: 2 },
      { path: "link", status: "added", added: 1, removed: 0 },
      { path: "run", status: "modified", added: 0, removed: 0 },
    ]);
    const clean = { folder: fresh("clean"), index: fresh("index"), tree };
    good(await checkOut(a.repo, clean));
    expect(readdirSync(clean.folder).sort()).toEqual([".gitignore", "a.txt", "deep", "link", "run", "src"]);
    expect(lstatSync(join(clean.folder, "run")).mode & 0o111).not.toBe(0);
    expect(lstatSync(join(clean.folder, "link")).isSymbolicLink()).toBe(true);
  });

  it("sees a change whose size and time were made to look the same", async () => {
    const a = await attempt(await open(repositoryWith(files)));
    const file = join(a.folder, "a.txt");
    const { atime, mtime } = lstatSync(file);
    writeFileSync(file, "eno\n");
    utimesSync(file, atime, mtime);
    expect(paths(good(await look(a)).changes)).toEqual(["modified a.txt"]);
  });

  it("gives the same tree when asked again, and the base's tree when nothing changed", async () => {
    const target = repositoryWith(files);
    const a = await attempt(await open(target));
    expect(good(await look(a))).toEqual({
      tree: sh(target, "rev-parse", "HEAD^{tree}").trim(),
      changes: [],
      leftOut: [],
    });
    put(a.folder, { "x.txt": "x" });
    expect(good(await look(a))).toEqual(good(await look(a)));
    rmSync(join(a.folder, "x.txt"));
    expect(good(await look(a)).changes).toEqual([]);
  });

  it("lets files, folders and links take each other's place", async () => {
    const a = await attempt(await open(repositoryWith({ "f/x": "1", g: "2", "h/y": "3", k: "4" })));
    rmSync(join(a.folder, "f"), { recursive: true });
    put(a.folder, { f: "now a file" });
    rmSync(join(a.folder, "g"));
    put(a.folder, { "g/z": "now a folder" });
    rmSync(join(a.folder, "h"), { recursive: true });
    symlinkSync("g", join(a.folder, "h"));
    expect(paths(good(await look(a)).changes)).toEqual([
      ...["added f", "added g/z", "added h", "deleted f/x", "deleted g", "deleted h/y"],
    ]);
  });

  it("fault 54: takes names with line breaks, spaces, dashes, quotes, brackets and any alphabet", async () => {
    const names = [
      "new\nline",
      "-dash",
      "--force",
      "ünï/cödé 🧵",
      'quo"te',
      "[x]*?",
      ":(top)x",
      " lead",
      "tab\tx",
    ];
    const a = await attempt(
      await open(repositoryWith(Object.fromEntries(names.map((n) => [n, "before\n"])))),
    );
    put(a.folder, Object.fromEntries(names.map((name) => [name, "after\n"])));
    put(a.folder, Object.fromEntries(names.map((name) => [`new/${name}`, "new\n"])));
    const { changes } = good(await look(a));
    expect(paths(changes)).toEqual(names.flatMap((name) => [`modified ${name}`, `added new/${name}`]).sort());
    expect(changes.every(({ added }) => added === 1)).toBe(true);
  });

  it("keeps a known file whose name is not UTF-8, and refuses a new one", async () => {
    const target = repositoryWith(files);
    const odd = (folder: string, name: string) => Buffer.from(`${folder}/${name}`, "latin1");
    writeFileSync(odd(target, "caf\xe9"), "x");
    sh(target, "add", "-A");
    sh(target, "commit", "-qm", "odd");
    const a = await attempt(await open(target));
    expect(good(await look(a)).changes).toEqual([]);
    writeFileSync(odd(a.folder, "th\xe9"), "x");
    expect(await look(a)).toMatchObject({ code: "scope", message: expect.stringContaining("UTF-8") });
  });
});

describe("what is ignored", () => {
  it("is left out by the rules of the base and by new ones, but a declared file is taken", async () => {
    const a = await attempt(await open(repositoryWith(files)));
    put(a.folder, { "node_modules/x/i.js": "x", "a.log": "x", "src/deep/b.log": "x", "keep.ts": "x" });
    expect(paths(good(await look(a)).changes)).toEqual(["added keep.ts"]);
    put(a.folder, { ".gitignore": "hidden.ts\nwanted.ts\n", "hidden.ts": "x", "wanted.ts": "x" });
    expect(paths(good(await look(a, { declared: ["wanted.ts", "absent.ts"] })).changes)).toEqual([
      ...["added keep.ts", "added wanted.ts", "modified .gitignore"],
    ]);
    rmSync(join(a.folder, ".gitignore"));
    expect(paths(good(await look(a)).changes)).toEqual([
      ...["added hidden.ts", "added keep.ts", "added wanted.ts", "deleted .gitignore"],
    ]);
  });

  it("counts rules in folders, exceptions and the person's info/exclude", async () => {
    const target = repositoryWith({ "sub/.gitignore": "*\n!yes.txt\n!.gitignore\n", a: "1" });
    put(target, { ".git/info/exclude": "scratch/\n" });
    const a = await attempt(await open(target));
    put(a.folder, { "sub/yes.txt": "x", "sub/no.txt": "x", "scratch/x": "x", "other/no.txt": "x" });
    expect(paths(good(await look(a)).changes)).toEqual(["added other/no.txt", "added sub/yes.txt"]);
  });

  it("what set-up put there is not looked at, and what is known there stays", async () => {
    const a = await attempt(await open(repositoryWith({ a: "1", "vendor/kept": "1" })));
    put(a.folder, { "vendor/new": "x", "node_modules/x": "x", b: "2", "app/node_modules/y": "y" });
    rmSync(join(a.folder, "vendor/kept"));
    const leaveOut = ["vendor/", "node_modules", "app/node_modules"];
    expect(paths(good(await look(a, { leaveOut })).changes)).toEqual(["added b"]);
  });

  it("a .gitignore that the agent brings counts where the base had none", async () => {
    const a = await attempt(await open(repositoryWith({ a: "1" })));
    put(a.folder, { ".gitignore": "node_modules\n", "node_modules/x": "x", "app/.gitignore": "out/\n" });
    put(a.folder, { "app/out/x": "x", "app/in": "x" });
    expect(paths(good(await look(a)).changes)).toEqual([
      ...["added .gitignore", "added app/.gitignore", "added app/in"],
    ]);
  });
});

describe("what an agent must not hand in", () => {
  const scope = async (spoil: (folder: string) => void, target = repositoryWith(files)) => {
    const a = await attempt(await open(target));
    spoil(a.folder);
    return await look(a);
  };
  const cases: [string, (folder: string) => void, string][] = [
    ["a file under a protected path", (f) => put(f, { ".heddle/config.json": "{}" }), "protected"],
    ["a link out of the tree", (f) => symlinkSync("../../x", join(f, "l")), "leads out"],
    ["a link to an absolute path", (f) => symlinkSync("/etc/passwd", join(f, "l")), "leads out"],
    ["a link into the git directory", (f) => symlinkSync(".git/config", join(f, "l")), "leads out"],
    [
      "a link that leaves through another link",
      (f) => {
        mkdirSync(join(f, "q/w"), { recursive: true });
        symlinkSync("..", join(f, "q/l"));
        symlinkSync("../l/../x", join(f, "q/w/x"));
      },
      "leads out",
    ],
    ["a link that never ends", (f) => symlinkSync("l", join(f, "l")), "leads out"],
    ["a link as .gitignore", (f) => symlinkSync("../a.txt", join(f, "src/.gitattributes")), "link"],
    [
      "a repository inside",
      (f) => {
        mkdirSync(join(f, "sub"));
        sh(join(f, "sub"), "init", "-q");
      },
      "git repository inside",
    ],
    ["a .git file inside", (f) => put(f, { "sub/.git": "gitdir: /x" }), "git repository inside"],
    ["a folder named .GIT", (f) => put(f, { "sub/.GIT/config": "x" }), "git repository inside"],
    ["the short name of .git", (f) => put(f, { "git~1/config": "x" }), "does not accept the name"],
    [
      "a pipe where git looks for attributes",
      (f) => void execFileSync("mkfifo", [join(f, "src/.gitattributes")]),
      "neither a file",
    ],
    [
      "a pipe in place of a known file",
      (f) => {
        rmSync(join(f, "a.txt"));
        execFileSync("mkfifo", [join(f, "a.txt")]);
      },
      "neither a file",
    ],
    ["a .gitmodules", (f) => put(f, { ".gitmodules": '[submodule "x"]\n' }), "submodules"],
    [
      "a huge file",
      (f) => {
        put(f, { big: "" });
        truncateSync(join(f, "big"), 60_000_000);
      },
      "at most 50 MB",
    ],
    ["a known file that became huge", (f) => truncateSync(join(f, "a.txt"), 60_000_000), "at most 50 MB"],
  ];
  it.for(cases)("%s", async ([, spoil, why]) => {
    expect(await scope(spoil)).toMatchObject({ code: "scope", message: expect.stringContaining(why) });
  });

  it("a pipe beside a declared file that is ignored", async () => {
    const a = await attempt(await open(repositoryWith(files)));
    put(a.folder, { "node_modules/x/y": "x" });
    execFileSync("mkfifo", [join(a.folder, "node_modules/.gitattributes")]);
    expect(good(await look(a)).changes).toEqual([]);
    expect(await look(a, { declared: ["node_modules/x/y"] })).toMatchObject({ code: "scope" });
  });

  it("but a link inside the tree, dangling or not, is fine", async () => {
    const answer = await scope((f) => {
      symlinkSync("../a.txt", join(f, "src/up"));
      symlinkSync("nowhere/yet", join(f, "dangling"));
    });
    expect(paths(good(answer).changes)).toEqual(["added dangling", "added src/up"]);
  });
});

describe("the person's repository", () => {
  it("fault 48: a linked work tree, of a bare repository as well", async () => {
    const main = repositoryWith(files);
    const bare = fresh("bare");
    sh(main, "clone", "-q", "--bare", main, bare);
    const linked = fresh("linked");
    sh(bare, "worktree", "add", "-q", "-b", "side", linked);
    const repo = await open(linked);
    expect(repo).toMatchObject({ branch: "side", checkout: linked, gitDir: bare, prefix: "" });
    const a = await attempt(repo);
    expect(sh(a.folder, "status", "--porcelain")).toBe("");
    put(a.folder, { n: "x" });
    expect(paths(good(await look(a)).changes)).toEqual(["added n"]);
  });

  it("a folder inside a repository", async () => {
    const target = repositoryWith({ "app/x": "1", "lib/y": "2" });
    const repo = await open(join(target, "app"));
    expect(repo).toMatchObject({ prefix: "app/", checkout: target });
    const a = await attempt(repo);
    put(a.folder, { "app/new": "x" });
    expect(paths(good(await look(a)).changes)).toEqual(["added app/new"]);
  });

  it("a detached HEAD, packed refs, a shallow clone, SHA-256", async () => {
    const target = repositoryWith(files);
    sh(target, "commit", "-q", "--allow-empty", "-m", "second");
    const shallow = fresh("shallow");
    sh(target, "clone", "-q", "--depth=1", `file://${target}`, shallow);
    sh(target, "checkout", "-q", "--detach");
    sh(target, "pack-refs", "--all");
    const hashed = fresh("sha256");
    mkdirSync(hashed);
    sh(hashed, "init", "-q", "--object-format=sha256");
    put(hashed, files);
    sh(hashed, "add", "-A");
    sh(hashed, "commit", "-qm", "first");
    for (const folder of [target, shallow, hashed]) {
      const a = await attempt(await open(folder));
      expect(sh(a.folder, "status", "--porcelain")).toBe("");
      expect(sh(a.folder, "log", "--format=%s")).not.toBe("");
      put(a.folder, { n: "x" });
      expect(paths(good(await look(a)).changes)).toEqual(["added n"]);
    }
  });

  it("submodules are empty folders that stay as they are", async () => {
    const inner = repositoryWith({ x: "1" });
    const target = repositoryWith(files);
    sh(target, "submodule", "add", "-q", inner, "vendor/inner");
    sh(target, "commit", "-qm", "with a submodule");
    const a = await attempt(await open(target));
    expect(readdirSync(join(a.folder, "vendor/inner"))).toEqual([]);
    put(a.folder, { n: "x" });
    const { tree, changes } = good(await look(a));
    expect(paths(changes)).toEqual(["added n"]);
    expect(sh(target, "ls-tree", "-r", tree)).toContain("160000 commit");
    rmSync(join(a.folder, "vendor"), { recursive: true });
    expect(paths(good(await look(a)).changes)).toEqual(["added n"]);
    put(a.folder, { "vendor/inner/x": "2" });
    expect(await look(a)).toMatchObject({ code: "scope", message: expect.stringContaining("submodule") });
  });

  it("a target that is itself a submodule", async () => {
    const target = repositoryWith(files);
    sh(target, "submodule", "add", "-q", repositoryWith({ x: "1" }), "inner");
    const a = await attempt(await open(join(target, "inner")));
    put(a.folder, { x: "2" });
    expect(paths(good(await look(a)).changes)).toEqual(["modified x"]);
    expect(sh(target, "status", "--porcelain")).toBe("A  .gitmodules\nA  inner\n");
  });

  it.skipIf(process.getuid?.() !== 0)(
    "that belongs to somebody else is refused with what to type (left out unless root runs the tests)",
    async () => {
      const target = repositoryWith(files);
      execFileSync("chown", ["-R", "4321", target]);
      const answer = await openRepository({ target, privateDir: fresh("private"), exclude: [] });
      expect(answer).toMatchObject({
        ...{ code: "foreign-repository", hint: `git config --global --add safe.directory ${target}` },
      });
    },
  );

  it("a sparse checkout gives whole workspaces", async () => {
    const target = repositoryWith({ "a/x": "1", "b/y": "2" });
    sh(target, "sparse-checkout", "set", "a");
    expect(existsSync(join(target, "b"))).toBe(false);
    const a = await attempt(await open(target));
    expect(readFileSync(join(a.folder, "b/y"), "utf8")).toBe("2");
    put(a.folder, { "b/z": "3" });
    expect(paths(good(await look(a)).changes)).toEqual(["added b/z"]);
    expect(existsSync(join(target, "b"))).toBe(false);
  });

  it("a partial clone without its files is refused with what to type", async () => {
    const target = repositoryWith(files);
    sh(target, "config", "uploadpack.allowFilter", "true");
    const partial = fresh("partial");
    sh(target, "clone", "-q", "--no-checkout", "--filter=blob:none", `file://${target}`, partial);
    const repo = await open(partial);
    const made = { folder: fresh("workspace"), index: fresh("index"), base: repo.head ?? "" };
    const answer = await makeWorkspace(repo, made);
    expect(answer).toMatchObject({ code: "partial-clone" });
    expect(existsSync(made.folder)).toBe(false);
    const [, ...typed] = hintText(answer?.hint ?? "").split(" ");
    sh(partial, ...typed);
    good(await makeWorkspace(repo, made));
    expect(existsSync(made.folder)).toBe(true);
  });
});

describe("a workspace after trouble", () => {
  it("fault 45: leftovers of a git that died do no harm", async () => {
    const target = repositoryWith(files);
    put(target, { ".git/index.lock": "", ".git/HEAD.lock": "" });
    const a = await attempt(await open(target));
    put(a.folder, { n: "x", ".git/index.lock": "" });
    writeFileSync(`${a.index}.lock`, "half");
    expect(paths(good(await look(a)).changes)).toEqual(["added n"]);
    expect(existsSync(join(target, ".git/index.lock"))).toBe(true);
  });

  it.skipIf(!canMount)(
    "fault 13: a full disk is said, and it goes on when there is room (left out where no tmpfs can be mounted)",
    async () => {
      const repo = await open(repositoryWith({ big: "x".repeat(3_000_000) }));
      const { tip } = good(await openBranch(repo, "run-1"));
      const room = fresh("room");
      mkdirSync(room);
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", room]);
      try {
        const made = { folder: join(room, "workspace"), index: join(room, "index"), base: tip };
        expect(await makeWorkspace(repo, made)).toMatchObject({ code: "full" });
        expect(readdirSync(room)).toEqual([]);
        execFileSync("mount", ["-o", "remount,size=50m", room]);
        expect(await makeWorkspace(repo, made)).toBeUndefined();
        expect(readFileSync(join(room, "workspace/big"), "utf8")).toHaveLength(3_000_000);
      } finally {
        execFileSync("umount", [room]);
      }
    },
  );

  it("is removed with everything beside it, also what cannot be written", async () => {
    const a = await attempt(await open(repositoryWith(files)));
    put(a.folder, { "cache/mod/x": "x" });
    chmodSync(join(a.folder, "cache/mod"), 0o500);
    chmodSync(join(a.folder, "cache"), 0o000);
    good(await removeWorkspace(a));
    good(await removeWorkspace(a));
    expect([a.folder, a.index, `${a.index}.rules`].filter((path) => existsSync(path))).toEqual([]);
  });

  it("is left alone when it is made again", async () => {
    const a = await attempt(await open(repositoryWith(files)));
    put(a.folder, { n: "x" });
    good(await makeWorkspace(a.repo, a));
    expect(existsSync(join(a.folder, "n"))).toBe(true);
    renameSync(a.folder, `${a.folder}.new-dead`);
    good(await makeWorkspace(a.repo, a));
    expect(existsSync(join(a.folder, "n"))).toBe(false);
    expect(existsSync(`${a.folder}.new-dead`)).toBe(false);
  });
});

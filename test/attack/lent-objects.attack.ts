// What an attempt's git can read: its base and what came before, and nothing else that ever lay in the target's store.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { lentFor, returnObjects } from "../../src/host/git/lent-objects.ts";
import type { Repository } from "../../src/host/git/repository.ts";
import { makeWorkspace, removeWorkspace } from "../../src/host/git/workspace.ts";
import { Execution, hasBox } from "../execute/rig.ts";
import {
  attempt,
  change,
  fresh,
  good,
  look,
  open,
  put,
  repositoryWith,
  scratch,
  sh,
} from "../host/git-rig.ts";

const id = (folder: string, what: string) => sh(folder, "rev-parse", what).trim();
const has = (folder: string, object: string) => {
  try {
    sh(folder, "cat-file", "-e", object);
    return true;
  } catch {
    return false;
  }
};

/** A repository with everything in its store that is not reachable from its HEAD. */
function withSecrets(target: string): string[] {
  const secrets: string[] = [];
  put(target, { "stashed.txt": "stashed secret\n" });
  sh(target, "add", "stashed.txt");
  secrets.push(id(target, ":stashed.txt"));
  sh(target, "stash", "--quiet");
  secrets.push(id(target, "refs/stash"));
  sh(target, "checkout", "--quiet", "-b", "other");
  put(target, { "other.txt": "another branch\n" });
  sh(target, "add", "other.txt");
  sh(target, "commit", "--quiet", "-m", "other");
  secrets.push(id(target, "HEAD"), id(target, "HEAD:other.txt"));
  sh(target, "checkout", "--quiet", "main");
  put(target, { "dropped.txt": "dropped\n" });
  sh(target, "add", "dropped.txt");
  sh(target, "commit", "--quiet", "-m", "dropped");
  secrets.push(id(target, "HEAD"), id(target, "HEAD:dropped.txt"));
  sh(target, "reset", "--quiet", "--hard", "HEAD^");
  return secrets;
}

describe("a workspace", () => {
  it.each(["loose", "packed"])(
    "G9 has no object of a stash, a branch or a dropped commit (%s)",
    async (how) => {
      const target = repositoryWith({ "a.txt": "a\n", "b/c.txt": "c\n" });
      const secrets = withSecrets(target);
      if (how === "packed") sh(target, "gc", "--quiet");
      const a = await attempt(await open(target));
      expect(secrets.filter((object) => has(target, object))).toEqual(secrets);
      expect(secrets.filter((object) => has(a.folder, object))).toEqual([]);
      expect(has(a.folder, a.base)).toBe(true);
      expect(sh(a.folder, "fsck", "--full", "--strict").trim()).toBe("");
      const all = sh(a.folder, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)");
      const reachable = sh(target, "rev-list", "--objects", a.base)
        .split("\n")
        .map((line) => line.slice(0, 40));
      expect(all.trim().split("\n").sort()).toEqual(reachable.filter(Boolean).sort());
      expect(readFileSync(join(a.folder, ".git/objects/info/alternates"), "utf8")).not.toContain(target);
    },
  );

  it("G9 has nothing of tasks that were merged after its base, nor of work that is not merged", async () => {
    const repo = await open(repositoryWith({ "a.txt": "a\n" }));
    const first = await attempt(repo);
    const one = await change(repo, first.base, { "one.txt": "one\n" });
    const second = await attempt(repo, one);
    const two = await change(repo, one, { "two.txt": "two\n" });
    const unmerged = await change(repo, one, { "three.txt": "three\n" });
    for (const [folder, knows] of [
      [first.folder, [first.base]],
      [second.folder, [first.base, one]],
    ] as const)
      expect([first.base, one, two, unmerged].filter((commit) => has(folder, commit))).toEqual(knows);
    expect(sh(second.folder, "log", "--format=%s").trim().split("\n")).toHaveLength(2);
    expect(sh(second.folder, "fsck", "--full", "--strict").trim()).toBe("");
    // What is the same is there once.
    const [whole] = readdirSync(join(lentFor(repo, first.base), "pack")).filter((name) =>
      name.endsWith(".pack"),
    );
    expect(statSync(join(lentFor(repo, one), "pack", whole ?? "")).nlink).toBeGreaterThan(1);
  });
});

it("G9 an attempt has nothing of one that began beside it, whichever was first", async () => {
  const repo = await open(repositoryWith({ "a.txt": "a\n" }));
  const [one, two] = ["one", "two"].map((name) => `${name}.txt`);
  const sides = [
    await change(repo, repo.head ?? "", { [one ?? ""]: "1\n" }),
    await change(repo, repo.head ?? "", { [two ?? ""]: "2\n" }),
  ];
  rmSync(repo.lent, { recursive: true });
  for (const side of sides) {
    const { folder } = await attempt(repo, side);
    expect(sides.filter((commit) => has(folder, commit))).toEqual([side]);
  }
});

describe("history", () => {
  it("G9 is lent up to a thousand commits, also over merges of old branches", async () => {
    const target = repositoryWith({ "a.txt": "a\n" });
    const stream = ["reset refs/heads/main", "from refs/heads/main^0", ""];
    for (let n = 0; n < 1200; n++)
      stream.push(
        ...["commit refs/heads/main", `committer p <p@x> ${1_700_000_000 + n} +0000`, "data 1", "c"],
        ...["M 100644 inline n.txt", `data ${String(n).length}`, String(n), ""],
      );
    execFileSync("git", ["-C", target, "fast-import", "--quiet"], { input: stream.join("\n") });
    sh(target, "reset", "--quiet", "--hard", "main");
    const repo = await open(target);
    const a = await attempt(repo);
    expect(sh(a.folder, "rev-list", "--count", "HEAD").trim()).toBe("1000");
    expect(has(a.folder, id(target, "main~1100"))).toBe(false);
    // A side branch from before what was lent: nothing may be missing afterwards.
    sh(target, "checkout", "--quiet", "-b", "side", "main~1150");
    put(target, { "side.txt": "side\n" });
    sh(target, "add", "side.txt");
    sh(target, "commit", "--quiet", "-m", "side");
    sh(target, "checkout", "--quiet", "main");
    sh(target, "merge", "--quiet", "--no-edit", "side");
    const b = await attempt(await open(target), id(target, "HEAD"));
    expect(sh(b.folder, "fsck", "--full").trim()).toBe("");
    expect(sh(b.folder, "show", "HEAD:side.txt")).toBe("side\n");
    expect(Number(sh(b.folder, "rev-list", "--count", "HEAD"))).toBeLessThanOrEqual(1000);
    expect(good(await look(b)).changes).toEqual([]);
  });

  it("works for SHA-256, shallow and partial clones, and without git", async () => {
    const origin = repositoryWith({ "a.txt": "a\n" });
    for (const text of ["b\n", "c\n"]) {
      put(origin, { "a.txt": text });
      sh(origin, "commit", "--quiet", "--all", "-m", text);
    }
    sh(origin, "config", "uploadpack.allowFilter", "true");
    const [shallow, partial] = [fresh("shallow"), fresh("partial")];
    sh(scratch, "clone", "--quiet", "--depth=2", `file://${origin}`, shallow);
    sh(scratch, "clone", "--quiet", "--filter=blob:none", `file://${origin}`, partial);
    const modern = fresh("sha256");
    mkdirSync(modern);
    sh(modern, "init", "--quiet", "--object-format=sha256");
    put(modern, { "a.txt": "a\n" });
    sh(modern, "add", ".");
    sh(modern, "commit", "--quiet", "-m", "first");
    const plain = fresh("plain");
    put(plain, { "a.txt": "a\n" });
    for (const [target, commits] of [
      [shallow, "2"],
      [partial, "3"],
      [modern, "1"],
      [plain, "1"],
    ] as const) {
      const a = await attempt(await open(target));
      expect(sh(a.folder, "rev-list", "--count", "HEAD").trim()).toBe(commits);
      expect(sh(a.folder, "status", "--porcelain")).toBe("");
      put(a.folder, { "a.txt": "changed\n" });
      sh(a.folder, "commit", "--quiet", "--all", "-m", "agent");
      expect(good(await look(a)).changes).toHaveLength(1);
    }
  });
});

describe("lent objects", () => {
  const folders = ({ lent }: Repository) => (existsSync(lent) ? readdirSync(lent).sort() : []);

  it("are made once for attempts that begin at the same time, and left by none that died", async () => {
    const repo = await open(repositoryWith({ "a.txt": "a\n" }));
    const base = repo.head ?? "";
    mkdirSync(join(repo.lent, `${base}.new-999999999-dead`, "pack"), { recursive: true });
    const made = await Promise.all([1, 2, 3, 4].map(() => attempt(repo, base)));
    expect(folders(repo)).toEqual([base]);
    for (const { folder } of made) expect(sh(folder, "fsck").trim()).toBe("");
  });

  it("go with the last workspace that uses them, and come again when they were lost", async () => {
    const repo = await open(repositoryWith({ "a.txt": "a\n" }));
    const a = await attempt(repo, repo.head ?? "");
    const b = await attempt(repo, await change(repo, a.base, { "b.txt": "b\n" }));
    for (const all of [false, true]) await returnObjects(repo, { all });
    expect(folders(repo)).toEqual([a.base, b.base].sort());
    good(await removeWorkspace(b));
    rmSync(repo.lent, { recursive: true });
    good(await makeWorkspace(repo, a));
    expect(sh(a.folder, "fsck").trim()).toBe("");
    good(await removeWorkspace(a));
    // What `change` worked in as well.
    rmSync(join(dirname(repo.lent), "attempts"), { recursive: true });
    await returnObjects(repo, { all: true });
    expect(folders(repo)).toEqual([]);
  });

  it("survive `git gc --prune=now` of the target, whatever it sweeps away", async () => {
    const target = repositoryWith({ "a.txt": "a\n" });
    const repo = await open(target);
    const a = await attempt(repo, await change(repo, repo.head ?? "", { "b.txt": "b\n" }));
    sh(target, "reflog", "expire", "--expire=now", "--all");
    sh(target, "gc", "--quiet", "--prune=now");
    expect(sh(a.folder, "fsck", "--full").trim()).toBe("");
  });
});

it.skipIf(!hasBox)(
  "G9 an agent in its box sees neither the target nor any object beyond its base",
  async () => {
    const script = `
    const secret = fs.readFileSync("secret.txt", "utf8").trim().split("\\n");
    const git = (...args) => { try { return execSync("git " + args.join(" "), { stdio: ["ignore", "pipe", "pipe"] }).toString(); } catch (error) { return ""; } };
    const lent = path.resolve(".git/objects", fs.readFileSync(".git/objects/info/alternates", "utf8").trim());
    const seen = secret.filter((each) => git("cat-file", "-t", each) !== "");
    const target = secret.find((each) => each.startsWith("/"));
    let written = ""; try { fs.writeFileSync(lent + "/x", ""); written = "yes"; } catch {}
    good(); put(bundle.files[0].path, task + "\\n");
    say("SEEN " + JSON.stringify({ seen, target: fs.existsSync(target), git: fs.existsSync(target + "/.git"), beside: fs.readdirSync(path.dirname(lent)), log: git("log", "--oneline").split("\\n").length - 1, written }));
  `;
    const project = await Execution.ready({ tasks: 1 }, { "*": [script] });
    project.write("app/dropped.txt", "dropped\n");
    project.git("add", "dropped.txt");
    const blob = project.git("rev-parse", ":dropped.txt").trim();
    project.git("-c", "user.name=A", "-c", "user.email=a@x", "stash", "--quiet");
    const stash = project.git("rev-parse", "refs/stash").trim();
    project.write("app/secret.txt", `${blob}\n${stash}\n${project.path("app")}\n`);
    project.git("add", "secret.txt");
    project.git("-c", "user.name=A", "-c", "user.email=a@x", "commit", "-qm", "secrets");
    await project.execute();
    const said = /SEEN (\{.*\})/.exec(readFileSync(project.attempt("T001-1", "stdout.log"), "utf8"))?.[1];
    expect(JSON.parse(said ?? "null")).toMatchObject({
      seen: [],
      target: false,
      git: false,
      log: 2,
      written: "",
    });
    expect(JSON.parse(said ?? "null").beside).toHaveLength(1);
    expect(project.merged()).toEqual(["T001"]);
    expect(existsSync(project.path(".heddle/lent")) ? readdirSync(project.path(".heddle/lent")) : []).toEqual(
      [],
    );
  },
);

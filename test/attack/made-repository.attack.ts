// A folder that becomes a git repository by what agents hand in would have its `config` obeyed by the next git that is
// called there. Nothing of the kind is taken over, in a snapshot, by a merge or by landing; and where such a folder is
// there all the same, heddle does not open it.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { treeChanges } from "../../src/host/git/changes.ts";
import { mergeOnto } from "../../src/host/git/integrate.ts";
import { placeFiles } from "../../src/host/land/land-files.ts";
import { heddle } from "../e2e/rig.ts";
import { Execution } from "../execute/rig.ts";
import {
  attempt,
  canary,
  change,
  fresh,
  good,
  look,
  open,
  put,
  repositoryWith,
  sh,
} from "../host/git-rig.ts";

const head = "ref: refs/heads/main\n";
const config = (program: string) =>
  `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = ${program}\n[filter "x"]\n\tclean = ${program}\n\tsmudge = ${program}\n[alias]\n\tstatus = !${program}\n`;

const bare = (program: string) => ({
  HEAD: head,
  config: config(program),
  "objects/keep": "",
  "refs/heads/keep": "",
  ".gitattributes": "* filter=x\n",
});

describe("a target without git", () => {
  it("G9 is not made a repository by a task, and doctor runs nothing of it", async () => {
    const { program, ran } = canary();
    const files = Object.keys(bare(program)).map((path) => ({
      ...{ path, action: "create", layer: "domain", purpose: "its part" },
    }));
    const attack = `for (const [file, text] of Object.entries(${JSON.stringify(bare(program))})) put(file, text); propose();`;
    const project = await Execution.ready(
      {
        tasks: 1,
        more: () => ({
          files,
          acceptance_criteria: [{ criterion: "is there", verification: "test -f HEAD" }],
        }),
      },
      { "*": [attack] },
    );
    rmSync(project.path("app/.git"), { recursive: true });
    project.config({ attempts: 1 });
    await project.execute();
    await project.heddle("land");
    expect(existsSync(project.path("app/HEAD"))).toBe(false);
    expect(JSON.stringify(await project.facts("task-failed"))).toContain("git repository");
    for (const words of [["doctor"], ["status"], ["report"]]) await project.heddle(...words);
    expect(ran()).toBe(false);
  });

  it("G9 that is one already, by whatever way, is not opened", async () => {
    const { program, ran } = canary();
    const project = await Execution.ready({ tasks: 1 });
    rmSync(project.path("app/.git"), { recursive: true });
    for (const [path, text] of Object.entries(bare(program))) project.write(`app/${path}`, text);
    project.write("app/deep/.gitattributes", "* filter=x\n");
    for (const words of [["doctor"], ["status"], ["settings"], ["land"], [...project.words, "--batch"]])
      await heddle(words, { cwd: project.path("app") });
    expect(ran()).toBe(false);
    expect((await heddle(["doctor"], { cwd: project.root })).out).toMatch(/without a checkout/);
  });
});

/** Every way in which git accepts a folder as a repository. */
const ways: readonly (readonly [string, (folder: string) => void])[] = [
  ["plain", (at) => put(at, { HEAD: head, "objects/keep": "", "refs/keep": "" })],
  ["other case", (at) => put(at, { head, "OBJECTS/keep": "", "Refs/keep": "" })],
  ["a common directory", (at) => put(at, { HEAD: head, commondir: "../elsewhere\n" })],
  [
    "links",
    (at) => {
      put(at, { "real/objects/keep": "", "real/refs/keep": "", "real/head": head });
      for (const name of ["objects", "refs"]) symlinkSync(`real/${name}`, join(at, name));
      symlinkSync("real/head", join(at, "HEAD"));
    },
  ],
];

describe.each(ways)("a repository made with %s", (_, make) => {
  it.each(["", "vendor/lib", "a/b/c/d/x.git"])("G9 is refused in `%s`", async (inside) => {
    const a = await attempt(await open(repositoryWith({ "a.txt": "a\n" })));
    mkdirSync(join(a.folder, inside), { recursive: true });
    make(join(a.folder, inside));
    expect(await look(a)).toMatchObject({
      code: "scope",
      message: expect.stringContaining("git repository"),
    });
  });
});

it.each([".git", ".GIT", ".Git", "sub/.git", "sub/.gIt", "git~1", "sub/GIT~1", ".g\u200cit"])(
  "G9 refuses `%s`, a file that leads to a repository",
  async (path) => {
    const a = await attempt(await open(repositoryWith({ "a.txt": "a\n" })));
    if (path === ".git") rmSync(join(a.folder, ".git"), { recursive: true });
    put(a.folder, { [path]: "gitdir: ./other\n" });
    expect(await look(a, { declared: [path] })).toMatchObject({ code: "scope" });
  },
);

it("G9 refuses a change inside a repository that the person keeps among the files", async () => {
  const a = await attempt(
    await open(repositoryWith({ "fixture/HEAD": head, "fixture/objects/keep": "", "fixture/refs/keep": "" })),
  );
  expect(good(await look(a)).changes).toEqual([]);
  put(a.folder, { "fixture/hooks/post-checkout": "#!/bin/sh\n" });
  expect(await look(a)).toMatchObject({ code: "scope" });
});

it("G9 takes files that only have such names", async () => {
  const a = await attempt(await open(repositoryWith({ "a.txt": "a\n" })));
  put(a.folder, { "src/head/x.ts": "", "src/objects/y.ts": "", "src/refs/z.ts": "", HEAD: "notes\n" });
  expect(good(await look(a)).changes).toHaveLength(4);
});

it("G9 does not merge two changes that make a repository together", async () => {
  const repo = await open(repositoryWith({ "a.txt": "a\n" }));
  const base = repo.head ?? "";
  const one = await change(repo, base, { "x/HEAD": head, "x/config": "" });
  const two = await change(repo, base, { "x/objects/keep": "", "x/refs/keep": "" });
  const merged = await mergeOnto(repo, { base, theirs: two, onto: one });
  expect(merged).toMatchObject({ ok: false, conflicts: [{ path: "x/HEAD", kind: "git repository" }] });
});

it("G9 lands nothing that completes a repository with files which no branch knows of", async () => {
  const target = fresh("plain");
  put(target, { "x/objects/keep": "", "x/refs/keep": "", ".gitignore": "x/objects\nx/refs\n" });
  const repo = await open(target);
  const tip = await change(repo, repo.head ?? "", { "x/HEAD": head });
  const changes = await treeChanges(repo, repo.head ?? "", tip);
  const staging = fresh("staging");
  await expect(
    placeFiles({ at: repo, folder: target, tip, changes, staging, aside: fresh("aside") }),
  ).rejects.toThrow(/repository/);
  expect(existsSync(join(target, "x/HEAD"))).toBe(false);
});

it("G9 lands nothing in a git directory that lies among the files", async () => {
  const target = fresh("separate");
  mkdirSync(target);
  sh(target, "init", "--quiet", `--separate-git-dir=${join(target, "meta")}`);
  put(target, { "a.txt": "a\n" });
  sh(target, "add", "a.txt");
  sh(target, "commit", "--quiet", "-m", "first");
  const repo = await open(target);
  const base = repo.head ?? "";
  const tip = await change(repo, base, { "meta/hooks/pre-commit": "#!/bin/sh\n" });
  const changes = await treeChanges(repo, base, tip);
  const staging = fresh("staging");
  await expect(
    placeFiles({ at: repo, folder: target, tip, changes, staging, aside: fresh("aside") }),
  ).rejects.toThrow(/repository/);
});

it.each(["../.gitconfig", "../conf/git.cfg"])(
  "G9 takes no change of `%s`, which the repository's configuration includes, there or not",
  async (path) => {
    const { program, ran } = canary();
    for (const there of [true, false]) {
      const file = path.slice("../".length);
      const target = repositoryWith({ "a.txt": "a\n", ...(there ? { [file]: "" } : {}) });
      sh(target, "config", "include.path", path);
      const a = await attempt(await open(target));
      put(a.folder, { [file]: `[filter "x"]\n\tclean = ${program}\n` });
      expect(await look(a)).toMatchObject({
        code: "scope",
        message: expect.stringContaining("configuration"),
      });
    }
    expect(ran()).toBe(false);
  },
);

describe("commit-task", () => {
  it("X20 runs no filter, hook, monitor or signer of any configuration, whatever .gitattributes says", async () => {
    const { program, ran } = canary();
    const project = await Execution.ready({ tasks: 1 });
    const home = project.path("home");
    const settings = `[user]\n\tname = Ada\n\temail = ada@example.org\n[commit]\n\tgpgsign = true\n[gpg]\n\tprogram = ${program}\n[core]\n\tfsmonitor = ${program}\n\tpager = ${program}\n\teditor = ${program}\n[diff]\n\texternal = ${program}\n[diff "x"]\n\ttextconv = ${program}\n\tcommand = ${program}\n[filter "x"]\n\tclean = ${program}\n\tprocess = ${program}\n`;
    project.write("home/.gitconfig", settings);
    writeFileSync(project.path("app/.git/config"), settings, { flag: "a" });
    for (const hook of ["pre-commit", "commit-msg", "post-commit", "reference-transaction"])
      execFileSync("cp", [program, project.path("app/.git/hooks", hook)]);
    project.write("app/src/a.txt", "a\n");
    project.write("app/src/b.txt", "b\n");
    const state = (...words: string[]) =>
      heddle(["state", ...words], { cwd: project.root, env: { HOME: home } });
    await state("start-task", "T001");
    await state("complete-task", "T001", "--created", "src/a.txt");
    project.write("app/.gitattributes", "* diff=x\n");
    const ran1 = await state("commit-task", "T001");
    expect(ran1.err).toBe("");
    expect(project.git("log", "-1", "--format=%an %s").trim()).toMatch(/^Ada T001/);
    project.write("app/src/a.txt", "other\n");
    project.write("app/.gitattributes", "* filter=x diff=x\n");
    expect((await state("commit-task", "T001")).err).toMatch(/goes through a filter/);
    expect(ran()).toBe(false);
  });
});

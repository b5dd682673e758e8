// Repositories that were made to harm: to run something, to lead outside, to block, to take all time or memory.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contextText, findSpecs } from "../../src/discovery/discover.ts";
import { processorMs } from "../processor-time.ts";
import { commandsFor, contextOf, folderWith, git, repositoryWith, versions, write } from "./folders.ts";

const fifo = (path: string) => {
  if (spawnSync("mkfifo", [path]).status !== 0) throw new Error("mkfifo failed");
};

describe("a repository that would run something", () => {
  /** Settings that make an unguarded git run a program, fetch, or look elsewhere. */
  function trapped() {
    const outside = folderWith({ "outside.ts": "export const secret = 1;\n" });
    const canary = join(outside, "canary");
    const script = join(outside, "trap.sh");
    writeFileSync(script, `#!/bin/sh\ntouch ${canary}\n`);
    chmodSync(script, 0o755);
    const target = repositoryWith({
      "package.json": "{}",
      "src/a.ts": "",
      ".gitattributes": "* filter=trap\n",
    });
    git(target, "add", ".");
    for (const name of ["post-index-change", "fsmonitor-watchman"]) {
      mkdirSync(join(target, ".git/hooks"), { recursive: true });
      symlinkSync(script, join(target, ".git/hooks", name));
    }
    const settings = {
      "core.fsmonitor": script,
      "core.pager": script,
      "filter.trap.clean": script,
      "diff.external": script,
      "core.sshCommand": script,
      "alias.ls-files": `!${script}`,
      "remote.origin.url": `ext::${script}`,
      "remote.origin.promisor": "true",
      "protocol.ext.allow": "always",
    };
    for (const [name, value] of Object.entries(settings)) git(target, "config", name, value);
    return { target, canary, outside };
  }

  it("D5 runs no monitor, hook, filter or alias of the repository's configuration", async () => {
    const { target, canary } = trapped();
    git(target, "status");
    expect(existsSync(canary), "the trap works when git is called without care").toBe(true);
    rmSync(canary);
    const { structure } = await contextOf(target);
    expect(structure).toMatchObject({ listed_by: "git", files: 3 });
    expect(existsSync(canary)).toBe(false);
  });

  it("D5 lists the target even when the repository names another work tree", async () => {
    const { target, outside } = trapped();
    git(target, "config", "core.worktree", outside);
    const { structure } = await contextOf(target);
    expect(structure.tree.join("\n")).not.toContain("outside");
    expect(structure.tree).toContain("src/ (1): a.ts");
  });

  it("D5 does not take a folder that looks like a bare repository for one", async () => {
    const { target, canary } = trapped();
    const inner = join(target, "inner");
    renameSync(join(target, ".git"), inner);
    git(target, "init", "-q");
    const { structure } = await contextOf(inner);
    expect(structure.listed_by).toBe("walk");
    expect(structure.tree.at(-1)).toContain("HEAD");
    expect(existsSync(canary)).toBe(false);
  });

  it("D5 runs nothing of the project's own", async () => {
    const canary = join(folderWith(), "canary");
    const target = folderWith({
      "setup.py": `open(${JSON.stringify(canary)}, "w")\n`,
      Makefile: `X := $(shell touch ${canary})\ntest:\n\ttouch ${canary}\n`,
      Gemfile: `system("touch ${canary}")\n`,
      "package.json": JSON.stringify({ scripts: { test: `touch ${canary}`, preinstall: `touch ${canary}` } }),
      "build.gradle": `"touch ${canary}".execute()\n`,
    });
    const context = await contextOf(target);
    expect(context.stacks).toHaveLength(4);
    expect(existsSync(canary)).toBe(false);
  });
});

describe("a repository that leads outside", () => {
  it.each(["git", "walk"])("D5 follows no link out of the target, listed by %s", async (by) => {
    const outside = folderWith({
      "package.json": '{"dependencies":{"leaked":"1"}}',
      "secret.ts": "export const leaked = 1;\n",
      "src/inner.ts": "export const leaked = 2;\n",
    });
    const target = folderWith({ "src/inner.ts": "", "real.ts": "export const fine = 1;\n" });
    git(target, "init", "-q");
    git(target, "add", ".");
    rmSync(join(target, "src"), { recursive: true });
    symlinkSync(join(outside, "src"), join(target, "src"));
    symlinkSync(join(outside, "package.json"), join(target, "package.json"));
    symlinkSync(join(outside, "secret.ts"), join(target, "secret.ts"));
    symlinkSync(".", join(target, "loop"));
    symlinkSync("../loop/loop", join(target, "self"));
    symlinkSync("b.ts", join(target, "a.ts"));
    symlinkSync("a.ts", join(target, "b.ts"));
    symlinkSync("/dev/zero", join(target, "zero.ts"));
    if (by === "walk") rmSync(join(target, ".git"), { recursive: true });
    const context = await contextOf(target);
    expect(context.structure.listed_by).toBe(by);
    expect(JSON.stringify(context)).not.toContain("leaked");
    expect(context.samples.map(({ path }) => path)).toEqual(["real.ts"]);
  });

  it("D5 follows a target that is itself a link", async () => {
    const real = folderWith({ "a.ts": "" });
    const link = join(folderWith(), "link");
    symlinkSync(real, link);
    expect(await contextOf(link)).toMatchObject({ target_dir: real, structure: { files: 1 } });
  });

  it("D5 lists without git when .git is a file that leads nowhere, or not a repository at all", async () => {
    for (const text of ["", "nonsense", "gitdir: /nowhere", "gitdir: \0", `gitdir: ${"x".repeat(100_000)}`]) {
      const { structure, notes } = await contextOf(folderWith({ ".git": text, "a.ts": "" }));
      expect(structure).toMatchObject({ listed_by: "walk", files: 2 });
      expect(notes[0]).toContain("git did not list the files");
    }
    const empty = folderWith({ ".git/x": "", "a.ts": "" });
    expect((await contextOf(empty)).structure).toMatchObject({ listed_by: "walk", files: 1 });
    const link = folderWith({ "a.ts": "" });
    symlinkSync("/nowhere", join(link, ".git"));
    expect((await contextOf(link)).structure.listed_by).toBe("walk");
  });
});

describe("a repository that would block or take everything", () => {
  it("D5 passes over pipes, huge, binary and unreadable files", async () => {
    const target = folderWith({
      "src/fine.ts": "export const fine = 1;\n",
      "src/binary.ts": "a\0b",
      "Cargo.toml": "[package]\nname = 'x'\0",
      "src/locked.ts": "x",
      "locked/a.ts": "x",
      "src/huge.ts": "",
      "pyproject.toml": "",
    });
    truncateSync(join(target, "src/huge.ts"), 200 * 1024 * 1024);
    truncateSync(join(target, "pyproject.toml"), 200 * 1024 * 1024);
    fifo(join(target, "package.json"));
    fifo(join(target, "go.mod"));
    mkdirSync(join(target, "composer.json"));
    chmodSync(join(target, "src/locked.ts"), 0);
    chmodSync(join(target, "locked"), 0);
    const walked = await contextOf(target);
    expect(walked.notes).toContain("pyproject.toml is not read: too large");
    expect(walked.notes).toContain("Cargo.toml is not read: binary");
    expect(walked.samples[0]?.path).toBe("src/fine.ts");
    git(target, "init", "-q");
    write(target, { "Gemfile.lock": "", Gemfile: 'gem "a"\n' });
    git(target, "add", "Gemfile");
    rmSync(join(target, "Gemfile"));
    fifo(join(target, "Gemfile"));
    const listed = await contextOf(target);
    expect(listed.structure.listed_by).toBe("git");
    expect(listed.notes).toContain("Gemfile is not read: irregular");
    chmodSync(join(target, "locked"), 0o755);
  });

  it("D5 gives git up when it hangs, and lists without it", async () => {
    const target = repositoryWith({ "package.json": '{"scripts":{"test":"x"}}' });
    fifo(join(target, "ignores"));
    git(target, "config", "core.excludesFile", join(target, "ignores"));
    const started = processorMs();
    const context = await contextOf(target, { gitMs: 300 });
    expect(processorMs() - started).toBeLessThan(3000);
    expect(context.structure.listed_by).toBe("walk");
    expect(commandsFor(context, "test")).toEqual(["npm test"]);
  });

  it("D5 says which manifest is not valid, and goes on", async () => {
    const context = await contextOf(
      folderWith({
        "package.json": '{"scripts": {"test": "x", "lint": }, "dependencies": [1, 2],',
        "composer.json": "[".repeat(100_000),
        "Cargo.toml": "[package\nname = = 3\n[dependencies]\nok = '1'\n[[[[\n\"",
        "tsconfig.json": "",
      }),
    );
    expect(context.notes).toEqual(["package.json is not valid JSON", "composer.json is not valid JSON"]);
    expect(versions(context)).toEqual({ ok: "1" });
  });

  it("D5 does not mind what JSON may hold in place of what it should", async () => {
    for (const value of [null, 3, "text", [], { scripts: 3, workspaces: { packages: [null, 3] }, bin: [1] }])
      await contextOf(
        folderWith({ "package.json": JSON.stringify(value), "composer.json": JSON.stringify(value) }),
      );
    const odd = '{"scripts":{"__proto__":"x","constructor":"y","test":"z"},"dependencies":{"__proto__":"1"}}';
    expect(commandsFor(await contextOf(folderWith({ "package.json": odd })), "test")).toEqual(["npm test"]);
  });

  it("D5 leaves out names with control characters, and shows none from manifests", async () => {
    const target = repositoryWith({
      "package.json": JSON.stringify({
        scripts: { test: "a\u001b[2J\nb" },
        engines: { node: "\u001b]0;title\u0007" },
        dependencies: { "evil\u202ename": "1\n2" },
      }),
      "src/\u001b[31mred.ts": "x",
      "src/new\nline.ts": "x",
      "src/fine.ts": "x",
    });
    const context = await contextOf(target);
    expect(context.notes).toContain("2 files whose names hold invisible characters are left out");
    expect(context.structure.files).toBe(2);
    const invisible = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/;
    expect(contextText(context)).not.toMatch(invisible);
    expect(context.commands[0]?.does).toBe("a [2J b");
  });

  it("D2 D5 takes little time for text that is made to be slow to search", async () => {
    const size = 120_000;
    const blank = " ".repeat(size);
    const bombs: Record<string, string> = {
      "pyproject.toml": `[${blank}\n${'"\\'.repeat(size / 2)}\na = ${'["'.repeat(size / 4)}\n${"[a]\n".repeat(20_000)}`,
      "Cargo.toml": `a = "${'\\"'.repeat(size / 2)}\n[[x]]\n`.repeat(1),
      "pom.xml": `${"<!--".repeat(size / 8)}<dependency>${"<groupId> ".repeat(size / 20)}`,
      "build.gradle": `${"implementation ".repeat(size / 20)}\n${"\n \n".repeat(size / 8)}include ${blank}`,
      "CMakeLists.txt": `${"\n\t".repeat(size / 4)}find_package(${blank}`,
      "x.c": `${"a ".repeat(size / 50)}\n${"a*".repeat(4000)}`,
      Gemfile: `gem ${blank}a\n${"group ".repeat(size / 10)}`,
      "go.mod": `require ${"a.b/".repeat(size / 4)}`,
      Makefile: `${"a ".repeat(size / 2)}\n${"test ".repeat(1000)}:\n`,
      "tox.ini": `[tox]\n${"\n ".repeat(size / 4)}commands ${blank}=\n`,
      "App.csproj": "<PackageReference ".repeat(size / 20),
      "requirements.txt": `${"a".repeat(size / 2)}[${"[".repeat(size / 4)}\n`,
      "src/a.ts": `const a = ${"(".repeat(8000)}\n${"from ".repeat(1500)}`,
      "src/b.py": `from ${".".repeat(8000)}\n${"def ".repeat(2000)}`,
      "src/C.java": `public ${"static ".repeat(2000)}`,
      "spec.md": `${"- ".repeat(30_000)}\n${"must ".repeat(5000)}\n${"#".repeat(20_000)}`,
      "package.json": JSON.stringify({
        workspaces: ["**/*a*".repeat(20), "**/**/**/**/x", "a/".repeat(500)],
      }),
      [`${"a/".repeat(60)}package.json`]: "{}",
    };
    for (const [name, text] of Object.entries(bombs)) expect(text.length, name).toBeLessThan(512 * 1024);
    const target = folderWith(bombs);
    const started = processorMs();
    await contextOf(target);
    await findSpecs({ planningDir: target, workingDir: target });
    expect(processorMs() - started).toBeLessThan(4000);
  });

  it("D2 D5 finds something to say about any text in any manifest", async () => {
    const names = [
      ...[
        "package.json",
        "pyproject.toml",
        "Cargo.toml",
        "go.mod",
        "go.work",
        "pom.xml",
        "build.gradle",
        "App.sln",
      ],
      ...[
        "App.csproj",
        "Gemfile",
        "composer.json",
        "CMakeLists.txt",
        "meson.build",
        "Makefile",
        "justfile",
        "tox.ini",
      ],
      ...[
        "pnpm-workspace.yaml",
        "requirements.txt",
        "Pipfile",
        "settings.gradle",
        "a.ts",
        "b.py",
        "c.c",
        "spec.md",
      ],
    ];
    const pieces = [
      ..."[ ] { } ( ) < > = : , ; . # \" ' \\ / * ! @ $ ^ | \n \t é \u0000".split(" "),
      ...[
        "dependencies",
        "[project]",
        '"""',
        "<dependency>",
        "gem 'x'",
        "test:",
        "- R1",
        "workspaces",
        "..",
        "**",
      ],
    ];
    const text = fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((parts) => parts.join(""));
    const target = folderWith();
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { minLength: names.length, maxLength: names.length }),
        async (texts) => {
          write(target, Object.fromEntries(names.map((name, at) => [name, texts[at] ?? ""])));
          contextText(await contextOf(target));
          await findSpecs({ planningDir: target, workingDir: target });
        },
      ),
      { numRuns: 40 },
    );
  });

  it("D5 ends a walk in time however deep and wide the folders are", async () => {
    const target = folderWith();
    mkdirSync(join(target, "d/".repeat(400)), { recursive: true });
    write(target, Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`w${n}/x/y/z.ts`, ""])));
    const deep = await contextOf(target);
    expect(deep.structure).toMatchObject({ listed_by: "walk", files: 300, complete: false });
    const short = await contextOf(target, { walkMs: 0 });
    expect(short.structure.complete).toBe(false);
  });
});

// Section 0.4 of the reliability facts and fault 67: what an agent plants in its workspace is never run by heddle's git.
// Each attack is shown to work on an unguarded git first, so that a canary which stays silent means something.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isProblem } from "../../src/core/problem.ts";
import { diffText, mergeOnto, moveBranch } from "../../src/host/git/integrate.ts";
import { openBranch } from "../../src/host/git/repository.ts";
import { checkOut } from "../../src/host/git/workspace.ts";
import { land } from "../../src/host/land/land.ts";
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

const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
const files = { "a.txt": "a\n", "b.txt": "b\n" };

interface Attack {
  readonly name: string;
  readonly prepare?: (target: string, program: string) => void;
  readonly plant: (folder: string, program: string) => void;
  /** The git call that falls for it. */
  readonly careless: (folder: string, target: string) => void;
}

const attacks: Attack[] = [
  {
    name: "its own .git has a monitor, hooks and filters",
    plant: (folder, program) => {
      sh(folder, "config", "core.fsmonitor", program);
      sh(folder, "config", "core.hooksPath", folder);
      sh(folder, "config", "filter.x.clean", program);
      put(folder, { ".gitattributes": "* filter=x\n" });
    },
    careless: (folder) => void sh(folder, "status"),
  },
  {
    name: "its .git is swapped for a file that leads to a git directory of its making",
    plant: (folder, program) => {
      renameSync(join(folder, ".git"), join(folder, "elsewhere.log"));
      put(folder, { ".git": "gitdir: elsewhere.log\n", ".gitignore": "*.log\n" });
      execFileSync("git", ["config", "-f", join(folder, "elsewhere.log/config"), "core.fsmonitor", program]);
    },
    careless: (folder) => void sh(folder, "status"),
  },
  {
    name: "a repository inside has a monitor",
    plant: (folder, program) => {
      const inner = join(folder, "inner");
      mkdirSync(inner);
      sh(inner, "init", "-q");
      put(inner, { x: "1" });
      sh(inner, "add", "-A");
      sh(inner, "commit", "-qm", "x");
      sh(folder, "add", "-A");
      sh(inner, "config", "core.fsmonitor", program);
    },
    careless: (folder) => void sh(folder, "status"),
  },
  {
    name: "a hook lies where the target's relative core.hooksPath points",
    prepare: (target) => void sh(target, "config", "core.hooksPath", ".husky"),
    plant: (folder, program) => {
      mkdirSync(join(folder, ".husky"));
      for (const hook of ["post-index-change", "pre-commit", "reference-transaction", "post-checkout"]) {
        cpSync(program, join(folder, ".husky", hook));
        chmodSync(join(folder, ".husky", hook), 0o755);
      }
    },
    careless: (folder, target) =>
      void execFileSync("git", [
        ...[
          `--git-dir=${target}/.git`,
          `--work-tree=${folder}`,
          "update-index",
          "--refresh",
          "--force-write-index",
        ],
      ]),
  },
  {
    name: "its .gitattributes calls a filter of the target's configuration, required as LFS is",
    prepare: (target, program) => {
      for (const [key, value] of [
        ["clean", program],
        ["smudge", program],
        ["process", program],
        ["required", "true"],
      ] as const)
        sh(target, "config", `filter.lfs.${key}`, value);
    },
    plant: (folder) =>
      put(folder, { ".gitattributes": "* filter=lfs diff=lfs merge=lfs\n", "a.txt": "agent\n" }),
    careless: (folder, target) => {
      try {
        execFileSync("git", [`--git-dir=${target}/.git`, `--work-tree=${folder}`, "add", "-A"], {
          ...{ cwd: folder, env: { ...process.env, GIT_INDEX_FILE: fresh("i") }, stdio: "ignore" },
        });
      } catch {
        // The canary does not speak the filter protocol.
      }
    },
  },
  {
    name: "its .gitattributes calls a diff program and a merge driver of the target's configuration",
    prepare: (target, program) => {
      sh(target, "config", "diff.x.command", program);
      sh(target, "config", "diff.x.textconv", program);
      sh(target, "config", "merge.x.driver", program);
    },
    plant: (folder) => put(folder, { ".gitattributes": "* diff=x merge=x\n", "a.txt": "agent\n" }),
    careless: (folder, target) =>
      void execFileSync("git", [`--git-dir=${target}/.git`, `--work-tree=${folder}`, "diff", emptyTree], {
        cwd: folder,
      }),
  },
];

describe("no program of an agent's choosing is run", () => {
  it.for(attacks)("when $name", async ({ prepare, plant, careless }) => {
    const bird = canary();
    const target = repositoryWith(files);
    prepare?.(target, bird.program);
    const repo = await open(target);
    const { start } = good(await openBranch(repo, "run-1"));
    const other = await change(repo, start, { "a.txt": "other\n" });
    const a = await attempt(repo, start);
    plant(a.folder, bird.program);
    rmSync(`${bird.program}.ran`, { force: true });
    const taken = await look(a);
    if (!isProblem(taken)) {
      const commit = await commitOf(repo, taken.tree, start);
      await diffText(repo, { from: start, to: commit });
      await mergeOnto(repo, { base: start, theirs: commit, onto: other });
      good(await checkOut(repo, { folder: fresh("clean"), index: fresh("index"), tree: taken.tree }));
      await attempt(repo, commit);
      await moveBranch(repo, { branch: "heddle/run-1", from: start, to: commit });
      await land(repo, { branch: "heddle/run-1", start, target, exclude: [] });
      await land(await open(target), { branch: "heddle/run-1", start, target, exclude: [] });
    }
    expect(bird.ran()).toBe(false);
    careless(a.folder, target);
    expect(bird.ran()).toBe(true);
  });

  it("when the person's own shell is full of GIT_ variables", async () => {
    const bird = canary();
    const set = {
      GIT_DIR: "/nowhere",
      GIT_INDEX_FILE: "/nowhere/index",
      GIT_EXTERNAL_DIFF: bird.program,
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "core.fsmonitor",
      GIT_CONFIG_VALUE_0: bird.program,
    };
    const target = repositoryWith(files);
    Object.assign(process.env, set);
    try {
      const repo = await open(target);
      const to = await change(repo, good(await openBranch(repo, "run-1")).tip, { "a.txt": "x\n" });
      expect(await diffText(repo, { from: `${to}^`, to })).toContain("+x");
    } finally {
      for (const name of Object.keys(set)) delete process.env[name];
    }
    expect(bird.ran()).toBe(false);
  });
});

describe("a merge driver", () => {
  it("of the person's is not run: what only it could merge is a conflict", async () => {
    const bird = canary();
    const target = repositoryWith(files);
    sh(target, "config", "merge.x.driver", bird.program);
    put(target, { ".git/info/attributes": "* merge=x\n" });
    const repo = await open(target);
    const { tip } = good(await openBranch(repo, "run-1"));
    const [one, two] = [
      await change(repo, tip, { "a.txt": "1\n" }),
      await change(repo, tip, { "a.txt": "2\n" }),
    ];
    expect(await mergeOnto(repo, { base: tip, theirs: two, onto: one })).toMatchObject({ ok: false });
    expect(bird.ran()).toBe(false);
  });
});

describe("an index of the agent's", () => {
  it("that says files are unchanged is not believed", async () => {
    const a = await attempt(await open(repositoryWith(files)));
    sh(a.folder, "update-index", "--assume-unchanged", "a.txt");
    sh(a.folder, "update-index", "--skip-worktree", "b.txt");
    put(a.folder, { "a.txt": "x\n", "b.txt": "y\n" });
    expect(good(await look(a)).changes).toHaveLength(2);
    rmSync(join(a.folder, ".git"), { recursive: true });
    expect(good(await look(a)).changes).toHaveLength(2);
    writeFileSync(join(a.folder, ".git"), "nonsense");
    expect(good(await look(a)).changes).toHaveLength(2);
    expect(existsSync(join(a.folder, ".git/index"))).toBe(false);
  });
});

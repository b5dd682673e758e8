// `heddle state commit-task` (X20): one commit with exactly the files of a complete task, whatever else lies around,
// and however many commits are asked for at once (defect 15).
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { desk, expectDone, expectRefused, factsOf, type Project, plan } from "./desk.ts";

const git = (project: Project, ...args: readonly string[]) =>
  execFileSync("git", ["-C", project.path("app"), ...args], { encoding: "utf8" });

function makeRepository(project: Project): void {
  mkdirSync(project.path("app"), { recursive: true });
  git(project, "init", "--quiet", "--initial-branch=main");
  git(project, "config", "user.name", "Ada");
  git(project, "config", "user.email", "ada@example.org");
}

const inCommit = (project: Project, commit = "HEAD") =>
  git(project, "show", "--name-status", "--format=", commit)
    .trim()
    .split("\n")
    .map((line) => line.replace("\t", " "));
const staged = (project: Project) => git(project, "diff", "--cached", "--name-only").trim().split("\n");

/** Starts and completes a task that wrote these files. */
async function complete(project: Project, id: string, ...words: readonly string[]): Promise<void> {
  await project.must("state", "start-task", id);
  await project.must("state", "complete-task", id, ...words);
}

const project = desk(async (each) => {
  await plan(each, { tasks: [{ name: 'Keep "notes" & more' }, {}, {}, {}] });
  makeRepository(each);
  each.write("app/README.md", "base\n");
  each.write("app/gone.ts", "base\n");
  git(each, "add", "--all");
  git(each, "commit", "--quiet", "--message", "base");
});
const commit = (id: string, ...words: readonly string[]) => project.state("commit-task", id, ...words);

describe("commit-task", () => {
  it("X20 makes one commit with the task's files, named after the task, and records it", async () => {
    project.write("app/src/a.ts", "a\n");
    project.write("app/README.md", "changed\n");
    await complete(project, "T001", "--created", "src/a.ts", "--modified", "README.md");
    const facts = await factsOf(project, async () =>
      expectDone(await commit("T001"), /^Committed T001: [0-9a-f]{12}\n$/),
    );
    const sha = git(project, "rev-parse", "HEAD").trim();
    expect(facts).toEqual([
      { kind: "task-committed", task: "T001", files: ["src/a.ts", "README.md"], commit: sha },
    ]);
    expect(git(project, "log", "-1", "--format=%s").trim()).toBe('T001: Keep "notes" & more');
    expect(inCommit(project)).toEqual(["M README.md", "A src/a.ts"]);
  });

  it("X20 takes nothing else: other staged files stay staged, changed ones stay changed (defect 15)", async () => {
    project.write("app/src/a.ts", "a\n");
    project.write("app/src/mine.ts", "staged by a person\n");
    project.write("app/README.md", "changed by a person\n");
    git(project, "add", "src/mine.ts");
    await complete(project, "T001", "--created", "src/a.ts");
    expectDone(await commit("T001"));
    expect(inCommit(project)).toEqual(["A src/a.ts"]);
    expect(staged(project)).toEqual(["src/mine.ts"]);
    expect(git(project, "status", "--porcelain").trim().split("\n")).toEqual([
      "M README.md",
      "A  src/mine.ts",
    ]);
  });

  it("X20 commits a file that the task deleted", async () => {
    rmSync(project.path("app/gone.ts"));
    await complete(project, "T001", "--modified", "gone.ts");
    expectDone(await commit("T001"), /^Committed/);
    expect(inCommit(project)).toEqual(["D gone.ts"]);
  });

  it("X20 commits a file that the task deleted with `git rm`", async () => {
    git(project, "rm", "--quiet", "gone.ts");
    await complete(project, "T001", "--modified", "gone.ts");
    expectDone(await commit("T001"), /^Committed/);
    expect(inCommit(project)).toEqual(["D gone.ts"]);
  });

  it("X20 a name with brackets is that file and no other", async () => {
    project.write("app/pages/[id].ts", "the task's\n");
    project.write("app/pages/i.ts", "somebody else's\n");
    await complete(project, "T001", "--created", "pages/[id].ts");
    expectDone(await commit("T001"), /^Committed/);
    expect(git(project, "show", "--name-only", "--format=", "-z").replaceAll("\0", "\n").trim()).toBe(
      "pages/[id].ts",
    );
  });

  it("X20 a pattern is not a file: what it would match is not committed", async () => {
    project.write("app/src/mine.ts", "somebody else's\n");
    await complete(project, "T001", "--created", "src/*.ts");
    await commit("T001");
    expect(git(project, "rev-list", "--count", "HEAD").trim()).toBe("1");
    expect(git(project, "status", "--porcelain").trim()).toBe("?? src/");
  });

  it("X20 a file that git ignores is left out, and the others are committed", async () => {
    project.write("app/.gitignore", "dist/\n");
    project.write("app/dist/out.js", "built\n");
    project.write("app/src/a.ts", "a\n");
    await complete(project, "T001", "--created", "dist/out.js", "src/a.ts");
    expectDone(await commit("T001"), /^Committed/);
    expect(inCommit(project)).toEqual(["A src/a.ts"]);
  });

  it("X20 works in a repository that has no commit yet", async () => {
    rmSync(project.path("app/.git"), { recursive: true });
    makeRepository(project);
    project.write("app/src/a.ts", "a\n");
    await complete(project, "T001", "--created", "src/a.ts");
    expectDone(await commit("T001"), /^Committed/);
    expect(inCommit(project)).toEqual(["A src/a.ts"]);
  });

  it("X20 says so and exits 0 when there is nothing to commit", async () => {
    await complete(project, "T001", "--modified", "README.md");
    const facts = await factsOf(project, async () =>
      expectDone(await commit("T001"), "Nothing to commit for T001"),
    );
    expect(facts).toEqual([]);
    expect(JSON.parse((await commit("T001", "--json")).out)).toEqual({ task: "T001", commit: null });
  });

  it("X20 three at once: each commit has its own task's file (defect 15)", { timeout: 60_000 }, async () => {
    for (const id of ["T001", "T002", "T003"]) {
      project.write(`app/src/${id}.ts`, `${id}\n`);
      await complete(project, id, "--created", `src/${id}.ts`);
    }
    const ran = await Promise.all(["T001", "T002", "T003"].map((id) => commit(id, "--json")));
    expect(ran.map(({ code, err }) => [code, err])).toEqual([
      [0, ""],
      [0, ""],
      [0, ""],
    ]);
    for (const { task, commit: sha } of ran.map(({ out }) => JSON.parse(out)))
      expect(inCommit(project, sha)).toEqual([`A src/${task}.ts`]);
    expect(git(project, "rev-list", "--count", "HEAD").trim()).toBe("4");
    expect(git(project, "status", "--porcelain")).toBe("");
  });

  it("X20 refuses a task that is not complete, or that named no files", async () => {
    expectRefused(await commit("T004"), /T004` is pending/);
    await complete(project, "T001");
    expectRefused(await commit("T001"), /named no files/);
  });

  it("X20 refuses a target that is no git repository, and says what to type", async () => {
    rmSync(project.path("app/.git"), { recursive: true });
    await complete(project, "T001", "--created", "src/a.ts");
    const ran = await commit("T001");
    expectRefused(ran, /not a git repository/);
    expect(ran.err).toMatch(/hint: git init/);
  });

  it("X20 is refused while git cannot write, and commits once it can", async () => {
    project.write("app/src/a.ts", "a\n");
    await complete(project, "T001", "--created", "src/a.ts");
    project.write("app/.git/index.lock", "");
    expectRefused(await commit("T001"), /git/);
    rmSync(project.path("app/.git/index.lock"));
    expectDone(await commit("T001"), /^Committed/);
  });
});

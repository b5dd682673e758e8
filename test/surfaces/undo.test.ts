// X21: `heddle undo` shows and takes back one task's change.
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { until } from "../e2e/rig.ts";
import { type Execution, executable } from "./rig.ts";

const done = async (git: boolean): Promise<Execution> => {
  const project = await executable({
    tasks: 3,
    after: (n) => (n === 3 ? [2] : []),
    git,
    turns: {
      T001: [{ files: { "src/T001.ts": "one\ntwo\n" } }],
    },
  });
  const { code, out, err } = await project.execute();
  if (code !== 0) throw new Error(out + err);
  return project;
};

describe("heddle undo", () => {
  it("X21 shows the change first, and changes nothing unless somebody agrees", async () => {
    const project = await done(true);
    const tip = project.git("rev-parse", "heddle/plan-1");
    const asked = await project.heddle("undo", "T001");
    expect(asked.code).toBe(1);
    expect(asked.out).toContain("added    src/T001.ts  +2 -0");
    expect(asked.out).toContain("+two");
    expect(asked.out).toContain("hint: heddle undo T001 --yes");
    expect(project.git("rev-parse", "heddle/plan-1")).toBe(tip);

    const refused = await project.heddle("undo", "T002", "--yes");
    expect(refused.code).toBe(1);
    expect(refused.err).toContain("T003 rest on it and are complete");
    expect(refused.err).toContain("--force");

    const undone = await project.must("undo", "T001", "--yes", "--reason", "wrong");
    expect(undone.out).toContain("landed: 1 file changed");
    expect(project.has("app/src/T001.ts")).toBe(false);
    expect(project.has("app/src/T002.ts")).toBe(true);
    expect(
      project.git("log", "-1", "--format=%s|%(trailers:key=Heddle-Undo,valueonly)", "heddle/plan-1").trim(),
    ).toBe("Undo T001: Build T001|T001");
    expect(project.git("status", "--porcelain", "--untracked-files=no")).toBe("");
    expect(await project.status()).toMatchObject({ phase: "executing", tasks: { complete: 2, failed: 1 } });
    expect((await project.heddle("undo", "T001", "--yes")).err).toContain(
      "no change on the integration branch",
    );

    await project.must("state", "retry-task", "T001");
    expect((await project.execute()).code).toBe(0);
    expect(readFileSync(project.path("app/src/T001.ts"), "utf8")).toBe("one\ntwo\n");
    expect((await project.heddle("verify")).code).toBe(0);
  });

  it("X21 takes the files back out of a target without git, and leaves what a person changed alone", async () => {
    const project = await done(false);
    await project.must("undo", "T003", "--yes");
    expect(project.has("app/src/T003.ts")).toBe(false);
    writeFileSync(project.path("app/src/T002.ts"), "mine\n");
    const kept = await project.must("undo", "T002", "--yes");
    expect(kept.out).toContain("not landed: files were changed");
    expect(readFileSync(project.path("app/src/T002.ts"), "utf8")).toBe("mine\n");
  });

  it("X21 explains a conflict, with the task that changed the file again", async () => {
    const project = await executable({
      tasks: 2,
      after: (n) => (n === 2 ? [1] : []),
      git: true,
      turns: {
        T001: [{ files: { "src/T001.ts": "x\n", "NOTES.md": "first\n" } }],
        T002: [{ files: { "src/T002.ts": "x\n", "NOTES.md": "second\n" } }],
      },
    });
    project.write(".heddle/config.json", JSON.stringify({ scope: "any" }));
    expect((await project.execute()).code).toBe(0);
    const tip = project.git("rev-parse", "heddle/plan-1");
    const refused = await project.heddle("undo", "T001", "--yes", "--force");
    expect(refused.code).toBe(1);
    expect(refused.err).toContain("changed again since by T002");
    expect(refused.err).toContain("NOTES.md (");
    expect(refused.err).toContain("hint: heddle undo T002 first");
    expect(project.git("rev-parse", "heddle/plan-1")).toBe(tip);
    expect((await project.status()).orchestrator).toBeNull();
    await project.must("undo", "T002", "--yes");
    await project.must("undo", "T001", "--yes");
    expect(project.has("app/NOTES.md")).toBe(false);
  });

  it("X21 goes on where one who died after the branch had moved left it", async () => {
    const project = await done(true);
    const commit = project.git("log", "--format=%H", "--grep=Heddle-Task: T001", "heddle/plan-1").trim();
    project.git("worktree", "add", "-q", "../aside", "heddle/plan-1");
    const who = ["-c", "user.name=P", "-c", "user.email=p@x"];
    project.git("-C", "../aside", ...who, "revert", "--no-edit", commit);
    project.git("worktree", "remove", "../aside");
    const tip = project.git("rev-parse", "heddle/plan-1").trim();
    const undone = await project.json("undo", "T001", "--yes");
    expect(undone).toMatchObject({ undone: true, by: tip, landing: { landed: true } });
    expect(project.git("rev-parse", "heddle/plan-1").trim()).toBe(tip);
    expect((await project.status()).tasks).toMatchObject({ failed: 1, complete: 2 });
  });

  it("X21 refuses while an orchestrator works", async () => {
    const project = await executable({ tasks: 2, turns: { T002: [{ ends: "hanging" }] } });
    const running = project.begin();
    const over = project.end(running);
    await until("T001 is done", async () => (await project.status()).tasks.complete === 1);
    const refused = await project.heddle("undo", "T001", "--yes");
    expect([refused.code, refused.err.includes("is orchestrated by process")]).toEqual([1, true]);
    running.kill("SIGKILL");
    await over;
    expect((await project.heddle("undo", "T001", "--yes")).code).toBe(0);
  });
});

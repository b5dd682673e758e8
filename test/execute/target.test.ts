// What a plan is executed on, and single tasks by their names: nothing begins that cannot be what a person meant.
import { mkdirSync, renameSync, rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Execution } from "./rig.ts";

describe("the target", () => {
  it("X2 one that is gone, empty, or another repository than was planned for, is an error before anything starts", async () => {
    const project = await Execution.ready({ tasks: 1 });
    renameSync(project.path("app"), project.path("kept"));
    const gone = await project.execute("--batch");
    expect(gone.code).toBe(1);
    expect(gone.err).toContain("is missing");
    expect(project.has("app")).toBe(false);
    mkdirSync(project.path("app"));
    expect((await project.execute("--batch")).err).toContain(
      "is empty, but had files when the plan was made",
    );
    project.makeTarget();
    // Made within the same second, its first commit would be the very same one.
    rmSync(project.path("app/.git"), { recursive: true });
    const ada = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
    project.git("init", "-q", "-b", "main");
    project.git("add", "-A");
    project.git(...ada, "commit", "-qm", "Other");
    const other = await project.execute("--batch");
    expect(other.code).toBe(1);
    expect(other.err).toContain("is not the repository that the plan was made for");
    expect(other.err).toContain("heddle plan --target app");
    expect((await project.status()).tasks).toMatchObject({ pending: 1 });
    rmSync(project.path("app"), { recursive: true });
    renameSync(project.path("kept"), project.path("app"));
    expect((await project.execute("--batch")).code).toBe(0);
  });
});

describe("X1 heddle execute T002", () => {
  it("X1 X14 exits by what came of that task, says why it cannot start, and finds a deleted branch again", async () => {
    const project = await Execution.ready(
      { tasks: 3, after: (n: number) => (n === 2 ? [1] : []) },
      {
        T003: [
          'propose({ status: "failed", error: { category: "implementation", message: "no luck", retryable: false } })',
        ],
      },
    );
    const early = await project.execute("T002");
    expect(early.code).toBe(1);
    expect(early.err).toContain("task `T002` cannot start: it is pending");
    expect(early.err).toContain("hint: heddle execute T001");
    expect((await project.execute("T001")).code).toBe(0);
    expect((await project.execute("T001")).code).toBe(0);
    project.git("branch", "-D", "heddle/plan-1");
    expect((await project.execute("T002")).code).toBe(0);
    expect(project.git("log", "--format=%(trailers:key=Heddle-Task,valueonly)", "heddle/plan-1")).toContain(
      "T001",
    );
    expect((await project.status()).tasks).toMatchObject({ complete: 2, failed: 0 });
    const failed = await project.execute("T003");
    expect(failed.code).toBe(1);
    expect(failed.out).toContain("T003 is failed: attempt 1 failed (implementation): no luck");
    const again = await project.execute("T003");
    expect(again.err).toContain("hint: heddle state retry-task T003 --force, then: heddle execute T003");
  });
});

// The story of one task, as its user lives it (L).
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { code, json, Lifecycle, plan } from "./rig.ts";

describe("one task from brief to done", () => {
  it("L1 L2 L3 L9 L12 each `heddle next` takes one phase, and the last one lands exactly the task's change", async () => {
    const project = await Lifecycle.begun();
    for (const folder of ["planning", "review", "code", "eval", "accept", "revert"])
      expect(existsSync(project.task(folder)), folder).toBe(true);
    expect(project.stateJson()).toMatchObject({
      phase: "planning",
      round: 0,
      actors: { planning: { status: "draft" } },
    });
    project.write("app/mine.txt", "what happens to lie around\n");
    const seen: string[] = [];
    for (let step = 0; step < 6; step++) {
      const ran = await project.next();
      expect(ran.code, ran.err + ran.out).toBe(0);
      seen.push(project.stateJson().phase);
    }
    expect(seen).toEqual(["plan_review", "codegen", "review", "test", "accept", "done"]);
    expect(readFileSync(project.path("app/greet.txt"), "utf8")).toBe("Hello, Ada!\n");
    expect(project.git("show", "--name-only", "--format=%s", "HEAD").trim().split("\n")).toEqual([
      "task-1: Greet people by name",
      "",
      "greet.txt",
    ]);
    expect(project.git("status", "--porcelain").trim()).toBe("?? mine.txt");
    expect(project.document("eval/eval-report.json")).toMatchObject({
      overall_pass: true,
      summary: { passed: 2, failed: 0 },
      suites: [{ id: "acceptance" }, { id: "tests" }],
    });
    expect((await project.next()).out).toBe(
      "done (end): the task is finished\nhint: heddle redo opens it again, heddle revert takes it back\n",
    );
    expect((await project.heddle("verify")).code).toBe(0);
  });

  it("L3 `next --all` goes the whole way, and sent back work is done again", async () => {
    const project = await Lifecycle.begun({
      "plan-reviewer": [json({ ok: false, blocking_issues: ["no test"] }), json({ ok: true })],
      planner: [json({ ...plan, approach: "first" }), json(plan)],
      coder: [code({ "greet.txt": "Goodbye\n" }), code({ "greet.txt": "Hello, Ada!\n" })],
    });
    const ran = await project.all();
    expect(ran.code, ran.err + ran.out).toBe(0);
    expect(await project.phases()).toEqual([
      "planning → plan_review",
      "plan_review → planning",
      "planning → plan_review",
      "plan_review → codegen",
      "codegen → review",
      "review → test",
      "test → codegen",
      "codegen → review",
      "review → test",
      "test → accept",
      "accept → done",
    ]);
    expect(project.stateJson().round).toBe(2);
  });
});

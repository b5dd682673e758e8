// A verdict that blocks the plan, and what makes it count no more.
import { beforeAll, describe, expect, it } from "vitest";
import type { Ran } from "../e2e/rig.ts";
import { confined, Planning, readyPlan } from "./rig.ts";

const block =
  'const it = document(); it.verdict = "BLOCKED"; it.summary = "T004 is far too large"; it.issues = ["T004 has two layers"];' +
  'it.tasks[3].dimensions.viability = { score: "FAIL", evidence: "two layers", suggestion: "split it" }; put(it)';

describe("a BLOCKED verdict", () => {
  const project = new Planning({ "task-plan-verifier": [block, block, "good()", "good()", block] });
  let planned: Ran;
  beforeAll(async () => {
    planned = await project.plan();
  });

  it("D14 exits 1, shows the summary and the report's path, and waits", async () => {
    expect(planned.code).toBe(1);
    expect(planned.out).toContain("T004 is far too large");
    expect(planned.out).toContain(project.path("project-planning/reports/task-validation-report.md"));
    expect(planned.out).toContain("heddle verify-plan");
    expect(await project.phase()).toBe("validation");
  });

  it("D14 is kept with its issues", async () => {
    const registered = (await project.history()).findLast(({ fact }) => fact.artifact === "task_validation");
    expect(registered?.fact.content).toMatchObject({ verdict: "BLOCKED", issues: ["T004 has two layers"] });
  });

  it("D11 is in the report with its evidence", () => {
    const report = project.text("project-planning/reports/task-validation-report.md");
    expect(report).toContain("BLOCKED");
    expect(report).toContain("two layers");
  });

  it("D14 is not paid for again by `heddle plan`", async () => {
    const again = await project.again();
    expect(again.code).toBe(1);
    expect(again.out).toContain("T004 is far too large");
    expect(project.attempts("task-plan-verifier")).toHaveLength(1);
  });

  it("D24 is asked for again by `heddle verify-plan`, though nothing changed", async () => {
    const verified = await project.heddle("verify-plan", ...confined(false));
    expect(verified.out).toContain("T004 is far too large");
    expect(project.attempts("task-plan-verifier")).toHaveLength(2);
    expect(await project.phase()).toBe("validation");
  });

  it("D14 is judged again by `heddle verify-plan` after the task files were changed", async () => {
    const task = project.task("T004");
    project.write("project-planning/tasks/T004.json", JSON.stringify({ ...task, name: "Smaller" }));
    const verified = await project.heddle("verify-plan", ...confined(false));
    expect(verified.code, verified.out + verified.err).toBe(0);
    expect(project.attempts("task-plan-verifier")).toHaveLength(3);
  });

  it("D24 the verifier is asked at `ready` too, and of a complete run, which stays complete whatever it says", async () => {
    expect(await project.phase()).toBe("ready");
    expect((await project.heddle("verify-plan", ...confined(false))).code).toBe(0);
    expect(project.attempts("task-plan-verifier")).toHaveLength(4);
    expect(await project.phase()).toBe("ready");
    await project.must("state", "advance");
    for (const id of Object.keys(project.stateJson().tasks))
      await project.must("state", "skip-task", id, "no");
    await project.must("state", "advance");
    expect(await project.phase()).toBe("complete");
    const verified = await project.heddle("verify-plan", ...confined(false));
    expect(project.attempts("task-plan-verifier")).toHaveLength(5);
    expect(verified.out).toContain("BLOCKED: T004 is far too large");
    expect(verified.code).toBe(1);
    expect(await project.status()).toMatchObject({ phase: "complete", halt: null });
  });

  it.each(["verifying", "gap_planning"])(
    "D24 the verifier is asked at `%s` too, and nobody else is",
    async (phase) => {
      const before = project.attempts("").length;
      await project.must("next", "--override", "a try", "--to", phase);
      const verified = await project.heddle("verify-plan", ...confined(false));
      expect(verified.out, verified.err).toContain("BLOCKED: T004 is far too large");
      expect(verified.code).toBe(1);
      expect(await project.status()).toMatchObject({ phase, halt: null, job: null });
      expect(project.attempts("").length).toBe(before + 1);
    },
  );
});

describe.concurrent("a READY verdict", () => {
  it("D14 no longer counts after a task was changed; the plan is judged again, and the same words may be right again", async () => {
    const project = new Planning();
    await project.plan();
    project.write(
      "project-planning/tasks/T004.json",
      JSON.stringify({ ...project.task("T004"), name: "Other" }),
    );
    const verified = await project.heddle("verify-plan", ...confined(false));
    expect(project.attempts("task-plan-verifier").length).toBeGreaterThan(1);
    const facts = await project.history();
    const verdicts = facts.filter(({ fact }) => fact.artifact === "task_validation");
    expect(verdicts, verified.out + verified.err).toHaveLength(2);
    expect(verified.code).toBe(0);
  });

  it("D14 stays good when only the order was changed", async () => {
    const project = await readyPlan();
    const task = project.task("T010");
    project.write("project-planning/tasks/T010.json", JSON.stringify({ ...task, phase: 5 }));
    const again = await project.heddle("plan", "--agent", "scripted:script.json");
    expect(again.code, again.err).toBe(0);
    expect(project.attempts("task-plan-verifier")).toHaveLength(1);
  });

  it("D14 needs tasks to be judged: verify-plan before there are any is refused in one sentence", async () => {
    const project = new Planning();
    await project.must("init", "app");
    const { code, err } = await project.heddle("verify-plan", ...confined(false));
    expect(code).toBe(1);
    expect(err).toMatch(/^error: /);
  });
});

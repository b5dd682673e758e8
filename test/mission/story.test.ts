import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { executionReport } from "../../src/view/report/execution-report.ts";
import { Mission } from "./rig.ts";

describe("heddle mission", () => {
  it("M1–M9 brings a goal from research to verified, landed work, one commit per task", async () => {
    const project = new Mission();
    const ran = await project.mission("write the files");
    expect(ran.err).toMatch(/^note: added .* to .git.info.exclude: .*\n$/);
    expect(ran.out).toContain("phase_complete: Phase Complete");
    expect(ran.code).toBe(0);
    expect(project.merged()).toEqual(["01-01", "01-02"]);
    expect(readFileSync(project.path("src/01-02.txt"), "utf8")).toBe("01-02\n");
    expect(project.git("status", "--porcelain", "src")).toBe("");
    expect(project.stateJson()).toMatchObject({
      current_phase: 2,
      current_task_idx: 0,
      retry_count: 0,
      gap_count: 0,
      status: "complete",
      variables: { research_done: true },
    });
    expect(project.artifact("verification.json").passed).toBe(true);
    expect(project.artifact("summary_01-01.json").status).toBe("complete");
    expect(project.attempts()).toEqual([
      "01-01-1",
      "01-02-1",
      "mission-planner-1",
      "researcher-1",
      "verifier-1",
    ]);
    // M2 M3 M7: each role has its own skill, and what it builds on.
    const planner = project.bundle("mission-planner-1");
    expect(planner.skill).toContain("# Mission planner");
    expect(Object.keys(planner.inputs)).toEqual(["context", "research"]);
    expect(readFileSync(planner.inputs.context.path, "utf8")).toContain("write the files");
    const verifier = project.bundle("verifier-1");
    expect(verifier.inputs.plan.path).toBe(project.path("artifacts/plan.json"));
    expect(verifier.inputs.summaries.map(({ path }: { path: string }) => path)).toEqual([
      project.path("artifacts/summary_01-01.json"),
      project.path("artifacts/summary_01-02.json"),
    ]);
    expect(verifier.evidence[0]).toMatchObject({ task_id: "01-01", checks: [{ ok: true, exit: 0 }] });
    expect(project.bundle("01-01-1")).toMatchObject({ role: "executor", task: { id: "01-01" } });
    expect((await project.heddle("verify")).code).toBe(0);
    const report = await project.json("report");
    expect(executionReport.safeParse(report).error).toBeUndefined();
    expect(report.verification).toMatchObject({ passed: true, gaps: [] });
    // Called again, it says so again and pays nobody.
    const again = await project.mission();
    expect(again.code).toBe(0);
    expect(project.attempts()).toHaveLength(5);
  });
});

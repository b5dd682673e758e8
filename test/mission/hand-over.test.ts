// `heddle mission --then execute`: research and plan are a mission's, the work is a decomposition's, the verification is a
// mission's again; each on the same engine, and each goes on after a kill.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { killedWhen } from "../e2e/rig.ts";
import { Mission } from "./rig.ts";

/** 2 in `npm test`, 6 in CI. */
const kills = Number(process.env.HEDDLE_HANDOVER_KILLS ?? 2);
const handOver = ["--then", "execute"];

const lines = (project: Mission) =>
  project.has(".heddle/logs/activity.jsonl")
    ? readFileSync(project.path(".heddle/logs/activity.jsonl"), "utf8").split("\n").length
    : 0;

describe("heddle mission --then execute", () => {
  it("M3 D4 X1 M7 hands plan and research over as a specification, has it executed, verified and given back", async () => {
    const project = new Mission();
    const ran = await project.mission("write the files", ...handOver);
    expect(ran.err).toMatch(/^note: added .* to .git.info.exclude: .*\n$/);
    expect(ran.out).toContain("handed over to plan-1");
    expect(ran.out).toContain("verified: ");
    expect(ran.out).toContain("phase_complete: Phase Complete");
    expect(ran.code).toBe(0);
    const spec = readFileSync(project.path("project-planning/inputs/spec.md"), "utf8");
    expect(spec).toContain("# the files are there");
    expect(spec).toContain("- REQ-1: Write 01-01. Write 01-01 into src/01-01.txt. Files: `src/01-01.txt`.");
    expect(spec).toContain("- REQ-3: every file is there. Shown by: `ls src`");
    expect(spec).toContain("- files: there are few");
    expect(spec).toContain("write the files");
    expect(project.mergedOn("heddle/plan-1").sort()).toEqual(["T001", "T002"]);
    expect(readFileSync(project.path("src/01-02.txt"), "utf8")).toBe("01-02\n");
    expect(project.attempts()).toEqual(["mission-planner-1", "researcher-1"]);
    // The mission's own must-haves were judged, beside those of the capability map.
    const { checks } = JSON.parse(
      readFileSync(project.path("project-planning/artifacts/verification.json"), "utf8"),
    );
    expect(checks.map(({ claim }: { claim: string }) => claim)).toContain("every file is there");
    expect(project.stateJson()).toMatchObject({ current_phase: 2, status: "complete" });
    expect((await project.heddle("verify")).code).toBe(0);
    // Again it says so, and pays nobody; the next phase begins from what was done.
    expect((await project.mission()).code).toBe(0);
    project.agent({ "mission-planner": ['hand(plan("02-01"))'] });
    const next = await project.mission("--next");
    expect(next.code, next.err + next.out).toBe(0);
    expect(project.merged().at(-1)).toBe("02-01");
    expect(project.merged()).toHaveLength(3);
    expect(project.has("src/02-01.txt")).toBe(true);
  });

  it("may be said when the plan is there, as long as nothing of it was begun", async () => {
    const project = new Mission({ "01-01": ['sum("blocked", { message: "wait" })', "good()"] });
    expect((await project.mission("write the files")).code).toBe(1);
    const ran = await project.mission(...handOver);
    expect(ran.code).toBe(1);
    expect(ran.err).toContain("`01-01` was begun: this plan is no longer handed over");
    await project.must("answer", "01-01-1-blocked", "go on");
    expect((await project.mission()).code).toBe(0);
    const complete = await project.mission(...handOver);
    expect(complete.code).toBe(0);
    expect(complete.out).toContain("hint: heddle mission --next begins the next phase");
    project.agent({ "mission-planner": ['hand(plan("02-01"))'] });
    const next = await project.mission("--next", ...handOver);
    expect(next.code, next.err + next.out).toBe(0);
    expect(project.mergedOn("heddle/plan-1")).toEqual(["01-01", "01-02", "T001"]);
  });

  it("refuses while there is another plan, and leaves it alone", async () => {
    const project = new Mission();
    await project.must("init", "app");
    const ran = await project.mission("write the files", ...handOver);
    expect(ran.code).toBe(1);
    expect(ran.err).toContain("there is a plan already: `plan-1`");
    expect(project.attempts()).toEqual([]);
  });

  it("a plan that stands still is gone on with by the same command", async () => {
    const project = new Mission({
      "task-plan-verifier": ['hand("words, nothing but words")'],
      fixer: ["process.exit(1)"],
    });
    const ran = await project.mission("write the files", ...handOver);
    expect(ran.code).toBe(1);
    expect(ran.out).toContain("hint: heddle mission goes on with it");
    expect(project.stateJson()).toMatchObject({ status: "handed_over" });
    // Commands that name no run are about the work.
    expect((await project.status()).run).toBe("plan-1");
    expect((await project.json("status", "--run", "mission-1")).standing).toMatchObject({
      code: "handed_over",
    });
    project.agent({});
    const ended = await project.mission();
    expect(ended.code, ended.err + ended.out).toBe(0);
    expect(project.mergedOn("heddle/plan-1").sort()).toEqual(["T001", "T002"]);
  });

  it("G1 G3 killed anywhere between goal and landing, the same command brings it to the same end", async () => {
    const whole = new Mission();
    await whole.must("mission", "init", "write the files");
    const begun = lines(whole);
    expect((await whole.mission(...handOver)).code).toBe(0);
    const all = lines(whole) - begun;
    for (let kill = 1; kill <= kills; kill++) {
      const project = new Mission();
      await project.must("mission", "init", "write the files");
      const at = begun + Math.floor((all * kill) / (kills + 1));
      const { child, ran } = project.started(...handOver);
      await killedWhen(child, ran, () => lines(project) >= at);
      const ended = await project.mission();
      expect(ended.code, `killed at ${kill}: ${ended.err}${ended.out}`).toBe(0);
      expect(project.mergedOn("heddle/plan-1").sort()).toEqual(["T001", "T002"]);
      expect(project.stateJson()).toMatchObject({ current_phase: 2, status: "complete" });
      expect((await project.heddle("verify")).code).toBe(0);
    }
  }, 240_000);
});

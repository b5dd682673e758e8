// `kill -9` between any two steps of a mission: it goes on where it stood, pays nobody twice for what was done, and the
// branch holds each task's change exactly once. `HEDDLE_MISSION_KILLS` says how often (6 in `npm test`).
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { until } from "../e2e/rig.ts";
import { hasBox, Mission, plan } from "./rig.ts";

const kills = Number(process.env.HEDDLE_MISSION_KILLS ?? 6);

/** A checkpoint in the middle, a red command, and a gap plan: a way through every step. */
const turns = {
  "01-01": ['put("src/01-01.txt", "wrong"); sum("complete")', "good()"],
  verifier: ["judge(false)", "judge(true)"],
  "mission-planner": ["good()", 'hand(plan("01-03"))'],
};

function written(project: Mission): number {
  try {
    return readFileSync(project.path(".heddle/logs/activity.jsonl"), "utf8").split("\n").length;
  } catch {
    return 0;
  }
}

describe.runIf(hasBox)("kill -9", () => {
  it(`M1–M9 after ${kills} kills, each at another step, a mission ends as if nothing had happened`, async () => {
    const whole = new Mission(turns);
    expect((await whole.mission("write the files")).code).toBe(0);
    const lines = written(whole);
    expect(lines).toBeGreaterThan(20);
    for (let kill = 0; kill < kills; kill++) {
      const project = new Mission(turns);
      await project.must("mission", "init", "write the files");
      // Twice in each mission: the second orchestrator may die as well.
      for (const part of [kill / kills, (kill + 0.5) / kills]) {
        const at = Math.max(3, Math.floor(lines * part));
        const { child, ran } = project.started();
        let over = false;
        void ran.then(() => {
          over = true;
        });
        await until(`line ${at}`, () => over || written(project) >= at);
        child.kill("SIGKILL");
        await ran;
      }
      const ended = await project.mission();
      expect(ended.err, `killed at ${kill}/${kills}`).toBe("");
      expect(ended.code, ended.out).toBe(0);
      expect(project.merged()).toEqual(["01-01", "01-02", "01-03"]);
      const completed = (await project.facts("task-completed")).map((fact) => fact.task);
      expect(completed).toEqual(["01-01", "01-02", "01-03"]);
      expect((await project.heddle("verify")).code).toBe(0);
    }
  }, 180_000);

  it("a plan that is edited while a killed task is under way counts from that task's end on", async () => {
    const project = new Mission({ "01-01": ["hang()", "good()"] });
    await project.must("mission", "init", "write the files");
    const { child, ran } = project.started();
    await until(
      "the task is under way",
      () =>
        project.attempts().includes("01-01-1") &&
        project.has(".heddle/attempts/mission-1/01-01-1/started.json"),
    );
    child.kill("SIGKILL");
    await ran;
    const edited = plan("01-01", "01-02", "01-05");
    const [first] = edited.tasks;
    if (first) first.title = "Written differently";
    project.write("artifacts/plan.json", JSON.stringify(edited));
    const ended = await project.mission();
    expect(ended.err).toBe("");
    expect(ended.code, ended.out).toBe(0);
    expect((await project.status()).session).toMatchObject({ status: "complete" });
    expect(project.merged()).toEqual(["01-01", "01-02", "01-05", "01-01"]);
    expect(project.stateJson().tasks["01-01"].name).toBe("Written differently");
  }, 60_000);
});

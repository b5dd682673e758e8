// `kill -9` between any two steps of a mission: it goes on where it stood, pays nobody twice for what was done, and ends as
// the one that nobody killed. `HEDDLE_MISSION_KILLS` says how often (2 in `npm test`, 12 in CI); `all`: at every fact of the journal.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { killedWhen, until } from "../e2e/rig.ts";
import { Mission, plan } from "./rig.ts";

const said = process.env.HEDDLE_MISSION_KILLS ?? "1";

/** A checkpoint in the middle, a red command, prose, and a gap plan: a way through every step. */
const turns = {
  researcher: [
    'say("I looked around."); hand("Here it is: " + JSON.stringify({ knowledge: [{ topic: "a", findings: "b" }] }))',
  ],
  "01-01": ['put("src/01-01.txt", "wrong"); sum("complete")', "good()"],
  "01-02": [
    'sum("checkpoint", { checkpoint: { reason: "human_verify", message: "Fine?", options: ["yes"] } })',
    "good()",
  ],
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

/** Goes on until it is over; a person answers what there is to answer. */
async function toItsEnd(project: Mission): Promise<void> {
  for (let turn = 0; ; turn++) {
    const ended = await project.mission();
    expect(ended.err).toBe("");
    if (ended.code === 0) return;
    expect(ended.out).toContain("checkpoint_required: Fine?");
    expect(turn).toBe(0);
    const [question] = (await project.status()).questions;
    await project.must("answer", question.id, "yes");
  }
}

async function killedAt(at: number, project: Mission): Promise<void> {
  const { child, ran } = project.started();
  await killedWhen(child, ran, () => written(project) >= at);
}

/** Everything that a mission leaves: its session, its documents, its branch, and what was done how often. */
async function cameTo(project: Mission): Promise<object> {
  const { current_phase, current_task_idx, retry_count, gap_count, status } = project.stateJson();
  const done = ["task-completed", "task-merged", "phase-entered"];
  const facts = await project.history();
  return {
    session: { current_phase, current_task_idx, retry_count, gap_count, status },
    documents: ["research", "plan", "verification", "archive/plan-1.0/plan"].map((name) =>
      project.artifact(`${name}.json`),
    ),
    summaries: ["archive/plan-1.0/summary_01-01", "archive/plan-1.0/summary_01-02", "summary_01-03"].map(
      (name) => project.artifact(`${name}.json`).status,
    ),
    tree: project.git("rev-parse", "heddle/mission-1^{tree}"),
    landed: project.git("rev-parse", "HEAD^{tree}"),
    merged: project.merged(),
    facts: facts
      .map(({ fact }) => fact)
      .filter(({ kind }) => done.includes(kind))
      .map(({ kind, task, to }) => [kind, task, to]),
    store: (await project.heddle("verify")).code,
  };
}

describe("kill -9", () => {
  it(`M1–M9 after ${said} × 2 kills, each between other steps, a mission ends as the one that nobody killed`, async () => {
    const whole = new Mission(turns);
    await whole.must("mission", "init", "write the files");
    const begun = written(whole);
    await toItsEnd(whole);
    const wanted = await cameTo(whole);
    expect(wanted).toMatchObject({ merged: ["01-01", "01-02", "01-03"], store: 0 });
    const all = written(whole) - begun;
    expect(all).toBeGreaterThan(20);
    const kills = said === "all" ? all : Number(said);
    for (let kill = 0; kill < kills; kill++) {
      const project = new Mission(turns);
      await project.must("mission", "init", "write the files");
      await killedAt(begun + Math.floor((all * kill) / kills), project);
      // The second orchestrator may die as well.
      if (said !== "all") await killedAt(begun + Math.floor((all * (kill + 0.5)) / kills), project);
      await toItsEnd(project);
      expect(await cameTo(project), `killed at ${kill}/${kills}`).toEqual(wanted);
      if (said === "all") console.log(`killed at fact ${kill} of ${kills}: the same end`);
    }
  }, 3_600_000);

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
  });
});

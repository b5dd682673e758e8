// C2 C3 M1: `.meta/session.json` shows where a mission stands and survives everything; what a person does to it is noticed.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { until } from "../e2e/rig.ts";
import { Mission } from "./rig.ts";

const goal = "write the files";
const stops = { "01-02": ['sum("blocked", { message: "wait" })', "good()"] };
const fields = ["current_phase", "current_task_idx", "retry_count", "gap_count", "status"] as const;

const shown = (project: Mission) => {
  const session = project.stateJson();
  return Object.fromEntries(fields.map((name) => [name, session[name]]));
};

async function waiting(): Promise<Mission> {
  const project = new Mission(stops);
  expect((await project.mission(goal)).code).toBe(1);
  expect(shown(project)).toMatchObject({ current_phase: 1, current_task_idx: 1, status: "waiting" });
  return project;
}

async function ends(project: Mission): Promise<void> {
  await project.must("answer", "01-02-1-blocked", "go on");
  expect((await project.mission()).code).toBe(0);
  expect(project.merged()).toEqual(["01-01", "01-02"]);
  expect(project.attempts()).not.toContain("01-01-2");
}

describe("the session", () => {
  it("C2 counts retries and gaps, keeps them over restarts, and begins anew with every phase", async () => {
    const red = 'put("src/x.txt", "wrong"); sum("complete")';
    const project = new Mission({
      "01-01": [red, red, 'sum("blocked", { message: "wait" })', "good()"],
      "01-03": ['sum("blocked", { message: "wait" })', "good()"],
      verifier: ["judge(false)", "judge(true)"],
      "mission-planner": ["good()", 'hand(plan("01-03"))', 'hand(plan("02-01"))'],
    });
    expect((await project.mission(goal)).code).toBe(1);
    expect(shown(project)).toMatchObject({ current_task_idx: 0, retry_count: 2, gap_count: 0 });
    expect(project.stateJson().variables).toMatchObject({ research_done: true });
    // Each of these is another process.
    expect((await project.json("status")).session).toMatchObject({ retry_count: 2 });
    await project.must("answer", "01-01-3-blocked", "go on");
    expect((await project.mission()).code).toBe(1);
    expect(shown(project)).toMatchObject({
      current_phase: 1,
      current_task_idx: 0,
      retry_count: 0,
      gap_count: 1,
    });
    await project.must("answer", "01-03-1-blocked", "go on");
    expect((await project.mission()).code).toBe(0);
    expect((await project.mission("--next")).code).toBe(0);
    expect(shown(project)).toMatchObject({
      current_phase: 3,
      gap_count: 0,
      retry_count: 0,
      status: "complete",
    });
  });

  it("C3 edited by hand stops the mission with the difference, and nothing is lost", async () => {
    const project = await waiting();
    const text = readFileSync(project.view, "utf8");
    writeFileSync(project.view, text.replace('"current_task_idx": 1', '"current_task_idx": 0'));
    const edited = readFileSync(project.view, "utf8");
    for (const words of [["mission"], ["status"], ["answer", "01-02-1-blocked", "x"]]) {
      const ran = await project.heddle(...words, ...(words[0] === "mission" ? project.words : []));
      expect(ran.code, words.join(" ")).toBe(1);
      expect(ran.err).toContain("current_task_idx: 1 -> 0");
      expect(ran.err).toMatch(/heddle state (?:adopt|restore)/);
    }
    expect(readFileSync(project.view, "utf8")).toBe(edited);
    await project.must("state", "restore");
    expect(readFileSync(project.view, "utf8")).toContain('"current_task_idx": 1');
    await ends(project);
  });

  it.each([
    ["cut in the middle", (text: string) => text.slice(0, 300)],
    ["empty", () => ""],
    ["no JSON", () => "oops"],
  ])("C3 %s: it is written again from the journal, and the repair is recorded", async (_, damage) => {
    const project = await waiting();
    writeFileSync(project.view, damage(readFileSync(project.view, "utf8")));
    expect((await project.mission()).code).toBe(1);
    expect(shown(project)).toMatchObject({ current_task_idx: 1, status: "waiting" });
    expect(await project.facts("view-repaired")).toMatchObject([{ was: "broken" }]);
    await ends(project);
  });

  it("C3 gone: the same", async () => {
    const project = await waiting();
    rmSync(project.view);
    expect((await project.status()).session).toMatchObject({ current_task_idx: 1 });
    expect(await project.facts("view-repaired")).toMatchObject([{ was: "missing" }]);
    await ends(project);
  });
});

describe("M12 the session tells a host the truth", () => {
  it("M12 X12 X26 a halt has code, message and command; a killed orchestrator is gone, and its task can be retried", async () => {
    const project = new Mission({
      "01-01": [
        'sum("checkpoint", { checkpoint: { reason: "decision_required", message: "Red or blue?" } })',
        "good()",
      ],
      "01-02": ["hang()", "good()"],
    });
    await project.mission(goal);
    expect(project.stateJson().halt).toEqual({
      code: "checkpoint_required",
      message: "Red or blue?",
      command: 'heddle answer 01-01-1-decision_required "<text>" && heddle mission',
    });
    await project.must("answer", "01-01-1-decision_required", "red");
    // The command of a halt, typed as it stands, goes on.
    expect(project.stateJson().halt).toBeNull();
    const { child, ran } = project.started();
    await until("the second task", () => project.has(".heddle/attempts/mission-1/01-02-1/started.json"));
    expect((await project.heddle("state", "retry-task", "01-02")).err).toContain("cannot be retried");
    child.kill("SIGKILL");
    await ran;
    const { session, standing } = await project.json("status");
    expect(session.status).toBe("interrupted");
    expect(standing).toMatchObject({ code: "orchestrator_gone", hint: "heddle mission" });
    expect(standing.message).toContain("no orchestrator has been running since");
    expect((await project.heddle("why")).out).toContain("no orchestrator has been running");
    await project.must("state", "retry-task", "01-02");
    expect(project.stateJson().tasks["01-02"].status).toBe("pending");
    expect((await project.mission()).code).toBe(0);
    expect(project.stateJson().halt).toMatchObject({
      code: "phase_complete",
      command: "heddle mission --next",
    });
  });

  it("C3 M12 an edited index can be adopted, as the hint says; what cannot be is not offered", async () => {
    const project = await waiting();
    const edit = (from: string, to: string) =>
      writeFileSync(project.view, readFileSync(project.view, "utf8").replace(from, to));
    edit('"retry_count": 0', '"retry_count": 7');
    const refused = await project.heddle("status");
    expect(refused.err).toContain("hint: heddle state restore");
    expect(refused.err).not.toContain("adopt");
    await project.must("state", "restore");
    edit('"current_task_idx": 1', '"current_task_idx": 2');
    expect((await project.heddle("status")).err).toContain('hint: heddle state adopt --reason "<why>"');
    await project.must("state", "adopt", "--reason", "done by hand");
    expect(shown(project)).toMatchObject({ current_task_idx: 2 });
    expect(project.stateJson().tasks["01-02"].status).toBe("skipped");
    expect((await project.mission()).code).toBe(0);
  });
});

describe("what is said to a person", () => {
  it("C14 M1 without an agent: one sentence, and nothing is made", async () => {
    const project = new Mission();
    const ran = await project.heddle("mission", goal);
    expect(ran.code).toBe(1);
    expect(ran.err.match(/error:/g)).toHaveLength(1);
    expect(ran.err).toContain("no agent is named for role `researcher`");
    expect(ran.err).toMatch(/hint: .*--agent /);
    expect(project.has(".meta")).toBe(false);
  });

  it("C14 an agent that cannot be: one sentence, however many roles it was to play", async () => {
    const project = new Mission();
    const ran = await project.heddle("mission", goal, "--agent", "scripted:./nothing.json");
    expect(ran.code).toBe(1);
    expect(ran.err.match(/error:/g)).toHaveLength(1);
    expect(ran.err).toContain("nothing.json");
  });

  it("M1 the same goal said again goes on, another is refused", async () => {
    const project = new Mission();
    await project.must("mission", "init", goal);
    const other = await project.mission("something else");
    expect(other.err).toContain("there is a mission already");
    expect((await project.mission(goal)).code).toBe(0);
  });

  it.each(["status", "halt", "resume", "answer"])("C14 `heddle mission %s` is no goal", async (word) => {
    const project = new Mission();
    const ran = await project.mission(word);
    expect(ran.code).toBe(1);
    expect(ran.err).toContain(`\`${word}\` is not a goal`);
    expect(ran.err).toContain(`hint: heddle ${word}`);
    expect(project.has(".meta")).toBe(false);
  });

  it("M9 a halt is told once, with one way on", async () => {
    const project = new Mission({ researcher: ["process.exit(3)"] });
    const ran = await project.mission(goal);
    expect(ran.code).toBe(1);
    expect(ran.out.match(/^job: researcher failed/gm)).toHaveLength(1);
    expect(ran.out).toContain("  hint: heddle mission");
    expect(ran.out).not.toContain("heddle resume goes on");
  });
});

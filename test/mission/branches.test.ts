// Every branch of the mission's document, with agents that behave accordingly (M2–M9).
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Mission, plan, step } from "./rig.ts";

const goal = "write the files";

describe("M2 M3 research and plan", () => {
  it("M3 C6 a plan that is wrong goes back with what was wrong; the third try counts", async () => {
    const project = new Mission({
      "mission-planner": ['hand({ objective: "x" })', 'hand(plan("01-01", "01-01"))', "good()"],
    });
    expect((await project.mission(goal)).code).toBe(0);
    expect(project.bundle("mission-planner-2").problems.join()).toContain("tasks");
    expect(project.bundle("mission-planner-3").problems.join()).toContain("listed twice");
    expect(project.merged()).toEqual(["01-01", "01-02"]);
  });

  it("M3 M9 three wrong plans halt the mission, with a code, the reason and the command that goes on", async () => {
    const project = new Mission({
      "mission-planner": ['hand({ objective: "x" })', "hand({})", "hand({ tasks: [] })"],
    });
    const ran = await project.mission(goal);
    expect(ran.code).toBe(1);
    expect(ran.out).toMatch(/job: mission-planner failed/);
    expect(ran.out).toContain("hint: heddle mission");
    expect((await project.status()).standing).toMatchObject({ code: "job" });
    project.agent({});
    expect((await project.mission()).code).toBe(0);
    expect(project.attempts().filter((name) => name.startsWith("researcher"))).toEqual(["researcher-1"]);
  });

  it("M8 C6 prose goes to the fixer once; what it makes is checked like anything", async () => {
    const project = new Mission({
      "mission-planner": ['hand("I would begin with the first file, then the second.")'],
      fixer: ['put(out, plan("01-01", "01-02"))'],
    });
    expect((await project.mission(goal)).code).toBe(0);
    expect(project.attempts()).toContain("mission-planner-1");
    expect(project.attempts()).not.toContain("mission-planner-2");
  });

  it("M8 prose that the fixer cannot fix halts", async () => {
    const project = new Mission({ researcher: ['hand("nothing but words")'], fixer: ["process.exit(1)"] });
    const ran = await project.mission(goal);
    expect(ran.code).toBe(1);
    expect(ran.out).toMatch(/job: researcher failed/);
  });
});

describe("M4 M5 the tasks", () => {
  it("M5 C8 a checkpoint waits for a person; the answer reaches the executor, and can be corrected until then", async () => {
    const project = new Mission({
      "01-01": [
        'sum("checkpoint", { checkpoint: { reason: "decision_required", message: "Red or blue?", options: ["red", "blue"] } })',
        'if (bundle.answers[0].answer !== "red") throw new Error("no answer"); good()',
      ],
    });
    const ran = await project.mission(goal);
    expect(ran.code).toBe(1);
    expect(ran.out).toContain("checkpoint_required: Red or blue?");
    expect(ran.out).toContain('hint: heddle answer 01-01-1-decision_required "<text>", then: heddle mission');
    expect(project.artifact("summary_01-01.json").status).toBe("checkpoint");
    expect(project.stateJson()).toMatchObject({ status: "waiting", current_task_idx: 0 });
    // Without an answer it stands where it stood, and nobody is paid.
    expect((await project.mission()).code).toBe(1);
    expect(project.attempts()).not.toContain("01-01-2");
    // Given twice it counts once; another one takes its place, until an agent was given it.
    for (const color of ["blue", "red", "red"])
      await project.must("answer", "01-01-1-decision_required", color);
    expect((await project.mission()).code).toBe(0);
    expect((await project.heddle("answer", "01-01-1-decision_required", "blue")).code).toBe(1);
    expect(await project.facts("question-answered")).toHaveLength(2);
    // A checkpoint costs no try.
    expect(project.stateJson().tasks["01-01"].attempts).toBe(2);
    expect(await project.facts("attempt-failed")).toEqual([]);
  });

  it.each(["human_action", "human_verify"])("M5 a checkpoint may be %s", async (reason) => {
    const project = new Mission({
      "01-02": [`sum("checkpoint", { checkpoint: { reason: "${reason}", message: "Please" } })`, "good()"],
    });
    expect((await project.mission(goal)).out).toContain("checkpoint_required: Please");
    expect(project.stateJson()).toMatchObject({ current_task_idx: 1 });
    await project.must("answer", `01-02-1-${reason}`, "done");
    expect((await project.mission()).code).toBe(0);
  });

  it("M5 blocked halts with the reason; the answer starts it again", async () => {
    const project = new Mission({
      "01-01": [
        'sum("blocked", { message: "the registry is down" })',
        'if (bundle.answers[0].answer !== "it is up") throw new Error("no answer"); good()',
      ],
    });
    const ran = await project.mission(goal);
    expect(ran.code).toBe(1);
    expect(ran.out).toContain("task_blocked: the registry is down");
    await project.must("answer", "01-01-1-blocked", "it is up");
    expect((await project.mission()).code).toBe(0);
  });

  it("M5 M6 a task that fails, or whose command is red, is retried three times, then: Task Failed", async () => {
    const red = 'put("src/01-01.txt", "wrong"); sum("complete")';
    const project = new Mission({
      "01-01": ['sum("failed", { message: "no luck" })', red, red, red, "good()"],
    });
    const ran = await project.mission(goal);
    expect(ran.code).toBe(1);
    expect(ran.out).toContain("task_failed: Task Failed: 01-01, after 4 tries");
    expect(ran.out).toContain("hint: heddle state retry-task 01-01, then: heddle mission");
    expect(project.merged()).toEqual([]);
    expect(project.stateJson()).toMatchObject({ retry_count: 3, current_task_idx: 0 });
    expect(project.bundle("01-01-2").previous_attempt).toMatchObject({ error: "no luck" });
    expect(project.bundle("01-01-3").previous_attempt.red[0]).toMatchObject({ exit: 1 });
    await project.must("state", "retry-task", "01-01");
    expect((await project.mission()).code).toBe(0);
    expect(project.merged()).toEqual(["01-01", "01-02"]);
  });

  it("M8 an executor that returns prose: the fixer once, and its summary counts", async () => {
    const project = new Mission({
      "01-01": ['if (role === "fixer") sum("complete"); else { write(); hand("I have written the file."); }'],
    });
    expect((await project.mission(goal)).code).toBe(0);
    expect(project.merged()).toEqual(["01-01", "01-02"]);
    expect(project.attempts()).not.toContain("01-01-2");
  });

  it("M8 prose that stays prose costs a try", async () => {
    const project = new Mission({
      "01-01": ['if (role === "fixer") process.exit(1); write(); hand("I have written the file.")', "good()"],
    });
    expect((await project.mission(goal)).code).toBe(0);
    expect(await project.facts("attempt-failed")).toMatchObject([{ task: "01-01", category: "validation" }]);
  });

  it("M4 the executor is given its task alone: in a repository of 5,000 files, less than 20 kB", async () => {
    const project = new Mission({}, ["01-01", "01-02"]);
    for (let file = 0; file < 5000; file++)
      project.write(
        `lib/part-${file % 50}/file-${file}.js`,
        Array.from(
          { length: 20 },
          (_, line) => `export function f${file}_${line}(a, b) { return a + b; }`,
        ).join("\n"),
      );
    project.git("add", "lib");
    project.git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qm", "Large");
    const files = ["lib/part-1/file-1.js", "lib/part-2/file-2.js", "src/01-01.txt"];
    const tasks = [{ ...step("01-01"), files }, step("01-02")];
    project.agent({
      "mission-planner": [`hand({ ...plan("01-01"), tasks: ${JSON.stringify(tasks)} })`],
      // The bundle is what this is about: nothing needs to be checked and merged among so many files.
      "01-01": ['sum("blocked", { message: "the bundle was seen" })'],
    });
    expect((await project.mission(goal)).out).toContain("task_blocked: the bundle was seen");
    const text = readFileSync(project.path(".heddle/attempts/mission-1/01-01-1/bundle.json"), "utf8");
    expect(text.length).toBeLessThan(20_000);
    console.log(`the bundle of a task in a repository of 5,000 files has ${text.length} bytes`);
    const bundle = JSON.parse(text);
    expect(bundle.files.map(({ path }: { path: string }) => path)).toEqual(files);
    expect(bundle.files[0]).toMatchObject({ exists: true, lines: 20, and_more: 8 });
    expect(text).not.toContain("01-02");
    expect(text).not.toContain("every file is there");
  }, 120_000);
});

describe("M7 verification", () => {
  it("gaps lead to a plan of their own; the old plan and its summaries are archived", async () => {
    const project = new Mission({
      verifier: ['judge(false, ["the third file"])', "judge(true)"],
      "mission-planner": ["good()", 'fs.readFileSync(bundle.inputs.gaps.path); hand(plan("01-03"))'],
    });
    const ran = await project.mission(goal);
    expect(ran.code).toBe(0);
    expect(project.merged()).toEqual(["01-01", "01-02", "01-03"]);
    expect(project.has("artifacts/archive/plan-1.0/plan.json")).toBe(true);
    expect(project.has("artifacts/archive/plan-1.0/summary_01-02.json")).toBe(true);
    expect(project.has("artifacts/archive/plan-1.0/verification.json")).toBe(true);
    expect(project.has("artifacts/summary_01-02.json")).toBe(false);
    expect(project.artifact("plan.json").tasks[0].id).toBe("01-03");
    expect(readFileSync(project.path("src/01-03.txt"), "utf8")).toBe("01-03\n");
  });

  it("a verifier that never passes ends after two gap plans, says what is missing, and a person may go on", async () => {
    const project = new Mission({
      verifier: ['judge(false, ["gap " + attempt])'],
      "mission-planner": ['hand(plan("0" + attempt + "-01"))'],
    });
    const ran = await project.mission(goal);
    expect(ran.code).toBe(1);
    expect(ran.out).toContain("gaps_remain: the gap plans are used up, and gaps remain: gap 3");
    expect(ran.out).toContain("hint: heddle next --override");
    expect(project.stateJson()).toMatchObject({ gap_count: 2, current_phase: 1 });
    expect(project.attempts().filter((name) => name.startsWith("verifier"))).toHaveLength(3);
    expect(project.merged()).toEqual(["01-01", "02-01", "03-01"]);
    // Called again it says the same, and pays nobody.
    expect((await project.mission()).code).toBe(1);
    expect(project.attempts().filter((name) => name.startsWith("verifier"))).toHaveLength(3);
    project.agent({ "mission-planner": ['hand(plan("09-01"))'] });
    await project.must("next", "--override", "one more", "--to", "planning");
    expect((await project.mission()).code).toBe(0);
  });

  it("a planner that hands in the executed plan again is told so", async () => {
    const project = new Mission({
      verifier: ["judge(false)", "judge(true)"],
      "mission-planner": ["good()", "good()", 'hand(plan("01-03"))'],
    });
    expect((await project.mission(goal)).code).toBe(0);
    expect(project.bundle("mission-planner-3").problems.join()).toContain("executed already");
  });

  it("the next phase begins when it is asked for, with counts of its own; research is not done again", async () => {
    const project = new Mission({
      verifier: ["judge(false)", "judge(true)"],
      "mission-planner": ["good()", 'hand(plan("01-03"))', 'hand(plan("02-01"))'],
    });
    expect((await project.mission(goal)).code).toBe(0);
    expect(project.stateJson()).toMatchObject({ current_phase: 2, gap_count: 1 });
    const ran = await project.mission("--next");
    expect(ran.code).toBe(0);
    expect(project.stateJson()).toMatchObject({ current_phase: 3, gap_count: 0, current_task_idx: 0 });
    expect(project.merged()).toEqual(["01-01", "01-02", "01-03", "02-01"]);
    expect(project.attempts().filter((name) => name.startsWith("researcher"))).toEqual(["researcher-1"]);
    expect(project.has("artifacts/archive/plan-1.1/plan.json")).toBe(true);
  });

  it("a task that is taken back is done again, and the phase verified again", async () => {
    const project = new Mission();
    expect((await project.mission(goal)).code).toBe(0);
    await project.must("undo", "01-02", "--yes");
    expect(project.has("src/01-02.txt")).toBe(false);
    await project.heddle("state", "retry-task", "01-02");
    expect((await project.mission()).code).toBe(0);
    expect(project.has("src/01-02.txt")).toBe(true);
    expect(project.attempts().filter((name) => name.startsWith("verifier"))).toHaveLength(2);
    expect(project.attempts()).not.toContain("01-01-2");
    expect(project.stateJson()).toMatchObject({ current_phase: 2 });
  });

  it("a task that finds its work done already is complete when its command says so", async () => {
    const project = new Mission({
      verifier: ["judge(false)", "judge(true)"],
      "mission-planner": [
        "good()",
        'hand({ ...plan("01-03"), tasks: [{ ...step("01-03"), verification_cmd: "test -f src/01-01.txt" }] })',
      ],
      "01-03": ['sum("complete")'],
    });
    expect((await project.mission(goal)).code).toBe(0);
    expect(project.merged()).toEqual(["01-01", "01-02", "01-03"]);
  });
});

describe("a plan edited between two runs", () => {
  const stops = { "01-02": ['sum("blocked", { message: "wait" })', "good()"] };

  it("counts: done tasks stay done, changed ones are done again, new ones are added", async () => {
    const project = new Mission(stops);
    expect((await project.mission(goal)).code).toBe(1);
    const edited = plan("01-01", "01-02", "01-04");
    const second = edited.tasks[1];
    if (second) second.description = "Another way.";
    writeFileSync(project.path("artifacts/plan.json"), JSON.stringify(edited));
    await project.must("answer", "01-02-1-blocked", "go on");
    const ran = await project.mission();
    expect(ran.err).toBe("");
    expect(ran.code).toBe(0);
    expect(project.merged()).toEqual(["01-01", "01-02", "01-04"]);
    expect(project.bundle("01-02-2").task.description).toBe("Another way.");
    expect(project.attempts().filter((name) => name.startsWith("mission-planner"))).toHaveLength(1);
  });

  it("that is wrong now is named with its line, and not written over", async () => {
    const project = new Mission(stops);
    await project.mission(goal);
    const broken = { ...plan("01-01"), must_haves: [] };
    writeFileSync(project.path("artifacts/plan.json"), JSON.stringify(broken, null, 2));
    const ran = await project.mission();
    expect(ran.code).toBe(1);
    expect(ran.err).toContain("must_haves");
    expect(ran.err).toMatch(/artifacts\/plan\.json:\d+/);
    expect(project.artifact("plan.json")).toEqual(broken);
  });

  it("that is gone is made again", async () => {
    const project = new Mission(stops);
    await project.mission(goal);
    rmSync(project.path("artifacts/plan.json"));
    await project.must("answer", "01-02-1-blocked", "go on");
    expect((await project.mission()).code).toBe(0);
    // The same steps of the same phase: what was done is not done again.
    expect(project.merged()).toEqual(["01-01", "01-02"]);
  });
});

describe("M9 C10 halting", () => {
  it("halt, resume and a STOP file beside the session work as everywhere", async () => {
    const project = new Mission();
    await project.must("mission", "init", goal);
    project.write(".meta/STOP", "");
    expect((await project.mission()).code).toBe(1);
    await project.must("resume");
    expect(project.has(".meta/STOP")).toBe(false);
    await project.must("halt", "not yet");
    project.write(".meta/STOP", "");
    expect((await project.mission()).code).toBe(1);
    await project.must("resume");
    expect(project.has(".meta/STOP")).toBe(false);
    expect((await project.mission()).code).toBe(0);
  });
});

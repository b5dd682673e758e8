// `heddle state validate-tasks` (D12, D14, D16): a verdict is kept whatever it says, must agree with the dimensions
// that came with it, and counts as long as the tasks are the ones that were judged.
import { rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  desk,
  expectDone,
  expectRefused,
  expectUsage,
  expectWhole,
  kindsOf,
  Project,
  plan,
  read,
  stepsTo,
  writeTask,
} from "./desk.ts";

const project = desk((each) => plan(each, { tasks: [{}, {}, {}] }, stepsTo.validation));
const verdict = (...words: readonly string[]) => project.state("validate-tasks", ...words);
const kept = () => project.stateJson().artifacts.task_validation;

describe("a verdict whose task files are gone", () => {
  it("D14 D16 no longer counts, as one whose files changed", async () => {
    await project.must("state", "validate-tasks", "READY");
    for (const id of ["T001", "T002", "T003"]) rmSync(project.path(`project-planning/tasks/${id}.json`));
    expectRefused(await project.state("advance"), /the tasks changed since they were judged/);
  });

  it("D16 and one whose specification is gone neither", async () => {
    await project.must("state", "validate-tasks", "READY");
    rmSync(project.path("project-planning/inputs/spec.md"));
    expectRefused(await project.state("advance"), /the tasks changed since they were judged/);
  });
});

type Score = "PASS" | "PARTIAL" | "FAIL" | "N-A";
const names = ["spec", "phase", "strategy", "preferences", "viability", "criteria"] as const;

/** A judgement of all three tasks: PASS, but for one dimension of T002. */
function writeJudgement(to: Project, word: string, score: Score): void {
  const judged = (task_id: string) => ({
    task_id,
    dimensions: Object.fromEntries(
      names.map((name) => {
        const given = task_id === "T002" && name === "criteria" ? score : "PASS";
        return [name, { score: given, evidence: "seen", suggestion: given === "PASS" ? "" : "test it" }];
      }),
    ),
  });
  const tasks = ["T001", "T002", "T003"].map(judged);
  const judgement = { verdict: word, summary: "judged", issues: [], tasks };
  to.write("project-planning/artifacts/task-validation.json", JSON.stringify(judgement));
}

function changeTask(change: (task: Record<string, unknown>) => void): void {
  const path = "project-planning/tasks/T002.json";
  const task = JSON.parse(read(project, path));
  change(task);
  project.write(path, JSON.stringify(task, null, 4));
}

describe("a verdict by word alone", () => {
  it("X20 READY is printed, recorded and lets the phase pass", async () => {
    const ran = await verdict("READY", "all", "tasks pass");
    expectDone(ran, "Task validation complete: READY");
    expect(kept()).toMatchObject({ verdict: "READY", valid: true, summary: "all tasks pass", issues: [] });
    expectDone(await project.state("advance"), "Advanced from validation to sequencing");
  });

  it("D12 the record of a verdict without dimensions says that none came", async () => {
    expect((await verdict("READY")).err).toMatch(/no dimensions came/);
    expect(kept().dimensions).toBe(false);
  });

  it("X20 READY_WITH_NOTES passes as well, in any case of letters, with its issues", async () => {
    expectDone(
      await verdict("ready_with_notes", "one note", "--issues", "T002 is large", "T003 too"),
      /NOTES$/m,
    );
    expect(kept()).toMatchObject({ verdict: "READY_WITH_NOTES", issues: ["T002 is large", "T003 too"] });
    expectDone(await project.state("advance"));
  });

  it("D14 BLOCKED exits 0 and is kept with its issues", async () => {
    const ran = await verdict(
      "BLOCKED",
      "two gaps",
      "--issues",
      "T001 has no test",
      "T003 neither",
      "--json",
    );
    expectDone(ran);
    expect(JSON.parse(ran.out)).toMatchObject({ verdict: "BLOCKED", summary: "two gaps", dimensions: false });
    expect(kept()).toMatchObject({
      verdict: "BLOCKED",
      valid: false,
      issues: ["T001 has no test", "T003 neither"],
    });
  });

  it("X20 BLOCKED prints the summary in its line", async () => {
    expectDone(await verdict("BLOCKED", "two gaps"), "Task validation blocked: two gaps");
  });

  it("D14 an older READY no longer counts after BLOCKED (defect 3)", async () => {
    await verdict("READY");
    await verdict("BLOCKED", "two gaps");
    expectRefused(await project.state("advance"), /blocked by its verdict/);
    expect((await expectWhole(project)).phase).toBe("validation");
  });

  it("D14 a phase that BLOCKED holds shows the summary and where the report is", async () => {
    await verdict("BLOCKED", "T001 has no test");
    const { err } = await project.state("advance");
    expect(err).toContain("T001 has no test");
    expect(err).toContain("reports/task-validation-report.md");
  });

  it("D14 a new READY counts after BLOCKED", async () => {
    await verdict("BLOCKED", "two gaps");
    await verdict("READY");
    expectDone(await project.state("advance"));
  });

  it("C14 a word that is no verdict is asked wrongly, and nothing is recorded", async () => {
    const kinds = await kindsOf(project, async () =>
      expectUsage(await verdict("PERHAPS"), /is not a verdict/),
    );
    expect(kinds).toEqual([]);
  });

  it("D16 is not taken while no tasks are loaded", async () => {
    const empty = new Project();
    await empty.must("init", "app");
    expectRefused(await empty.state("validate-tasks", "READY"), /no tasks are loaded/);
  });
});

describe("a verdict with dimensions", () => {
  it.each([
    ["READY", "PASS"],
    ["READY", "N-A"],
    ["READY_WITH_NOTES", "PARTIAL"],
    ["BLOCKED", "FAIL"],
  ] as const)("D12 %s agrees with a dimension that is %s", async (word, score) => {
    writeJudgement(project, word, score);
    const ran = await verdict(word, "judged");
    expectDone(ran);
    expect(ran.err).toBe("");
    expect(kept()).toMatchObject({ verdict: word, dimensions: true });
  });

  it.each([
    ["READY", "FAIL", "BLOCKED"],
    ["READY", "PARTIAL", "READY_WITH_NOTES"],
    ["READY_WITH_NOTES", "FAIL", "BLOCKED"],
    ["BLOCKED", "PASS", "READY"],
  ] as const)("D12 %s is refused when a dimension is %s: it comes to %s", async (word, score, computed) => {
    writeJudgement(project, computed, score);
    const kinds = await kindsOf(project, async () => expectRefused(await verdict(word), computed));
    expect(kinds).toEqual([]);
  });

  it("D12 a file whose own verdict contradicts its dimensions is refused, with the place", async () => {
    writeJudgement(project, "READY", "FAIL");
    expectRefused(await verdict("READY"), /task-validation\.json:1:\d+ \(\/verdict\)/);
    expect(kept()).toBeUndefined();
  });

  it("D16 does not count any more once the judgement's file changed", async () => {
    writeJudgement(project, "READY", "PASS");
    await verdict("READY");
    writeJudgement(project, "BLOCKED", "FAIL");
    expectRefused(await project.state("advance"));
  });
});

describe("the tasks that were judged", () => {
  it("D14 a verdict is stale after a task file changed, until the plan is judged again", async () => {
    await verdict("READY");
    changeTask((task) => {
      task.name = "Build something else";
    });
    await project.must("state", "load-tasks");
    expectRefused(await project.state("advance"), /tasks changed since they were judged/);
    await verdict("READY");
    expectDone(await project.state("advance"));
  });

  it("D14 a verdict is stale after a task was added", async () => {
    await verdict("READY");
    writeTask(project, 4);
    await project.must("state", "load-tasks");
    expectRefused(await project.state("advance"), /tasks changed/);
  });

  it("D14 what sequencing writes, phase and steel thread, leaves the verdict standing", async () => {
    await verdict("READY");
    changeTask((task) => {
      task.phase = 2;
      task.context = { ...(task.context as object), steel_thread: true };
    });
    await project.must("state", "load-tasks");
    expectDone(await project.state("advance"));
    expectDone(await project.state("advance"), "Advanced from sequencing to ready");
    expect(project.stateJson().tasks.T002.phase).toBe(2);
  });

  it("D14 D16 a verdict on files that are not the loaded ones does not let the loaded ones pass", async () => {
    changeTask((task) => {
      task.name = "Build something else";
    });
    const isTaken = (await verdict("READY")).code === 0 && (await project.state("advance")).code === 0;
    const judged = JSON.parse(read(project, "project-planning/tasks/T002.json")).name;
    expect({ isTaken, loaded: project.stateJson().tasks.T002.name }).not.toEqual({
      isTaken: true,
      loaded: expect.not.stringMatching(judged),
    });
  });
});

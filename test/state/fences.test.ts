// Who comes too late changes nothing (X17): a host whose attempt is over, and anybody at an archived run.
import { describe, expect, it } from "vitest";
import { desk, expectDone, expectRefused, expectUsage, kindsOf, plan, read, record } from "./desk.ts";

describe("complete-task and fail-task with --attempt", () => {
  /** Attempt 1 of T001 was given up, attempt 2 is at work. */
  const project = desk(async (each) => {
    await plan(each, { tasks: [{}] });
    await each.must("state", "start-task", "T001");
    await each.must("state", "retry-task", "T001");
    await each.must("state", "start-task", "T001");
    each.write("app/src/T001.ts", "the second try\n");
  });

  it("X17 refuse an attempt that is over, and touch neither state nor files", async () => {
    const kinds = await kindsOf(project, async () => {
      for (const words of [
        ["complete-task", "T001"],
        ["fail-task", "T001", "red"],
      ])
        expectRefused(
          await project.state(...words, "--attempt", "1"),
          /attempt 1 of task `T001` is not the one that runs: that is attempt 2\nhint: heddle why T001/,
        );
    });
    expect(kinds).toEqual([]);
    expect(read(project, "app/src/T001.ts")).toBe("the second try\n");
    expect(record(project, "T001").status).toBe("running");
  });

  it("X17 refuse an attempt that was never made", async () => {
    expectRefused(await project.state("complete-task", "T001", "--attempt", "3"), /that is attempt 2/);
  });

  it("X17 accept the present one", async () => {
    expectDone(await project.state("complete-task", "T001", "--attempt", "2"), "Task T001 completed");
  });

  it("X17 accept the present one for a failure, too", async () => {
    expectDone(await project.state("fail-task", "T001", "red", "--attempt=2"), /^Task T001 failed: red$/m);
  });

  it("X20 without it mean the one that runs, as the documents do", async () => {
    expectDone(await project.state("complete-task", "T001"), "Task T001 completed");
  });

  it.each(["0", "-1", "one", "1.5", ""])("C14 --attempt %j is asked wrongly", async (word) => {
    expectUsage(
      await project.state("complete-task", "T001", `--attempt=${word}`),
      /is not a whole number|is empty/,
    );
  });
});

describe("an archived run", () => {
  /** plan-1 was archived with a task running; plan-2 is the one that is active. */
  const project = desk(async (each) => {
    await plan(each, { tasks: [{}, {}, {}] });
    await each.must("state", "start-task", "T001");
    await each.must("state", "start-task", "T002");
    await each.must("state", "fail-task", "T002", "red");
    await each.must("init", "app", "--force");
  });

  it.each([
    ["start-task T003"],
    ["complete-task T001"],
    ["fail-task T001 red"],
    ["retry-task T002"],
    ["skip-task T003"],
    ["advance"],
    ["load-tasks"],
    ["halt lunch"],
    ["log-tokens s 1 2 0.5"],
    ["checkpoint create T001"],
    ["checkpoint clear"],
    ["record-verification T001 --verdict PASS --recommendation PROCEED"],
    ["prepare-rollback T001 src/T001.ts"],
  ])("X12 X17 refuses `%s`, and its history does not grow", async (line) => {
    const history = async () => (await project.history("--run", "plan-1")).length;
    const before = await history();
    project.write("app/src/T001.ts", "mine\n");
    const active = read(project, "project-planning/state.json");
    const ran = await project.state(...line.split(" "), "--run", "plan-1");
    if (line !== "load-tasks") expectRefused(ran, /run `plan-1` is archived: nothing works on it any more/);
    else expect(ran.code).toBe(1);
    expect(await history()).toBe(before);
    expect(read(project, "app/src/T001.ts")).toBe("mine\n");
    expect(read(project, "project-planning/state.json")).toBe(active);
  });

  it("C13 can still be looked at, and the active run goes on", async () => {
    expect((await project.json("status", "--run", "plan-1")).tasks).toMatchObject({ running: 1, failed: 1 });
    expect((await project.status()).run).toBe("plan-2");
    expect((await project.heddle("verify")).code).toBe(0);
  });

  it("C10 is not halted by a STOP file, which is meant for the active one", async () => {
    project.write("project-planning/STOP", "");
    await project.state("start-task", "T003", "--run", "plan-1");
    const facts = (await project.history("--run", "plan-1")).map(({ fact }) => fact.kind);
    expect(facts).not.toContain("halt-requested");
  });
});

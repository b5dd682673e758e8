// Halting and resuming (C10): `halt`, `check-halt`, `confirm-halt`, `halt-status`, `resume`, and STOP files.
import { symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { desk, expectDone, expectRefused, expectWhole, factsOf, heddle, Project, plan } from "./desk.ts";

const project = desk(async (each) => {
  await plan(each, { tasks: [{}, {}, {}] });
  await each.must("state", "start-task", "T001");
});
const stop = () => project.write("project-planning/STOP", "");
const hasStop = () => project.has("project-planning/STOP");

describe.each(["heddle halt", "heddle state halt"])("%s", (command) => {
  const halt = (...words: readonly string[]) => project.heddle(...command.split(" ").slice(1), ...words);

  it("X20 C10 requests a halt with its reason", async () => {
    expectDone(await halt("lunch", "break"), /^Halt requested: lunch break/);
    expect(project.stateJson().halt).toMatchObject({
      requested: true,
      reason: "lunch break",
      requested_at: expect.stringMatching(/Z$/),
      active_task: "T001",
      by: "operator",
      resumable: true,
    });
  });

  it("X20 the reason is `manual` when none is given", async () => {
    expectDone(await halt(), /^Halt requested: manual/);
  });

  it("C10 a second halt is refused, and says since when", async () => {
    await halt("lunch");
    expectRefused(await halt("tea"), /the run was halted at \d{4}-.*: lunch/);
  });
});

describe("while halted", () => {
  it("C10 X12 nothing new starts (defect 13)", async () => {
    await project.must("halt", "lunch");
    const ran = await project.state("start-task", "T002");
    expectRefused(ran, /nothing starts while the run is halted: lunch/);
    expect(ran.err).toMatch(/hint: heddle resume/);
  });

  it("C10 what runs may be completed or failed", async () => {
    await project.must("state", "start-task", "T002");
    await project.must("halt");
    expectDone(await project.state("complete-task", "T001"), "Task T001 completed");
    expectDone(await project.state("fail-task", "T002", "red"));
  });

  it("X20 ready tasks are still listed, and status says that they are paused", async () => {
    await project.must("halt", "lunch");
    expect((await project.state("ready-tasks")).out).toMatch(/^T002: /m);
    const { out } = await project.state("status");
    expect(out).toMatch(/^HALTED: lunch$/m);
    expect(out).toMatch(/^Ready tasks \(paused\): T002, T003$/m);
  });

  it("C10 who halted is in the state", async () => {
    await heddle(["halt", "lunch"], { cwd: project.root, env: { HEDDLE_ACTOR: "ada" } });
    expect(project.stateJson().halt.by).toBe("ada");
  });
});

describe("check-halt", () => {
  const check = () => project.state("check-halt");

  it("X20 prints OK and exits 0, or HALTED with the reason and exits 1", async () => {
    expectDone(await check(), "OK");
    await project.must("halt", "lunch");
    expect(await check()).toMatchObject({ code: 1, out: "HALTED: lunch\n", err: "" });
    await project.must("resume");
    expectDone(await check(), "OK");
  });

  it("C15 answers with JSON in both cases", async () => {
    expect(JSON.parse((await project.state("check-halt", "--format", "json")).out)).toEqual({
      halted: false,
    });
    await project.must("halt", "lunch");
    expect(JSON.parse((await project.state("check-halt", "--json")).out)).toEqual({
      halted: true,
      reason: "lunch",
    });
  });

  it("X20 a STOP file has precedence over a reason", async () => {
    await project.must("halt", "lunch");
    stop();
    expect(await check()).toMatchObject({ code: 1, out: "HALTED: stop_file\n" });
  });

  it("C10 a store that cannot be read is not a halt: exit 74 (defect 18)", async () => {
    truncateSync(project.database, 100);
    for (const file of ["-wal", "-shm"].map((ending) => `${project.database}${ending}`))
      if (project.has(file.slice(project.root.length + 1))) writeFileSync(file, "");
    const ran = await check();
    expect(ran.code, ran.out).toBe(74);
    expect(ran.err).toMatch(/^error: /);
  });

  it("C3 a damaged state.json is fixed, and is no halt (defect 18)", async () => {
    project.write("project-planning/state.json", '{"phase":');
    expectDone(await check(), "OK");
    expect(project.stateJson().phase.current).toBe("executing");
  });

  it("X20 works where there is a STOP file and no project yet", async () => {
    const bare = new Project();
    bare.write("project-planning/STOP", "");
    expect(await bare.state("check-halt")).toMatchObject({ code: 1, out: "HALTED: stop_file\n" });
  });
});

describe("a STOP file alone", () => {
  it("C10 halts: check-halt says so, and nothing new starts", async () => {
    stop();
    expect(await project.state("check-halt")).toMatchObject({ code: 1, out: "HALTED: stop_file\n" });
    expectRefused(await project.state("start-task", "T002"), /halted: stop_file/);
  });

  it("C10 is confirmed, resumed and gone, without a `halt` call (defect 5)", async () => {
    stop();
    expectDone(await project.state("confirm-halt"), "Halt confirmed. Running tasks: T001");
    expect(project.stateJson().halt).toMatchObject({ requested: true, reason: "stop_file" });
    expectDone(await project.state("resume"), /^Execution resumed \(STOP file removed\)/);
    expect(hasStop()).toBe(false);
    expectDone(await project.state("check-halt"), "OK");
    expectDone(await project.state("start-task", "T002"));
  });

  it("C10 is resumed at once as well, before anything noticed it", async () => {
    stop();
    const facts = await factsOf(project, async () => expectDone(await project.heddle("resume")));
    expect(facts).toEqual([{ kind: "resumed", reason: "stop_file", stopFile: true }]);
    expect(hasStop()).toBe(false);
  });

  it("C10 is recorded once, with its own code, when a command meets it", async () => {
    stop();
    const facts = await factsOf(project, async () => {
      await project.state("complete-task", "T001");
      await project.state("start-task", "T002");
    });
    expect(facts.map(({ kind, code }) => [kind, code])).toEqual([
      ["halt-requested", "stop_file"],
      ["task-completed", undefined],
    ]);
  });

  it("C10 counts whatever it is, a link that leads nowhere included", async () => {
    symlinkSync("/nowhere", project.path("project-planning/STOP"));
    expect((await project.state("check-halt")).code).toBe(1);
    expectDone(await project.state("resume"));
    expectDone(await project.state("check-halt"), "OK");
  });

  it("C10 resume clears a requested halt and a STOP file together", async () => {
    await project.must("halt", "lunch");
    stop();
    expectDone(await project.heddle("resume"), /^Execution resumed \(STOP file removed\)/);
    expectDone(await project.state("check-halt"), "OK");
    expect((await expectWhole(project)).halt).toBeNull();
  });
});

describe("confirm-halt, halt-status and resume", () => {
  it("X20 confirm-halt names the running tasks and records when", async () => {
    await project.must("halt", "lunch");
    expectDone(await project.state("confirm-halt"), "Halt confirmed. Running tasks: T001");
    expect(project.stateJson().halt.halted_at).toMatch(/Z$/);
  });

  it("X20 confirm-halt and resume are refused when nothing was halted", async () => {
    expectRefused(await project.state("confirm-halt"), /no halt was requested/);
    expectRefused(await project.state("resume"), /not halted/);
  });

  it("X20 resume names the task that was active when the halt came", async () => {
    await project.must("halt", "lunch");
    expectDone(await project.state("resume"), "Execution resumed. Previously active task: T001");
  });

  it("X20 halt-status has the documents' fields, halted or not", async () => {
    const status = async () => JSON.parse((await project.state("halt-status", "--format", "json")).out);
    const fields = {
      is_halted: false,
      reason: null,
      requested_at: null,
      halted_at: null,
      stop_file_exists: false,
      active_task: null,
      running_tasks: ["T001"],
      resumable: true,
    };
    expect(await status()).toMatchObject(fields);
    await project.must("halt", "lunch");
    await project.must("state", "confirm-halt");
    expect(await status()).toMatchObject({
      ...fields,
      is_halted: true,
      reason: "lunch",
      requested_at: expect.stringMatching(/Z$/),
      halted_at: expect.stringMatching(/Z$/),
      active_task: "T001",
    });
  });

  it("X20 halt-status sees a STOP file alone", async () => {
    stop();
    const { out } = await project.state("halt-status");
    expect(out).toMatch(/^is_halted: true$/m);
    expect(out).toMatch(/^reason: stop_file$/m);
    expect(out).toMatch(/^stop_file_exists: true$/m);
    expect(out).toMatch(/^running_tasks: T001$/m);
  });

  it("C10 a halt is kept over any number of commands until it is resumed", async () => {
    await project.must("halt", "lunch");
    for (const words of [["status"], ["state", "complete-task", "T001"], ["state", "load-tasks"], ["verify"]])
      await project.must(...words);
    expect(await project.state("check-halt")).toMatchObject({ code: 1, out: "HALTED: lunch\n" });
  });
});

// Halting and resuming (C10): by command, by a STOP file, and what scripts can tell from exit codes.
import { existsSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { chain } from "./plan-files.ts";
import { folder, heddle, type Project, readyProject } from "./rig.ts";
import { expectOneError, expectRefused, expectWhole } from "./whole.ts";

let project: Project;
let back: () => void;
beforeAll(async () => {
  project = await readyProject({ tasks: 3, after: (n) => (n === 3 ? chain(n) : []) });
  await project.must("state", "start-task", "T001");
  back = project.save();
});
beforeEach(() => back());
const stopFile = () => project.path("project-planning/STOP");
const stop = () => writeFileSync(stopFile(), "");

describe("heddle halt", () => {
  it("C10 lets what runs finish and starts nothing new", async () => {
    await project.must("halt", "look", "at", "T001");
    expectRefused(await project.state("start-task", "T002"), /halted: look at T001/);
    await project.must("state", "complete-task", "T001");
    expect((await expectWhole(project)).tasks).toMatchObject({ complete: 1, pending: 2 });
  });

  it("C10 takes a failure while halted", async () => {
    await project.must("halt");
    await project.must("state", "fail-task", "T001", "red");
    expect((await expectWhole(project)).tasks.failed).toBe(1);
  });

  it("C10 says who stopped it, why and since when", async () => {
    await project.must("halt", "lunch");
    expect((await project.status()).halt).toMatchObject({
      reason: "lunch",
      code: "operator",
      by: "operator",
    });
    expect(project.stateJson().halt).toMatchObject({ requested: true, reason: "lunch", active_task: "T001" });
    expect((await project.must("status")).out).toContain("HALTED: lunch");
  });

  it("C10 is refused a second time, unless it asks for more", async () => {
    await project.must("halt", "lunch");
    expectRefused(await project.heddle("halt", "dinner"), /halted at .*: lunch/);
    await project.must("halt", "fire", "--now");
  });

  it("C10 resume clears it, and tasks start again", async () => {
    await project.must("halt");
    expect((await project.must("resume")).out).toContain("Execution resumed");
    await project.must("state", "start-task", "T002");
    expectRefused(await project.heddle("resume"), /not halted/);
  });
});

describe("a STOP file", () => {
  it("C10 is a halt: nothing starts, completions are taken, and the history says so", async () => {
    stop();
    expectRefused(await project.state("start-task", "T002"), /halted/);
    await project.must("state", "complete-task", "T001");
    const kinds = (await project.history()).slice(-2).map(({ fact }) => fact.kind);
    expect(kinds).toEqual(["halt-requested", "task-completed"]);
    expect((await project.status()).halt).toMatchObject({ code: "stop_file" });
  });

  it("C10 is seen by a look that changes nothing", async () => {
    stop();
    expect((await project.status()).halt).toMatchObject({ reason: "stop_file" });
    expect((await project.must("status")).out).toContain("HALTED");
    expect(await project.json("state", "halt-status")).toMatchObject({
      is_halted: true,
      stop_file_exists: true,
    });
  });

  it("C10 is taken away by resume, which says so", async () => {
    stop();
    expect((await project.must("resume")).out).toContain("STOP file removed");
    expect(existsSync(stopFile())).toBe(false);
    await project.must("state", "start-task", "T002");
    await expectWhole(project);
  });

  it("C10 and a halt together are cleared by one resume", async () => {
    await project.must("halt", "lunch");
    stop();
    await project.must("state", "resume");
    expect((await project.state("check-halt")).code).toBe(0);
  });

  const kinds: readonly (readonly [string, () => void])[] = [
    ["a folder", () => mkdirSync(stopFile())],
    ["a link to nothing", () => symlinkSync("/nowhere", stopFile())],
    ["a file with text", () => writeFileSync(stopFile(), "please\n")],
  ];
  for (const [what, make] of kinds)
    it(`C10 counts when it is ${what}, and resume takes it away`, async () => {
      make();
      expect((await project.state("check-halt")).code).toBe(1);
      await project.must("resume");
      expect((await project.state("check-halt")).code).toBe(0);
    });
});

describe("state check-halt", () => {
  it("C10 exits 0 and says OK when nothing is halted", async () => {
    expect(await project.state("check-halt")).toMatchObject({ code: 0, out: "OK\n", err: "" });
  });

  it("C10 exits 1 and says why when it is", async () => {
    await project.must("halt", "user_message");
    expect(await project.state("check-halt")).toMatchObject({
      code: 1,
      out: "HALTED: user_message\n",
      err: "",
    });
  });

  it("C10 works without a project when there is a STOP file", async () => {
    const root = folder();
    mkdirSync(`${root}/project-planning`);
    writeFileSync(`${root}/project-planning/STOP`, "");
    expect(await heddle(["state", "check-halt"], { cwd: root })).toMatchObject({
      code: 1,
      out: "HALTED: stop_file\n",
    });
  });

  it("C10 a state that cannot be read is not a halt: exit 74", async () => {
    truncateSync(project.database, 100);
    const broken = await project.state("check-halt");
    expect(broken.code).toBe(74);
    expectOneError(broken);
    rmSync(project.path(".heddle"), { recursive: true });
    expect((await project.state("check-halt")).code).toBe(74);
    rmSync(project.path("project-planning"), { recursive: true });
    expect((await project.state("check-halt")).code).toBe(74);
  });
});

describe("state confirm-halt", () => {
  it("C10 records that the loop has stopped, and what still runs", async () => {
    await project.must("halt");
    expect((await project.must("state", "confirm-halt")).out).toBe("Halt confirmed. Running tasks: T001\n");
    expect(project.stateJson().halt.halted_at).not.toBeNull();
  });

  it("C10 takes a STOP file alone for a halt", async () => {
    stop();
    await project.must("state", "confirm-halt");
    expect(project.stateJson().halt).toMatchObject({ requested: true, reason: "stop_file" });
  });

  it("C10 is refused when nothing was halted", async () => {
    expectRefused(await project.state("confirm-halt"), /no halt was requested/);
  });
});

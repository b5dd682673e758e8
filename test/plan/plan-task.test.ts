// Changing a plan after it was made: the whole graph is checked first, and work that is done is kept (D20).
import { readdirSync } from "node:fs";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Ran } from "../e2e/rig.ts";
import { type Planning, readyPlan } from "./rig.ts";

let project: Planning;
let back: () => void;
beforeAll(async () => {
  project = await readyPlan();
  back = project.save();
});
beforeEach(() => back());

const tasks = () =>
  project
    .files("project-planning/tasks")
    .map(([file, text]) => `${file}\n${text}`)
    .sort();

function given(name: string, change: object, from = "T009"): string {
  project.write(name, JSON.stringify({ ...project.task(from), ...change }, null, 2));
  return name;
}

const oneFile = (path: string) => [{ path, action: "create", layer: "domain", purpose: "new" }];
const fresh = (id: string, path: string, more: object = {}) =>
  given(`${id}.json`, {
    ...{ id, name: `Task ${id}`, files: oneFile(path) },
    acceptance_criteria: [{ criterion: "it loads", verification: `node ${path}` }],
    ...more,
  });

/** Refused, with `sentence`, and nothing was written. */
async function expectUnchanged(run: () => Promise<Ran>, sentence: RegExp): Promise<void> {
  const [files, facts] = [tasks(), (await project.history()).length];
  const ran = await run();
  expect(ran.code, ran.out).toBe(1);
  expect(ran.err).toMatch(sentence);
  expect(tasks()).toEqual(files);
  expect(await project.history()).toHaveLength(facts);
}

describe("plan-task add", () => {
  it("D20 adds a task to the graph and its file to the plan", async () => {
    const { out } = await project.must("plan-task", "add", fresh("T011", "src/eleven.js"));
    expect(out).toContain("11 tasks (1 new, 0 changed, 0 gone)");
    expect(project.task("T011").name).toBe("Task T011");
    expect((await project.must("state", "ready-tasks")).out).toContain("T001");
  });

  it("D20 adds several that wait for each other at once", async () => {
    const two = fresh("T012", "src/twelve.js", { dependencies: { tasks: ["T011"], external: [] } });
    await project.must("plan-task", "add", two, fresh("T011", "src/eleven.js"));
    expect((await project.status()).tasks.pending).toBe(12);
  });

  it("D10 D20 refuses an unknown dependency with file and place, and writes nothing", async () => {
    const file = fresh("T011", "src/eleven.js", { dependencies: { tasks: ["T0003"], external: [] } });
    await expectUnchanged(
      () => project.heddle("plan-task", "add", file),
      /T0003[\s\S]*--> .*T011\.json:\d+:\d+/,
    );
  });

  it("D10 D20 refuses two writers of one file without an order", async () => {
    const file = fresh("T011", "src/commands/export.js");
    await expectUnchanged(() => project.heddle("plan-task", "add", file), /src\/commands\/export\.js/);
  });

  it("D20 refuses a task that is there, and says how to edit it", async () => {
    const file = given("again.json", { name: "Again" });
    await expectUnchanged(() => project.heddle("plan-task", "add", file), /plan-task edit T009/);
  });

  it("C14 refuses what is no task, and a file that is not there", async () => {
    project.write("prose.json", "hello");
    await expectUnchanged(
      () => project.heddle("plan-task", "add", "prose.json"),
      /prose\.json` is not a task/,
    );
    await expectUnchanged(() => project.heddle("plan-task", "add", "nothing.json"), /nothing\.json/);
  });
});

describe("plan-task edit", () => {
  it("D20 puts another definition in the task's place", async () => {
    const { out } = await project.must("plan-task", "edit", "T009", given("new.json", { name: "Better" }));
    expect(out).toContain("10 tasks (0 new, 1 changed, 0 gone)");
    expect(project.task("T009").name).toBe("Better");
  });

  it("D10 D20 refuses a cycle, shown as a path, and writes nothing", async () => {
    const file = given("new.json", { dependencies: { tasks: ["T010"], external: [] } });
    await expectUnchanged(
      () => project.heddle("plan-task", "edit", "T009", file),
      /T009.*T010.*T009|T010.*T009.*T010/,
    );
  });

  it("D20 refuses a file that defines another task", async () => {
    const file = given("new.json", {}, "T008");
    await expectUnchanged(
      () => project.heddle("plan-task", "edit", "T009", file),
      /defines task `T008`, not `T009`/,
    );
  });

  it("C14 refuses an unknown task", async () => {
    const file = given("new.json", {});
    await expectUnchanged(() => project.heddle("plan-task", "edit", "T099", file), /T099/);
  });

  it("D20 refuses a running task, and writes nothing", async () => {
    await project.must("state", "start-task", "T001");
    const file = given("new.json", { name: "Changed" }, "T001");
    await expectUnchanged(() => project.heddle("plan-task", "edit", "T001", file), /`T001` is running/);
  });

  it("D20 keeps work that is done: other tasks stay complete", async () => {
    await project.must("state", "start-task", "T001");
    await project.must("state", "complete-task", "T001");
    await project.must("plan-task", "edit", "T009", given("new.json", { name: "Better" }));
    expect((await project.status()).tasks.complete).toBe(1);
    expect((await project.must("state", "ready-tasks")).out).toMatch(/T003.*\n.*T002/);
  });

  it("D20 an edited task that was complete is done again", async () => {
    await project.must("state", "start-task", "T001");
    await project.must("state", "complete-task", "T001");
    await project.must("plan-task", "edit", "T001", given("new.json", { name: "Other" }, "T001"));
    expect((await project.must("state", "ready-tasks")).out).toContain("T001");
  });

  it("D14 D20 the verdict on the old plan no longer counts, and something says so", async () => {
    await project.must("plan-task", "edit", "T009", given("new.json", { name: "Better" }));
    const { out } = await project.must("status");
    const { out: why } = await project.heddle("why");
    expect(out + why).toMatch(/verify-plan|judged/);
  });
});

describe("plan-task split", () => {
  const parts = () => [
    given("T008.json", { name: "Half", files: oneFile("src/formats.js") }, "T008"),
    fresh("T011", "src/csv.js", { behaviors: ["B14"], dependencies: { tasks: ["T002"], external: [] } }),
  ];

  it("D20 what waited for the whole waits for all of its parts", async () => {
    await project.must("plan-task", "split", "T008", ...parts());
    expect(project.task("T009").dependencies.tasks).toEqual(expect.arrayContaining(["T004", "T008", "T011"]));
  });

  it("D20 without a part of the same id the whole is gone", async () => {
    const halves = [
      fresh("T011", "src/csv.js", { behaviors: ["B14"], dependencies: { tasks: ["T002"], external: [] } }),
      fresh("T012", "src/formats.js", {
        behaviors: ["B14"],
        dependencies: { tasks: ["T002"], external: [] },
      }),
    ];
    await project.must("plan-task", "split", "T008", ...halves);
    expect(readdirSync(project.path("project-planning/tasks"))).not.toContain("T008.json");
    expect(project.task("T009").dependencies.tasks).toEqual(["T004", "T011", "T012"]);
  });

  it("D20 a part may not take the place of another task", async () => {
    const file = given("T003.json", { name: "Thief" }, "T008");
    project.write("T003.json", JSON.stringify({ ...project.task("T008"), id: "T003" }));
    await expectUnchanged(() => project.heddle("plan-task", "split", "T008", file), /T003/);
  });
});

describe("plan-task drop", () => {
  it("D20 D22 refuses to leave a behaviour without a task, until a person allows it", async () => {
    const drop = () => project.heddle("plan-task", "drop", "T006", "--rewire");
    await expectUnchanged(
      drop,
      /no task has behaviour `B10`[\s\S]*heddle allow behaviour-without-task "<why>"/,
    );
    expect(await project.heddle("allow", "behaviour-without-task")).toMatchObject({ code: 64 });
    expect((await project.heddle("allow", "behaviour-without")).err).toContain("did you mean");
    await project.must("allow", "behaviour-without-task", "the export is for later");
    expect((await project.must("allow")).out).toContain("allowed: the export is for later");
    expect((await drop()).code).toBe(0);
    expect((await project.must("history")).out).toContain(
      "behaviour-without-task is allowed: the export is for later",
    );
    await project.must("allow", "behaviour-without-task", "--revoke");
    expect((await project.heddle("state", "load-tasks")).err).toContain("no task has behaviour `B10`");
  });

  const scopeMayShrink = () => project.must("allow", "behaviour-without-task", "the scope shrinks");

  it("D20 refuses a task that others wait for, and names them", async () => {
    await expectUnchanged(
      () => project.heddle("plan-task", "drop", "T008"),
      /T009 wait for it[\s\S]*--rewire/,
    );
  });

  it("D20 with --rewire what waited for it waits for what it waited for", async () => {
    await scopeMayShrink();
    const ran = await project.heddle("plan-task", "drop", "T006", "--rewire");
    expect(ran.code, ran.err).toBe(0);
    expect(project.task("T010").dependencies.tasks).toEqual(expect.arrayContaining(["T005", "T007", "T009"]));
    expect(readdirSync(project.path("project-planning/tasks"))).not.toContain("T006.json");
  });

  it("D20 refuses a running task", async () => {
    await scopeMayShrink();
    await project.must("state", "start-task", "T001");
    await expectUnchanged(() => project.heddle("plan-task", "drop", "T001", "--rewire"), /`T001` is running/);
  });

  it("D20 keeps the work of a task that only waits for something else now", async () => {
    await scopeMayShrink();
    for (const id of ["T001", "T002"]) {
      await project.must("state", "start-task", id);
      await project.must("state", "complete-task", id);
    }
    const ran = await project.heddle("plan-task", "drop", "T001", "--rewire");
    expect(ran.code, ran.err).toBe(0);
    expect((await project.status()).tasks).toMatchObject({ complete: 1, pending: 8 });
  });

  it("D20 is in the history", async () => {
    await scopeMayShrink();
    await project.heddle("plan-task", "drop", "T006", "--rewire");
    expect((await project.must("history")).out).toMatch(/9 tasks: 0 added, 1 changed, 1 dropped/);
  });
});

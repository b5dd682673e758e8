// `load-tasks` is one decision: the plan and the record of its files become durable together or not at all (D10, C1).
import { describe, expect, it, vi } from "vitest";
import { composition } from "../../src/cli/composition.ts";
import { openApp } from "../../src/engine/open.ts";
import { loadTasks } from "../../src/packs/decomposition/planning.ts";
import { desk, expectDone, expectRefused, factsOf, kindsOf, plan, stepsTo, writeTask } from "./desk.ts";

describe("load-tasks", () => {
  const planned = desk((each) => plan(each, { tasks: [{}, {}, {}] }, stepsTo.definition));

  it("C1 D10 is one transaction, so that `kill -9` cannot leave half of it", async () => {
    const app = await openApp({ root: planned.root, ...composition, by: "test" });
    try {
      const transact = vi.spyOn(app.journal, "transact");
      expect(await loadTasks(app)).toMatchObject({ tasks: 3, added: 3 });
      expect(transact).toHaveBeenCalledTimes(1);
    } finally {
      app.close();
    }
    const kinds = (await planned.history()).slice(-5).map(({ fact }) => fact.kind);
    expect(kinds).toEqual([
      "task-defined",
      "task-defined",
      "task-defined",
      "plan-loaded",
      "artifact-registered",
    ]);
  });

  it("D10 repeated, changes no task", async () => {
    await planned.must("state", "load-tasks");
    const facts = await factsOf(planned, async () =>
      expectDone(await planned.state("load-tasks"), "Loaded 3 tasks (0 new, 0 changed, 0 gone)"),
    );
    expect(facts.map(({ kind }) => kind)).toEqual(["plan-loaded", "artifact-registered"]);
  });
});

describe("load-tasks that is refused", () => {
  const running = desk(async (each) => {
    await plan(each, { tasks: [{}, {}] });
    await each.must("state", "start-task", "T001");
  });

  it("D10 leaves nothing: no task, no record of the files", async () => {
    writeTask(running, 1, { name: "Another thing", behaviors: ["B1"], estimate_hours: 5 });
    writeTask(running, 3);
    const kinds = await kindsOf(running, async () =>
      expectRefused(await running.state("load-tasks"), /task `T001` is running and its file changed/),
    );
    expect(kinds).toEqual([]);
  });
});

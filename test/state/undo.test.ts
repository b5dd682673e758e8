// What a host's attempt left in the target is undone however the attempt ends without success (X20): by `fail-task`, by
// `retry-task` of an orphan, by `checkpoint recover` of a failed result. `--keep` leaves all.
import { describe, expect, it } from "vitest";
import { desk, expectDone, expectRefused, expectUsage, plan, read, record } from "./desk.ts";

const files = [
  { path: "src/made.ts", action: "create" },
  { path: "src/old.ts", action: "modify" },
] as never;

/** T001 has been at work: it made one declared file and changed another. */
const project = desk(async (each) => {
  await plan(each, { tasks: [{ files }, {}] });
  each.write("app/src/old.ts", "as it was\n");
  await each.must("state", "checkpoint", "create", "T001", "T002");
  await each.must("state", "start-task", "T001");
  each.write("app/src/made.ts", "half done\n");
  each.write("app/src/old.ts", "half changed\n");
});

const undone = () => ({ made: project.has("app/src/made.ts"), old: read(project, "app/src/old.ts") });
const asItWas = { made: false, old: "as it was\n" };
const asLeft = { made: true, old: "half changed\n" };
const result = (status: string, more: object = {}) =>
  project.write(
    "project-planning/bundles/T001-result.json",
    JSON.stringify({ version: "1.0", task_id: "T001", status, ...more }),
  );

const keptAt = () => `  what was there is kept at ${project.path(".heddle/taken-away/plan-1/T001-1")}`;

describe("retry-task of an orphan", () => {
  it("X20 puts the declared files back, says which, and the next attempt begins where the first did", async () => {
    expectDone(
      await project.state("retry-task", "T001"),
      `Task T001 reset for retry\n  put back: src/old.ts\n  taken away: src/made.ts\n${keptAt()}`,
    );
    expect(undone()).toEqual(asItWas);
    expectDone(await project.state("start-task", "T001"), "Task T001 started (attempt 2)");
  });

  it("X20 leaves all with --keep", async () => {
    expectDone(await project.state("retry-task", "T001", "--keep"), "Task T001 reset for retry");
    expect(undone()).toEqual(asLeft);
  });

  it("X20 touches nothing when it is a failed task that was kept: what was left then is left now", async () => {
    await project.must("state", "fail-task", "T001", "red", "--keep");
    expectDone(await project.state("retry-task", "T001"), "Task T001 reset for retry");
    expect(undone()).toEqual(asLeft);
  });

  it("X20 touches nothing when it is refused", async () => {
    await project.must("state", "complete-task", "T001");
    expectRefused(await project.state("retry-task", "T001"));
    expect(undone()).toEqual(asLeft);
  });

  it("C15 says in JSON what it did", async () => {
    expect(JSON.parse((await project.state("retry-task", "T001", "--json")).out)).toEqual({
      task: "T001",
      retried: ["T001"],
      restored: ["src/old.ts"],
      deleted: ["src/made.ts"],
      left: [],
      aside: project.path(".heddle/taken-away/plan-1/T001-1"),
    });
  });
});

describe("checkpoint recover", () => {
  it("X20 puts the files of a failed result back", async () => {
    result("failed", { error: { category: "test", message: "red" } });
    const ran = await project.state("checkpoint", "recover");
    const lines = `  put back: src/old.ts\n  taken away: src/made.ts\n${keptAt()}`;
    expectDone(ran, `Recovered: T001\nOrphaned: none\n${lines}`);
    expect(undone()).toEqual(asItWas);
    expect(record(project, "T001")).toMatchObject({ status: "failed", error: "red" });
  });

  it("X20 leaves the files of a failed result with --keep", async () => {
    result("failed");
    expectDone(await project.state("checkpoint", "recover", "--keep"), /^Recovered: T001$/m);
    expect(undone()).toEqual(asLeft);
    expect(record(project, "T001").status).toBe("failed");
  });

  it("X20 leaves the files of a successful result, and of an orphan, which is not over yet", async () => {
    expectDone(await project.state("checkpoint", "recover"), /^Orphaned: T001$/m);
    expect(undone()).toEqual(asLeft);
    result("success");
    expectDone(await project.state("checkpoint", "recover"), /^Recovered: T001$/m);
    expect(undone()).toEqual(asLeft);
  });

  it("X20 leaves the files of a task that had failed and been kept before the crash", async () => {
    await project.must("state", "fail-task", "T001", "red", "--keep");
    result("failed");
    expectDone(await project.state("checkpoint", "recover"), /^Recovered: T001$/m);
    expect(undone()).toEqual(asLeft);
  });

  it("C14 --keep belongs to recover alone", async () => {
    expectUsage(await project.state("checkpoint", "clear", "--keep"), /has no `--keep`/);
  });
});

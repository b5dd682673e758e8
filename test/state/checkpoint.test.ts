// `heddle state checkpoint` (X13, X20): the batch that a host has in flight, and what is made of it after a crash.
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Run } from "../../src/core/run.ts";
import type { Checkpoint } from "../../src/core/run-parts.ts";
import { document, writeCheckpointOf } from "../../src/hostloop/checkpoint.ts";
import {
  desk,
  expectDone,
  expectRefused,
  expectUsage,
  expectWhole,
  kindsOf,
  plan,
  read,
  record,
} from "./desk.ts";

const project = desk((each) => plan(each, { tasks: [{}, {}, {}, {}, {}] }));
const checkpoint = (...words: readonly string[]) => project.state("checkpoint", ...words);
const file = "project-planning/orchestrator-checkpoint.json";
const shown = () => JSON.parse(read(project, file));
const started = async (...ids: readonly string[]) => {
  for (const id of ids) await project.must("state", "start-task", id);
};

interface Result {
  readonly status?: string;
  readonly task_id?: string;
  readonly files?: object;
  readonly error?: object;
}
const writeResult = (id: string, result: Result = {}) =>
  project.write(
    `project-planning/bundles/${id}-result.json`,
    JSON.stringify({ version: "1.0", task_id: id, status: "success", ...result }),
  );

describe("create, update, complete, status and clear", () => {
  it("X13 X20 create prints the batch and leaves the documents' file", async () => {
    expectDone(await checkpoint("create", "T001", "T002", "T003"), /^Checkpoint created: batch-[\dT-]+Z\n/);
    expect(shown()).toMatchObject({
      version: "1.0",
      batch_id: expect.stringMatching(/^batch-/),
      status: "active",
      parallel_limit: 3,
      orphan_timeout_seconds: 1_800,
      tasks: {
        spawned: ["T001", "T002", "T003"],
        pending: ["T001", "T002", "T003"],
        completed: [],
        failed: [],
      },
    });
  });

  it("X20 update prints what is left and moves the task to its list", async () => {
    await checkpoint("create", "T001", "T002", "T003");
    expectDone(await checkpoint("update", "T001", "success"), "Updated T001: success (2 pending)");
    expectDone(await checkpoint("update", "T002", "failed"), "Updated T002: failed (1 pending)");
    expect(shown().tasks).toMatchObject({ pending: ["T003"], completed: ["T001"], failed: ["T002"] });
  });

  it("X20 a task is in one list only, however often it is updated (defect 17)", async () => {
    await checkpoint("create", "T001", "T002");
    for (const status of ["success", "failed", "success", "success"])
      await checkpoint("update", "T001", status);
    expect(shown().tasks).toMatchObject({ pending: ["T002"], completed: ["T001"], failed: [] });
  });

  it("X20 complete ends the batch, and status shows it", async () => {
    await checkpoint("create", "T001");
    await checkpoint("update", "T001", "success");
    expectDone(await checkpoint("complete"));
    expect(shown()).toMatchObject({ status: "completed", completed_at: expect.stringMatching(/Z$/) });
    expectDone(await checkpoint("status"), /^Batch: batch-.* \(completed\)$/m);
  });

  it("X20 status without a checkpoint exits 0 and says so; with one it has the documents' JSON", async () => {
    expectDone(await checkpoint("status"), "No active checkpoint.");
    await checkpoint("create", "T001");
    expect(JSON.parse((await checkpoint("status", "--format", "json")).out)).toEqual(shown());
  });

  it("X20 clear removes the file, and is repeatable", async () => {
    await checkpoint("create", "T001");
    expectDone(await checkpoint("clear"));
    expectDone(await checkpoint("clear"));
    expect(project.has(file)).toBe(false);
    expectDone(await checkpoint("status"), "No active checkpoint.");
  });

  it("X13 create refuses unknown tasks, all of them at once (defect 17)", async () => {
    const kinds = await kindsOf(project, async () => {
      const { code, err } = await checkpoint("create", "T001", "T998", "T999");
      expect({ code, named: err.match(/T99\d/g) }).toEqual({ code: 1, named: ["T998", "T999"] });
    });
    expect(kinds).toEqual([]);
  });

  it("X20 update refuses a task that is not in the batch, known or not (defect 17)", async () => {
    await checkpoint("create", "T001");
    expectRefused(await checkpoint("update", "T002", "success"), /T002` is not in batch/);
    expectRefused(await checkpoint("update", "T999", "success"), /T999` is not in batch/);
  });

  it("X20 update and complete are refused without a checkpoint", async () => {
    expectRefused(await checkpoint("update", "T001", "success"), /there is no checkpoint/);
    expectRefused(await checkpoint("complete"), /there is no checkpoint/);
  });

  it("C14 wrong words are asked wrongly", async () => {
    expectUsage(await checkpoint("create"), /needs the ids/);
    expectUsage(await checkpoint("update", "T001"), /is not a status/);
    expectUsage(await checkpoint("update", "T001", "perhaps"), /`perhaps` is not a status/);
    expectUsage(await checkpoint("uncreate"), /`uncreate` is not a/);
    expectUsage(await checkpoint(), /needs an action/);
  });

  it.each([
    [["update", "T001", "success", "T002"]],
    [["complete", "T001"]],
    [["status", "T001"]],
    [["recover", "T001"]],
    [["clear", "T001"]],
  ])("C14 checkpoint %j has a word too many, and is asked wrongly", async (words) => {
    await checkpoint("create", "T001");
    expectUsage(await checkpoint(...words));
  });

  it("X13 a batch whose tasks still run is not overwritten by another", async () => {
    await checkpoint("create", "T001", "T002");
    await started("T001", "T002");
    expectRefused(await checkpoint("create", "T003"), /still waits for T001, T002/);
  });
});

describe("orchestrator-checkpoint.json", () => {
  it("C2 C4 shows the batch as it is, when its tasks were updated all at once", async () => {
    const ids = ["T001", "T002", "T003", "T004", "T005"];
    await checkpoint("create", ...ids);
    const ran = await Promise.all(ids.map((id) => checkpoint("update", id, "success")));
    expect(ran.map(({ code, err }) => [code, err])).toEqual(ids.map(() => [0, ""]));
    expect(shown()).toEqual(JSON.parse((await checkpoint("status", "--json")).out));
    expect(shown().tasks.pending).toEqual([]);
  });

  it("C2 is fixed by the next command, when a crash came between the journal and the file", async () => {
    await checkpoint("create", "T001");
    const stale = read(project, file);
    await checkpoint("clear");
    project.write(file, stale);
    await checkpoint("status");
    expect(project.has(file)).toBe(false);
  });
});

describe("recover", () => {
  it("X20 takes the result files of running tasks over as claims", async () => {
    await checkpoint("create", "T001", "T002", "T003");
    await started("T001", "T002", "T003");
    writeResult("T001", { files: { created: ["src/a.ts"], modified: ["src/b.ts"] } });
    writeResult("T002", { status: "failed", error: { category: "test", message: "red", retryable: false } });
    const ran = await checkpoint("recover");
    expectDone(ran, /^Recovered: T001, T002$/m);
    expect(ran.out).toMatch(/^Orphaned: T003$/m);
    expect(record(project, "T001")).toMatchObject({
      status: "complete",
      verified: false,
      files_created: ["src/a.ts"],
      files_modified: ["src/b.ts"],
    });
    expect(record(project, "T002")).toMatchObject({
      status: "failed",
      error: "red",
      failure: { category: "test", retryable: false },
    });
    expect(shown()).toMatchObject({
      tasks: { pending: ["T003"], completed: ["T001"], failed: ["T002"] },
      recovery: { recovered_tasks: ["T001", "T002"], orphaned_tasks: ["T003"] },
    });
  });

  it("X12 X20 an orphan is retried as recover says, though it is marked running (defect 4)", async () => {
    await checkpoint("create", "T001");
    await started("T001");
    const { out } = await checkpoint("recover");
    expect(out).toMatch(/^ {2}heddle state retry-task T001/m);
    expectDone(await project.state("retry-task", "T001"), "Task T001 reset for retry");
    expectDone(await checkpoint("clear"));
    expectDone(await project.state("start-task", "T001"), "Task T001 started (attempt 2)");
  });

  it("X20 a retry drops the lost attempt: a result that it leaves later is not taken for the next one's", async () => {
    await checkpoint("create", "T001");
    await started("T001");
    await project.must("state", "retry-task", "T001");
    writeResult("T001");
    await checkpoint("create", "T001");
    await started("T001");
    expectDone(await checkpoint("recover"), /^Recovered: none$/m);
    expect(record(project, "T001").status).toBe("running");
  });

  it("X14 repeating it changes nothing", async () => {
    await checkpoint("create", "T001", "T002");
    await started("T001", "T002");
    writeResult("T001");
    const first = await checkpoint("recover");
    expect(await kindsOf(project, async () => expectDone(await checkpoint("recover")))).toEqual([]);
    expect(first.out).toMatch(/^Orphaned: T002$/m);
    expect((await checkpoint("recover")).out).toMatch(/^Orphaned: T002$/m);
    await expectWhole(project);
  });

  it.each([
    ["is not JSON", "{ cut"],
    ["is empty", ""],
    ["is about another task", JSON.stringify({ version: "1.0", task_id: "T005", status: "success" })],
    ["has a status of its own", JSON.stringify({ version: "1.0", task_id: "T001", status: "done" })],
    [
      "names a path outside",
      JSON.stringify({ task_id: "T001", status: "success", files: { created: ["../x"] } }),
    ],
  ])("X20 a result file that %s counts as none and is named (defect 17)", async (_, text) => {
    await checkpoint("create", "T001");
    await started("T001");
    project.write("project-planning/bundles/T001-result.json", text);
    const ran = await checkpoint("recover");
    expectDone(ran, /^Recovered: none$/m);
    expect(ran.out).toMatch(/^Orphaned: T001$/m);
    expect(ran.err).toMatch(/^warning: /m);
    expect(ran.err).toMatch(/T001-result\.json/);
    expect(record(project, "T001").status).toBe("running");
  });

  it("X20 a task that had completed itself before the crash is acknowledged with its result file", async () => {
    await checkpoint("create", "T001");
    await started("T001");
    await project.must("state", "complete-task", "T001");
    writeResult("T001");
    const kinds = await kindsOf(project, async () =>
      expectDone(await checkpoint("recover"), /^Recovered: T001$/m),
    );
    expect(kinds).toEqual(["checkpoint-set"]);
    expect(shown().tasks).toMatchObject({ pending: [], completed: ["T001"] });
  });

  it("C15 answers with JSON", async () => {
    await checkpoint("create", "T001", "T002");
    await started("T001", "T002");
    writeResult("T002");
    expect(JSON.parse((await checkpoint("recover", "--json")).out)).toEqual({
      recovered: ["T002"],
      orphaned: ["T001"],
      restored: [],
      deleted: [],
      aside: [],
    });
  });

  it("X20 without a checkpoint there is nothing to recover: exit 0, as at the first start of the documents' loop", async () => {
    expectDone(await checkpoint("recover"));
  });
});

describe("the documents' loop goes on after a crash without orphans", () => {
  it("X13 X20 that came before any task of the batch was started", async () => {
    await checkpoint("create", "T001", "T002", "T003");
    expectDone(await checkpoint("recover"), /^Orphaned: none$/m);
    expectDone(await checkpoint("create", "T002", "T004"));
  });

  it("X13 X20 that came between `complete-task` and the result file", async () => {
    await checkpoint("create", "T001");
    await started("T001");
    await project.must("state", "complete-task", "T001");
    expectDone(await checkpoint("recover"), /^Orphaned: none$/m);
    expectDone(await checkpoint("create", "T002", "T003"));
  });

  it("X13 X20 that came between `fail-task` and the result file", async () => {
    await checkpoint("create", "T001");
    await started("T001");
    await project.must("state", "fail-task", "T001", "red");
    expectDone(await checkpoint("recover"), /^Orphaned: none$/m);
    expectDone(await checkpoint("create", "T002", "T003"));
  });
});

describe("a writer who lost the turn and does not know", () => {
  const batch = (...pending: string[]): Checkpoint => ({
    ...{ batch: "batch-1", spawnedAt: "", status: "active", spawned: ["T001", "T002"], pending },
    ...{ completed: [], failed: [], heartbeatAt: "", completedAt: null, recovery: null },
  });

  it("C2 C4 leaves no older batch behind than the journal has", async () => {
    const [path, newest] = [project.path("late.json"), batch("T002")];
    let looks = 0;
    const journal = {
      lease: <T>(work: () => Promise<T>) => work(),
      // Between its look and its writing, another one comes, and writes.
      read: async <T>(_: string, look: (run: Run) => T) => {
        const seen = look({ checkpoint: looks === 0 ? batch("T001", "T002") : newest } as Run);
        if (looks++ === 0) writeFileSync(path, "the newest");
        return seen;
      },
    };
    expect(await writeCheckpointOf(journal, "plan-1", path)).toEqual(newest);
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(document(newest));
  });
});

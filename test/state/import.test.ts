// Plans from elsewhere, and back (C3, U6): `heddle import tasker`, the import that happens by itself where another
// program's `state.json` lies, and `heddle state export`.
import { cpSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  desk,
  expectDone,
  expectOneError,
  expectRefused,
  expectWhole,
  Project,
  plan,
  read,
  record,
  taskId,
  writeTask,
} from "./desk.ts";
import { dependencies, events, firstFiles, firstState } from "./first-plan.ts";

/** A directory in which the first implementation was at work. */
function foreign(into = "project-planning"): Project {
  const project = new Project();
  for (const [path, text] of firstFiles(project.path("app"))) project.write(`${into}/${path}`, text);
  return project;
}

const statuses = (project: Project) =>
  Object.fromEntries(Object.keys(dependencies).map((id) => [id, record(project, id).status]));

const imported = desk(async (project) => {
  for (const [path, text] of firstFiles(project.path("app"))) project.write(`project-planning/${path}`, text);
  await project.must("import", "tasker", "project-planning");
});

describe("import tasker", () => {
  it("U6 says where the plan stands, and the journal is whole", async () => {
    const project = foreign();
    expectDone(
      await project.heddle("import", "tasker", "project-planning"),
      "Imported plan-1 in phase executing",
    );
    expect(await expectWhole(project)).toMatchObject({ run: "plan-1", phase: "executing" });
  });

  it("U6 keeps the status of every task; what blocks follows from the graph (defect 8)", () => {
    expect(statuses(imported)).toEqual({
      T001: "complete",
      T002: "complete",
      T003: "failed",
      T004: "blocked",
      T005: "blocked",
      T006: "running",
      T007: "skipped",
      T008: "pending",
      T009: "pending",
    });
  });

  it("U6 keeps attempts, times, files, failure, skip reason and verification", () => {
    const { tasks } = firstState("");
    for (const id of ["T001", "T002"])
      expect(record(imported, id)).toMatchObject({
        attempts: tasks[id]?.attempts,
        started_at: tasks[id]?.started_at,
        completed_at: tasks[id]?.completed_at,
        files_created: tasks[id]?.files_created,
        files_modified: tasks[id]?.files_modified,
        verified: false,
      });
    expect(record(imported, "T001").verification).toMatchObject({
      verdict: "PASS",
      recommendation: "PROCEED",
    });
    expect(record(imported, "T003")).toMatchObject({
      attempts: 3,
      error: "2 tests are red",
      failure: { category: "implementation", subcategory: "logic_error", retryable: true },
    });
    expect(record(imported, "T007").skip_reason).toBe("done by hand");
  });

  it("U6 keeps tokens, cost, halt and completed phases", () => {
    expect(imported.stateJson()).toMatchObject({
      execution: { total_tokens: 12_345, total_cost_usd: 1.5, completed_count: 2, failed_count: 1 },
      halt: { requested: true, reason: "user_message" },
      phase: { current: "executing", completed: firstState("").phase.completed },
    });
  });

  it("U6 keeps the verdict on the plan with its issues", () => {
    expect(imported.stateJson().artifacts.task_validation).toMatchObject({
      verdict: "READY_WITH_NOTES",
      summary: "all pass, with notes",
      issues: ["T004 is large", "T005 has no edge cases"],
      dimensions: false,
    });
  });

  it("U6 D21 keeps the calibration, with its own times, in the score and in the export", async () => {
    const score = await imported.json("state", "calibration-score");
    expect(score).toMatchObject({ total_verified: 2, correct: 1, false_positives: 1, score: 0.5 });
    const { calibration } = await imported.json("state", "export");
    expect(calibration).toEqual(firstState("").calibration);
  });

  it("U6 D21 keeps what it can of a calibration without a history, and passes over what is about no task", async () => {
    const project = foreign();
    const state = firstState(project.path("app"));
    const { history: _, ...calibration } = state.calibration;
    const lists = { ...calibration, false_positives: ["T002", "T777"], false_negatives: ["T003"] };
    project.write("project-planning/state.json", JSON.stringify({ ...state, calibration: lists }));
    await project.must("import", "tasker", "project-planning");
    expect(await project.json("state", "calibration-score")).toMatchObject({
      total_verified: 2,
      false_positives: 1,
      false_negatives: 1,
    });
  });

  it("U6 keeps every event, with its own time", async () => {
    const { events: exported } = await imported.json("state", "export");
    const found = exported.filter(({ timestamp }: { timestamp: string }) => timestamp.endsWith("+00:00"));
    expect(found).toEqual(events);
  });

  it("U6 keeps the original state.json aside, byte for byte", () => {
    const original = JSON.stringify(firstState(imported.path("app")), null, 2);
    expect(read(imported, ".heddle/imported/state-1.json")).toBe(original);
  });

  it("X12 the halt is resumed, the orphan and the failed task are retried, and the plan runs to its end", async () => {
    expectRefused(await imported.state("start-task", "T008"), /halted: user_message/);
    expectDone(await imported.state("resume"), /^Execution resumed/);
    expectDone(await imported.state("retry-task", "T006"), "Task T006 reset for retry");
    expectDone(await imported.state("retry-task", "T003"), "Task T003 reset for retry");
    for (const id of ["T008", "T006", "T003", "T004", "T005"]) {
      await imported.must("state", "start-task", id);
      await imported.must("state", "complete-task", id);
    }
    await imported.must("state", "skip-task", "T009");
    expectDone(await imported.state("advance"), "Advanced from executing to complete");
    expect(record(imported, "T003").attempts).toBe(4);
  });

  it("X3 a dependency that never existed holds nothing back any more (defect 10)", async () => {
    await imported.must("resume");
    expect((await imported.state("ready-tasks")).out).toMatch(/^T009: /m);
  });

  it("D10 loading the task files afterwards keeps the progress, once the missing dependency is fixed (defect 9)", async () => {
    await imported.must("state", "retry-task", "T006");
    writeTask(imported, 9);
    await imported.must("state", "load-tasks");
    expect(statuses(imported)).toMatchObject({
      T001: "complete",
      T002: "complete",
      T003: "failed",
      T007: "skipped",
    });
  });

  it("X20 an imported task has its declared files: one that starts is put back when it fails", async () => {
    await imported.must("resume");
    await imported.must("state", "start-task", "T008");
    imported.write("app/src/T008.ts", "half done\n");
    expectDone(await imported.state("fail-task", "T008", "red"), /taken away: src\/T008\.ts/);
  });

  it("U6 takes a plan from another place by copying it, and leaves that place alone", async () => {
    const source = foreign("elsewhere");
    const before = read(source, "elsewhere/state.json");
    const project = new Project();
    await project.must("import", "tasker", source.path("elsewhere"));
    expect(project.stateJson().tasks.T001.status).toBe("complete");
    expect(project.has("project-planning/tasks/T009.json")).toBe(true);
    expect(read(source, "elsewhere/state.json")).toBe(before);
  });

  it("C14 is refused where there is a project already, and where there is nothing to import", async () => {
    expectRefused(
      await imported.heddle("import", "tasker", "project-planning"),
      /there is a heddle project already/,
    );
    expectRefused(await new Project().heddle("import", "tasker", "nowhere"), /state\.json` does not exist/);
  });

  it.each([
    [
      "has an unknown phase",
      (state: Record<string, unknown>) => ({ ...state, phase: { current: "x", completed: [] } }),
    ],
    ["has no phase", ({ phase: _, ...state }: Record<string, unknown>) => state],
    ["is a list", () => []],
  ])("C14 a state.json that %s is refused with its place, and leaves no trace", async (_, change) => {
    const project = foreign();
    project.write("project-planning/state.json", JSON.stringify(change(firstState(project.path("app")))));
    const ran = await project.heddle("import", "tasker", "project-planning");
    expectRefused(ran, /state\.json/);
    expect(project.has(".heddle/heddle.db")).toBe(false);
  });

  it("D10 a plan with a cycle is refused with the cycle as a path (defect 10)", async () => {
    const project = foreign();
    const state = firstState(project.path("app"));
    state.tasks.T001 = { ...state.tasks.T001, depends_on: ["T005"] } as never;
    project.write("project-planning/state.json", JSON.stringify(state));
    expectRefused(await project.heddle("import", "tasker", "project-planning"), /cycle: T\d+ -> .*T\d+/);
    expect(project.has(".heddle/heddle.db")).toBe(false);
  });
});

describe("a directory with another program's state.json and no journal", () => {
  it("C3 is imported by the first command, which says so and does what it was asked", async () => {
    const project = foreign();
    const ran = await project.state("ready-tasks");
    expectDone(ran, /^T008: Build T008 \(phase 1\)$/m);
    expect(ran.err).toMatch(/^warning: a plan of another program was imported: 9 tasks, phase executing$/m);
    expect((await project.state("ready-tasks")).err).toBe("");
    await expectWhole(project);
  });

  it("C3 C4 is imported once, however many commands come first", { timeout: 60_000 }, async () => {
    const project = foreign();
    const ran = await Promise.all(Array.from({ length: 8 }, () => project.state("ready-tasks")));
    const said = ran.map(({ err }) => err).join("");
    expect(
      ran.map(({ code, out }) => [code, out]),
      said,
    ).toEqual(ran.map(() => [0, ran[0]?.out]));
    const kinds = (await project.history()).map(({ fact }) => fact.kind);
    expect(kinds.filter((kind) => kind === "run-imported")).toHaveLength(1);
    expect((await project.json("verify")).runs).toBe(1);
  });

  it("C3 G6 is not what a lost journal of our own looks like: that stops, and says how to go on", async () => {
    rmSync(imported.path(".heddle"), { recursive: true });
    const ran = await imported.heddle("status");
    expect([1, 74], ran.out).toContain(ran.code);
    expectOneError(ran);
    expect(ran.err).toMatch(/the journal of this project is gone/);
    expectDone(await imported.heddle("import", "tasker", "project-planning"));
    expect(statuses(imported)).toMatchObject({
      T001: "complete",
      T003: "failed",
      T005: "blocked",
      T006: "running",
    });
  });
});

const schema = z.fromJSONSchema(
  JSON.parse(readFileSync(join(import.meta.dirname, "../../schemas/state.schema.json"), "utf8")),
);

describe("state export", () => {
  const project = desk(async (each) => {
    await plan(each, { tasks: [{}, { dependencies: { tasks: ["T001"], external: [] } }, {}, {}] });
    for (const line of [
      "start-task T001",
      "complete-task T001 --created src/T001.ts",
      "record-verification T001 --verdict PASS --recommendation PROCEED",
      "record-calibration T001 false_positive it broke",
      "record-calibration T001 correct after all",
      "start-task T003",
      "fail-task T003 red --category test --no-retry",
      "skip-task T004 later",
      "start-task T002",
      "log-tokens s 100 20 0.5",
    ])
      await each.must("state", ...line.split(" "));
    await each.must("halt", "lunch");
  });

  it("U6 is valid against the schema, with every task and every event", async () => {
    const document = await project.json("state", "export");
    expect(schema.safeParse(document).error).toBeUndefined();
    expect(Object.keys(document.tasks)).toEqual(["T001", "T002", "T003", "T004"]);
    const types = document.events.map(({ type }: { type: string }) => type);
    for (const type of [
      "initialized",
      "phase_advanced",
      "artifact_registered",
      "tasks_loaded",
      "task_started",
      "task_completed",
      "task_failed",
      "task_skipped",
      "verification_recorded",
      "tokens_logged",
      "halt_requested",
    ])
      expect(types).toContain(type);
    const detail = (fact: { kind: string }) => fact.kind === "task-defined";
    const facts = (await project.history()).filter(({ fact }) => !detail(fact));
    expect(document.events).toHaveLength(facts.length);
  });

  it("C2 the state.json that heddle writes is valid against the schema as well", () => {
    expect(schema.safeParse(project.stateJson()).error).toBeUndefined();
  });

  it("U6 writes to a file that it is given, and changes nothing else", async () => {
    const before = (await project.history()).length;
    expectDone(await project.state("export", "out.json"), `Exported to ${project.path("out.json")}`);
    expect(JSON.parse(read(project, "out.json"))).toEqual(await project.json("state", "export"));
    expect(await project.history()).toHaveLength(before);
  });

  it("C14 a place that cannot be written to is said in one sentence", async () => {
    const ran = await project.state("export", "no/such/folder/out.json");
    expect([1, 74], ran.err).toContain(ran.code);
    expect(ran.err).not.toMatch(/heddle has a bug/);
  });

  it("U6 can be imported again: phase, tasks, usage and halt are the same", async () => {
    const copy = new Project();
    cpSync(project.path("project-planning"), copy.path("project-planning"), { recursive: true });
    const exported = await project.json("state", "export", copy.path("project-planning/state.json"));
    expect(exported.file).toBe(copy.path("project-planning/state.json"));
    await copy.must("import", "tasker", "project-planning");
    const [was, is] = [project.stateJson(), copy.stateJson()];
    const kept = ({ file: _file, duration_seconds: _seconds, ...rest }: Record<string, unknown>) => rest;
    for (const id of Object.keys(was.tasks)) expect(kept(is.tasks[id])).toEqual(kept(was.tasks[id]));
    expect([is.phase, is.target_dir]).toEqual([was.phase, was.target_dir]);
    expect(is.artifacts.task_validation).toMatchObject({ verdict: "READY", summary: "all pass", issues: [] });
    const calibration = async (each: Project) => (await each.json("state", "export")).calibration;
    expect(await calibration(copy)).toEqual(await calibration(project));
    expect((await calibration(copy)).history).toHaveLength(2);
    expect(is.halt).toMatchObject({ requested: true, reason: "lunch" });
    expect(is.execution).toMatchObject({ total_tokens: 120, total_cost_usd: 0.5, completed_count: 1 });
    await expectWhole(copy);
  });

  it("C2 has all of more than a thousand tasks, where state.json has counts", async () => {
    const large = new Project();
    await large.must("init", "app");
    large.writePlan({ tasks: 1_001 });
    await large.must("state", "load-tasks");
    expect(large.stateJson().tasks).toEqual({ counts: expect.objectContaining({ pending: 1_001 }) });
    expect(Object.keys((await large.json("state", "export")).tasks)).toHaveLength(1_001);
    expect(taskId(1_001)).toBe("T1001");
  });
});

// Beginning a plan (D1, C16): directories, what is refused, what is archived, and plans of another program (C3).
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { folder, heddle, newProject, Project } from "./rig.ts";
import { expectOneError, expectRefused, expectWhole } from "./whole.ts";

describe("heddle init", () => {
  let project: Project;
  let back: () => void;
  beforeAll(async () => {
    project = await newProject();
    project.writePlan({ tasks: 2 });
    await project.must("state", "load-tasks");
    back = project.save();
  });
  beforeEach(() => back());

  it("D1 init makes the folders and says where, in its last line", async () => {
    const fresh = new Project();
    const { out } = await fresh.must("init", "app");
    expect(out.trimEnd().split("\n").at(-1)).toBe(`PLANNING_DIR=${fresh.path("project-planning")}`);
    for (const name of ["inputs", "artifacts", "tasks", "bundles", "reports"])
      expect(fresh.has(`project-planning/${name}`), name).toBe(true);
    expect(fresh.has(".heddle/logs")).toBe(true);
    expect((await fresh.status()).target_dir).toBe(fresh.path("app"));
  });

  it("D1 init without a target makes the folders alone, and a plan can be begun over them", async () => {
    const fresh = new Project();
    const { out } = await fresh.must("init");
    expect(out.trimEnd().split("\n").at(-1)).toBe(`PLANNING_DIR=${fresh.path("project-planning")}`);
    for (const name of ["inputs", "artifacts", "tasks", "bundles", "reports"])
      expect(fresh.has(`project-planning/${name}`), name).toBe(true);
    expect(fresh.has(".heddle/logs")).toBe(true);
    expect(fresh.has(".heddle/heddle.db")).toBe(false);
    expect(await fresh.heddle("init", "--force")).toMatchObject({ code: 64 });
    fresh.write("project-planning/inputs/spec.md", "Keep notes.\n");
    await fresh.must("init");
    await fresh.must("state", "init", "app");
    expect(fresh.has("project-planning/inputs/spec.md")).toBe(true);
  });

  it("D1 init --dir makes them elsewhere", async () => {
    const place = `${folder()}/deep/inside`;
    const ran = await heddle(["init", "app", "--dir", place]);
    expect(ran).toMatchObject({ code: 0, err: "" });
    expect(ran.out).toContain(`PLANNING_DIR=${place}/project-planning`);
  });

  it("D1 init on an existing plan is refused, and nothing is changed", async () => {
    const { position } = await project.status();
    expectRefused(await project.heddle("init", "other"), /active already/);
    expect(await expectWhole(project)).toMatchObject({ position, target_dir: project.path("app") });
  });

  it("D1 init --force archives the old plan first, with its files", async () => {
    await project.must("init", "other", "--force");
    expect(await expectWhole(project)).toMatchObject({ run: "plan-2", phase: "ingestion" });
    expect(project.has(".heddle/archive/plan-1/tasks/T001.json")).toBe(true);
    expect(project.has("project-planning/tasks/T001.json")).toBe(false);
    expect((await project.json("history", "--run", "plan-1")).at(-1).fact.kind).toBe("run-archived");
  });

  it("D1 init over a plan of another program is refused, and its files are left alone", async () => {
    const fresh = new Project();
    const theirs = JSON.stringify({ version: "2.0", phase: { current: "ready", completed: [] }, tasks: {} });
    fresh.write("project-planning/state.json", theirs);
    const ran = await fresh.heddle("init", "app");
    expect(ran.code, ran.out).not.toBe(0);
    expectOneError(ran);
    expect(JSON.stringify(fresh.stateJson())).toBe(theirs);
  });

  it("C3 a plan of another program without a journal is imported, with its statuses", async () => {
    const fresh = new Project();
    const task = (id: string, status: string, more = {}) => ({
      id,
      name: id,
      status,
      phase: 1,
      depends_on: [],
      ...more,
    });
    const theirs = {
      version: "2.0",
      phase: { current: "executing", completed: ["ingestion"] },
      target_dir: "/somewhere",
      created_at: "2025-01-01T00:00:00+00:00",
      updated_at: "2025-01-01T00:00:00+00:00",
      artifacts: {},
      tasks: {
        T001: task("T001", "complete", { attempts: 2 }),
        T002: task("T002", "pending", { depends_on: ["T001"] }),
      },
      execution: {
        current_phase: 0,
        active_tasks: [],
        completed_count: 1,
        failed_count: 0,
        total_tokens: 7,
        total_cost_usd: 0.5,
      },
      events: [
        {
          timestamp: "2025-01-01T00:00:00+00:00",
          type: "initialized",
          details: { target_dir: "/somewhere" },
        },
      ],
    };
    fresh.write("project-planning/state.json", JSON.stringify(theirs));
    const ran = await fresh.heddle("status", "--json");
    expect(ran.code, ran.err).toBe(0);
    expect(ran.err).toContain("imported");
    expect(await expectWhole(fresh)).toMatchObject({
      phase: "executing",
      tasks: { complete: 1, pending: 1 },
      ready: ["T002"],
      target_dir: "/somewhere",
    });
    expect(fresh.stateJson().tasks.T001.attempts).toBe(2);
  });
});

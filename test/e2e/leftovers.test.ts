// What a killed process leaves beside the files it was writing, and a project that was moved as a whole.
import { spawnSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folder, newProject, Project, readyProject } from "./rig.ts";

/** A pid that was a process's a moment ago. */
const deadPid = () => spawnSync("true").pid;

describe("a file that was being written", () => {
  it("C2 G1 is cleared away by the next change when its process is gone, and left when it is not", async () => {
    const project = await newProject();
    const dead = deadPid();
    const left = [
      `project-planning/state.json.${dead}.new`,
      `.heddle/heddle.db.${dead}.new`,
      `.heddle/heddle.db.${dead}.new-wal`,
    ];
    const others = [`project-planning/state.json.${process.pid}.new`, "project-planning/notes.new"];
    for (const path of [...left, ...others]) project.write(path, "half a te");
    await project.must("halt", "think");
    expect(left.filter((path) => project.has(path))).toEqual([]);
    expect(others.filter((path) => project.has(path))).toEqual(others);
  });

  it("C2 is cleared away by init as well", async () => {
    const project = new Project();
    const left = `.heddle/heddle.db.${deadPid()}.new`;
    project.write(left, "half a database");
    await project.must("init", ".");
    expect(project.has(left)).toBe(false);
    expect(readdirSync(project.path(".heddle")).filter((name) => name.includes(".new"))).toEqual([]);
  });
});

describe("a project that was moved", () => {
  it("C1 C16 goes on where it is now: journal, view, log and target", { timeout: 60_000 }, async () => {
    const before = await readyProject({ tasks: 3 });
    await before.must("state", "start-task", "T001");
    const after = new Project(join(folder(), "elsewhere"));
    renameSync(before.root, after.root);
    expect(await after.status()).toMatchObject({ target_dir: after.path("app"), tasks: { running: 1 } });
    expect(after.stateJson().target_dir).toBe(after.path("app"));
    expect(after.stateJson().tasks.T002.file).toBe(after.path("project-planning/tasks/T002.json"));
    await after.must("bundle", "generate", "T002");
    await after.must("state", "load-tasks");
    await after.must("state", "complete-task", "T001");
    expect(after.stateJson().tasks.T001.status).toBe("complete");
    expect((await after.json("history"))[0].fact).toMatchObject({
      targetDir: after.path("app"),
      planningDir: after.path("project-planning"),
    });
    expect(readFileSync(after.path(".heddle/logs/activity.log"), "utf8")).toContain("T001: success");
    await after.must("verify");
    expect((await after.heddle("status")).err).toBe("");
  });

  it("C1 leaves the place that it was copied from alone", { timeout: 60_000 }, async () => {
    const first = await readyProject({ tasks: 2 });
    const second = new Project(join(folder(), "copy"));
    cpSync(first.root, second.root, { recursive: true });
    const view = readFileSync(first.view, "utf8");
    await second.must("state", "start-task", "T001");
    expect(readFileSync(first.view, "utf8")).toBe(view);
    expect((await first.status()).tasks.running).toBe(0);
    expect((await second.status()).tasks.running).toBe(1);
  });

  it("C16 keeps the name of a target outside of it", async () => {
    const target = folder();
    const before = new Project(join(folder(), "here"));
    before.write("README.md", "a project\n");
    await before.must("init", target);
    const after = new Project(join(folder(), "there"));
    renameSync(before.root, after.root);
    expect(await after.status()).toMatchObject({ target_dir: target });
    await after.must("verify");
  });
});

// M1: how a mission begins, and what happens where there is none.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { composition } from "../../src/cli/composition.ts";
import { App } from "../../src/engine/app.ts";
import { Project } from "../e2e/rig.ts";
import { Mission, plan } from "./rig.ts";

describe("M1 without a context", () => {
  it("halts: Project not initialized, says how to begin, and leaves no trace", async () => {
    const project = new Mission();
    const ran = await project.mission();
    expect(ran.code).toBe(1);
    expect(ran.err).toContain("Project not initialized");
    expect(ran.err).toContain('hint: heddle mission "<goal>"');
    expect(existsSync(project.path(".meta"))).toBe(false);
  });

  it("a context that is gone halts the mission, and one that is back lets it go on", async () => {
    const project = new Mission();
    await project.must("mission", "init", "write the files");
    const text = readFileSync(project.path(".meta/context.md"), "utf8");
    project.git("rm", "-q", "--cached", "-r", "--ignore-unmatch", ".meta");
    rmSync(project.path(".meta/context.md"));
    const ran = await project.mission();
    expect(ran).toMatchObject({ code: 1 });
    expect(ran.err).toContain("Project not initialized");
    project.write(".meta/context.md", text);
    expect((await project.mission()).code).toBe(0);
  });
});

describe("heddle mission init", () => {
  it("M1 writes context and a default session, and starts nothing", async () => {
    const project = new Mission();
    const ran = await project.must("mission", "init", "one login for all our tools");
    expect(ran.out).toContain("heddle mission");
    expect(readFileSync(project.path(".meta/context.md"), "utf8")).toContain("one login for all our tools");
    expect(readFileSync(project.path(".meta/context.md"), "utf8")).toContain("## What is there");
    expect(project.stateJson()).toMatchObject({
      current_phase: 1,
      current_task_idx: 0,
      retry_count: 0,
      gap_count: 0,
      variables: { research_done: false },
    });
    expect(project.attempts()).toEqual([]);
  });

  it("takes the goal from a file", async () => {
    const project = new Mission();
    project.write("goal.md", "From *this* file.\n");
    await project.must("mission", "init", "goal.md");
    expect(readFileSync(project.path(".meta/context.md"), "utf8")).toContain("From *this* file.");
  });

  it("M1 without a goal writes a template, and a template is no context", async () => {
    const project = new Mission();
    await project.must("mission", "init");
    const ran = await project.mission();
    expect(ran.code).toBe(1);
    expect(ran.out).toContain("not_initialized: Project not initialized");
    expect(project.attempts()).toEqual([]);
    project.write(".meta/context.md", "# Mission\n\nWrite the files.\n");
    expect((await project.mission()).code).toBe(0);
  });

  it("refuses a second mission, and archives the first when it is forced to", async () => {
    const project = new Mission();
    await project.must("mission", "init", "the first");
    for (const words of [["init", "another"], ["another"]]) {
      const ran = await project.mission(...words).catch(() => undefined);
      expect(ran?.code).not.toBe(0);
    }
    const refused = await project.heddle("mission", "init", "another");
    expect(refused.code).toBe(1);
    expect(refused.err).toContain("there is a mission already");
    await project.must("mission", "init", "another", "--force");
    expect(readFileSync(project.path(".meta/context.md"), "utf8")).toContain("another");
    expect(readFileSync(project.path(".heddle/archive/mission-1/meta/context.md"), "utf8")).toContain(
      "the first",
    );
    expect((await project.status()).run).toBe("mission-2");
  });

  it("a crash after a mission was archived loses nothing: the next one puts its files aside", async () => {
    const project = new Mission();
    await project.must("mission", "init", "the first");
    project.write("artifacts/plan.json", JSON.stringify(plan("01-01")));
    project.write("artifacts/logo.svg", "<svg/>");
    // What a heddle leaves that is killed right after the journal has it.
    const app = await App.open({ root: project.root, ...composition, by: "test", run: "mission-1" });
    await app.submit({ kind: "archive", reason: "heddle mission init --force" });
    app.close();
    expect(project.has(".meta/session.json")).toBe(true);
    await project.must("mission", "init", "the second");
    const archived = (name: string) => readFileSync(project.path(".heddle/archive/mission-1", name), "utf8");
    expect(archived("meta/context.md")).toContain("the first");
    expect(archived("meta/session.json")).toContain("mission-1");
    expect(JSON.parse(archived("artifacts/plan.json"))).toEqual(plan("01-01"));
    expect(project.has("artifacts/plan.json")).toBe(false);
    // What is no mission's stays where it is.
    expect(project.has("artifacts/logo.svg")).toBe(true);
    expect(readFileSync(project.path(".meta/context.md"), "utf8")).toContain("the second");
    expect(project.stateJson()).toMatchObject({ session_id: "mission-2", current_phase: 1 });
  });

  it("archives a mission whose session was lost, with its files", async () => {
    const project = new Mission();
    await project.must("mission", "init", "the first");
    project.write("artifacts/plan.json", JSON.stringify(plan("01-01")));
    rmSync(project.path(".meta/session.json"));
    await project.must("mission", "init", "the second", "--force");
    expect(project.has(".heddle/archive/mission-1/artifacts/plan.json")).toBe(true);
    expect(project.has("artifacts/plan.json")).toBe(false);
  });

  it("a folder with nothing but a context is a new project: there is nothing to find in it", async () => {
    const project = new Project();
    project.write(".meta/context.md", "# Vision\n\nAll files are written.\n");
    await project.must("mission", "init", "one login for all our tools");
    const context = readFileSync(project.path(".meta/context.md"), "utf8");
    expect(context).toBe("# Mission\n\n## Goal\n\none login for all our tools\n");
  });

  it("stands beside a plan: each has its own run, and mission finds its own", async () => {
    const project = new Mission();
    await project.must("init", "app");
    await project.must("mission", "init", "beside it");
    expect((await project.heddle("status")).err).toContain("several runs are active");
    expect((await project.json("status", "--run", "mission-1")).protocol).toBe("mission");
    const ran = await project.mission();
    expect(ran.code).toBe(0);
    // What is about tasks works on the mission's when it is named, and on the plan's otherwise.
    const named = ["--run", "mission-1"];
    expect((await project.json("report", ...named)).tasks.map(({ id }: { id: string }) => id)).toEqual([
      "01-01",
      "01-02",
    ]);
    expect((await project.json("report")).tasks).toEqual([]);
    await project.must("undo", "01-02", "--yes", ...named);
    await project.must("state", "retry-task", "01-02", ...named);
    expect(await project.json("state", "ready-tasks", ...named)).toMatchObject([{ id: "01-02" }]);
    const refused = await project.heddle("execute", ...named);
    expect(refused.err).toContain("`mission-1` is a run of `mission`: this is not for it");
    expect((await project.mission()).code).toBe(0);
    expect(project.merged()).toEqual(["01-01", "01-02", "01-02"]);
  });
});

describe("M1 a session of another program", () => {
  const session = {
    session_id: "7c1",
    current_phase: "03",
    current_task_idx: 1,
    status: "executing",
    retry_count: 0,
    variables: { research_done: true, colour: "red" },
  };

  it("is taken over: phase, variables, and the task it stood at", async () => {
    const project = new Mission();
    project.write(".meta/context.md", "# Vision\n\nAll files are written.\n");
    project.write(".meta/session.json", JSON.stringify(session));
    project.write("artifacts/plan.json", JSON.stringify(plan("03-01", "03-02")));
    project.write("src/03-01.txt", "03-01\n");
    project.git("add", "src");
    project.git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qm", "One");
    const ran = await project.mission();
    expect(ran.err).toMatch(/^note: added .* to .git.info.exclude: .*\n$/);
    expect(ran.code).toBe(0);
    expect(project.merged()).toEqual(["03-02"]);
    expect(project.attempts()).toEqual(["03-02-1", "verifier-1"]);
    expect(project.stateJson()).toMatchObject({
      current_phase: 4,
      variables: { research_done: true, colour: "red" },
    });
  });

  it("that is broken is named, and not written over", async () => {
    const project = new Mission();
    project.write(".meta/context.md", "# Vision\n\nAll files are written.\n");
    project.write(".meta/session.json", '{"current_phase": "soon"}');
    const ran = await project.mission();
    expect(ran.code).toBe(1);
    expect(ran.err).toContain("session.json");
    expect(readFileSync(project.path(".meta/session.json"), "utf8")).toBe('{"current_phase": "soon"}');
  });
});

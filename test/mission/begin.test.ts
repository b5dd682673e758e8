// M1: how a mission begins, and what happens where there is none.
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { hasBox, Mission, plan } from "./rig.ts";

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
    const { rmSync } = await import("node:fs");
    rmSync(project.path(".meta/context.md"));
    const ran = await project.mission();
    expect(ran).toMatchObject({ code: 1 });
    expect(ran.err).toContain("Project not initialized");
    project.write(".meta/context.md", text);
    if (hasBox) expect((await project.mission()).code).toBe(0);
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
    if (hasBox) expect((await project.mission()).code).toBe(0);
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

  it("stands beside a plan: each has its own run, and mission finds its own", async () => {
    const project = new Mission();
    await project.must("init", "app");
    await project.must("mission", "init", "beside it");
    expect((await project.heddle("status")).err).toContain("several runs are active");
    expect((await project.json("status", "--run", "mission-1")).protocol).toBe("mission");
    if (!hasBox) return;
    const ran = await project.mission();
    expect(ran.code).toBe(0);
  });
});

describe.runIf(hasBox)("M1 a session of another program", () => {
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
    expect(ran.err).toBe("");
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

// Deaths, halts and resumptions of real runs: what was done stays done, what was lost is tried again, nothing is doubled.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ended, start, until } from "../e2e/rig.ts";
import { Execution, survivors } from "./rig.ts";

const begin = (project: Execution, ...more: readonly string[]) =>
  start([...project.words, "--batch", ...more], { cwd: project.root });

describe("recovery", () => {
  it("X2 X14 a result that was there before the death is taken over, and its agent not paid twice", async () => {
    const project = await Execution.ready({ tasks: 1 }, { T001: ["good(); hang()"] });
    const first = begin(project);
    await until("a result", () => existsSync(project.attempt("T001-1", "out/result.json")));
    first.kill("SIGKILL");
    await ended(first);
    expect((await project.execute()).code).toBe(0);
    expect(await project.facts("task-started")).toHaveLength(1);
    expect(project.merged()).toEqual(["T001"]);
    expect(survivors(project)).toEqual([]);
  });

  it("X14 an agent that died without a result is an orphan: retry costs no try, skip fails it, abort halts", async () => {
    const project = await Execution.ready(
      { tasks: 2, after: (n) => (n === 2 ? [1] : []) },
      { T001: ["hang()"] },
    );
    const kill = async () => {
      const child = begin(project);
      const name = `T001-${(await project.facts("task-started")).length + 1}`;
      await until(
        "an agent",
        () =>
          project.attempts().some((each) => each >= name) &&
          existsSync(project.attempt(name, "started.json")),
      );
      child.kill("SIGKILL");
      await ended(child);
    };
    await kill();
    const halted = await project.execute("--on-orphan", "abort");
    expect(halted.code).toBe(1);
    expect((await project.status()).halt).toMatchObject({ code: "orphans" });
    await project.must("resume");
    await kill();
    expect((await project.execute("--on-orphan", "skip")).code).toBe(1);
    expect((await project.status()).tasks).toMatchObject({ failed: 1, blocked: 1 });
    project.agent({});
    await project.must("state", "retry-task", "T001");
    expect((await project.execute()).code).toBe(0);
    expect(project.merged()).toEqual(["T001", "T002"]);
  });

  it("X17 a second orchestrator is refused while the first lives", async () => {
    const project = await Execution.ready({ tasks: 1 }, { T001: ["gate(); good()"] });
    const first = begin(project);
    await until("an agent", () => existsSync(project.attempt("T001-1", "started.json")));
    const second = await project.execute();
    expect(second.code).toBe(1);
    expect(second.err).toMatch(/is orchestrated by process \d+/);
    project.release("T001-1");
    expect((await ended(first)).code).toBe(0);
    expect(project.merged()).toEqual(["T001"]);
  });

  it("C10 X27 a halt lets what runs finish and starts nothing; the same command goes on", async () => {
    const project = await Execution.ready(
      { tasks: 2, after: (n) => (n === 2 ? [1] : []) },
      { T001: ["gate(); good()"] },
    );
    const first = begin(project);
    await until("an agent", () => existsSync(project.attempt("T001-1", "started.json")));
    await project.must("halt", "lunch");
    project.release("T001-1");
    const ran = await ended(first);
    expect(ran.code).toBe(1);
    expect(project.merged()).toEqual(["T001"]);
    expect((await project.execute()).code).toBe(0);
    expect(project.merged()).toEqual(["T001", "T002"]);
  });

  it("C10 --now ends what runs within seconds, without costing a try", async () => {
    const project = await Execution.ready({ tasks: 1 }, { T001: ["hang()"] });
    const first = begin(project);
    await until("an agent", () => existsSync(project.attempt("T001-1", "started.json")));
    await project.must("halt", "--now");
    await ended(first);
    expect(survivors(project)).toEqual([]);
    project.agent({});
    await project.must("resume");
    expect((await project.execute()).code).toBe(0);
    expect(await project.facts("attempt-failed")).toEqual([]);
    expect(project.merged()).toEqual(["T001"]);
  });

  it("C10 a STOP file halts a running orchestrator, and Ctrl-C does", async () => {
    const project = await Execution.ready(
      { tasks: 2, after: (n) => (n === 2 ? [1] : []) },
      { "*": ["gate(); good()"] },
    );
    const first = begin(project);
    await until("an agent", () => existsSync(project.attempt("T001-1", "started.json")));
    writeFileSync(project.path("project-planning/STOP"), "");
    await until("the halt", async () => (await project.status()).halt !== null);
    project.release("T001-1");
    await ended(first);
    expect((await project.status()).halt).toMatchObject({ code: "stop_file" });
    await project.must("resume");
    const second = begin(project);
    await until("an agent", () => existsSync(project.attempt("T002-1", "started.json")));
    second.kill("SIGINT");
    project.release("T002-1");
    expect((await ended(second)).code).toBe(130);
    await project.must("resume");
    await project.execute();
    expect(project.merged()).toEqual(["T001", "T002"]);
  });

  it("G3 a branch that somebody moved is built upon, and nothing is lost", async () => {
    const project = await Execution.ready({ tasks: 2, after: (n) => (n === 2 ? [1] : []) });
    await project.execute("T001");
    project.git("checkout", "-q", "heddle/plan-1");
    project.write("app/theirs.txt", "x\n");
    project.git("add", ".");
    project.git("-c", "user.name=Ada", "-c", "user.email=a@b.c", "commit", "-qm", "By hand");
    project.git("checkout", "-q", "main");
    expect((await project.execute()).code).toBe(0);
    expect(project.merged()).toEqual(["T001", "T002"]);
    expect(project.show("theirs.txt")).toBe("x\n");
  });

  it("fault 50: `git gc --prune=now` is kept off while objects are written, and goes on afterwards", async () => {
    const project = await Execution.ready({ tasks: 4 }, { "*": ["good(); sleep(200)"] });
    const first = begin(project, "--parallel", "4");
    let over = false;
    const end = ended(first).then((ran) => {
      over = true;
      return ran;
    });
    const said = new Set<string>();
    while (!over) {
      const { status, stderr } = spawnSync("git", ["-C", project.path("app"), "gc", "-q", "--prune=now"]);
      if (status !== 0) said.add(stderr.toString());
      await new Promise((settle) => setTimeout(settle, 50));
    }
    expect((await end).code).toBe(0);
    expect([...said]).toEqual([expect.stringContaining("gc is already running on machine")]);
    expect(project.merged().sort()).toEqual(["T001", "T002", "T003", "T004"]);
    project.git("gc", "-q", "--prune=now");
    project.git("fsck", "--strict");
    expect(project.git("for-each-ref", "--format=%(refname)", "refs/heddle")).toBe(
      "refs/heddle/plan-1/start\n",
    );
  });

  it("fault 50: one who was killed keeps no `git gc` off", async () => {
    const project = await Execution.ready({ tasks: 1 }, { "*": ["good(); sleep(30000)"] });
    const first = begin(project);
    await until("an agent", () => existsSync(project.attempt("T001-1", "started.json")));
    expect(existsSync(project.path("app/.git/gc.pid"))).toBe(true);
    first.kill("SIGKILL");
    await ended(first);
    project.git("gc", "-q", "--prune=now");
    expect(existsSync(project.path("app/.git/gc.pid"))).toBe(false);
  });

  it("G3 a branch that was deleted is made again where it was", async () => {
    const project = await Execution.ready({ tasks: 2, after: (n) => (n === 2 ? [1] : []) });
    project.config({ land: "never" });
    await project.execute("T001");
    project.git("branch", "-D", "heddle/plan-1");
    expect((await project.execute()).code).toBe(0);
    expect(project.merged()).toEqual(["T001", "T002"]);
    expect(readFileSync(project.path("app/README.md"), "utf8")).toBe("# The person's project\n");
  });
});

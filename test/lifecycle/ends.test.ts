// How a task ends: accepted onto whatever the person did meanwhile, reverted without a trace of anything else (L12),
// opened again; several tasks beside each other, and beside a project without git.
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { hasBox } from "../needs.ts";
import { code, json, Lifecycle, plan } from "./rig.ts";

const steps = async (project: Lifecycle, count: number, ...words: string[]) => {
  for (let step = 0; step < count; step++) {
    const ran = await project.next(...words);
    if (ran.code !== 0) throw new Error(ran.err + ran.out);
  }
};

describe("accepting", () => {
  it("L12 G4 what the person committed meanwhile stays, and the commands run again on the merged tree", async () => {
    const project = await Lifecycle.begun();
    await steps(project, 5);
    project.write("app/README.md", "# The person's project, changed\n");
    project.commit("Meanwhile");
    await steps(project, 1);
    expect(project.git("log", "--format=%s").trim().split("\n")).toEqual([
      "task-1: Greet people by name",
      "Meanwhile",
      "Begin",
    ]);
    expect(project.git("show", "HEAD:README.md")).toContain("changed");
    expect(project.git("status", "--porcelain")).toBe("");
  });

  it("L12 a conflict with what was committed meanwhile sends the code back, and it is made on the new commit", async () => {
    const project = await Lifecycle.begun({
      planner: [json({ ...plan, file_plan: [{ path: "README.md", intent: "update" }, ...plan.file_plan] })],
      coder: [
        code({ "README.md": "# One\n", "greet.txt": "Hello\n" }),
        code({ "README.md": "# Both\n", "greet.txt": "Hello\n" }),
      ],
    });
    await steps(project, 5);
    project.write("app/README.md", "# Two\n");
    project.commit("Meanwhile");
    const sent = await project.next();
    expect(sent.out).toContain("accept -> codegen");
    expect(project.document("accept/decision.json")).toMatchObject({
      verdict: "rejected",
      decider: "heddle",
    });
    expect((await project.all()).code).toBe(0);
    expect(project.git("show", "HEAD:README.md")).toBe("# Both\n");
    expect(project.git("log", "--format=%s", "-2").trim().split("\n")).toEqual([
      "task-1: Greet people by name",
      "Meanwhile",
    ]);
  });

  it("L12 work that is not committed stays as it is: the commit is made, and landing is left to the person", async () => {
    const project = await Lifecycle.begun();
    await steps(project, 5);
    project.write("app/README.md", "half a thought\n");
    const ran = await project.next();
    expect(ran.out).toContain("not landed");
    expect(readFileSync(project.path("app/README.md"), "utf8")).toBe("half a thought\n");
    expect(project.git("show", "heddle/task-1:greet.txt")).toBe("Hello, Ada!\n");
    project.git("checkout", "README.md");
    await project.must("land");
    expect(existsSync(project.path("app/greet.txt"))).toBe(true);
  });
});

describe("landing", () => {
  it("X21 L12 `land --merge` merges with a checkout that has moved, once its commands pass on that very tree", async () => {
    const project = await Lifecycle.begun({
      planner: [
        json({
          ...plan,
          acceptance_criteria: [
            { description: "it greets", verification: "grep -q Hello greet.txt && test ! -e broken" },
          ],
        }),
      ],
    });
    project.write(".heddle/config.json", JSON.stringify({ land: "never" }));
    expect((await project.all()).code).toBe(0);
    project.write("app/broken", "x");
    project.git("add", "broken");
    project.commit("Break it");
    const moved = await project.heddle("land");
    expect(moved.out).toContain("or: heddle land --merge");
    const boxless = hasBox ? [] : ["--unconfined"];
    const red = await project.heddle("land", "--merge", ...boxless);
    expect(red.code).toBe(1);
    expect(red.out).toContain("merged with your own commits, `grep -q Hello greet.txt && test ! -e broken`");
    project.git("rm", "-q", "broken");
    project.commit("Put it right");
    expect((await project.must("land", "--merge", ...boxless)).out).toContain("landed:");
    expect(project.git("log", "-1", "--format=%s %P").trim()).toMatch(/^Merge heddle\/task-1 \w+ \w+$/);
    expect(project.git("show", "HEAD:greet.txt")).toBe("Hello, Ada!\n");
    expect(project.git("status", "--porcelain")).toBe("");
  });
});

describe("reverting", () => {
  it("L12 takes back exactly the task's commit, and deletes no file that the task did not make", async () => {
    const project = await Lifecycle.begun();
    expect((await project.all()).code).toBe(0);
    project.write("app/README.md", "# Later\n");
    project.commit("Later");
    project.write("app/untracked.txt", "mine\n");
    const ran = await project.must("revert", "--reason", "not wanted after all");
    expect(ran.out).toContain("greet.txt");
    expect(existsSync(project.path("app/greet.txt"))).toBe(false);
    expect(readFileSync(project.path("app/README.md"), "utf8")).toBe("# Later\n");
    expect(readFileSync(project.path("app/untracked.txt"), "utf8")).toBe("mine\n");
    expect(project.git("log", "-1", "--format=%s").trim()).toBe("Revert task-1");
    expect(project.document("revert/record.json")).toMatchObject({
      reason: "not wanted after all",
      files: ["greet.txt"],
    });
    expect(project.stateJson().phase).toBe("done");
    for (const why of ["again", "and again"]) {
      const nothing = await project.heddle("revert", "--reason", why);
      expect(nothing).toMatchObject({ code: 1, out: expect.stringContaining("nothing was changed") });
    }
    expect(project.document("revert/record.json")).toMatchObject({ reason: "not wanted after all" });
    expect((await project.json("report")).outcome).toBe("reverted");
  });

  it("L12 what a person writes again after a revert is the person's, and stays", async () => {
    const project = await Lifecycle.begun();
    expect((await project.all()).code).toBe(0);
    await project.must("revert", "--reason", "not so");
    project.write("app/greet.txt", "Hello, Ada!\n");
    project.git("add", "greet.txt");
    project.commit("Greet in my own way");
    expect((await project.heddle("revert", "--reason", "once more")).code).toBe(1);
    expect(readFileSync(project.path("app/greet.txt"), "utf8")).toBe("Hello, Ada!\n");
    expect(project.git("log", "-1", "--format=%s").trim()).toBe("Greet in my own way");
  });

  it("L12 what was changed again since is not taken back over it: the files are named, and what to type", async () => {
    const project = await Lifecycle.begun();
    expect((await project.all()).code).toBe(0);
    const made = project.git("rev-parse", "HEAD").trim();
    project.write("app/greet.txt", "Hello, Ada and Bob!\n");
    project.commit("Bob too");
    const refused = await project.heddle("revert", "--reason", "not wanted");
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.err).toContain("what task-1 changed was changed again since: greet.txt");
    expect(refused.err).toContain(`git -C ${project.path("app")} revert ${made.slice(0, 12)}`);
    expect(project.git("log", "-1", "--format=%s").trim()).toBe("Bob too");
    expect(project.git("status", "--porcelain")).toBe("");
    expect(existsSync(project.task("revert/record.json"))).toBe(false);
    project.git("rm", "-q", "greet.txt");
    project.git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qm", "Away with it");
    const again = await project.must("revert", "--reason", "not wanted");
    expect(again.out).toContain("nothing of it was left to take back");
    expect(project.git("log", "-1", "--format=%s").trim()).toBe("Away with it");
    expect(project.document("revert/record.json")).toMatchObject({ reason: "not wanted", files: [] });
  });

  it("L12 a file that the task deleted and one that it changed come back as they were, modes too", async () => {
    const project = new Lifecycle();
    project.makeTarget();
    project.write("app/old.sh", "#!/bin/sh\necho old\n");
    chmodSync(project.path("app/old.sh"), 0o755);
    project.git("add", "old.sh");
    project.commit("Old");
    const paths = [
      { path: "old.sh", intent: "delete" },
      { path: "README.md", intent: "update" },
      ...plan.file_plan,
    ];
    project.script({
      planner: [json({ ...plan, file_plan: paths })],
      coder: [code({ "old.sh": null, "README.md": "# Changed\n", "greet.txt": "Hello\n" })],
    });
    await project.must("task", "new", "greet", "--target", "app");
    const ran = await project.all();
    expect(ran.code, ran.err + ran.out).toBe(0);
    expect(existsSync(project.path("app/old.sh"))).toBe(false);
    project.write("app/later.txt", "later\n");
    project.git("add", "later.txt");
    project.commit("Later");
    await project.must("revert", "--reason", "no");
    expect(project.git("diff", "--name-only", "HEAD~3", "HEAD").trim()).toBe("later.txt");
    expect(statSync(project.path("app/old.sh")).mode & 0o111).toBe(0o111);
    expect(project.git("status", "--porcelain")).toBe("");
  });

  it("L3 a revert at accept gives the task up: nothing was integrated, and nothing is", async () => {
    const project = await Lifecycle.begun();
    await steps(project, 5);
    await project.must("revert", "--reason", "given up");
    expect(project.stateJson().phase).toBe("done");
    expect(project.git("log", "--format=%s").trim()).toBe("Begin");
    expect(project.document("revert/record.json")).toMatchObject({ reason: "given up", commits: [] });
  });

  it("L3 L12 a task that is done again and then found to make things worse is taken back with all its commits", async () => {
    const project = await Lifecycle.begun({
      planner: [json(plan), json({ ...plan, approach: "otherwise" })],
      coder: [code({ "greet.txt": "Hello, Ada!\n" }), code({ "greet.txt": "Hello, world!\n" })],
      acceptor: [
        json({ verdict: "accepted" }),
        json({ verdict: "rejected", regression: true, reasons: ["it broke the mail"] }),
      ],
    });
    expect((await project.all()).code).toBe(0);
    await project.must("redo", "--reason", "friendlier");
    expect(project.stateJson()).toMatchObject({ phase: "planning", vars: { rounds_before: 0 } });
    expect((await project.all()).code).toBe(0);
    expect(existsSync(project.path("app/greet.txt"))).toBe(false);
    expect(project.document("revert/record.json").reason).toBe("it broke the mail");
  });
});

describe("several tasks", () => {
  it("L8 are chosen by name, or as the only open one", async () => {
    const project = await Lifecycle.begun();
    await project.must("task", "new", "say goodbye", "--target", "app");
    const several = await project.heddle("next", "--dry-run");
    expect(several.err).toContain("--run task-1 (planning), --run task-2 (planning)");
    expect((await project.json("task", "list")).map((each: { task: string }) => each.task)).toEqual([
      "task-1",
      "task-2",
    ]);
    expect((await project.all("task-1")).code).toBe(0);
    expect((await project.json("next", "--dry-run")).run).toBe("task-2");
    project.script({
      planner: [
        json({
          ...plan,
          file_plan: [{ path: "bye.txt", intent: "create" }],
          acceptance_criteria: [{ description: "it says so", verification: "grep -q Bye bye.txt" }],
        }),
      ],
      coder: [code({ "bye.txt": "Bye\n" })],
    });
    const ran = await project.all();
    expect(ran.code, ran.err + ran.out).toBe(0);
    expect(project.git("ls-files").trim().split("\n")).toEqual(["README.md", "bye.txt", "greet.txt"]);
    expect((await project.json("task", "show", "task-2")).suggestion.currentPhase).toBe("done");
  });

  it("D1 C14 a plan beside a task: each command finds its own, and says so when it is sent to the other", async () => {
    const project = await Lifecycle.begun();
    expect((await project.heddle("state", "status")).err).toContain("there is no run yet");
    await project.must("init", "app");
    expect((await project.must("state", "status")).out).toContain("Phase: ingestion");
    expect((await project.json("task", "show")).phase).toBe("planning");
    expect((await project.heddle("status")).err).toContain("several runs are active");
    expect((await project.heddle("execute", "--run", "task-1")).err).toContain("is a run of `lifecycle`");
    expect((await project.heddle("accept", "plan-1")).err).toContain("is a run of `decomposition`");
    expect((await project.heddle("next", "--dry-run", "task-9")).err).toContain(
      "run `task-9` does not exist",
    );
  });

  it("L12 a target without git is changed, and changed back, file by file", async () => {
    const project = new Lifecycle();
    mkdirSync(project.path("plain"));
    writeFileSync(project.path("plain/README.md"), "# Plain\n");
    project.script({});
    await project.must("task", "new", "greet", "--target", "plain");
    const ran = await project.all();
    expect(ran.code, ran.err + ran.out).toBe(0);
    expect(readFileSync(project.path("plain/greet.txt"), "utf8")).toBe("Hello, Ada!\n");
    writeFileSync(project.path("plain/own.txt"), "mine\n");
    await project.must("revert", "--reason", "no");
    expect(existsSync(project.path("plain/greet.txt"))).toBe(false);
    expect(readFileSync(project.path("plain/own.txt"), "utf8")).toBe("mine\n");
    expect(existsSync(project.path("plain/.git"))).toBe(false);
  });
});

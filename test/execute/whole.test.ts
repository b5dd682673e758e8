import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { chain } from "../e2e/plan-files.ts";
import { Execution, survivors } from "./rig.ts";

describe("heddle execute", () => {
  it("X1–X21 brings a plan from ready to merged and landed changes, one commit per task", async () => {
    const project = await Execution.ready({ tasks: 4, after: (n) => (n < 3 ? [] : [n - 2]) });
    const ran = await project.execute("--parallel", "3");
    expect(ran.err).toBe("");
    expect(ran.code).toBe(0);
    const status = await project.status();
    expect(status).toMatchObject({ phase: "complete", tasks: { complete: 4 } });
    expect(project.merged().sort()).toEqual(["T001", "T002", "T003", "T004"]);
    expect(project.git("rev-list", "--merges", "heddle/plan-1")).toBe("");
    // X21: the checkout was clean and had not moved.
    expect(project.git("rev-parse", "main")).toBe(project.git("rev-parse", "heddle/plan-1"));
    expect(project.git("status", "--porcelain")).toBe("");
    expect(readFileSync(project.path("app/src/T003.txt"), "utf8")).toBe("T003\n");
    expect(survivors(project)).toEqual([]);
    expect((await project.heddle("verify")).code).toBe(0);
  });

  it("G4 binds evidence to the tree that was merged, and checks again when it is another", async () => {
    const project = await Execution.ready({ tasks: 3 });
    expect((await project.execute("--parallel", "3")).code).toBe(0);
    const [checks, merges] = [await project.facts("checks-recorded"), await project.facts("task-merged")];
    for (const { task, commit } of merges) {
      const tree = project.git("rev-parse", `${commit}^{tree}`).trim();
      const evidence = checks.filter((each) => each.task === task && each.tree === tree);
      expect(evidence.length, `evidence of ${task} on ${tree}`).toBeGreaterThanOrEqual(1);
    }
    expect(checks.find((each) => each.task === "T001")?.checks).toMatchObject([
      { ok: true, exit: 0, command: 'test "$(cat src/T001.txt)" = T001' },
    ]);
  });

  it("X6 leaves a dirty checkout as it is, byte for byte, and says how to get the result", async () => {
    const project = await Execution.ready({ tasks: 1 });
    project.write("app/README.md", "# changed by the person\n");
    project.write("app/untracked.txt", "mine\n");
    const before = project.git("rev-parse", "HEAD");
    const ran = await project.execute();
    expect(ran.code).toBe(0);
    expect(ran.err).toMatch(
      /warning: agents begin from your last commit, without README\.md, untracked\.txt/,
    );
    expect(ran.out).toMatch(/not landed: .*\n.*hint: /);
    expect(project.git("rev-parse", "HEAD")).toBe(before);
    expect(project.git("status", "--porcelain")).toBe(" M README.md\n?? untracked.txt\n");
    expect(project.show("src/T001.txt")).toBe("T001\n");
    // It lands once the checkout is clean.
    project.git("checkout", "-q", "README.md");
    expect((await project.heddle("land")).code).toBe(0);
    expect(readFileSync(project.path("app/src/T001.txt"), "utf8")).toBe("T001\n");
    expect(readFileSync(project.path("app/untracked.txt"), "utf8")).toBe("mine\n");
  });

  it("X11 a red command costs a try; the next attempt is told what was red; then the task fails and blocks", async () => {
    const project = await Execution.ready(
      { tasks: 3, after: (n) => (n === 2 ? [1] : []) },
      {
        T001: ['put("src/T001.txt", "wrong\\n"); propose()'],
        T003: ['put("src/T003.txt", "wrong\\n"); propose()', "good()"],
      },
    );
    project.config({ attempts: 2 });
    const ran = await project.execute();
    expect(ran.code).toBe(1);
    expect(ran.out).toContain("T001 failed (test)");
    const { tasks } = await project.status();
    expect(tasks).toMatchObject({ complete: 1, failed: 1, blocked: 1 });
    expect(project.merged()).toEqual(["T003"]);
    const bundle = JSON.parse(readFileSync(project.attempt("T003-2", "bundle.json"), "utf8"));
    expect(bundle.previous_attempt).toMatchObject({ attempt: 1, category: "test" });
    expect(bundle.previous_attempt.red[0]).toMatchObject({ exit: 1 });
    expect(readFileSync(bundle.previous_attempt.diff, "utf8")).toContain("+wrong");
    // X11: its workspace is set aside for inspection, the target is as it was.
    expect(readFileSync(project.attempt("T001-2", "work/src/T001.txt"), "utf8")).toBe("wrong\n");
    expect(project.git("status", "--porcelain")).toBe("");
  });

  it("X10 a conflict sends the later one back, and it works on the new base", async () => {
    const both = ['write(); put("NOTES.md", task + "\\n"); propose(); sleep(300)', "good()"];
    const project = await Execution.ready({ tasks: 2 }, { T001: both, T002: both });
    const ran = await project.execute("--parallel", "2");
    expect(ran.code).toBe(0);
    const failures = await project.facts("attempt-failed");
    expect(failures).toHaveLength(1);
    expect(failures[0]).toMatchObject({ category: "dependency", subcategory: "conflict" });
    expect(project.merged().sort()).toEqual(["T001", "T002"]);
  });

  it("X10 two changes that only together are red are not both merged", async () => {
    const alone = (n: number) => ({
      acceptance_criteria: [
        {
          criterion: "it is the only one",
          verification: `test -f src/T00${n}.txt && test $(ls src | wc -l) -le 1`,
        },
      ],
    });
    const project = await Execution.ready({ tasks: 2, more: alone }, { "*": ["good(); sleep(300)"] });
    project.config({ attempts: 1 });
    expect((await project.execute("--parallel", "2")).code).toBe(1);
    expect(project.merged()).toHaveLength(1);
    expect((await project.status()).tasks).toMatchObject({ complete: 1, failed: 1 });
  });

  it("X1 executes one task only when it is named, or when nobody can be asked", async () => {
    const project = await Execution.ready({ tasks: 3, after: chain });
    expect((await project.execute("T002")).code).toBe(1);
    expect((await project.status()).tasks).toMatchObject({ pending: 3 });
    await project.execute("T001");
    expect(project.merged()).toEqual(["T001"]);
    await project.heddle(...project.words);
    expect(project.merged()).toEqual(["T001", "T002"]);
    const unknown = await project.execute("T009");
    expect(unknown.code).toBe(1);
    expect(unknown.err).toContain("`T009` is not in the plan");
  });

  it("X6 a target without git gets a private repository, and its files at the end", async () => {
    const project = await Execution.ready({ tasks: 2, after: chain });
    const { rmSync } = await import("node:fs");
    rmSync(project.path("app/.git"), { recursive: true });
    const ran = await project.execute();
    expect(ran.err).toBe("");
    expect(ran.code).toBe(0);
    expect(readFileSync(project.path("app/src/T002.txt"), "utf8")).toBe("T002\n");
    expect(project.has("app/.git")).toBe(false);
  });

  it("X3 tasks that must have something to themselves, or write the same file, take turns", async () => {
    const more = (n: number) => (n < 3 ? { exclusive: ["database"] } : {});
    const project = await Execution.ready({ tasks: 3, more }, { "*": ["good(); sleep(200)"] });
    expect((await project.execute("--parallel", "3")).code).toBe(0);
    const story = (await project.history()).map(({ fact }) => fact);
    let running = new Set<string>();
    for (const fact of story) {
      const id = fact.task ?? "";
      if (fact.kind === "task-started") running.add(id);
      if (fact.kind === "task-completed") running = new Set([...running].filter((each) => each !== id));
      expect(running.has("T001") && running.has("T002")).toBe(false);
    }
  });
});

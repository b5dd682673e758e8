// The eighteen defects that the first implementation was seen to have (facts §1.9), at least one test each: none of
// them is here.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { capabilityMap, chain, taskFile } from "./plan-files.ts";
import { folder, heddle, newProject, type Project, planning, readyProject } from "./rig.ts";
import { expectNoTrace, expectRefused, expectWhole } from "./whole.ts";

/** T001 <- T002 <- T003, and T004 alone. */
let project: Project;
let back: () => void;
beforeAll(async () => {
  project = await readyProject({ tasks: 4, after: (n) => (n === 4 ? [] : chain(n)) });
  back = project.save();
});
beforeEach(() => back());

const state = (...words: readonly string[]) => project.must("state", ...words);
const statuses = async () => {
  const { tasks } = await project.json("state", "export");
  return Object.values(tasks as Record<string, { status: string }>).map(({ status }) => status);
};

describe("defects of the first implementation", () => {
  it("defect 1: X12 a task whose dependency was skipped is offered, and starts", async () => {
    await state("skip-task", "T001");
    expect((await state("ready-tasks")).out).toContain("T002: ");
    expect((await state("start-task", "T002")).out).toBe("Task T002 started (attempt 1)\n");
  });

  it("defect 2: X15 advance completes with skipped tasks, and never with blocked ones", async () => {
    await state("start-task", "T001");
    await state("fail-task", "T001", "red");
    expectRefused(await project.state("advance"));
    for (const id of ["T001", "T002", "T003", "T004"]) await state("skip-task", id);
    expect((await state("advance")).out).toBe("Advanced from executing to complete\n");
  });

  it("defect 3: D14 a BLOCKED verdict is kept with its issues, and an older READY no longer counts", async () => {
    const planned = await newProject();
    planned.writePlan({ tasks: 2 });
    for (const words of planning.slice(0, 8)) await planned.must(...words);
    const blocked = [
      "state",
      "validate-tasks",
      "BLOCKED",
      "two",
      "gaps",
      "--issues",
      "T001 has no test",
      "T002 too",
    ];
    expect((await planned.heddle(...blocked)).code).toBe(0);
    expectRefused(await planned.state("advance"), /blocked/);
    expect(planned.stateJson().artifacts.task_validation).toMatchObject({
      verdict: "BLOCKED",
      summary: "two gaps",
      issues: ["T001 has no test", "T002 too"],
    });
  });

  it("defect 3: D16 a map that was made invalid after it was validated does not count", async () => {
    const planned = await newProject();
    planned.writePlan({ tasks: 2 });
    await planned.must("state", "advance");
    await planned.must("state", "validate", "capability_map");
    planned.write("project-planning/artifacts/capability-map.json", "{}");
    expectRefused(await planned.state("advance"), /changed since/);
    expect((await planned.state("validate", "capability_map")).code).toBe(1);
    expect(planned.stateJson().artifacts.capability_map).toMatchObject({ valid: false });
    expectRefused(await planned.state("advance"), /invalid/);
    planned.write("project-planning/artifacts/capability-map.json", JSON.stringify(capabilityMap()));
    await planned.must("state", "validate", "capability_map");
    await planned.must("state", "advance");
  });

  it("defect 3: D14 a READY that was given before the tasks changed no longer counts", async () => {
    const planned = await newProject();
    planned.writePlan({ tasks: 2 });
    for (const words of planning.slice(0, 8)) await planned.must(...words);
    const changed = {
      ...taskFile(2),
      acceptance_criteria: [{ criterion: "other", verification: "npm test" }],
    };
    planned.write("project-planning/tasks/T002.json", JSON.stringify(changed));
    expectRefused(await planned.state("advance"), /changed since they were judged/);
  });

  it("defect 4: X12 an orphan that is still marked running can be retried", async () => {
    await state("checkpoint", "create", "T001");
    await state("start-task", "T001");
    expect((await state("checkpoint", "recover")).out).toContain("heddle state retry-task T001");
    await state("retry-task", "T001");
    expect((await state("start-task", "T001")).out).toContain("attempt 2");
  });

  it("defect 5: C10 a STOP file alone can be confirmed and resumed", async () => {
    project.write("project-planning/STOP", "");
    expect((await project.state("check-halt")).code).toBe(1);
    await state("confirm-halt");
    expect((await state("resume")).out).toContain("STOP file removed");
    expect((await project.state("check-halt")).code).toBe(0);
  });

  it("defect 6: X11 the documents' own call keeps its category, and what was final stays so", async () => {
    await state("start-task", "T001");
    await state("fail-task", "T001", "error message", "--category", "test", "--retryable");
    expect(project.stateJson().tasks.T001.failure).toMatchObject({ category: "test", retryable: true });
    await state("retry-task", "T001");
    await state("start-task", "T001");
    await state("fail-task", "T001", "never", "--no-retry");
    expectRefused(await project.state("retry-task", "T001"), /for good/);
  });

  it("defect 7: X12 a complete task cannot be failed, and what follows it stays as it is", async () => {
    for (const id of ["T001", "T002"]) {
      await state("start-task", id);
      await state("complete-task", id);
    }
    expectRefused(await project.state("fail-task", "T001", "too late"), /complete/);
    expect(await statuses()).toEqual(["complete", "complete", "pending", "pending"]);
    expect(project.stateJson().execution.completed_count).toBe(2);
  });

  it("defect 8: X11 a failure blocks everything that waits for it, at any depth, and a retry unblocks it", async () => {
    await state("start-task", "T001");
    await state("fail-task", "T001", "red");
    expect(await statuses()).toEqual(["failed", "blocked", "blocked", "pending"]);
    await state("retry-task", "T001");
    expect(await statuses()).toEqual(["pending", "pending", "pending", "pending"]);
  });

  it("defect 9: D10 loading again keeps progress, counts and what each task blocks; a task whose file is gone is gone", async () => {
    await state("start-task", "T001");
    await state("complete-task", "T001");
    await state("load-tasks");
    await state("load-tasks");
    expect(await statuses()).toEqual(["complete", "pending", "pending", "pending"]);
    expect(project.stateJson().tasks.T001.blocks).toEqual(["T002"]);
    execFileSync("rm", [project.path("project-planning/tasks/T004.json")]);
    expect((await state("load-tasks")).out).toContain("1 gone");
    expect(Object.keys(project.stateJson().tasks)).toEqual(["T001", "T002", "T003"]);
    const metrics = await project.json("state", "metrics");
    expect(metrics).toMatchObject({
      task_success_rate: 1,
      first_attempt_success_rate: 1,
      completed_count: 1,
    });
    await expectWhole(project);
  });

  it("defect 10: D10 a circle and a dependency on nothing are found when the tasks are loaded", async () => {
    const write = (n: number, tasks: string[]) =>
      project.write(
        `project-planning/tasks/T00${n}.json`,
        JSON.stringify({ ...taskFile(n), dependencies: { tasks } }),
      );
    write(1, ["T003"]);
    write(4, ["T077"]);
    const ran = await project.state("load-tasks");
    expect(ran.code).toBe(1);
    expect(ran.err.match(/^error: /gm)).toHaveLength(2);
    expect(ran.err).toContain("`T077`");
  });

  it("defect 10: D10 a chain of 3,000 tasks is no deeper than any other", { timeout: 60_000 }, async () => {
    const long = await newProject();
    long.writePlan({ tasks: 3_000, after: chain });
    await long.must("state", "load-tasks");
    expect((await long.status()).ready).toEqual(["T001"]);
  });

  it("defect 11: D21 spec-coverage takes references with a quote, knows `Requirement 5:`, and leaves phase 2 out", async () => {
    const spec =
      "# Notebook\n\n- REQ-1: The notebook keeps every note.\n- Requirement 5: It is fast.\n\n## Phase 2: Later\n\n- REQ-9: It syncs.\n";
    project.write("project-planning/inputs/spec.md", spec);
    const context = {
      spec_ref: { quote: "The notebook keeps every note.", location: "line 3" },
      spec_requirements: ["REQ-1"],
    };
    project.write("project-planning/tasks/T001.json", JSON.stringify({ ...taskFile(1), context }));
    await state("load-tasks");
    const found = await project.json("state", "spec-coverage");
    expect(found.requirements.map(({ covered_by: by }: { covered_by: string[] }) => by.length > 0)).toEqual([
      true,
      false,
    ]);
    expect(found).toMatchObject({ total_count: 2, covered_count: 1, coverage_pct: 50 });
  });

  it("defect 12: X5 a bundle that was generated is valid, and whole", async () => {
    await project.must("bundle", "generate", "T001");
    expect((await project.heddle("bundle", "validate", "T001")).code).toBe(0);
    expect((await project.heddle("bundle", "validate-integrity", "T001")).code).toBe(0);
  });

  it("defect 13: X12 C10 nothing starts in the wrong phase, nor while halted", async () => {
    const planned = await newProject();
    planned.writePlan({ tasks: 1 });
    await planned.must("state", "load-tasks");
    expectRefused(await planned.state("start-task", "T001"), /phase/);
    await state("halt", "think");
    expectRefused(await project.state("start-task", "T001"), /halted/);
  });

  it("defect 14: C14 without a state every command says so in one sentence", async () => {
    const empty = folder();
    for (const words of [
      ["start-task", "T001"],
      ["complete-task", "T001"],
      ["fail-task", "T001", "x"],
      ["log-tokens", "s", "1", "1", "1"],
    ])
      expectRefused(await heddle(["state", ...words], { cwd: empty }), /no heddle project/);
  });

  it("defect 15: X20 commit-task commits the task's files alone, however many do so at once", {
    timeout: 180_000,
  }, async () => {
    const target = project.path("app");
    const git = (...words: string[]) =>
      execFileSync("git", ["-C", target, "-c", "user.name=t", "-c", "user.email=t@t", ...words], {
        encoding: "utf8",
      });
    mkdirSync(target, { recursive: true });
    git("init", "-q");
    git("config", "user.name", "t");
    git("config", "user.email", "t@t");
    git("commit", "-q", "--allow-empty", "-m", "begin");
    await state("skip-task", "T001");
    await state("skip-task", "T002");
    const ids = ["T003", "T004"];
    for (const id of ids) {
      await state("start-task", id);
      const file = `${target}/src/${id}.ts`;
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, id);
      await state("complete-task", id, "--created", `src/${id}.ts`);
    }
    writeFileSync(`${target}/mine.txt`, "staged by a person");
    git("add", "mine.txt");
    const ran = await Promise.all(ids.map((id) => project.state("commit-task", id)));
    expect(ran.map(({ code, err }) => [code, err])).toEqual(ids.map(() => [0, ""]));
    for (const id of ids)
      expect(git("log", "--format=", "--name-only", `--grep=^${id}: `).trim()).toBe(`src/${id}.ts`);
    expect(git("status", "--porcelain")).toContain("A  mine.txt");
    await expectWhole(project);
  });

  it("defect 16: X20 a failure puts the declared files back, also two of one name, and deletes what was not there", async () => {
    const write = (path: string, text: string) => project.write(`app/${path}`, text);
    const files = [
      { path: "a/index.ts", action: "modify" },
      { path: "b/index.ts", action: "modify" },
      { path: "c/new.ts", action: "create" },
    ];
    project.write("project-planning/tasks/T004.json", JSON.stringify({ ...taskFile(4), files }));
    write("a/index.ts", "a before");
    write("b/index.ts", "b before");
    await state("load-tasks");
    await state("start-task", "T004");
    for (const { path } of files) write(path, "half-done");
    write("d/undeclared.ts", "a person's");
    await state("fail-task", "T004", "red");
    expect(readFileSync(project.path("app/a/index.ts"), "utf8")).toBe("a before");
    expect(readFileSync(project.path("app/b/index.ts"), "utf8")).toBe("b before");
    expect(project.has("app/c/new.ts")).toBe(false);
    expect(project.has("app/d/undeclared.ts")).toBe(true);
  });

  it("defect 17: X13 a task stands in one list of the checkpoint, unknown ids are refused, a broken result is named", async () => {
    await state("checkpoint", "create", "T001", "T004");
    expectRefused(await project.state("checkpoint", "create", "T077"), /T077/);
    await state("checkpoint", "update", "T001", "success");
    await state("checkpoint", "update", "T001", "failed");
    expectRefused(await project.state("checkpoint", "update", "T077", "success"), /T077/);
    const { tasks } = await project.json("state", "checkpoint", "status");
    expect(tasks).toMatchObject({ completed: [], failed: ["T001"], pending: ["T004"] });
    project.write("project-planning/bundles/T004-result.json", "{ half");
    const ran = await project.state("checkpoint", "recover");
    expect(ran.code, ran.err).toBe(0);
    expectNoTrace(ran);
    expect(ran.err).toContain("T004-result.json");
  });

  it("defect 18: C10 check-halt of a state that cannot be read is no halt", async () => {
    truncateSync(project.database, 0);
    expect((await project.state("check-halt")).code).toBe(74);
  });
});

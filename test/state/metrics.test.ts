// `heddle state metrics`, `planning-metrics`, `failure-metrics` and `spec-coverage` (D21): every figure against one
// that was worked out by hand.
import { describe, expect, it } from "vitest";
import { desk, expectDone, expectRefused, kindsOf, Project, plan, waits, writePlan } from "./desk.ts";

const run = async (project: Project, lines: string) => {
  for (const line of lines.trim().split("\n")) await project.must("state", ...line.trim().split(" "));
};

describe("metrics", () => {
  const empty = desk((each) => plan(each, { tasks: [{}] }));
  // Of five tasks three are complete: T001 at once, T002 at the second try, T003 at once. T004 failed, T005 waits.
  const project = desk(async (each) => {
    await plan(each, { tasks: [{}, {}, {}, {}, waits("T004")] });
    await run(
      each,
      `start-task T001
       complete-task T001
       start-task T002
       fail-task T002 red
       start-task T002
       complete-task T002
       start-task T003
       complete-task T003
       start-task T004
       fail-task T004 red
       log-tokens s 1000 500 0.25
       log-tokens s 1400 100 0.5
       record-verification T001 --verdict PASS --recommendation PROCEED --criteria [{"score":"PASS"},{"score":"PASS"}] --quality {"types":"PASS","docs":"PASS"} --tests {"edge_cases":"PASS"}
       record-verification T002 --verdict PASS --recommendation PROCEED --criteria [{"score":"PASS"},{"score":"PARTIAL"}] --quality {"types":"PASS","docs":"FAIL"} --tests {"edge_cases":"FAIL"}
       record-verification T003 --verdict PASS --recommendation PROCEED --quality {}
       record-verification T004 --verdict FAIL --recommendation BLOCK --criteria [{"score":"FAIL"}] --quality {"types":"PASS"}`,
    );
  });

  it("D21 are what a person works out by hand", async () => {
    expect(await project.json("state", "metrics")).toMatchObject({
      task_success_rate: 3 / 4,
      first_attempt_success_rate: 2 / 3,
      tokens_per_task: 1000,
      cost_per_task: 0.25,
      quality_pass_rate: 1 / 3,
      functional_pass_rate: 3 / 4,
      test_edge_case_rate: 1 / 2,
      completed_count: 3,
      unverified_count: 3,
      failed_count: 1,
      total_tokens: 3000,
      total_cost_usd: 0.75,
      unknown_costs: 0,
    });
  });

  it("D21 X20 count attempts over the completed tasks, as the first implementation does", async () => {
    expect((await project.json("state", "metrics")).avg_attempts).toBeCloseTo(4 / 3);
  });

  it("D21 are all zero before anything was tried, and no division fails", async () => {
    const figures: Record<string, number> = await empty.json("state", "metrics");
    expect(Object.entries(figures).filter(([, value]) => value !== 0)).toEqual([]);
  });

  it("X20 come as lines of name and figure, or as JSON with --format json", async () => {
    const { out } = await project.state("metrics");
    expect(out).toMatch(/^task_success_rate: 75\.0%$/m);
    expect(out).toMatch(/^total_cost_usd: \$0\.7500$/m);
    expect(out).toMatch(/^completed_count: 3$/m);
    expect(JSON.parse((await project.state("metrics", "--format", "json")).out).completed_count).toBe(3);
  });
});

describe("planning-metrics", () => {
  const file = (path: string) => ({ path, action: "create", layer: "domain", purpose: "" });
  const check = (n: number) => ({ criterion: `holds ${n}`, verification: `node --test test/${n}.js` });
  const project = desk((each) =>
    plan(each, {
      tasks: [
        { phase: 1, files: [file("a.ts"), file("b.ts")], acceptance_criteria: [check(1), check(2)] },
        { phase: 2, ...waits("T001"), context: { steel_thread: true }, acceptance_criteria: [check(3)] },
        { phase: 2, ...waits("T001", "T002"), files: [file("c.ts"), file("d.ts"), file("e.ts")] },
        { phase: 4, ...waits("T003"), acceptance_criteria: [check(4), check(5), check(6)] },
      ],
    }),
  );

  it("D21 are what a person works out by hand", async () => {
    expect(await project.json("state", "planning-metrics")).toMatchObject({
      total_tasks: 4,
      avg_behaviors_per_task: 1,
      avg_criteria_per_task: (2 + 1 + 1 + 3) / 4,
      avg_files_per_task: (2 + 1 + 3 + 1) / 4,
      dependency_density: 4 / 4,
      phase_count: 3,
      phase_compression: 3 / 2,
      steel_thread_coverage: 1 / 4,
    });
  });

  it("D21 X20 count behaviours over all tasks, as the first implementation does", async () => {
    expect((await project.json("state", "planning-metrics")).total_behaviors).toBe(4);
  });
});

describe("failure-metrics", () => {
  const project = desk(async (each) => {
    await plan(each, { tasks: [{}, {}, {}, {}, {}] });
    await run(
      each,
      `start-task T001
       fail-task T001 red --category test --subcategory flaky
       start-task T002
       fail-task T002 red --category test --no-retry
       start-task T003
       fail-task T003 missing --category dependency --subcategory flaky
       start-task T004
       fail-task T004 odd
       start-task T004
       complete-task T004`,
    );
  });
  const figures = () => project.json("state", "failure-metrics");

  it("D21 count the tasks that are failed now, by category", async () => {
    expect(await figures()).toMatchObject({
      total_failed: 3,
      by_category: { test: 2, dependency: 1 },
      by_category_tasks: { test: ["T001", "T002"], dependency: ["T003"] },
      retryable_count: 2,
      non_retryable_count: 1,
      category_pct: { test: 66.7, dependency: 33.3 },
    });
  });

  it("D21 X20 have a row for every category, also at zero", async () => {
    expect(await figures()).toMatchObject({
      by_category: { implementation: 0, verification: 0, environment: 0, scope: 0, other: 0 },
      by_category_tasks: { scope: [] },
      category_pct: { scope: 0 },
    });
  });

  it("D21 X20 count only the subcategories that were named, as the first implementation does", async () => {
    expect((await figures()).by_subcategory).toEqual({ flaky: 2 });
  });

  it("X12 keep the category and --retryable of the documents' own call (defect 6)", async () => {
    await run(project, "start-task T005");
    const call = ["fail-task", "T005", "tests are red", "--category", "test", "--retryable"];
    expectDone(await project.state(...call), /^Task T005 failed: tests are red/);
    expect(project.stateJson().tasks.T005.failure).toMatchObject({ category: "test", retryable: true });
  });

  it("X12 a task that failed for good is retried only with --force (defect 6)", async () => {
    expectRefused(await project.state("retry-task", "T002"), /failed for good/);
    expectRefused(await project.state("start-task", "T002"), /failed for good/);
    expectDone(await project.state("retry-task", "T002", "--force"), "Task T002 reset for retry");
  });
});

const spec = `# Notebook

- REQ-1: The notebook keeps every note.
- [REQ-2] Notes can be found again.
**R3.1** A note has a date.
Requirement 5: A note can be removed.

## Phase 2

- REQ-9: Notes are shared.
`;

describe("spec-coverage", () => {
  const quote = "The notebook keeps every note.";
  const project = desk(async (each) => {
    await each.must("init", "app");
    writePlan(each, {
      spec,
      tasks: [
        { context: { spec_requirements: ["req-1", "R3.1"], spec_ref: { quote } } },
        { context: { spec_ref: { quote: "Requirement 5: A note can be removed." } } },
        { context: { spec_ref: "REQ-1 and REQ-9" } },
      ],
    });
  });

  it("D21 finds every way of numbering, names the tasks, and leaves later phases out (defect 11)", async () => {
    const found = await project.json("state", "spec-coverage");
    expect(found.requirements.map(({ id, covered_by }: Record<string, unknown>) => [id, covered_by])).toEqual(
      [
        ["REQ-1", ["T001", "T003"]],
        ["REQ-2", []],
        ["R3.1", ["T001"]],
        ["REQ-5", ["T002"]],
      ],
    );
    expect(found).toMatchObject({
      coverage_pct: 75,
      covered_count: 3,
      total_count: 4,
      uncovered: ["REQ-2"],
      excluded: [{ id: "REQ-9", source_line: 10 }],
    });
  });

  it("X20 prints the share, and a line for every requirement", async () => {
    const { out, code } = await project.state("spec-coverage");
    expect(code).toBe(0);
    expect(out).toMatch(/^Coverage: 75% \(3 of 4\)$/m);
    expect(out).toMatch(/✗ REQ-2: no task/);
  });

  it("D21 changes nothing without --save", async () => {
    expect(await kindsOf(project, () => project.must("state", "spec-coverage"))).toEqual([]);
    expect(project.stateJson().artifacts.spec_coverage).toBeUndefined();
  });

  it("D21 --save puts it into the state with the time it was computed", async () => {
    const kinds = await kindsOf(project, () => project.must("state", "spec-coverage", "--save"));
    expect(kinds).toEqual(["artifact-registered"]);
    expect(project.stateJson().artifacts.spec_coverage).toMatchObject({
      coverage_pct: 75,
      covered_count: 3,
      total_count: 4,
      uncovered: ["REQ-2"],
      computed_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  });

  it("D21 a specification that is not there is said in one sentence", async () => {
    const bare = new Project();
    await bare.must("init", "app");
    expectRefused(await bare.state("spec-coverage"), /spec\.md` does not exist/);
  });
});

// A whole planning run, from the specification to `ready`, with agents that behave.
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type Ran, until } from "../e2e/rig.ts";
import { example, hasBox, Planning, roles } from "./rig.ts";

describe("planning the example with its scripted agents", () => {
  const project = new Planning();
  let planned: Ran;
  beforeAll(async () => {
    const agent = `scripted:${join(example, "script.json")}`;
    planned = await project.heddle("plan", "spec.md", "--target", "app", "--new", "--agent", agent);
  });

  it("ends in `ready`, with exit 0", async () => {
    expect(planned.code, planned.err).toBe(0);
    expect(await project.phase()).toBe("ready");
  });

  it("D19 prints tasks, phases, steel thread, critical path and the makespan for 1, 2, 4 and 8", () => {
    expect(planned.out).toContain("10 tasks in 4 phases");
    expect(planned.out).toMatch(/steel thread +T002 → T003 → T004 → T005/);
    expect(planned.out).toMatch(/critical path +T001 → T003 → T004 → T005 → T006 → T010/);
    expect(planned.out).toMatch(/makespan .*1: 28 h, 2: 18 h, 4: 18 h, 8: 18 h/);
  });

  it("D19 gives the same as JSON", async () => {
    const { plan, phase } = await project.json("plan");
    expect(phase).toBe("ready");
    expect(plan).toMatchObject({ tasks: 10, phases: 4, steelThread: ["T002", "T003", "T004", "T005"] });
    expect(Object.keys(plan.makespan)).toEqual(["1", "2", "4", "8"]);
  });

  it("C13 tells the story in `heddle history`: every role, every phase, every check", async () => {
    const { out } = await project.must("history");
    for (const role of roles) expect(out).toContain(`${role} attempt 1`);
    const phases = ["logical", "physical", "definition", "validation", "sequencing", "ready"];
    for (const phase of phases) expect(out).toContain(`-> ${phase}`);
    for (const made of ["spec", "capability_map", "physical_map", "tasks", "task_validation", "order"])
      expect(out).toContain(`${made} is valid`);
  });

  it("changes nothing and pays nobody when it is asked again", async () => {
    const before = await project.history();
    const again = await project.heddle("plan");
    expect(again.code, again.err).toBe(0);
    expect(again.out).toContain("10 tasks in 4 phases");
    expect(await project.history()).toEqual(before);
    expect(project.attempts()).toHaveLength(5);
  });

  it("D11 renders the verifier's report", () => {
    const report = project.text("project-planning/reports/task-validation-report.md");
    expect(report).toContain("READY");
    for (const id of ["T001", "T010"]) expect(report).toContain(id);
  });

  it("D17 every bundle names an absolute output path, a check command, and that directories exist", () => {
    for (const role of roles) {
      const bundle = project.bundle(`${role}-1`);
      expect(bundle.output.path).toMatch(/^\//);
      expect(bundle.output.check).toContain("check-output");
      expect(bundle.directories_exist).toBe(true);
    }
  });
});

describe.concurrent("planning with a program as the agent", () => {
  it("ends in `ready` unconfined, and `status` says that it was", async () => {
    const project = new Planning();
    const { code, err } = await project.plan();
    expect(code, err).toBe(0);
    expect((await project.must("status")).out).toMatch(/unconfined/i);
  });

  it.skipIf(!hasBox)(
    "ends in `ready` in the box, and `status` says nothing of it (left out without bubblewrap)",
    async () => {
      const project = new Planning();
      const { code, err } = await project.boxed();
      expect(code, err).toBe(0);
      expect((await project.must("status")).out).not.toMatch(/unconfined/i);
    },
  );

  it("C11 shows live what each role does, by plain lines where there is no terminal", async () => {
    const project = new Planning({
      "logic-architect": ['say({ type: "progress", text: "halfway" }); good()'],
    });
    const { out, err } = await project.plan();
    expect(out + err).toMatch(/logic-architect: halfway/);
  });

  it("D9 D19 shows what looks odd in a plan that is ready, and gives it to the verifier", async () => {
    const prose = 'putTasks((task) => { task.acceptance_criteria[0].verification = "Verify that it works" })';
    const project = new Planning({ "task-author": [prose] });
    const { code, out } = await project.plan();
    expect(code, out).toBe(0);
    expect(out).toMatch(/look at .*`Verify that it works` looks like prose.*\(T001\.json, line \d+/);
    expect(out).toContain("and 5 more: heddle state load-tasks");
    expect(project.bundle("task-plan-verifier-1").warnings).toHaveLength(10);
    const checked = await project.heddle("check-output", project.attempt("task-author-1", "bundle.json"));
    expect(checked).toMatchObject({
      code: 0,
      err: expect.stringContaining("warning: `Verify that it works`"),
    });
  });

  it("C15 prints one JSON document with --json, and nothing else on standard output", async () => {
    const { out } = await new Planning().plan("--json");
    expect(JSON.parse(out)).toMatchObject({ phase: "ready", plan: { tasks: 10 } });
  });

  it("C4 a second `heddle plan` while one is at work is refused in one sentence, and pays nobody", async () => {
    const project = new Planning({
      "logic-architect": [
        "fs.writeFileSync(path.join(bundle.target_dir, 'begun'), ''); const wait = setInterval(() => { if (fs.existsSync(path.join(bundle.target_dir, 'go'))) { clearInterval(wait); good(); } }, 20)",
      ],
    });
    const over = project.plan();
    await until("the agent's start", () => project.has("app/begun"));
    const second = await project.again();
    expect(second.code).toBe(1);
    expect(second.err).toMatch(/^error: /);
    project.write("app/go", "");
    expect((await over).code).toBe(0);
    expect(project.attempts()).toHaveLength(5);
  });
});

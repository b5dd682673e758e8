// M10 M11: done means the final tree. What one task or plan made, another may have undone: every command of the phase is
// run once more before anything is called done, and what earlier plans of the phase promised and did is not forgotten.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { executionReport } from "../../src/view/report/execution-report.ts";
import { dataIn } from "../page/inside.ts";
import { Mission, plan, step } from "./rig.ts";

const goal = "write the files";

describe("M10 the final tree", () => {
  it("M10 M11 a task that undoes another's work is a gap, whoever says otherwise, and gap plans carry everything along", async () => {
    const again = { tasks: [{ ...step("01-01"), id: "01-02" }] };
    const truth = { truth: "the first file is back", evidence_required: "`ls`" };
    const gapPlan = { ...plan("01-02"), ...again, must_haves: [truth] };
    const project = new Mission({
      // The second step deletes what the first made. The gap plan's step has the same id, and puts it back.
      "01-02": [
        'write(); fs.rmSync("src/01-01.txt"); sum("complete")',
        'put("src/01-01.txt", "01-01\\n"); sum("complete")',
      ],
      "mission-planner": ["good()", `hand(${JSON.stringify(gapPlan)})`],
    });
    const ran = await project.mission(goal);
    expect(ran.out + ran.err).toContain("phase_complete");
    expect(ran.code).toBe(0);
    expect(ran.out).toMatch(/verification: a gap\n.*src\/01-01\.txt.* is red on the final tree: exit code 1/);

    const first = project.bundle("verifier-1");
    const [red, green] = first.final_checks;
    expect(red).toMatchObject({ criterion: "01-01: Write 01-01", ok: false, exit: 1 });
    expect(green).toMatchObject({ criterion: "01-02: Write 01-02", ok: true });
    const refuted = project.artifact("archive/plan-1.0/verification.json");
    expect(refuted.passed).toBe(false);
    expect(refuted.gaps[0]).toMatchObject({ by: "heddle" });
    expect(refuted.gaps[0].description).toContain("src/01-01.txt");

    const planner = project.bundle("mission-planner-2");
    expect(planner.must_stay_green.map(({ task_id }: { task_id: string }) => task_id)).toEqual([
      "01-01",
      "01-02",
    ]);

    const last = project.bundle("verifier-2");
    expect(last.must_haves.map(({ truth }: { truth: string }) => truth)).toEqual([
      "every file is there",
      "the first file is back",
    ]);
    expect(
      last.final_checks.map(({ criterion, ok }: { criterion: string; ok: boolean }) => [criterion, ok]),
    ).toEqual([
      ["01-02: Write 01-01", true],
      ["01-02: Write 01-02", true],
    ]);
    expect(last.inputs.summaries.map(({ path }: { path: string }) => path)).toEqual([
      project.path("artifacts/archive/plan-1.0/summary_01-01.json"),
      project.path("artifacts/archive/plan-1.0/summary_01-02.json"),
      project.path("artifacts/summary_01-02.json"),
    ]);
    expect(
      last.evidence.map(({ plan, task_id }: { plan?: string; task_id: string }) => [plan, task_id]),
    ).toEqual([
      ["1.0", "01-01"],
      ["1.0", "01-02"],
      [undefined, "01-02"],
    ]);

    const status = await project.json("status");
    expect(status.tasks).toMatchObject({ complete: 3, skipped: 0 });
    expect(status.session.must_haves).toHaveLength(2);
    expect(project.stateJson().earlier_tasks).toMatchObject([
      { plan: "1.0", id: "01-01", status: "complete" },
      { plan: "1.0", id: "01-02", status: "complete" },
    ]);
    expect(ran.out).toContain("3/3");
    const report = await project.json("report");
    expect(executionReport.safeParse(report).error).toBeUndefined();
    type Told = { plan?: string; id: string; attempts: { number: number }[]; criteria: { ok: boolean }[] };
    expect(
      report.tasks.map(({ plan: of, id, attempts, criteria }: Told) => [
        of,
        id,
        attempts.map(({ number }) => number),
        criteria[0]?.ok,
      ]),
    ).toEqual([
      ["1.0", "01-01", [1], true],
      ["1.0", "01-02", [1], true],
      [undefined, "01-02", [2], true],
    ]);
    expect((await project.heddle("report", "--format", "md")).out).toContain("3 of 3 tasks done");
    const page = dataIn((await project.heddle("report", "--format", "html")).out);
    expect(page.run.earlier?.map(({ id, status }) => [id, status])).toEqual([
      ["1.0:01-01", "complete"],
      ["1.0:01-02", "complete"],
    ]);
    const numbers = (id: string) => page.tasks[id]?.attempts.map(({ number }) => number);
    expect([numbers("1.0:01-01"), numbers("1.0:01-02"), numbers("01-02")]).toEqual([[1], [1], [2]]);
    expect(page.tasks["1.0:01-02"]).toMatchObject({ plan: "1.0", criteria: [{ result: "passed" }] });
  });

  it("M11 a skipped task is not called done", async () => {
    const project = new Mission({ "01-02": ['sum("blocked", { message: "no" })'] });
    expect((await project.mission(goal)).code).toBe(1);
    await project.must("state", "skip-task", "01-02", "not needed");
    const ran = await project.mission();
    expect(ran.code).toBe(0);
    expect(ran.out).toContain("1/2");
    expect(ran.out).toContain("Phase Complete: 1 of 2 tasks are done and verified, 1 skipped (01-02)");
    // What was not done has no command to hold it to.
    expect(project.bundle("verifier-1").final_checks).toHaveLength(1);
    expect((await project.heddle("report", "--format", "md")).out).toContain("1 of 2 tasks done, 1 skipped");
  });
});

describe("M6 D22 commands that prove nothing", () => {
  it("M6 D22 X23 a command that cannot fail is refused; one that was green before its task is marked and shown", async () => {
    const command = (id: string, text: string) => ({
      ...plan(id),
      tasks: [{ ...step(id), verification_cmd: text }],
    });
    const second = { ...step("01-02"), verification_cmd: "test -f src/01-01.txt" };
    const project = new Mission({
      "mission-planner": [
        `hand(${JSON.stringify(command("01-01", "echo ok || true"))})`,
        `hand({ ...plan("01-01"), tasks: [step("01-01"), ${JSON.stringify(second)}] })`,
      ],
    });
    project.write(".heddle/config.json", "{}");
    const ran = await project.mission(goal);
    expect(ran.out).toContain("phase_complete");
    expect(project.bundle("mission-planner-2").problems.join()).toContain(
      "passes no matter what the step does",
    );
    // Red on the run's base, and green once the first task was merged: the second one's work is not shown by it.
    expect(ran.out).toContain("01-02  Write 01-02  its checks were green before it: they prove nothing");
    expect((await project.json("status")).unproven).toEqual(["01-02"]);
    expect(project.bundle("verifier-1").evidence[1].checks[0]).toMatchObject({ ok: true, before: "green" });
    expect((await project.heddle("report", "--format", "md")).out).toContain("green before");
  });
});

describe("C11 logging from inside the box", () => {
  it("C11 the bundle's own command works as it stands, for roles and executors: log, transcript and report have the lines", async () => {
    const logs = (level: string, event: string, message: string) =>
      `execSync(bundle.logging.command.replace("<LEVEL>", "${level}").replace("<event>", "${event}").replace("<message>", ${JSON.stringify(`'${message}'`)}), { stdio: "pipe" }); good()`;
    const byName = "execSync(\"heddle log INFO researcher tool 'called by its name'\", { stdio: 'pipe' })";
    const project = new Mission(
      {
        researcher: [`${byName}; ${logs("INFO", "start", "reading the code")}`],
        "01-01": [logs("WARN", "warning", "two ways; took the short one")],
      },
      ["01-01"],
    );
    const ran = await project.mission(goal);
    expect(ran.out).toContain("phase_complete");
    const log = readFileSync(project.path(".heddle/logs/activity.log"), "utf8");
    expect(log).toMatch(/^\[\S+\] \[INFO\] \[researcher\] start: reading the code$/m);
    expect(log).toMatch(/^\[\S+\] \[INFO\] \[researcher\] tool: called by its name$/m);
    expect(log).toMatch(/^\[\S+\] \[WARN\] \[executor 01-01\] warning: two ways; took the short one$/m);
    expect((await project.heddle("transcript", "researcher")).out).toContain(
      "[INFO] start: reading the code",
    );
    expect((await project.heddle("transcript", "01-01")).out).toContain("[WARN] warning: two ways");
    const report = await project.json("report");
    expect(report.tasks[0].attempts[0].logged).toMatchObject([{ level: "WARN", event: "warning" }]);
    expect((await project.heddle("report", "--format", "md")).out).toContain("two ways; took the short one");
    const { tasks } = dataIn((await project.heddle("report", "--format", "html")).out);
    expect(tasks["01-01"]?.attempts[0]?.logged).toEqual([
      { level: "WARN", text: "warning: two ways; took the short one" },
    ]);
  });
});

describe("M13 the final message", () => {
  it("M13 a document that is said and not written is handed in, by every role and at the first try", async () => {
    const pretty = (value: string) => `say(JSON.stringify(${value}, null, 2))`;
    const project = new Mission(
      {
        researcher: [pretty('{ knowledge: [{ topic: "files", findings: "there are few" }] }')],
        "mission-planner": [
          'say("Here is the plan:\\n```json\\n" + JSON.stringify(plan("01-01")) + "\\n```")',
        ],
        "01-01": ['write(); say({ task_id: task, status: "complete" })'],
        verifier: [
          pretty(
            '{ passed: true, checks: [{ claim: "every file is there", verdict: "pass", evidence: "seen" }], gaps: [] }',
          ),
        ],
      },
      ["01-01"],
    );
    const ran = await project.mission(goal);
    expect(ran.out).toContain("phase_complete");
    expect(project.attempts()).toEqual(["01-01-1", "mission-planner-1", "researcher-1", "verifier-1"]);
    expect(project.artifact("plan.json").tasks[0].id).toBe("01-01");
    expect(project.artifact("summary_01-01.json").status).toBe("complete");
  });
});

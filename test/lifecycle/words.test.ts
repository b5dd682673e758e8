// What a task says to the person whose task it is: why it was sent back, that the person's own code and decision count, how it is
// given up, and that a halt holds (L15–L20).
import { appendFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { saidBy } from "../../src/packs/lifecycle/artifacts/said.ts";
import { freeAnswer } from "../../src/view/question.ts";
import { code, json, Lifecycle, plan } from "./rig.ts";

const steps = async (project: Lifecycle, count: number) => {
  for (let step = 0; step < count; step++) {
    const ran = await project.next();
    if (ran.code !== 0) throw new Error(ran.err + ran.out);
  }
};

describe("why it was sent back", () => {
  it("L15 every step back says the issue, and the failing command with its last lines, in every view", async () => {
    const verification = "grep -q Hello greet.txt || { echo there is no greeting; exit 3; }";
    const project = await Lifecycle.begun({
      planner: [
        json({ ...plan, acceptance_criteria: [{ description: "it greets", verification }] }),
        json({ ...plan, approach: "once more" }),
      ],
      "plan-reviewer": [
        json({
          ok: false,
          blocking_issues: ["no empty name", { message: "odd", file: "greet.txt", line: 3 }],
        }),
        json({ ok: false, reasons: ["still not"] }),
      ],
    });
    await steps(project, 1);
    const back = await project.next();
    expect(back.out).toContain("plan review: 2 blocking issues\n      no empty name\n      greet.txt:3: odd");
    expect(back.out).toMatch(/planning \(job\): the plan review blocks this plan\n {2}2 blocking issues/);
    for (const view of [["next", "--dry-run"], ["why"], ["status"], ["task", "show"]])
      expect((await project.must(...view)).out, view.join(" ")).toContain("greet.txt:3: odd");
    expect((await project.json("status")).because).toContain("no empty name");
    expect(
      saidBy("eval_report", {
        overall_pass: false,
        suites: [
          {
            cases: [
              { name: "old", status: "passed" },
              {
                name: "it greets",
                status: "failed",
                details: "exit code 3\nthere is no greeting",
                metadata: { command: verification, log: ".heddle/x" },
              },
            ],
          },
        ],
      }),
    ).toEqual([
      "1 of 2 commands failed",
      `it greets: \`${verification}\`: exit code 3`,
      "| there is no greeting",
      "| the whole log: .heddle/x.out and .heddle/x.err",
    ]);
  });

  it("L15 L20 a person's decision is said as such, and a conflict at accept names the files and exits 1", async () => {
    const project = await Lifecycle.begun({
      planner: [json({ ...plan, file_plan: [{ path: "README.md", intent: "update" }, ...plan.file_plan] })],
      coder: [code({ "README.md": "# One\n", "greet.txt": "Hello\n" })],
    });
    await steps(project, 5);
    project.write("app/README.md", "# Two\n");
    project.commit("Meanwhile");
    const sent = await project.heddle("accept", "--reason", "fine by me");
    expect(sent.code).toBe(1);
    expect(sent.out).not.toMatch(/acceptor begins|decision: \d+ problem/);
    expect(sent.out).toContain("accept (job): a person has decided");
    for (const said of [sent, await project.must("why"), await project.must("status")])
      expect(said.out).toMatch(/committed meanwhile: README\.md.*\n.*operator had accepted it/);
  });
});

describe("a person's code", () => {
  it("L16 what is changed in the checkout is judged like an agent's work, and committed in the person's name", async () => {
    const project = await Lifecycle.begun();
    const early = await project.heddle("codegen", "--from-worktree");
    expect(early.err).toContain("`codegen` is not due");
    await steps(project, 2);
    expect((await project.heddle("codegen", "--from-worktree")).err).toContain("nothing is changed in");
    project.write("app/greet.txt", "Hello by hand\n");
    const taken = await project.must("codegen", "--from-worktree");
    expect(taken.out).toContain("codegen -> review");
    expect(taken.out).not.toContain("coder begins");
    await steps(project, 2);
    await project.must("accept", "--land");
    expect(project.git("show", "HEAD:greet.txt")).toBe("Hello by hand\n");
    expect(project.git("log", "-1", "--format=%an %b")).not.toMatch(/heddle\)|Heddle-Agent/);
    expect(project.git("status", "--porcelain")).toBe("");
  });

  it("L16 an edited patch is taken with every line; one that does not apply, and an edited file, are kept beside", async () => {
    const project = await Lifecycle.begun();
    await steps(project, 3);
    const patch = project.task("code/diff.patch");
    appendFileSync(patch, "+Hello, Bob!\n");
    await steps(project, 2);
    expect(readFileSync(project.task("code/files/greet.txt"), "utf8")).toBe("Hello, Ada!\nHello, Bob!\n");
    expect((await project.facts("job-started")).filter(({ byHand }) => byHand === true)).toHaveLength(1);
    project.write(
      ".heddle/tasks/task-1/code/diff.patch",
      "--- a/nowhere\n+++ b/nowhere\n@@ -1 +1 @@\n-x\n+y\n",
    );
    await steps(project, 1);
    const refused = await project.next();
    expect(refused.code).toBe(1);
    const aside = /it is kept at (\S+): correct it/.exec(refused.out)?.[1] ?? "";
    expect(readFileSync(aside, "utf8")).toContain("+++ b/nowhere");
    await steps(project, 1);
    project.write(".heddle/tasks/task-1/code/files/greet.txt", "mine\n");
    await steps(project, 1);
    expect((await project.next()).out).toContain("your own version is kept at");
    const kept = readdirSync(project.task("code")).find((name) => name.startsWith("files.yours-"));
    expect(readFileSync(project.task("code", kept ?? "", "greet.txt"), "utf8")).toBe("mine\n");
  });

  it("L16 a plan that a person wrote is kept when another one takes its place", async () => {
    const project = await Lifecycle.begun();
    project.write(".heddle/tasks/task-1/planning/plan.json", '{ "title": "half a plan" }');
    await steps(project, 1);
    const kept = readdirSync(project.task("planning")).find((name) => name.startsWith("plan.json.yours-"));
    expect(readFileSync(project.task("planning", kept ?? ""), "utf8")).toContain("half a plan");
  });
});

describe("giving up, halting, opening again", () => {
  it("L17 L19 halted means that nothing moves, and a task is cancelled all the same; done tasks stop no view", async () => {
    const project = await Lifecycle.begun();
    project.write(".heddle/tasks/task-1/planning/plan.json", JSON.stringify(plan));
    await project.must("halt", "wait");
    for (const words of [["next"], ["next", "--all"], ["review", "plan"]]) {
      const refused = await project.heddle(...words);
      expect(refused, words.join(" ")).toMatchObject({ code: 1 });
    }
    expect((await project.heddle("next")).err).toContain("hint: heddle resume, then: heddle next");
    expect(await project.phase()).toBe("planning");
    const over = await project.must("task", "cancel", "--reason", "not wanted");
    expect(over.out).toContain("given up by operator: not wanted");
    expect(project.document("revert/record.json")).toMatchObject({ reason: "not wanted", who: "operator" });
    expect((await project.heddle("task", "cancel")).err).toContain("task-1 is done");
    await project.must("task", "new", "say", "goodbye", "--target", "app");
    expect((await project.json("task", "show", "task-2")).metadata.brief).toBe("say goodbye");
    await project.must("revert", "--reason", "neither");
    expect((await project.must("status")).out).toContain("task-2");
    const refused = (await project.heddle("revert", "--reason", "x")).err;
    expect(refused).toContain("several runs are finished: say which one");
    expect(refused).toContain("--run task-1 (done)");
  });

  it("L17 L18 a task that is done is opened again with its plan, and only its code is made anew", async () => {
    const project = await Lifecycle.begun({
      coder: [code({ "greet.txt": "Hello, Ada!\n" }), code({ "greet.txt": "Hello, all!\n" })],
    });
    expect((await project.all()).code).toBe(0);
    await project.must("redo", "--keep-plan", "--reason", "everybody");
    expect(await project.phase()).toBe("codegen");
    expect((await project.all()).code).toBe(0);
    expect((await project.facts("job-started")).filter(({ role }) => role === "planner")).toHaveLength(1);
    expect(existsSync(project.task("accept/decision.json"))).toBe(true);
  });
});

describe("answers", () => {
  it("L18 what is typed is the answer: a number or a whole name means the option, anything else itself", () => {
    const options = ["red", "blue"];
    expect(["2", "RED", "re", "green", " light blue "].map((typed) => freeAnswer(options, typed))).toEqual([
      "blue",
      "red",
      "re",
      "green",
      "light blue",
    ]);
  });

  it("L18 an answer is corrected until it was used, and the question says who asks", async () => {
    const asking = { ...plan, blocking_questions: [{ text: "Which colour?", options: ["red", "blue"] }] };
    const project = await Lifecycle.begun({ planner: [json(asking), json(plan)] });
    await project.next();
    const [question] = (await project.json("status")).questions;
    expect(question).toMatchObject({ text: "Which colour?", asked_by: "the plan of task-1" });
    await project.must("answer", question.id, "green");
    await project.must("answer", question.id, "light", "green");
    await steps(project, 1);
    const late = await project.heddle("answer", question.id, "red");
    expect(late.err).toContain("was answered: light green; the answer was used already");
  });
});

// `heddle run` in a repository that nobody prepared: real git, real processes, small agents.
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ended, heddle, start, until } from "../e2e/rig.ts";
import { hasBox, survivors } from "./rig.ts";
import { Stranger } from "./stranger.ts";

describe.runIf(hasBox)("heddle run (left out without bubblewrap)", () => {
  it("X28 brings sentences to merged work that the project's own tests verified, without a plan", async () => {
    const project = new Stranger();
    const ran = await project.run("say hello", "fix: the parser");
    expect(ran.err).toMatch(/^note: added \/\.heddle\/, .* to \.git\/info\/exclude: .*\n$/);
    expect(ran.code).toBe(0);
    expect(project.git("status", "--porcelain")).toBe("");
    expect(ran.out).toContain(
      "plan-1: 2 tasks\n  tasks without a check of their own are checked with `make test`",
    );
    expect(await project.status()).toMatchObject({
      phase: "complete",
      tasks: { complete: 2 },
      unverified: 0,
    });
    expect(project.git("show", "heddle/plan-1:T002.txt")).toBe("fix: the parser\n");
    expect(existsSync(project.path("project-planning"))).toBe(false);
    expect(survivors(project)).toEqual([]);
    // The same command does not pay twice.
    const again = await project.run("say hello", "fix: the parser");
    expect(again.out).toMatch(
      /plan-1 has done all of this list[\s\S]*hint: heddle run "say hello" "fix: the parser" --again/,
    );
    expect(await project.json("history", "--all")).not.toContainEqual(
      expect.objectContaining({ fact: expect.objectContaining({ kind: "task-started", task: "T003" }) }),
    );
  });

  it("X28 works through a list with its own checks, and never calls verified what nothing checked", async () => {
    const project = new Stranger();
    project.write(
      "tasks.yaml",
      `tasks:
  - {id: one, task: Make one, check: test -f T001.txt}
  - {task: Make two, depends: one, check: [test -f T001.txt, test -f T002.txt]}
  - {task: Make three, unchecked: true}
`,
    );
    const ran = await project.run("tasks.yaml", "--json");
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.out)).toMatchObject({ run: "plan-1", phase: "complete", unverified: 1 });
    expect((await project.heddle("why", "T003")).out).toMatch(/not verified|unverified/);
    const report = JSON.parse(
      readFileSync(project.path(".heddle/runs/plan-1/reports/execution-report.json"), "utf8"),
    );
    expect(report.unverified).toEqual(["T003"]);
    // A list that grew is worked on as far as it is new.
    project.write(
      "tasks.yaml",
      `${readFileSync(project.path("tasks.yaml"), "utf8")}  - {task: Make four, check: test -f T004.txt}\n`,
    );
    const more = await project.run("tasks.yaml");
    expect(more.out).toContain("plan-2: 1 task\n  3 tasks of the list are done already");
    expect(more.code).toBe(0);
  });

  it("X28 refuses a task that nothing checks before anything is made", async () => {
    const project = new Stranger();
    project.git("rm", "-q", "Makefile");
    project.git("commit", "-qm", "No tests");
    const ran = await project.run("do it");
    expect(ran.code).toBe(1);
    expect(ran.err).toMatch(/nothing checks the task `do it`[\s\S]*hint: .*--check "<command>"/);
    expect(existsSync(project.path(".heddle"))).toBe(false);
    const nothing = await project.heddle("run");
    expect(nothing.code).toBe(64);
    expect(nothing.err).toContain('hint: heddle run tasks.yaml, or: heddle run "add a --version flag"');
  });

  it("X27 goes on with the same sentence, and the agent it was begun with, after Ctrl-C", async () => {
    const project = new Stranger('fs.writeFileSync(out + ".begun", ""); setTimeout(() => {}, 60000)');
    const child = start(["run", "take your time", ...project.who], { cwd: project.root });
    const stopped = ended(child);
    await new Promise<void>((resolve) =>
      child.stdout?.on("data", (text) => String(text).includes("T001 begins") && resolve()),
    );
    child.kill("SIGINT");
    await until("the run halts", async () => (await project.status()).halt !== null);
    child.kill("SIGINT");
    expect((await stopped).code).toBe(130);
    project.act("write()");
    const ran = await project.heddle("run", "take your time", ...project.confinement);
    expect(ran.code, ran.err).toBe(0);
    expect(project.git("show", "heddle/plan-1:T001.txt")).toBe("take your time\n");
    expect(survivors(project)).toEqual([]);
  });
});

describe.runIf(hasBox)("a run that is looked at and edited (left out without bubblewrap)", () => {
  it("X28 shows a task whole, and starts only those anew that an edit of the plan changed", async () => {
    const project = new Stranger();
    project.write(
      "tasks.yaml",
      "- {task: one, check: test -f T001.txt}\n- {task: two, check: test -f nope.txt, depends: 1}\n",
    );
    project.write(".heddle/config.json", JSON.stringify({ attempts: 1 }));
    expect((await project.run("tasks.yaml")).code).toBe(1);
    const shown = (await project.must("show", "T002")).out;
    for (const part of [
      "failed",
      "test -f nope.txt: exit 1",
      "waits for  T001 (complete)",
      "+two",
      "T002.txt (added)",
    ])
      expect(shown).toContain(part);
    expect((await project.must("diff", "T001")).out).toMatch(/^# T001, merged as [\s\S]*\+one/);
    expect((await project.json("diff")).files).toEqual([{ path: "T001.txt", status: "added" }]);
    const [place] = (await project.must("open", "T002")).out.trim().split("\n");
    expect(existsSync(`${place}/T002.txt`)).toBe(true);
    expect((await project.heddle("open", "T001")).err).toContain("hint: heddle diff T001");
    // A mistake leaves the plan as it was, and what was written is there to be put right.
    const edit = (editor: string) =>
      heddle(["plan", "--edit"], { cwd: project.root, env: { EDITOR: editor } });
    const wrong = await edit("sed -i s/criteria:/criterai:/");
    expect(wrong.err).toMatch(
      /`criterai` is not a key of a task[\s\S]*did you mean `criteria`\?[\s\S]*the plan is as it was/,
    );
    expect((await edit("sed -i s/criterai:/criteria:/")).out).toBe("Nothing changed.\n");
    expect((await edit("sed -i s/nope.txt/T002.txt/g")).out).toBe("Changed 1 task; the plan has 2.\n");
    expect((await project.must("tasks")).out).toMatch(/T001 {2}complete[\s\S]*T002 {2}pending/);
    expect((await project.must("plan", "--show")).out).toContain("$ test -f T002.txt");
    expect((await project.run()).code).toBe(0);
  });
});

describe.runIf(hasBox)("a plan without maps (left out without bubblewrap)", () => {
  it("X28 is executed with the artifacts that its way of planning needs, and no others", async () => {
    const project = new Stranger("put(bundle.files[0].path, task); done()");
    await project.must("init", ".");
    const task = {
      id: "T001",
      name: "By hand",
      phase: 1,
      behaviors: ["B1"],
      files: [{ path: "hand.txt", action: "create" }],
      acceptance_criteria: [{ criterion: "it is there", verification: "test -f hand.txt" }],
    };
    project.write("T001.json", JSON.stringify(task));
    await project.must("plan-task", "add", "T001.json");
    await project.must("next", "--override", "a person wrote it", "--to", "ready");
    const ran = await project.heddle("execute", "--batch", ...project.who);
    expect(ran.code).toBe(0);
    expect(project.git("show", "heddle/plan-1:hand.txt")).toBe("T001");
  });
});

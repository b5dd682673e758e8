// `heddle execute --verify`: a plan that ends with a mission's verification, and gaps that become tasks (M7, X15).
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ended, killedWhen, start } from "../e2e/rig.ts";
import { Execution } from "./rig.ts";

const passes = { verifier: ["judge()"] };
const found = {
  verifier: ['judge("the third file")', "judge()"],
  "task-author": ['plan("T003")'],
};

const killed = { ...found, "task-author": ['plan("T002")'] };
/** 2 in `npm test`, 6 in CI. */
const kills = Number(process.env.HEDDLE_VERIFY_KILLS ?? 2);

describe("heddle execute --verify", () => {
  it("M7 X15 ends with the verifier's word on the merged tree, and lands then", async () => {
    const project = await Execution.ready({ tasks: 2 }, passes);
    const ran = await project.execute("--verify");
    expect(ran.err).toBe("");
    expect(ran.code).toBe(0);
    expect(ran.out).toContain("verified: ");
    expect(ran.out).toContain("landed:");
    expect(project.attempts()).toEqual(["T001-1", "T002-1", "verifier-1"]);
    const bundle = JSON.parse(readFileSync(project.attempt("verifier-1", "bundle.json"), "utf8"));
    expect(bundle.must_haves.length).toBeGreaterThan(0);
    expect(bundle.must_haves[0].evidence_required).toContain("cat src/T00");
    expect(bundle.evidence.map((each: { task_id: string }) => each.task_id)).toEqual(["T001", "T002"]);
    const verification = JSON.parse(
      readFileSync(project.path("project-planning/artifacts/verification.json"), "utf8"),
    );
    // It stood in a copy of the merged tree, not in anybody's checkout.
    expect(verification.checks[0].evidence).toBe("T001.txt T002.txt");
    expect((await project.status()).phase).toBe("complete");
  });

  it("M7 gaps become tasks, which are done, merged and verified again", async () => {
    const project = await Execution.ready({ tasks: 2 }, found);
    const ran = await project.execute("--verify");
    expect(ran.err).toBe("");
    expect(ran.code).toBe(0);
    expect(project.merged().sort()).toEqual(["T001", "T002", "T003"]);
    expect(project.attempts()).toEqual([
      "T001-1",
      "T002-1",
      "T003-1",
      "task-author-1",
      "verifier-1",
      "verifier-2",
    ]);
    expect(project.git("show", "HEAD:src/T003.txt")).toBe("T003\n");
    expect((await project.heddle("verify")).code).toBe(0);
    // The plan's own commands see it as a plan like any other.
    expect((await project.heddle("state", "load-tasks")).code).toBe(0);
    expect((await project.json("status")).tasks.complete).toBe(3);
  });

  it("M7 a verifier that never passes ends after two gap plans and says what is missing; a person goes on", async () => {
    const project = await Execution.ready(
      { tasks: 1 },
      { verifier: ['judge("gap " + attempt)'], "task-author": ['plan("T00" + (attempt + 1))'] },
    );
    const ran = await project.execute("--verify");
    expect(ran.code).toBe(1);
    expect(ran.out).toContain("gaps_remain: the gap plans are used up, and gaps remain: gap 3");
    expect(ran.out).toContain("hint: heddle next --override");
    expect((await project.heddle("status")).out).toContain("gaps_remain: the gap plans are used up");
    const { out } = await project.must("report");
    expect(out).toMatch(/Verified.*gaps at [0-9a-f]{12}: gap 3/);
    expect(project.merged()).toEqual(["T001", "T002", "T003"]);
    expect(project.git("log", "--format=%s", "main")).toBe("Begin\n");
    // Again it says the same, and pays nobody.
    expect((await project.execute()).code).toBe(1);
    expect(project.attempts().filter((name) => name.startsWith("verifier"))).toHaveLength(3);
    project.agent({ ...passes, "task-author": ['plan("T009")'] });
    await project.must("next", "--override", "once more", "--to", "gap_planning");
    expect((await project.execute()).code).toBe(0);
    expect(project.merged()).toEqual(["T001", "T002", "T003", "T009"]);
  });

  it("G4 nobody passes what a command says no to: every command runs once more on the merged tree", async () => {
    // The second task breaks what the first one did.
    const project = await Execution.ready(
      { tasks: 2, after: (n) => (n === 2 ? [1] : []) },
      {
        T002: ['put("src/T001.txt", "broken"); write(); propose()'],
        verifier: ["judge()", 'judge("T001 is broken")', "judge()"],
        "task-author": [
          'plan("T003", { files: [{ path: "src/T001.txt", action: "modify", layer: "domain", purpose: "fix" }], dependencies: { tasks: ["T002"] }, acceptance_criteria: [{ criterion: "whole", verification: \'test "$(cat src/T001.txt)" = T001\' }] })',
        ],
        T003: [
          'put("src/T001.txt", "T001"); propose({ files: { created: [], modified: ["src/T001.txt"] } })',
        ],
      },
    );
    project.config({ scope: "any" });
    const ran = await project.execute("--verify");
    expect(ran.code, ran.err + ran.out).toBe(0);
    const problems = JSON.parse(readFileSync(project.attempt("verifier-2", "bundle.json"), "utf8"));
    expect(problems.problems.join()).toContain("fails on this very tree");
    expect(problems.final_checks.map(({ ok }: { ok: boolean }) => ok)).toEqual([false, true]);
    expect(project.merged()).toEqual(["T001", "T002", "T003"]);
    expect(project.show("src/T001.txt")).toBe("T001");
  });

  it("C6 tasks for gaps that are wrong go back with what was wrong", async () => {
    const project = await Execution.ready(
      { tasks: 1 },
      {
        verifier: ['judge("more")', "judge()"],
        "task-author": ['plan("T001")', 'plan("T002", { acceptance_criteria: [] })', 'plan("T002")'],
      },
    );
    expect((await project.execute("--verify")).code).toBe(0);
    const problems = (n: number) =>
      JSON.parse(readFileSync(project.attempt(`task-author-${n}`, "bundle.json"), "utf8")).problems.join();
    expect(problems(2)).toContain("in the plan already");
    expect(problems(3)).toContain("acceptance_criteria");
    expect(project.merged()).toEqual(["T001", "T002"]);
  });

  it("M7 G3 killed while it is verified and while gaps are planned, it ends as if nothing had happened", async () => {
    const lines = (project: Execution) =>
      project.has(".heddle/logs/activity.jsonl")
        ? readFileSync(project.path(".heddle/logs/activity.jsonl"), "utf8").split("\n").length
        : 0;
    const whole = await Execution.ready({ tasks: 1 }, killed);
    const before = lines(whole);
    expect((await whole.execute("--verify")).code).toBe(0);
    const all = lines(whole) - before;
    for (let kill = 1; kill <= kills; kill++) {
      const project = await Execution.ready({ tasks: 1 }, killed);
      const at = before + Math.floor((all * kill) / (kills + 1));
      const child = start([...project.words, "--batch", "--verify"], { cwd: project.root });
      const ran = ended(child);
      await killedWhen(child, ran, () => lines(project) >= at);
      // The flag is remembered.
      const went = await project.execute();
      expect(went.code, `killed at ${kill}: ${went.err}${went.out}`).toBe(0);
      expect(project.merged()).toEqual(["T001", "T002"]);
      expect((await project.facts("phase-entered")).filter(({ to }) => to === "gap_planning")).toHaveLength(
        1,
      );
      expect((await project.heddle("verify")).code).toBe(0);
    }
  }, 180_000);

  it("a plan that is complete can be verified afterwards; the flag holds from then on", async () => {
    const project = await Execution.ready({ tasks: 1 }, found);
    expect((await project.execute()).code).toBe(0);
    expect(project.attempts()).toEqual(["T001-1"]);
    project.agent({
      verifier: ['judge("x")', "judge()"],
      "task-author": ['plan("T002")'],
    });
    const ran = await project.heddle(...project.words, "--verify");
    expect(ran.err).toBe("");
    expect(ran.code).toBe(0);
    expect(project.merged()).toEqual(["T001", "T002"]);
    // Verified as it is: once more costs nothing.
    expect((await project.execute("--verify")).code).toBe(0);
    expect(project.attempts().filter((name) => name.startsWith("verifier"))).toHaveLength(2);
  });
});

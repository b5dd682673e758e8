// From inside an attempt: what an executor may say over its socket, and what it may not (X16, X17, X20).
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Execution } from "./rig.ts";

/** Runs `heddle …` inside, and keeps what it said and how it ended. */
const heddle = (words: string) =>
  `const told = spawnSync("heddle", ${JSON.stringify(words.split(" "))}, { encoding: "utf8" });
   say(told.stdout + told.stderr); say("exit " + told.status);`;

async function said(project: Execution, attempt: string): Promise<string> {
  return readFileSync(project.attempt(attempt, "stdout.log"), "utf8");
}

describe("from inside an attempt", () => {
  it("X16 complete-task proposes, and heddle checks before anything is complete", async () => {
    const project = await Execution.ready(
      { tasks: 1 },
      { T001: [`write(); ${heddle("state complete-task T001 --created src/T001.txt")}`] },
    );
    const ran = await project.execute();
    expect(ran.code).toBe(0);
    expect(await said(project, "T001-1")).toContain("proposed as complete");
    expect(await said(project, "T001-1")).toContain("exit 0");
    const kinds = (await project.history()).map(({ fact }) => fact.kind);
    expect(kinds.indexOf("proposal-recorded")).toBeGreaterThan(0);
    expect(kinds.indexOf("proposal-recorded")).toBeLessThan(kinds.indexOf("checks-recorded"));
    expect(kinds.indexOf("checks-recorded")).toBeLessThan(kinds.indexOf("task-completed"));
    expect(project.merged()).toEqual(["T001"]);
  });

  it("X16 fail-task reports a failure with its category", async () => {
    const project = await Execution.ready(
      { tasks: 1 },
      { T001: [heddle("state fail-task T001 needs_a_database --category dependency --no-retry")] },
    );
    expect((await project.execute()).code).toBe(1);
    expect(await project.facts("task-failed")).toMatchObject([
      { category: "dependency", error: "needs_a_database", retryable: false, attempt: 1 },
    ]);
  });

  it("X17 another's task, a forged token and other commands are refused and recorded", async () => {
    const project = await Execution.ready(
      { tasks: 2 },
      {
        T001: [
          `${heddle("state complete-task T002")} ${heddle("state skip-task T002 never").replace("const told", "var two").replaceAll("told", "two")}
           fs.writeFileSync("/tmp/forged", "f".repeat(64));
           const three = spawnSync("heddle", ["state", "complete-task", "T001"], { encoding: "utf8", env: { ...process.env, HEDDLE_TOKEN_FILE: "/tmp/forged" } });
           say("forged " + three.status); good()`,
        ],
        T002: ["sleep(300); good()"],
      },
    );
    expect((await project.execute("--parallel", "2")).code).toBe(0);
    expect(await said(project, "T001-1")).toContain("this attempt is at T001, not at T002");
    expect(await said(project, "T001-1")).toContain("forged 1");
    const refusals = await project.facts("proposal-refused");
    expect(refusals.map((each) => each.reason)).toEqual([
      "this attempt is at T001, not at T002",
      "`state skip-task` cannot be done from inside an attempt",
      "the token is not that of this attempt",
    ]);
    expect((await project.status()).tasks.complete).toBe(2);
  });

  it("C8 an agent's question is durable; the answer starts another attempt that is told", async () => {
    const project = await Execution.ready(
      { tasks: 2 },
      {
        T001: [
          'say({ type: "question", id: "port", text: "Which port?", options: ["80", "8080"] })',
          'if (bundle.answers[0]?.answer !== "8080") throw 1; good()',
        ],
      },
    );
    expect((await project.execute()).code).toBe(1);
    expect((await project.status()).tasks).toMatchObject({ complete: 1, pending: 1 });
    const why = await project.must("why", "T001");
    expect(why.out).toContain("Which port?");
    await project.must("answer", "T001-1-port", "8080");
    expect((await project.execute()).code).toBe(0);
    expect(project.merged().sort()).toEqual(["T001", "T002"]);
  });

  it("X9 a second agent judges the work; a BLOCK sends it back with the reasons", async () => {
    const judge = (verdict: string, more = "") =>
      `put(out, JSON.stringify({ task_id: task, verdict: "${verdict}", recommendation: "${verdict === "PASS" ? "PROCEED" : "BLOCK"}"${more} }))`;
    const reviewer = `process.env.HEDDLE_ROLE === "task-verifier"`;
    const project = await Execution.ready(
      { tasks: 1 },
      {
        T001: [
          `if (${reviewer}) ${judge("FAIL", ', reasons: ["src/T001.txt:1 says nothing"]')}; else good()`,
          `if (${reviewer}) { if (!fs.readFileSync(bundle.diff, "utf8").includes("+T001")) throw 1; ${judge("PASS")} } else good()`,
        ],
      },
    );
    project.config({ review: true });
    const ran = await project.execute();
    expect(ran.code).toBe(0);
    expect(await project.facts("attempt-failed")).toMatchObject([
      { category: "validation", error: expect.stringContaining("src/T001.txt:1 says nothing") },
    ]);
    expect(await project.facts("verification-recorded")).toMatchObject([{ verdict: "PASS", task: "T001" }]);
  });
});

// `heddle state record-verification`, `record-calibration`, `calibration-score` and `log-tokens` (C12, D21, X12, X20):
// what a host's loop writes down about its tasks.
import { describe, expect, it } from "vitest";
import {
  desk,
  expectDone,
  expectRefused,
  expectUsage,
  factsOf,
  kindsOf,
  plan,
  record,
  waits,
} from "./desk.ts";

const chain = { tasks: [{}, waits("T001"), waits("T002"), {}] };

describe("record-verification", () => {
  const project = desk(async (each) => {
    await plan(each, chain);
    await each.must("state", "start-task", "T001");
    await each.must("state", "complete-task", "T001");
  });
  const verified = (id: string, ...words: readonly string[]) =>
    project.state("record-verification", id, ...words);
  const proceed = ["--verdict", "PASS", "--recommendation", "PROCEED"];
  const block = ["--verdict", "FAIL", "--recommendation", "BLOCK"];
  const ready = async () => (await project.state("ready-tasks")).out;

  it("X20 prints the task, the verdict and the recommendation, and keeps all that it was given", async () => {
    const criteria = [{ name: "it works", score: "PASS", evidence: "node --test" }];
    const quality = { types: "PASS", docs: "PARTIAL" };
    const tests = { coverage: "PASS", edge_cases: "FAIL" };
    const ran = await verified(
      "T001",
      ...proceed,
      "--criteria",
      JSON.stringify(criteria),
      "--quality",
      JSON.stringify(quality),
      "--tests",
      JSON.stringify(tests),
    );
    expectDone(ran, "Verification recorded for T001: PASS (PROCEED)");
    expect(record(project, "T001").verification).toEqual({
      verdict: "PASS",
      recommendation: "PROCEED",
      criteria,
      quality,
      tests,
      verified_at: expect.stringMatching(/Z$/),
    });
  });

  it("X12 BLOCK holds back everything that waits for the task, and nothing else", async () => {
    await verified("T001", ...block);
    expect(await ready()).toBe("T004: Build T004 (phase 1)\n");
    expect([record(project, "T002").status, record(project, "T003").status]).toEqual(["blocked", "blocked"]);
    expectRefused(await project.state("start-task", "T002"), /T001 is held back by its verification/);
  });

  it("X12 PROCEED lets go of what an earlier BLOCK held", async () => {
    await verified("T001", ...block);
    await verified("T001", ...proceed);
    expect(await ready()).toMatch(/^T002: /m);
    expectDone(await project.state("start-task", "T002"));
  });

  it("X20 words may be in small letters, and CONDITIONAL PASS is CONDITIONAL", async () => {
    expectDone(
      await verified("T001", "--verdict", "conditional pass", "--recommendation", "proceed"),
      "Verification recorded for T001: CONDITIONAL (PROCEED)",
    );
  });

  it("C15 answers with JSON", async () => {
    expect(JSON.parse((await verified("T001", ...block, "--json")).out)).toEqual({
      task: "T001",
      verdict: "FAIL",
      recommendation: "BLOCK",
    });
  });

  it.each(["criteria", "quality", "tests"])(
    "C14 --%s that is not JSON is one sentence, exit 64",
    async (flag) => {
      const kinds = await kindsOf(project, async () =>
        expectUsage(await verified("T001", ...proceed, `--${flag}`, "{not json"), `--${flag}\` is not JSON`),
      );
      expect(kinds).toEqual([]);
    },
  );

  it("X12 a task that has not run can be verified as well: its dependents wait as they did", async () => {
    expectDone(await verified("T004", ...block));
    expect(record(project, "T004").status).toBe("pending");
  });
});

describe("record-calibration and calibration-score", () => {
  const project = desk(async (each) => {
    await plan(each, { tasks: [{}, {}, {}, {}] });
    for (const id of ["T001", "T002", "T003", "T004"])
      await each.must("state", "record-verification", id, "--verdict", "PASS", "--recommendation", "PROCEED");
  });
  const score = () => project.json("state", "calibration-score");

  it("D21 is 1 without data", async () => {
    expect(await score()).toMatchObject({ score: 1, total_verified: 0 });
    expectDone(await project.state("calibration-score"), /^score: 1$/m);
  });

  it("D21 is the share of predictions that came true", async () => {
    expectDone(await project.state("record-calibration", "T001", "correct"), /T001.*correct/);
    await project.must("state", "record-calibration", "T002", "false_positive", "it", "broke", "later");
    await project.must("state", "record-calibration", "T003", "false_negative");
    await project.must("state", "record-calibration", "T004", "correct");
    expect(await score()).toEqual({
      score: 0.5,
      total_verified: 4,
      correct: 2,
      false_positives: 1,
      false_negatives: 1,
    });
    expect(project.stateJson().calibration).toMatchObject({
      total_verified: 4,
      correct: 2,
      false_positives: ["T002"],
      false_negatives: ["T003"],
    });
  });

  it("D21 keeps the notes", async () => {
    const facts = await factsOf(project, () =>
      project.must("state", "record-calibration", "T002", "false_positive", "it", "broke", "later"),
    );
    expect(facts).toMatchObject([{ kind: "calibration-recorded", task: "T002", notes: "it broke later" }]);
  });
});

describe("record-calibration of a task without a verification", () => {
  const project = desk((each) => plan(each, { tasks: [{}] }));

  it("D21 is refused, and says how to record one", async () => {
    const ran = await project.state("record-calibration", "T001", "correct");
    expectRefused(ran, /no verification to compare with/);
    expect(ran.err).toMatch(/hint: heddle state record-verification T001/);
  });
});

describe("log-tokens", () => {
  const project = desk((each) => plan(each, { tasks: [{}, {}] }));
  const tokens = (...words: readonly string[]) => project.state("log-tokens", ...words);

  it("X20 C12 adds to the totals and prints its line", async () => {
    expectDone(await tokens("a1b2", "1200", "340", "0.25"), "Tokens logged");
    await tokens("c3d4", "300", "160", "0.5");
    expect(project.stateJson().execution).toMatchObject({ total_tokens: 2000, total_cost_usd: 0.75 });
    const { out } = await project.state("status");
    expect(out).toMatch(/^Tokens: 2,000$/m);
    expect(out).toMatch(/^Cost: \$0\.7500$/m);
  });

  it("C12 an unknown cost is counted as unknown, not as nothing", async () => {
    await tokens("a1b2", "10", "20", "0.5");
    expectDone(await tokens("a1b2", "1", "2", "unknown"));
    expect(project.stateJson().execution).toMatchObject({ total_cost_usd: 0.5, unknown_costs: 1 });
    expect((await project.state("status")).out).toMatch(/^Cost: at least \$0\.5000$/m);
  });

  it.each([
    [["s", "many", "2", "0.1"], /`many` is not a whole number/],
    [["s", "1", "1.5", "0.1"], /`1\.5` is not a whole number/],
    [["s", "1", "2", "cheap"], /`cheap` is not a number/],
    [["s", "1", "2", "NaN"], /`NaN` is not a number/],
    [["s", "1", "2", "Infinity"], /`Infinity` is not a number/],
    [["s", "-1", "2", "0.1"], /-1/],
    [["s", "", "2", "0.1"], /`input` is empty/],
    [["s", "1", "2"], /needs the cost/],
    [["s", "1", "2", "0.1", "5"], /does not take `5`/],
  ])("C14 log-tokens %j is asked wrongly: exit 64, nothing is added", async (words, sentence) => {
    const kinds = await kindsOf(project, async () => expectUsage(await tokens(...words), sentence));
    expect(kinds).toEqual([]);
  });

  it("C12 --task puts the cost on a task, and the fact names session, phase and task", async () => {
    const facts = await factsOf(project, () => tokens("a1b2", "10", "20", "0.5", "--task", "T002"));
    expect(facts).toEqual([
      {
        kind: "usage-recorded",
        task: "T002",
        phase: "ready",
        agent: "a1b2",
        inputTokens: 10,
        outputTokens: 20,
        costUsd: 0.5,
      },
    ]);
  });

  it("C14 --task with an unknown task is refused, and nothing is added", async () => {
    const kinds = await kindsOf(project, async () =>
      expectRefused(await tokens("a1b2", "10", "20", "0.5", "--task", "T999"), /T999/),
    );
    expect(kinds).toEqual([]);
  });
});

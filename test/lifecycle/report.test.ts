// `heddle report` of one task: the way it took, the evidence, who overrode what and why (C9), in each format.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { dataIn, foreignIn } from "../page/inside.ts";
import { json, Lifecycle, plan } from "./rig.ts";

it("C9 C13 tells the way, the evidence, the questions and the overrides with their reasons, until it is reverted", async () => {
  const project = await Lifecycle.begun({
    planner: [json({ ...plan, blocking_questions: [{ text: "Which <language>?" }] }), json(plan)],
    "plan-reviewer": [json({ ok: false, blocking_issues: ["no tests | at all"] })],
  });
  await project.next();
  const [{ id }] = (await project.status()).questions;
  await project.must("answer", id, "en");
  await project.next();
  await project.must("next", "--override", "the reviewer is *wrong*");
  const open = await project.json("report");
  expect(open).toMatchObject({ outcome: "not finished", phase: "codegen", ended_at: null });
  expect(open.next.reason).toBe("the patch is missing");
  expect((await project.all()).code).toBe(0);
  const done = await project.json("report", "task-1");
  expect(done).toMatchObject({
    outcome: "accepted",
    brief: "greet people by name",
    questions: [{ question: "Which <language>?", answer: "en" }],
    overrides: [{ by: "operator", what: "phase set to codegen", reason: "the reviewer is *wrong*" }],
    documents: { eval_report: { overall_pass: true }, decision: { verdict: "accepted" } },
  });
  expect(done.way.map(({ from, to }: { from: string; to: string }) => `${from} → ${to}`)).toEqual([
    "planning → plan_review",
    "plan_review → codegen",
    "codegen → review",
    "review → test",
    "test → accept",
    "accept → done",
  ]);
  expect(done.commits).toEqual([project.git("rev-parse", "HEAD").trim()]);
  const { out } = await project.must("report");
  expect(out).toContain("# Accepted: task-1: greet people by name");
  expect(out).toContain("overridden: the reviewer is \\*wrong\\*");
  expect(out).toMatch(/\| ✓ \| it greets \| grep -q Hello greet\.txt \| 0 \|/);
  expect(out).toContain("+Hello, Ada!");
  await project.must("report", "--format", "html", "--out", "report.html");
  const page = readFileSync(project.path("report.html"), "utf8");
  expect(foreignIn(page)).not.toMatch(/<script|<language>/);
  const { report, run } = dataIn(page);
  expect(run.id).toBe("task-1");
  expect(report.headline).toBe("Accepted: task-1: greet people by name");
  const rows = (title: string) => report.sections.find((each) => each.title === title)?.rows ?? [];
  expect(rows("Questions")).toEqual([["Which <language>?", "en"]]);
  expect(rows("Overrides")[0]).toContain("the reviewer is *wrong*");
  expect(rows("The way").map(([, from, to]) => `${from} → ${to}`)).toContain("test → accept");
  expect(rows("Evidence")[0]?.slice(0, 4)).toEqual(["✓", "it greets", "grep -q Hello greet.txt", "0"]);
  expect(rows("Work").length).toBe(done.work.length);
  expect(report.difference).toContain("+Hello, Ada!");
  await project.must("revert", "--reason", "not wanted");
  expect(await project.json("report")).toMatchObject({
    outcome: "reverted",
    documents: { revert: { reason: "not wanted" } },
  });
});

it("C14 a plan beside a task is reported unless the task is named; what is not there is said", async () => {
  const project = await Lifecycle.begun();
  expect((await project.heddle("report", "task-7")).err).toContain("run `task-7` does not exist");
  await project.must("init", "app");
  expect((await project.json("report")).run).toBe("plan-1");
  expect((await project.json("report", "task-1")).run).toBe("task-1");
  expect((await project.json("report", "--run", "task-1")).run).toBe("task-1");
});

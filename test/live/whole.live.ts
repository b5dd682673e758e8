// The whole way with the real programs: from the example's specification to a program whose own tests pass, and a mission from
// its goal to landed work. The scripted model on loopback knows the answers; no real model is asked anything.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ended, start } from "../e2e/rig.ts";
import { Mission, plan } from "../mission/rig.ts";
import { Planning, roles } from "../plan/rig.ts";
import { inTurn, orderIn, read, write } from "./answers.ts";
import type { Script } from "./model.ts";
import { notes } from "./notes.ts";
import { environment, modelThat } from "./rig.ts";

const patient = 600_000;

/** Plans and executes the example; who does what is for the configuration to say. */
async function wholeWay(roles: object) {
  const project = new Planning();
  project.config({ agent: "claude", review: true, roles });
  const model = await modelThat(notes(project.path("app")));
  const env = environment(model);
  const planned = await project.in({ env }, "plan", "spec.md", "--target", "app", "--new", "--no-review");
  expect(planned.code, planned.err + planned.out).toBe(0);
  const executed = await project.in({ env }, "execute", "--batch");
  expect(executed.code, executed.err + executed.out).toBe(0);
  expect(executed.out + executed.err).toContain("landed");
  expect(await project.phase()).toBe("complete");
  const app = project.path("app");
  const tested = spawnSync(process.execPath, ["--test"], { cwd: app, encoding: "utf8" });
  expect(tested.status, tested.stdout).toBe(0);
  expect(tested.stdout).toMatch(/(?:ℹ|#) fail 0/);
  const version = spawnSync(process.execPath, ["bin/notes.js", "--version"], { cwd: app, encoding: "utf8" });
  expect(version.stdout.trim()).toBe("1.0.0");
  expect(model.strays).toEqual([]);
  const facts = (await project.history()).map(({ fact }) => fact);
  const verdicts = facts.filter(({ kind }) => kind === "verification-recorded");
  expect(verdicts).toHaveLength(10);
  const calls = facts.filter(({ kind }) => kind === "usage-recorded").map(({ agent }) => agent);
  return { calls, proposals: facts.filter(({ kind }) => kind === "proposal-recorded") };
}

it("U1 X10 Claude Code in every role plans, executes and verifies the example", {
  timeout: patient,
}, async () => {
  const { calls, proposals } = await wholeWay({ "task-verifier": { agent: "claude" } });
  expect(new Set(calls)).toEqual(new Set(["claude"]));
  expect(calls).toHaveLength(roles.length + 10 + 10);
  expect(proposals).toHaveLength(10);
});

it("U1 X9 Codex executes the example, and Claude Code verifies it", { timeout: patient }, async () => {
  const { calls } = await wholeWay({ "task-executor": { agent: "codex:gpt-5.5" } });
  const by = (name: string) => calls.filter((each) => each === name).length;
  expect([by("claude"), by("codex:gpt-5.5")]).toEqual([roles.length + 10, 10]);
});

it("M1–M9 Claude Code brings a mission from its goal to landed work", { timeout: patient }, async () => {
  const project = new Mission();
  const model = await modelThat(missionary);
  const words = ["mission", "write the files", "--agent", "claude"];
  const ran = await ended(start(words, { cwd: project.root, env: environment(model) }));
  expect(ran.code, ran.err + ran.out).toBe(0);
  expect(ran.out).toContain("phase_complete: Phase Complete");
  expect(project.merged()).toEqual(["01-01", "01-02"]);
  expect(readFileSync(project.path("src/01-02.txt"), "utf8")).toBe("01-02\n");
  expect(project.artifact("verification.json").passed).toBe(true);
  const calls = await project.facts("usage-recorded");
  expect(calls.map(({ agent }) => agent)).toEqual(Array(5).fill("claude"));
});

/** What each role of a mission hands in. */
const missionary: Script = (asked) => {
  const { role, task, bundle, output, workspace } = orderIn(asked);
  const file = `src/${task}.txt`;
  const claim = { claim: "every file is there", verdict: "pass", evidence: "01-01.txt 01-02.txt" };
  const results: Readonly<Record<string, object>> = {
    researcher: { knowledge: [{ topic: "files", findings: "there are few" }] },
    "mission-planner": plan("01-01", "01-02"),
    executor: { task_id: task, status: "complete", changes: [{ file, action: "created" }] },
    verifier: { passed: true, checks: [claim], gaps: [] },
  };
  const result = write(output, JSON.stringify(results[role] ?? {}));
  const written = role === "executor" ? [write(join(workspace, file), `${task}\n`), result] : [result];
  return inTurn(asked.step, [[read(bundle)], written], "done");
};

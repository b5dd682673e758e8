// Agents that hang, fall silent, chatter, crash, or are not there; and money (C7, C12).
import { chmodSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Planning } from "./rig.ts";

const second = 1 / 60;
const usage = 'say({ type: "usage", input_tokens: 100, output_tokens: 10, cost_usd: 0.4 });';
const architect = "logic-architect";

/** Everything waits here more than it works, so the tests go side by side. */
describe.concurrent("a limit that is crossed ends the attempt cleanly and says which it was", () => {
  it("C7 an agent that hangs crosses its time limit", async ({ expect }) => {
    const project = new Planning({
      [architect]: ['say("begun"); setInterval(() => say("still here"), 100)'],
    });
    project.config({ attempts: 1, limits: { minutes: second } });
    const { code, out } = await project.plan();
    expect(code).toBe(1);
    expect(out).toMatch(
      /HALTED: logic-architect failed(?: \d times)? \(timeout\): the agent ran longer than 1 s/,
    );
  });

  it("C7 an agent that is silent crosses its silence limit", async ({ expect }) => {
    const project = new Planning({ [architect]: ['say("one word"); hang()'] });
    project.config({ attempts: 1, limits: { silenceMinutes: second } });
    const { code, out } = await project.plan();
    expect(code).toBe(1);
    expect(out).toContain("the agent was silent for 1 s");
  });

  it("C7 an agent that prints too much crosses its output limit", async ({ expect }) => {
    const project = new Planning({ [architect]: ['for (;;) say("x".repeat(10_000))'] });
    project.config({ attempts: 1, limits: { outputMegabytes: 0.5 } });
    const { code, out } = await project.plan();
    expect(code).toBe(1);
    expect(out).toContain("the agent printed more than 0.5 MiB");
  });

  it("C7 an agent that takes too much memory crosses its memory limit", async ({ expect }) => {
    const project = new Planning({
      [architect]: ["const all = []; setInterval(() => all.push(Buffer.alloc(20e6, 1)), 20)"],
    });
    project.config({ attempts: 1, limits: { memoryMegabytes: 200 } });
    const { code, out } = await project.plan();
    expect(code).toBe(1);
    expect(out).toMatch(/the agent used more than 200 MiB of memory/);
  });

  it("C7 a crash is tried again after a back-off, three times in all, then the run halts with the reason", async ({
    expect,
  }) => {
    const project = new Planning({ [architect]: ["process.kill(process.pid, 'SIGSEGV')"] });
    const { code, out } = await project.plan();
    expect(code).toBe(1);
    expect(project.attempts(architect)).toHaveLength(3);
    expect(out).toMatch(
      /HALTED: logic-architect failed(?: \d times)? \(runtime\): the agent was ended by SIGSEGV/,
    );
    const failed = (await project.history()).filter(({ fact }) => fact.kind === "job-failed");
    const waits = failed.map(({ fact }) => Number(fact.notBeforeMs) - Number(fact.runMs));
    expect(waits.slice(0, 2)).toEqual([2000, 4000]);
  });

  it("C7 a crash once costs an attempt, not the run", async ({ expect }) => {
    const project = new Planning({ [architect]: ["process.exit(7)", "good()"] });
    const { code, err } = await project.plan();
    expect(code, err).toBe(0);
    expect(project.bundle(`${architect}-2`).problems).toEqual(["the agent exited with code 7"]);
  });

  it("C7 C8 `heddle plan` again gives a role that gave up three more tries", async ({ expect }) => {
    const project = new Planning({ [architect]: ["process.exit(7)"] });
    project.config({ attempts: 1 });
    await project.plan();
    project.agent({});
    const { code, err } = await project.again();
    expect(code, err).toBe(0);
  });

  it("U1 a program that is not there is named at once, and is not tried three times", async ({ expect }) => {
    const project = new Planning();
    const words = ["plan", "spec.md", "--target", "app", "--new", "--unconfined"];
    const { code, out, err } = await project.heddle(...words, "--agent", "command:./nobody");
    expect(code).toBe(1);
    expect(out + err).toContain(project.path("nobody"));
    expect(project.attempts(architect).length).toBeLessThan(2);
  });

  it("U1 a program that is not executable is named, with the reason", async ({ expect }) => {
    const project = new Planning();
    chmodSync(project.path("agent.cjs"), 0o644);
    const { code, out, err } = await project.plan();
    expect(code).toBe(1);
    expect(out + err).toMatch(/agent\.cjs.*cannot be executed/);
  });

  it("C7 an output of many megabytes is refused in one sentence, not parsed", async ({ expect }) => {
    const project = new Planning({ [architect]: ["put('x'.repeat(70e6))"] });
    project.config({ attempts: 1 });
    const { code, out } = await project.plan();
    expect(code).toBe(1);
    expect(out).toMatch(/HALTED: logic-architect failed(?: \d times)?/);
  });

  it("C7 a role's own limit goes before the project's", async ({ expect }) => {
    const project = new Planning({ [architect]: ["hang()"] });
    project.config({
      attempts: 1,
      limits: { minutes: 5 },
      roles: { [architect]: { limits: { minutes: second } } },
    });
    const { out } = await project.plan();
    expect(out).toContain("the agent ran longer than 1 s");
  });
});

describe.concurrent("money", () => {
  it("C12 the run's ceiling stops it before the next call, and says what to type", async ({ expect }) => {
    const project = new Planning({
      [architect]: [`${usage} good()`],
      "physical-architect": [`${usage} good()`],
    });
    project.config({ budget: { runUsd: 1 } });
    const { code, out } = await project.plan();
    expect(code).toBe(1);
    expect(out).toMatch(/HALTED: the run's budget of \$1 would be crossed/);
    expect(out).toContain("--budget");
    expect(project.attempts("task-author")).toEqual([]);
  });

  it("C10 C12 a crossed budget is raised, and the run goes on", async ({ expect }) => {
    const project = new Planning({
      [architect]: [`${usage} good()`],
      "physical-architect": [`${usage} good()`],
    });
    project.config({ budget: { runUsd: 1 } });
    await project.plan();
    await project.must("resume", "--budget", "5");
    const { code, out, err } = await project.again();
    expect(code, out + err).toBe(0);
  });

  it("C12 usage is recorded with phase and agent, summed over a call", async ({ expect }) => {
    const project = new Planning({ [architect]: [`${usage} ${usage} good()`] });
    await project.plan();
    const spent = (await project.history()).filter(({ fact }) => fact.kind === "usage-recorded");
    expect(spent).toHaveLength(1);
    expect(spent[0]?.fact).toMatchObject({
      phase: "logical",
      agent: "command:./agent.cjs",
      inputTokens: 200,
      outputTokens: 20,
      costUsd: 0.8,
    });
  });

  it("C12 what a failed attempt spent is recorded too", async ({ expect }) => {
    const project = new Planning({ [architect]: [`${usage} process.exit(1)`] });
    project.config({ attempts: 1 });
    await project.plan();
    expect((await project.history()).some(({ fact }) => fact.kind === "usage-recorded")).toBe(true);
  });

  it("C12 an unknown cost is shown as unknown, never as nothing", async ({ expect }) => {
    const project = new Planning({
      [architect]: ['say({ type: "usage", input_tokens: 5, output_tokens: 1 }); good()'],
    });
    await project.plan();
    const spent = (await project.history()).find(({ fact }) => fact.kind === "usage-recorded");
    expect(spent?.fact.costUsd).toBeNull();
    expect((await project.must("status")).out).toMatch(/unknown/);
  });

  it("C12 a negative cost does not give money back", async ({ expect }) => {
    const project = new Planning({
      [architect]: ['say({ type: "usage", input_tokens: -5, output_tokens: -1, cost_usd: -50 }); good()'],
    });
    await project.plan();
    const spent = (await project.history()).find(({ fact }) => fact.kind === "usage-recorded");
    expect(Number(spent?.fact.costUsd ?? 0)).toBeGreaterThanOrEqual(0);
  });
});

it("C7 no process of an agent that was ended survives", async () => {
  const marker = `heddle-survivor-${process.pid}`;
  const project = new Planning({
    [architect]: [
      `spawn("sh", ["-c", "sleep 1000 # ${marker}"], { detached: true, stdio: "ignore" }); hang()`,
    ],
  });
  project.config({ attempts: 1, limits: { minutes: second } });
  await project.plan();
  const { living } = await import("./rig.ts");
  expect(living(marker)).toEqual([]);
});

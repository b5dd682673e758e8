// Usage limits and second opinions, with the real agent programs and a scripted model that is not to be asked for a
// while. No real model is asked anything.
import { expect, it } from "vitest";
import { orderIn, say, use, write } from "./answers.ts";
import { diligent, liveProject, modelThat } from "./rig.ts";

const limit = (message: string) =>
  ({ kind: "error", status: 429, type: "usage_limit_reached", message }) as const;

it("X11 parks the task at a usage limit, goes on by itself when it is over, and costs no try", async () => {
  const project = await liveProject(1);
  project.configure({ attempts: 1 });
  const until = Date.now() + 6000;
  const model = await modelThat((asked) =>
    Date.now() < until ? limit("rate limit reached, try again in 3s") : diligent(asked),
  );
  const ran = await project.execute(model);
  expect(ran.err + ran.out).toContain("is parked");
  expect(ran.code).toBe(0);
  const [parked] = await project.facts("attempt-parked");
  expect(parked).toMatchObject({ task: "T001", reason: expect.stringContaining("goes on by itself") });
  expect(Number(parked?.notBeforeMs) - Number(parked?.runMs)).toBeLessThanOrEqual(3000);
  expect(await project.facts("attempt-failed")).toEqual([]);
});

it("X11 lets Claude Code go on at once where it is Codex's fallback", async () => {
  const project = await liveProject(1);
  project.agent = "codex:gpt-5.5";
  project.configure({ attempts: 1, fallback: ["claude"] });
  // Both APIs are one server; only Codex's prompts are refused.
  const refused = new Set<number>();
  const model = await modelThat((asked) => {
    const { attempt } = orderIn(asked);
    if (attempt === 1) refused.add(attempt);
    return attempt === 1 ? limit("You've hit your usage limit") : diligent(asked);
  });
  const ran = await project.execute(model);
  expect(ran.code).toBe(0);
  expect(refused.size).toBe(1);
  expect(await project.facts("attempt-parked")).toMatchObject([
    { reason: expect.stringContaining("claude goes on") },
  ]);
  const usage = await project.facts("usage-recorded");
  expect(usage.at(-1)).toMatchObject({ agent: "claude" });
  expect(project.git("log", "--format=%an%n%b", "main")).toContain("claude");
});

it("X9 has Codex's work judged by Claude Code", async () => {
  const project = await liveProject(1);
  project.agent = "codex:gpt-5.5";
  project.configure({ attempts: 1, review: true });
  const model = await modelThat((asked) => {
    const { output } = orderIn(asked);
    if (!asked.prompt.includes("task-verifier")) return diligent(asked);
    const judgement = { verdict: "PASS", recommendation: "PROCEED", criteria: [], reasons: [] };
    return asked.step === 0 ? use(write(output, JSON.stringify(judgement))) : say("judged");
  });
  const ran = await project.execute(model);
  expect(ran.err + ran.out).toContain("landed");
  const agents = (await project.facts("usage-recorded")).map(({ agent }) => agent);
  expect(agents).toEqual(["codex:gpt-5.5", "claude"]);
  expect(await project.facts("verification-recorded")).toMatchObject([{ verdict: "PASS" }]);
});

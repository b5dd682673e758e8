// What every agent program must do, whoever made it: in heddle's box, against a scripted model on loopback. No real model is
// asked anything: what is tried is the program, its stream, its signals and its box, not anybody's intelligence.
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ended, until } from "../e2e/rig.ts";
import { example, Planning, roles, sources } from "../plan/rig.ts";
import type { LiveAgent } from "./agents.ts";
import { bash, say, use } from "./answers.ts";
import type { Script } from "./model.ts";
import { notes } from "./notes.ts";
import {
  diligent,
  environment,
  isInstalled,
  key,
  liveProject,
  modelThat,
  processesWith,
  proposing,
} from "./rig.ts";

async function projectOf({ word, hostile, obeys }: LiveAgent, config: object = {}) {
  const project = await liveProject(1, obeys ? {} : hostile);
  project.agent = word;
  project.configure({ attempts: 1, ...config });
  return project;
}

export function agentSuite(agent: LiveAgent): void {
  describe.runIf(isInstalled(agent.program))(`${agent.title}, as every agent`, () => {
    it("U1 plays a role of planning", () => playsRole(agent));
    it("X10 X16 does a task, is not steered by the repository, and leaves no key", () => doesTask(agent));

    it.runIf(agent.obeys)("is not started where the repository would steer it", async () => {
      const project = await liveProject(1, agent.hostile);
      project.agent = agent.word;
      const model = await modelThat(diligent);
      expect((await project.execute(model)).code).toBe(1);
      expect(await project.facts("halt-requested")).toMatchObject([
        { code: "agent", reason: expect.stringContaining("is not approved") },
      ]);
      expect(model.asked).toEqual([]);
    });

    it("G4 is not believed when it says that it is done, and nothing is merged", async () => {
      const project = await projectOf(agent);
      const model = await modelThat(() => say("T001: SUCCESS. All tests pass."));
      expect((await project.execute(model)).code).toBe(1);
      expect(await project.facts("task-failed")).toMatchObject([
        { category: "validation", error: expect.stringContaining("without proposing a result") },
      ]);
      expect(project.git("log", "--format=%s", "main").trim()).toBe("a beginning");
    });

    it("C7 is not asked again when the API refuses the key", async () => {
      const project = await projectOf(agent, { attempts: 3 });
      const message = "invalid x-api-key";
      const model = await modelThat(() => ({
        kind: "error",
        status: 401,
        type: "authentication_error",
        message,
      }));
      expect((await project.execute(model)).code).toBe(1);
      expect(await project.facts("halt-requested")).toMatchObject([
        { code: "agent", reason: expect.stringMatching(/key \(401\)|is not signed in/) },
      ]);
      expect(await project.facts("task-started")).toHaveLength(1);
    });

    it("G5 leaves nothing behind after a second Ctrl-C, and goes on later", () => goesOn(agent, "SIGINT"));
    it("G5 leaves nothing behind after kill -9 of heddle, and goes on", () => goesOn(agent, "SIGKILL"));
  });
}

/** The first role is this agent's, the others' work is copied. */
async function playsRole({ word }: LiveAgent): Promise<void> {
  const project = new Planning();
  const copied = Object.fromEntries(
    roles.slice(1).map((role) => [role, [{ from: join(example, sources[role]) }]]),
  );
  project.write("script.json", JSON.stringify(copied));
  project.config({ agent: "scripted:script.json", roles: { "logic-architect": { agent: word } } });
  const model = await modelThat(notes(project.path("app")));
  const ran = await project.in(
    { env: environment(model) },
    "plan",
    "spec.md",
    "--target",
    "app",
    "--new",
    "--no-review",
  );
  expect(ran.code, ran.err + ran.out).toBe(0);
  expect(await project.phase()).toBe("ready");
  expect(model.asked.length).toBeGreaterThanOrEqual(2);
}

async function doesTask(agent: LiveAgent): Promise<void> {
  const project = await projectOf(agent);
  const model = await modelThat(proposing);
  const ran = await project.execute(model);
  expect(ran.err + ran.out).toContain("landed");
  expect(ran.code).toBe(0);
  expect(readFileSync(`${project.app}/src/T001.mjs`, "utf8")).toContain('"T001"');
  expect(project.git("log", "--format=%b", "main")).toContain("Heddle-Task: T001");
  expect(await project.facts("checks-recorded")).toHaveLength(1);
  expect(await project.facts("proposal-recorded")).toHaveLength(agent.hasTools ? 1 : 0);
  // Its command ran in the box, and nothing but the model was asked for.
  const seen = model.asked.map(({ results }) => results).join("\n");
  expect(seen).toContain("all-green");
  expect(model.strays).toEqual([]);
  expect(project.git("ls-tree", "-r", "--name-only", "main")).not.toContain("hooked-by");
  // Neither its environment nor its files had the key; the vendor did.
  expect(seen).not.toContain(key);
  expect([...model.keys]).toEqual([key]);
  expect(spawnSync("grep", ["-rlaF", key, project.root], { encoding: "utf8" }).stdout).toBe("");
  const [usage] = await project.facts("usage-recorded");
  expect(usage).toMatchObject({ agent: agent.word, ...(!agent.asksBeside && agent.usage) });
  // What is beside the work, such as a title, is asked for as often as there is time.
  expect(usage?.inputTokens).toBeGreaterThanOrEqual(agent.usage.inputTokens);
  expect(usage?.outputTokens).toBeGreaterThanOrEqual(agent.usage.outputTokens);
  if (agent.costUsd === "unknown") expect(usage?.costUsd).toBeNull();
  else if (agent.costUsd === "known") expect(usage?.costUsd).toBeGreaterThan(0);
  else expect(usage?.costUsd).toBeCloseTo(agent.costUsd);
}

/**
 * Diligent, but its first command never ends the first time. An agent may hear of the command's end before its own, and ask how to
 * go on: it is not answered before `release`. After the interruption its own steps are counted, not the cut-off ones.
 */
function stuckOnce(marker: string) {
  let [stuck, since, released] = [false, 0, false];
  const script: Script = (asked) => {
    if (asked.prompt.includes("You were interrupted")) return diligent({ ...asked, step: 3 + since++ });
    if (asked.step < 3 || released) return diligent(asked);
    if (stuck) return { kind: "hang" };
    stuck = true;
    return use(bash(`setsid node -e "setInterval(() => '${marker}', 1000)"`));
  };
  const release = () => {
    released = true;
  };
  return { script, release };
}

async function goesOn(agent: LiveAgent, signal: "SIGINT" | "SIGKILL"): Promise<void> {
  const marker = `marker-${crypto.randomUUID()}`;
  const project = await projectOf(agent);
  const { script, release } = stuckOnce(marker);
  const model = await modelThat(script);
  const child = project.started(model, "execute", "--batch", "--agent", agent.word);
  const over = ended(child);
  const isOver = () => child.exitCode !== null;
  await until("the command runs", () => isOver() || processesWith(marker).length > 0, 90_000);
  if (isOver()) throw new Error(`it ended before its command ran: ${JSON.stringify(await over)}`);
  child.kill(signal);
  if (signal === "SIGINT") {
    await until("the run halts", async () => (await project.facts("halt-requested")).length > 0);
    child.kill("SIGINT");
  } else await once(child, "exit").catch(() => {});
  await over;
  await until("nothing is left", () => processesWith(marker).length === 0, 5_000);
  release();
  const before = model.asked.length;
  if (signal === "SIGINT") await project.must("resume");
  const again = await project.execute(model, ...(signal === "SIGINT" ? [] : ["--on-orphan", "retry"]));
  expect(again.err + again.out).toContain("landed");
  expect(await project.facts("task-completed")).toMatchObject([{ task: "T001", attempt: 1 }]);
  // Its bundle was not read again: the conversation had gone on.
  if (agent.resumes) expect(model.asked.slice(before).every(({ step }) => step >= 3)).toBe(true);
  // What the first process spent after its last word nobody knows.
  if (signal === "SIGKILL")
    expect((await project.facts("usage-recorded")).at(-1)).toMatchObject({ costUsd: null });
}

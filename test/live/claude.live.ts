// Claude Code itself, in heddle's box, against a scripted model on loopback. No real model is asked anything: what is
// tried here is the program, its stream, its signals and its box, not anybody's intelligence.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ended, start } from "../e2e/rig.ts";
import { whereIs } from "../needs.ts";
import * as agents from "./agents.ts";
import { bash, heddleTool, orderIn, read, resultOf, say, use, write } from "./answers.ts";
import { type Script, scriptedModel } from "./model.ts";
import { diligent, environment, failuresOf, liveProject, modelThat } from "./rig.ts";
import { vendorBefore } from "./sign-in.ts";
import { agentSuite } from "./suite.ts";

const hasOpenssl = whereIs("openssl") !== "";

agentSuite(agents.claude);

const failureWith = failuresOf("claude");

describe("a scripted model that claims what is not so", () => {
  it("G4 is not believed when its result names files that it never wrote", async () => {
    const { failure } = await failureWith((asked) => {
      const { output, task } = orderIn(asked);
      return asked.step === 0 ? use(write(output, resultOf(task, ["src/T001.mjs"]))) : say("done");
    });
    expect(failure).toMatchObject({
      category: "validation",
      error: expect.stringContaining("no file changed"),
    });
  });

  it("G9 cannot write outside its workspace, nor see the journal", async () => {
    const { project, model } = await failureWith((asked) => {
      const { workspace } = orderIn(asked);
      const root = workspace.replace(/\/\.heddle\/.*/, "");
      const command = `ls ${root}/.heddle; cat ${root}/.heddle/heddle.db | head -c 9; echo x > ${root}/escaped`;
      return asked.step === 0 ? use(bash(`${command}; echo over`)) : say("done");
    });
    expect(project.has("escaped")).toBe(false);
    const seen = model.asked.map(({ results }) => results).join("\n");
    expect(seen).toContain("over");
    expect(seen).not.toContain("heddle.db\\n");
    expect(seen).not.toContain("SQLite");
  });
});

const overloaded = { kind: "error", status: 529, type: "overloaded_error", message: "Overloaded" } as const;

describe("an API that fails", () => {
  it("C7 costs a try when it is overloaded, and the next one does the work", async () => {
    const project = await liveProject(1);
    project.configure({ attempts: 2 });
    const model = await modelThat((asked) => (orderIn(asked).attempt === 1 ? overloaded : diligent(asked)));
    expect((await project.execute(model)).code).toBe(0);
    const [failed] = await project.facts("attempt-failed");
    expect(failed).toMatchObject({ category: "environment", error: expect.stringContaining("529") });
  });

  it("C7 ends the attempt with a sentence when the connection is refused", async () => {
    const project = await liveProject(1);
    const closed = await scriptedModel(diligent);
    await closed.close();
    expect((await project.execute(closed)).code).toBe(1);
    const [failure] = await project.facts("task-failed");
    expect(failure).toMatchObject({
      category: "environment",
      error: expect.stringContaining("could not be reached"),
    });
  });

  it("C7 ends the attempt when the connection is dropped in the middle of an answer", async () => {
    const { failure } = await failureWith(() => ({ kind: "drop" }));
    expect(failure).toMatchObject({ category: "environment" });
  });

  it("C7 ends the attempt at its silence limit when it never answers; the cost is unknown", async () => {
    const { failure, project } = await failureWith(() => ({ kind: "hang" }), {
      limits: { silenceMinutes: 0.06 },
    });
    expect(failure).toMatchObject({
      category: "timeout",
      error: expect.stringContaining("silent for 3.6 s"),
    });
    expect(await project.facts("usage-recorded")).toMatchObject([{ costUsd: null }]);
  });
});

describe("Claude Code's own caps", () => {
  const busy: Script = ({ step }) => use(bash(`echo again ${step}`));
  const agents = (set: object) => ({ agents: { claude: { kind: "claude", ...set } } });

  it("C7 ends it after so many turns", async () => {
    const { failure, model } = await failureWith(busy, agents({ maxTurns: 3 }));
    expect(failure).toMatchObject({ category: "budget", error: expect.stringContaining("turns") });
    expect(model.asked.length).toBeLessThanOrEqual(4);
  });

  it("C12 ends it when its money is used up, and records what it cost", async () => {
    const { failure, project } = await failureWith(busy, agents({ maxCostUsd: 0.012 }));
    expect(failure).toMatchObject({ category: "budget", error: expect.stringContaining("0.012") });
    const [usage] = await project.facts("usage-recorded");
    expect(usage?.costUsd).toBeGreaterThanOrEqual(0.012);
  });
});

describe("Claude Code and heddle, from inside the box", () => {
  it("X16 proposes its completion with `heddle state complete-task`", async () => {
    const project = await liveProject(1);
    const model = await modelThat((asked) => {
      const { task } = orderIn(asked);
      const words = `heddle state complete-task ${task} --created src/${task}.mjs --created test/${task}.test.mjs`;
      return asked.step === 4 ? use(bash(words)) : diligent(asked);
    });
    const ran = await project.execute(model);
    expect(model.asked.at(-1)?.results).toContain("T001");
    expect(ran.code).toBe(0);
  });

  it("X8 X16 proposes its completion with mcp__heddle__complete_task, and heddle checks and merges", async () => {
    const project = await liveProject(1);
    const model = await modelThat((asked) => {
      const { task } = orderIn(asked);
      switch (asked.step) {
        case 0:
          return use(heddleTool("read_bundle"));
        case 3:
          return use(heddleTool("report_progress", { message: "written, now proposed" }));
        case 4:
          return use(heddleTool("complete_task", { created: [`src/${task}.mjs`, `test/${task}.test.mjs`] }));
        default:
          return diligent(asked);
      }
    });
    const ran = await project.execute(model);
    expect(ran.code, ran.err + ran.out).toBe(0);
    expect(model.asked.at(1)?.results).toContain("acceptance_criteria");
    expect(model.asked.at(-1)?.results).toContain("proposed as complete");
    expect(await project.facts("proposal-recorded")).toMatchObject([{ task: "T001", status: "success" }]);
    const kinds = (await project.history()).map(({ fact }) => fact.kind);
    expect(kinds.indexOf("checks-recorded")).toBeGreaterThan(kinds.indexOf("proposal-recorded"));
    expect(readFileSync(`${project.app}/src/T001.mjs`, "utf8")).toContain('"T001"');
    const events = readFileSync(project.path(".heddle/attempts/plan-1/T001-1/events.jsonl"), "utf8");
    expect(events).toContain('"text":"written, now proposed"');
    expect(model.strays).toEqual([]);
  });

  it("C8 asks with mcp__heddle__ask_question, stops, and gets the answer in its next bundle", async () => {
    const project = await liveProject(1);
    const model = await modelThat((asked) => {
      const { attempt } = orderIn(asked);
      if (attempt !== 1) return diligent(asked);
      const question = { question: "Which colour?", option: ["red", "blue"] };
      return asked.step === 0 ? use(heddleTool("ask_question", question)) : say("waiting");
    });
    await project.execute(model);
    const [put] = await project.facts("question-asked");
    expect(put).toMatchObject({ text: "Which colour?", options: ["red", "blue"], about: "T001" });
    await project.must("answer", String(put?.id), "blue");
    expect((await project.execute(model)).code).toBe(0);
    expect(model.asked.some(({ results }) => results.includes("blue"))).toBe(true);
  });

  it("X17 has no tool of heddle's beside those five", async () => {
    const project = await liveProject(1);
    const model = await modelThat((asked) => (asked.step === 0 ? use(heddleTool("status")) : say("no")));
    await project.execute(model);
    expect(model.asked.at(-1)?.results).toMatch(/No such tool|not (?:found|available|offered)|unknown/i);
    expect((await project.facts("task-completed")).length).toBe(0);
  });

  it("C8 asks a person, waits for the answer, and gets it in its next bundle", async () => {
    const project = await liveProject(1);
    const question = '{"type":"question","id":"q1","text":"Which colour?","options":["red","blue"]}';
    const model = await modelThat((asked) => {
      const { bundle, attempt } = orderIn(asked);
      if (attempt === 1) return asked.step === 0 ? use(read(bundle)) : say(question);
      return diligent(asked);
    });
    await project.execute(model);
    const [put] = await project.facts("question-asked");
    expect(put).toMatchObject({ text: "Which colour?", options: ["red", "blue"], about: "T001" });
    await project.must("answer", String(put?.id), "blue");
    expect((await project.execute(model)).code).toBe(0);
    expect(model.asked.some(({ results }) => results.includes("blue"))).toBe(true);
  });
});

describe("a login of a person who uses Claude Code", () => {
  const signIn = ["platform.claude.com", "console.anthropic.com"];
  it.skipIf(!hasOpenssl)(
    "U12 is renewed by Claude Code itself, once, and works without a key and without a login in the box (left out without openssl)",
    async () => {
      const project = await liveProject(2);
      project.configure({ attempts: 1, logins: { claude: true } });
      const login = { accessToken: "sk-ant-oat01-old", refreshToken: "sk-ant-ort01-old" };
      const more = { expiresAt: Date.now() + 30_000, scopes: ["user:inference"], subscriptionType: "max" };
      project.write("login/.credentials.json", JSON.stringify({ claudeAiOauth: { ...login, ...more } }));
      const model = await modelThat(diligent);
      const vendor = await vendorBefore(model, ["api.anthropic.com", ...signIn]);
      try {
        const env = {
          ...environment(model),
          ...{ ANTHROPIC_API_KEY: "", ANTHROPIC_BASE_URL: "", NO_PROXY: "" },
          ...{ CLAUDE_CONFIG_DIR: project.path("login"), HTTPS_PROXY: vendor.proxy },
          NODE_EXTRA_CA_CERTS: vendor.authority,
        };
        const ran = await ended(
          start(["execute", "--batch", "--agent", "claude"], { cwd: project.root, env }),
        );
        expect(ran.code, ran.out + ran.err).toBe(0);
        expect(vendor.renewals).toEqual([expect.stringContaining("sk-ant-ort01-old")]);
        // Claude Code's own questions on the host, and the agents' through the gateway: all with the renewed one.
        expect([...model.keys]).toEqual(["sk-ant-oat01-renewed-1"]);
        const kept = JSON.parse(readFileSync(project.path("login/.credentials.json"), "utf8"));
        expect(kept.claudeAiOauth).toMatchObject({ accessToken: "sk-ant-oat01-renewed-1" });
      } finally {
        vendor.close();
      }
    },
  );
});

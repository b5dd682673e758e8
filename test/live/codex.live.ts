// Codex itself, in heddle's box, against a scripted model on loopback. No real model is asked anything: what is tried
// here is the program, its stream, its signals and its box, not anybody's intelligence.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { ended, start } from "../e2e/rig.ts";
import * as agents from "./agents.ts";
import { bash, orderIn, resultOf, say, use, write } from "./answers.ts";
import { type Script, scriptedModel } from "./model.ts";
import { diligent, environment, failuresOf, liveProject, modelThat } from "./rig.ts";
import { agentSuite } from "./suite.ts";

agentSuite(agents.codex);

const agent = agents.codex.word;
const failureWith = failuresOf(agent);

async function codexProject() {
  const project = await liveProject(1);
  project.agent = agent;
  return project;
}

describe("a scripted model that claims what is not so, through Codex", () => {
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
});

describe("an API that fails, asked by Codex", () => {
  const error = (status: number, message: string) =>
    ({ kind: "error", status, type: "error", message }) as const;

  it("C7 costs a try when it is broken, and the next one does the work", async () => {
    const project = await codexProject();
    project.configure({ attempts: 2 });
    const model = await modelThat((asked) =>
      orderIn(asked).attempt === 1 ? error(500, "broken") : diligent(asked),
    );
    expect((await project.execute(model)).code).toBe(0);
    expect(await project.facts("attempt-failed")).toMatchObject([{ category: "environment" }]);
  });

  it("C7 ends the attempt with a sentence when the connection is refused", async () => {
    const project = await codexProject();
    const closed = await scriptedModel(diligent);
    await closed.close();
    expect((await project.execute(closed)).code).toBe(1);
    expect(await project.facts("task-failed")).toMatchObject([
      { category: "environment", error: expect.stringContaining("could not be reached") },
    ]);
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

describe("a ChatGPT login of a person who uses Codex", () => {
  const claims = (seconds: number, n: number) => ({
    exp: Math.floor(Date.now() / 1000) + seconds,
    n,
    email: "ada@example.org",
    "https://api.openai.com/auth": { chatgpt_account_id: "acc-1", chatgpt_plan_type: "plus" },
  });
  const token = (seconds: number, n: number) =>
    ['{"alg":"none"}', JSON.stringify(claims(seconds, n)), "s"]
      .map((part) => Buffer.from(part).toString("base64url"))
      .join(".");

  it("U12 is renewed by Codex itself, once, and works without a key and without a login in the box", async () => {
    const project = await codexProject();
    const renewals: string[] = [];
    const vendor = createServer((asked, response) => {
      let body = "";
      asked.on("data", (chunk) => {
        body += chunk;
      });
      asked.on("end", () => {
        renewals.push(body);
        const renewed = token(36_000, renewals.length);
        response.writeHead(200, { "content-type": "application/json" });
        const refresh_token = `renewal-${renewals.length}`;
        response.end(JSON.stringify({ id_token: renewed, access_token: renewed, refresh_token }));
      });
    });
    await new Promise<void>((settle) => vendor.listen(0, "127.0.0.1", settle));
    const { port } = vendor.address() as AddressInfo;
    const old = token(30, 0);
    const tokens = { id_token: old, access_token: old, refresh_token: "renewal-0", account_id: "acc-1" };
    const last_refresh = new Date().toISOString();
    project.write("login/auth.json", JSON.stringify({ auth_mode: "chatgpt", tokens, last_refresh }));
    const model = await modelThat(diligent);
    const env = {
      ...environment(model),
      ...{ OPENAI_API_KEY: "", OPENAI_BASE_URL: "", CODEX_HOME: project.path("login") },
      CHATGPT_BASE_URL: `${model.url}/v1`,
      CODEX_REFRESH_TOKEN_URL_OVERRIDE: `http://127.0.0.1:${port}/oauth/token`,
    };
    try {
      const ran = await ended(start(["execute", "--batch", "--agent", agent], { cwd: project.root, env }));
      expect(ran.code, ran.out + ran.err).toBe(0);
      expect(renewals).toEqual([expect.stringContaining("renewal-0")]);
      const { access_token } = JSON.parse(readFileSync(project.path("login/auth.json"), "utf8")).tokens;
      expect(model.keys.size).toBe(1);
      expect([...model.keys][0]).toContain(access_token);
    } finally {
      vendor.close();
    }
  });
});

describe("heddle's caps on Codex, which has none", () => {
  const busy: Script = ({ step }) => use(bash(`echo again ${step}; sleep 0.1`));
  const agents = (set: object) => ({ agents: { codex: { kind: "codex", ...set } } });

  it("C7 end it after so many turns", async () => {
    const { failure, model } = await failureWith(busy, agents({ maxTurns: 3 }));
    expect(failure).toMatchObject({ category: "budget", error: expect.stringContaining("turns") });
    expect(model.asked.length).toBeLessThanOrEqual(7);
  });

  it("C12 end it when its money is used up, and record what is known", async () => {
    const { failure, project } = await failureWith(busy, agents({ maxCostUsd: 0.015 }));
    expect(failure).toMatchObject({ category: "budget", error: expect.stringContaining("$0.015") });
    const [usage] = await project.facts("usage-recorded");
    expect(usage?.inputTokens).toBeGreaterThanOrEqual(2000);
  });
});

describe("Codex and heddle, from inside the box", () => {
  it("X16 proposes its completion with `heddle state complete-task`", async () => {
    const project = await codexProject();
    const model = await modelThat((asked) => {
      const { task } = orderIn(asked);
      const words = `heddle state complete-task ${task} --created src/${task}.mjs --created test/${task}.test.mjs`;
      return asked.step === 4 ? use(bash(words)) : diligent(asked);
    });
    const ran = await project.execute(model);
    expect(model.asked.at(-1)?.results).toContain("T001");
    expect(ran.code).toBe(0);
  });
});

// Which agent a word means, and what is said when it cannot work here.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Agent } from "../../src/agents/agent.ts";
import type { Config } from "../../src/config/config.ts";
import { chooseAgents } from "../../src/orders/agents.ts";
import { opensNetwork } from "../../src/orders/make-agent.ts";
import { protocols } from "../../src/packs/registry.ts";
import { assignments } from "../../src/watch/who.ts";
import { folder, orderIn } from "./suite.ts";

const before = { ...process.env };
afterEach(() => {
  process.env = { ...before };
});

/** A machine with a `claude` that only says how it was started. */
function machine({ installed = true, key = true } = {}): string {
  const root = folder();
  mkdirSync(join(root, "bin"));
  const script = `#!/bin/sh\necho "$@"\n`;
  if (installed) writeFileSync(join(root, "bin/claude"), script, { mode: 0o755 });
  process.env.PATH = `${join(root, "bin")}:/usr/bin:/bin`;
  for (const name of ["ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_API_KEY"])
    delete process.env[name];
  if (key) process.env.ANTHROPIC_API_KEY = "sk-ant-for-this-test";
  return root;
}

const choose = (named: string, root: string, config: Config = {}) =>
  chooseAgents({ config, named, root, box: { kind: "unconfined" } }).forRole("task-executor");

async function startedWith(agent: ReturnType<typeof choose>, root: string): Promise<string> {
  const events = (agent as Agent).work(orderIn(root), new AbortController().signal);
  for await (const event of events) if (event.kind === "said") return event.text;
  return "";
}

describe("U16 a machine without any box", () => {
  const missing = { code: "no-sandbox", message: "bubblewrap is not installed" };
  const without = (named: string, root: string, config: Config = {}) =>
    chooseAgents({ config, named, root, box: { kind: "missing", problem: missing } }).forRole("planner");

  it("says first what is wrong with the agent, because a box would not help it", () => {
    expect(without("nobody", machine())).toMatchObject({ code: "unknown-agent" });
    expect(without("claude", machine({ installed: false }))).toMatchObject({ code: "no-claude" });
    expect(without("claude", machine({ key: false }))).toMatchObject({ code: "no-key" });
    expect(without("command:./x", machine())).toMatchObject({
      code: "no-program",
      hint: expect.stringMatching(/^ls -l \//),
    });
  });

  it("says that a box is missing where the agent is in order", () => {
    expect(without("claude", machine())).toBe(missing);
    expect(without("command:/bin/sh", machine())).toBe(missing);
  });

  it("lets a scripted agent work, which is heddle's own code", () => {
    const root = machine();
    writeFileSync(join(root, "s.json"), "{}");
    expect(without("scripted:s.json", root)).toMatchObject({ name: expect.any(String) });
  });
});

describe("U10 what an agent may reach", () => {
  const sandbox = {
    kind: "bubblewrap",
    path: "/usr/bin/bwrap",
    version: "0.8.0",
    nesting: "refused",
  } as const;
  const settingsOf = (named: string, config: Config = {}) => {
    const found = chooseAgents({ config, named, root: machine(), box: { kind: "boxed", sandbox } });
    const agent = found.forRole("planner") as Agent;
    return agent.recipe?.kind === "scripted" ? undefined : agent.recipe?.settings;
  };
  const routes = [{ vendor: "anthropic", variable: "ANTHROPIC_API_KEY" }];

  it("is its model alone, where heddle knows its vendor", () => {
    expect(settingsOf("claude")).toMatchObject({ network: false, gate: routes });
    const agents = { mine: { command: ["./x"], env: ["ANTHROPIC_API_KEY"] } };
    expect(settingsOf("mine", { agents })).toMatchObject({ network: false, gate: routes });
  });

  it("is what the person says, of this agent or of all, the narrower one first", () => {
    const agents: Config["agents"] = { claude: { kind: "claude", network: true } };
    expect(settingsOf("claude", { agents, network: { agents: "model" } })).not.toHaveProperty("gate");
    expect(settingsOf("claude", { network: { agents: true } })).toMatchObject({ network: true });
    const hosts = ["registry.npmjs.org"];
    expect(settingsOf("claude", { network: { agents: hosts } })).toMatchObject({
      network: false,
      gate: routes,
      hosts,
    });
  });

  it("U11 is nothing for a program without a key, and refused by name where its vendor is unknown", () => {
    expect(settingsOf("command:./x")).toMatchObject({ network: false });
    expect(settingsOf("command:./x")).not.toHaveProperty("gate");
    expect(settingsOf("command:./x", { network: { agents: true } })).toMatchObject({ network: true });
    const agents = { mine: { command: ["./x"], env: ["MISTRAL_API_KEY"] } };
    expect(settingsOf("mine", { agents })).toMatchObject({ network: false, gate: [] });
  });

  it("U11 is everything for who signs its own requests, and every view says so", () => {
    const agents = { claude: { kind: "claude" as const, env: ["CLAUDE_CODE_USE_BEDROCK"] } };
    expect(settingsOf("claude", { agents })).toMatchObject({ network: true });
    expect(opensNetwork({ agents })).toBe(true);
    expect(opensNetwork({ agents, network: { agents: "model" } })).toBe(false);
    expect(opensNetwork({ agents: { mine: { command: ["./x"], network: true } } }, "claude")).toBe(true);
    expect(opensNetwork({ agents: { mine: { command: ["./x"] } } }, "claude")).toBe(false);
  });
});

describe("U1 --agent", () => {
  it("claude is Claude Code, within the task's budget", async () => {
    const root = machine();
    const said = await startedWith(choose("claude", root, { budget: { taskUsd: 3 } }), root);
    expect(said).toContain("--max-budget-usd 3");
    expect(said).not.toContain("--model");
  });

  it("claude:opus is the configured `claude` with another model", async () => {
    const root = machine();
    const config: Config = { agents: { claude: { kind: "claude", model: "sonnet", maxTurns: 9 } } };
    const said = await startedWith(choose("claude:opus", root, config), root);
    expect(said).toContain("--model opus");
    expect(said).toContain("--max-turns 9");
  });

  it("a configured name may be Claude Code at a path of its own", async () => {
    const root = machine({ installed: false });
    writeFileSync(join(root, "mine"), `#!/bin/sh\necho mine "$@"\n`, { mode: 0o755 });
    const config: Config = { agents: { second: { kind: "claude", path: "./mine", maxCostUsd: 0.5 } } };
    const said = await startedWith(choose("second", root, config), root);
    expect(said).toMatch(/^mine .*--max-budget-usd 0\.5/);
  });

  it("codex is Codex, and says what is missing for it", async () => {
    const root = machine();
    expect(choose("codex", root)).toMatchObject({
      code: "no-codex",
      hint: "npm install -g @openai/codex",
    });
    writeFileSync(join(root, "bin/codex"), `#!/bin/sh\necho "$@"\n`, { mode: 0o755 });
    delete process.env.CODEX_API_KEY;
    delete process.env.OPENAI_API_KEY;
    expect(choose("codex", root)).toMatchObject({
      code: "no-key",
      hint: "export OPENAI_API_KEY=…, or sign in with Codex itself: codex login",
    });
    process.env.OPENAI_API_KEY = "sk-for-this-test";
    const config: Config = { agents: { codex: { kind: "codex", effort: "low" } } };
    const said = await startedWith(choose("codex:gpt-5.5", root, config), root);
    expect(said).toContain("-m gpt-5.5");
    expect(said).toContain('model_reasoning_effort="low"');
  });

  it("acp:gemini is Gemini CLI with a model after a second colon, and acp:./x any program", async () => {
    const root = machine();
    expect(choose("acp:gemini", root)).toMatchObject({
      code: "no-program",
      hint: expect.stringContaining("gemini-cli"),
    });
    writeFileSync(join(root, "bin/gemini"), `#!/bin/sh\necho "$@"\n`, { mode: 0o755 });
    delete process.env.GEMINI_API_KEY;
    expect(choose("acp:gemini", root)).toMatchObject({ code: "no-key", hint: "export GEMINI_API_KEY=…" });
    process.env.GEMINI_API_KEY = "for-this-test";
    expect(await startedWith(choose("acp:gemini:flash", root), root)).toBe("--acp -m flash");
    expect(await startedWith(choose("acp:gemini:google/flash", root), root)).toBe("--acp -m google/flash");
    expect(choose("acp:./mine", root)).toMatchObject({ code: "no-program" });
    writeFileSync(join(root, "mine"), `#!/bin/sh\necho mine "$@"\n`, { mode: 0o755 });
    expect(await startedWith(choose("acp:./mine", root), root)).toBe("mine");
    const config: Config = { agents: { third: { kind: "acp", command: ["./mine", "--acp"] } } };
    expect(await startedWith(choose("third", root, config), root)).toBe("mine --acp");
  });

  it("says how to install Claude Code where it is not", () => {
    expect(choose("claude", machine({ installed: false }))).toMatchObject({
      code: "no-claude",
      message: "Claude Code (`claude`) is not installed",
      hint: "npm install -g @anthropic-ai/claude-code",
    });
  });

  it("says that a key is missing, and which would do, before anything starts", () => {
    const root = machine({ key: false });
    expect(choose("claude", root)).toMatchObject({
      code: "no-key",
      message: expect.stringContaining("ANTHROPIC_API_KEY"),
    });
    const config: Config = { agents: { claude: { kind: "claude", env: ["AWS_REGION"] } } };
    expect(choose("claude", root, config)).not.toHaveProperty("code");
  });

  it("takes `cluade` for a slip", () => {
    expect(choose("cluade", machine())).toMatchObject({ hint: "did you mean `claude`?" });
  });
});

describe("U1 heddle who", () => {
  it("shows who would work where, with what, which setting says so, and what is missing", () => {
    const root = machine();
    mkdirSync(join(root, ".heddle"));
    const config: Config = {
      agent: "claude",
      review: true,
      fallback: ["codex"],
      phases: { validation: { model: "opus", limits: { minutes: 5 } } },
      roles: { "task-author": { agent: "acp:gemini" } },
      tags: { ui: { effort: "high" } },
    };
    writeFileSync(join(root, ".heddle/config.json"), JSON.stringify(config));
    const all = assignments(root, Object.values(protocols), undefined);
    const find = (role: string, tag: string | null = null) =>
      all.find((each) => each.role === role && each.tag === tag);
    expect(find("task-plan-verifier")).toMatchObject({
      ...{ protocol: "decomposition", phase: "validation", agent: "claude", model: "opus" },
      ...{ limits: { minutes: 5 }, fallback: ["codex"], missing: null },
      why: { agent: "agent", model: "phases.validation.model", fallback: "fallback" },
    });
    expect(find("task-author")).toMatchObject({
      agent: "acp:gemini",
      why: { agent: "roles.task-author.agent" },
      missing: { hint: "npm install -g @google/gemini-cli" },
    });
    expect(find("task-executor", "ui")).toMatchObject({ effort: "high", why: { effort: "tags.ui.effort" } });
    expect(find("task-verifier")).toMatchObject({ agent: "claude" });
    expect(all.map(({ protocol }) => protocol)).toContain("mission");
    expect(
      assignments(root, Object.values(protocols), "codex").every(({ why }) => why.agent !== "agent"),
    ).toBe(true);
  });
});

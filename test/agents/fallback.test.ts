// Who works, who takes over while one may not be asked, and who gives a second opinion.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Agent } from "../../src/agents/agent.ts";
import type { Config } from "../../src/config/config.ts";
import { limitsSet, workerFor } from "../../src/config/worker.ts";
import { type Agents, chooseAgents } from "../../src/orders/agents.ts";
import { folder, orderIn } from "./suite.ts";

const before = { ...process.env };
afterEach(() => {
  process.env = { ...before };
});

/** A machine with these programs, which only say how they were started, and with keys for them. */
function machine(...programs: readonly string[]): string {
  const root = folder();
  mkdirSync(join(root, "bin"));
  for (const name of programs)
    writeFileSync(join(root, "bin", name), `#!/bin/sh\necho "$@"\n`, { mode: 0o755 });
  const keys = { ANTHROPIC_API_KEY: "sk-ant-test", OPENAI_API_KEY: "sk-test" };
  process.env = { PATH: `${join(root, "bin")}:/usr/bin:/bin`, ...keys };
  return root;
}

function choose(config: Config, { named, root }: { named?: string; root: string }) {
  let nowMs = 1000;
  const agents = chooseAgents({ config, named, root, box: { kind: "unconfined" }, now: () => nowMs });
  const pass = (ms: number) => {
    nowMs += ms;
  };
  const who = (role = "task-executor", tags: readonly string[] = []) =>
    (agents.forRole(role, { tags }) as Agent).name;
  return { agents, pass, who };
}

function parked(agents: Agents, word: string, limit: { resetsInMs: number | null }) {
  const found = agents.park("task-executor")(word, limit);
  if (!found) throw new Error("it is not parked");
  return found;
}

async function startedWith(agent: unknown, root: string): Promise<string> {
  const events = (agent as Agent).work(orderIn(root), new AbortController().signal);
  for await (const event of events) if (event.kind === "said") return event.text;
  return "";
}

describe("U1 who works", () => {
  it("is chosen by the task's tag, then by the role, then for everybody", () => {
    const config: Config = {
      agent: "command:./all",
      roles: { "task-executor": { agent: "command:./executor" } },
      tags: { ui: { agent: "command:./designer" } },
    };
    const { who } = choose(config, { root: machine() });
    expect(who("task-executor", ["db", "ui"])).toBe("command:./designer");
    expect(who("task-executor", ["db"])).toBe("command:./executor");
    expect(who("fixer", ["ui"])).toBe("command:./all");
    expect(choose(config, { root: machine(), named: "command:./named" }).who("task-executor", ["ui"])).toBe(
      "command:./named",
    );
  });

  it("is chosen by the phase where neither tag nor role says who", () => {
    const config: Config = {
      agent: "command:./all",
      phases: { executing: { agent: "command:./doer" }, validation: { agent: "command:./judge" } },
      roles: { fixer: { agent: "command:./mender" } },
      tags: { ui: { agent: "command:./designer" } },
    };
    const { agents } = choose(config, { root: machine() });
    const name = (role: string, about: object) => (agents.forRole(role, about) as Agent).name;
    expect(name("task-executor", { phase: "executing" })).toBe("command:./doer");
    expect(name("task-executor", { phase: "executing", tags: ["ui"] })).toBe("command:./designer");
    expect(name("task-plan-verifier", { phase: "validation" })).toBe("command:./judge");
    expect(name("fixer", { phase: "validation" })).toBe("command:./mender");
    expect(name("task-author", { phase: "definition" })).toBe("command:./all");
  });

  it("takes no model over from somebody else's setting, and each limit from the narrowest", () => {
    const config: Config = {
      agent: "claude",
      agents: { codex: { kind: "codex", limits: { minutes: 7, silenceMinutes: 6 } } },
      limits: { minutes: 9, outputMegabytes: 1 },
      phases: { executing: { model: "opus", effort: "high", limits: { silenceMinutes: 5 } } },
      tags: { db: { agent: "codex", fallback: ["claude"] }, hard: { effort: "max", limits: { minutes: 1 } } },
    };
    const work = { role: "task-executor", phase: "executing" };
    expect(workerFor(config, work)).toMatchObject({
      ...{ agent: "claude", model: "opus", effort: "high" },
      why: { agent: "agent", model: "phases.executing.model" },
    });
    expect(workerFor(config, { ...work, tags: ["hard"] })).toMatchObject({ model: "opus", effort: "max" });
    const other = workerFor(config, { ...work, tags: ["db"] });
    expect(other).toMatchObject({ agent: "codex", fallback: ["claude"], why: { agent: "tags.db.agent" } });
    expect(other.model).toBeUndefined();
    expect(workerFor(config, work, "codex")).toMatchObject({ agent: "codex", why: { agent: "--agent" } });
    expect(limitsSet(config, { ...work, tags: ["hard"] }, "codex")).toEqual({
      ...{ minutes: 1, silenceMinutes: 5, outputMegabytes: 1 },
    });
    expect(limitsSet(config, { role: "fixer" }, "codex:gpt-5.5")).toMatchObject({ minutes: 7 });
  });

  it("gets the model and the effort of its role or tag", async () => {
    const root = machine("claude");
    const config: Config = {
      agent: "claude",
      roles: { "task-executor": { model: "sonnet", effort: "low" } },
      tags: { hard: { model: "opus" } },
    };
    const { agents } = choose(config, { root });
    expect(await startedWith(agents.forRole("task-executor"), root)).toContain("--model sonnet --effort low");
    expect(await startedWith(agents.forRole("task-executor", { tags: ["hard"] }), root)).toContain(
      "--model opus",
    );
    expect(await startedWith(agents.forRole("fixer"), root)).not.toContain("--model");
  });
});

describe("X11 a usage limit", () => {
  const config: Config = { agent: "codex", fallback: ["claude", "command:./last"] };

  it("lets the next one go on at once, and the first again when it is over", () => {
    const { agents, who, pass } = choose(config, { root: machine("claude", "codex") });
    expect(who()).toBe("codex");
    expect(agents.park("task-executor")("codex", { resetsInMs: 60_000 })).toEqual({
      parkMs: 0,
      outlook: "claude goes on",
    });
    expect(who()).toBe("claude");
    expect(who("fixer")).toBe("claude");
    pass(59_999);
    expect(who()).toBe("claude");
    pass(1);
    expect(who()).toBe("codex");
  });

  it("U1 one that cannot work at all is passed over where somebody else can, and only there", () => {
    const { agents, who, pass } = choose(config, { root: machine("claude", "codex") });
    expect(agents.park("task-executor")("codex", "failed")).toEqual({ parkMs: 0, outlook: "claude goes on" });
    expect(who()).toBe("claude");
    pass(10 * 60_000);
    expect(who()).toBe("codex");
    const alone = choose({ agent: "codex" }, { root: machine("codex") });
    expect(alone.agents.park("task-executor")("codex", "failed")).toBeUndefined();
  });

  it("C7 an API that was there before is waited for, longer each time, and at last costs a try", () => {
    const { agents, pass } = choose({ agent: "codex" }, { root: machine("codex") });
    const down = () => agents.park("task-executor")("codex", "outage")?.parkMs;
    expect(down(), "it never was").toBeUndefined();
    agents.park("task-executor")("codex", "worked");
    expect(down()).toBe(10_000);
    pass(4000);
    expect(down(), "another task, in the same outage").toBe(6000);
    const waits = Array.from({ length: 8 }, () => {
      pass(300_000);
      return down();
    });
    expect(waits).toEqual([20_000, 40_000, 80_000, 160_000, 300_000, 300_000, 300_000, undefined]);
    agents.park("task-executor")("codex", "worked");
    expect(down()).toBe(10_000);
  });

  it("one that does not say how long waits a minute again, when it could be asked in between", () => {
    const { agents, pass } = choose({ agent: "codex" }, { root: machine("codex") });
    const wait = () => parked(agents, "codex", { resetsInMs: null }).parkMs;
    expect(wait()).toBe(60_000);
    pass(60_000);
    expect(wait()).toBe(120_000);
    pass(120_000 + 11 * 60_000);
    expect(wait()).toBe(60_000);
  });

  it("passes over one that is not installed", () => {
    const { agents } = choose(config, { root: machine("codex") });
    expect(agents.park("task-executor")("codex", { resetsInMs: 60_000 })).toMatchObject({
      outlook: "command:./last goes on",
    });
  });

  it("waits for the first that is free again when all are limited, and says when", () => {
    const { agents, who } = choose(
      { agent: "codex", fallback: ["claude"] },
      { root: machine("claude", "codex") },
    );
    agents.park("task-executor")("codex", { resetsInMs: 90_000 });
    const { parkMs, outlook } = parked(agents, "claude", { resetsInMs: 300_000 });
    expect(parkMs).toBe(90_000);
    expect(outlook).toMatch(/^goes on by itself \(tried again at 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ\)$/);
    expect(who()).toBe("codex");
  });

  it("whose end is unknown is waited for longer each time, up to an hour", () => {
    const { agents, pass } = choose({ agent: "codex" }, { root: machine("codex") });
    const waits = Array.from({ length: 9 }, () => {
      const { parkMs } = parked(agents, "codex", { resetsInMs: null });
      pass(parkMs);
      return parkMs / 60_000;
    });
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
    expect(parked(agents, "codex", { resetsInMs: null }).outlook).toContain("does not say when it resets");
    expect(parked(agents, "codex", { resetsInMs: 9e9 }).parkMs).toBe(3_600_000);
  });

  it("does not take an attempt away from whoever began it", () => {
    const { agents } = choose(config, { root: machine("claude", "codex") });
    expect((agents.whoBegan("claude", { role: "task-executor" }) as Agent).name).toBe("claude");
    expect((agents.whoBegan("gone", { role: "task-executor" }) as Agent).name).toBe("codex");
  });
});

describe("X9 a second opinion", () => {
  const reviewer = (config: Config, programs: readonly string[], named?: string) => {
    const { agents } = choose(config, { root: machine(...programs), ...(named && { named }) });
    return (agents.reviewer(agents.forRole("task-executor") as Agent) as Agent).name;
  };

  it("comes from another vendor, where there is one with a key", () => {
    expect(reviewer({ agent: "codex" }, ["claude", "codex"])).toBe("claude");
    expect(reviewer({ agent: "claude" }, ["claude", "codex"])).toBe("codex");
    expect(reviewer({}, ["claude", "codex"], "claude")).toBe("codex");
  });

  it("comes from one that the project has configured first", () => {
    const config: Config = { agent: "claude", agents: { judge: { kind: "codex", model: "gpt-5.5" } } };
    expect(reviewer(config, ["claude", "codex"])).toBe("judge");
  });

  it("comes from whom the project says, and from the same one where there is no other", () => {
    const config: Config = { agent: "codex", roles: { "task-verifier": { agent: "codex:gpt-5.5" } } };
    expect(reviewer(config, ["claude", "codex"])).toBe("codex:gpt-5.5");
    expect(reviewer({ agent: "codex" }, ["codex"])).toBe("codex");
    expect(reviewer({ agent: "command:./mine" }, ["claude", "codex"])).toBe("command:./mine");
  });
});

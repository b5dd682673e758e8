// An attempt whose orchestrator died while its agent worked: who goes on, who is lost, and what was spent (X14, C12).
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Agent, AgentEvent, Order } from "../../src/agents/agent.ts";
import { attemptFolder } from "../../src/work/attempt-folder.ts";
import { resultHandIn } from "../../src/work/read-result.ts";
import { runAgent, type TaskWork } from "../../src/work/run-agent.ts";

const root = mkdtempSync(join(tmpdir(), "heddle-resume-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const session = "5d3f0f3e-0c6e-4c43-9b0e-d8f6f2f1c001";
const failed = { kind: "failed", category: "runtime", message: "it fell over", retryable: true } as const;

interface Scene {
  readonly work: TaskWork;
  /** How the agent was called, and with which session. */
  readonly calls: [string, string | undefined][];
}

let scenes = 0;
function scene({ resumes = true, mayResume = true, name = "claude" } = {}): Scene {
  const folder = attemptFolder(root, "plan-1", { task: "T001", attempt: ++scenes });
  mkdirSync(folder.home, { recursive: true });
  mkdirSync(folder.outbox, { recursive: true });
  const calls: Scene["calls"] = [];
  const act = (how: string) =>
    async function* (order: Order): AsyncIterable<AgentEvent> {
      calls.push([how, order.session]);
      yield { kind: "spent", inputTokens: 7, outputTokens: 1, costUsd: 0.25 };
      yield { kind: "stopped", how: failed };
    };
  const agent: Agent = { name, work: act("work"), ...(resumes && { resume: act("resume") }) };
  const work = {
    folder,
    agent,
    handIn: resultHandIn,
    mark: `resume-test-${crypto.randomUUID()}`,
    def: { id: "T001" },
    attempt: scenes,
    now: () => "2026-01-01T00:00:00.000Z",
    readable: [],
    env: {},
    watch: () => {},
    mayResume,
    trust: () => ({ isTrusted: false }),
    park: () => undefined,
  };
  // Without a proposal nothing else of it is looked at.
  return { work: work as unknown as TaskWork, calls };
}

/** As an orchestrator leaves it that was killed after the agent had told of one call. */
function cutOff({ work }: Scene, resumed = 0): void {
  const { folder, mark } = work;
  writeFileSync(folder.started, JSON.stringify({ at: "then", agent: "claude", mark, session, resumed }));
  const told = { kind: "spent", inputTokens: 100, outputTokens: 10, costUsd: 0 };
  writeFileSync(folder.events, `${JSON.stringify(told)}\n{"kind":"spent","inputTok`);
}

const run = ({ work }: Scene) => runAgent(work, new AbortController().signal);

describe("an attempt that was cut off with its orchestrator", () => {
  it("X14 goes on with its conversation when the agent can", async () => {
    const at = scene();
    cutOff(at);
    expect(await run(at)).toMatchObject({ ok: false, error: "it fell over" });
    expect(at.calls).toEqual([["resume", session]]);
    expect(JSON.parse(readFileSync(at.work.folder.started, "utf8"))).toMatchObject({
      at: "then",
      resumed: 1,
    });
  });

  it("keeps what it had printed before", async () => {
    const at = scene();
    cutOff(at);
    writeFileSync(join(at.work.folder.folder, "stdout.log"), "before");
    await run(at);
    expect(readFileSync(join(at.work.folder.folder, "stdout-1.log"), "utf8")).toBe("before");
  });

  it("C12 counts what was spent before, at an unknown cost", async () => {
    const at = scene();
    cutOff(at);
    expect(await run(at)).toMatchObject({ usage: { inputTokens: 107, outputTokens: 11, costUsd: null } });
  });

  it("C12 does not take for free what an agent had not told before", async () => {
    const at = scene();
    cutOff(at);
    writeFileSync(at.work.folder.events, "");
    expect(await run(at)).toMatchObject({ usage: { inputTokens: 7, outputTokens: 1, costUsd: null } });
  });

  it.each([
    ["the agent cannot", { resumes: false }, 0],
    ["the person wants no orphan tried again", { mayResume: false }, 0],
    ["another agent is to work now", { name: "codex" }, 0],
    ["it was taken up three times already", {}, 3],
  ])("X14 is lost when %s, and what it spent is recorded", async (_why, how, resumed) => {
    const at = scene(how);
    cutOff(at, resumed);
    expect(await run(at)).toMatchObject({ kind: "lost", usage: { inputTokens: 100, costUsd: null } });
    expect(at.calls).toEqual([]);
    expect(existsSync(at.work.folder.home)).toBe(false);
  });

  it("X13 has its session written down before the agent starts", async () => {
    const at = scene();
    await run(at);
    const started = JSON.parse(readFileSync(at.work.folder.started, "utf8"));
    expect(at.calls).toEqual([["work", started.session]]);
    expect(started.session).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("is not paid for twice once its end is written down", async () => {
    const at = scene();
    const first = await run(at);
    expect(await run(at)).toEqual(first);
    expect(at.calls).toHaveLength(1);
  });

  it("keeps its home until its end is written down, and no longer", async () => {
    const at = scene();
    const stop = new AbortController();
    stop.abort();
    expect(await runAgent(at.work, stop.signal)).toMatchObject({ kind: "lost" });
    expect(existsSync(at.work.folder.home)).toBe(true);
    await run(at);
    expect(existsSync(at.work.folder.home)).toBe(false);
  });
});

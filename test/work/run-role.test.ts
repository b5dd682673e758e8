// A role whose orchestrator died while its agent worked: it is lost, as an attempt at a task is, so that there is an end to it.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Agent, Stopped } from "../../src/agents/agent.ts";
import { roleFolder } from "../../src/work/role-folder.ts";
import { type RoleWork, runRole } from "../../src/work/run-role.ts";

const root = mkdtempSync(join(tmpdir(), "heddle-role-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const failed: Stopped = { kind: "failed", category: "runtime", message: "it fell over", retryable: true };

let scenes = 0;
function scene(how: Stopped = failed) {
  const job = { role: "logic-architect", attempt: ++scenes, makes: "capability_map" };
  const folder = roleFolder(root, "plan-1", job);
  const seen = { calls: 0, startedAtWork: false };
  const agent: Agent = {
    name: "claude",
    work: async function* () {
      seen.calls++;
      seen.startedAtWork = existsSync(folder.started);
      yield { kind: "stopped", how };
    },
  };
  const work = {
    ...{ folder, agent, role: job.role, attempt: job.attempt, readable: [], limits: {} },
    product: { kind: "file", check: () => ({ problems: [], warnings: [], inputs: [] }), keep: () => {} },
    ...{ bundle: () => "{}", watch: () => {}, park: () => undefined },
  } as unknown as RoleWork;
  return { work, folder, seen };
}

/** As an orchestrator leaves it that was killed after the agent had told of one call. */
function cutOff({ folder }: ReturnType<typeof scene>): void {
  mkdirSync(folder.folder, { recursive: true });
  writeFileSync(folder.started, JSON.stringify({ agent: "claude" }));
  const told = { kind: "spent", inputTokens: 100, outputTokens: 10, costUsd: 0 };
  writeFileSync(join(folder.folder, "events.jsonl"), `${JSON.stringify(told)}\n`);
}

const run = ({ work }: { readonly work: RoleWork }, signal = new AbortController().signal) =>
  runRole(work, signal);

describe("a role that was cut off with its orchestrator", () => {
  it("X14 C12 is lost with what it had spent, and its agent is not asked again", async () => {
    const at = scene();
    cutOff(at);
    const outcome = await run(at);
    expect(outcome).toMatchObject({ ok: false, kind: "lost", usage: { inputTokens: 100, costUsd: null } });
    expect(at.seen.calls).toBe(0);
    // Whoever asks again before that is written down hears the same.
    expect(await run(at)).toEqual(outcome);
  });

  it("X14 is taken over when its output was right already", async () => {
    const at = scene();
    cutOff(at);
    mkdirSync(dirname(at.folder.output), { recursive: true });
    writeFileSync(at.folder.output, '{"made": true}');
    expect(await run(at)).toEqual({ ok: true });
    expect(JSON.parse(readFileSync(at.folder.taken, "utf8"))).toEqual({ made: true });
  });

  it("X14 counts as cut off while its agent works, and when it was stopped: after an end or a missing place it is asked again", async () => {
    const ended = scene();
    expect(await run(ended)).toMatchObject({ kind: "failed" });
    expect(ended.seen).toEqual({ calls: 1, startedAtWork: true });
    expect(await run(ended)).toMatchObject({ kind: "failed" });
    expect(ended.seen.calls).toBe(1);

    const hindered = scene({ ...failed, category: "environment" });
    await run(hindered);
    expect(await run(hindered)).toMatchObject({ kind: "failed", category: "environment" });
    expect(hindered.seen.calls).toBe(2);

    const interrupted = scene();
    await run(interrupted, AbortSignal.abort());
    expect(await run(interrupted)).toMatchObject({ kind: "lost" });
  });
});

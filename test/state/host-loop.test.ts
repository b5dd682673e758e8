// The example of a host that drives the loop itself (X20): to the end, through a halt, and through `kill -9` of the
// loop with everything that it started, at random moments (X13, X14).
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Chance } from "../e2e/random.ts";
import { cli, ended, ownProcesses } from "../e2e/rig.ts";
import { thorough } from "../thorough.ts";
import { desk, expectWhole, type Project, read, until } from "./desk.ts";

ownProcesses();

const example = join(import.meta.dirname, "../../examples/host-loop");
const env = { ...process.env, HEDDLE: `${process.execPath} ${cli}` };

/** In a process group of its own, so that all of it can be killed at once. */
const run = (script: string, { root }: Project): ChildProcess =>
  spawn(join(example, script), [root], { env, detached: true, stdio: "pipe" });

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid) process.kill(-pid, "SIGKILL");
  } catch {
    // It ended before.
  }
}

const project = desk(async (each) => {
  const ran = await ended(run("plan.sh", each));
  expect(ran, ran.err).toMatchObject({ code: 0, out: expect.stringMatching(/^Phase: ready$/m) });
});

const ids = Array.from({ length: 10 }, (_, at) => `T${String(at + 1).padStart(3, "0")}`);

/** Complete, each task once, nothing left over, and the program that was built is there. */
async function expectFinished(): Promise<void> {
  expect(await expectWhole(project)).toMatchObject({
    phase: "complete",
    tasks: { complete: 10 },
    unverified: 10,
  });
  const facts = (await project.history()).map(({ fact }) => fact);
  const completed = facts.flatMap((fact) => (fact.kind === "task-completed" ? [fact.task] : []));
  expect(completed.toSorted()).toEqual(ids);
  expect((await project.state("checkpoint", "status")).out).toBe("No active checkpoint.\n");
  const solution = join(example, "../notes/solution");
  for (const path of ["src/cli.js", "bin/notes.js", "src/formats.js", "README.md"])
    expect(read(project, `app/${path}`)).toBe(readFileSync(join(solution, path), "utf8"));
}

describe("examples/host-loop", () => {
  it("X20 takes the plan to `complete`; what fails at first is put back and tried again", {
    timeout: 120_000,
  }, async () => {
    const { code, out, err } = await ended(run("loop.sh", project));
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/All tasks complete!/);
    await expectFinished();
    const attempts = project.stateJson().tasks;
    expect([attempts.T004.attempts, attempts.T008.attempts, attempts.T001.attempts]).toEqual([2, 2, 1]);
  });

  it("C10 X20 a STOP file ends it after the batch, and resume goes on", { timeout: 120_000 }, async () => {
    const loop = run("loop.sh", project);
    const stopped = ended(loop);
    await until("a task is complete", () => project.stateJson().execution.completed_count > 0);
    project.write("project-planning/STOP", "");
    expect(await stopped).toMatchObject({
      code: 1,
      out: expect.stringMatching(/Stopping gracefully[\s\S]*Halt confirmed/),
    });
    const { tasks, halt } = await expectWhole(project);
    expect({ running: tasks.running, reason: halt.reason }).toEqual({ running: 0, reason: "stop_file" });
    await project.must("resume");
    const again = run("loop.sh", project);
    const over = ended(again);
    await until(
      "more tasks are complete",
      () => project.stateJson().execution.completed_count > tasks.complete,
    );
    killGroup(again);
    await over;
  });

  /** Kills the loop some facts from now, at any point of what it does then; or lets it end, when it is faster. */
  async function killSoon(
    loop: ChildProcess,
    { chance, stepMs }: { chance: Chance; stepMs: number },
  ): Promise<void> {
    // The loop writes 55 facts: four kills, and eight when thorough, must come before the last of them.
    const until = project.stateJson().position + 1 + chance.below(thorough ? 5 : 9);
    while (loop.exitCode === null && project.stateJson().position < until) await setTimeout(5);
    await setTimeout(stepMs * chance.next());
    killGroup(loop);
  }

  it("X13 X14 X20 killed again and again with all that it started, it still ends with every task done once", {
    timeout: 240_000,
  }, async () => {
    const chance = new Chance();
    const outcome = { kills: 0, recovered: 0, orphans: 0 };
    for (let ending = ""; ending !== "done"; ) {
      const startedAt = performance.now();
      expect((await project.heddle("verify")).code, `seed ${chance.seed}, after ${outcome.kills} kills`).toBe(
        0,
      );
      const stepMs = performance.now() - startedAt;
      const loop = run("loop.sh", project);
      const over = ended(loop);
      const metNone = outcome.orphans + outcome.recovered === 0;
      if (outcome.kills < (thorough ? 8 : 4) || metNone) await killSoon(loop, { chance, stepMs });
      const { code, signal, out, err } = await over;
      ending = signal === "SIGKILL" ? "killed" : "done";
      if (ending === "killed") outcome.kills++;
      else expect(code, `seed ${chance.seed}\n${out}${err}`).toBe(0);
      outcome.recovered += out.match(/^Recovered: T.*/gm)?.length ?? 0;
      outcome.orphans += out.match(/^Orphaned: T.*/gm)?.length ?? 0;
    }
    await expectFinished();
    // Kills that never met a task under way would prove nothing.
    expect(outcome.kills, JSON.stringify(outcome)).toBeGreaterThan(3);
    expect(outcome.orphans + outcome.recovered, JSON.stringify(outcome)).toBeGreaterThan(0);
  });
});

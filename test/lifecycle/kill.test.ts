// kill -9 while each phase is at work: whatever was acknowledged stays, nobody is paid twice for what was done, and the
// task goes on from where it was to the same end (G1).
import { existsSync, readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { ended, start, until } from "../e2e/rig.ts";
import { thorough } from "../thorough.ts";
import { good, Lifecycle } from "./rig.ts";

const slow = (role: string) => ({ [role]: (good[role] ?? []).map((turn) => ({ ...turn, afterMs: 60_000 })) });

const roles = [
  ["planning", "planner"],
  ["plan_review", "plan-reviewer"],
  ["codegen", "coder"],
  ["review", "code-reviewer"],
  ["accept", "acceptor"],
] as const;

it.each(roles)(
  "G1 killed in phase %s while the %s works, it goes on to the same end",
  async (phase, role) => {
    const project = await Lifecycle.begun(slow(role));
    const child = start(["next", "--all", "--agent", "scripted:script.json"], { cwd: project.root });
    const dead = ended(child);
    await until(`${role} is at work`, () =>
      existsSync(project.path(`.heddle/attempts/task-1/${role}-1/token`)),
    );
    child.kill("SIGKILL");
    await dead;
    expect((await project.status()).phase).toBe(phase);
    project.script({});
    const ran = await project.all();
    expect(ran.code, ran.err + ran.out).toBe(0);
    expect(project.git("log", "--format=%s").trim().split("\n")).toEqual([
      "task-1: Greet people by name",
      "Begin",
    ]);
    expect((await project.heddle("verify")).code).toBe(0);
    const attempts = readdirSync(project.path(".heddle/attempts/task-1")).sort();
    // The agent that died with heddle is a lost attempt, which costs no try; one that had not begun is begun in its own.
    expect(attempts.filter((name) => name !== `${role}-2`)).toEqual([
      "acceptor-1",
      "code-reviewer-1",
      "coder-1",
      "plan-reviewer-1",
      "planner-1",
      "tester-1",
    ]);
  },
);

it("G1 killed while the tests run, they run again on the same tree", async () => {
  const project = await Lifecycle.begun({
    planner: [
      {
        text: JSON.stringify({
          ...JSON.parse(good.planner?.[0]?.text ?? "{}"),
          test_plan: { commands: [{ name: "slow", command: "sleep 2" }] },
        }),
      },
    ],
  });
  const child = start(["next", "--all", "--agent", "scripted:script.json"], { cwd: project.root });
  const dead = ended(child);
  await until("the tests run", () => existsSync(project.path(".heddle/attempts/task-1/tester-1/checks")));
  child.kill("SIGKILL");
  await dead;
  expect((await project.status()).phase).toBe("test");
  expect((await project.all()).code).toBe(0);
  expect(project.git("log", "--format=%s", "-1").trim()).toBe("task-1: Greet people by name");
});

it("G1 killed at random moments, a task still ends once, with one commit", async () => {
  for (const wait of thorough ? [250, 500, 800] : [400]) {
    const project = await Lifecycle.begun();
    for (let kill = 0; kill < 3; kill++) {
      const child = start(["next", "--all", "--agent", "scripted:script.json"], { cwd: project.root });
      const dead = ended(child);
      await new Promise((resolve) => setTimeout(resolve, wait + kill * 60));
      child.kill("SIGKILL");
      await dead;
    }
    const ran = await project.all();
    expect(ran.code, ran.err + ran.out).toBe(0);
    expect(project.git("log", "--format=%s").trim().split("\n")).toEqual([
      "task-1: Greet people by name",
      "Begin",
    ]);
    expect(project.git("status", "--porcelain")).toBe("");
    expect((await project.heddle("verify")).code).toBe(0);
  }
});

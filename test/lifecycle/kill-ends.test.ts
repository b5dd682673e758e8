// kill -9 in the middle of accepting and reverting: at each call of git, before it and after it. Whoever comes next goes
// on, and the end is the same: one commit of the task, or none of it left, and everything of the person's as it was (L12).
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { folder, heddle, type Ran } from "../e2e/rig.ts";
import { code, json, Lifecycle, plan } from "./rig.ts";

const every = process.env.HEDDLE_END_KILLS === "all" ? 1 : 16;
const moments = ["before", "after"] as const;

/** A git that kills whoever calls it the n-th time. What it needs stands in it: heddle gives git a clean environment. */
const deadly = (count: string, { at, when }: Moment) => `#!/bin/sh
n=$(($(cat ${count} 2>/dev/null || echo 0) + 1))
echo $n > ${count}
[ $n = ${at} ] && [ ${when} = before ] && kill -9 $PPID && exit 1
PATH='${process.env.PATH}' git "$@"
code=$?
[ $n = ${at} ] && [ ${when} = after ] && kill -9 $PPID
exit $code
`;

interface Moment {
  readonly at: number;
  readonly when: (typeof moments)[number];
}

async function killed(project: Lifecycle, words: readonly string[], moment: Moment): Promise<Ran> {
  const bin = folder();
  writeFileSync(join(bin, "git"), deadly(project.path("count"), moment), { mode: 0o755 });
  const env = { PATH: `${bin}:${process.env.PATH}` };
  return heddle(words, { cwd: project.root, env });
}

/** Every moment of a command, until it is through without being killed. */
async function eachMoment(
  project: Lifecycle,
  words: readonly string[],
  after: (copy: Lifecycle, moment: string) => Promise<void>,
): Promise<number> {
  let kills = 0;
  for (const when of moments)
    for (let at = when === "before" ? 1 : 2; ; at += every) {
      const copy = project.copy();
      const ran = await killed(copy, words, { at, when });
      if (ran.signal !== "SIGKILL") break;
      kills++;
      await after(copy, `${when} git call ${at}`);
    }
  return kills;
}

async function wholeAgain(project: Lifecycle, moment: string): Promise<void> {
  expect(project.git("status", "--porcelain"), moment).toBe("?? own.txt\n");
  expect(readFileSync(project.path("app/own.txt"), "utf8"), moment).toBe("mine\n");
  expect(project.git("show", "HEAD:README.md"), moment).toBe("# Meanwhile\n");
  expect((await project.heddle("verify")).code, moment).toBe(0);
}

const subjects = (project: Lifecycle) => project.git("log", "--format=%s").trim().split("\n");

describe("killed with kill -9", () => {
  let accepting: Lifecycle;
  let accepted: Lifecycle;
  let redone: Lifecycle;
  beforeAll(async () => {
    accepting = await Lifecycle.begun();
    for (let step = 0; step < 5; step++) await accepting.next();
    accepting.write("app/README.md", "# Meanwhile\n");
    accepting.commit("Meanwhile");
    accepting.write("app/own.txt", "mine\n");
    accepted = accepting.copy();
    expect((await accepted.all()).code).toBe(0);
    redone = accepted.copy();
    redone.script({
      planner: [json({ ...plan, approach: "otherwise" })],
      coder: [code({ "greet.txt": "Hello, world!\n" })],
    });
    await redone.must("redo");
    for (let step = 0; step < 5; step++) await redone.next();
    expect(await redone.phase()).toBe("accept");
  });

  it("L12 G1 while it accepts, a task is accepted by the next call, with one commit", {
    timeout: 280_000,
  }, async () => {
    const words = ["accept", "--reason", "good", "--agent", "scripted:script.json"];
    const kills = await eachMoment(accepting, words, async (project, moment) => {
      const ran = await project.all();
      expect(ran.code, moment + ran.err + ran.out).toBe(0);
      expect(subjects(project), moment).toEqual(["task-1: Greet people by name", "Meanwhile", "Begin"]);
      expect(await project.phase(), moment).toBe("done");
      await wholeAgain(project, moment);
    });
    expect(kills).toBeGreaterThan(2);
  });

  it("L12 G1 while it reverts a task that is done, the next call takes it back, once", {
    timeout: 280_000,
  }, async () => {
    const words = ["revert", "--reason", "no"];
    const kills = await eachMoment(accepted, words, async (project, moment) => {
      const again = await project.heddle(...words);
      expect(again.err, moment).toBe("");
      expect(existsSync(project.path("app/greet.txt")), moment + again.out).toBe(false);
      expect(subjects(project), moment).toEqual([
        "Revert task-1",
        "task-1: Greet people by name",
        "Meanwhile",
        "Begin",
      ]);
      expect(project.document("revert/record.json"), moment).toMatchObject({
        reason: "no",
        files: ["greet.txt"],
      });
      await wholeAgain(project, moment);
    });
    expect(kills).toBeGreaterThan(2);
  });

  it("L3 G1 while it gives a task up in phase `revert`, the next call goes on", {
    timeout: 280_000,
  }, async () => {
    const kills = await eachMoment(accepting, ["revert", "--reason", "given up"], async (project, moment) => {
      const again = await project.heddle("revert", "--reason", "given up");
      expect(again.code === 0 || again.out.includes("nothing of this task"), moment + again.err).toBe(true);
      expect(await project.phase(), moment).toBe("done");
      expect(subjects(project), moment).toEqual(["Meanwhile", "Begin"]);
      await wholeAgain(project, moment);
    });
    expect(kills).toBeGreaterThan(0);
  });

  it("L12 G1 while phase `revert` takes back what was accepted before, the next call goes on", {
    timeout: 280_000,
  }, async () => {
    const kills = await eachMoment(redone, ["revert", "--reason", "worse"], async (project, moment) => {
      const again = await project.heddle("next", "--all", "--agent", "scripted:script.json");
      expect(await project.phase(), moment + again.err + again.out).toBe("done");
      expect(existsSync(project.path("app/greet.txt")), moment + again.out).toBe(false);
      expect(
        subjects(project).filter((each) => each === "Revert task-1"),
        moment,
      ).toHaveLength(1);
      expect(project.document("revert/record.json").reason, moment).toBe("worse");
      await wholeAgain(project, moment);
    });
    expect(kills).toBeGreaterThan(1);
  });
});

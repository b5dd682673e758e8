// `kill -9` at random moments of real runs, on heddle and on agents, again and again. In the end the branch holds each
// task's change exactly once, every acceptance command passes on it, nothing else changed, and no process is left.
// `HEDDLE_EXECUTE_KILLS` says how often (4 in `npm test`, 150 in CI, 500 by `npm run campaign`), `HEDDLE_SEED` from where.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Chance } from "../e2e/random.ts";
import { ended, start } from "../e2e/rig.ts";
import { Execution, survivors, taskId } from "./rig.ts";

const kills = Number(process.env.HEDDLE_EXECUTE_KILLS ?? 2);
const seed = Number(process.env.HEDDLE_SEED ?? Date.now() % 1_000_000);
const tasks = 12;

/** Wide, deep and a diamond: 1–4 at once, 5 after all of them, then two chains that meet in 12. */
const after = (n: number): number[] => {
  if (n <= 4) return [];
  if (n === 5) return [1, 2, 3, 4];
  if (n === 12) return [10, 11];
  return n <= 7 ? [5] : [n - 2];
};

/** Some crash, some claim too much, some write what others write as well; the next attempt is better. */
const turns = {
  T002: ["process.kill(process.pid, 9)", "good(); sleep(100)"],
  T003: ["propose()", "good()"],
  T006: ['write(); put("NOTES.md", task); propose(); sleep(200)', "good()"],
  T007: ['write(); put("NOTES.md", task); propose(); sleep(200)', "good()"],
  T008: ["sleep(300); good()"],
  "*": ["sleep(60); good()"],
};

/** An agent that is at work for this project, if there is one. */
function anAgent(project: Execution): number | undefined {
  return survivors(project).find((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("agent.cjs");
    } catch {
      return false;
    }
  });
}

async function expectWhole(project: Execution): Promise<void> {
  const all = Array.from({ length: tasks }, (_, at) => taskId(at + 1));
  expect(project.merged().sort()).toEqual(all);
  const files = project.git("ls-tree", "-r", "--name-only", "heddle/plan-1").trim().split("\n");
  const expected = ["README.md", ...all.map((id) => `src/${id}.txt`), "test/existing.test.js"];
  // One of the two that collide may have kept its note.
  expect(files.filter((file) => file !== "NOTES.md")).toEqual(expected);
  for (const id of all) expect(project.show(`src/${id}.txt`)).toBe(`${id}\n`);
  expect(await project.status()).toMatchObject({ phase: "complete", tasks: { complete: tasks } });
  const completed = (await project.facts("task-completed")).map((fact) => fact.task);
  expect(completed).toHaveLength(tasks);
  expect(survivors(project)).toEqual([]);
  expect((await project.must("verify")).code).toBe(0);
  execFileSync("git", ["-C", project.path("app"), "fsck", "--strict"], { stdio: "ignore" });
  expect(project.git("status", "--porcelain")).toBe("");
  const left = readdirSync(project.path("app/.git")).filter((name) => name.endsWith(".lock"));
  expect(left).toEqual([]);
}

describe(`kill -9, ${kills} times (seed ${seed})`, () => {
  it("G1 G3 G5 loses nothing, doubles nothing, leaves nothing behind", {
    timeout: 180_000 + kills * 8_000,
  }, async () => {
    const chance = new Chance(seed);
    let [done, strange] = [0, 0];
    while (done < kills) {
      const project = await Execution.ready({ tasks, after }, turns);
      project.config({ attempts: 20, parallel: 4 });
      for (let over = false; !over; ) {
        const child = start([...project.words, "--batch"], { cwd: project.root });
        const end = ended(child).then((ran) => ({ ...ran, over: true }));
        const patience = done < kills ? 150 + chance.next() * 1500 : 60_000;
        const first = await Promise.race([end, sleep(patience).then(() => undefined)]);
        if (first) {
          expect([first.code, first.err]).toEqual([0, ""]);
          over = true;
        } else if (chance.next() < 0.25 && anAgent(project) !== undefined) {
          // An agent dies alone: heddle notices and goes on.
          try {
            process.kill(anAgent(project) ?? -1, "SIGKILL");
          } catch {
            strange++;
          }
          done++;
          const ran = await end;
          expect([ran.code, ran.err]).toEqual([0, ""]);
          over = true;
        } else {
          child.kill("SIGKILL");
          await end;
          done++;
        }
      }
      await expectWhole(project);
    }
    expect(strange).toBeLessThan(done);
  });
});

// Workers with real processes: a worker that does everything, one that is killed, stopped, drained, of another version, without the right
// password; and a worker's login that tries to reach the journal.
import { readFileSync } from "node:fs";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../e2e/rig.ts";
import type { Execution } from "../execute/rig.ts";
import { hasPostgres } from "./server.ts";
import { Yard } from "./workers-rig.ts";

let yard: Yard;
beforeAll(async () => {
  if (hasPostgres) yard = await Yard.open();
});
afterAll(() => yard?.close());

const placesOf = async (project: Execution) =>
  (await project.facts("task-started")).map(({ machine }) => machine);

describe.skipIf(!hasPostgres)("workers (left out without Postgres)", () => {
  it("U5 tasks are worked on by a worker that has the database's address and a git remote, and nothing else", async () => {
    const project = await yard.project(2, {});
    const worker = await yard.worker("w1");
    const ran = await yard.execute(project).run;
    expect([ran.code, ran.out + ran.err]).toEqual([0, expect.stringContaining("T001 begins on w1")]);
    expect(project.merged().sort()).toEqual(["T001", "T002"]);
    expect(await placesOf(project)).toEqual(["w1", "w1"]);
    expect(yard.left()).toBe("");
    worker.signal("SIGTERM");
    expect((await worker.ended).code).toBe(0);
    expect((await project.heddle("verify")).code).toBe(0);
  });

  it("U5 X14 a worker that is killed loses the attempt, not a try; another takes it, and each change is there once", async () => {
    const project = await yard.project(1, yard.waiting("killed"));
    const first = await yard.worker("a");
    const { run } = yard.execute(project);
    await until("the agent has begun", () => yard.hasBegun("killed"), 90_000);
    const other = await yard.worker("b");
    await first.kill();
    const ran = await run;
    expect([ran.code, ran.out + ran.err]).toEqual([0, expect.stringContaining("T001 begins attempt 2 on b")]);
    expect(project.merged()).toEqual(["T001"]);
    expect(await project.facts("attempt-lost")).toHaveLength(1);
    expect(await project.facts("attempt-failed")).toEqual([]);
    await other.kill();
  });

  it("U5 X17 a worker that was stopped answers late, and nothing changes; it ends what it had, and joins anew", async () => {
    const project = await yard.project(1, yard.waiting("stopped"));
    const first = await yard.worker("c");
    const { run } = yard.execute(project);
    await until("the agent has begun", () => yard.hasBegun("stopped"), 90_000);
    const other = await yard.worker("d");
    first.signal("SIGSTOP");
    const ran = await run;
    expect([ran.code, ran.out + ran.err]).toEqual([0, expect.stringContaining("T001 begins attempt 2 on d")]);
    yard.go("stopped");
    first.signal("SIGCONT");
    await until("it has ended what it had", () => first.processes().length <= 1, 90_000);
    expect(project.merged()).toEqual(["T001"]);
    expect((await project.heddle("verify")).code).toBe(0);
    await first.kill();
    await other.kill();
  });

  it("U5 a worker that is told to end finishes what it has, and takes nothing new", async () => {
    const project = await yard.project(1, yard.waiting("drained"));
    const worker = await yard.worker("e");
    const { run } = yard.execute(project);
    await until("the agent has begun", () => yard.hasBegun("drained"), 90_000);
    worker.signal("SIGTERM");
    await until("it drains", () => worker.said().includes("finishes what it has: 1 under way"));
    const isKnown = async () => (await project.facts("machine-lost")).some(({ machine }) => machine === "e");
    await until("the run knows", isKnown, 60_000);
    yard.go("drained");
    const ran = await run;
    expect([ran.code, ran.out + ran.err]).toEqual([0, expect.stringContaining("worker e left")]);
    expect(project.merged()).toEqual(["T001"]);
    expect(await project.facts("attempt-lost")).toEqual([]);
    expect((await worker.ended).code).toBe(0);
  });

  it("U5 a worker's login uses the queue and cannot read or write the journal", async () => {
    const { port } = yard.server;
    const client = new pg.Client({
      host: "127.0.0.1",
      port,
      user: "hand",
      database: "postgres",
      password: "of-a-worker",
    });
    await client.connect();
    const tries = [
      "select * from heddle.fact limit 1",
      "select * from heddle.project",
      "delete from heddle.task",
      "insert into heddle.migration (version) values (99)",
      "update heddle.run set head = ''",
      "create table heddle.mine (a int)",
      "set role heddle_coordinator",
      "grant heddle_coordinator to hand",
      "drop table heddle_queue.job",
    ];
    try {
      for (const text of tries) {
        const refused = await client.query(text).catch((error: { code: string }) => error.code);
        expect([text, refused]).toEqual([text, "42501"]);
      }
      expect((await client.query("select count(*) from heddle_queue.job")).rows).toHaveLength(1);
    } finally {
      await client.end();
    }
  });

  it("U5 refuses a wrong password, a name that is taken and a queue that is not there, each with a sentence", async () => {
    const taken = await yard.worker("twin");
    const twin = await yard.worker("twin");
    expect((await twin.ended).err).toContain("a worker with the name `twin` is there already");
    await taken.kill();
    const wrong = await yard.worker(
      "wrong",
      "--queue",
      yard.address("hand").replace(/\?.*/, "?password_env=NONE_SUCH"),
    );
    expect((await wrong.ended).err).toMatch(/wants a password for `hand`/);
    const nowhere = await yard.worker(
      "nowhere",
      "--queue",
      yard.address("hand").replace("/postgres?", "/template1?"),
    );
    expect((await nowhere.ended).err).toContain("there is no queue for workers in");
    expect(readFileSync(yard.path("passwords"), "utf8")).not.toBe("");
  });
});

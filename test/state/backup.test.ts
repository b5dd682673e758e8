// `heddle backup` and `heddle restore`: a copy is proven on the way out and on the way in, and what was there is kept.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ended, start } from "../e2e/rig.ts";
import {
  desk,
  expectDone,
  expectNoTrace,
  expectRefused,
  expectWhole,
  folder,
  Project,
  plan,
  until,
} from "./desk.ts";

const shelf = folder("heddle-shelf-");
let taken = 0;
const place = () => `${shelf}/${++taken}.db`;

const project = desk(async (each) => {
  await plan(each, { tasks: [{}, {}] });
  await each.must("state", "start-task", "T001");
  await each.must("state", "complete-task", "T001", "--created", "src/a.ts");
});

async function backedUp(): Promise<string> {
  const file = place();
  expectDone(await project.heddle("backup", file), /^Backed up \d+ facts to /);
  return file;
}

/** Changes one byte of a fact that is certain to be there, and nothing else. */
function damage(file: string): void {
  const bytes = readFileSync(file);
  const at = bytes.indexOf("task-completed");
  expect(at).toBeGreaterThan(0);
  bytes.write("task-complated", at);
  writeFileSync(file, bytes);
}

describe("backup and restore", () => {
  it("C1 a round trip brings back exactly what was there, history included", async () => {
    const file = await backedUp();
    const [history, state] = [await project.history(), project.stateJson()];
    await project.must("state", "start-task", "T002");
    await project.must("halt", "lunch");
    expectDone(await project.heddle("restore", file), /^Restored \d+ facts from /);
    const { tasks, halt } = await expectWhole(project);
    expect({ complete: tasks.complete, running: tasks.running, halt }).toEqual({
      complete: 1,
      running: 0,
      halt: null,
    });
    expect((await project.history()).slice(0, history.length)).toEqual(history);
    expect(project.stateJson().tasks).toEqual(state.tasks);
    expectDone(await project.state("start-task", "T002"));
  });

  it("C1 what was there is kept aside, and can be restored in its turn", async () => {
    const file = await backedUp();
    await project.must("state", "start-task", "T002");
    const { aside } = await project.json("restore", file);
    expect((await project.status()).running).toEqual([]);
    expect(readdirSync(aside)).toContain("heddle.db");
    expectDone(await project.heddle("restore", `${aside}/heddle.db`));
    expect((await project.status()).running).toEqual(["T002"]);
  });

  it("C1 a project whose database was deleted is restored", async () => {
    const file = await backedUp();
    rmSync(project.path(".heddle"), { recursive: true });
    expect((await project.heddle("status")).err).toMatch(/hint: heddle restore <backup>/);
    const { aside } = await project.json("restore", file);
    expect(aside).toBeNull();
    expect((await expectWhole(project)).tasks).toMatchObject({ complete: 1, pending: 1 });
  });

  it("C1 a project whose database was destroyed is restored, and the ruin is kept", async () => {
    const file = await backedUp();
    for (const ending of ["-wal", "-shm"]) rmSync(`${project.database}${ending}`, { force: true });
    writeFileSync(project.database, "not a database any more");
    const { aside } = await project.json("restore", file);
    expect(readFileSync(`${aside}/heddle.db`, "utf8")).toBe("not a database any more");
    await expectWhole(project);
  });

  it("G6 a damaged backup is refused, and what is there stays", async () => {
    const file = await backedUp();
    damage(file);
    await project.must("state", "start-task", "T002");
    const ran = await project.heddle("restore", file);
    expect([1, 74], ran.out).toContain(ran.code);
    expectNoTrace(ran);
    expect((await expectWhole(project)).running).toEqual(["T002"]);
    expect(readdirSync(project.path(".heddle")).filter((name) => name.includes("restored"))).toEqual([]);
  });

  it.each([
    ["is cut", (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ["is empty", () => Buffer.alloc(0)],
    ["is no database", () => Buffer.from("hello".repeat(2000))],
  ])("G6 a backup that %s is refused, and what is there stays", async (_, change) => {
    const file = await backedUp();
    writeFileSync(file, change(readFileSync(file)));
    const ran = await project.heddle("restore", file);
    expect([1, 74], ran.out).toContain(ran.code);
    expectNoTrace(ran);
    await expectWhole(project);
    expect(readdirSync(project.path(".heddle")).filter((name) => name.includes("restored"))).toEqual([]);
  });

  it("C4 a backup can be taken while others write", async () => {
    const file = place();
    const [backup, ...others] = await Promise.all([
      project.heddle("backup", file),
      project.state("start-task", "T002"),
      project.state("log-tokens", "s", "1", "2", "0.1"),
      project.state("record-verification", "T001", "--verdict", "PASS", "--recommendation", "PROCEED"),
    ]);
    expect([backup, ...others].map(({ code, err }) => [code, err])).toEqual(
      [backup, ...others].map(() => [0, ""]),
    );
    expectDone(await project.heddle("restore", file));
    await expectWhole(project);
  });

  it("C14 backup does not write over a file, and both say what is wrong with a path", async () => {
    const file = await backedUp();
    expectRefused(await project.heddle("backup", file), /exists already/);
    expectRefused(await project.heddle("restore", `${shelf}/nothing.db`), /does not exist/);
    for (const words of [
      ["backup", `${shelf}/no/such/folder/x.db`],
      ["restore", shelf],
    ]) {
      const ran = await project.heddle(...words);
      expect([1, 64, 74], `${words.join(" ")}: ${ran.err}`).toContain(ran.code);
      expectNoTrace(ran);
    }
  });

  it("C15 both answer with JSON", async () => {
    const file = place();
    const facts = (await project.history()).length;
    expect(await project.json("backup", file)).toEqual({ file, facts });
    expect(await project.json("restore", file)).toEqual({
      facts,
      aside: expect.stringContaining("replaced"),
    });
  });
});

describe("restore beside a living orchestrator", () => {
  it("X17 is refused, and works once it has ended", { timeout: 60_000 }, async () => {
    const demo = new Project();
    const child = start(["demo", "--dir", demo.root, "--no-kill", "--speed", "0.3"], { cwd: demo.root });
    const over = ended(child);
    try {
      const isHeld = async () => {
        if (!existsSync(demo.database)) return false;
        const { code, out } = await demo.heddle("status", "--json");
        return code === 0 && JSON.parse(out).orchestrator !== null && JSON.parse(out).running.length > 0;
      };
      await until("the demo orchestrates its run", isHeld);
      const file = place();
      expectDone(await demo.heddle("backup", file));
      expectRefused(await demo.heddle("restore", file), /is orchestrated by process \d+/);
      child.kill("SIGKILL");
      await over;
      expectDone(await demo.heddle("restore", file));
      await expectWhole(demo);
    } finally {
      child.kill("SIGKILL");
      await over;
    }
  });
});

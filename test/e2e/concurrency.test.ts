// Any number of processes may call any command at once (C4): nothing is lost, one wins where one can, nobody crashes.
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { thorough } from "../thorough.ts";
import { chain, taskId } from "./plan-files.ts";
import { manyProcesses, newProject, Project, type Ran, readyProject } from "./rig.ts";
import { expectNoTrace, expectOneError, expectWhole } from "./whole.ts";

const many = 16;
manyProcesses(many + 4);

const ids = Array.from({ length: many }, (_, at) => taskId(at + 1));

/** Starts them all before it waits for one. */
const atOnce = (calls: readonly (() => Promise<Ran>)[]) => Promise.all(calls.map((call) => call()));

function expectOneWinner(ran: readonly Ran[]): void {
  const lost = ran.filter(({ code }) => code !== 0);
  expect(ran.length - lost.length).toBe(1);
  for (const each of lost) {
    expect(each.code, each.err).toBe(1);
    expectOneError(each);
    expect(each.err).not.toMatch(/busy|locked/);
  }
}

describe("16 processes at once", () => {
  let ready: Project;
  let back: () => void;
  beforeAll(async () => {
    ready = await readyProject({ tasks: 20, after: (n) => (n > 10 ? [n - 10] : []) });
    back = ready.save();
  });
  const small = () => {
    back();
    return ready;
  };

  for (const [tasks, rounds] of [
    [100, 2],
    [1_000, 1],
    ...(thorough ? ([[10_000, 1]] as const) : []),
  ] as const)
    it(`C4 complete different tasks of ${tasks}: nothing is lost`, { timeout: 120_000 }, async () => {
      const project = await readyProject({ tasks });
      for (let round = 0; round < rounds; round++) {
        const chosen = ids.map((_, at) => taskId(1 + at + round * many));
        for (const verb of ["start", "complete"]) {
          const ran = await atOnce(chosen.map((id) => () => project.state(`${verb}-task`, id)));
          expect(ran.map(({ code, err }) => [code, err])).toEqual(chosen.map(() => [0, ""]));
        }
      }
      const status = await expectWhole(project);
      const complete = rounds * many;
      expect(status.tasks).toMatchObject({ complete, pending: tasks - complete, running: 0 });
      const completed = (await project.history()).filter(({ fact }) => fact.kind === "task-completed");
      expect(new Set(completed.map(({ fact }) => fact.task)).size).toBe(complete);
      expect(completed).toHaveLength(complete);
    });

  it("C4 X12 start the same task: one wins, the others get one sentence", async () => {
    const project = small();
    expectOneWinner(await atOnce(ids.map(() => () => project.state("start-task", "T001"))));
    expect((await expectWhole(project)).running).toEqual(["T001"]);
    expectOneWinner(await atOnce(ids.map(() => () => project.state("complete-task", "T001"))));
    expect((await expectWhole(project)).tasks.complete).toBe(1);
    const kinds = (await project.history("--task", "T001")).map(({ fact }) => fact.kind);
    expect(kinds).toEqual(["task-defined", "task-started", "task-completed"]);
  });

  it("D1 init the same directory: one wins, and the plan is whole", async () => {
    const project = new Project();
    expectOneWinner(await atOnce(ids.map(() => () => project.heddle("init", "app"))));
    expect(await expectWhole(project)).toMatchObject({ run: "plan-1", phase: "ingestion" });
    expect(await project.history()).toHaveLength(1);
  });

  it("D1 init --force the same directory: every old plan is archived, one is active", async () => {
    const project = await newProject();
    const ran = await atOnce(ids.slice(0, 6).map(() => () => project.heddle("init", "app", "--force")));
    for (const each of ran) {
      expect([0, 1], each.err).toContain(each.code);
      expectNoTrace(each);
    }
    expect(ran.some(({ code }) => code === 0)).toBe(true);
    expect((await expectWhole(project)).phase).toBe("ingestion");
  });

  it("D16 advance: one moves the phase, the others are told what is missing", async () => {
    const project = small();
    expectOneWinner(await atOnce(ids.map(() => () => project.state("advance"))));
    expect((await expectWhole(project)).phase).toBe("executing");
  });

  it("C10 halt: one halts, the others are told since when", async () => {
    const project = small();
    expectOneWinner(await atOnce(ids.map(() => () => project.heddle("halt", "lunch"))));
    expectOneWinner(await atOnce(ids.map(() => () => project.heddle("resume"))));
    expect((await expectWhole(project)).halt).toBeNull();
  });

  it("C4 any mixture of commands: each is done or refused, and the outcome is one history", async () => {
    const project = small();
    const words = [
      ...["T001", "T002", "T003", "T004"].map((id) => ["state", "start-task", id]),
      ...["T001", "T002"].map((id) => ["state", "complete-task", id, "--created", "a b.ts"]),
      ["state", "fail-task", "T003", "red"],
      ["state", "retry-task", "T003"],
      ["state", "skip-task", "T005", "by", "hand"],
      ["state", "load-tasks"],
      ["state", "validate-tasks", "READY"],
      ["state", "advance"],
      ["halt"],
      ["resume"],
      ["next", "--dry-run"],
      ["state", "export"],
      ["verify"],
      ["replay"],
      ["state", "restore"],
      ["why", "T013"],
    ];
    for (let round = 0; round < 2; round++) {
      const ran = await atOnce(words.map((each) => () => project.heddle(...each)));
      for (const each of ran) {
        expect([0, 1], each.err).toContain(each.code);
        expectNoTrace(each);
      }
    }
    await expectWhole(project);
  });
});

describe("readers while writers write", () => {
  it("C2 C4 see one consistent state each, never an error, and never go back", {
    timeout: 180_000,
  }, async () => {
    const tasks = 60;
    const project = await readyProject({ tasks });
    const writing = { on: true };
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let n = writer + 1; n <= 24; n += 4) {
        await project.must("state", "start-task", taskId(n));
        await project.must("state", "complete-task", taskId(n));
      }
    });
    const positions: number[][] = [];
    const readers = Array.from({ length: 3 }, async () => {
      const seen: number[] = [];
      positions.push(seen);
      while (writing.on) {
        const { tasks: counts, position, ready, running } = await project.status();
        expect(Object.values(counts as Record<string, number>).reduce((sum, n) => sum + n, 0)).toBe(tasks);
        expect([ready.length, running.length]).toEqual([counts.pending, counts.running]);
        seen.push(position);
      }
    });
    const views: number[] = [];
    const watcher = setInterval(() => views.push(JSON.parse(readFileSync(project.view, "utf8")).position), 3);
    await Promise.all(writers);
    writing.on = false;
    await Promise.all(readers);
    clearInterval(watcher);
    for (const seen of [...positions, views]) expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(new Set(views).size).toBeGreaterThan(12);
    expect((await expectWhole(project)).tasks).toMatchObject({ complete: 24, running: 0 });
  });

  it("C4 a chain of failures and retries by racing hosts ends where the graph says", async () => {
    const project = await readyProject({ tasks: 8, after: chain });
    await project.must("state", "start-task", "T001");
    await atOnce([
      () => project.state("fail-task", "T001", "red"),
      () => project.state("complete-task", "T001"),
      () => project.state("retry-task", "T001"),
      () => project.state("skip-task", "T008", "no time"),
    ]);
    const { tasks } = await expectWhole(project);
    const first = (await project.json("state", "export")).tasks.T001.status;
    expect(tasks.skipped).toBe(1);
    expect(tasks.blocked).toBe(first === "failed" ? 6 : 0);
  });
});

// Sixteen hosts at once, each with the documents' loop of its own over one plan (C4, X12, X20).
import { expect, it } from "vitest";
import { manyProcesses, planning } from "../e2e/rig.ts";
import { expectNoTrace, expectWhole, Project, type Ran, taskId } from "./desk.ts";

const [hosts, tasks] = [16, 60];
manyProcesses(hosts);

/** Twenty in front, then each waits for two of the twenty before it: there is work for most hosts most of the time. */
const before = (n: number) => (n <= 20 ? [] : [n - 20, n - (n % 2 === 0 ? 19 : 18)]);

/** Wakes the hosts that found nothing to do: looking again all the time would only slow the others down. */
class Bell {
  underway = 0;
  #rung = Promise.withResolvers<void>();

  get next(): Promise<void> {
    return this.#rung.promise;
  }

  ring(): void {
    this.#rung.resolve();
    this.#rung = Promise.withResolvers();
  }
}

/** Ready, start, complete, until nothing is left. A start that another host was faster with is simply refused. */
async function host(
  project: Project,
  number: number,
  bell: Bell,
): Promise<{ started: string[]; refused: Ran[] }> {
  const [started, refused]: [string[], Ran[]] = [[], []];
  for (;;) {
    const { next } = bell;
    const { out, code } = await project.state("ready-tasks");
    expect(code).toBe(0);
    const ready = out.split("\n").filter((line) => line !== "");
    const id = ready[number % Math.max(1, ready.length)]?.split(":")[0];
    if (id === undefined) {
      if (bell.underway === 0) return { started, refused };
      await next;
      continue;
    }
    bell.underway++;
    const ran = await project.state("start-task", id);
    if (ran.code === 0) {
      started.push(id);
      const done = await project.state("complete-task", id, "--created", `src/${id}.ts`);
      expect(done, done.err).toMatchObject({ code: 0, out: `Task ${id} completed\n` });
    } else refused.push(ran);
    bell.underway--;
    bell.ring();
  }
}

it(`C4 X12 X20 ${hosts} hosts finish ${tasks} tasks together: each is started once, none is lost, the only errors are refusals`, {
  timeout: 180_000,
}, async () => {
  const project = new Project();
  await project.must("init", "app");
  project.writePlan({ tasks, after: before });
  for (const words of planning) await project.must(...words);

  const bell = new Bell();
  const ended = await Promise.all(Array.from({ length: hosts }, (_, number) => host(project, number, bell)));

  const all = Array.from({ length: tasks }, (_, at) => taskId(at + 1));
  expect(ended.flatMap(({ started }) => started).toSorted()).toEqual(all);
  for (const ran of ended.flatMap(({ refused }) => refused)) {
    expect(ran.code, ran.err).toBe(1);
    expect(ran.err).toMatch(/^error: task `T\d+` is (running|complete) and cannot be started/);
    expectNoTrace(ran);
  }
  const facts = (await project.history()).map(({ fact }) => fact);
  for (const kind of ["task-started", "task-completed"])
    expect(facts.flatMap((fact) => (fact.kind === kind ? [fact.task] : [])).toSorted()).toEqual(all);
  await project.must("state", "advance");
  expect(await expectWhole(project)).toMatchObject({
    phase: "complete",
    tasks: { complete: tasks },
    unverified: tasks,
  });
});

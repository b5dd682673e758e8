// One orchestrator for a run, and everybody else beside it (X17, C4, C10): seen on the demo, whose engine is the real
// one and whose agents are scripted.
import { describe, expect, it } from "vitest";
import { ended, type Fact, folder, Project, type Ran, start, until } from "./rig.ts";
import { expectOneError, expectRefused, expectWhole } from "./whole.ts";

interface Demo {
  readonly project: Project;
  readonly pid: number;
  readonly done: Promise<Ran>;
  readonly kill: (signal: NodeJS.Signals) => void;
}

function demo(project: Project, speed: number): Demo {
  const child = start(["demo", "--dir", project.root, "--no-kill", "--speed", String(speed)]);
  return { project, pid: child.pid ?? 0, done: ended(child), kill: (signal) => child.kill(signal) };
}

/** Waits until it works on tasks. */
async function working({ project, done }: Demo): Promise<void> {
  let over = false;
  void done.then(() => {
    over = true;
  });
  await until("a task that runs", async () => {
    if (over) throw new Error(`the demo ended too early: ${(await done).err}`);
    const { code, out } = await project.heddle("status", "--json");
    return code === 0 && JSON.parse(out).running.length > 0;
  });
}

const completions = (history: readonly Fact[]) =>
  history.flatMap(({ fact }) => (fact.kind === "task-completed" ? [String(fact.task)] : []));

describe("an orchestrator", () => {
  it("X17 is the only one: a second is refused, and told who is there", { timeout: 60_000 }, async () => {
    const first = demo(new Project(folder()), 1);
    await working(first);
    const second = await demo(first.project, 1).done;
    expect(second.code).toBe(1);
    expectOneError(second);
    expect(second.err).toContain(String(first.pid));
    expect((await first.project.status()).orchestrator.pid).toBe(first.pid);
    first.kill("SIGKILL");
    await first.done;
  });

  it("C10 stops when somebody else halts the run, and goes on after that", { timeout: 60_000 }, async () => {
    const first = demo(new Project(folder()), 2);
    await working(first);
    await first.project.must("halt", "from", "elsewhere");
    expect((await first.done).code).toBe(1);
    const stopped = await expectWhole(first.project);
    expect(stopped).toMatchObject({ halt: { reason: "from elsewhere" }, orchestrator: null, running: [] });
    expect((await demo(first.project, 50).done).code).toBe(0);
    expect((await expectWhole(first.project)).phase).toBe("complete");
  });

  it("C10 by Ctrl-C lets what runs finish, exits 130, and goes on when it is started again", {
    timeout: 60_000,
  }, async () => {
    const first = demo(new Project(folder()), 2);
    await working(first);
    first.kill("SIGINT");
    const { code, err } = await first.done;
    expect([code, err]).toEqual([130, ""]);
    expect(await expectWhole(first.project)).toMatchObject({ running: [], orchestrator: null });
    expect((await demo(first.project, 50).done).code).toBe(0);
  });

  it("C1 X17 killed again and again is followed by the next, and no task is completed twice", {
    timeout: 90_000,
  }, async () => {
    const project = new Project(folder());
    for (let n = 0; n < 3; n++) {
      const one = demo(project, 4);
      await working(one);
      one.kill("SIGKILL");
      await one.done;
      expect((await project.heddle("verify")).code).toBe(0);
    }
    expect(await demo(project, 50).done).toMatchObject({ code: 0, err: "" });
    const { tasks, phase } = await expectWhole(project);
    expect([phase, tasks.running, tasks.pending]).toEqual(["complete", 0, 0]);
    const completed = completions(await project.history());
    expect(completed).toHaveLength(new Set(completed).size);
    expect(completed).toHaveLength(tasks.complete);
  });

  it("X12 a host cannot complete or fail what the orchestrator works on", { timeout: 60_000 }, async () => {
    const first = demo(new Project(folder()), 1);
    await working(first);
    const [id] = (await first.project.status()).running;
    expectRefused(await first.project.state("complete-task", id), /worked on by heddle itself/);
    expectRefused(await first.project.state("fail-task", id, "mine"), /worked on by heddle itself/);
    first.kill("SIGKILL");
    await first.done;
  });

  it("C2 keeps state.json at most a moment behind, and current when it ends", {
    timeout: 60_000,
  }, async () => {
    const first = demo(new Project(folder()), 20);
    const { project } = first;
    const seen = new Set<number>();
    let over = false;
    void first.done.then(() => {
      over = true;
    });
    await until(
      "its end",
      () => {
        if (project.has("project-planning/state.json")) seen.add(project.stateJson().position);
        return over;
      },
      50_000,
    );
    expect((await first.done).code).toBe(0);
    const { position } = await expectWhole(project);
    expect(seen.size).toBeGreaterThan(10);
    expect(project.stateJson().position).toBe(position);
  });
});

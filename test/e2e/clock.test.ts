// Nothing is decided by the wall clock (G8): it may jump back an hour, or a century, between two commands. The clock
// of a real process is moved by a module that Node loads before heddle; `libfaketime` is not needed.
import { readFileSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { chain } from "./plan-files.ts";
import { ended, ownProcesses, type Project, type Ran, readyProject, start } from "./rig.ts";
import { expectWhole } from "./whole.ts";

ownProcesses();

const hourMs = 3_600_000;

/** A process whose wall clock is off by so much; its monotonic clock is the machine's. */
function shifted(project: Project, offsetMs: number, ...words: readonly string[]): Promise<Ran> {
  const source = `
    const Real = Date;
    const now = () => Real.now() + ${offsetMs};
    globalThis.Date = class extends Real {
      constructor(...given) { given.length === 0 ? super(now()) : super(...given); }
      static now() { return now(); }
    };`;
  const node = ["--import", `data:text/javascript,${encodeURIComponent(source)}`];
  return ended(start(words, { cwd: project.root, node }));
}

describe("a wall clock that jumps", () => {
  let project: Project;
  beforeAll(async () => {
    project = await readyProject({ tasks: 3, after: chain });
  });

  it("G8 back an hour in the middle of a task: order is by position, nothing breaks", async () => {
    const steps = [
      [0, "state", "start-task", "T001"],
      [-hourMs, "state", "complete-task", "T001"],
      [hourMs, "state", "start-task", "T002"],
      [-24 * hourMs, "state", "fail-task", "T002", "red"],
      [0, "state", "retry-task", "T002"],
      [-100 * 365 * 24 * hourMs, "state", "start-task", "T002"],
      [0, "state", "complete-task", "T002"],
    ] as const;
    for (const [offset, ...words] of steps)
      expect(await shifted(project, offset, ...words)).toMatchObject({ code: 0, err: "" });
    expect((await expectWhole(project)).tasks).toMatchObject({ complete: 2, pending: 1 });

    const history = await project.history();
    expect(history.map(({ position }) => position)).toEqual(history.map((_, at) => at + 1));
    const times = history.map(({ at }) => at);
    expect(times).not.toEqual(times.toSorted());
    expect(history.slice(-8).map(({ fact }) => fact.kind)).toEqual([
      "phase-entered",
      "task-started",
      "task-completed",
      "task-started",
      "task-failed",
      "task-retried",
      "task-started",
      "task-completed",
    ]);
  });

  it("G8 no duration is shown as negative", () => {
    const { T001, T002 } = project.stateJson().tasks;
    expect(T001.duration_seconds).toBe(0);
    expect(T002.duration_seconds).toBeGreaterThanOrEqual(0);
  });

  it("C3 G8 a view written in the future is still the older one when its position is", async () => {
    expect((await shifted(project, 24 * hourMs, "halt", "late")).code).toBe(0);
    const future = readFileSync(project.view, "utf8");
    expect((await shifted(project, 0, "resume")).code).toBe(0);
    writeFileSync(project.view, future);
    expect(await project.must("status")).toMatchObject({ err: "" });
    expect((await expectWhole(project)).halt).toBeNull();
  });

  it("C13 G8 replay gives the same state whatever the clock says", async () => {
    const words = ["replay", "--at", "20", "--json"];
    const [past, present] = await Promise.all(
      [-hourMs, 0].map((offset) => shifted(project, offset, ...words)),
    );
    expect(past).toEqual(present);
  });

  it("C11 the log follows positions, not times: no line is missing and none is doubled", async () => {
    const lines = readFileSync(project.path(".heddle/logs/activity.jsonl"), "utf8").trim().split("\n");
    const logged = lines.map((line) => JSON.parse(line).position);
    const shown = (await project.json("history")).map(({ position }: { position: number }) => position);
    expect(logged).toEqual(shown);
  });
});

// What one task costs the orchestrator, counted and not timed: transactions, readings of the view and of facts, processes.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ended, start } from "../e2e/rig.ts";
import { Execution, hasBox, isCarriedElsewhere } from "./rig.ts";

interface Counts {
  readonly seconds: number;
  readonly transactions: number;
  readonly writes: number;
  readonly viewReads: number;
  readonly facts: number;
  readonly processes: number;
  readonly programs: Readonly<Record<string, number>>;
}

const counting = join(import.meta.dirname, "counting.cjs");

async function countsOf(tasks: number): Promise<Counts> {
  const project = await Execution.ready({ tasks });
  const begunMs = performance.now();
  const file = project.path("counts.json");
  const words = [...project.words, "--batch", "--parallel", "1"];
  const child = start(words, {
    cwd: project.root,
    node: ["--require", counting],
    env: { HEDDLE_COUNTS: file },
  });
  expect(await ended(child)).toMatchObject({ code: 0 });
  const seconds = (performance.now() - begunMs) / 1000;
  return { ...JSON.parse(readFileSync(file, "utf8")), seconds };
}

// Counted for orders that are carried here: a process for each order looks at the run for each.
describe.runIf(hasBox && !isCarriedElsewhere)("what a task costs", () => {
  it("X3 at most 28 transactions, one look at the view for each that writes it, each fact read for log and view, and so many processes", async () => {
    const [few, more] = [await countsOf(1), await countsOf(4)];
    const each = (count: (counts: Counts) => number) => (count(more) - count(few)) / 3;
    // On a machine that is slow the view follows up to five times a second, and once a second it is asked whether time is over.
    const late = Math.max(0, each(({ seconds }) => seconds) - 1);
    expect(each(({ transactions }) => transactions)).toBeLessThanOrEqual(28 + 6 * late);
    // Each time the view is written it is looked at once; how often that is at the start and the end depends on the pace.
    expect(more.viewReads - few.viewReads).toBeLessThanOrEqual(more.writes - few.writes + 3 + 6 * late);
    // For the log, for the view, and at the end for the report and the page that it is shown in.
    expect(each(({ facts }) => facts)).toBeLessThanOrEqual(40);
    expect({ each: each(({ processes }) => processes), ...more.programs }).toMatchObject({
      each: expect.toSatisfy((count: number) => count <= mostProcesses),
    });
  });
});

const mostProcesses = 20;

// X3 in figures: what the schedule is worth on random graphs of 20 to 200 tasks, in virtual time. `npm run bench --
// makespan` measures more of them.
import { expect, test } from "vitest";
import { drawProblem, measure, shapes } from "./makespan.ts";

const graphs = 60;

test("X3 a plan takes at most 5 % longer than any schedule must, in the median, and never longer than batches", () => {
  const found = Array.from({ length: graphs }, (_, seed) => {
    const problem = drawProblem(seed);
    return { seed, problem, ...measure(problem) };
  });
  const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
  const lines = shapes.map((shape) => {
    const some = found.filter(({ problem }) => problem.shape === shape);
    const heddle = median(some.map((each) => each.heddle / each.bound));
    const batches = median(some.map((each) => each.batches / each.bound));
    return `${shape.padEnd(8)} heddle ${heddle.toFixed(3)}, batches of N ${batches.toFixed(3)} of the lower bound`;
  });
  console.log(lines.join("\n"));
  expect(median(found.map(({ heddle, bound }) => heddle / bound))).toBeLessThanOrEqual(1.05);
  for (const { seed, heddle, batches, bound } of found) {
    expect(heddle, `graph ${seed}`).toBeLessThanOrEqual(batches);
    expect(heddle, `graph ${seed}`).toBeGreaterThanOrEqual(bound);
  }
});

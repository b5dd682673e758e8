// Makespan in virtual time on random graphs of 20 to 200 tasks, checks and integration counted as work: against what no
// schedule can beat, and against batches of N.
import { drawProblem, measure } from "../test/simulation/makespan.ts";
import { type Bench, exactly } from "./figure.ts";
import { estimate, median } from "./statistics.ts";

export const makespan: Bench = {
  name: "makespan",
  run: ({ quick }) => {
    const found = Array.from({ length: quick ? 60 : 300 }, (_, seed) => measure(drawProblem(seed)));
    const ratios = found.map(({ heddle, bound }) => heddle / bound);
    const unit = "of the bound";
    return [
      { name: "makespan: heddle", unit, measured: estimate(ratios, median), goal: { most: 1.05 } },
      {
        name: "makespan: batches of N",
        unit,
        measured: estimate(
          found.map(({ batches, bound }) => batches / bound),
          median,
        ),
      },
      {
        name: "makespan: graphs on which batches are quicker",
        unit: `of ${found.length}`,
        measured: exactly(found.filter(({ heddle, batches }) => heddle > batches).length),
        goal: { most: 0 },
      },
    ];
  },
};

// `heddle state …metrics`, coverage and calibration: figures for people and scripts (D21).

import type { Call, Command, Reply } from "../../../command/command.ts";
import type { Json, Run } from "../../../core/run.ts";
import {
  calibrationScore,
  executionMetrics,
  failureMetrics,
  figureLines,
  planningMetrics,
} from "../../../view/metrics.ts";

type Figures = { readonly [key: string]: Json };

const figures =
  (compute: (run: Run) => Figures) =>
  async ({ app }: Call): Promise<Reply> => {
    const json = await (await app()).look(compute);
    return { text: figureLines(json), json };
  };

export const metrics: Command = {
  name: "state metrics",
  summary: "how execution went: success rates, attempts, tokens, cost",
  group: "state",
  examples: ["heddle state metrics", "heddle state metrics --format json"],
  run: figures(executionMetrics),
};

export const planning: Command = {
  name: "state planning-metrics",
  summary: "how the plan is cut: behaviours, criteria, files, dependencies per task",
  group: "state",
  examples: ["heddle state planning-metrics"],
  run: figures(planningMetrics),
};

export const failures: Command = {
  name: "state failure-metrics",
  summary: "what kinds of failure the failed tasks have",
  group: "state",
  examples: ["heddle state failure-metrics --format json"],
  run: figures(failureMetrics),
};

export const calibration: Command = {
  name: "state calibration-score",
  summary: "how often the verifier's word agreed with what came of the task",
  group: "state",
  examples: ["heddle state calibration-score"],
  run: figures(calibrationScore),
};

// Figures over a run (D21): how execution went, how the plan is cut, what failed, how well the verifier predicted.
import { failureCategories } from "../core/outcome.ts";
import type { Json, Run, Task } from "../core/run.ts";

type Figures = { readonly [key: string]: Json };

const ratio = (part: number, whole: number) => (whole === 0 ? 0 : part / whole);
const mean = (values: readonly number[]) =>
  ratio(
    values.reduce((sum, value) => sum + value, 0),
    values.length,
  );

export function executionMetrics(run: Run): Figures {
  const tasks = [...run.tasks.all()];
  const complete = tasks.filter((task) => task.state === "complete");
  const { inputTokens, outputTokens, costUsd, unknownCosts } = run.usage;
  const tokens = inputTokens + outputTokens;
  return {
    task_success_rate: ratio(complete.length, complete.length + run.counts.failed),
    first_attempt_success_rate: ratio(complete.filter((task) => task.attempts === 1).length, complete.length),
    avg_attempts: mean(complete.map((task) => task.attempts)),
    tokens_per_task: ratio(tokens, complete.length),
    cost_per_task: ratio(costUsd, complete.length),
    ...verificationRates(complete),
    completed_count: complete.length,
    unverified_count: run.unverified,
    failed_count: run.counts.failed,
    total_tokens: tokens,
    total_cost_usd: costUsd,
    unknown_costs: unknownCosts,
  };
}

function verificationRates(complete: readonly Task[]): Figures {
  const verified = complete.flatMap(({ verification }) => (verification ? [verification] : []));
  const criteria = verified.flatMap(({ criteria: list }) =>
    Array.isArray(list) ? (list as readonly Json[]) : [],
  );
  const withTests = verified.filter(({ tests }) => keys(tests).length > 0);
  const quality = ["types", "docs", "patterns", "errors"];
  const passes = (value: Json) => {
    const given = quality.map((key) => entry(value, key)).filter((mark) => mark !== undefined);
    return given.length > 0 && given.every((mark) => mark === "PASS");
  };
  return {
    quality_pass_rate: ratio(verified.filter((each) => passes(each.quality)).length, complete.length),
    functional_pass_rate: ratio(
      criteria.filter((each) => entry(each, "score") === "PASS").length,
      criteria.length,
    ),
    test_edge_case_rate: ratio(
      withTests.filter(({ tests }) => entry(tests, "edge_cases") === "PASS").length,
      withTests.length,
    ),
  };
}

function entry(value: Json, key: string): Json | undefined {
  return value !== null && typeof value === "object" && !Array.isArray(value)
    ? (value as Figures)[key]
    : undefined;
}

const keys = (value: Json) =>
  value !== null && typeof value === "object" && !Array.isArray(value) ? Object.keys(value) : [];

export function planningMetrics(run: Run): Figures {
  const defs = [...run.tasks.all()].map((task) => task.def);
  const phases = new Set(defs.map((def) => def.phase).filter((phase) => phase > 0));
  const dependencies = defs.reduce((sum, def) => sum + def.dependsOn.length, 0);
  return {
    total_tasks: defs.length,
    total_behaviors: defs.reduce((sum, def) => sum + def.behaviours.length, 0),
    avg_behaviors_per_task: mean(defs.map((def) => def.behaviours.length)),
    avg_criteria_per_task: mean(defs.map((def) => def.criteria.length)),
    avg_files_per_task: mean(defs.map((def) => def.files.length)),
    dependency_density: ratio(dependencies, defs.length),
    phase_count: phases.size,
    phase_compression: phases.size / (dependencies > 0 ? 2 : 1),
    steel_thread_coverage: ratio(defs.filter((def) => def.steel).length, defs.length),
  };
}

export function failureMetrics(run: Run): Figures {
  const failed = run.tasks.notable().filter((task) => task.state === "failed");
  const by = (key: (task: Task) => string) => Object.groupBy(failed, key);
  const sizes = (groups: Partial<Record<string, Task[]>>) =>
    Object.fromEntries(Object.entries(groups).map(([name, tasks]) => [name, tasks?.length ?? 0]));
  // Every category is there, also at zero: whoever reads a table looks for its rows.
  const categories = {
    ...Object.fromEntries(failureCategories.map((name) => [name, [] as Task[]])),
    ...by((task) => task.failure?.category ?? "unknown"),
  };
  const retryable = failed.filter((task) => task.failure?.retryable).length;
  return {
    total_failed: failed.length,
    by_category: sizes(categories),
    by_category_tasks: Object.fromEntries(
      Object.entries(categories).map(([name, tasks = []]) => [name, tasks.map((task) => task.def.id)]),
    ),
    by_subcategory: sizes(
      Object.groupBy(
        failed.filter((task) => task.failure?.subcategory),
        (task) => task.failure?.subcategory ?? "",
      ),
    ),
    retryable_count: retryable,
    non_retryable_count: failed.length - retryable,
    category_pct: Object.fromEntries(
      Object.entries(sizes(categories)).map(([name, n]) => [
        name,
        Math.round(ratio(n, failed.length) * 1000) / 10,
      ]),
    ),
  };
}

/** Where the verifier was wrong: PROCEED before a failure, BLOCK before a success. 1 without data. */
export function calibrationScore(run: Run): Figures {
  const { correct, falsePositives, falseNegatives } = run.calibration;
  const total = correct + falsePositives + falseNegatives;
  return {
    score: total === 0 ? 1 : correct / total,
    total_verified: total,
    correct,
    false_positives: falsePositives,
    false_negatives: falseNegatives,
  };
}

/** Figures as lines: a rate as a percentage, the rest as it is. */
export function figureLines(figures: Figures): string {
  return Object.entries(figures)
    .map(([name, value]) => `${name}: ${figure(name, value)}`)
    .join("\n");
}

function figure(name: string, value: Json): string {
  if (value !== null && typeof value === "object") return JSON.stringify(value);
  if (typeof value !== "number") return String(value);
  if (name.endsWith("_rate")) return `${(value * 100).toFixed(1)}%`;
  if (name.endsWith("_usd") || name.startsWith("cost_")) return `$${value.toFixed(4)}`;
  return Number.isInteger(value) ? String(value) : value.toFixed(2);
}

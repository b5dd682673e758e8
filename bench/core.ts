// The core alone: how many inputs it takes per second of its thread, so that a busy machine does not count, and how
// long the next ready task takes to find.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { apply, newRun } from "../src/core/apply.ts";
import type { Input } from "../src/core/input.ts";
import type { Run } from "../src/core/run.ts";
import { carryOut } from "../src/core/step.ts";
import { createDatabase } from "../src/journal/schema.ts";
import { SqliteJournal } from "../src/journal/sqlite.ts";
import { decomposition } from "../src/packs/decomposition/protocol.ts";
import { protocolNamed } from "../src/packs/registry.ts";
import type { Bench, Figure } from "./figure.ts";
import { idOf, openedPlan, planOf, type Shape, withFolder } from "./plan.ts";
import { type Estimate, estimate, median, quantile } from "./statistics.ts";

const create: Input = { kind: "create", targetDir: "/target", planningDir: "/planning" };

export const core: Bench = {
  name: "core",
  run: async ({ quick }) => {
    const rounds = quick ? 7 : 25;
    const [wide, deep] = [
      { size: 10_000, width: 1_000 },
      { size: 10_000, width: 50 },
    ];
    const goal = { least: 200_000 };
    return [
      { ...inputsPerSecond(wide, rounds, 8), name: "core: step + apply, 10,000 tasks in 10 layers", goal },
      // One task in eight fails here and blocks a third of the plan until it is retried: 410 tasks turn per input.
      { ...inputsPerSecond(deep, Math.ceil(rounds / 5), 8), name: "core: the same in 200 layers", goal },
      { ...inputsPerSecond(deep, rounds, 0), name: "core: in 200 layers, when nothing fails", goal },
      { ...turnsPerSecond(deep, rounds), name: "core: tasks blocked and set free by failures there" },
      ...(await nextReady(quick ? 500 : 2_000)),
    ];
  },
};

function inputsPerSecond(shape: Shape, rounds: number, failing: number): Omit<Figure, "name"> {
  const inputs = wholeLife(shape.size, failing);
  return perSecond("inputs/s", rounds, () => {
    const run = openedRun(shape);
    const seconds = cpuSeconds(() => {
      for (const input of inputs) submit(run, input);
    });
    if (run.counts.complete !== shape.size) throw new Error("bug: not every task is complete");
    return inputs.length / seconds;
  });
}

/** A failure blocks everything behind it and a retry sets that free, so what counts is how many tasks turn. */
function turnsPerSecond(shape: Shape, rounds: number): Omit<Figure, "name"> {
  return perSecond("tasks/s", rounds, () => {
    const run = openedRun(shape);
    let turned = 0;
    const seconds = cpuSeconds(() => {
      for (let index = 0; index < shape.width; index++) {
        const task = idOf(index);
        submit(run, { kind: "start", task });
        submit(run, { kind: "fail", task, ...failure });
        turned += 2 * run.counts.blocked;
        submit(run, { kind: "retry", task });
      }
    });
    if (run.counts.blocked !== 0 || turned === 0) throw new Error("bug: nothing was blocked and set free");
    return turned / seconds;
  });
}

/** The first two rounds warm the compiler up. */
function perSecond(unit: string, rounds: number, round: () => number): Omit<Figure, "name"> {
  const rates = Array.from({ length: rounds + 2 }, round);
  return { unit, measured: estimate(rates.slice(2), median) };
}

function cpuSeconds(work: () => void): number {
  const started = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(started);
  return (user + system) / 1e6;
}

const failure = { error: "tests are red", category: "test", subcategory: null, retryable: true };

/** Every task is started and completed; one in `failing` fails first and is retried. */
function wholeLife(size: number, failing: number): Input[] {
  return Array.from({ length: size }, (_, index) => index).flatMap((index): Input[] => {
    const task = idOf(index);
    const begin: Input = { kind: "start", task };
    const end: Input = { kind: "complete", task, created: [`src/part-${index}.ts`], modified: [] };
    if (failing === 0 || index % failing !== 0) return [begin, end];
    return [begin, { kind: "fail", task, ...failure }, { kind: "retry", task }, begin, end];
  });
}

function openedRun(shape: Shape): Run {
  const run = newRun("plan-1", decomposition);
  for (const input of [create, ...openedPlan(planOf(shape))]) submit(run, input);
  return run;
}

function submit(run: Run, input: Input): void {
  const problems = carryOut(
    {
      run,
      record: (fact) =>
        apply(run, { position: run.position + 1, at: "2026-01-01T00:00:00.000Z", by: "bench", fact }),
    },
    input,
  );
  if (problems.length > 0) throw new Error(`bug: ${problems[0]?.message}`);
}

async function nextReady(samples: number): Promise<Figure[]> {
  const shape = { size: 100_000, width: 1_000 };
  const figure = (where: string, measured: Estimate): Figure => ({
    name: `core: next ready of 100,000, ${where}, p99`,
    unit: "ms",
    measured,
    goal: { most: 1 },
  });
  const run = openedRun(shape);
  const inMemory = await p99(samples, async () => {
    const [task = ""] = run.tasks.ready(1);
    return () => submit(run, { kind: "start", task });
  });
  const inRows = await withFolder((folder) => fromRows(folder, shape, samples));
  return [figure("in memory", inMemory), figure("from the journal", inRows)];
}

async function fromRows(folder: string, shape: Shape, samples: number): Promise<Estimate> {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "heddle.db");
  createDatabase(path);
  const journal = new SqliteJournal({ path, protocols: protocolNamed, now: () => new Date().toISOString() });
  const { run } = await journal.transact({ protocol: "decomposition" }, "bench", (draft) =>
    [create, ...openedPlan(planOf(shape))].flatMap((input) => carryOut(draft, input)),
  );
  const measured = await p99(samples, async () => {
    const [task = ""] = await journal.read(run, ({ tasks }) => tasks.ready(1));
    return () => journal.transact({ run }, "bench", (draft) => carryOut(draft, { kind: "start", task }));
  });
  journal.close();
  return measured;
}

/** Times `look` only; what it gives is done before the next one, so that each look finds something new. */
async function p99(samples: number, look: () => Promise<() => unknown>): Promise<Estimate> {
  const times: number[] = [];
  for (let sample = 0; sample < samples; sample++) {
    const started = performance.now();
    const change = await look();
    times.push(performance.now() - started);
    await change();
  }
  return estimate(times, (drawn) => quantile(drawn, 0.99));
}

// `node test/simulation/main.ts [--seed N] [--seeds COUNT] [--from N] [--trace] [--hostile]`: simulates histories, and ends
// with 1 when an invariant does not hold or a moment never came. A failure prints how to see it again.
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { type Failed, runHere, runShared, type Summary } from "./batch.ts";
import { known } from "./known.ts";
import { simulate } from "./simulate.ts";
import { missed, moments } from "./sometimes.ts";

const { values: options } = parseArgs({
  options: {
    seed: { type: "string" },
    seeds: { type: "string", default: "2000" },
    from: { type: "string", default: "0" },
    /** Fail on known violations too. */
    strict: { type: "boolean", default: false },
    trace: { type: "boolean", default: false },
    /** Over journals that do everything their contract allows. */
    hostile: { type: "boolean", default: false },
    step: { type: "string", default: "1" },
    json: { type: "boolean", default: false },
  },
});

const muted = new Set(options.strict ? [] : known.keys());

async function main(): Promise<number> {
  if (options.seed !== undefined) return one(Number(options.seed));
  const seeds = {
    from: Number(options.from),
    count: Number(options.seeds),
    known: muted,
    hostile: options.hostile,
  };
  if (options.json) {
    const sum = await runHere({ ...seeds, step: Number(options.step) });
    console.log(JSON.stringify(sum));
    return sum.failures.length > 0 ? 1 : 0;
  }
  const startMs = performance.now();
  const sum = await runShared(seeds, availableParallelism());
  report(sum, (performance.now() - startMs) / 1000);
  // What must have happened, and how often, is counted over the usual journal: a slow one delays some of it past the end.
  const isCounted = seeds.count >= 1000 && !options.hostile;
  const isComplete = !isCounted || missed(new Map(Object.entries(sum.sometimes)), sum.seeds).length === 0;
  return sum.failures.length === 0 && isComplete ? 0 : 1;
}

async function one(seed: number): Promise<number> {
  const { violation, last, hash, steps, virtualMs } = await simulate({
    seed,
    print: options.trace,
    known: muted,
    hostile: options.hostile,
  });
  console.log(`seed ${seed}: ${steps} steps in ${virtualMs} virtual ms, trace ${hash}`);
  if (!violation) return 0;
  const { invariant, message } = violation;
  explain({ seed, invariant, message, last: options.trace ? [] : last });
  return 1;
}

function report(sum: Summary, seconds: number): void {
  const number = (value: number) => Math.round(value).toLocaleString("en");
  for (const moment of Object.keys(moments))
    console.log(`${number(sum.sometimes[moment] ?? 0).padStart(10)}  ${moment}`);
  const short = missed(new Map(Object.entries(sum.sometimes)), sum.seeds);
  for (const { moment, times, wanted } of short)
    console.log(`too seldom: ${moment}, ${times} of ${wanted} times`);
  for (const [name, times] of Object.entries(sum.known))
    console.log(`known: ${name}, ${number(times)} times: ${known.get(name)?.why}`);
  console.log(
    `${number(sum.seeds)} seeds in ${seconds.toFixed(1)} s (${number(sum.seeds / seconds)}/s): ` +
      `${number(sum.steps)} steps, ${number(sum.entries)} entries, ${number(sum.crashes)} crashes, ` +
      `${(sum.virtualMs / 3_600_000).toFixed(1)} virtual hours`,
  );
  const [first] = sum.failures;
  if (first) explain(first);
}

function explain({ seed, invariant, message, last }: Failed): void {
  for (const line of last) console.error(line);
  console.error(`\nseed ${seed} breaks ${invariant}: ${message}`);
  console.error(
    `replay: node test/simulation/main.ts --seed ${seed} --trace${options.strict ? " --strict" : ""}${options.hostile ? " --hostile" : ""}`,
  );
}

process.exitCode = await main();

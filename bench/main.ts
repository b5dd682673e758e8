// `npm run bench`: the figures that heddle promises, measured here and now.
//
//   npm run bench                     everything, about five minutes
//   npm run bench -- start journal    only these
//   npm run bench -- --quick --save   fewer rounds; writes bench/results.json
//
// Exit code 1 when a figure is missed. Ratios within one run can be trusted on a busy machine, times cannot.
import { writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { agents } from "./agents.ts";
import { core } from "./core.ts";
import { discover } from "./discover.ts";
import { execute } from "./execute.ts";
import { type Bench, type Figure, table, verdictOf } from "./figure.ts";
import { gateway } from "./gateway.ts";
import { git } from "./git.ts";
import { journal } from "./journal.ts";
import { load } from "./load.ts";
import { loop } from "./loop.ts";
import { makespan } from "./makespan.ts";
import { page } from "./page.ts";
import { planning } from "./planning.ts";
import { size } from "./size.ts";
import { start } from "./start.ts";
import { validate } from "./validate.ts";

const benches: readonly Bench[] = [
  start,
  journal,
  core,
  load,
  validate,
  discover,
  planning,
  git,
  execute,
  loop,
  agents,
  gateway,
  makespan,
  page,
  size,
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: "boolean", default: false }, save: { type: "boolean", default: false } },
});

const unknown = positionals.filter((word) => !benches.some(({ name }) => name === word));
if (unknown.length > 0) {
  console.error(
    `error: \`${unknown[0]}\` is not a bench\nhint: one of ${benches.map(({ name }) => name).join(", ")}`,
  );
  process.exit(64);
}

const machine = {
  node: process.version,
  processor: cpus()[0]?.model ?? "unknown",
  cores: cpus().length,
  load: loadavg().map((each) => Number(each.toFixed(1))),
};
console.log(
  `node ${machine.node}, ${machine.cores} x ${machine.processor}, load ${machine.load.join(" ")}\n`,
);

const figures: Figure[] = [];
for (const bench of benches) {
  if (positionals.length > 0 && !positionals.includes(bench.name)) continue;
  const found = await bench.run({ quick: values.quick });
  figures.push(...found);
  console.log(`${table(found)}\n`);
}

const missed = figures.filter((figure) => verdictOf(figure) === "missed");
console.log(
  missed.length === 0 ? "no figure is missed" : `${missed.length} of ${figures.length} figures are missed`,
);
if (values.save) {
  const results = { machine, figures: figures.map((figure) => ({ ...figure, verdict: verdictOf(figure) })) };
  writeFileSync(join(import.meta.dirname, "results.json"), `${JSON.stringify(results, null, 2)}\n`);
}
if (missed.length > 0) process.exitCode = 1;

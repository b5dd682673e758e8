// `npm run quick`: what is worth knowing at every save, in under a minute on two cores. Types, format and a sample of the
// simulation beside the pure tests. `npm test` proves the rest.
import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = (name) => join(root, "node_modules/.bin", name);

/** They start no process of heddle and touch few files, so workers may be used for one file after the other. */
const pure = [
  "tidy.test.ts",
  "core",
  "transcripts",
  "journal",
  "protocols/check",
  "protocols/view",
  "view",
  "config",
];
const tests = [
  "run",
  "--no-isolate",
  "--maxWorkers=1",
  "--reporter=dot",
  ...pure.map((name) => `test/${name}`),
];

/** Two rows, one for each core. */
const rows = [
  [
    ["types", "tsc", ["--noEmit"]],
    ["types of the page", "tsc", ["--noEmit", "-p", "page"]],
    ["format", "biome", ["check", "."]],
    ["simulation", "node", ["test/simulation/main.ts", "--seeds", "200"]],
  ],
  [["tests", "vitest", tests]],
];

/** Resolves to what went wrong, if anything did; only then is shown what the program said. */
function run([what, program, args]) {
  const from = performance.now();
  const child = spawn(bin(program), args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => said.push(bytes));
  return new Promise((settle) => {
    child.on("close", (code) => {
      if (code !== 0) process.stdout.write(Buffer.concat(said));
      const seconds = ((performance.now() - from) / 1000).toFixed(1);
      console.log(`${code === 0 ? "ok" : "FAILED"}  ${what}, ${seconds} s`);
      settle(code !== 0);
    });
  });
}

async function inTurn(row) {
  const failed = [];
  for (const step of row) failed.push(await run(step));
  return failed;
}

const failed = (await Promise.all(rows.map(inTurn))).flat();
process.exit(failed.includes(true) ? 1 : 0);
